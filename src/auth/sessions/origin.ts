/**
 * Refuses what a page of another origin makes a browser send to the endpoints that need no CSRF proof. Browsers say in
 * Sec-Fetch-Site where a request comes from, but over HTTPS and to localhost only; for the others Origin is held
 * against Host. Programs send neither header. Origins that CORS lets in are no strangers.
 */
import { appError } from "../../lib/errors.ts";
import type { AuthConfig } from "../auth-config.ts";

/** @throws Forbidden */
export function refuseCrossSite({ headers }: Request, config: AuthConfig): void {
  const site = headers.get("Sec-Fetch-Site");
  const origin = headers.get("Origin");
  if (site === "same-origin" || site === "none") return;
  if (site === null && (origin === null || isOwn(origin, headers.get("Host")))) return;
  if (origin !== null && isAllowed(origin, config)) return;
  throw appError(
    "Forbidden",
    "This came from another origin. Sign in on this server's own address (a proxy must pass the Host header on), or add the origin to cors.allowed_origins.",
  );
}

/** The scheme is left out: a proxy may have ended TLS. */
function isOwn(origin: string, host: string | null): boolean {
  const own = URL.parse(origin);
  return own !== null && own.host !== "" && own.host === URL.parse(`${own.protocol}//${host}`)?.host;
}

/** A star lets nobody sign in: browsers keep no cookies then. */
const isAllowed = (origin: string, config: AuthConfig): boolean =>
  config.get("cors.enabled") && config.get("cors.allowed_origins").includes(origin);
