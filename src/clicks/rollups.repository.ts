/** How a flush adds clicks to the rollups, in its transaction. The order of tables and rows keeps locks in order. */
import type { Database } from "../db/database.ts";
import type { Db } from "../db/dialect.ts";
import { TOTAL } from "./details.sums.ts";
import { type BucketCounts, type ClickCounts, totalOf } from "./flush.counts.ts";
import { BUCKETS, DAY_MS } from "./time-buckets.ts";

/** Clicks of a bucket and, in `days`, a link (0: all) by value. */
export type ValueCount = {
  bucket: number;
  linkId: number;
  dimension: number;
  valueId: number;
  clicks: number;
};

export type RollupsRepository = ReturnType<typeof createRollupsRepository>;

export function createRollupsRepository({ dialect }: Pick<Database, "dialect">) {
  return {
    /** To be called before anything else is written: its first rows lock the months against `analytics rebuild`. */
    async addClicks(tx: Db, { hours, days, months }: ClickCounts): Promise<void> {
      const key = ["month", "link_id"] as const;
      const totals = months.map((month) => ({ ...month, links: [TOTAL], clicks: [totalOf(month)] }));
      await dialect.upsert(
        tx,
        { table: "click_months", keys: key, add: ["clicks"] },
        rowsOf("month", totals),
      );
      await dialect.upsert(
        tx,
        { table: "click_months", keys: key, add: ["clicks"] },
        rowsOf("month", months),
      );
      await dialect.upsert(
        tx,
        { table: "click_days", keys: ["day", "link_id"], add: ["clicks"] },
        rowsOf("day", withTotals(days)),
      );
      await dialect.upsert(
        tx,
        { table: "click_hours", keys: ["hour", "link_id"], add: ["clicks"] },
        rowsOf("hour", withTotals(hours)),
      );
    },

    /** Values of links by day; the months of all links together are made of them. */
    async addDayValues(tx: Db, counts: readonly ValueCount[]): Promise<void> {
      const rows = [...counts].sort(inOrder).map(({ bucket, linkId, dimension, valueId, clicks }) => ({
        day: bucket,
        link_id: linkId,
        dimension,
        value_id: valueId,
        clicks,
      }));
      await dialect.upsert(
        tx,
        { table: "click_dim_days", keys: ["day", "link_id", "dimension", "value_id"], add: ["clicks"] },
        rows,
      );
      await dialect.upsert(
        tx,
        { table: "click_dim_months", keys: ["month", "dimension", "value_id"], add: ["clicks"] },
        monthsOf(counts),
      );
    },

    async addHourValues(tx: Db, counts: readonly ValueCount[]): Promise<void> {
      const rows = [...counts].sort(inOrder).map(({ bucket, dimension, valueId, clicks }) => ({
        hour: bucket,
        dimension,
        value_id: valueId,
        clicks,
      }));
      await dialect.upsert(
        tx,
        { table: "click_dim_hours", keys: ["hour", "dimension", "value_id"], add: ["clicks"] },
        rows,
      );
    },
  };
}

const inOrder = (a: ValueCount, b: ValueCount): number =>
  a.bucket - b.bucket || a.linkId - b.linkId || a.dimension - b.dimension || a.valueId - b.valueId;

const withTotals = (buckets: readonly BucketCounts[]): BucketCounts[] =>
  buckets.map((counts) => ({
    bucket: counts.bucket,
    links: [TOTAL, ...counts.links],
    clicks: [totalOf(counts), ...counts.clicks],
  }));

function rowsOf<K extends "hour" | "day" | "month">(key: K, buckets: readonly BucketCounts[]) {
  return buckets.flatMap(({ bucket, links, clicks }) =>
    links.map((link_id, at) => ({ [key]: bucket, link_id, clicks: clicks[at]! })),
  ) as (Record<K, number> & { link_id: number; clicks: number })[];
}

function monthsOf(counts: readonly ValueCount[]) {
  const sums = new Map<string, ValueCount>();
  for (const count of counts) {
    if (count.linkId !== TOTAL) continue;
    const month = BUCKETS.month.of(count.bucket * DAY_MS);
    const key = `${month} ${count.valueId}`;
    const sum = sums.get(key);
    if (sum === undefined) sums.set(key, { ...count, bucket: month });
    else sum.clicks += count.clicks;
  }
  return [...sums.values()].sort(inOrder).map(({ bucket, dimension, valueId, clicks }) => ({
    month: bucket,
    dimension,
    value_id: valueId,
    clicks,
  }));
}
