/** Sums of details by value, before the bounds of dimensions.ts. */
import { DAY_MS, HOUR_MS } from "./time-buckets.ts";
import type { Value } from "./dimensions.ts";

/** All links together. */
export const TOTAL = 0;

export type ValueSums = Map<Value, number>;
export type DetailSums = {
  days: Map<number, Map<number, ValueSums>>;
  /** All links together. */
  hours: Map<number, ValueSums>;
};

type Counted = { linkId: number; atMs: number; values: readonly Value[] };

export function sumDetails(details: readonly Counted[]): DetailSums {
  const days: DetailSums["days"] = new Map();
  const hours: DetailSums["hours"] = new Map();
  for (const { linkId, atMs, values } of details) {
    const links = within(days, Math.floor(atMs / DAY_MS), newSums);
    const sums = [
      within(hours, Math.floor(atMs / HOUR_MS), newCounts),
      within(links, TOTAL, newCounts),
      within(links, linkId, newCounts),
    ];
    for (const counts of sums) {
      for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
    }
  }
  return { days, hours };
}

const newSums = (): Map<number, ValueSums> => new Map();
const newCounts = (): ValueSums => new Map();

function within<K, V>(outer: Map<K, V>, key: K, make: () => V): V {
  let inner = outer.get(key);
  if (inner === undefined) outer.set(key, (inner = make()));
  return inner;
}
