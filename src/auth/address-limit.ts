/**
 * Limits attempts of a client address (IPv6: /64) to five at once, then one a second. The supervisor keeps the buckets
 * of a machine.
 */
import type { Clock } from "../lib/clock.ts";
import { addressGroup } from "../lib/ip-address.ts";
import { createRateBuckets, tooManyAttempts } from "../lib/rate-buckets.ts";

const AT_ONCE = 5;
const INTERVAL_MS = 1000;
/** The map keeps up to twice as many. */
const GENERATION_SIZE = 10_000;

export type AddressLimit = ReturnType<typeof createAddressLimit>;

export type AddressBuckets = ReturnType<typeof createAddressBuckets>;

/** `tryNow` may ask another process. */
export const createAddressLimit = (
  tryNow: (address: string) => number | Promise<number>,
  what = "Too many attempts from your address",
) => ({
  /** @throws RateLimitExceeded */
  async take(address: string): Promise<void> {
    const waitMs = await tryNow(address);
    if (waitMs > 0) throw tooManyAttempts(what, waitMs);
  },
});

export function createAddressBuckets({
  clock,
  atOnce = AT_ONCE,
  generationSize = GENERATION_SIZE,
}: {
  clock: Clock;
  atOnce?: number;
  generationSize?: number;
}) {
  const buckets = createRateBuckets({ clock, atOnce, intervalMs: INTERVAL_MS, generationSize });
  return {
    /** Returns the wait in ms, 0 when the attempt is allowed. */
    tryNow: (address: string): number => buckets.tryNow(addressGroup(address)),
    giveBack: (address: string): void => buckets.giveBack(addressGroup(address)),
    size: buckets.size,
  };
}
