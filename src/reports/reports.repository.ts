import type { Database } from "../platform/db/database.ts";
import type { Db } from "../platform/db/dialect.ts";
import { prepared } from "../platform/db/prepared.ts";
import { anyLike, lowerPatterns } from "../platform/db/text-search.ts";
import { sql } from "kysely";
import { codeOf } from "../links/link/key.ts";
import { ownerNames } from "../links/link/owners.repository.ts";
import { readStoredFilter, type ReportDays, type StoredReport } from "./report.ts";

export type ReportsRepository = ReturnType<typeof createReportsRepository>;

/** A report as visitors find it. */
export type VisitedReport = StoredReport & {
  linkId: number;
  key: string;
  title: string | null;
  createdAt: number;
  expiresAt: number | null;
  passwordHash: string | null;
  ownerId: number | null;
};

export type ReportListFilter = { owners: readonly number[] | null; search: string | null };

type Row = { filter: string; days: number | null; first_day: string | null; last_day: string | null };

function toReport({ filter, days, first_day: firstDay, last_day: lastDay }: Row): StoredReport | null {
  const stored = readStoredFilter(filter);
  return stored && { ...stored, ...({ days, firstDay, lastDay } as ReportDays) };
}

const rowOf = ({ by, links, filter, ids, days, firstDay, lastDay }: StoredReport) => ({
  filter: JSON.stringify({ by, links, filter, ids }),
  days,
  first_day: firstDay,
  last_day: lastDay,
});

const COLUMNS = [
  "report_pages.filter",
  "report_pages.days",
  "report_pages.first_day",
  "report_pages.last_day",
] as const;

const visited = prepared((db, linkId: number) =>
  db
    .selectFrom("report_pages")
    .innerJoin("links", "links.id", "report_pages.link_id")
    .select([
      ...COLUMNS,
      "links.id as linkId",
      "links.code as key",
      "links.title",
      "links.created_at as createdAt",
      "links.expires_at as expiresAt",
      "links.password_hash as passwordHash",
      "links.owner_id as ownerId",
    ])
    .where("report_pages.link_id", "=", linkId),
);

export function createReportsRepository({ read, dialect }: Pick<Database, "read" | "dialect">) {
  return {
    async visited(linkId: number): Promise<VisitedReport | null> {
      const [row] = await visited(read, linkId);
      const report = row === undefined ? null : toReport(row);
      return report && { ...row!, ...report };
    },

    /** Null for a link that is no report. */
    async find(linkId: number, db: Db = read): Promise<StoredReport | null> {
      const row = await db
        .selectFrom("report_pages")
        .select(COLUMNS)
        .where("link_id", "=", linkId)
        .executeTakeFirst();
      return row === undefined ? null : toReport(row);
    },

    /** Locks the row until the transaction ends. */
    async lock(tx: Db, linkId: number): Promise<StoredReport | null> {
      const query = tx.selectFrom("report_pages").select(COLUMNS).where("link_id", "=", linkId);
      const row = await query.$call(dialect.forUpdate).executeTakeFirst();
      return row === undefined ? null : toReport(row);
    },

    async keyOf(linkId: number): Promise<string | null> {
      const row = await read
        .selectFrom("report_pages")
        .innerJoin("links", "links.id", "report_pages.link_id")
        .select("links.code")
        .where("link_id", "=", linkId)
        .executeTakeFirst();
      return row?.code ?? null;
    },

    async insert(tx: Db, linkId: number, report: StoredReport): Promise<void> {
      await tx
        .insertInto("report_pages")
        .values({ link_id: linkId, ...rowOf(report) })
        .execute();
    },

    async update(tx: Db, linkId: number, report: StoredReport): Promise<void> {
      await tx.updateTable("report_pages").set(rowOf(report)).where("link_id", "=", linkId).execute();
    },

    /** Its mails go, too. */
    async remove(tx: Db, linkId: number): Promise<void> {
      await tx.deleteFrom("report_mails").where("link_id", "=", linkId).execute();
      await tx.deleteFrom("report_pages").where("link_id", "=", linkId).execute();
    },

    /** Reports in the order of their ids, after one. */
    async after(linkId: number, limit: number): Promise<number[]> {
      const query = read.selectFrom("report_pages").select("link_id").where("link_id", ">", linkId);
      return (await query.orderBy("link_id").limit(limit).execute()).map(({ link_id }) => link_id);
    },

    /** Keys of reports, newest first, below an id. */
    async page(
      { owners, search }: ReportListFilter,
      before: number | null,
      limit: number,
    ): Promise<{ id: number; key: string }[]> {
      let query = read
        .selectFrom("report_pages")
        .innerJoin("links", "links.id", "report_pages.link_id")
        .select(["links.id", "links.code as key"]);
      if (owners !== null) query = query.where("links.owner_id", "in", owners);
      if (search !== null)
        query = query.where(
          anyLike([sql`lower(links.code)`, sql`lower(coalesce(links.title, ''))`], lowerPatterns(search)),
        );
      if (before !== null) query = query.where("links.id", "<", before);
      return query.orderBy("links.id", "desc").limit(limit).execute();
    },

    /** The numbers of mails by the ids of links. */
    async mailsOf(ids: readonly number[], db: Db = read): Promise<Map<number, number>> {
      if (ids.length === 0) return new Map();
      const rows = await db
        .selectFrom("report_mails")
        .select((eb) => ["link_id", eb.fn.countAll<number>().as("count")])
        .where("link_id", "in", ids)
        .groupBy("link_id")
        .execute();
      return new Map(rows.map((row) => [row.link_id, Number(row.count)]));
    },

    /** Names of accounts and teams that exist, by their ids. */
    ownerNames: (ids: readonly number[], db: Db = read): Promise<Map<number, string>> => ownerNames(db, ids),

    /** Present codes of those links that have one of the owners; null: any. */
    async codesOf(
      ids: readonly number[],
      owners: readonly number[] | null,
      db: Db = read,
    ): Promise<string[]> {
      if (ids.length === 0) return [];
      const rows = await db
        .selectFrom("links")
        .select("code")
        .where("id", "in", ids)
        .$if(owners !== null, (query) => query.where("owner_id", "in", owners!))
        .execute();
      return [...new Set(rows.map(({ code }) => codeOf(code)))].sort();
    },
  };
}
