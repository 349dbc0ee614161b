/**
 * Tells clicks what a visitor sent, for the detailed click log. On the request's path nothing is done but reading
 * headers: they are cleaned, parsed and looked up when the clicks are counted.
 */
import type { Clicks } from "../clicks/clicks.ts";

/** What knows the peer of a connection (null on a unix socket) and sets its idle timeout, in seconds. */
export type PeerSource = {
  requestIP(request: Request): { address: string } | null;
  timeout?(request: Request, seconds: number): void;
};

export type Visits = {
  /** Records a click; never throws. The query, if there is one, begins in `url` at `pathEnd`. */
  record(
    linkId: number,
    atMs: number,
    url: string,
    pathEnd: number,
    request: Request,
    peers: PeerSource | undefined,
  ): void;
};

type Deps = {
  clicks: Pick<Clicks, "detailRefusal" | "recordRefused" | "recordDetails">;
  /** analytics.enable_ip_logging */
  logsAddresses(): boolean;
  /** Whether api.trusted_proxies names any. */
  hasProxies(): boolean;
  /** The client's address behind trusted proxies; the peer is `unix` on a unix socket. */
  clientAddress(peer: string, forwardedFor: string | null): string;
};

const UTM_SOURCE = "utm_source=";
const AMPERSAND = 38;
const QUESTION_MARK = 63;
const HASH = 35;

export function createVisits({ clicks, logsAddresses, hasProxies, clientAddress }: Deps): Visits {
  function addressOf(request: Request, peers: PeerSource | undefined): string {
    // Asking for the peer costs a microsecond.
    if (!logsAddresses()) return "";
    const peer = peers?.requestIP(request)?.address ?? "unix";
    return hasProxies() ? clientAddress(peer, request.headers.get("x-forwarded-for")) : peer;
  }

  return {
    record(linkId, atMs, url, pathEnd, request, peers) {
      const refusal = clicks.detailRefusal();
      if (refusal !== null) return clicks.recordRefused(linkId, atMs, refusal);
      const { headers } = request;
      clicks.recordDetails(
        linkId,
        atMs,
        headers.get("referer"),
        utmSource(url, pathEnd),
        headers.get("user-agent"),
        addressOf(request, peers),
      );
    },
  };
}

/** The first utm_source of the query as it was sent, percent-encoded; null when there is none. */
export function utmSource(url: string, pathEnd: number): string | null {
  if (url.charCodeAt(pathEnd) !== QUESTION_MARK) return null;
  for (let at = url.indexOf(UTM_SOURCE, pathEnd + 1); at !== -1; at = url.indexOf(UTM_SOURCE, at + 1)) {
    const before = url.charCodeAt(at - 1);
    if (before !== AMPERSAND && before !== QUESTION_MARK) continue;
    let end = at + UTM_SOURCE.length;
    for (; end < url.length; end++) {
      const unit = url.charCodeAt(end);
      if (unit === AMPERSAND || unit === HASH) break;
    }
    return url.slice(at + UTM_SOURCE.length, end);
  }
  return null;
}
