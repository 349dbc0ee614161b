import { HELD_BYTES } from "../tree/entries.repository.ts";
import { sql } from "kysely";
import type { Database } from "../../platform/db/database.ts";
import type { Db } from "../../platform/db/dialect.ts";
import { countRows } from "../../platform/db/queries.ts";
import { MOST_LEVELS, ROOT, TRASH } from "../tree/entry.ts";
import { REMOVED_ACCOUNT_ID } from "../tree/removal.repository.ts";

export type TreeCheckRepository = ReturnType<typeof createTreeCheckRepository>;

export type CheckedEntry = { id: number; accountId: number; kind: string; name: string; parentId: number };

const described = [
  "entries.id",
  "entries.account_id as accountId",
  "entries.kind",
  "entries.name",
  "entries.parent_id as parentId",
] as const;

/** Limits are at most 1,000. */
export function createTreeCheckRepository({ read, dialect }: Database) {
  return {
    strays: (afterId: number, limit: number) => strays(read, afterId, limit),

    countFolders: (): Promise<number> => countRows(foldersIn(read)),

    /** The folders of all accounts by id, without those being removed. */
    folders: (afterId: number, limit: number): Promise<CheckedEntry[]> =>
      foldersIn(read).select(described).where("id", ">", afterId).orderBy("id").limit(limit).execute(),

    /** Folders whose chain of parents is endless. */
    async endless(firstId: number, lastId: number): Promise<Set<number>> {
      const rows = await read
        .withRecursive("line", (query) =>
          query
            .selectFrom("entries")
            .select(["id as folder", "parent_id", sql<number>`1`.as("level")])
            .where("id", ">=", firstId)
            .where("id", "<=", lastId)
            .where("kind", "=", "folder")
            .unionAll(
              query
                .selectFrom("entries")
                .innerJoin("line", "line.parent_id", "entries.id")
                .select(["line.folder", "entries.parent_id", sql<number>`line.level + 1`.as("level")])
                .where("line.level", "<=", MOST_LEVELS),
            ),
        )
        .selectFrom("line")
        .select("folder")
        .distinct()
        .where("level", ">", MOST_LEVELS)
        .execute();
      return new Set(rows.map(({ folder }) => folder));
    },

    /** Accounts after this one, with their recorded and actual usage. */
    async usages(
      afterAccount: number,
      limit: number,
    ): Promise<{ accountId: number; recorded: number; sum: number }[]> {
      const rows = await read
        .selectFrom("account_usage")
        .select(({ selectFrom }) => [
          "account_usage.account_id as accountId",
          "bytes as recorded",
          selectFrom("entries")
            .select((eb) => eb.fn.sum<number>(HELD_BYTES).as("sum"))
            .whereRef("entries.account_id", "=", "account_usage.account_id")
            .as("sum"),
          selectFrom("copies")
            .select((eb) => eb.fn.sum<number>("copies.bytes").as("reserved"))
            .whereRef("copies.account_id", "=", "account_usage.account_id")
            .as("reserved"),
        ])
        .where("account_usage.account_id", ">", afterAccount)
        .orderBy("account_usage.account_id")
        .limit(limit)
        .execute();
      return rows.map((row) => ({ ...row, sum: Number(row.sum ?? 0) + Number(row.reserved ?? 0) }));
    },

    /** Sums under the tree's lock. Returns the recorded and the actual sum. */
    async countUsage(tx: Db, accountId: number): Promise<{ recorded: number; sum: number }> {
      const usage = tx.selectFrom("account_usage").select("bytes").where("account_id", "=", accountId);
      const recorded = (await usage.$call(dialect.forUpdate).executeTakeFirst())?.bytes ?? 0;
      const query = tx.selectFrom("entries").select((eb) => eb.fn.sum<number>(HELD_BYTES).as("sum"));
      const { sum } = await query.where("account_id", "=", accountId).executeTakeFirstOrThrow();
      const copies = tx.selectFrom("copies").select((eb) => eb.fn.sum<number>("bytes").as("reserved"));
      const { reserved } = await copies.where("account_id", "=", accountId).executeTakeFirstOrThrow();
      return { recorded, sum: Number(sum ?? 0) + Number(reserved ?? 0) };
    },

    /** Files by id whose sum of versions is not that of their rows. */
    async wrongVersions(afterId: number, limit: number): Promise<VersionsSum[]> {
      const rows = await versionSums(read)
        .where("entries.id", ">", afterId)
        .orderBy("entries.id")
        .limit(limit)
        .execute();
      return rows.map((row) => ({ ...row, sum: Number(row.sum ?? 0) }));
    },

    /** Corrects the sum under the tree's lock. */
    async countVersions(tx: Db, accountId: number, fileId: number): Promise<void> {
      const usage = tx.selectFrom("account_usage").select("bytes").where("account_id", "=", accountId);
      await usage.$call(dialect.forUpdate).execute();
      const row = await versionSums(tx).where("entries.id", "=", fileId).executeTakeFirst();
      if (row === undefined) return;
      const set = { versions_bytes: Number(row.sum ?? 0) };
      await tx.updateTable("entries").set(set).where("id", "=", fileId).execute();
    },

    async setUsage(tx: Db, accountId: number, bytes: number): Promise<void> {
      await tx.updateTable("account_usage").set({ bytes }).where("account_id", "=", accountId).execute();
    },
  };
}

type VersionsSum = { id: number; accountId: number; name: string; recorded: number; sum: number };

const versionSums = (db: Db) =>
  db
    .with("sums", (query) =>
      query
        .selectFrom("file_versions")
        .select((eb) => ["entry_id", eb.fn.sum<number>("size").as("sum")])
        .groupBy("entry_id"),
    )
    .selectFrom("entries")
    .leftJoin("sums", "sums.entry_id", "entries.id")
    .select(["entries.id", "entries.account_id as accountId", "entries.name"])
    .select(["entries.versions_bytes as recorded", "sums.sum"])
    .where("entries.kind", "=", "file")
    .where((eb) => eb("entries.versions_bytes", "<>", eb.fn.coalesce("sums.sum", eb.lit(0))));

const foldersIn = (db: Db) =>
  db.selectFrom("entries").where("kind", "=", "folder").where("account_id", "<>", REMOVED_ACCOUNT_ID);

/** Outside any folder of their account and its trash, by id. Not those being removed. */
const strays = (read: Db, afterId: number, limit: number): Promise<CheckedEntry[]> =>
  read
    .selectFrom("entries")
    .leftJoin("entries as around", (join) =>
      join
        .onRef("around.id", "=", "entries.parent_id")
        .on("around.kind", "=", "folder")
        .on((eb) =>
          eb.or([
            eb("around.account_id", "=", eb.ref("entries.account_id")),
            eb.and([
              eb("around.account_id", "=", REMOVED_ACCOUNT_ID),
              eb("around.parent_id", "=", eb.ref("entries.account_id")),
            ]),
          ]),
        ),
    )
    // A large folder on its way to another owner, which its contents follow.
    .leftJoin("transfers", (join) =>
      join.on((eb) =>
        eb.or([
          eb("transfers.entry_id", "=", eb.ref("entries.id")),
          eb("transfers.from_id", "=", eb.ref("entries.account_id")),
        ]),
      ),
    )
    // One that is being copied.
    .leftJoin("copies", "copies.entry_id", "entries.id")
    .leftJoin("trash", (join) =>
      join
        .onRef("trash.entry_id", "=", "entries.id")
        .onRef("trash.account_id", "=", "entries.account_id")
        .on("entries.parent_id", "=", TRASH),
    )
    .select(described)
    .where("entries.id", ">", afterId)
    .where("entries.account_id", "<>", REMOVED_ACCOUNT_ID)
    .where("entries.parent_id", "<>", ROOT)
    .where("transfers.entry_id", "is", null)
    .where("copies.entry_id", "is", null)
    .where("trash.entry_id", "is", null)
    .where("around.id", "is", null)
    .orderBy("entries.id")
    .limit(limit)
    .execute();
