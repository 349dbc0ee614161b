import { TOTAL } from "./sums.ts";
import { BUCKETS, DAY_MS } from "./time-buckets.ts";
import { type BucketIncrements, totalOf } from "./click-counts.ts";

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

export function monthsOf(counts: readonly ValueIncrement[]) {
  const sums = new Map<string, ValueIncrement>();
  for (const count of counts) {
    if (count.linkId !== TOTAL) continue;
    const month = BUCKETS.month.of(count.bucket * DAY_MS);
    const key = `${month} ${count.valueId}`;
    const sum = sums.get(key);
    if (sum === undefined) sums.set(key, { ...count, bucket: month });
    else {
      sum.clicks += count.clicks;
      sum.automated += count.automated;
    }
  }
  return [...sums.values()].sort(inOrder).map(({ bucket, dimension, valueId, clicks, automated }) => ({
    month: bucket,
    dimension,
    value_id: valueId,
    clicks,
    automated,
  }));
}
