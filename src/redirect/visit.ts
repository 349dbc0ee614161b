/** A visit, and what the detailed click log reads of its headers. The flush parses them. */
import type { ClickPrivacy } from "../clicks/details/privacy.ts";
import type { Clicks } from "../clicks/clicks.ts";
import type { Salts } from "../clicks/unique/salts.ts";
import { visitorOf } from "../clicks/unique/visitor.ts";
import { campaignOfTarget, utmPairs, utmSource } from "../clicks/details/utm-pairs.ts";
import { ONLY_LOCATED } from "../lib/kept-address.ts";
import { asksNotToTrack } from "../lib/privacy-signals.ts";
import type { Arrival } from "../platform/wire/arrival.ts";

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
  /** What follows the code, for a link with `forward_path`: empty, or begins with a slash. */
  beyond: string;
};

export type Visits = ReturnType<typeof createVisits>;

type Deps = {
  clicks: Pick<Clicks, "detailRefusal" | "recordRefused" | "recordDetails">;
  /** For unique visitors. */
  salts?: Pick<Salts, "at">;
  /** Read for each click: an object, which changes with the settings. */
  privacy(): ClickPrivacy;
  addressOf: AddressOf;
};

/** The address of the client; `unix` for an untrusted unix socket. */
type AddressOf = (request: Arrival, peers: PeerSource | undefined) => string;

const VISITS_PER_LOOK = 64;

/** `clientAddress`: see auth/proxies.ts. */
export const createAddressOf = (
  hasProxies: () => boolean,
  clientAddress: (peer: string, forwardedFor: string | null) => string,
): AddressOf => {
  let seen = 0;
  return (request, peers) => {
    // Reading the peer address costs 1 µs.
    const peer = peers?.requestIP(request)?.address ?? "unix";
    // Without proxies the header has no effect, and `clientAddress` reports that.
    const isRead = hasProxies() || ++seen % VISITS_PER_LOOK === 0;
    return isRead ? clientAddress(peer, request.headers.get("x-forwarded-for")) : peer;
  };
};

export function createVisits({ clicks, salts, privacy, addressOf }: Deps) {
  return {
    /** Never throws. @param location where it leads, if to a URL */
    record(linkId: number, visit: Visit, isAutomated: boolean, location: string | null): void {
      const { request, peers, pathEnd, now, rule } = visit;
      const { headers, path } = request;
      const keeps = privacy();
      const refusal = clicks.detailRefusal(keeps.signals && asksNotToTrack(headers));
      if (refusal !== null) return clicks.recordRefused(linkId, now, refusal, isAutomated);
      const salt = salts === undefined ? null : salts.at(now);
      const hasSalt = salt !== null;
      const keepsAddress = keeps.addresses !== "none";
      const address = keepsAddress || keeps.located || hasSalt ? addressOf(request, peers) : "";
      const userAgent = keeps.agents || hasSalt ? headers.get("user-agent") : null;
      const own = keeps.campaigns ? utmPairs(path, pathEnd) : null;
      const details = {
        referrer: keeps.referrers ? headers.get("referer") : null,
        utmSource: own === null ? null : utmSource(path, pathEnd),
        userAgent: keeps.agents ? userAgent : null,
        address: keepsAddress ? address : keeps.located ? ONLY_LOCATED + address : "",
        language: keeps.agents ? headers.get("accept-language") : null,
        campaign: keeps.campaigns ? joined(own, location === null ? null : campaignOfTarget(location)) : null,
        rule: rule === null ? 0 : rule + 1,
        visitor: salt === null ? 0 : visitorOf(salt, { address, agent: userAgent ?? "", isAutomated }),
      };
      clicks.recordDetails(linkId, now, details, isAutomated);
    },
  };
}

const joined = (one: string | null, other: string | null): string | null =>
  one === null || other === null ? (one ?? other) : `${one}&${other}`;
