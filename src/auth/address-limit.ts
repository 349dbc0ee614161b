/**
 * How often one client address may try to sign in: five at once, then one a second. It is a token bucket kept as one
 * number (GCRA): the instant at which the bucket will be full again. A try moves it on by a second and is refused
 * when it would lie more than five seconds ahead. IPv6 clients count by /64. The processes of
 * one machine count together (the supervisor keeps their buckets); the delay of an account (account-delay.ts) is what
 * all machines share. Refreshes have buckets of another size (sessions/service.ts).
 */
import type { Clock } from "../lib/clock.ts";
import { appError } from "../lib/errors.ts";
import { createGenerationMap } from "../lib/generation-map.ts";
import { addressGroup } from "./client-address.ts";

const AT_ONCE = 5;
const INTERVAL_MS = 1000;
/** Addresses remembered lie between this and its double; a forgotten one starts anew. */
const GENERATION_SIZE = 10_000;

export type AddressLimit = {
  /** Counts a try. @throws RateLimitExceeded */
  take(address: string): void | Promise<void>;
};

export type AddressBuckets = {
  /** Counts a try of an address, or of any other key, and tells how many milliseconds it comes too early; 0: it may go on. */
  tryNow(address: string): number;
  size(): number;
};

/** The limit over buckets that may be in another process. */
export const createAddressLimit = (
  tryNow: (address: string) => number | Promise<number>,
  what = "Too many attempts from your address",
): AddressLimit => ({
  async take(address) {
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
}): AddressBuckets {
  const fullAts = createGenerationMap<number>(generationSize);
  return {
    tryNow(address) {
      const group = addressGroup(address);
      const now = clock.now();
      const stored = fullAts.get(group) ?? now;
      // Further ahead than a full bucket it can only be when the clock was set back.
      const fullAt = stored > now + atOnce * INTERVAL_MS ? now : Math.max(stored, now);
      const waitMs = fullAt + INTERVAL_MS - (now + atOnce * INTERVAL_MS);
      fullAts.set(group, waitMs > 0 ? fullAt : fullAt + INTERVAL_MS);
      return Math.max(0, waitMs);
    },
    size: fullAts.size,
  };
}

/** 429 with the time to wait, in whole seconds rounded up. */
export const tooManyAttempts = (what: string, waitMs: number) => {
  const retryAfterSeconds = Math.max(1, Math.ceil(waitMs / 1000));
  return appError("RateLimitExceeded", `${what}. Try again in ${retryAfterSeconds} s.`, {
    details: { retryAfterSeconds },
  });
};
