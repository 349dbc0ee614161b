/** Test support: random instants around the edges of hours, days, weeks, months and years. */
import { DAY_MS, HOUR_MS } from "../rollups/time-buckets.ts";
import { NOW } from "./analytics.test-support.ts";

/** Turns of the year (in ISO week 1 of 2026), of months, weeks, days and hours, and now. */
const EDGES = [
  "2025-12-01T00:00:00Z",
  "2025-12-29T00:00:00Z",
  "2026-01-01T00:00:00Z",
  "2026-01-05T00:00:00Z",
  "2026-02-28T00:00:00Z",
  "2026-03-01T00:00:00Z",
  "2026-10-01T00:00:00Z",
  "2026-10-31T12:00:00Z",
  "2026-11-01T00:00:00Z",
  "2026-11-14T05:00:00Z",
  "2026-11-20T00:00:00Z",
  "2026-11-20T13:00:00Z",
].map((text) => Date.parse(text));

/** Linear congruential generator. */
export function createRandom(seed: number) {
  let state = seed;
  const next = (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 4_294_967_296) * below);
  };
  const pick = <T>(list: readonly T[]): T => list[next(list.length)]!;
  /** At an edge, or some ms, minutes, hours or days away. */
  const instant = (): number => {
    const far = pick([0, 1, 60_000, HOUR_MS, DAY_MS, 12 * DAY_MS]);
    return Math.min(pick(EDGES) + next(2 * far + 1) - far, NOW - 1);
  };
  return { next, pick, instant };
}
