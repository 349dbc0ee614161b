import type { AuthCore } from "./auth-core.ts";
import {
  type Access,
  type Caller,
  type HttpContext,
  reachesBeyondFolder,
  rolePermits,
  tokenScope,
} from "../platform/http/endpoint.ts";
import type { Guard } from "../platform/http/mount.ts";
import { AppError, appError } from "../lib/errors.ts";
import {
  CSRF_COOKIE,
  readCookies,
  accessTokens,
  bearerToken,
  CSRF_HEADER,
  equalInConstantTime,
  isCsrfProven,
} from "./sessions/cookies.ts";
import type { SecondFactor } from "./second-factor/service.ts";
import type { Sessions } from "./sessions/service.ts";
import type { ApiTokens } from "./tokens/service.ts";
import { looksLikeApiToken } from "./tokens/api-token.ts";

type Deps = AuthCore & {
  sessions: Sessions;
  apiTokens: ApiTokens;
  secondFactor: SecondFactor;
  addressOf(c: HttpContext): string;
};

/** Where a session without the second factor that its role needs may still call. */
const SETS_UP = /^\/(?:auth|account)\//;

const SAFE_METHODS = new Set(["GET", "HEAD", "OPTIONS"]);

const unauthorized = () => appError("Unauthorized", "Unauthorized: invalid or missing token");

/**
 * @throws Unauthorized without valid credentials, CsrfInvalid for an unsafe method with cookies but no CSRF proof,
 * Forbidden when the role or the token's scopes do not suffice, or the role needs a second factor that is not there
 */
function createGuard(deps: Deps): Guard {
  return (entry) => {
    const { access, path } = entry;
    if (access === "public") return () => {};
    const scope = tokenScope(entry);
    return async (c) => {
      const caller = await identify(deps, c);
      requireRole(caller, access);
      requireScope(caller, scope);
      if (reachesBeyondFolder(entry, caller.token)) {
        throw appError("Forbidden", "The API token reaches one folder only, and this is about all files.");
      }
      if (!SETS_UP.test(path)) await requireSecondFactor(deps, caller);
      c.set("account", caller);
      const isStillAllowed = createRecheck(deps, caller, {
        token: bearerToken(c),
        address: () => deps.addressOf(c),
        setsUp: SETS_UP.test(path),
      });
      c.set("isStillAllowed", isStillAllowed);
      c.env.isStillAllowed = isStillAllowed;
    };
  };
}

/** API tokens need none. @throws Forbidden */
async function requireSecondFactor({ secondFactor }: Deps, caller: Caller): Promise<void> {
  if (caller.token !== undefined || !(await secondFactor.isMissing(caller))) return;
  throw appError(
    "Forbidden",
    "Your role needs a second factor. Set up a passkey or an authenticator app in your account, or confirm this sign-in with it, first.",
    { field: "second_factor" },
  );
}

async function identify(deps: Deps, c: HttpContext): Promise<Caller> {
  const { sessions, config, onFailure } = deps;
  const { from, tokens } = accessTokens(c);
  const bearer = from === "bearer" ? (tokens[0] ?? "") : "";
  if (looksLikeApiToken(bearer)) return authenticateApiToken(deps, c, bearer);
  const account = await sessions.authenticate(tokens);
  if (account === null) {
    onFailure(from);
    throw unauthorized();
  }
  if (from === "cookie" && !SAFE_METHODS.has(c.req.method)) {
    const cookies = readCookies(c.req.header("Cookie"), CSRF_COOKIE);
    const session = { secret: config.get("api.jwt_secret"), sessionId: account.credential?.sessionId ?? "" };
    if (!isCsrfProven(c.req.header(CSRF_HEADER), cookies, session)) {
      onFailure("csrf");
      throw appError("CsrfInvalid", `Send the value of the csrf_token cookie in the header ${CSRF_HEADER}.`);
    }
  }
  return { ...account, via: from === "cookie" ? "panel" : "api" };
}

async function authenticateApiToken(
  { apiTokens, addressOf, onFailure }: Deps,
  c: HttpContext,
  text: string,
): Promise<Caller> {
  const known = await apiTokens.authenticate(text, addressOf(c));
  if (known !== null) return { ...known.account, via: "token", token: known.token, tool: c.env.tool };
  onFailure("bearer");
  throw unauthorized();
}

const BASIC = /^Basic ([\w+/]+={0,2})$/i;
const CHALLENGE = 'Basic realm="Waymark files", charset="UTF-8"';

/**
 * For clients that know passwords only: Basic with an account's name and its API token, or the token as bearer. Never
 * cookies. @throws Unauthorized, RateLimitExceeded
 */
function createTokenDoor(deps: Deps) {
  return async (c: HttpContext): Promise<Caller> => {
    const [, encoded] = BASIC.exec(c.req.header("Authorization") ?? "") ?? [];
    const decoded = encoded === undefined ? null : Buffer.from(encoded, "base64").toString();
    const colon = decoded?.indexOf(":") ?? -1;
    const text = decoded === null ? (bearerToken(c) ?? "") : decoded.slice(colon + 1);
    try {
      const caller = await authenticateApiToken(deps, c, text);
      if (decoded !== null && decoded.slice(0, Math.max(colon, 0)) !== caller.username) throw unauthorized();
      const address = () => deps.addressOf(c);
      c.env.isStillAllowed = createRecheck(deps, caller, { token: text, address, setsUp: false });
      return caller;
    } catch (error) {
      if (!(error instanceof AppError) || error.kind !== "unauthorized") throw error;
      throw appError("Unauthorized", "Sign in with your account's name and an API token as password.", {
        details: { challenge: CHALLENGE },
      });
    }
  };
}

type Presented = { token: string | null; address(): string; setsUp: boolean };

/**
 * Whether the session or the token still exists, and the account with the same role and teams, which decide what an
 * response shows. A token keeps its scopes.
 */
function createRecheck(deps: Deps, caller: Caller, { token, address, setsUp }: Presented) {
  const { sessions, apiTokens, secondFactor, config } = deps;
  const { credential, role } = caller;
  const secret = config.get("api.jwt_secret");

  async function accountNow() {
    if (credential === undefined) return (await apiTokens.authenticate(token ?? "", address()))?.account;
    return config.get("api.jwt_secret") === secret ? sessions.accountOf(credential.sessionId) : null;
  }

  return async (): Promise<boolean> => {
    const account = await accountNow();
    if (!account || account.role !== role || teamsText(account) !== teamsText(caller)) return false;
    return credential === undefined || setsUp || !(await secondFactor.isMissing({ ...account, credential }));
  };
}

const teamsText = ({ teams }: Pick<Caller, "teams">): string =>
  JSON.stringify([...(teams ?? [])].toSorted(([one], [other]) => one - other));

function requireRole({ role }: Caller, access: Access): void {
  if (rolePermits(role, access)) return;
  const who = access === "editor" ? "editors and administrators" : "administrators";
  throw appError("Forbidden", `Only ${who} may do this.`);
}

function requireScope({ token }: Caller, scope: ReturnType<typeof tokenScope>): void {
  if (token === undefined || scope === "any") return;
  if (scope === null) throw appError("Forbidden", "API tokens may not do this; sign in with a password.");
  if (token.scopes.includes(scope)) return;
  throw appError("Forbidden", `The API token lacks the scope ${scope}.`);
}

/** Also accepts the health token as bearer. */
function createHealthGuard({
  guard,
  config,
  onFailure,
}: Pick<Deps, "config" | "onFailure"> & { guard: Guard }): Guard {
  return (entry) => {
    const signedIn = guard(entry);
    return (c) => {
      const bearer = bearerToken(c);
      const healthToken = config.get("api.health_token");
      const isMonitor = bearer !== null && healthToken !== "" && equalInConstantTime(bearer, healthToken);
      if (entry.access === "public" || isMonitor) return;
      // Without an administrator's password no session is valid.
      if (config.get("api.admin_token") === "") {
        onFailure(bearer === null ? "none" : "bearer");
        throw unauthorized();
      }
      return signedIn(c);
    };
  };
}

export const createGuards = (deps: Deps) => {
  const guard = createGuard(deps);
  return {
    guard,
    /** Authenticates requests of WebDAV. */
    tokenDoor: createTokenDoor(deps),
    /** Also accepts the health token. */
    healthGuard: createHealthGuard({ ...deps, guard }),
  };
};
