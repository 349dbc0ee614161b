import type { Database } from "../../../platform/db/database.ts";
import type { Db } from "../../../platform/db/dialect.ts";
import { knownLanguage, type Language } from "../../../lib/language.ts";
import { finds } from "../../../platform/db/queries.ts";
import type { Every, ReportReader, ReaderState, StoredReportMail } from "./report-mail.ts";

export type ReportMailsRepository = ReturnType<typeof createReportMailsRepository>;

const COLUMNS = [
  "report_mails.id",
  "report_mails.link_id as linkId",
  "report_mails.every",
  "report_mails.minute",
  "report_mails.next_at as nextAt",
  "report_mails.last_at as lastAt",
  "report_mails.created_at as createdAt",
] as const;
const READER = ["id", "email", "language", "state", "token", "changed_at as changedAt"] as const;
/** The state of a reader that its owner removed while it was not active: added again, it has to confirm. */
const REMOVED = "removed";

type MailRow = Omit<StoredReportMail, "every"> & { every: string };

const toMail = (row: MailRow): StoredReportMail => ({ ...row, every: row.every as Every });

export type NewReader = Pick<ReportReader, "email" | "language" | "state" | "token">;

export function createReportMailsRepository({ read, dialect }: Pick<Database, "read" | "dialect">) {
  return {
    async find(id: number, db: Db = read): Promise<StoredReportMail | null> {
      const row = await db.selectFrom("report_mails").select(COLUMNS).where("id", "=", id).executeTakeFirst();
      return row === undefined ? null : toMail(row);
    },

    /** Locks the row until the transaction ends. */
    async lock(tx: Db, id: number): Promise<StoredReportMail | null> {
      const query = tx.selectFrom("report_mails").select(COLUMNS).where("id", "=", id);
      const row = await query.$call(dialect.forUpdate).executeTakeFirst();
      return row === undefined ? null : toMail(row);
    },

    /** Newest first, below an id. @param owners of their pages; null: all */
    async page(
      owners: readonly number[] | null,
      before: number | null,
      limit: number,
    ): Promise<StoredReportMail[]> {
      let query = read
        .selectFrom("report_mails")
        .innerJoin("links", "links.id", "report_mails.link_id")
        .select(COLUMNS);
      if (owners !== null) query = query.where("links.owner_id", "in", owners);
      if (before !== null) query = query.where("report_mails.id", "<", before);
      return (await query.orderBy("report_mails.id", "desc").limit(limit).execute()).map(toMail);
    },

    async due(now: number, limit: number): Promise<StoredReportMail[]> {
      const rows = await read
        .selectFrom("report_mails")
        .select(COLUMNS)
        .where("next_at", "<=", now)
        .orderBy("next_at")
        .orderBy("id")
        .limit(limit)
        .execute();
      return rows.map(toMail);
    },

    async after(id: number, limit: number): Promise<StoredReportMail[]> {
      const query = read.selectFrom("report_mails").select(COLUMNS).where("id", ">", id);
      return (await query.orderBy("id").limit(limit).execute()).map(toMail);
    },

    /** Whether an owner has so many. */
    hasMany: (ownerId: number, most: number, db: Db): Promise<boolean> =>
      finds(
        db
          .selectFrom("report_mails")
          .innerJoin("links", "links.id", "report_mails.link_id")
          .select("report_mails.id")
          .where("links.owner_id", "=", ownerId)
          .offset(most - 1),
      ),

    insert: (
      tx: Db,
      mail: Omit<StoredReportMail, "id" | "lastAt"> & { createdBy: string },
    ): Promise<number> =>
      dialect.insertReturningId(tx, "report_mails", {
        link_id: mail.linkId,
        every: mail.every,
        minute: mail.minute,
        next_at: mail.nextAt,
        last_at: null,
        created_by: mail.createdBy,
        created_at: mail.createdAt,
      }),

    async plan(
      tx: Db,
      id: number,
      { every, minute, nextAt }: Pick<StoredReportMail, "every" | "minute" | "nextAt">,
    ) {
      await tx
        .updateTable("report_mails")
        .set({ every, minute, next_at: nextAt })
        .where("id", "=", id)
        .execute();
    },

    /** Marks a mail as sent, unless somebody else has. Returns whether it was this call. */
    async pass(
      tx: Db,
      { id, nextAt }: StoredReportMail,
      next: number,
      sentAt: number | null,
    ): Promise<boolean> {
      const result = await tx
        .updateTable("report_mails")
        .set({ next_at: next, ...(sentAt !== null && { last_at: sentAt }) })
        .where("id", "=", id)
        .where("next_at", "=", nextAt)
        .executeTakeFirst();
      return Number(result.numUpdatedRows) === 1;
    },

    async remove(tx: Db, id: number): Promise<void> {
      await tx.deleteFrom("report_mails").where("id", "=", id).execute();
    },

    ...createReaders({ read, dialect }),
  };
}

function createReaders({ read, dialect }: Pick<Database, "read" | "dialect">) {
  const toReader = (row: Omit<ReportReader, "state"> & { state: string }): ReportReader => ({
    ...row,
    state: row.state === REMOVED ? "ended" : (row.state as ReaderState),
  });

  return {
    async readers(mailId: number, db: Db = read): Promise<ReportReader[]> {
      const rows = await db
        .selectFrom("report_readers")
        .select(READER)
        .where("mail_id", "=", mailId)
        .where("state", "!=", REMOVED)
        .orderBy("id")
        .execute();
      return rows.map(toReader);
    },

    async readerWith(token: string, db: Db = read): Promise<(ReportReader & { mailId: number }) | null> {
      const row = await db
        .selectFrom("report_readers")
        .select([...READER, "mail_id as mailId"])
        .where("token", "=", token)
        .executeTakeFirst();
      return row === undefined ? null : { ...toReader(row), mailId: row.mailId };
    },

    async addReaders(tx: Db, mailId: number, readers: readonly NewReader[], now: number): Promise<void> {
      const rows = readers.map((reader) => ({ ...reader, mail_id: mailId, changed_at: now }));
      if (rows.length > 0) await dialect.insertMany(tx, "report_readers", rows);
    },

    /** Those of the addresses whose reader was removed and has to confirm. */
    async removedReaders(tx: Db, mailId: number, emails: readonly string[]): Promise<ReportReader[]> {
      if (emails.length === 0) return [];
      const query = tx.selectFrom("report_readers").select(READER).where("mail_id", "=", mailId);
      const removed = query.where("state", "=", REMOVED).where("email", "in", emails);
      return (await removed.execute()).map(toReader);
    },

    /** Keeps the rows of those who have not confirmed, or ended the mails, out of sight. */
    async removeReaders(tx: Db, readers: readonly ReportReader[], now: number): Promise<void> {
      const idsOf = (some: readonly ReportReader[]) => some.map(({ id }) => id);
      const [active, others] = [
        readers.filter(({ state }) => state === "active"),
        readers.filter(({ state }) => state !== "active"),
      ];
      if (active.length > 0) await tx.deleteFrom("report_readers").where("id", "in", idsOf(active)).execute();
      if (others.length === 0) return;
      const set = { state: REMOVED, changed_at: now };
      await tx.updateTable("report_readers").set(set).where("id", "in", idsOf(others)).execute();
    },

    /** Returns whether the reader was in another state. */
    async setState(
      tx: Db,
      id: number,
      { state, language, now }: { state: ReaderState; language?: Language; now: number },
    ): Promise<boolean> {
      const result = await tx
        .updateTable("report_readers")
        .set({ state, changed_at: now, ...(language !== undefined && { language }) })
        .where("id", "=", id)
        .where("state", "!=", state)
        .executeTakeFirst();
      return Number(result.numUpdatedRows) === 1;
    },

    /** The languages of enabled accounts that have proved these addresses. */
    async accountsWith(emails: readonly string[], db: Db = read): Promise<Map<string, Language>> {
      if (emails.length === 0) return new Map();
      const rows = await db
        .selectFrom("account_mail")
        .leftJoin("users", "users.id", "account_mail.account_id")
        .select(["account_mail.email", "account_mail.language"])
        .where("account_mail.email", "in", emails)
        .where("account_mail.proved_at", "is not", null)
        .where((eb) => eb.or([eb("account_mail.account_id", "=", 0), eb("users.disabled", "=", 0)]))
        .execute();
      return new Map(rows.map(({ email, language }) => [email!, knownLanguage(language)]));
    },

    /** Those of the addresses that get other mails of the owner. */
    async confirmedFor(ownerId: number, emails: readonly string[], db: Db): Promise<Set<string>> {
      if (emails.length === 0) return new Set();
      const rows = await db
        .selectFrom("report_readers")
        .innerJoin("report_mails", "report_mails.id", "report_readers.mail_id")
        .innerJoin("links", "links.id", "report_mails.link_id")
        .select("report_readers.email")
        .where("report_readers.email", "in", emails)
        .where("report_readers.state", "=", "active")
        .where("links.owner_id", "=", ownerId)
        .execute();
      return new Set(rows.map(({ email }) => email));
    },
  };
}
