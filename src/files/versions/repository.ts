import type { Selectable } from "kysely";
import type { Database } from "../../platform/db/database.ts";
import type { Db } from "../../platform/db/dialect.ts";
import { chunked } from "../../lib/chunked.ts";
import { camelCased, snakeCased } from "../../lib/case-names.ts";
import type { Schema } from "../../platform/db/schema.ts";

/** A former content of a file. It is never empty. */
export type FileVersion = {
  id: number;
  entryId: number;
  blobId: number;
  size: number;
  sha256: string;
  mimeType: string;
  /** Epoch milliseconds, like the others: the client's time of the content. */
  modifiedAt: number;
  /** When the file got this content. */
  createdAt: number;
  /** Who uploaded it, by name; null for visitors. */
  createdBy: string | null;
  /** When the file got other content. */
  replacedAt: number;
};

/** A version, and who has its file. */
type HeldVersion = { id: number; entryId: number; accountId: number; blobId: number; size: number };

export type VersionsRepository = ReturnType<typeof createVersionsRepository>;

const CHUNK = 1_000;

export function createVersionsRepository({ read }: Pick<Database, "read">) {
  return {
    /** Newest first. A file has few: `files.versions_keep` bounds them. */
    async of(fileId: number, db: Db = read): Promise<FileVersion[]> {
      const query = db.selectFrom("file_versions").selectAll().where("entry_id", "=", fileId);
      return (await query.orderBy("id", "desc").execute()).map(toVersion);
    },

    async find(fileId: number, id: number, db: Db = read): Promise<FileVersion | null> {
      const query = db.selectFrom("file_versions").selectAll().where("id", "=", id);
      const row = await query.where("entry_id", "=", fileId).executeTakeFirst();
      return row === undefined ? null : toVersion(row);
    },

    async insert(tx: Db, version: Omit<FileVersion, "id">): Promise<void> {
      await tx.insertInto("file_versions").values(snakeCased(version)).execute();
    },

    async remove(tx: Db, ids: readonly number[]): Promise<void> {
      for (const chunk of chunked(ids, CHUNK))
        await tx.deleteFrom("file_versions").where("id", "in", chunk).execute();
    },

    /** Removes all versions of at most 1,000 files. Returns what they referred to. */
    async removeOf(tx: Db, fileIds: readonly number[]): Promise<number[]> {
      const query = tx.selectFrom("file_versions").select("blob_id").where("entry_id", "in", fileIds);
      const rows = await query.execute();
      await tx.deleteFrom("file_versions").where("entry_id", "in", fileIds).execute();
      return rows.map((row) => row.blob_id);
    },

    /** Replaced at or before `until`, oldest first. */
    due: (until: number, limit: number): Promise<HeldVersion[]> =>
      held(read)
        .where("file_versions.replaced_at", "<=", until)
        .orderBy("file_versions.replaced_at")
        .orderBy("file_versions.id")
        .limit(limit)
        .execute(),

    /** Those of at most 1,000 versions that are still there, and whose files the account has. */
    still: (tx: Db, accountId: number, ids: readonly number[]): Promise<HeldVersion[]> =>
      held(tx).where("file_versions.id", "in", ids).where("entries.account_id", "=", accountId).execute(),

    /** Of a file, in a transaction that has its tree. */
    async addBytes(tx: Db, fileId: number, bytes: number): Promise<void> {
      const query = tx
        .updateTable("entries")
        .set((eb) => ({ versions_bytes: eb("versions_bytes", "+", bytes) }));
      await query.where("id", "=", fileId).execute();
    },
  };
}

const held = (db: Db) =>
  db
    .selectFrom("file_versions")
    .innerJoin("entries", "entries.id", "file_versions.entry_id")
    .select([
      "file_versions.id",
      "file_versions.entry_id as entryId",
      "file_versions.blob_id as blobId",
      "file_versions.size",
      "entries.account_id as accountId",
    ]);

const toVersion = (row: Selectable<Schema["file_versions"]>): FileVersion => camelCased(row);
