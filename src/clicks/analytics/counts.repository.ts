/** Clicks by time and link, from the rollups and, for spans, from raw rows. */
import { type ExpressionBuilder, sql } from "kysely";
import type { Database } from "../../platform/db/database.ts";
import type { Db } from "../../platform/db/dialect.ts";
import type { Schema } from "../../platform/db/schema.ts";
import type { LinkSet } from "../../links/list/link-set.repository.ts";
import { type ClickSum, clickSumOf, NO_CLICKS, plus } from "../../lib/visitors.ts";
import {
  isAmong,
  isSummed,
  rawRows,
  rawSums,
  sumRows,
  summedOf,
  type SelectedClicks,
  type Summed,
} from "./click-columns.repository.ts";
import { TOTAL } from "../rollups/sums.ts";
import { SUM_UNITS, type SumParts, type SumUnit } from "./range.ts";
import type { Calendar } from "../rollups/calendar.ts";
import { type Span } from "../rollups/time-buckets.ts";

/** Buckets without clicks are missing. */
export type BucketCounts = ReadonlyMap<number, ClickSum>;

/** Raw rows are counted in buckets of at most this many clicks. */
export const MOST_RAW_ROWS = 100_000;

const NO_DETAILS = { details: null };

export type CountRepository = ReturnType<typeof createCountRepository>;

export function createCountRepository({ read, findLink }: Database) {
  return {
    ...createKept(read),

    linkId: async (code: string): Promise<number | null> => (await findLink(code))?.id ?? null,

    /** Counts clicks by the sums of one unit. */
    async inBuckets(
      unit: SumUnit,
      links: LinkSet | null,
      list: readonly number[],
      of: Summed = "clicks",
    ): Promise<BucketCounts> {
      const own = sumRows(read, unit, list, of).where(isSummed(links) as never);
      return countsOf(
        list,
        own
          .select(`${unit} as bucket` as "hour as bucket")
          .select(summed)
          .groupBy(unit as "hour"),
      );
    },

    /** Counts clicks of consecutive hours, by the number of the hour and `ahead` modulo `cycle`. */
    hoursWithin(
      links: LinkSet | null,
      list: readonly number[],
      { ahead, cycle }: { ahead: number; cycle: number },
    ): Promise<BucketCounts> {
      const bucket = sql<number>`(hour + ${sql.lit(ahead)}) % ${sql.lit(cycle)}`;
      const within = read
        .selectFrom("click_hours")
        .where("hour", ">=", list[0] ?? 0)
        .where("hour", "<=", list.at(-1) ?? 0)
        .where(isSummed(links) as never);
      return countsOf(list, within.select(bucket.as("bucket")).select(summed).groupBy(bucket));
    },

    async total(cut: SumParts, selected: SelectedClicks): Promise<ClickSum> {
      const { links } = selected;
      const of = summedOf(selected);
      const found = await Promise.all(
        SUM_UNITS.map((unit) => this.inBuckets(unit, links, cut[`${unit}s`], of)),
      );
      const spans = await Promise.all(cut.spans.map((span) => this.clicksIn(selected, span)));
      return [...found.flatMap((sums) => [...sums.values()]), ...spans].reduce(plus, NO_CLICKS);
    },

    /** Counts raw rows. */
    async clicksIn(selected: SelectedClicks, span: Span): Promise<ClickSum> {
      const rows = rawRows(read, selected, span);
      return clickSumOf(await rows.select(rawSums).executeTakeFirstOrThrow());
    },

    /**
     * Counts raw rows by the multiple of `ms` before a click on a clock that is `offset` ahead of UTC; with `cycleMs` by
     * the remainder.
     */
    async clicksEvery(
      { ms, offset, cycleMs }: { ms: number; offset: number; cycleMs?: number },
      selected: SelectedClicks,
      span: Span,
    ): Promise<BucketCounts> {
      const local = sql`(clicked_at + ${sql.lit(offset)})`;
      const exact = sql`(${local} - ${local} % ${sql.lit(ms)})`;
      const at = cycleMs === undefined ? sql<number>`${exact}` : sql<number>`${exact} % ${sql.lit(cycleMs)}`;
      const rows = rawRows(read, selected, span).select(rawSums).select(at.as("instant")).groupBy(at);
      const found = await rows.execute();
      return new Map(found.map(({ instant, ...sum }) => [Number(instant), clickSumOf(sum)]));
    },

    /** NaN if the span has more than `most` raw rows of all links. */
    async clicksInSmall(links: LinkSet | null, span: Span, most = MOST_RAW_ROWS): Promise<number> {
      const rows = rawRows(read, { links: null, ...NO_DETAILS }, span)
        .select("link_id")
        .limit(most + 1);
      const isOwn = links === null ? sql<boolean>`1 = 1` : isAmong(links);
      const { seen, own } = await read
        .selectFrom(rows.as("row"))
        .select((eb) => [
          eb.fn.countAll<number>().as("seen"),
          eb.fn
            .sum<number | null>(
              eb
                .case()
                .when(isOwn as never)
                .then(1)
                .else(0)
                .end(),
            )
            .as("own"),
        ])
        .executeTakeFirstOrThrow();
      if (Number(seen) > most) return Number.NaN;
      return Number(own ?? 0);
    },
  };
}

/** What is there. */
function createKept(read: Db) {
  return {
    /** Days and months of a range in which any of the links has clicks. */
    async clicked(unit: "day" | "month", links: LinkSet | null, { from, to }: Span): Promise<Set<number>> {
      const rows = await read
        .selectFrom(`click_${unit}s` as "click_hours")
        .select(`${unit} as bucket` as "hour as bucket")
        .distinct()
        .where(unit as "hour", ">=", from)
        .where(unit as "hour", "<", to)
        .where(isSummed(links) as never)
        .execute();
      return new Set(rows.map(({ bucket }) => bucket));
    },

    /** The days of a range whose visitors are known. */
    async visitorDays({ from, to }: Span): Promise<number[]> {
      const rows = await read
        .selectFrom("visitor_days")
        .select("day")
        .where("link_id", "=", TOTAL)
        .where("day", ">=", from)
        .where("day", "<", to)
        .execute();
      return rows.map(({ day }) => day);
    },

    /** The oldest hour and day in the rollups, or null. */
    async oldest(): Promise<{ hour: number | null; day: number | null }> {
      const [hour, day] = await Promise.all([
        read.selectFrom("click_hours").select("hour").orderBy("hour").limit(1).executeTakeFirst(),
        read.selectFrom("click_days").select("day").orderBy("day").limit(1).executeTakeFirst(),
      ]);
      return { hour: hour?.hour ?? null, day: day?.day ?? null };
    },

    async oldestDetail(): Promise<number | null> {
      const oldest = read.selectFrom("click_log").select("clicked_at").orderBy("clicked_at").limit(1);
      return (await oldest.executeTakeFirst())?.clicked_at ?? null;
    },

    /** Whether any link has clicks, by whole days and the hours that are kept, and by the months before the oldest day. */
    async hasClicks({ from, to }: Span, { day, hour, month }: Calendar): Promise<boolean> {
      const { day: oldest } = await this.oldest();
      const endOfMonths = oldest === null ? month.of(to) + 1 : month.of(day.startOf(oldest));
      const ofMonths = read
        .selectFrom("click_months")
        .where("month", ">=", month.of(from))
        .where("month", "<", endOfMonths);
      const ofDays = read
        .selectFrom("click_days")
        .where("day", ">=", day.of(from))
        .where("day", "<", day.of(to));
      const ofHours = read
        .selectFrom("click_hours")
        .where("hour", ">=", hour.of(from))
        .where("hour", "<", hour.of(to));
      const found = await Promise.all([
        ofDays.select("day").limit(1).executeTakeFirst(),
        ofHours.select("hour").limit(1).executeTakeFirst(),
        ofMonths.select("month").limit(1).executeTakeFirst(),
      ]);
      return found.some((row) => row !== undefined);
    },
  };
}

const summed = (eb: ExpressionBuilder<Schema, "click_hours">) => [
  eb.fn.sum<number>("clicks").as("clicks"),
  eb.fn.sum<number>("automated").as("automated"),
];

async function countsOf(
  list: readonly number[],
  query: { execute(): Promise<({ bucket: number } & ClickSum)[]> },
): Promise<BucketCounts> {
  const rows = list.length === 0 ? [] : await query.execute();
  return new Map(rows.map(({ bucket, ...sum }) => [bucket, clickSumOf(sum)]));
}
