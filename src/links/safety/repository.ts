import type { Queries } from "../../platform/db/database.ts";
import type { Db } from "../../platform/db/dialect.ts";
import { countRows } from "../../platform/db/queries.ts";
import { camelCased } from "../../lib/case-names.ts";
import type { VisitorReport, ReportReason } from "./report.ts";

export type NewReport = { linkId: number; at: number; reason: ReportReason; details: string | null };

const reportsIn = (db: Db) =>
  db
    .selectFrom("link_reports")
    .innerJoin("links", "links.id", "link_reports.link_id")
    .selectAll("link_reports")
    .select(["links.code", "links.target", "links.options"]);

export function createSafetyRepository({ read }: Pick<Queries, "read">) {
  const openReports = (db: Db) => db.selectFrom("link_reports").where("resolved_at", "is", null);

  return {
    /** Newest first, before an id. */
    async page(isOpen: boolean, before: number | null, limit: number): Promise<VisitorReport[]> {
      const rows = await reportsIn(read)
        .where("link_reports.resolved_at", isOpen ? "is" : "is not", null)
        .$if(before !== null, (query) => query.where("link_reports.id", "<", before!))
        .orderBy("link_reports.id", "desc")
        .limit(limit)
        .execute();
      return rows.map(camelCased);
    },

    async find(id: number): Promise<VisitorReport | null> {
      const row = await reportsIn(read).where("link_reports.id", "=", id).executeTakeFirst();
      return row === undefined ? null : camelCased(row);
    },

    /** How many are open, of one link and of all, each at most `most`. */
    async open(db: Db, linkId: number, most: number): Promise<{ ofLink: number; all: number }> {
      const [ofLink, all] = await Promise.all(
        [openReports(db).where("link_id", "=", linkId), openReports(db)].map(async (query) => {
          const some = query.select("id").limit(most).as("some");
          return countRows(db.selectFrom(some));
        }),
      );
      return { ofLink: ofLink!, all: all! };
    },

    /** The oldest open ones of the link that has most of them, of the first such link. Returns their number. */
    async dropFromNoisiest(db: Db, most: number): Promise<number> {
      const noisiest = await openReports(db)
        .select("link_id")
        .groupBy("link_id")
        .orderBy((eb) => eb.fn.countAll(), "desc")
        .orderBy((eb) => eb.fn.min("id"))
        .limit(1)
        .executeTakeFirst();
      if (noisiest === undefined) return 0;
      const ofLink = openReports(db).select("id").where("link_id", "=", noisiest.link_id);
      const oldest = (await ofLink.orderBy("id").limit(most).execute()).map(({ id }) => id);
      await db.deleteFrom("link_reports").where("id", "in", oldest).execute();
      return oldest.length;
    },

    async add(db: Db, { linkId, ...report }: NewReport): Promise<void> {
      await db
        .insertInto("link_reports")
        .values({ link_id: linkId, ...report })
        .execute();
    },

    /** Open ones, by their id or link. */
    async resolve(db: Db, which: { id: number } | { link_id: number }, at: number, by: string) {
      const [[column, value]] = Object.entries(which) as [["id" | "link_id", number]];
      await db
        .updateTable("link_reports")
        .set({ resolved_at: at, resolved_by: by })
        .where(column, "=", value)
        .where("resolved_at", "is", null)
        .execute();
    },
  };
}
