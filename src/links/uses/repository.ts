import type { Database } from "../../platform/db/database.ts";
import type { Db } from "../../platform/db/dialect.ts";
import { isForeignKeyViolation } from "../../platform/db/failures.ts";
import { readOptions } from "../link/field-values.ts";
import { writeAgain } from "../write/changes.ts";

export type UsesRepository = ReturnType<typeof createUsesRepository>;

export function createUsesRepository({ read, transaction, dialect }: Database) {
  return {
    /** How many were taken. */
    async of(linkId: number): Promise<number> {
      const row = await read
        .selectFrom("link_uses")
        .select("uses")
        .where("link_id", "=", linkId)
        .executeTakeFirst();
      return row?.uses ?? 0;
    },

    /**
     * Takes as many uses of each of at most 1,000 links as are requested and left, by the limit stored now. Returns how
     * many; a link without limit gives all, a deleted one none.
     */
    take: (requested: ReadonlyMap<number, number>): Promise<Map<number, number>> =>
      // A link may be deleted meanwhile.
      writeAgain(() => transaction((tx) => takeIn(tx, dialect, requested)), isForeignKeyViolation),
  };
}

async function takeIn(
  tx: Db,
  dialect: Database["dialect"],
  requested: ReadonlyMap<number, number>,
): Promise<Map<number, number>> {
  // A common order of locks prevents deadlocks.
  const ids = [...requested.keys()].sort((a, b) => a - b);
  const links = await tx.selectFrom("links").select(["id", "options"]).where("id", "in", ids).execute();
  const limits = new Map(links.map(({ id, options }) => [id, readOptions(options).maxClicks]));
  const lock = () =>
    tx
      .selectFrom("link_uses")
      .select(["link_id", "uses"])
      .where("link_id", "in", ids)
      .orderBy("link_id")
      .$call(dialect.forUpdate)
      .execute();
  let rows = await lock();
  const missing = ids.filter((id) => limits.has(id) && !rows.some((row) => row.link_id === id));
  if (missing.length > 0) {
    const first = missing.map((id) => ({ link_id: id, uses: 0 }));
    await dialect.insertIgnore(tx, "link_uses", ["link_id"], first);
    rows = await lock();
  }
  const given = new Map(
    rows.map(({ link_id: id, uses }) => {
      const limit = limits.get(id) ?? Number.MAX_SAFE_INTEGER;
      return [id, Math.max(0, Math.min(requested.get(id)!, limit - uses))];
    }),
  );
  const takers = [...given].filter(([, count]) => count > 0);
  const counter = { table: "link_uses", key: "link_id", column: "uses" } as const;
  await dialect.addToCounters(
    tx,
    counter,
    takers.map(([id]) => id),
    takers.map(([, count]) => count),
  );
  return given;
}
