import type { Database } from "../../platform/db/database.ts";
import { type StoredBlob, toBlob } from "../blobs/repository.ts";
import { ENTRY_COLUMNS, toEntry } from "../tree/entries.repository.ts";
import type { Entry } from "../tree/entry.ts";

export type ArchiveRepository = ReturnType<typeof createArchiveRepository>;

export type Child = Pick<Entry, "id" | "parentId" | "kind" | "name"> & {
  size: number;
  /** Of a folder: when its row was changed. */
  modifiedAt: number;
};

/** Continues in one folder. */
export type AfterChild = Pick<Child, "kind" | "name">;

export function createArchiveRepository({ read }: Database) {
  return {
    /** Children by folder, files before folders, by name. `after` is a place in a single folder. */
    async children(
      accountId: number,
      folderIds: readonly number[],
      after: AfterChild | null,
      limit: number,
    ): Promise<Child[]> {
      return read
        .selectFrom("entries")
        .select(["id", "parent_id as parentId", "name", "size"])
        .select((eb) => [
          eb.ref("kind").$castTo<Child["kind"]>().as("kind"),
          eb
            .case()
            .when("kind", "=", "folder")
            .then(eb.ref("updated_at"))
            // As contentTime says.
            .when("disk_time", "is", null)
            .then(eb.fn.coalesce("modified_at", "created_at"))
            .else(eb.ref("created_at"))
            .end()
            .as("modifiedAt"),
        ])
        .where("account_id", "=", accountId)
        .where("parent_id", "in", folderIds)
        .$if(after !== null, (query) =>
          query.where((eb) =>
            eb.or([
              eb("kind", ">", after!.kind),
              eb.and([eb("kind", "=", after!.kind), eb("name", ">", after!.name)]),
            ]),
          ),
        )
        .orderBy("parent_id")
        .orderBy("kind")
        .orderBy("name")
        .limit(limit)
        .execute();
    },

    /** Those of at most 1,000 folders that lie on the server. */
    async linked(folderIds: readonly number[]): Promise<Entry[]> {
      const query = read.selectFrom("entries").select(ENTRY_COLUMNS).where("id", "in", folderIds);
      return (await query.where("disk_time", "is not", null).execute()).map(toEntry);
    },

    /** Grows with each move of an entry in the account. */
    async moves(accountId: number): Promise<number> {
      const query = read.selectFrom("account_usage").select("moves").where("account_id", "=", accountId);
      return (await query.executeTakeFirst())?.moves ?? 0;
    },

    /** Those of at most 1,000 folders that exist. A folder being removed does not. */
    async folders(accountId: number, folderIds: readonly number[]): Promise<Set<number>> {
      const rows = await read
        .selectFrom("entries")
        .select("id")
        .where("id", "in", folderIds)
        .where("account_id", "=", accountId)
        .execute();
      return new Set(rows.map(({ id }) => id));
    },

    /** Contents of at most 1,000 files that still exist, by the file's id. */
    async contents(fileIds: readonly number[]): Promise<Map<number, StoredBlob>> {
      const rows = await read
        .selectFrom("entries")
        .innerJoin("blobs", "blobs.id", "entries.blob_id")
        .selectAll("blobs")
        .select("entries.id as entry_id")
        .where("entries.id", "in", fileIds)
        .execute();
      return new Map(rows.map(({ entry_id, ...blob }) => [entry_id, toBlob(blob)]));
    },
  };
}
