import { z } from "zod";
import type { HttpContext } from "../../http/endpoint.ts";
import { ROLES } from "../../lib/access.ts";
import { keepsSecureCookies } from "../../lib/secure-cookies.ts";
import type { AuthConfig } from "../auth-config.ts";
import { sessionCookies } from "./cookies.ts";
import { isFromBrowser } from "./origin.ts";
import type { SignedIn } from "./signing.ts";

export const messageAnswer = z.object({ message: z.string() });
export const sessionAnswer = messageAnswer.extend({
  expires_in: z.int().describe("seconds until the access token expires"),
  role: z.enum(ROLES),
});
sessionAnswer.register(z.globalRegistry, { id: "Session" });

/** Says so when the browser will not keep the cookies. */
export const welcome = (c: HttpContext, config: AuthConfig): string =>
  !config.get("api.cookie_secure") || !isFromBrowser(c.req.raw) || keepsSecureCookies(c.req.raw)
    ? "Signed in"
    : "Signed in, but a browser drops these cookies because the connection is not HTTPS. Use HTTPS, or turn api.cookie_secure off.";

export function answerSignedIn(
  c: HttpContext,
  config: AuthConfig,
  { signedIn, message }: { signedIn: SignedIn; message: string },
): z.output<typeof sessionAnswer> {
  setCookies(c, sessionCookies(config, signedIn));
  return { message, expires_in: Math.floor(signedIn.accessMaxAge), role: signedIn.account.role };
}

export function setCookies(c: HttpContext, cookies: readonly string[]): void {
  for (const cookie of cookies) c.header("Set-Cookie", cookie, { append: true });
}
