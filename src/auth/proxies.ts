/**
 * Clients behind proxies. Logs once per process that headers of a proxy have no effect, and leaves a note for
 * `waymark doctor` in the data folder. There are no notes of public addresses: everybody can send such headers from
 * there.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { asciiLower } from "../lib/ascii-lower.ts";
import type { Clock } from "../lib/clock.ts";
import { dataPath } from "../lib/data-folder.ts";
import { FORWARDED_HEADERS, type ForwardedHeader, parseForwardedPrefix } from "../lib/forwarded.ts";
import type { Logger } from "../lib/logger.ts";
import { isPublicAddress } from "../lib/public-address.ts";
import { appError } from "../lib/errors.ts";
import { formatIp, type IpRange, isInRange, parseIp, parseIpRange } from "../lib/ip-address.ts";

const UNIX_PEER = "unix";

type TrustedProxies = { unix: boolean; ranges: readonly IpRange[] };

const MOST_RANGES = 256;
const MOST_HOPS = 64;

/** Addresses, CIDR ranges and `unix`. @throws BadRequest naming the invalid entry */
export function parseTrustedProxies(entries: readonly string[]): TrustedProxies {
  if (entries.length > MOST_RANGES) {
    throw appError("BadRequest", `At most ${MOST_RANGES} trusted proxies are allowed; use wider ranges.`);
  }
  const ranges: IpRange[] = [];
  for (const entry of entries) {
    if (entry === UNIX_PEER) continue;
    const range = parseIpRange(entry);
    if (range === null) {
      throw appError(
        "BadRequest",
        `"${entry.slice(0, 60)}" is not an address, a range such as 10.0.0.0/8 or "${UNIX_PEER}".`,
      );
    }
    ranges.push(range);
  }
  return { unix: entries.includes(UNIX_PEER), ranges };
}

/** The address is canonical, or `unix` for an untrusted unix socket. `hop` is null if the peer is not trusted. */
type Client = { address: string; hop: number | null };

/**
 * The client address behind proxies. Only the peer address can't be forged, so `X-Forwarded-For` counts only from a
 * peer in `api.trusted_proxies`. Each proxy appends the address it saw, so the first address from the right that is no
 * trusted proxy is the client. An unreadable entry ends the search at the last address read.
 */
export function findClient(peer: string, forwardedFor: string | null, trusted: TrustedProxies): Client {
  let address = canonical(peer) ?? peer;
  if (!isTrusted(address, trusted)) return { address, hop: null };
  const entries = forwardedFor?.split(",").slice(-MOST_HOPS).toReversed() ?? [];
  for (const [hop, entry] of entries.entries()) {
    const before = canonical(withoutPort(entry.trim()));
    if (before === null) return { address, hop };
    address = before;
    if (!isTrusted(address, trusted)) return { address, hop };
  }
  return { address, hop: Math.max(entries.length - 1, 0) };
}

function isTrusted(address: string, trusted: TrustedProxies): boolean {
  if (address === UNIX_PEER) return trusted.unix;
  const bytes = parseIp(address);
  return bytes !== null && trusted.ranges.some((range) => isInRange(bytes, range));
}

function canonical(text: string): string | null {
  const bytes = parseIp(text);
  return bytes === null ? null : formatIp(bytes);
}

/** Some proxies write `1.2.3.4:5678` and `[2001:db8::1]:5678`. */
function withoutPort(text: string): string {
  const match = /^\[([^\]]+)\](?::\d{1,5})?$/.exec(text) ?? /^(\d[\d.]*):\d{1,5}$/.exec(text);
  return match?.[1] ?? text;
}

export type ClientAddress = ReturnType<typeof createClientAddress>;

/**
 * Parses the setting once per value.
 * @param ignored called with the peer of each request whose `X-Forwarded-For` does not count
 */
export function createClientAddress(
  trustedProxies: () => readonly string[],
  ignored: (peer: string) => void = () => {},
) {
  let value: readonly string[] | undefined;
  let trusted: TrustedProxies = { unix: false, ranges: [] };
  const parsed = (): TrustedProxies => {
    const current = trustedProxies();
    if (current !== value) {
      trusted = parseTrustedProxies(current);
      value = current;
    }
    return trusted;
  };
  return {
    /** See `findClient`. */
    clientAddress(peer: string, forwardedFor: string | null): string {
      if (forwardedFor === null) return canonical(peer) ?? peer;
      const { address, hop } = findClient(peer, forwardedFor, parsed());
      if (hop === null) ignored(address);
      return address;
    },
    /** See `findClient`. Null: the peer is not trusted. */
    trustedHop: (peer: string, forwardedFor: string | null): number | null =>
      findClient(peer, forwardedFor, parsed()).hop,
  };
}

export type ProxyNotice = {
  /** `ignored`: the peer is not in `api.trusted_proxies`. `below`: it serves Waymark below a path. */
  kind: "ignored" | "below";
  /** Its address, or `unix`. */
  peer: string;
  header: ForwardedHeader;
  /** Epoch ms. */
  at: number;
};

type Deps = {
  dataDir: string;
  logger: Logger;
  clock: Clock;
  config: {
    get(key: "api.trusted_proxies"): readonly string[];
    get(key: "features.public_url"): string;
  };
};

const FORWARDED_NAMES = FORWARDED_HEADERS.map(asciiLower);

const HOUR_MS = 3_600_000;
/** Older notes are no longer true. */
const NOTE_MS = 24 * HOUR_MS;

export const explainIgnored = ({ header, peer }: Pick<ProxyNotice, "header" | "peer">): string =>
  `${header} from ${peer === "unix" ? "the unix socket" : peer} is ignored, because api.trusted_proxies does not have ${peer === "unix" ? "`unix`" : "this address"}`;

export const BELOW_PATH =
  "a proxy serves Waymark below a path (X-Forwarded-Prefix), but short links need the root of a host";

export function createProxies({ dataDir, config, logger, clock }: Deps) {
  const path = dataPath(dataDir, "proxyNotices");
  /** When each was noted last. */
  const noted = new Map<string, number>();

  function note(notice: Omit<ProxyNotice, "at">, isKept: boolean, text: string): void {
    const key = `${notice.kind} ${isKept}`;
    const now = clock.now();
    const before = noted.get(key);
    if (before !== undefined && now - before < HOUR_MS) return;
    noted.set(key, now);
    if (before === undefined) logger.warn(text);
    if (!isKept) return;
    const others = readProxyNotices(dataDir, now).filter(({ kind }) => kind !== notice.kind);
    try {
      writeFileSync(path, JSON.stringify([...others, { ...notice, at: now }]), { mode: 0o600 });
    } catch (err) {
      logger.debug({ err }, "a note for doctor could not be written");
    }
  }

  /** A header from a peer that is not trusted. */
  function ignored(header: ForwardedHeader, peer: string): void {
    const advice = "If it is your proxy, add it there; otherwise all its clients count as one address.";
    const isKept = !isPublicAddress(peer);
    note({ kind: "ignored", header, peer }, isKept, `${explainIgnored({ header, peer })}. ${advice}`);
  }

  const clients = createClientAddress(
    () => config.get("api.trusted_proxies"),
    (peer) => ignored("X-Forwarded-For", peer),
  );

  return {
    ...clients,
    /** Call it with requests in which such headers matter. */
    look(headers: Pick<Headers, "get">, peerOf: () => string): void {
      const header = FORWARDED_HEADERS.find((_, at) => headers.get(FORWARDED_NAMES[at]!) !== null);
      if (header === undefined) return;
      const peer = clients.clientAddress(peerOf(), null);
      if (clients.trustedHop(peer, null) === null) return ignored(header, peer);
      const isRoot = parseForwardedPrefix(headers.get("x-forwarded-prefix")) === "";
      const advice = "Set features.public_url to the address of a host at whose root Waymark answers.";
      const below = { kind: "below", header: "X-Forwarded-Prefix", peer } as const;
      if (!isRoot && config.get("features.public_url") === "") note(below, true, `${BELOW_PATH}. ${advice}`);
    },
  };
}

/** Those of the last day, of all processes of this data folder. */
export function readProxyNotices(dataDir: string, now: number): ProxyNotice[] {
  try {
    const notices = JSON.parse(readFileSync(dataPath(dataDir, "proxyNotices"), "utf8")) as ProxyNotice[];
    return notices.filter(({ at }) => now - at < NOTE_MS);
  } catch {
    return [];
  }
}
