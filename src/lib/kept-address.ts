/** What is stored of an address: setting `privacy.addresses`. */
import { formatIp, isIpv4, parseIp } from "./ip-address.ts";

export type AddressMode = "none" | "truncated" | "full";

/** Begins a recorded address whose place is found, and which is not kept then, whatever the mode is by now. */
export const ONLY_LOCATED = "~";

const IPV4_BYTES = 3;
const IPV6_BYTES = 6;
/** ::ffff:0:0/96 */
const MAPPED_BYTES = 12;

/** The network /24 of IPv4, /48 of IPv6; null for what is no address. */
export function truncatedAddress(text: string): string | null {
  const bytes = parseIp(text);
  if (bytes === null) return null;
  bytes.fill(0, isIpv4(bytes) ? MAPPED_BYTES + IPV4_BYTES : IPV6_BYTES);
  return formatIp(bytes);
}

/** Canonical, as the mode keeps it. */
export const keptAddress = (text: string | null, mode: AddressMode): string | null =>
  text === null || mode === "full" ? text : mode === "none" ? null : truncatedAddress(text);
