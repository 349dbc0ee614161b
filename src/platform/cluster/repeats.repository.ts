import type { Selectable } from "kysely";
import type { Queries } from "../db/database.ts";
import type { Db } from "../db/dialect.ts";
import { finds, unlessTaken } from "../db/queries.ts";
import type { Schema } from "../db/schema.ts";

export type Repeat = Selectable<Schema["repeats"]>;
type Named = Pick<Repeat, "id" | "claim">;

export function createRepeatsRepository({ read, write }: Queries) {
  const claimed = (db: Db, { id, claim }: Named) =>
    db.updateTable("repeats").where("id", "=", id).where("claim", "=", claim);

  return {
    find: async (id: string): Promise<Repeat | null> =>
      (await read.selectFrom("repeats").selectAll().where("id", "=", id).executeTakeFirst()) ?? null,

    /** Counts the account's rows that have not expired, at most `most`. */
    async kept(accountId: number, now: number, most: number): Promise<{ requests: number; bytes: number }> {
      const rows = read
        .selectFrom("repeats")
        .select("size")
        .where("account_id", "=", accountId)
        .where("expires_at", ">", now)
        .limit(most);
      const sums = await read
        .selectFrom(rows.as("kept"))
        .select(({ fn }) => [fn.countAll<number>().as("requests"), fn.sum<number | null>("size").as("bytes")])
        .executeTakeFirstOrThrow();
      return { requests: Number(sums.requests), bytes: Number(sums.bytes ?? 0) };
    },

    /** Whether no other request has its id. */
    insert: (row: Repeat): Promise<boolean> =>
      unlessTaken(() => write.insertInto("repeats").values(row).execute()),

    /** From a claim that ended before its work. Whether no other request was first. */
    async takeOver(former: Named, next: Pick<Repeat, "claim" | "claimed_until">): Promise<boolean> {
      const { numUpdatedRows } = await claimed(write, former)
        .where("state", "=", "claimed")
        .set(next)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },

    /** Runs in the transaction of the work. Returns whether the claim stands. */
    async confirm(tx: Db, named: Named): Promise<boolean> {
      const row = tx.selectFrom("repeats").select("id").where("id", "=", named.id);
      await claimed(tx, named).set({ state: "written" }).execute();
      return finds(row.where("claim", "=", named.claim));
    },

    async keep(named: Named, response: string | null): Promise<void> {
      await claimed(write, named)
        .set({ state: "done", answer: response, size: response?.length ?? 0 })
        .execute();
    },

    async release({ id, claim }: Named): Promise<void> {
      await write
        .deleteFrom("repeats")
        .where("id", "=", id)
        .where("claim", "=", claim)
        .where("state", "=", "claimed")
        .execute();
    },

    /** If it has expired. */
    async forget(id: string, now: number): Promise<void> {
      await write.deleteFrom("repeats").where("id", "=", id).where("expires_at", "<=", now).execute();
    },

    /** At most `limit`; returns how many. */
    async removeExpired(now: number, limit: number): Promise<number> {
      const query = read.selectFrom("repeats").select("id").where("expires_at", "<=", now);
      const ids = (await query.orderBy("expires_at").limit(limit).execute()).map(({ id }) => id);
      if (ids.length > 0) {
        await write.deleteFrom("repeats").where("id", "in", ids).where("expires_at", "<=", now).execute();
      }
      return ids.length;
    },
  };
}
