/**
 * Who is calling, when proxies stand between. The peer of the connection is the only address nobody can invent, so
 * `X-Forwarded-For` counts only when the peer is one of `api.trusted_proxies`. Each proxy appends the address it
 * saw, therefore the list is read from the right: trusted proxies are skipped, and the first other address is the
 * client. What stands left of it was written by the client and is ignored. An unreadable entry ends the walk at the
 * last address that was seen by a proxy of ours.
 */
import { appError } from "../lib/errors.ts";
import { formatIp, type IpRange, isInRange, isIpv4, parseIp, parseIpRange } from "../lib/ip-address.ts";

/** The peer address of a connection over a unix socket. */
const UNIX_PEER = "unix";

export type TrustedProxies = { unix: boolean; ranges: readonly IpRange[] };

const MOST_RANGES = 256;
const MOST_HOPS = 64;

/**
 * Reads the setting's entries: addresses, CIDR ranges and `unix`.
 * @throws BadRequest naming the entry that is none of these
 */
export function parseTrustedProxies(entries: readonly string[]): TrustedProxies {
  if (entries.length > MOST_RANGES) {
    throw appError("BadRequest", `At most ${MOST_RANGES} trusted proxies; use wider ranges.`);
  }
  const ranges: IpRange[] = [];
  for (const entry of entries) {
    if (entry === UNIX_PEER) continue;
    const range = parseIpRange(entry);
    if (range === null) {
      throw appError(
        "BadRequest",
        `"${entry.slice(0, 60)}" is no address, no range like 10.0.0.0/8 and not "${UNIX_PEER}".`,
      );
    }
    ranges.push(range);
  }
  return { unix: entries.includes(UNIX_PEER), ranges };
}

/**
 * The client's address in canonical form (`unix` for an untrusted unix socket).
 * @param peer address of the connection as text, or `unix`
 * @param forwardedFor the `X-Forwarded-For` header, several of them joined by commas
 */
export function clientAddress(peer: string, forwardedFor: string | null, trusted: TrustedProxies): string {
  let client = canonical(peer) ?? peer;
  if (forwardedFor === null || !isTrusted(client, trusted)) return client;
  const hops = forwardedFor.split(",").slice(-MOST_HOPS).toReversed();
  for (const hop of hops) {
    const address = canonical(withoutPort(hop.trim()));
    if (address === null) return client;
    client = address;
    if (!isTrusted(client, trusted)) return client;
  }
  return client;
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

/** The part of an address that one client commands: IPv4 whole, IPv6 by /64. */
export function addressGroup(address: string): string {
  const bytes = parseIp(address);
  if (bytes === null || isIpv4(bytes)) return address;
  return `${formatIp(bytes.slice().fill(0, 8))}/64`;
}

/** clientAddress with the setting read once for each value it takes. */
export function createClientAddress(
  trustedProxies: () => readonly string[],
): (peer: string, forwardedFor: string | null) => string {
  let value: readonly string[] | undefined;
  let trusted: TrustedProxies = { unix: false, ranges: [] };
  return (peer, forwardedFor) => {
    const current = trustedProxies();
    if (current !== value) {
      trusted = parseTrustedProxies(current);
      value = current;
    }
    return clientAddress(peer, forwardedFor, trusted);
  };
}
