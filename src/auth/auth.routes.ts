import type { RequestChecks } from "./auth-core.ts";
import { z } from "zod";
import {
  actorOf,
  type Endpoint,
  endpoint,
  type HttpContext,
  messageResponse,
} from "../platform/http/endpoint.ts";
import { PASSWORD_LIMIT, requireJson, SHORT_LIMIT } from "../platform/http/read-body.ts";
import type { Clock } from "../lib/clock.ts";
import { appError } from "../lib/errors.ts";
import { type Account, BUILT_IN_ADMIN } from "./account.ts";
import {
  clearedCookies,
  deviceCookie,
  accessTokens,
  deviceTokens,
  refreshTokens,
} from "./sessions/cookies.ts";
import type { Login } from "./login/service.ts";
import { assertion } from "./passkeys/passkey.ts";
import type { Passkeys } from "./passkeys/service.ts";
import { codeSchema } from "./second-factor/codes.ts";
import { SECOND_FACTOR_STATES, type SecondFactor } from "./second-factor/service.ts";
import { isFromBrowser, refuseCrossSite } from "./sessions/origin.ts";
import { respondSignedIn, sessionResponse, setCookies, signedInMessage } from "./sessions/routes.ts";
import type { Sessions } from "./sessions/service.ts";
import { displayNameSchema, newPasswordSchema, userView, viewBuiltIn, viewUser } from "./users/user.ts";
import type { Contacts } from "./contact/service.ts";
import type { Users } from "./users/service.ts";
import { namedObject } from "../lib/named-object.ts";
import type { Oidc } from "./oidc/service.ts";

const loginBody = namedObject("Login", {
  username: z
    .string()
    .nullish()
    .describe("or a confirmed e-mail address; default: the built-in administrator"),
  password: z.string(),
  totp: codeSchema
    .nullish()
    .describe("of the authenticator app, when the response without it names this field"),
  recovery_code: z.string().max(64).nullish().describe("in the place of totp; valid once"),
});

const logoutQuery = z.object({
  sessions: z.enum(["all"]).optional().describe("all: sign out everywhere"),
});

const signedOutResponse = messageResponse.extend({
  provider_logout_url: z.url().optional().describe("ends the session at the provider of OpenID Connect too"),
});

const passwordBody = z.object({
  current_password: z.string(),
  new_password: newPasswordSchema,
  totp: codeSchema
    .nullish()
    .describe("of the authenticator app, for a session that has not shown such a code yet"),
});

const ownAccountView = userView.extend({
  second_factor: z
    .enum(SECOND_FACTOR_STATES)
    .describe(
      "required: until there is one, only addresses below /auth and /account answer; unconfirmed: until POST /account/second-factor",
    ),
  has_password: z.boolean().describe("false: OpenID Connect has made the account"),
});
ownAccountView.register(z.globalRegistry, { id: "OwnAccount" });

type Deps = RequestChecks & {
  login: Login;
  sessions: Sessions;
  oidc: Oidc;
  users: Users;
  contacts: Contacts;
  secondFactor: SecondFactor;
  passkeys: Passkeys;
  clock: Clock;
};

export const authEndpoints = (deps: Deps): Endpoint[] => [...sessionEndpoints(deps), ...ownEndpoints(deps)];

const open = { access: "public", scope: null, tag: "auth" } as const;
const own = { ...open, access: "account" } as const;

function sessionEndpoints({
  login,
  sessions,
  oidc,
  config,
  addressLimit,
  addressOf,
  clientOf,
}: Deps): Endpoint[] {
  // These endpoints need no CSRF proof.
  const refuse = (c: HttpContext) => refuseCrossSite(c.req.raw, config);
  return [
    endpoint("POST /auth/login", {
      ...open,
      summary: "Sign in; sets the three cookies of a session",
      body: loginBody,
      bodyLimit: PASSWORD_LIMIT,
      failures: [401, 403, 429],
      async admit(c) {
        refuse(c);
        requireJson(c.req.raw);
        oidc.refusePassword();
        await addressLimit.take(addressOf(c));
      },
      response: sessionResponse,
      async handle({ c, body }) {
        const client = clientOf(c);
        const proofs = { refreshTokens: refreshTokens(c), deviceTokens: deviceTokens(c) };
        const via = isFromBrowser(c.req.raw) ? "panel" : "api";
        const { recovery_code: recoveryCode, ...given } = body;
        const signedIn = await login.signIn({ ...given, recoveryCode, ...proofs, client, via });
        return respondSignedIn(c, config, { signedIn, message: signedInMessage(c, config) });
      },
    }),
    endpoint("POST /auth/refresh", {
      ...open,
      summary: "Exchange the refresh cookie for new cookies; a refresh token is valid once",
      admit: refuse,
      failures: [401, 403, 429],
      response: sessionResponse,
      async handle({ c }) {
        const signedIn = await sessions.refresh(refreshTokens(c), addressOf(c));
        return respondSignedIn(c, config, { signedIn, message: "Refreshed" });
      },
    }),
    endpoint("POST /auth/logout", {
      ...open,
      summary:
        "End the session, or all of its account, and clear its cookies; does nothing without a session",
      query: logoutQuery,
      admit: refuse,
      failures: [403],
      response: signedOutResponse,
      async handle({ c, query }) {
        const sent = { access: accessTokens(c).tokens, refresh: refreshTokens(c) };
        // A form of another site sends no cookies; clearing them would sign the browser out.
        if (sent.access.length + sent.refresh.length === 0) return { message: "There was no session" };
        const ended = await sessions.signOut(sent, { everywhere: query.sessions === "all" });
        setCookies(c, clearedCookies(config));
        const next = await oidc.endSessionUrl(
          ended,
          `${c.env.origin()}${config.get("routes.frontend_prefix")}/sign-in`,
        );
        return { message: "Signed out", ...(next !== null && { provider_logout_url: next }) };
      },
    }),
  ];
}

function ownEndpoints({ login, sessions, users, config, clock, addressLimit, ...deps }: Deps): Endpoint[] {
  async function rememberBrowser(c: HttpContext, account: Account): Promise<void> {
    if (accessTokens(c).from !== "cookie") return;
    const token = await sessions.newDeviceToken(account, deviceTokens(c));
    if (token !== null) setCookies(c, [deviceCookie(config, token)]);
  }

  return [
    endpoint("GET /auth/verify", {
      ...own,
      summary: "Check the access token; sets a cookie that marks the browser as known to the account",
      response: sessionResponse,
      async handle({ c, account }) {
        await rememberBrowser(c, account);
        const remainingMs = (account.credential?.expiresAt ?? clock.now()) - clock.now();
        return {
          message: "Token is valid",
          expires_in: Math.max(0, Math.floor(remainingMs / 1000)),
          role: account.role,
        };
      },
    }),
    endpoint("GET /auth/me", {
      ...own,
      scope: "any",
      summary: "The signed-in account; sets a cookie that marks the browser as known to the account",
      response: ownAccountView,
      async handle({ c, account }) {
        await rememberBrowser(c, account);
        const isBuiltIn = account.id === BUILT_IN_ADMIN.id;
        const view = isBuiltIn
          ? viewBuiltIn(await deps.contacts.get(account.id))
          : viewUser(await users.get(account.id));
        const hasPassword = await login.hasPassword(account);
        return {
          ...view,
          second_factor: await deps.secondFactor.stateOf(account),
          has_password: hasPassword,
        };
      },
    }),
    endpoint("PATCH /auth/me", {
      ...own,
      summary: "Change what you are called",
      body: namedObject("OwnAccountUpdate", { display_name: displayNameSchema }),
      bodyLimit: SHORT_LIMIT,
      done: "Changed",
      async handle({ body: { display_name: name }, account }) {
        if (name !== undefined) await deps.contacts.rename(account, actorOf(account), name);
      },
    }),
    endpoint("POST /account/second-factor", {
      ...own,
      tag: "account",
      summary:
        "Confirm a sign-in that has not asked for the account's second factor, such as one by OpenID Connect",
      body: namedObject("SecondFactorProof", {
        totp: codeSchema.nullish(),
        recovery_code: z.string().max(64).nullish(),
        passkey: assertion.nullish().describe("from POST /auth/passkey/options"),
      }),
      bodyLimit: 32 * 1024,
      admit: (c) => addressLimit.take(deps.addressOf(c)),
      failures: [409, 429],
      done: "Confirmed",
      async handle({ c, body: { totp, recovery_code: recoveryCode, passkey }, account }) {
        if (!(await deps.secondFactor.isUnproved(account))) {
          throw appError("Conflict", "This sign-in needs no confirmation.");
        }
        if (passkey) {
          await deps.passkeys.confirm(account, { credential: passkey, site: { origin: c.env.origin() } });
        } else if ((await deps.secondFactor.confirmBy(account, { totp, recoveryCode })) === null) {
          throw appError("Conflict", "No authenticator app is set up.");
        }
      },
    }),
    endpoint("PUT /auth/password", {
      ...own,
      summary: "Change your password; ends all your sessions and sets the cookies of a new one",
      body: passwordBody,
      bodyLimit: PASSWORD_LIMIT,
      admit: (c) => addressLimit.take(deps.addressOf(c)),
      failures: [409, 429],
      response: sessionResponse,
      async handle({ c, body, account }) {
        const proved = await deps.secondFactor.requireConfirmed(account, { totp: body.totp });
        const signedIn = await login.changePassword(proved, {
          current: body.current_password,
          next: body.new_password,
          client: deps.clientOf(c),
          via: account.via,
        });
        return respondSignedIn(c, config, { signedIn, message: "Password changed" });
      },
    }),
  ];
}
