/** What imports from other products put into trees. */
import type { Database } from "../../platform/db/database.ts";
import type { Db } from "../../platform/db/dialect.ts";
import { ROOT } from "../tree/entry.ts";
import { REMOVED_ACCOUNT_ID } from "../tree/removal.repository.ts";

export type MadeEntry = { id: number; parentId: number };
export type SharedFolder = {
  linkId: number;
  folderId: number;
  accountId: number;
  /** Unlimited when null. */
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
    ...createUndoQueries({ read }),

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

    /** The folder of a share that the import made. */
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

/** Without account and name if it is gone, or going. */
export type UndoneFolder = { id: number; parentId: number; accountId: number | null; name: string | null };

/** Checks whether what a move imported is still as the move left it. */
function createUndoQueries({ read }: Pick<Database, "read">) {
  /** The folders with nothing but what the import put there, and the number of that. */
  async function unchanged(
    db: Db,
    importId: number,
    folders: readonly number[],
  ): Promise<Map<number, number>> {
    if (folders.length === 0) return new Map();
    const own = await untouchedIn(db, importId)
      .select("made.entry_id as id")
      .where("made.entry_id", "in", folders)
      .execute();
    const made = await madeIn(db, importId)
      .select((eb) => ["made.parent_id as id", eb.fn.countAll<number>().as("n")])
      .where("made.parent_id", "in", folders)
      .groupBy("made.parent_id")
      .execute();
    const kept = await untouchedIn(db, importId)
      .select((eb) => ["made.parent_id as id", eb.fn.countAll<number>().as("n")])
      .where("made.parent_id", "in", folders)
      .groupBy("made.parent_id")
      .execute();
    const there = await db
      .selectFrom("entries as around")
      .innerJoin("entries", (join) =>
        join
          .onRef("entries.account_id", "=", "around.account_id")
          .onRef("entries.parent_id", "=", "around.id"),
      )
      .select((eb) => ["around.id", eb.fn.countAll<number>().as("n")])
      .where("around.id", "in", folders)
      .groupBy("around.id")
      .execute();
    const [ofMade, ofKept, ofThere] = [made, kept, there].map(
      (rows) => new Map(rows.map(({ id, n }) => [id, Number(n)])),
    );
    return new Map(
      own.flatMap(({ id }) => {
        const number = ofMade!.get(id) ?? 0;
        const isSame = (ofKept!.get(id) ?? 0) === number && (ofThere!.get(id) ?? 0) === number;
        return isSame ? [[id, number] as const] : [];
      }),
    );
  }

  return {
    unchanged,

    /** Which links share a folder that is not as the import left it. */
    async changedShares(db: Db, importId: number, linkIds: readonly number[]): Promise<Set<number>> {
      if (linkIds.length === 0) return new Set();
      const shares = await madeIn(db, importId)
        .innerJoin("shares", "shares.entry_id", "made.entry_id")
        .select(["shares.link_id as linkId", "made.entry_id as folderId"])
        .where("shares.link_id", "in", linkIds)
        .execute();
      const folders = [...new Set(shares.map(({ folderId }) => folderId))];
      const files = await unchanged(db, importId, folders);
      return new Set(shares.flatMap(({ linkId, folderId }) => (files.has(folderId) ? [] : [linkId])));
    },

    /** Those of the folders that have a share, or something in them has one. */
    async shared(db: Db, importId: number, folders: readonly number[]): Promise<Set<number>> {
      const rows = await madeIn(db, importId)
        .select(["made.entry_id as id", "made.parent_id as parentId"])
        .where((eb) => eb.or([eb("made.parent_id", "in", folders), eb("made.entry_id", "in", folders)]))
        .where((eb) => {
          const share = eb.selectFrom("shares").select("entry_id");
          const item = eb.selectFrom("share_items").select("entry_id");
          return eb.or([
            eb.exists(share.whereRef("shares.entry_id", "=", "made.entry_id")),
            eb.exists(item.whereRef("share_items.entry_id", "=", "made.entry_id")),
          ]);
        })
        .execute();
      return new Set(rows.flatMap(({ id, parentId }) => [id, parentId]));
    },

    /** Folders to undo, those around others last; none at the end. */
    async next(importId: number, limit: number): Promise<UndoneFolder[]> {
      const within = (parentId: number) =>
        madeIn(read, importId)
          .leftJoin("entries", "entries.id", "made.entry_id")
          .select([
            "made.entry_id as id",
            "made.parent_id as parentId",
            "entries.account_id as accountId",
            "entries.name",
          ])
          .where("made.parent_id", "=", parentId)
          .orderBy("made.entry_id");
      const top = await within(ROOT).limit(1).execute();
      const folders = top.length === 0 ? [] : await within(top[0]!.id).limit(limit).execute();
      const found = folders.length > 0 ? folders : top;
      return found.map((one) =>
        one.accountId === REMOVED_ACCOUNT_ID ? { ...one, accountId: null, name: null } : one,
      );
    },

    /** With what is in them. */
    async forget(tx: Db, importId: number, folders: readonly number[]): Promise<void> {
      for (const column of ["parent_id", "entry_id"] as const) {
        const query = tx.deleteFrom("import_entries").where("import_id", "=", importId);
        await query.where(column, "in", folders).execute();
      }
    },
  };
}
