/**
 * Sessions as they were read, so that a request costs no query. An entry is good for a minute at most, and dropped at
 * once when the change feed tells of its session or of any account. It is entered before its read begins: a change
 * that is told while the read runs drops the entry, and the old answer goes only to who asked before the change.
 */
import type { Clock } from "../../lib/clock.ts";
import { createGenerationMap } from "../../lib/generation-map.ts";
import type { SessionOwner } from "./repository.ts";

const FRESH_MS = 60_000;
const GENERATION_SIZE = 5_000;
/** The key that stands for all of them in the change feed. */
const EVERYTHING = "*";

type Entry = { readAt: number; owner: Promise<SessionOwner | null> };

export function createSessionCache(deps: {
  find: (id: string) => Promise<SessionOwner | null>;
  clock: Clock;
  generationSize?: number;
}) {
  const { find, clock, generationSize = GENERATION_SIZE } = deps;
  const entries = createGenerationMap<Entry>(generationSize);

  return {
    /** The session and its account; null when there is no such session. */
    async get(id: string): Promise<SessionOwner | null> {
      const known = entries.get(id);
      // The distance, so that a clock set back doesn't keep an entry.
      if (known !== undefined && Math.abs(clock.now() - known.readAt) < FRESH_MS) {
        entries.set(id, known);
        return known.owner;
      }
      const entry = { readAt: clock.now(), owner: find(id) };
      entries.set(id, entry);
      try {
        return await entry.owner;
      } catch (error) {
        if (entries.get(id) === entry) entries.delete(id);
        throw error;
      }
    },

    drop(ids: readonly string[]): void {
      if (ids.includes(EVERYTHING)) entries.clear();
      else for (const id of ids) entries.delete(id);
    },

    clear: entries.clear,

    size: entries.size,
  };
}
