import { answerOf, api, ApiError } from "../base/api.ts";
import { queries } from "../base/queries.ts";
import { tellTabs } from "../base/session-end.ts";
import { accountQuery } from "./account.ts";

/** The built-in administrator has no name to type. */
const ADMINISTRATOR = "admin";

/** Sets the cookies of a session. */
export async function logIn(name: string, password: string): Promise<void> {
  const username = name.trim();
  const body = username === "" || username === ADMINISTRATOR ? { password } : { username, password };
  await answerOf(api.POST("/admin/v1/auth/login", { body }));
}

/** Reads the account and notifies the other tabs. Rejects with Unauthorized if the browser refused the cookies. */
export async function enter(): Promise<void> {
  const { username } = await queries.fetchQuery({ ...accountQuery, staleTime: 0 });
  tellTabs({ what: "signed-in", username });
}

export const isCookieLost = (error: Error | null): boolean =>
  error instanceof ApiError &&
  error.error === "Unauthorized" &&
  location.protocol === "http:" &&
  !/^(?:localhost|127\.|\[::1\])/.test(location.hostname);
