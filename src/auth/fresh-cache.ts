/**
 * Caches sessions, or API tokens, for one minute, so that an authenticated request needs no query. A change of the
 * session, token or account drops an entry at once, even during its read.
 */
import type { Clock } from "../lib/clock.ts";
import { createGenerationMap } from "../lib/generation-map.ts";

const FRESH_MS = 60_000;
const GENERATION_SIZE = 5_000;
/** The change feed's key for all entries. */
const EVERYTHING = "*";

type Entry<V> = { readAt: number; value: Promise<V | null> };

export function createFreshCache<V>(deps: {
  find: (key: string) => Promise<V | null>;
  clock: Clock;
  generationSize?: number;
}) {
  const { find, clock, generationSize = GENERATION_SIZE } = deps;
  const entries = createGenerationMap<Entry<V>>(generationSize);

  /** Includes an entry that is being read. */
  function known(key: string): Promise<V | null> | undefined {
    const entry = entries.get(key);
    // The absolute age: a clock set back must not keep an entry.
    if (entry === undefined || Math.abs(clock.now() - entry.readAt) >= FRESH_MS) return undefined;
    entries.set(key, entry);
    return entry.value;
  }

  return {
    known,

    async get(key: string): Promise<V | null> {
      const fresh = known(key);
      if (fresh !== undefined) return fresh;
      const entry = { readAt: clock.now(), value: find(key) };
      entries.set(key, entry);
      try {
        return await entry.value;
      } catch (error) {
        if (entries.get(key) === entry) entries.delete(key);
        throw error;
      }
    },

    drop(keys: readonly string[]): void {
      if (keys.includes(EVERYTHING)) entries.clear();
      else for (const key of keys) entries.delete(key);
    },

    clear: entries.clear,

    size: entries.size,
  };
}
