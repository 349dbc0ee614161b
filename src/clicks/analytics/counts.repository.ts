/** Clicks by time and link, from the rollups and, for spans, from raw rows. Link 0 is all links together. */
import { sql, type SelectQueryBuilder } from "kysely";
import type { Database } from "../../db/database.ts";
import type { Schema } from "../../db/schema.ts";
import type { ClickSum, Visitors } from "../../lib/visitors.ts";
import { clicksOf, rawSums } from "./click-columns.repository.ts";
import { MOST_RAW_ROWS } from "./edges.ts";
import type { SumParts } from "./range.ts";
import type { Span } from "../rollups/time-buckets.ts";

/** Buckets without clicks are missing. */
export type BucketCounts = ReadonlyMap<number, ClickSum>;

type LinkCounts = SelectQueryBuilder<Schema, never, { link_id: number } & ClickSum>;

export function createCountRepository({ read, findLink }: Pick<Database, "read" | "findLink">) {
  const months = (list: readonly number[]) => read.selectFrom("click_months").where("month", "in", list);
  const days = (list: readonly number[]) => read.selectFrom("click_days").where("day", "in", list);
  const hours = (list: readonly number[]) => read.selectFrom("click_hours").where("hour", "in", list);
  const rawRows = ({ from, to }: Span) =>
    read.selectFrom("click_log").where("clicked_at", ">=", from).where("clicked_at", "<", to);

  return {
    async linkId(code: string): Promise<number | null> {
      return (await findLink(code))?.id ?? null;
    },

    /** In the rollups, or null. */
    async oldest(): Promise<{ hour: number | null; day: number | null }> {
      const [hour, day] = await Promise.all([
        read.selectFrom("click_hours").select("hour").orderBy("hour").limit(1).executeTakeFirst(),
        read.selectFrom("click_days").select("day").orderBy("day").limit(1).executeTakeFirst(),
      ]);
      return { hour: hour?.hour ?? null, day: day?.day ?? null };
    },

    monthCounts(linkId: number, list: readonly number[]): Promise<BucketCounts> {
      const own = months(list).where("link_id", "=", linkId);
      return countsOf(list, own.select(["month as bucket", "clicks", "automated"]));
    },

    dayCounts(linkId: number, list: readonly number[]): Promise<BucketCounts> {
      const own = days(list).where("link_id", "=", linkId);
      return countsOf(list, own.select(["day as bucket", "clicks", "automated"]));
    },

    hourCounts(linkId: number, list: readonly number[]): Promise<BucketCounts> {
      const own = hours(list).where("link_id", "=", linkId);
      return countsOf(list, own.select(["hour as bucket", "clicks", "automated"]));
    },

    /** From raw rows. */
    async clicksIn(linkId: number, { from, to }: Span): Promise<ClickSum> {
      const rows = rawRows({ from, to });
      const own = linkId === 0 ? rows : rows.where("link_id", "=", linkId);
      const { clicks, automated } = await own.select(rawSums).executeTakeFirstOrThrow();
      return { clicks: Number(clicks), automated: Number(automated ?? 0) };
    },

    /** NaN if the span has more than 100,000 raw rows of all links. */
    async clicksInSmall(linkId: number, span: Span): Promise<number> {
      const rows = rawRows(span)
        .select("link_id")
        .limit(MOST_RAW_ROWS + 1);
      const { seen, own } = await read
        .selectFrom(rows.as("row"))
        .select((eb) => [
          eb.fn.countAll<number>().as("seen"),
          eb.fn.sum<number | null>(eb.case().when("link_id", "=", linkId).then(1).else(0).end()).as("own"),
        ])
        .executeTakeFirstOrThrow();
      if (Number(seen) > MOST_RAW_ROWS) return Number.NaN;
      return Number((linkId === 0 ? seen : own) ?? 0);
    },

    /**
     * Most clicks of these visitors first, ties by key; limit ≤ 100. A key has the clicks of every link that has or had
     * it.
     */
    async top(cut: SumParts, limit: number, visitors: Visitors): Promise<({ code: string } & ClickSum)[]> {
      const parts: object[] = [];
      if (cut.months.length > 0) parts.push(months(cut.months).select(["link_id", "clicks", "automated"]));
      if (cut.days.length > 0) parts.push(days(cut.days).select(["link_id", "clicks", "automated"]));
      if (cut.hours.length > 0) parts.push(hours(cut.hours).select(["link_id", "clicks", "automated"]));
      for (const span of cut.spans) {
        parts.push(rawRows(span).select("link_id").select(rawSums).groupBy("link_id"));
      }
      const [first, ...others] = parts as LinkCounts[];
      if (first === undefined) return [];
      const all = others.reduce((query, part) => query.unionAll(part), first);
      const sums = read
        .selectFrom(all.as("part"))
        .select((eb) => [
          "part.link_id",
          eb.fn.sum<number>("part.clicks").as("clicks"),
          eb.fn.sum<number>("part.automated").as("automated"),
        ])
        .groupBy("part.link_id");
      const named = read
        .selectFrom(sums.as("sums"))
        .leftJoin("links", "links.id", "sums.link_id")
        .leftJoin("deleted_links", "deleted_links.link_id", "sums.link_id")
        .select((eb) => [
          eb.fn.coalesce("links.code", "deleted_links.code").as("code"),
          "sums.clicks",
          "sums.automated",
        ]);
      const rows = await read
        .selectFrom(named.as("named"))
        .select((eb) => [
          "code",
          eb.fn.sum<number>("clicks").as("total"),
          eb.fn.sum<number>("automated").as("totalAutomated"),
          sql<number>`sum(${clicksOf(visitors)})`.as("shown"),
        ])
        .where("code", "is not", null)
        .$narrowType<{ code: string }>()
        .groupBy("code")
        .$if(visitors !== "all", (query) => query.having(sql<boolean>`sum(${clicksOf(visitors)}) > 0`))
        .orderBy("shown", "desc")
        .orderBy("code")
        .limit(limit)
        .execute();
      return rows.map(({ code, total, totalAutomated }) => ({
        code,
        clicks: Number(total),
        automated: Number(totalAutomated),
      }));
    },
  };
}

async function countsOf(
  list: readonly number[],
  query: { execute(): Promise<({ bucket: number } & ClickSum)[]> },
): Promise<BucketCounts> {
  const rows = list.length === 0 ? [] : await query.execute();
  return new Map(rows.map(({ bucket, ...sum }) => [bucket, sum]));
}
