import type { Database } from "../../db/database.ts";
import type { StoredBlob } from "../blobs/blob.ts";
import { toBlob } from "../blobs/repository.ts";

export type ArchiveRepository = ReturnType<typeof createArchiveRepository>;

export type Child = {
  id: number;
  parentId: number;
  kind: "folder" | "file";
  name: string;
  size: number;
  createdAt: number;
  updatedAt: number;
};

/** Continues in one folder. */
export type AfterChild = Pick<Child, "kind" | "name">;

export function createArchiveRepository({ read }: Pick<Database, "read">) {
  return {
    /** By folder, files before folders, by name. With `after` of one folder. */
    async children(
      accountId: number,
      folderIds: readonly number[],
      after: AfterChild | null,
      limit: number,
    ): Promise<Child[]> {
      const rows = await read
        .selectFrom("entries")
        .select(["id", "parent_id", "kind", "name", "size", "created_at", "updated_at"])
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
      return rows.map((row) => ({
        id: row.id,
        parentId: row.parent_id,
        kind: row.kind === "folder" ? "folder" : "file",
        name: row.name,
        size: row.size,
        createdAt: row.created_at,
        updatedAt: row.updated_at,
      }));
    },

    /** The content of files that still exist, by id of the file. At most 1,000. */
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
