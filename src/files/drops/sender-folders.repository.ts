import type { Database } from "../../platform/db/database.ts";
import type { Db } from "../../platform/db/dialect.ts";

/** A folder, under its former name if it is in the trash. */
export type SenderFolder = {
  id: number;
  accountId: number;
  name: string;
  isTrashed: boolean;
  sender: string;
};
/** The column with what a visitor gave. */
export type SenderColumn = "sender_name" | "sender_email";

export type SenderFoldersRepository = ReturnType<typeof createSenderFoldersRepository>;

export function createSenderFoldersRepository({ read }: Pick<Database, "read">) {
  const foldersIn = (db: Db) =>
    db
      .selectFrom("entries")
      .leftJoin("trash", "trash.entry_id", "entries.id")
      .select((eb) => [
        "entries.id",
        "entries.account_id as accountId",
        "entries.created_at as createdAt",
        eb.fn.coalesce("trash.parent_id", "entries.parent_id").as("parentId"),
        eb.fn.coalesce("trash.name", "entries.name").as("name"),
        "trash.entry_id as trashedId",
      ])
      .where("entries.kind", "=", "folder");

  return {
    /** Folders of senders with ids above `after`, in order. */
    ofSenders: (after: number, limit: number) =>
      foldersIn(read)
        .innerJoin("drop_senders", "drop_senders.folder_id", "entries.id")
        .select("drop_senders.sender")
        .where("drop_senders.folder_id", ">", after)
        .orderBy("drop_senders.folder_id")
        .limit(limit)
        .execute(),

    /** The largest id of a file that a visitor has sent. */
    async lastFile(): Promise<number> {
      const row = await read
        .selectFrom("drop_files")
        .select((eb) => eb.fn.max("entry_id").as("last"))
        .executeTakeFirst();
      return Number(row?.last ?? 0);
    },

    /** Where the files are that a visitor sent, among those with ids above `from` and up to `to`. */
    filesOf: (column: SenderColumn, value: string, from: number, to: number) =>
      read
        .selectFrom("drop_files")
        .innerJoin("entries", "entries.id", "drop_files.entry_id")
        .leftJoin("trash", "trash.entry_id", "entries.id")
        .select((eb) => [
          "drop_files.path",
          "drop_files.sender",
          "drop_files.created_at as at",
          eb.fn.coalesce("trash.parent_id", "entries.parent_id").as("parentId"),
        ])
        .where("drop_files.entry_id", ">", from)
        .where("drop_files.entry_id", "<=", to)
        .where(`drop_files.${column}`, "=", value)
        .execute(),

    /** Folders by at most 1,000 ids. */
    async folders(ids: readonly number[], db: Db = read) {
      const rows = ids.length === 0 ? [] : await foldersIn(db).where("entries.id", "in", ids).execute();
      return new Map(rows.map((row) => [row.id, row]));
    },

    async rename(tx: Db, { id, isTrashed }: SenderFolder, name: string, now: number): Promise<void> {
      if (isTrashed) await tx.updateTable("trash").set({ name }).where("entry_id", "=", id).execute();
      else await tx.updateTable("entries").set({ name, updated_at: now }).where("id", "=", id).execute();
    },
  };
}
