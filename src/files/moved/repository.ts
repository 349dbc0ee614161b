/** What moves from other products bring into trees. */
import type { Database } from "../../platform/db/database.ts";
import type { Db } from "../../platform/db/dialect.ts";
import { ROOT } from "../tree/entry.ts";

export type MadeEntry = { id: number; parentId: number };
export type SharedFolder = {
  linkId: number;
  folderId: number;
  accountId: number;
  /** Null is unlimited. */
  maxDownloads: number | null;
  downloads: number;
  message: string | null;
  /** Valid, in lower case, each once. */
  recipients: readonly string[];
};
export type MovedPlace = { accountId: number; folderId: number };

/** What the import made. */
export const madeIn = (db: Db, importId: number) =>
  db.selectFrom("import_entries as made").where("made.import_id", "=", importId);

/** Those that are where they were put, and as they were then. */
export const untouchedIn = (db: Db, importId: number) =>
  madeIn(db, importId).innerJoin("entries", (join) =>
    join
      .onRef("entries.id", "=", "made.entry_id")
      .onRef("entries.parent_id", "=", "made.parent_id")
      .onRef("entries.updated_at", "=", "made.made_at"),
  );

export type MovedRepository = ReturnType<typeof createMovedRepository>;

export function createMovedRepository({ read, dialect }: Pick<Database, "read" | "dialect">) {
  return {
    /** Enabled accounts by a verified address or a name, both in lower case. At most 1,000 of each. */
    async accounts(emails: readonly string[], names: readonly string[], db: Db = read) {
      const mails =
        emails.length === 0
          ? []
          : await db
              .selectFrom("account_mail")
              .leftJoin("users", "users.id", "account_mail.account_id")
              .select(["account_mail.email as key", "account_mail.account_id as id"])
              .where("account_mail.email", "in", emails)
              .where("proved_at", "is not", null)
              .where((eb) => eb.or([eb("account_mail.account_id", "=", 0), eb("users.disabled", "=", 0)]))
              .execute();
      const users =
        names.length === 0
          ? []
          : await db
              .selectFrom("users")
              .select(["username as key", "id"])
              .where("username", "in", names)
              .where("disabled", "=", 0)
              .execute();
      return new Map([...users, ...mails].map(({ key, id }) => [key!, id]));
    },

    remember: (tx: Db, importId: number, madeAt: number, entries: readonly MadeEntry[]): Promise<void> =>
      dialect.insertMany(
        tx,
        "import_entries",
        entries.map(({ id, parentId }) => ({
          import_id: importId,
          entry_id: id,
          parent_id: parentId,
          made_at: madeAt,
        })),
      ),

    /** The folder of an import in the root of the account. */
    async topIn(tx: Db, importId: number, accountId: number): Promise<number | null> {
      const row = await untouchedIn(tx, importId)
        .select("entries.id")
        .where("made.parent_id", "=", ROOT)
        .where("entries.account_id", "=", accountId)
        .executeTakeFirst();
      return row?.id ?? null;
    },

    async addShares(tx: Db, shares: readonly SharedFolder[], createdAt: number): Promise<void> {
      await dialect.insertMany(
        tx,
        "shares",
        shares.map(({ linkId, folderId, accountId, maxDownloads, downloads, message }) => ({
          link_id: linkId,
          entry_id: folderId,
          account_id: accountId,
          max_downloads: maxDownloads,
          downloads,
          max_bytes: null,
          max_files: null,
          max_file_size: null,
          message,
          created_at: createdAt,
        })),
      );
      const blank = { code_hash: null, code_until: 0, code_tries: 0, codes_full_at: 0 };
      const recipients = shares.flatMap(({ linkId, recipients: emails }) =>
        emails.map((email) => ({ ...blank, link_id: linkId, email })),
      );
      if (recipients.length > 0) await dialect.insertMany(tx, "share_recipients", recipients);
    },

    /** Of a share that the import made. */
    async placeOf(importId: number, linkId: number): Promise<MovedPlace | null> {
      const row = await madeIn(read, importId)
        .innerJoin("shares", "shares.entry_id", "made.entry_id")
        .select(["shares.account_id as accountId", "shares.entry_id as folderId"])
        .where("shares.link_id", "=", linkId)
        .where("shares.several", "=", 0)
        .executeTakeFirst();
      return row ?? null;
    },
  };
}
