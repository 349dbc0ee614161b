/**
 * An address is 16 bytes; IPv4 is in its mapped form (::ffff:a.b.c.d), so a mapped peer equals the plain one. `node:net`
 * decides what an address is. Own conversion: ipaddr.js 2.5 takes four to nine times as long for IPv6, on every click,
 * and reads `::10.0.0.1` as 10.0.0.1, which may be a trusted proxy.
 */
import { isIPv4 as isDotted, isIPv6 } from "node:net";

export type IpRange = { bytes: Uint8Array; bits: number };

const MAPPED_PREFIX = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff];

/**
 * Returns null for an invalid address. Drops a zone (`fe80::1%eth0`). IPv4 is four decimal numbers without leading
 * zeros: programs disagree about other forms.
 */
export function parseIp(text: string): Uint8Array | null {
  if (isDotted(text)) return new Uint8Array([...MAPPED_PREFIX, ...bytesOf(text)]);
  const zone = text.indexOf("%");
  const address = zone === -1 ? text : text.slice(0, zone);
  if (!isIPv6(address)) return null;
  const [head = "", tail = ""] = address.split("::");
  const bytes = new Uint8Array(16);
  const end = bytesOf(tail);
  bytes.set(bytesOf(head));
  bytes.set(end, bytes.length - end.length);
  return bytes;
}

/** The bytes of `1:2:3`, whose last group may be dotted IPv4. */
function bytesOf(groups: string): number[] {
  const bytes: number[] = [];
  if (groups === "") return bytes;
  for (const group of groups.split(":")) {
    const value = Number.parseInt(group, 16);
    if (group.includes(".")) bytes.push(...group.split(".").map(Number));
    else bytes.push(value >> 8, value & 0xff);
  }
  return bytes;
}

export const isIpv4 = (address: Uint8Array): boolean =>
  MAPPED_PREFIX.every((byte, at) => address[at] === byte);

/** Dotted for IPv4 and mapped IPv4, RFC 5952 for IPv6. */
export function formatIp(address: Uint8Array): string {
  const tail = address.subarray(12);
  if (isIpv4(address)) return tail.join(".");
  const groups = Array.from({ length: 8 }, (_, at) =>
    ((address[2 * at]! << 8) | address[2 * at + 1]!).toString(16),
  );
  const { start, length } = longestZeroRun(groups);
  if (length < 2) return groups.join(":");
  return `${groups.slice(0, start).join(":")}::${groups.slice(start + length).join(":")}`;
}

function longestZeroRun(groups: readonly string[]): { start: number; length: number } {
  let best = { start: 0, length: 0 };
  for (let start = 0; start < groups.length; start++) {
    let end = start;
    while (groups[end] === "0") end++;
    if (end - start > best.length) best = { start, length: end - start };
  }
  return best;
}

/** `10.0.0.0/8`, `2001:db8::/32` or one address, else null. Ignores bits after the prefix. */
export function parseIpRange(text: string): IpRange | null {
  const slash = text.indexOf("/");
  const host = slash === -1 ? text : text.slice(0, slash);
  const bytes = parseIp(host);
  if (bytes === null || host.includes("%")) return null;
  const offset = host.includes(":") ? 0 : 96;
  if (slash === -1) return { bytes, bits: 128 };
  const prefix = text.slice(slash + 1);
  if (!/^(0|[1-9]\d{0,2})$/.test(prefix) || Number(prefix) > 128 - offset) return null;
  return { bytes, bits: offset + Number(prefix) };
}

export function isInRange(address: Uint8Array, { bytes, bits }: IpRange): boolean {
  const whole = bits >> 3;
  for (let at = 0; at < whole; at++) if (address[at] !== bytes[at]) return false;
  const rest = bits & 7;
  return rest === 0 || (address[whole]! ^ bytes[whole]!) >> (8 - rest) === 0;
}

/** One client controls an IPv4 address or an IPv6 /64. */
export function addressGroup(address: string): string {
  const bytes = address.includes(":") ? parseIp(address) : null;
  if (bytes === null || isIpv4(bytes)) return address;
  return `${formatIp(bytes.slice().fill(0, 8))}/64`;
}
