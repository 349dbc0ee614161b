/**
 * Refuses cross-origin requests to endpoints without CSRF proof. Browsers send Sec-Fetch-Site over HTTPS and to
 * localhost only; otherwise Origin is compared with Host. Programs send neither header.
 */
import { appError } from "../../lib/errors.ts";
import type { Config } from "../../platform/config/config.service.ts";

/** @throws Forbidden */
export function refuseCrossSite({ headers }: Request, config: Config): void {
  const site = headers.get("Sec-Fetch-Site");
  const origin = headers.get("Origin");
  if (site === "same-origin" || site === "none") return;
  if (site === null && (origin === null || isOwn(origin, headers.get("Host")))) return;
  if (origin !== null && isAllowed(origin, config)) return;
  throw crossOrigin();
}

const crossOrigin = () =>
  appError(
    "Forbidden",
    "The request comes from another origin. Sign in at this server's own address (a proxy must forward the Host header), or add the origin to cors.allowed_origins.",
  );

const LOOPBACK = /^(?:localhost|127\.0\.0\.1|\[::1\])$/;

/**
 * Refuses pages of names that somebody's DNS leads here, too: their Origin equals Host. Own ones are the public address
 * and loopback. @param publicUrl empty: unknown  @throws Forbidden
 */
export function refuseRebound(request: Request, config: Config, publicUrl: string): void {
  refuseCrossSite(request, config);
  const origin = request.headers.get("Origin");
  if (origin === null || publicUrl === "" || isAllowed(origin, config)) return;
  const hostname = URL.parse(origin)?.hostname ?? "";
  if (!LOOPBACK.test(hostname) && hostname !== new URL(publicUrl).hostname) throw crossOrigin();
}

/** Browsers send one of these with every POST and PUT. */
export const isFromBrowser = ({ headers }: Request): boolean =>
  headers.has("Origin") || headers.has("Sec-Fetch-Site");

/** Ignores the scheme: a proxy may terminate TLS. */
function isOwn(origin: string, host: string | null): boolean {
  const own = URL.parse(origin);
  return own !== null && own.host !== "" && own.host === URL.parse(`${own.protocol}//${host}`)?.host;
}

/** `*` does not count: browsers keep no cookies then. */
const isAllowed = (origin: string, config: Config): boolean =>
  config.get("cors.enabled") && config.get("cors.allowed_origins").includes(origin);
