/** The typed client of the API, with the session's cookies. A session that ended is renewed once, for all tabs. */
import createClient, { type Middleware } from "openapi-fetch";
import type { Failure, paths } from "../../../clients/typescript/api.ts";
import { reachable } from "./connection.ts";
import { ADMIN_PREFIX, PANEL_PATH, SERVER_URL } from "./place.ts";
import { noteServerTime } from "./server-clock.ts";
import { endOfSession, showFactor, tellTabs } from "./session-end.ts";
import { forgetSession, noteSession, sessionToldAt, stateOfSession } from "./session-life.ts";

export type * from "../../../clients/typescript/api.ts";

/** A failure of the server with its sentence, or of the network. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  /** 0: the server could not be reached. */
  readonly status: number;
  readonly error: Failure["error"] | undefined;
  readonly details: readonly { field: string; message: string }[];

  constructor(status: number, failure: Partial<Failure>) {
    super(failure.message ?? "");
    this.status = status;
    this.error = failure.error;
    this.details = failure.details ?? [];
  }
}

/** Prefixes in the OpenAPI document, and on this server. */
const PREFIXES: readonly [string, (root: string) => string][] = [
  ["/admin", (root) => root + ADMIN_PREFIX],
  ["/panel", () => PANEL_PATH.replace(/\/$/, "")],
];
const REFRESH = `${SERVER_URL}${ADMIN_PREFIX}/v1/auth/refresh`;
const TELLS_LIFE = /\/v1\/(?:auth\/(?:login|passkey|password|verify)|set-up)$/;
const SIGN_OUT = "/v1/auth/logout";
/** Sent twice, these do what they do once. */
const REPEATABLE = new Set(["PUT", "PATCH", "DELETE"]);
/** These need no session. */
const SESSION_PATHS =
  /\/v1\/(?:auth\/(?:login|passkey(?:\/options)?|refresh|logout|password-reset|confirm-address)|set-up(?:\/\w+)?)$/;

/** The cookie that scripts may read lives as long as the session. */
export const hasSession = (): boolean => csrfToken() !== "";

function csrfToken(): string {
  const found = document.cookie.split("; ").find((pair) => pair.startsWith("csrf_token="));
  return found?.slice("csrf_token=".length) ?? "";
}

export const csrfHeader = (): Record<string, string> => ({ "X-CSRF-Token": csrfToken() });

/** Without HTTPS there are no locks off localhost; the server accepts a second tab within ten seconds. */
let renewals: Promise<unknown> = Promise.resolve();
function oneAtATime<T>(run: () => Promise<T>): Promise<T> {
  if ("locks" in navigator) return navigator.locks.request("waymark-session", run);
  const next = renewals.then(run, run);
  renewals = next;
  return next;
}

/**
 * Renews the session, one tab at a time. A renewal by another tab after `since` (epoch ms) suffices. False when the
 * session has ended. @throws ApiError if that is unknown
 */
export function renewSession(since: number): Promise<boolean> {
  return oneAtATime(async () => {
    const known = sessionToldAt();
    // A time in the future is from before the clock was set back.
    if (known > since && known <= Date.now() && stateOfSession() === "fresh") return true;
    const response = await fetch(REFRESH, { method: "POST", credentials: "same-origin" });
    if (response.status >= 429) throw await failureOf(response);
    if (!response.ok) return false;
    await noteLife(response);
    return true;
  });
}

/**
 * Renews an expired session before it is used. False when it has ended for good. @throws ApiError like renewSession
 */
export async function keepSession(): Promise<boolean> {
  if (stateOfSession() !== "over") return true;
  return hasSession() && renewSession(sessionToldAt());
}

/** Answers that sign in, renew or verify contain the lifetime of the access token. */
async function noteLife(response: Response): Promise<void> {
  if (!response.ok) return;
  const body = (await response.clone().json()) as { data?: { expires_in?: number } } | null;
  const seconds = body?.data?.expires_in;
  if (typeof seconds === "number") noteSession(seconds * 1000);
}

/** Renews the session, or asks for the password. False when nobody is signed in any more. */
export const regainSession = async (since: number): Promise<boolean> =>
  (await renewSession(since)) || endOfSession();

const address = (url: string): string => {
  const target = new URL(url);
  const path = new URL(SERVER_URL).pathname.replace(/\/$/, "");
  for (const [prefix, place] of PREFIXES) {
    if (!target.pathname.startsWith(`${path}${prefix}/`)) continue;
    target.pathname = place(path) + target.pathname.slice(path.length + prefix.length);
    break;
  }
  return target.href;
};

/** Once more when the server answers again, if it could not be reached. */
export async function whenReachable<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 0) throw error;
    await reachable();
    return run();
  }
}

/** A change that the server did not hear, because it starts again, is sent anew when it answers. */
const send = (request: Request): Promise<Response> =>
  REPEATABLE.has(request.method) ? whenReachable(() => sendOnce(request.clone())) : sendOnce(request);

async function sendOnce(request: Request): Promise<Response> {
  const startedAt = Date.now();
  const isRead = request.method === "GET" || request.method === "HEAD";
  // As bytes: browsers stream a body over HTTP/2 only.
  const body = isRead ? null : await request.arrayBuffer();
  const ask = async (): Promise<Response> => {
    const headers = new Headers(request.headers);
    // A misspelt field is an error instead of nothing.
    headers.set("Prefer", "handling=strict");
    if (!isRead) headers.set("X-CSRF-Token", csrfToken());
    const { method, signal } = request;
    const requestedAt = Date.now();
    const init = { method, headers, body, signal, credentials: "same-origin" } as const;
    const response = await fetch(address(request.url), init);
    noteServerTime(response, requestedAt);
    return response;
  };
  try {
    const needsSession = !SESSION_PATHS.test(request.url);
    if (needsSession && !(await keepSession()) && !(await endOfSession()))
      throw new ApiError(401, { error: "Unauthorized" });
    const response = await ask();
    if (!isRead && (await isUnconfirmed(response)))
      return responseOfServer((await showFactor()) ? await ask() : response);
    if (!needsSession || !(await isWithoutSession(response))) return responseOfServer(response);
    const again = (await renewSession(startedAt)) ? await ask() : response;
    if (again.status !== 401) return responseOfServer(again);
    return (await endOfSession()) ? responseOfServer(await ask()) : again;
  } catch (cause) {
    if (request.signal.aborted || cause instanceof ApiError) throw cause;
    void reachable();
    throw Object.assign(new ApiError(0, {}), { cause });
  }
}

/** A wrong password is a 401 too. */
async function isWithoutSession(response: Response): Promise<boolean> {
  return response.status === 401 && (await failureOf(response.clone())).error !== "AuthFailed";
}

/** The session has not shown the account's second factor. */
async function isUnconfirmed(response: Response): Promise<boolean> {
  if (response.status !== 403) return false;
  return (await failureOf(response.clone())).details.some(({ field }) => field === "second_factor");
}

/** @throws TypeError when a proxy answers for a server that is away */
function responseOfServer(response: Response): Response {
  const isOurs = response.headers.get("Content-Type")?.includes("json") ?? false;
  if (response.status >= 502 && response.status <= 504 && !isOurs) throw new TypeError("a proxy answered");
  return response;
}

async function failureOf(response: Response): Promise<ApiError> {
  const body: unknown = await response.json().catch(() => ({}));
  return new ApiError(response.status, typeof body === "object" && body !== null ? body : {});
}

const readResponses: Middleware = {
  async onResponse({ request, response }) {
    if (!response.ok) throw await failureOf(response);
    if (TELLS_LIFE.test(request.url)) await noteLife(response);
    if (request.url.includes(SIGN_OUT)) forgetSession();
    else if (request.method !== "GET" && !SESSION_PATHS.test(request.url)) tellTabs({ what: "changed" });
  },
};

export const api = createClient<paths>({ baseUrl: SERVER_URL, fetch: send, credentials: "same-origin" });
api.use(readResponses);

/** The body of an answer. Failures have already thrown. */
export async function responseOf<T>(call: Promise<{ data?: T }>): Promise<T> {
  return (await call).data as T;
}
