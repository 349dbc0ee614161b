/** Sums of details by value, before the bounds of dimensions.ts. */
import type { ClickSum } from "../../lib/visitors.ts";
import type { Calendar } from "./calendar.ts";
import { monthOfDay } from "./time-buckets.ts";
import { DIMENSIONS, MONTHLY_OF_LINKS, type Value } from "./dimensions.ts";

/** All links together. */
export const TOTAL = 0;

export type ValueSums = Map<Value, ClickSum>;
export type DetailSums = {
  days: Map<number, Map<number, ValueSums>>;
  /** All links together. */
  hours: Map<number, ValueSums>;
};

type Counted = { linkId: number; atMs: number; isAutomated: boolean; values: readonly Value[] };

export function sumDetails(details: readonly Counted[], { hour, day }: Calendar): DetailSums {
  const days: DetailSums["days"] = new Map();
  const hours: DetailSums["hours"] = new Map();
  for (const { linkId, atMs, isAutomated, values } of details) {
    const links = within(days, day.of(atMs), newSums);
    const sums = [
      within(hours, hour.of(atMs), newCounts),
      within(links, TOTAL, newCounts),
      within(links, linkId, newCounts),
    ];
    for (const counts of sums) {
      for (const value of values) addTo(counts, value, 1, isAutomated ? 1 : 0);
    }
  }
  return { days, hours };
}

export function increase(sum: ClickSum, by: ClickSum): void {
  sum.clicks += by.clicks;
  sum.automated += by.automated;
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

/** Ascending by link, which prevents deadlocks between flushes. `automated`: the part from automated visitors. */
export type LinkCounts = { links: number[]; clicks: number[]; automated: number[] };
/** The counts of one hour, day or month. */
export type BucketIncrements = LinkCounts & { bucket: number };
/** Ascending by bucket. */
export type ClickCounts = {
  links: LinkCounts;
  hours: BucketIncrements[];
  days: BucketIncrements[];
  months: BucketIncrements[];
};
export const totalOf = (counts: readonly number[]): number => counts.reduce((sum, count) => sum + count, 0);

/** Clicks of a bucket and, in `days`, a link (0: all) by value. */
export type ValueIncrement = {
  bucket: number;
  linkId: number;
  dimension: number;
  valueId: number;
  clicks: number;
  automated: number;
};

/** Rows made at a time; the statements take fewer. */
const CHUNK = 4_000;

export const inOrder = (a: ValueIncrement, b: ValueIncrement): number =>
  a.bucket - b.bucket || a.linkId - b.linkId || a.dimension - b.dimension || a.valueId - b.valueId;

type CountRow<K extends string> = Record<K, number> & { link_id: number; clicks: number; automated: number };

/**
 * Each bucket's total before its links, an order that prevents deadlocks. Reuses its objects: hundreds of thousands of
 * new ones would wait for the garbage collector.
 */
export function* rowsOf<K extends "hour" | "day" | "month">(
  key: K,
  buckets: readonly BucketIncrements[],
  only?: "totals" | "links",
): Generator<CountRow<K>[]> {
  const rows: CountRow<K>[] = [];
  let size = 0;
  const fill = (bucket: number, link_id: number, clicks: number, automated: number): void => {
    const row = (rows[size++] ??= { [key]: bucket, link_id, clicks, automated } as CountRow<K>);
    (row as Record<K, number>)[key] = bucket;
    const counter: { link_id: number; clicks: number; automated: number } = row;
    counter.link_id = link_id;
    counter.clicks = clicks;
    counter.automated = automated;
  };
  for (const counts of buckets) {
    const { bucket, links, clicks, automated } = counts;
    if (only !== "links") fill(bucket, TOTAL, totalOf(clicks), totalOf(automated));
    for (let at = 0; only !== "totals" && at < links.length; at++) {
      if (size === CHUNK) {
        yield rows;
        size = 0;
      }
      fill(bucket, links[at]!, clicks[at]!, automated[at]!);
    }
  }
  if (size > 0) yield size < rows.length ? rows.slice(0, size) : rows;
}

/** Of all links together by each value, and of each link by campaign. */
export function monthsOf(counts: readonly ValueIncrement[]) {
  const sums = new Map<string, ValueIncrement>();
  for (const count of counts) {
    if (count.linkId !== TOTAL && count.dimension !== DIMENSIONS[MONTHLY_OF_LINKS]) continue;
    const month = monthOfDay(count.bucket);
    const key = `${month} ${count.linkId} ${count.valueId}`;
    const sum = sums.get(key);
    if (sum === undefined) sums.set(key, { ...count, bucket: month });
    else increase(sum, count);
  }
  return [...sums.values()]
    .sort(inOrder)
    .map(({ bucket, linkId, dimension, valueId, clicks, automated }) => ({
      month: bucket,
      link_id: linkId,
      dimension,
      value_id: valueId,
      clicks,
      automated,
    }));
}
