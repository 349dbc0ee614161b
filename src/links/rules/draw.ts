/**
 * Numbers that stay the same for a visitor of a link, without a cookie, for the condition `percent`. Nobody without the
 * key can choose them.
 */
import { addressGroup } from "../../lib/ip-address.ts";

export type Drawing = { linkId: number; address: string; agent: string };

const RANGE = 2 ** 32;
/** Of the last hash: a typed array for each one would cost more than hashing. */
const digest = new Uint8Array(32);
const number = new DataView(digest.buffer);

/**
 * @param key of the installation, the same in all its processes
 * @returns by ordinal, numbers n with 0 ≤ n < 100 that do not depend on each other
 */
export const createDraw =
  (key: string) =>
  ({ linkId, address, agent }: Drawing) => {
    // One person may change the address within an IPv6 /64 every hour.
    const visitor = `${addressGroup(address)} ${agent}`;
    return (ordinal: number): number => {
      Bun.SHA256.hash(`${key} ${linkId} ${ordinal} ${visitor}`, digest);
      return (number.getUint32(0) / RANGE) * 100;
    };
  };
