/**
 * Numbers that stay the same for a visitor of a link, without a cookie, for the condition `percent`. Nobody without the
 * key can choose them.
 */
import { addressGroup } from "../../lib/ip-address.ts";

export type Drawing = { linkId: number; address: string; agent: string };

/** Numbers of 32 bits in a digest. */
const NUMBERS = 8;
const RANGE = 2 ** 32;

/**
 * @param key of the installation, the same in all its processes
 * @returns by ordinal, numbers n with 0 ≤ n < 100 that do not depend on each other
 */
export const createDraw =
  (key: string) =>
  ({ linkId, address, agent }: Drawing) => {
    const digests: Buffer[] = [];
    // One person may change the address within an IPv6 /64 every hour.
    const digest = (block: number): Buffer =>
      (digests[block] ??= new Bun.CryptoHasher("sha256", key)
        .update(`${linkId} ${block} ${addressGroup(address)} ${agent}`)
        .digest());
    return (ordinal: number): number => {
      const number = digest(Math.floor(ordinal / NUMBERS)).readUInt32LE((ordinal % NUMBERS) * 4);
      return (number / RANGE) * 100;
    };
  };
