import type { Database } from "../../db/database.ts";
import type { Db } from "../../db/dialect.ts";
import type { DropCount, DropReason } from "./drops.ts";

export function createDetailDropsRepository({ read, dialect }: Pick<Database, "read" | "dialect">) {
  return {
    /** In the transaction that counts the clicks. Keys are distinct. */
    async add(tx: Db, drops: readonly DropCount[]): Promise<void> {
      // One order prevents deadlocks between flushes.
      const rows = drops.toSorted((a, b) => a.day - b.day || (a.reason < b.reason ? -1 : 1));
      await dialect.upsert(tx, { table: "detail_drops", keys: ["day", "reason"], add: ["clicks"] }, rows);
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
