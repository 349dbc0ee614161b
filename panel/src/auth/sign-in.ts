import { type Account, responseOf, api, ApiError, type Login } from "../base/api.ts";
import { queries } from "../base/queries.ts";
import { tellTabs } from "../base/session-end.ts";
import { accountQuery } from "./account.ts";

/** Browsers have passkeys over HTTPS and on localhost only. */
export const HAS_PASSKEYS = "PublicKeyCredential" in window;

/** The built-in administrator has no name to type. */
const ADMINISTRATOR = "admin";

/** Sets the cookies of a session. */
export async function logIn(name: string, password: string, code: Partial<Login> = {}): Promise<void> {
  const username = name.trim();
  const isBuiltIn = username === "" || username === ADMINISTRATOR;
  const body = { ...code, password, ...(!isBuiltIn && { username }) };
  await responseOf(api.POST("/admin/v1/auth/login", { body }));
}

/** The password is right; a code of the authenticator app is missing. */
export const asksForCode = (error: Error): boolean =>
  error instanceof ApiError && error.details[0]?.field === "totp";

/** Reads the account and notifies the other tabs. Rejects with Unauthorized if the browser refused the cookies. */
export async function enter(): Promise<Account> {
  const account = await queries.fetchQuery({ ...accountQuery, staleTime: 0 });
  tellTabs({ what: "signed-in", username: account.username });
  return account;
}

export const isCookieLost = (error: Error | null): boolean =>
  error instanceof ApiError &&
  error.error === "Unauthorized" &&
  location.protocol === "http:" &&
  !/^(?:localhost|127\.|\[::1\])/.test(location.hostname);
