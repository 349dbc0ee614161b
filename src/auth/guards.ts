import type { MiddlewareHandler } from "hono";
import type { Caller, HttpContext, HttpEnv } from "../http/endpoint.ts";
import type { Guards } from "../http/mount.ts";
import { appError } from "../lib/errors.ts";
import type { AuthConfig } from "./auth-config.ts";
import { CSRF_COOKIE, readCookies } from "./sessions/cookies.ts";
import { accessTokens, bearerToken } from "./sessions/credentials.ts";
import { CSRF_HEADER, equalInConstantTime, isCsrfProven } from "./sessions/csrf.ts";
import type { FailureMethod } from "./auth-metrics.ts";
import type { Sessions } from "./sessions/service.ts";

type Deps = {
  sessions: Pick<Sessions, "authenticate">;
  config: AuthConfig;
  onFailure: (method: FailureMethod) => void;
};

const SAFE_METHODS = new Set(["GET", "HEAD", "OPTIONS"]);

const unauthorized = () => appError("Unauthorized", "Unauthorized: invalid or missing token");

/**
 * `account` and `admin` set the account on the context.
 * @throws Unauthorized without valid credentials, CsrfInvalid for an unsafe method with cookies but no CSRF
 * proof, Forbidden for an account that is not an administrator
 */
export function createGuards(deps: Deps): Guards {
  return {
    public: (_c, next) => next(),
    account: async (c, next) => {
      c.set("account", await identify(deps, c));
      await next();
    },
    admin: async (c, next) => {
      c.set("account", requireAdmin(await identify(deps, c)));
      await next();
    },
  };
}

async function identify({ sessions, config, onFailure }: Deps, c: HttpContext): Promise<Caller> {
  const { from, tokens } = accessTokens(c);
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

function requireAdmin(account: Caller): Caller {
  if (account.role === "admin") return account;
  throw appError("Forbidden", "Only administrators may do this.");
}

/** Accepts the health token as bearer, or an administrator's access token. */
export function createHealthGuard({ sessions, config, onFailure }: Deps): MiddlewareHandler<HttpEnv> {
  return async (c, next) => {
    const bearer = bearerToken(c);
    const healthToken = config.get("api.health_token");
    if (bearer === null || healthToken === "" || !equalInConstantTime(bearer, healthToken)) {
      // Without an administrator's password no session is valid.
      if (config.get("api.admin_token") === "") {
        onFailure(bearer === null ? "none" : "bearer");
        throw unauthorized();
      }
      c.set("account", requireAdmin(await identify({ sessions, config, onFailure }, c)));
    }
    await next();
  };
}
