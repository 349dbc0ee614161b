/** The typed client of the API, with the session's cookies. A session that ended is renewed once, for all tabs. */
import createClient, { type Middleware } from "openapi-fetch";
import type { Failure, paths } from "../../../clients/typescript/api.ts";
import { ADMIN_PREFIX, SERVER_URL } from "./place.ts";

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

const API_PREFIX = "/admin";
const REFRESH = `${SERVER_URL}${ADMIN_PREFIX}/v1/auth/refresh`;
const SESSION_PATHS = /\/v1\/auth\/(?:login|refresh|logout)$/;

/** The cookie that scripts may read lives as long as the session. */
export const hasSession = (): boolean => csrfToken() !== "";

function csrfToken(): string {
  const found = document.cookie.split("; ").find((pair) => pair.startsWith("csrf_token="));
  return found?.slice("csrf_token=".length) ?? "";
}

export const csrfHeader = (): Record<string, string> => ({ "X-CSRF-Token": csrfToken() });

/** Called when the session has ended for good. */
let onSignedOut: () => void = () => {};
export const whenSignedOut = (run: () => void): void => void (onSignedOut = run);

let lastRenewal = 0;

/** One renewal at a time over all tabs; one that another tab has just made counts. */
export async function renewSession(since: number): Promise<boolean> {
  return navigator.locks.request("waymark-session", async () => {
    const known = Number(localStorage.getItem("waymark-renewed") ?? 0);
    if (Math.max(known, lastRenewal) > since) return true;
    const answer = await fetch(REFRESH, { method: "POST", credentials: "same-origin" });
    if (!answer.ok) return false;
    lastRenewal = Date.now();
    localStorage.setItem("waymark-renewed", String(lastRenewal));
    return true;
  });
}

const address = (url: string): string => {
  const target = new URL(url);
  const path = new URL(SERVER_URL).pathname.replace(/\/$/, "");
  if (target.pathname.startsWith(`${path}${API_PREFIX}/`)) {
    target.pathname = path + ADMIN_PREFIX + target.pathname.slice(path.length + API_PREFIX.length);
  }
  return target.href;
};

async function send(request: Request): Promise<Response> {
  const startedAt = Date.now();
  const isRead = request.method === "GET" || request.method === "HEAD";
  // As bytes: browsers send a stream over HTTP/2 only.
  const body = isRead ? null : await request.arrayBuffer();
  const ask = (): Promise<Response> => {
    const headers = new Headers(request.headers);
    if (!isRead) headers.set("X-CSRF-Token", csrfToken());
    const { method, signal } = request;
    return fetch(address(request.url), { method, headers, body, signal, credentials: "same-origin" });
  };
  try {
    const answer = await ask();
    if (answer.status !== 401 || SESSION_PATHS.test(request.url)) return answer;
    if (await renewSession(startedAt)) return await ask();
    onSignedOut();
    return answer;
  } catch (cause) {
    if (request.signal.aborted) throw cause;
    throw Object.assign(new ApiError(0, {}), { cause });
  }
}

const failures: Middleware = {
  async onResponse({ response }) {
    if (response.ok) return;
    const body: unknown = await response.json().catch(() => ({}));
    throw new ApiError(response.status, typeof body === "object" && body !== null ? body : {});
  },
};

export const api = createClient<paths>({ baseUrl: SERVER_URL, fetch: send, credentials: "same-origin" });
api.use(failures);

/** The body of an answer. Failures have thrown already. */
export async function answerOf<T>(call: Promise<{ data?: T }>): Promise<T> {
  return (await call).data as T;
}
