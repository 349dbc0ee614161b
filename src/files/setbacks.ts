import type { Clock } from "../lib/clock.ts";

const FIRST_MS = 30 * 60_000;
const LONGEST_MS = 24 * 3_600_000;
const MOST = 1_000;

/**
 * Remembers failed items in this process: each waits half an hour, then twice as long after each further failure, up to
 * a day. Beyond 1,000 items the oldest are forgotten and tried at once.
 */
export function createSetbacks<T>(clock: Clock) {
  const failed = new Map<number | string, { item: T; pauseMs: number; until: number }>();
  return {
    /** True for the item's first failure, which belongs in the log. */
    add(key: number | string, item: T): boolean {
      const before = failed.get(key);
      const pauseMs = before === undefined ? FIRST_MS : Math.min(before.pauseMs * 2, LONGEST_MS);
      failed.delete(key);
      failed.set(key, { item, pauseMs, until: clock.now() + pauseMs });
      const [oldest] = failed.keys();
      if (failed.size > MOST && oldest !== undefined) failed.delete(oldest);
      return before === undefined;
    },

    waits: (key: number | string): boolean => (failed.get(key)?.until ?? 0) > clock.now(),

    waiting: (): T[] =>
      [...failed.values()].filter(({ until }) => until > clock.now()).map(({ item }) => item),
  };
}
