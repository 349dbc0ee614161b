/**
 * Rests between the transactions of a flush, so that it takes at most two fifths of a busy core, except when much
 * waits: the journal is bounded.
 */
import type { ClickBatch } from "../journal/reader.ts";

export type Pace = ReturnType<typeof createPace>;

/** Per transaction, which blocks other writers for about 0.4 s. */
const MOST_LINKS = 110_000;
const REST_FACTOR = 1.5;
const LONGEST_REST_MS = 3_000;
/** About four million clicks. The journal holds sixteen times as many. */
const MOST_SEGMENTS = 8;

export function createPace() {
  const resting = new Set<() => void>();
  let waiting = 0;
  return {
    /** Takes the transaction's time and the number of waiting segments. Returns at once during `hurry`. */
    async rest(tookMs: number, segments: number): Promise<void> {
      if (waiting > 0 || segments > MOST_SEGMENTS) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, Math.min(LONGEST_REST_MS, tookMs * REST_FACTOR));
      resting.add(resolve);
      await promise;
      resting.delete(resolve);
      clearTimeout(timer);
    },
    /** Does not rest during this work (a manual flush, the shutdown). */
    async hurry<T>(work: () => Promise<T>): Promise<T> {
      waiting += 1;
      for (const wake of resting) wake();
      try {
        return await work();
      } finally {
        waiting -= 1;
      }
    },
  };
}

/** More clicks per link in one transaction are cheaper. */
export function fitBatch(batch: ClickBatch, links: number): void {
  const isBound = batch.count === batch.limit;
  if (!isBound && links <= MOST_LINKS) return;
  const fitting = Math.floor(batch.count * Math.min(2, MOST_LINKS / links));
  batch.limit = Math.min(fitting, batch.links.length);
}
