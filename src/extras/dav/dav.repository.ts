import type { Database } from "../../platform/db/database.ts";
import type { Db } from "../../platform/db/dialect.ts";

/** Lists as JSON, one a row. Bound their lengths. */
export type JsonLists<T> = ReturnType<typeof createJsonLists<T>>;

export function createJsonLists<T>(
  { read, dialect }: Pick<Database, "read" | "dialect">,
  table: "dav_locks" | "dav_properties",
) {
  return {
    /** Returns the lists of those of at most 1,000 ids that have one. */
    async of(ids: readonly number[], db: Db = read): Promise<Map<number, readonly T[]>> {
      if (ids.length === 0) return new Map();
      const rows = await db.selectFrom(table).selectAll().where("id", "in", ids).execute();
      return new Map(rows.map(({ id, content }) => [id, JSON.parse(content) as T[]]));
    },

    async set(tx: Db, lists: ReadonlyMap<number, readonly T[]>): Promise<void> {
      const gone = [...lists].flatMap(([id, { length }]) => (length === 0 ? id : []));
      if (gone.length > 0) await tx.deleteFrom(table).where("id", "in", gone).execute();
      const rows = [...lists].flatMap(([id, list]) =>
        list.length > 0 ? { id, content: JSON.stringify(list) } : [],
      );
      if (rows.length > 0) await dialect.upsert(tx, { table, keys: ["id"], set: ["content"] }, rows);
    },
  };
}
