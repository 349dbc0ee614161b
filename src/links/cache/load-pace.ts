/**
 * Slows a load of all links while requests ask for links: it rests four times as long as it worked, and eight
 * times while the database answers many of them, because a lookup takes about as much of the core as a redirect.
 * Redirects on one core shall keep half of their rate (bench/large.ts).
 */
export type LoadPace = ReturnType<typeof createLoadPace>;

type Deps = {
  /** Growing counts. A request is a hit or a miss; a lookup asks the database. */
  counts: { readonly tableHits: number; readonly tableMisses: number; readonly lookups: number };
  /** Monotonic, in ms. */
  now?(): number;
  sleep?(ms: number): Promise<unknown>;
};

const REST_PER_WORK = 4;
const REST_BESIDE_LOOKUPS = 8;
/** One request in this many. */
const MANY_LOOKUPS = 4;
/** Bounds the rest after a pause of the whole process. */
const LONGEST_REST_MS = 20;

export function createLoadPace(deps: Deps) {
  const { counts, now = () => performance.now(), sleep = Bun.sleep } = deps;
  const asked = (): number => counts.tableHits + counts.tableMisses;
  let restedAt = now();
  let seen = asked();
  /** Read before the rest, in which most requests come. */
  let before = { asked: seen, lookups: counts.lookups };

  function restPerWork(): number {
    const [requests, lookups] = [asked() - before.asked, counts.lookups - before.lookups];
    return lookups * MANY_LOOKUPS > requests ? REST_BESIDE_LOOKUPS : REST_PER_WORK;
  }

  return {
    /** Call it after each portion of about half a millisecond. */
    async rest(): Promise<void> {
      const worked = now() - restedAt;
      const factor = restPerWork();
      before = { asked: asked(), lookups: counts.lookups };
      if (before.asked === seen) await new Promise(setImmediate);
      else await sleep(Math.min(LONGEST_REST_MS, worked * factor));
      restedAt = now();
      seen = asked();
    },
  };
}
