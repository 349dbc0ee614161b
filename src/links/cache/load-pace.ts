/**
 * Rests of a load of all links beside redirects. While somebody asks for links it rests as long as it worked, so that
 * at least half of the time stays with the requests. Without rests the thread that reads the file database and the
 * parsing of its rows left 0.4 of the redirects (bench/large.ts). While nobody asks, the load only yields.
 */
export type LoadPace = {
  /** Call it after each portion of about half a millisecond. */
  rest(): Promise<void>;
};

type Deps = {
  /** Number of requests for links so far. */
  asked(): number;
  /** A monotonic time in ms. */
  now?(): number;
  sleep?(ms: number): Promise<unknown>;
};

/** After a pause of the whole process, not as long as that. */
const LONGEST_REST_MS = 20;

export function createLoadPace({ asked, now = () => performance.now(), sleep = Bun.sleep }: Deps): LoadPace {
  let restedAt = now();
  let seen = asked();
  return {
    async rest() {
      const worked = now() - restedAt;
      if (asked() === seen) await new Promise(setImmediate);
      else await sleep(Math.min(LONGEST_REST_MS, worked));
      restedAt = now();
      seen = asked();
    },
  };
}
