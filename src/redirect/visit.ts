/** A visit, and what the detailed click log reads of its headers. The flush parses them. */
import type { Clicks } from "../clicks/clicks.ts";
import type { Arrival } from "../wire/arrival.ts";

/** The server. The peer address is null on a unix socket. */
export type PeerSource = {
  requestIP(request: Request | Arrival): { address: string } | null;
  timeout?(request: Request, seconds: number): void;
};

/** A request for a code. */
export type Visit = {
  request: Arrival;
  peers: PeerSource | undefined;
  /** Index in `request.path` where the query begins. */
  pathEnd: number;
  /** When it came, epoch ms. */
  now: number;
  /** Index of the rule of the link that decided; null without one. */
  rule: number | null;
};

export type Visits = ReturnType<typeof createVisits>;

type Deps = {
  clicks: Pick<Clicks, "detailRefusal" | "recordRefused" | "recordDetails">;
  logsAddresses(): boolean;
  addressOf: AddressOf;
};

/** Of the client; `unix` for an untrusted unix socket. */
export type AddressOf = (request: Arrival, peers: PeerSource | undefined) => string;

/** `clientAddress`: see auth/client-address.ts. */
export const createAddressOf =
  (
    hasProxies: () => boolean,
    clientAddress: (peer: string, forwardedFor: string | null) => string,
  ): AddressOf =>
  (request, peers) => {
    // Reading the peer address costs 1 µs.
    const peer = peers?.requestIP(request)?.address ?? "unix";
    return hasProxies() ? clientAddress(peer, request.headers.get("x-forwarded-for")) : peer;
  };

const UTM_SOURCE = "utm_source=";
const AMPERSAND = 38;
const QUESTION_MARK = 63;
const HASH = 35;

export function createVisits({ clicks, logsAddresses, addressOf }: Deps) {
  return {
    /** Never throws. */
    record(linkId: number, visit: Visit, isAutomated: boolean): void {
      const { request, peers, pathEnd, now } = visit;
      const refusal = clicks.detailRefusal();
      if (refusal !== null) return clicks.recordRefused(linkId, now, refusal, isAutomated);
      const { headers } = request;
      clicks.recordDetails(
        linkId,
        now,
        headers.get("referer"),
        utmSource(request.path, pathEnd),
        headers.get("user-agent"),
        logsAddresses() ? addressOf(request, peers) : "",
        isAutomated,
      );
    },
  };
}

/** Percent-encoded as sent; null without one. */
export function utmSource(path: string, pathEnd: number): string | null {
  if (path.charCodeAt(pathEnd) !== QUESTION_MARK) return null;
  for (let at = path.indexOf(UTM_SOURCE, pathEnd + 1); at !== -1; at = path.indexOf(UTM_SOURCE, at + 1)) {
    const before = path.charCodeAt(at - 1);
    if (before !== AMPERSAND && before !== QUESTION_MARK) continue;
    let end = at + UTM_SOURCE.length;
    for (; end < path.length; end++) {
      const unit = path.charCodeAt(end);
      if (unit === AMPERSAND || unit === HASH) break;
    }
    return path.slice(at + UTM_SOURCE.length, end);
  }
  return null;
}
