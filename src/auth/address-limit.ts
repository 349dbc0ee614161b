/**
 * Limits attempts of a client address (IPv6: /64) to five at once, then one a second. The algorithm is GCRA: a token
 * bucket stored as the instant at which it is full again. An attempt adds one second and is refused beyond five seconds
 * from now. The supervisor keeps the buckets of a machine.
 */
import type { Clock } from "../lib/clock.ts";
import { appError } from "../lib/errors.ts";
import { createGenerationMap } from "../lib/generation-map.ts";
import { addressGroup } from "../lib/ip-address.ts";

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
  const fullAts = createGenerationMap<number>(generationSize);
  return {
    /** Returns the wait in ms, 0 when the attempt is allowed. */
    tryNow(address: string): number {
      const group = addressGroup(address);
      const now = clock.now();
      const stored = fullAts.get(group) ?? now;
      // Larger only after the clock was set back.
      const fullAt = stored > now + atOnce * INTERVAL_MS ? now : Math.max(stored, now);
      const waitMs = fullAt + INTERVAL_MS - (now + atOnce * INTERVAL_MS);
      fullAts.set(group, waitMs > 0 ? fullAt : fullAt + INTERVAL_MS);
      return Math.max(0, waitMs);
    },
    giveBack(address: string): void {
      const group = addressGroup(address);
      const fullAt = fullAts.get(group);
      if (fullAt !== undefined) fullAts.set(group, fullAt - INTERVAL_MS);
    },
    size: fullAts.size,
  };
}

export const tooManyAttempts = (what: string, waitMs: number) => {
  const retryAfterSeconds = Math.max(1, Math.ceil(waitMs / 1000));
  return appError("RateLimitExceeded", `${what}. Try again in ${retryAfterSeconds} s.`, {
    details: { retryAfterSeconds },
  });
};
