import type { RequestChecks } from "../auth-core.ts";
import { z } from "zod";
import { type Endpoint, endpoint, type HttpContext } from "../../platform/http/endpoint.ts";
import { AppError, appError } from "../../lib/errors.ts";
import { namedObject } from "../../lib/named-object.ts";
import { parsePanelPath } from "../../lib/panel-path.ts";
import { queryText } from "../../lib/query-text.ts";
import {
  OIDC_COOKIE,
  oidcCookie,
  readCookies,
  sessionCookies,
  deviceTokens,
  refreshTokens,
} from "../sessions/cookies.ts";
import { setCookies } from "../sessions/routes.ts";
import { FLOW_SECONDS, type Oidc } from "./service.ts";
import { OidcRefusal, type OidcTrouble } from "./provider.ts";

type Deps = RequestChecks & { oidc: Oidc };

const LONGEST_TO = 2000;
const LONGEST_CODE = 4096;

const startQuery = z.object({
  to: queryText(LONGEST_TO)
    .optional()
    .describe("path of the panel, such as /links, that follows the sign-in"),
});

/** Given by the provider. More is checked and dropped with the sign-in. */
const callbackQuery = z.object({
  state: queryText(LONGEST_CODE).optional().describe("of the request to the provider, as it came back"),
  code: queryText(LONGEST_CODE).optional().describe("authorization code of the provider"),
  error: queryText(LONGEST_CODE).optional().describe("why the provider refused the sign-in"),
});

const oidcTestView = namedObject("OidcTest", {
  message: z.string().describe("what keeps the provider from answering; empty: nothing"),
  redirect_uri: z.string().describe("to register at the provider"),
});

const CALLBACK = "/auth/oidc/callback";

export function oidcEndpoints({ oidc, config, addressLimit, clientOf }: Deps): Endpoint[] {
  const shared = {
    access: "public",
    scope: null,
    tag: "auth",
    raw: {
      status: 302,
      type: null,
      description: "At the provider, or at the panel, which says what went wrong",
      headers: z.object({ Location: z.string() }),
    },
  } as const;
  const callbackOf = (c: HttpContext) =>
    `${c.env.origin()}${config.get("routes.admin_prefix")}/v1${CALLBACK}`;
  const clear = (c: HttpContext) => setCookies(c, [oidcCookie(config, { value: "", maxAge: 0 })]);

  /** Always to the panel's own sign-in page, which goes on to a path of the panel. */
  function redirectToPanel(c: HttpContext, query: { to: string; oidc: OidcTrouble | "done" }): Response {
    const search = new URLSearchParams(query.to === "" ? { oidc: query.oidc } : query);
    return redirectTo(c, `${config.get("routes.frontend_prefix")}/sign-in?${search.toString()}`);
  }

  async function redirectOnRefusal(
    c: HttpContext,
    to: string,
    run: () => Promise<Response>,
  ): Promise<Response> {
    try {
      return await run();
    } catch (error) {
      if (error instanceof OidcRefusal) return redirectToPanel(c, { to, oidc: error.trouble });
      if (error instanceof AppError && error.name === "RateLimitExceeded")
        return redirectToPanel(c, { to, oidc: "busy" });
      throw error;
    }
  }

  return [
    endpoint("GET /auth/oidc", {
      ...shared,
      summary: "Sign in by OpenID Connect: leads to the provider",
      query: startQuery,
      failures: [404],
      handle: ({ c, query }) => {
        const to = parsePanelPath(query.to) ?? "";
        return redirectOnRefusal(c, to, async () => {
          await addressLimit.take(clientOf(c).address);
          const redirectUri = callbackOf(c);
          const started = await oidc.startSignIn({
            redirectUri,
            to,
            refreshTokens: refreshTokens(c),
            deviceTokens: deviceTokens(c),
          });
          if (started === null) throw appError("NotFound", "Sign-in by OpenID Connect is not set up.");
          setCookies(c, [oidcCookie(config, { value: started.cookie, maxAge: FLOW_SECONDS })]);
          return redirectTo(c, started.url);
        });
      },
    }),
    endpoint("POST /auth/oidc/test", {
      access: "admin",
      scope: "admin",
      tag: "auth",
      summary: "Ask the provider of OpenID Connect for its description",
      response: oidcTestView,
      async handle({ c }) {
        const redirectUri = callbackOf(c);
        return { message: await oidc.test(redirectUri), redirect_uri: redirectUri };
      },
    }),
    endpoint(`GET ${CALLBACK}`, {
      ...shared,
      summary:
        "The provider leads back here; sets the cookies of a session, or the panel says what went wrong",
      query: callbackQuery,
      async handle({ c, query }) {
        const cookies = readCookies(c.req.header("Cookie"), OIDC_COOKIE);
        const flow = await oidc.readFlow(cookies, query.state ?? "");
        if (flow === null) return redirectToPanel(c, { to: "", oidc: "expired" });
        return redirectOnRefusal(c, flow.to, async () => {
          clear(c);
          await addressLimit.take(clientOf(c).address);
          const search = new URL(c.req.url, flow.redirectUri).searchParams.toString();
          const signedIn = await oidc.finishSignIn(flow, { query: search, client: clientOf(c) });
          setCookies(c, sessionCookies(config, signedIn));
          return redirectToPanel(c, { to: flow.to, oidc: "done" });
        });
      },
    }),
  ];
}

const redirectTo = (c: HttpContext, location: string): Response => {
  return c.body(null, 302, { Location: location, "Cache-Control": "no-store" });
};
