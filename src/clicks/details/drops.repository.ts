import { chunked } from "../../lib/chunked.ts";
import type { Database } from "../../platform/db/database.ts";
import type { Db } from "../../platform/db/dialect.ts";
import type { DropCount, DropReason } from "./drops.ts";

const CHUNK = 500;

export function createDetailDropsRepository({ read, dialect }: Pick<Database, "read" | "dialect">) {
  return {
    /** In the transaction that counts the clicks. Keys are distinct. */
    async add(tx: Db, drops: readonly DropCount[]): Promise<void> {
      // One order prevents deadlocks between flushes.
      const rows = drops.toSorted((a, b) => a.day - b.day || (a.reason < b.reason ? -1 : 1));
      await dialect.upsert(tx, { table: "detail_drops", keys: ["day", "reason"], add: ["clicks"] }, rows);
    },

    /** Imported visits that are undone. Days that retention has removed stay away. */
    async takeOut(tx: Db, visits: readonly { day: number; clicks: number }[]): Promise<void> {
      if (visits.length === 0) return;
      const days = [...Map.groupBy(visits, ({ day }) => day)].map(([day, some]) => ({
        day,
        reason: "imported" as const,
        clicks: -some.reduce((sum, { clicks }) => sum + clicks, 0),
      }));
      await this.add(tx, days);
      for (const some of chunked(days, CHUNK)) {
        await tx
          .deleteFrom("detail_drops")
          .where("reason", "=", "imported")
          .where(
            "day",
            "in",
            some.map(({ day }) => day),
          )
          .where("clicks", "<=", 0)
          .execute();
      }
    },

    /** Over the days with daily statistics. */
    async totals(): Promise<Partial<Record<DropReason, number>>> {
      const rows = await read
        .selectFrom("detail_drops")
        .select(["reason", ({ fn }) => fn.sum<number>("clicks").as("clicks")])
        .groupBy("reason")
        .orderBy("reason")
        .execute();
      return Object.fromEntries(rows.map(({ reason, clicks }) => [reason, Number(clicks)]));
    },
  };
}
