import { z } from "zod";
import {
  actorOf,
  type Endpoint,
  endpoint,
  type HttpContext,
  messageResponse,
  page,
} from "../../platform/http/endpoint.ts";
import { ROLES } from "../../lib/access.ts";
import { pageOf, pageQuery } from "../../lib/page-query.ts";
import { keepsSecureCookies } from "../../lib/secure-cookies.ts";
import type { Config } from "../../platform/config/config.service.ts";
import { sessionCookies } from "./cookies.ts";
import { isFromBrowser } from "./origin.ts";
import { ownSessionView, viewSession, type SignedIn } from "./session.ts";
import type { Sessions } from "./service.ts";

export const sessionResponse = messageResponse.extend({
  expires_in: z.int().describe("seconds until the access token expires"),
  role: z.enum(ROLES),
});
sessionResponse.register(z.globalRegistry, { id: "Session" });

/** Warns when the browser will not keep the cookies. */
export const signedInMessage = (c: HttpContext, config: Config): string =>
  !config.get("api.cookie_secure") || !isFromBrowser(c.req.raw) || keepsSecureCookies(c.req.raw)
    ? "Signed in"
    : "Signed in, but a browser drops these cookies because the connection is not HTTPS. Use HTTPS, or turn api.cookie_secure off.";

export function respondSignedIn(
  c: HttpContext,
  config: Config,
  { signedIn, message }: { signedIn: SignedIn; message: string },
): z.output<typeof sessionResponse> {
  setCookies(c, sessionCookies(config, signedIn));
  return { message, expires_in: Math.floor(signedIn.accessMaxAge), role: signedIn.account.role };
}

export function setCookies(c: HttpContext, cookies: readonly string[]): void {
  for (const cookie of cookies) {
    const below = cookie.replace("; Path=/", `; Path=${c.env.prefix()}/`);
    c.cookie(below);
  }
}

export function ownSessionEndpoints({ sessions }: { sessions: Sessions }): Endpoint[] {
  const shared = { access: "account", scope: null, tag: "account" } as const;
  return [
    endpoint("GET /account/sessions", {
      ...shared,
      summary: "List your sessions that have not ended, the last used first",
      query: z.object(pageQuery),
      response: z.array(ownSessionView),
      paged: true,
      async handle({ query, account }) {
        const at = pageOf(query);
        const { sessions: listed, total } = await sessions.list(account.id, at);
        const views = listed.map((session) => ({
          ...viewSession(session),
          current: session.id === account.credential?.sessionId,
        }));
        return page(views, { ...at, total });
      },
    }),
    endpoint("DELETE /account/sessions/:id", {
      ...shared,
      summary: "End one of your sessions; once this answers, every worker refuses it",
      params: { id: z.string() },
      failures: [404],
      done: "Session ended",
      handle: ({ c, account }) => sessions.endOne(c.req.param("id") ?? "", account.id, actorOf(account)),
    }),
  ];
}
