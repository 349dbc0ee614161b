import { sql } from "kysely";
import type { Database } from "../../platform/db/database.ts";
import type { Db } from "../../platform/db/dialect.ts";
import { finds } from "../../platform/db/queries.ts";
import { camelCased, snakeCased } from "../../lib/case-names.ts";
import { ENTRY_COLUMNS, toEntry } from "./entries.repository.ts";
import { type Entry, MOST_LEVELS } from "./entry.ts";

/** A folder that is being copied; see `copies` in db/file-tables.ts. */
export type Copying = {
  entryId: number;
  accountId: number;
  parentId: number;
  name: string;
  bytes: number;
  level: number;
  sourceId: number;
  lastId: number;
};

export type CopyItem = {
  id: number;
  sourceId: number;
  /** The folder around the source. */
  parentId: number;
  kind: string;
  name: string;
  size: number;
};

export type CopiesRepository = ReturnType<typeof createCopiesRepository>;

export const createCopiesRepository = ({ read, dialect }: Database) => ({
  ...createItems({ dialect }),

  async insert(tx: Db, copying: Copying): Promise<void> {
    await tx.insertInto("copies").values(snakeCased(copying)).execute();
  },

  /** The copy, or null when it is complete or given up. */
  async find(id: number, db: Db = read): Promise<Copying | null> {
    const row = await db.selectFrom("copies").selectAll().where("entry_id", "=", id).executeTakeFirst();
    return row === undefined ? null : camelCased(row);
  },

  /** A page of unfinished copies by id, after the given one. */
  async unfinished(after: number, limit: number): Promise<Copying[]> {
    const query = read.selectFrom("copies").selectAll().where("entry_id", ">", after);
    return (await query.orderBy("entry_id").limit(limit).execute()).map((row) => camelCased(row));
  },

  async advance(tx: Db, { entryId, bytes, level, sourceId, lastId }: Copying): Promise<void> {
    const set = { bytes, level, source_id: sourceId, last_id: lastId };
    await tx.updateTable("copies").set(set).where("entry_id", "=", entryId).execute();
  },

  async remove(tx: Db, id: number): Promise<void> {
    await tx.deleteFrom("copies").where("entry_id", "=", id).execute();
    await tx.deleteFrom("copy_items").where("entry_id", "=", id).execute();
  },

  /** Those of at most 1,000 entries that the account still has. */
  async sources(tx: Db, accountId: number, ids: readonly number[]): Promise<Map<number, Entry>> {
    const query = tx.selectFrom("entries").select(ENTRY_COLUMNS).where("id", "in", ids);
    const rows = await query.where("account_id", "=", accountId).execute();
    return new Map(rows.map((row) => [row.id, toEntry(row)]));
  },

  /** Ids of entries above `lastId` in at most 1,000 folders, by folder and name. */
  async idsIn(tx: Db, accountId: number, parentIds: readonly number[], lastId: number) {
    const rows = await tx
      .selectFrom("entries")
      .select(["id", "parent_id", "name"])
      .where("id", ">", lastId)
      .where("account_id", "=", accountId)
      .where("parent_id", "in", parentIds)
      .execute();
    return new Map(rows.map(({ id, parent_id, name }) => [`${parent_id}/${name}`, id]));
  },

  /** What WebDAV clients have stored with the originals, to the copies. */
  async copyProperties(tx: Db, ids: ReadonlyMap<number, number>): Promise<void> {
    if (ids.size === 0) return;
    const query = tx
      .selectFrom("dav_properties")
      .selectAll()
      .where("id", "in", [...ids.keys()]);
    const rows = (await query.execute()).map(({ id, content }) => ({ id: ids.get(id)!, content }));
    if (rows.length > 0) await dialect.insertMany(tx, "dav_properties", rows);
  },
});

/** The structure of a folder as it was when its copy began. */
function createItems({ dialect }: Pick<Database, "dialect">) {
  return {
    /** Notes at most `most` entries, or one more. Of folders that lie on the server it notes only that they are there. */
    async noteItems(tx: Db, copyId: number, { source, most, isDeep }: NotedFolder): Promise<void> {
      const below = tx
        .withRecursive("below", (query) =>
          query
            .selectFrom("entries")
            .select(["id", "parent_id", "kind", "name", "size", "disk_time", sql<number>`0`.as("level")])
            .where("id", "=", source.id)
            .unionAll(
              query
                .selectFrom("below")
                .crossJoin("entries")
                .select([
                  "entries.id",
                  "entries.parent_id",
                  "entries.kind",
                  "entries.name",
                  "entries.size",
                  "entries.disk_time",
                  sql<number>`below.level + 1`.as("level"),
                ])
                .whereRef("entries.parent_id", "=", "below.id")
                .where("entries.account_id", "=", source.accountId)
                .where("below.disk_time", "is", null)
                .where("below.kind", "=", "folder")
                .where("below.level", "<", isDeep ? MOST_LEVELS + 1 : 0),
            ),
        )
        .selectFrom("below")
        .innerJoin("entries as copy", (join) => join.on("copy.id", "=", copyId))
        .select([
          "copy.id as entry_id",
          "below.level",
          "below.id as source_id",
          "below.parent_id",
          "below.kind",
          "below.name",
          "below.size",
        ])
        .limit(most + 1);
      const columns = ["entry_id", "level", "source_id", "parent_id", "kind", "name", "size"] as const;
      await tx.insertInto("copy_items").columns(columns).expression(below).execute();
      const root = tx.updateTable("copy_items").set({ copy_id: copyId }).where("level", "=", 0);
      await root.where("entry_id", "=", copyId).execute();
    },

    /** Something of it lies on the server. */
    hasLinked: (tx: Db, copyId: number): Promise<boolean> =>
      finds(
        tx
          .selectFrom("copy_items")
          .innerJoin("entries", "entries.id", "copy_items.source_id")
          .select("entries.id")
          .where("copy_items.entry_id", "=", copyId)
          .where("entries.disk_time", "is not", null),
      ),

    /** The number and bytes of all items, and how many levels the folders have. */
    async totals(tx: Db, copyId: number): Promise<{ count: number; bytes: number; height: number }> {
      const rows = await tx
        .selectFrom("copy_items")
        .select((eb) => [
          "kind",
          eb.fn.countAll<number>().as("n"),
          eb.fn.sum<number>("size").as("bytes"),
          eb.fn.max<number>("level").as("level"),
        ])
        .where("entry_id", "=", copyId)
        .groupBy("kind")
        .execute();
      const sum = (numbers: readonly number[]) => numbers.reduce((all, one) => all + Number(one), 0);
      const folders = rows.find(({ kind }) => kind === "folder");
      return {
        count: sum(rows.map(({ n }) => n)),
        bytes: sum(rows.map(({ bytes }) => bytes)),
        height: Number(folders?.level ?? 0) + 1,
      };
    },

    /** Items of one level after the given one. */
    async items(tx: Db, { entryId, level, sourceId }: Copying, limit: number): Promise<CopyItem[]> {
      const rows = await tx
        .selectFrom("copy_items")
        .select(["id", "source_id", "parent_id", "kind", "name", "size"])
        .where("entry_id", "=", entryId)
        .where("level", "=", level)
        .where("source_id", ">", sourceId)
        .orderBy("source_id")
        .limit(limit)
        .execute();
      return rows.map((row) => camelCased(row));
    },

    /** The copies of at most 1,000 folders of a level. */
    async copiesOf(tx: Db, copyId: number, level: number, sourceIds: readonly number[]) {
      const query = tx.selectFrom("copy_items").select(["source_id", "copy_id"]);
      const rows = await query
        .where("entry_id", "=", copyId)
        .where("level", "=", level)
        .where("source_id", "in", sourceIds)
        .execute();
      return new Map(rows.map(({ source_id, copy_id }) => [source_id, copy_id!]));
    },

    async noteCopies(tx: Db, copied: readonly { id: number; copy_id: number }[]): Promise<void> {
      if (copied.length === 0) return;
      await dialect.updateMany(tx, { table: "copy_items", key: "id", set: ["copy_id"] }, copied);
    },

    /** At most 1,000. */
    async removeItems(tx: Db, ids: readonly number[]): Promise<void> {
      if (ids.length > 0) await tx.deleteFrom("copy_items").where("id", "in", ids).execute();
    },
  };
}

type NotedFolder = { source: Entry; most: number; isDeep: boolean };
