/** At most `limit` codes, each remembered for half to all of the lifetime unless evicted. */
import { createGenerationMap } from "../../lib/generation-map.ts";
import { ownText } from "../../lib/own-text.ts";

export function createMissingCodes({ limit, lifeMs }: { limit: number; lifeMs: number }) {
  const codes = createGenerationMap<true>(Math.ceil(limit / 2));
  let turnedAt = Number.NEGATIVE_INFINITY;

  function forgetOld(now: number): void {
    const age = now - turnedAt;
    // After a clock was set back everything is too old.
    if (age >= 0 && age < lifeMs / 2) return;
    if (age < 0 || age >= lifeMs) codes.clear();
    else codes.turn();
    turnedAt = now;
  }

  return {
    has(code: string, now: number): boolean {
      if (codes.size() === 0) return false;
      forgetOld(now);
      return codes.has(code);
    },
    add(code: string, now: number): void {
      forgetOld(now);
      codes.set(ownText(code), true);
    },
    delete: codes.delete,
    clear: codes.clear,
    size: codes.size,
  };
}
