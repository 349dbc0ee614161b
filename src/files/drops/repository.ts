import { dropLimitsIn, VISITED_COLUMNS } from "../serving/list.repository.ts";
import { sql } from "kysely";
import type { Database } from "../../platform/db/database.ts";
import type { Db } from "../../platform/db/dialect.ts";
import { prepared } from "../../platform/db/prepared.ts";
import type { DropUpload } from "../uploads/drop-upload.ts";
import { createPathsRepository } from "../tree/paths.repository.ts";
import type { ReceivedDrop, OpenDrop, SentFile } from "./drop.ts";

export type DropsRepository = ReturnType<typeof createDropsRepository>;

const LIMITS = [
  "shares.max_bytes as maxBytes",
  "shares.max_files as maxFiles",
  "shares.max_file_size as maxFileSize",
  "shares.bytes",
  "shares.files",
  "shares.two_way as twoWay",
  "shares.requires",
  "shares.sender_folders as senderFolders",
  "shares.types",
] as const;

export function createDropsRepository(database: Database) {
  const { read } = database;
  const paths = createPathsRepository(database);
  return {
    /** The box of a link; null also if its account is disabled or gone. */
    async find(linkId: number, db: Db = read): Promise<OpenDrop | null> {
      const [row] = await boxOf(db, linkId);
      if (row === undefined) return null;
      const { disabled, username, displayName, team, twoWay: _, ...box } = row;
      if (box.accountId > 0 && disabled !== 0) return null;
      const account = box.message === null ? null : (username ?? team);
      return { ...box, from: displayName ?? account, ...dropLimitsIn(row)! };
    },

    /** Takes room for one file. False if there is none. */
    async take(tx: Db, { linkId, folderId }: OpenDrop, bytes: number): Promise<boolean> {
      const result = await tx
        .updateTable("shares")
        .set((eb) => ({ files: eb("files", "+", 1), bytes: eb("bytes", "+", bytes) }))
        .where("link_id", "=", linkId)
        .where("entry_id", "=", folderId)
        .whereRef("files", "<", "max_files")
        .where((eb) => eb(eb("bytes", "+", bytes), "<=", eb.ref("max_bytes")))
        .executeTakeFirst();
      return Number(result.numUpdatedRows) === 1;
    },

    async addFile(
      tx: Db,
      { fileId, linkId, sender, name, path, at, ...by }: DropUpload & { fileId: number; at: number },
    ): Promise<void> {
      const sent = { sender, sender_name: by.senderName, sender_email: by.senderEmail, name, path };
      await tx
        .insertInto("drop_files")
        .values({ entry_id: fileId, link_id: linkId, created_at: at, ...sent })
        .execute();
    },

    /** The folder of a sender, if it is in the box's. */
    async senderFolder(tx: Db, { linkId, folderId }: OpenDrop, sender: string): Promise<number | null> {
      const row = await tx
        .selectFrom("drop_senders")
        .innerJoin("entries", "entries.id", "drop_senders.folder_id")
        .select("entries.id")
        .where("drop_senders.link_id", "=", linkId)
        .where("drop_senders.sender", "=", sender)
        .where("entries.parent_id", "=", folderId)
        .executeTakeFirst();
      return row?.id ?? null;
    },

    async setSenderFolder(tx: Db, { linkId }: OpenDrop, sender: string, folderId: number): Promise<void> {
      await tx
        .deleteFrom("drop_senders")
        .where("link_id", "=", linkId)
        .where("sender", "=", sender)
        .execute();
      await tx.insertInto("drop_senders").values({ link_id: linkId, sender, folder_id: folderId }).execute();
    },

    /** Newest first. */
    sentBy: (linkId: number, sender: string, limit: number): Promise<SentFile[]> =>
      newestOf(read, linkId, sender, limit),

    /**
     * Newest first, below the id `before`, among so many. Without what is in the trash, itself or with a folder around it.
     * `last`: below it there are more, or null at the end.
     */
    async received(
      box: { linkId: number; accountId: number },
      before: number | null,
      limit: number,
    ): Promise<{ files: ReceivedDrop[]; last: number | null }> {
      const rows = await read
        .selectFrom("drop_files")
        .innerJoin("entries", "entries.id", "drop_files.entry_id")
        .select([
          "entries.id as fileId",
          "entries.parent_id as parentId",
          "entries.name",
          "entries.size",
          "entries.mime_type as mimeType",
          "drop_files.name as originalName",
          "drop_files.sender",
          "drop_files.sender_name as senderName",
          "drop_files.sender_email as senderEmail",
          "drop_files.path",
          "drop_files.created_at as at",
        ])
        .where("drop_files.link_id", "=", box.linkId)
        .where("entries.account_id", "=", box.accountId)
        .where("entries.parent_id", ">=", 0)
        .$if(before !== null, (query) => query.where("drop_files.entry_id", "<", before!))
        .orderBy("drop_files.entry_id", "desc")
        .limit(limit)
        .execute();
      const folders = rows.map(({ parentId }) => parentId);
      const shown = await paths.pathsOf(box.accountId, folders);
      const files = rows.flatMap(({ parentId, mimeType, ...row }) =>
        shown.has(parentId) ? [{ ...row, mimeType: mimeType ?? "" }] : [],
      );
      return { files, last: rows.length < limit ? null : rows.at(-1)!.fileId };
    },
  };
}

const boxOf = prepared((db, linkId: number) =>
  db
    .selectFrom("shares")
    .innerJoin("links", "links.id", "shares.link_id")
    .innerJoin("entries", "entries.id", "shares.entry_id")
    .leftJoin("users", "users.id", "entries.account_id")
    .leftJoin("account_mail", "account_mail.account_id", "entries.account_id")
    // See lib/owner.ts.
    .leftJoin("teams", (join) => join.on("teams.id", "=", sql<number>`-1 - entries.account_id`))
    .select([
      "shares.link_id as linkId",
      ...VISITED_COLUMNS,
      ...LIMITS,
      "account_mail.display_name as displayName",
      "entries.id as folderId",
      "entries.account_id as accountId",
    ])
    .where("shares.link_id", "=", linkId)
    .where("shares.max_files", "is not", null),
);

const newestOf = prepared((db, linkId: number, sender: string, limit: number) =>
  db
    .selectFrom("drop_files")
    .innerJoin("entries", "entries.id", "drop_files.entry_id")
    .select(["drop_files.name", "drop_files.path", "drop_files.created_at as at"])
    // The time of the content, which came before the row of the box.
    .select(({ eb, ref }) =>
      eb
        .case()
        .when("entries.created_at", "<=", ref("drop_files.created_at"))
        .then(ref("entries.size"))
        .else(null)
        .end()
        .as("size"),
    )
    .where("drop_files.link_id", "=", linkId)
    .where("drop_files.sender", "=", sender)
    .orderBy("drop_files.entry_id", "desc")
    .limit(limit),
);
