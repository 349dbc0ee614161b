/**
 * The client address behind proxies. Only the peer address can't be forged, so `X-Forwarded-For` counts only from a
 * peer in `api.trusted_proxies`. Each proxy appends the address it saw, so the first address from the right that is no
 * trusted proxy is the client. An unreadable entry ends the search at the last address read.
 */
import { appError } from "../lib/errors.ts";
import { formatIp, type IpRange, isInRange, parseIp, parseIpRange } from "../lib/ip-address.ts";

const UNIX_PEER = "unix";

export type TrustedProxies = { unix: boolean; ranges: readonly IpRange[] };

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

/** In canonical form; `unix` for an untrusted unix socket. Null hop: the peer is not trusted. */
type Client = { address: string; hop: number | null };

/**
 * `hop` counts the entries of forwarded headers from the right: the outermost trusted proxy appended that one.
 * @param peer address of the connection, or `unix`
 * @param forwardedFor the `X-Forwarded-For` headers, joined by commas
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
