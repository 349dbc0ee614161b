/**
 * Rests of a load of all links. While requests ask for links it rests as long as it worked, so half of the time stays
 * with them. Without rests, reading and parsing left 0.4 of the redirects (bench/large.ts). Without requests the load
 * only yields.
 */
export type LoadPace = {
  /** Call it after each portion of about half a millisecond. */
  rest(): Promise<void>;
};

type Deps = {
  /** Number of requests for links so far. */
  asked(): number;
  /** Monotonic, in ms. */
  now?(): number;
  sleep?(ms: number): Promise<unknown>;
};

/** Bounds the rest after a pause of the whole process. */
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
