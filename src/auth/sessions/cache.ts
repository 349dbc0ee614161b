/**
 * Caches sessions for one minute, so that an authenticated request needs no query. A change of the session or account
 * drops an entry at once, even during its read.
 */
import type { Clock } from "../../lib/clock.ts";
import { createGenerationMap } from "../../lib/generation-map.ts";
import type { SessionOwner } from "./repository.ts";

const FRESH_MS = 60_000;
const GENERATION_SIZE = 5_000;
/** The change feed's key for all sessions. */
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
    async get(id: string): Promise<SessionOwner | null> {
      const known = entries.get(id);
      // The absolute age: a clock set back must not keep an entry.
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
