import type { Database } from "../../platform/db/database.ts";
import type { Db } from "../../platform/db/dialect.ts";
import { countRows } from "../../platform/db/queries.ts";
import { camelCased } from "../../lib/case-names.ts";
import type { ReportReason, VisitorReport } from "./report.ts";

type NewReport = { linkId: number; at: number; reason: ReportReason; details: string | null };

const reportsIn = (db: Db) =>
  db
    .selectFrom("link_reports")
    .innerJoin("links", "links.id", "link_reports.link_id")
    .selectAll("link_reports")
    .select(["links.code", "links.target", "links.options"]);

export function createSafetyRepository({ read }: Database) {
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

/** `linkId`: the last link that the round has passed; null: it is over. */
export type Round = { startedAt: number; linkId: number | null };

type Failure = { failures: number; failedSince: number; checkedAt: number; problem: string };

const OVER = -1;

export type ChecksRepository = ReturnType<typeof createChecksRepository>;
/** With the last failures in a row; null without. */
export type CheckedLink = Awaited<ReturnType<ChecksRepository["portion"]>>[number];

export function createChecksRepository({ read, write, dialect }: Database) {
  return {
    async round(): Promise<Round | null> {
      const row = await read.selectFrom("target_rounds").selectAll().where("id", "=", 1).executeTakeFirst();
      return row === undefined
        ? null
        : { startedAt: row.started_at, linkId: row.link_id === OVER ? null : row.link_id };
    },

    keepRound: ({ startedAt, linkId }: Round): Promise<void> =>
      dialect.upsert(write, { table: "target_rounds", keys: ["id"], set: ["started_at", "link_id"] }, [
        { id: 1, started_at: startedAt, link_id: linkId ?? OVER },
      ]),

    /** Links with ids above `after`, in the order of their ids. */
    portion: (after: number, limit: number) =>
      read
        .selectFrom("links")
        .leftJoin("target_checks", "target_checks.link_id", "links.id")
        .select([
          "links.id",
          "links.code",
          "links.target",
          "links.options",
          "links.expires_at as expiresAt",
          "links.updated_at as updatedAt",
          "links.dead_since as deadSince",
          "target_checks.failures",
          "target_checks.failed_since as failedSince",
          "target_checks.checked_at as checkedAt",
        ])
        .where("links.id", ">", after)
        .orderBy("links.id")
        .limit(limit)
        .execute(),

    async fail(linkId: number, { failures, failedSince, checkedAt, problem }: Failure): Promise<void> {
      const row = { link_id: linkId, failures, failed_since: failedSince, checked_at: checkedAt, problem };
      const set = ["failures", "failed_since", "checked_at", "problem"] as const;
      await dialect.upsert(write, { table: "target_checks", keys: ["link_id"], set }, [row]);
    },

    async forget(linkId: number): Promise<void> {
      await write.deleteFrom("target_checks").where("link_id", "=", linkId).execute();
    },

    /** False if the link is gone or leads elsewhere meanwhile. */
    async mark(tx: Db, { id, target }: { id: number; target: string }, deadSince: number | null) {
      const { numUpdatedRows } = await tx
        .updateTable("links")
        .set({ dead_since: deadSince })
        .where("id", "=", id)
        .where("target", "=", target)
        .executeTakeFirst();
      return Number(numUpdatedRows) > 0;
    },
  };
}
