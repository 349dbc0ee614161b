/**
 * Sessions as they were read, so that a request costs no query. An entry is good for a minute at most, and dropped at
 * once when the change feed tells of its session or of any account. It is entered before its read begins: a change
 * that is told while the read runs drops the entry, and the old answer goes only to who asked before the change.
 * Memory is bounded by two generations: when the young one is full it becomes the old one, and what was not asked for
 * since is forgotten with the next turn.
 */
import type { Clock } from "../../lib/clock.ts";
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
  let young = new Map<string, Entry>();
  let old = new Map<string, Entry>();

  const drop = (id: string): void => {
    young.delete(id);
    old.delete(id);
  };
  const clear = (): void => {
    young.clear();
    old.clear();
  };
  const enter = (id: string, entry: Entry): void => {
    if (young.size >= generationSize) {
      old = young;
      young = new Map();
    }
    young.set(id, entry);
  };

  return {
    /** The session and its account; null when there is no such session. */
    async get(id: string): Promise<SessionOwner | null> {
      const known = young.get(id) ?? old.get(id);
      // The distance, so that a clock set back doesn't keep an entry.
      if (known !== undefined && Math.abs(clock.now() - known.readAt) < FRESH_MS) {
        if (!young.has(id)) enter(id, known);
        return known.owner;
      }
      const entry = { readAt: clock.now(), owner: find(id) };
      drop(id);
      enter(id, entry);
      try {
        return await entry.owner;
      } catch (error) {
        if (young.get(id) === entry || old.get(id) === entry) drop(id);
        throw error;
      }
    },

    drop(ids: readonly string[]): void {
      if (ids.includes(EVERYTHING)) clear();
      else for (const id of ids) drop(id);
    },

    clear,

    size: (): number => young.size + old.size,
  };
}
