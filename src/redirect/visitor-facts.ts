/** What the rules of links ask, read from the fields of a request. */
import { createAgents } from "../lib/agents.ts";
import { hostOfReferrer } from "../clicks/details/origin.ts";
import { createDraw, type Facts } from "../links/rules/decide.ts";
import { parseIp } from "../lib/ip-address.ts";
import { remembered } from "../lib/remembered.ts";
import type { PeerSource, Visit } from "./visit.ts";

/** What a visitor sends. Null: no such header. */
export type Sent = {
  linkId: number;
  now: number;
  userAgent: string | null;
  acceptLanguage: string | null;
  referrer: string | null;
  /** Without its question mark. */
  query: string;
  /** Read when a rule asks for it. A text that is no address: unknown. */
  address(): string;
  /** Replaces the country of the address. */
  country?: string;
};

export type Places = {
  /** Resolves when the file of places is loaded; null if it is. */
  loading(): Promise<void> | null;
  /** Never throws; null where it is not known. */
  countryOf(address: string): string | null;
};

type Deps = {
  /** The key for the condition `percent`, the same in all processes of the installation. */
  key: string;
  places: Places;
};

export type VisitorFacts = ReturnType<typeof createVisitorFacts>;

export function createVisitorFacts({ key, places }: Deps) {
  const agents = createAgents();
  const draws = createDraw(key);
  const parsed = remembered(parseIp, { most: 10_000, longest: 64 });
  return {
    loading: places.loading,

    of(sent: Sent): Facts {
      const userAgent = sent.userAgent ?? "";
      let query: URLSearchParams | undefined;
      let address: string | undefined;
      let draw: ((ordinal: number) => number) | undefined;
      const addressOf = () => (address ??= sent.address());
      return {
        now: sent.now,
        agent: () => agents.describe(userAgent),
        language: () => sent.acceptLanguage,
        country: () => sent.country ?? places.countryOf(addressOf()),
        referrer: () => (sent.referrer === null ? null : hostOfReferrer(sent.referrer)),
        query: () => (query ??= new URLSearchParams(sent.query)),
        address: () => parsed(addressOf()),
        draw(ordinal) {
          draw ??= draws({ linkId: sent.linkId, address: addressOf(), agent: userAgent });
          return draw(ordinal);
        },
      };
    },
  };
}

/** What a request sends. */
export function sentIn(
  linkId: number,
  { request, peers, pathEnd, now }: Visit,
  addressOf: (request: Visit["request"], peers: PeerSource | undefined) => string,
): Sent {
  const { headers, path } = request;
  return {
    linkId,
    now,
    userAgent: headers.get("user-agent"),
    acceptLanguage: headers.get("accept-language"),
    referrer: headers.get("referer"),
    query: path.slice(pathEnd + 1),
    address: () => addressOf(request, peers),
  };
}
