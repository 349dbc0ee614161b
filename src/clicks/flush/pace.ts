/**
 * Rests between the transactions of a flush. Where clicks come faster than they are counted, as on one core that is
 * busy with redirects, the flush would else run all the time; so it runs two fifths of it at most, and catches up
 * when the load eases. It rests between transactions, not in them: nobody waits longer for a database lock. When much
 * waits it rests no more: the journal has a bound.
 */
export type Pace = {
  /** To be called after a transaction that took so long, with the segments that wait. Returns at once in haste. */
  rest(tookMs: number, segments: number): Promise<void>;
  /** Somebody waits for this work (a manual flush, the shutdown): no rests until it ends. */
  hurry<T>(work: () => Promise<T>): Promise<T>;
};

const REST_FACTOR = 1.5;
const LONGEST_REST_MS = 3_000;
/** Of some four million clicks; the journal holds sixteen times as many. */
const MOST_SEGMENTS = 8;

export function createPace(): Pace {
  const resting = new Set<() => void>();
  let waiting = 0;
  return {
    async rest(tookMs, segments) {
      if (waiting > 0 || segments > MOST_SEGMENTS) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, Math.min(LONGEST_REST_MS, tookMs * REST_FACTOR));
      resting.add(resolve);
      await promise;
      resting.delete(resolve);
      clearTimeout(timer);
    },
    async hurry(work) {
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
