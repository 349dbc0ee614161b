import { chunked } from "../../lib/chunked.ts";
import type { Database } from "../../platform/db/database.ts";
import type { Db } from "../../platform/db/dialect.ts";
import { REUSE_TURNS } from "../../platform/db/link-tables.ts";

export type BareTarget = { hash: number; target: string };

const CHUNK = 1000;

export type ReuseRepository = ReturnType<typeof createReuseRepository>;

export function createReuseRepository({ dialect }: Pick<Database, "dialect">) {
  return {
    /** Until the transaction ends, no other one takes a turn with one of these hashes. */
    async takeTurns(tx: Db, hashes: readonly number[]): Promise<void> {
      const ids = [...new Set(hashes.map((hash) => hash % REUSE_TURNS))];
      // One order of locks prevents deadlocks.
      const query = tx.selectFrom("reuse_turns").select("id").where("id", "in", ids).orderBy("id");
      await query.$call(dialect.forUpdate).execute();
    },

    /** The key of a link with this target and nothing else set, for each of the targets; null without one. */
    async keys(
      tx: Db,
      targets: readonly BareTarget[],
      owners: readonly number[] | null,
    ): Promise<(string | null)[]> {
      const keys: (string | null)[] = [];
      for (const chunk of chunked(targets, CHUNK)) {
        // The place is in a column of numbers.
        const rows = chunk.map(({ hash, target }, id) => ({ id, target_hash: hash, target }));
        const requested = dialect.valuesTable("links", ["id", "target_hash", "target"], rows);
        const found = await tx
          .selectFrom(requested)
          .select((eb) => [
            "v.id",
            eb
              .selectFrom("links")
              .select("links.code")
              .whereRef("links.target_hash", "=", "v.target_hash")
              .whereRef("links.target", "=", "v.target")
              .$if(owners !== null, (query) => query.where("links.owner_id", "in", owners!))
              .limit(1)
              .as("key"),
          ])
          .execute();
        const byPlace = new Map(found.map(({ id, key }) => [id, key]));
        keys.push(...chunk.map((_, place) => byPlace.get(place) ?? null));
      }
      return keys;
    },
  };
}
