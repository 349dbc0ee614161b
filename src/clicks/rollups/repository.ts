/** How a flush adds clicks to the rollups, in its transaction. The order of tables and rows keeps locks in order. */
import type { Database } from "../../db/database.ts";
import type { Db, Rows } from "../../db/dialect.ts";
import type { ColumnName } from "../../db/schema.ts";
import { TOTAL } from "./sums.ts";
import { BUCKETS, DAY_MS } from "./time-buckets.ts";
import { type BucketIncrements, type ClickCounts, totalOf } from "./click-counts.ts";

/** Clicks of a bucket and, in `days`, a link (0: all) by value. */
export type ValueIncrement = {
  bucket: number;
  linkId: number;
  dimension: number;
  valueId: number;
  clicks: number;
};

export function createRollupsRepository({ dialect }: Pick<Database, "dialect">) {
  const add = <T extends "click_months" | "click_days" | "click_hours">(
    tx: Db,
    table: T,
    key: ColumnName<T>,
    rows: Rows<T>,
  ) =>
    dialect.upsert(
      tx,
      { table, keys: [key, "link_id"] as ColumnName<T>[], add: ["clicks"] as ColumnName<T>[] },
      rows,
    );

  return {
    /** To be called before anything else is written: its first rows lock the months against `analytics rebuild`. */
    async addClicks(tx: Db, { hours, days, months }: ClickCounts): Promise<void> {
      for (const rows of rowsOf("month", months, "totals")) await add(tx, "click_months", "month", rows);
      for (const rows of rowsOf("month", months, "links")) await add(tx, "click_months", "month", rows);
      for (const rows of rowsOf("day", days)) await add(tx, "click_days", "day", rows);
      for (const rows of rowsOf("hour", hours)) await add(tx, "click_hours", "hour", rows);
    },

    /** Values of links by day; the months of all links together are made of them. */
    async addDayValues(tx: Db, counts: readonly ValueIncrement[]): Promise<void> {
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

    async addHourValues(tx: Db, counts: readonly ValueIncrement[]): Promise<void> {
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

/** Rows made at a time; the statements take fewer. */
const CHUNK = 4_000;

const inOrder = (a: ValueIncrement, b: ValueIncrement): number =>
  a.bucket - b.bucket || a.linkId - b.linkId || a.dimension - b.dimension || a.valueId - b.valueId;

type CountRow<K extends string> = Record<K, number> & { link_id: number; clicks: number };

/**
 * Rows of some buckets, each bucket's total before its links; some at a time, for they are many. The next rows are the same objects again: hundreds of thousands of new ones would wait for the garbage collector.
 */
function* rowsOf<K extends "hour" | "day" | "month">(
  key: K,
  buckets: readonly BucketIncrements[],
  only?: "totals" | "links",
): Generator<CountRow<K>[]> {
  const rows: CountRow<K>[] = [];
  let size = 0;
  const fill = (bucket: number, link_id: number, clicks: number): void => {
    const row = (rows[size++] ??= { [key]: bucket, link_id, clicks } as CountRow<K>);
    (row as Record<K, number>)[key] = bucket;
    const counter: { link_id: number; clicks: number } = row;
    counter.link_id = link_id;
    counter.clicks = clicks;
  };
  for (const counts of buckets) {
    const { bucket, links, clicks } = counts;
    if (only !== "links") fill(bucket, TOTAL, totalOf(counts));
    for (let at = 0; only !== "totals" && at < links.length; at++) {
      if (size === CHUNK) {
        yield rows;
        size = 0;
      }
      fill(bucket, links[at]!, clicks[at]!);
    }
  }
  if (size > 0) yield size < rows.length ? rows.slice(0, size) : rows;
}

function monthsOf(counts: readonly ValueIncrement[]) {
  const sums = new Map<string, ValueIncrement>();
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
