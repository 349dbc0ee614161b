/**
 * Limits attempts by key to some at once, then one in each interval. The algorithm is GCRA: a token bucket stored as the
 * instant at which it is full again. An attempt adds one interval and is refused beyond `atOnce` intervals from now.
 */
import type { Clock } from "./clock.ts";
import { appError } from "./errors.ts";
import { createGenerationMap } from "./generation-map.ts";

type Options = {
  clock: Clock;
  atOnce: number;
  intervalMs: number;
  /** The map keeps up to twice as many keys. */
  generationSize: number;
};

export function createRateBuckets({ clock, atOnce, intervalMs, generationSize }: Options) {
  const fullAts = createGenerationMap<number>(generationSize);
  return {
    /** Returns the wait in ms, 0 when the attempt is allowed. */
    tryNow(key: string): number {
      const now = clock.now();
      const stored = fullAts.get(key) ?? now;
      // Larger only after the clock was set back.
      const fullAt = stored > now + atOnce * intervalMs ? now : Math.max(stored, now);
      const waitMs = fullAt + intervalMs - (now + atOnce * intervalMs);
      fullAts.set(key, waitMs > 0 ? fullAt : fullAt + intervalMs);
      return Math.max(0, waitMs);
    },
    giveBack(key: string): void {
      const fullAt = fullAts.get(key);
      if (fullAt !== undefined) fullAts.set(key, fullAt - intervalMs);
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
