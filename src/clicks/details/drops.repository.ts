import type { Database } from "../../db/database.ts";
import type { Db } from "../../db/dialect.ts";
import type { DropCount, DropReason } from "./drops.ts";

export type DetailDropsRepository = {
  /** In the transaction that counts the clicks. Keys are distinct. */
  add(tx: Db, drops: readonly DropCount[]): Promise<void>;
  /** Over the days with daily statistics. */
  totals(): Promise<Partial<Record<DropReason, number>>>;
};

export function createDetailDropsRepository({
  read,
  dialect,
}: Pick<Database, "read" | "dialect">): DetailDropsRepository {
  return {
    async add(tx, drops) {
      // One order prevents deadlocks between flushes.
      const rows = drops.toSorted((a, b) => a.day - b.day || (a.reason < b.reason ? -1 : 1));
      await dialect.upsert(tx, { table: "detail_drops", keys: ["day", "reason"], add: ["clicks"] }, rows);
    },

    async totals() {
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
