/**
 * Rests of a load of all links while requests ask for links: two and a half times as long as it worked. The load then
 * takes less than half of a core, the thread that reads the database included. With rests of one and a half, redirects
 * on one core fell to 0.36 (bench/large.ts, ten million links).
 */
export type LoadPace = {
  /** Call it after each portion of about half a millisecond. */
  rest(): Promise<void>;
};

type Deps = {
  /** Requests for links so far. */
  asked(): number;
  /** Monotonic, in ms. */
  now?(): number;
  sleep?(ms: number): Promise<unknown>;
};

const REST_PER_WORK = 2.5;
/** Bounds the rest after a pause of the whole process. */
const LONGEST_REST_MS = 20;

export function createLoadPace({ asked, now = () => performance.now(), sleep = Bun.sleep }: Deps): LoadPace {
  let restedAt = now();
  let seen = asked();
  return {
    async rest() {
      const worked = now() - restedAt;
      if (asked() === seen) await new Promise(setImmediate);
      else await sleep(Math.min(LONGEST_REST_MS, worked * REST_PER_WORK));
      restedAt = now();
      seen = asked();
    },
  };
}
