/** Sums of details by value, before the bounds of dimensions.ts. */
import type { ClickSum } from "../../lib/visitors.ts";
import { DAY_MS, HOUR_MS } from "./time-buckets.ts";
import type { Value } from "./dimensions.ts";

/** All links together. */
export const TOTAL = 0;

export type ValueSums = Map<Value, ClickSum>;
export type DetailSums = {
  days: Map<number, Map<number, ValueSums>>;
  /** All links together. */
  hours: Map<number, ValueSums>;
};

type Counted = { linkId: number; atMs: number; isAutomated: boolean; values: readonly Value[] };

export function sumDetails(details: readonly Counted[]): DetailSums {
  const days: DetailSums["days"] = new Map();
  const hours: DetailSums["hours"] = new Map();
  for (const { linkId, atMs, isAutomated, values } of details) {
    const links = within(days, Math.floor(atMs / DAY_MS), newSums);
    const sums = [
      within(hours, Math.floor(atMs / HOUR_MS), newCounts),
      within(links, TOTAL, newCounts),
      within(links, linkId, newCounts),
    ];
    for (const counts of sums) {
      for (const value of values) addTo(counts, value, 1, isAutomated ? 1 : 0);
    }
  }
  return { days, hours };
}

export function addTo<K>(sums: Map<K, ClickSum>, key: K, clicks: number, automated: number): void {
  const sum = sums.get(key);
  if (sum === undefined) sums.set(key, { clicks, automated });
  else {
    sum.clicks += clicks;
    sum.automated += automated;
  }
}

/**
 * A count from a finer or fuller source. It never lowers the clicks. The class follows a source with as many clicks;
 * another one does not lower it.
 */
export const raiseTo = (had: ClickSum, found: ClickSum): ClickSum =>
  found.clicks >= had.clicks
    ? { clicks: found.clicks, automated: found.automated }
    : { clicks: had.clicks, automated: Math.max(had.automated, found.automated) };

const newSums = (): Map<number, ValueSums> => new Map();
const newCounts = (): ValueSums => new Map();

function within<K, V>(outer: Map<K, V>, key: K, make: () => V): V {
  let inner = outer.get(key);
  if (inner === undefined) outer.set(key, (inner = make()));
  return inner;
}
