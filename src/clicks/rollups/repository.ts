/** The order of tables and rows prevents deadlocks. */
import type { Database } from "../../platform/db/database.ts";
import type { Db, Rows } from "../../platform/db/dialect.ts";
import type { ColumnName } from "../../platform/db/schema.ts";
import { type ClickCounts, type ValueIncrement, inOrder, rowsOf, monthsOf } from "./sums.ts";

/**
 * Notes that values of days have changed, for sums that are made of them. Call it with the month locked. Days of which
 * there are none have no row.
 */
export async function noteChangedDays(tx: Db, days: readonly number[]): Promise<void> {
  if (days.length === 0) return;
  await tx
    .updateTable("click_day_changes")
    .set((eb) => ({ changes: eb("changes", "+", 1) }))
    .where("day", "in", [...new Set(days)])
    .execute();
}

export function createRollupsRepository({ dialect }: Database) {
  const add = <T extends "click_months" | "click_days" | "click_hours">(
    tx: Db,
    table: T,
    key: ColumnName<T>,
    rows: Rows<T>,
  ) =>
    dialect.upsert(
      tx,
      { table, keys: [key, "link_id"] as ColumnName<T>[], add: ["clicks", "automated"] as ColumnName<T>[] },
      rows,
    );

  return {
    /** Call it before any other write: its first rows lock the months against `analytics rebuild`. */
    async addClicks(tx: Db, { hours, days, months }: ClickCounts): Promise<void> {
      for (const rows of rowsOf("month", months, "totals")) await add(tx, "click_months", "month", rows);
      for (const rows of rowsOf("month", months, "links")) await add(tx, "click_months", "month", rows);
      for (const rows of rowsOf("day", days)) await add(tx, "click_days", "day", rows);
      for (const rows of rowsOf("hour", hours)) await add(tx, "click_hours", "hour", rows);
    },

    /** Months follow from these. */
    async addDayValues(tx: Db, counts: readonly ValueIncrement[]): Promise<void> {
      const rows = [...counts]
        .sort(inOrder)
        .map(({ bucket, linkId, dimension, valueId, clicks, automated }) => ({
          day: bucket,
          link_id: linkId,
          dimension,
          value_id: valueId,
          clicks,
          automated,
        }));
      await dialect.upsert(
        tx,
        {
          table: "click_dim_days",
          keys: ["day", "link_id", "dimension", "value_id"],
          add: ["clicks", "automated"],
        },
        rows,
      );
      await dialect.upsert(
        tx,
        {
          table: "click_dim_months",
          keys: ["month", "link_id", "dimension", "value_id"],
          add: ["clicks", "automated"],
        },
        monthsOf(counts),
      );
      await noteChangedDays(
        tx,
        counts.map(({ bucket }) => bucket),
      );
    },

    async addHourValues(tx: Db, counts: readonly ValueIncrement[]): Promise<void> {
      const rows = [...counts].sort(inOrder).map(({ bucket, dimension, valueId, clicks, automated }) => ({
        hour: bucket,
        dimension,
        value_id: valueId,
        clicks,
        automated,
      }));
      await dialect.upsert(
        tx,
        { table: "click_dim_hours", keys: ["hour", "dimension", "value_id"], add: ["clicks", "automated"] },
        rows,
      );
    },
  };
}
