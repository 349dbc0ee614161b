/** Rollups for rebuild.ts, in the transaction that holds the month's lock. */
import { chunked, foundInChunks } from "../../lib/chunked.ts";
import { type Expression, type ExpressionBuilder, type SqlBool, sql } from "kysely";
import type { Database } from "../../platform/db/database.ts";
import type { Db, Rows } from "../../platform/db/dialect.ts";
import { noteChangedDays } from "./repository.ts";
import { detailedClicksOf } from "./values.repository.ts";
import {
  DIMENSIONS,
  DIMENSION_NAMES,
  COLUMN_DIMENSIONS,
  COLUMN_OF,
  type ColumnValues,
  MONTHLY_OF_LINKS,
} from "./dimensions.ts";
import { type ClickSum, clickSumOf } from "../../lib/visitors.ts";
import { raiseTo } from "./sums.ts";
import { sequence, type Span } from "./time-buckets.ts";
import type { RowFields, Schema } from "../../platform/db/schema.ts";

const PAGE = 1_000;
/** Links per `in (…)`. */
const CHUNK = 500;
const COUNTS = ["clicks", "automated"] as const;
const SUMS = [
  sql<number | null>`sum(clicks)`.as("clicks"),
  sql<number | null>`sum(automated)`.as("automated"),
] as const;

export const createRebuildRepository = (database: Database) => ({
  ...countRows(database),
  ...detailRows(database),
});

/** Clicks by hour, day and month. */
function countRows({ dialect }: Database) {
  return {
    /** Keeps flushes out of a month until the transaction ends. */
    async lockMonth(db: Db, month: number): Promise<void> {
      await dialect.insertIgnore(
        db,
        "click_months",
        ["month", "link_id"],
        [{ month, link_id: 0, clicks: 0 }],
      );
      await db
        .selectFrom("click_months")
        .select("clicks")
        .where("month", "=", month)
        .where("link_id", "=", 0)
        .$call(dialect.forUpdate)
        .execute();
    },

    /** Link 0: the total. */
    async dayCounts(db: Db, day: number, links: readonly number[]): Promise<Map<number, ClickSum>> {
      const query = db
        .selectFrom("click_days")
        .select(["link_id", "clicks", "automated"])
        .where("day", "=", day);
      const rows = await foundInChunks(links, CHUNK, (chunk) =>
        query.where("link_id", "in", chunk).execute(),
      );
      return new Map(rows.map(({ link_id, ...sum }) => [link_id, sum]));
    },

    async hourCounts(db: Db, hours: readonly number[], links: readonly number[]) {
      if (hours.length === 0) return [];
      const query = db
        .selectFrom("click_hours")
        .select(["hour", "link_id as linkId", "clicks", "automated"])
        .where("hour", "in", hours);
      return foundInChunks(links, CHUNK, (chunk) => query.where("link_id", "in", chunk).execute());
    },

    /** All links together. */
    async hourSums(db: Db, hours: readonly number[]): Promise<Map<number, ClickSum>> {
      if (hours.length === 0) return new Map();
      const rows = await db
        .selectFrom("click_hours")
        .select(["hour", ...SUMS])
        .where("hour", "in", hours)
        .where("link_id", "<>", 0)
        .groupBy("hour")
        .execute();
      return new Map(rows.map((row) => [row.hour, clickSumOf(row)]));
    },

    async daySum(db: Db, day: number): Promise<ClickSum> {
      const sum = await db
        .selectFrom("click_days")
        .select(SUMS)
        .where("day", "=", day)
        .where("link_id", "<>", 0)
        .executeTakeFirstOrThrow();
      return clickSumOf(sum);
    },

    setHours: (db: Db, rows: Rows<"click_hours">) =>
      dialect.upsert(db, { table: "click_hours", keys: ["hour", "link_id"], set: COUNTS }, rows),
    setDays: (db: Db, rows: Rows<"click_days">) =>
      dialect.upsert(db, { table: "click_days", keys: ["day", "link_id"], set: COUNTS }, rows),

    /** Raises them to at least the sums of their days (see raiseTo). Returns the number of changed links. */
    async raiseMonths(db: Db, month: number, days: Span): Promise<number> {
      const short = db
        .selectFrom("click_days as d")
        .leftJoin("click_months as m", (join) =>
          join.onRef("m.link_id", "=", "d.link_id").on("m.month", "=", month),
        )
        .select((eb) => [
          "d.link_id",
          eb.fn.sum<number>("d.clicks").as("clicks"),
          eb.fn.sum<number>("d.automated").as("automated"),
          eb.fn.coalesce("m.clicks", eb.lit(0)).as("hadClicks"),
          eb.fn.coalesce("m.automated", eb.lit(0)).as("hadAutomated"),
        ])
        .where("d.day", ">=", days.from)
        .where("d.day", "<", days.to)
        .groupBy(["d.link_id", "m.clicks", "m.automated"])
        .having(
          sql<boolean>`sum(d.clicks) > coalesce(m.clicks, 0) or sum(d.automated) > coalesce(m.automated, 0)
            or (sum(d.clicks) = m.clicks and sum(d.automated) <> m.automated)`,
        )
        .limit(PAGE);
      for (let raised = 0; ; ) {
        const rows = await short.execute();
        if (rows.length === 0) return raised;
        raised += rows.length;
        await dialect.upsert(
          db,
          { table: "click_months", keys: ["month", "link_id"], set: COUNTS },
          rows.map((row) => {
            const had = { clicks: Number(row.hadClicks), automated: Number(row.hadAutomated) };
            return { month, link_id: row.link_id, ...raiseTo(had, clickSumOf(row)) };
          }),
        );
      }
    },
  };
}

/** The values of details. */
function detailRows({ dialect }: Database) {
  return {
    async setProfiles(db: Db, agents: readonly { id: number; value_id: number }[]): Promise<void> {
      await dialect.updateMany(db, { table: "user_agents", key: "id", set: ["value_id"] }, agents);
    },

    /** Clicks with details. */
    async detailCounts(db: Db, day: number, links: readonly number[]): Promise<Map<number, number>> {
      const query = db
        .selectFrom("click_dim_days")
        .select((eb) => ["link_id", eb.fn.sum<number>("clicks").as("clicks")])
        .where("day", "=", day)
        .where("dimension", "=", DIMENSIONS.source)
        .groupBy("link_id");
      const rows = await foundInChunks(links, CHUNK, (chunk) =>
        query.where("link_id", "in", chunk).execute(),
      );
      return new Map(rows.map((row) => [row.link_id, Number(row.clicks)]));
    },

    hourDetailCounts: detailedClicksOf,

    async replaceDayValues(db: Db, day: number, links: readonly number[], rows: Rows<"click_dim_days">) {
      for (const chunk of chunked(links, CHUNK)) {
        await db.deleteFrom("click_dim_days").where("day", "=", day).where("link_id", "in", chunk).execute();
      }
      await dialect.insertMany(db, "click_dim_days", rows);
      await noteChangedDays(db, [day]);
    },

    async replaceHourValues(db: Db, hours: readonly number[], rows: Rows<"click_dim_hours">) {
      if (hours.length > 0) await db.deleteFrom("click_dim_hours").where("hour", "in", hours).execute();
      await dialect.insertMany(db, "click_dim_hours", rows);
    },

    /** Sets them to the sums of its days, unless the days have less: retention takes those first. */
    async replaceMonthValues(db: Db, month: number, days: Span): Promise<void> {
      for (const name of DIMENSION_NAMES) {
        const dimension = DIMENSIONS[name];
        const byDay = db
          .selectFrom("click_dim_days")
          .where("day", "in", sequence(days.from, days.to))
          .where("dimension", "=", dimension)
          .$if(name !== MONTHLY_OF_LINKS, (query) => query.where("link_id", "=", 0));
        const byMonth = db
          .selectFrom("click_dim_months")
          .where("month", "=", month)
          .where("dimension", "=", dimension)
          .$if(name !== MONTHLY_OF_LINKS, (query) => query.where("link_id", "=", 0));
        const [has, had] = [
          await byDay.select((eb) => eb.fn.sum<number | null>("clicks").as("clicks")).executeTakeFirst(),
          await byMonth.select((eb) => eb.fn.sum<number | null>("clicks").as("clicks")).executeTakeFirst(),
        ].map((row) => Number(row?.clicks ?? 0)) as [number, number];
        if (has < had || has === 0) continue;
        await db
          .deleteFrom("click_dim_months")
          .where("month", "=", month)
          .where("dimension", "=", dimension)
          .execute();
        await db
          .insertInto("click_dim_months")
          .columns(["month", "link_id", "dimension", "value_id", "clicks", "automated"])
          .expression(
            byDay
              .select((eb) => [
                eb.lit(month).as("month"),
                "link_id",
                eb.lit(dimension).as("dimension"),
                "value_id",
                eb.fn.sum<number>("clicks").as("clicks"),
                eb.fn.sum<number>("automated").as("automated"),
              ])
              .groupBy(["link_id", "value_id"]),
          )
          .execute();
      }
    },
  };
}

export type RawClick = ColumnValues &
  Pick<
    RowFields<"click_log">,
    "id" | "linkId" | "clickedAt" | "source" | "country" | "city" | "userAgentId" | "automated"
  >;

const COLUMNS = COLUMN_DIMENSIONS.map((name) => `${COLUMN_OF[name]} as ${name}` as const);

/** A place in the click log, whose order is that of time, link and id. */
export type LogPosition = Pick<RowFields<"click_log">, "clickedAt" | "linkId" | "id">;

/** Tests rows that are not before the position's time; in descending order, those that are not after it. */
export const isBeyond =
  ({ clickedAt, linkId, id }: LogPosition, order: "asc" | "desc" = "asc") =>
  (eb: ExpressionBuilder<Schema, "click_log">): Expression<SqlBool> => {
    const beyond = order === "asc" ? ">" : "<";
    return eb.or([
      eb("clicked_at", beyond, clickedAt),
      eb("link_id", beyond, linkId),
      eb.and([eb("link_id", "=", linkId), eb("id", beyond, id)]),
    ]);
  };

/** Reads the click log. */
export function createRawRepository({ read }: Database) {
  return {
    /** The time of the first click, or null without raw rows. */
    async firstClick({ from, to }: Span): Promise<number | null> {
      const row = await read
        .selectFrom("click_log")
        .select("clicked_at")
        .where("clicked_at", ">=", from)
        .where("clicked_at", "<", to)
        .orderBy("clicked_at")
        .limit(1)
        .executeTakeFirst();
      return row?.clicked_at ?? null;
    },

    async lastClick(): Promise<number | null> {
      const query = read.selectFrom("click_log").select("clicked_at").orderBy("clicked_at", "desc");
      return (await query.limit(1).executeTakeFirst())?.clicked_at ?? null;
    },

    async *clicks(db: Db, { from, to }: Span): AsyncGenerator<RawClick[], void> {
      let last: RawClick | undefined;
      for (;;) {
        const after = last;
        const page: RawClick[] = await db
          .selectFrom("click_log")
          .select(["id", "link_id as linkId", "clicked_at as clickedAt", "source", "country", "city"])
          .select(["user_agent_id as userAgentId", "automated", ...COLUMNS])
          .where("clicked_at", ">=", after?.clickedAt ?? from)
          .where("clicked_at", "<", to)
          .$if(after !== undefined, (query) => query.where(isBeyond(after!)))
          .orderBy("clicked_at")
          .orderBy("link_id")
          .orderBy("id")
          .limit(PAGE)
          .execute();
        if (page.length > 0) yield page;
        if (page.length < PAGE) return;
        last = page.at(-1)!;
      }
    },

    async sumClicks(db: Db, { from, to }: Span): Promise<ClickSum> {
      const { clicks, automated } = await db
        .selectFrom("click_log")
        .select((eb) => [
          eb.fn.countAll<number>().as("clicks"),
          eb.fn.sum<number | null>("automated").as("automated"),
        ])
        .where("clicked_at", ">=", from)
        .where("clicked_at", "<", to)
        .executeTakeFirstOrThrow();
      return { clicks: Number(clicks), automated: Number(automated ?? 0) };
    },

    /** `text`: empty if it was deleted; `profile` stays. */
    userAgents: (ids: readonly number[]) =>
      read
        .selectFrom("user_agents")
        .leftJoin("click_values as value", "value.id", "user_agents.value_id")
        .select(["user_agents.id", "text", "value_id as valueId", "user_agents.seen_day as seenDay"])
        .select("value.value as profile")
        .where("user_agents.id", "in", ids)
        .execute(),
  };
}
