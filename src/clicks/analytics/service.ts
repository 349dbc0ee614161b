/** Reports on the clicks of a range, from rollups. An answer may include a part of the clicks that come meanwhile. */
import type { Database } from "../../db/database.ts";
import type { Clock } from "../../lib/clock.ts";
import { type ClickSum, countOf, type Visitors } from "../../lib/visitors.ts";
import { isKeyText, linkNotFound } from "../../links/link/code.ts";
import { type BucketCounts, createCountRepository } from "./counts.repository.ts";
import { type BucketFacts, joinParts, settleDays, settleHours } from "./edges.ts";
import { type SumParts, splitSpan, type DateRange, sequence, spanOf, trendOf, withMonths } from "./range.ts";
import { createNewestClicks } from "./newest.ts";
import type { NewestClick } from "./newest.repository.ts";
import {
  byCountry,
  type DeviceShares,
  deviceShares,
  MOST_PLACES,
  MOST_PROFILES,
  sharesOf,
} from "./percentages.ts";
import { createValueRepository, type ValueShare } from "./values.repository.ts";
import { type Place, parsePlaceValue } from "../rollups/dimensions.ts";
import { BUCKETS, type Unit } from "../rollups/time-buckets.ts";

/** `values`: of the chosen visitors; `human` and `automated` do not depend on the choice. */
export type Trend = { labels: string[]; values: number[]; human: number[]; automated: number[] };
/** `clicks`: of the chosen visitors; `both` does not depend on the choice. */
export type Share = { clicks: number; percentage: number; both: ClickSum };
export type TopLink = { code: string; clicks: number; both: ClickSum };
export type ReferrerShare = Share & { referrer: string };
export type PlaceShare = Share & Place;
export type PlaceUnit = "country" | "city";

export type LinkReport = Awaited<ReturnType<Analytics["link"]>>;

/**
 * Ranges as from parseRange, limits bounded by the caller, visitors all by default. With `key` the clicks of that link,
 * else of all. @throws LinkNotFound for an unknown key
 */
export type Analytics = ReturnType<typeof createAnalytics>;

const ALL_LINKS = 0;
const LINK_REFERRERS = 10;
const LINK_PLACES = 20;

type Deps = { database: Pick<Database, "read" | "findLink">; clock: Clock };

export function createAnalytics({ database, clock }: Deps) {
  const counts = createCountRepository(database);
  const values = createValueRepository(database);
  const newest = createNewestClicks(database, clock.now);

  const countFacts = (linkId: number): BucketFacts => ({
    day: async (day) => (await counts.dayCounts(linkId, [day])).get(day)?.clicks ?? 0,
    hours: async (hours) => totalsOf(await counts.hourCounts(linkId, hours)),
    rawRows: (span) => counts.clicksInSmall(linkId, span),
  });
  const valueFacts = (linkId: number): BucketFacts => ({
    day: (day) => values.dayTotal(linkId, day),
    hours: linkId === ALL_LINKS ? values.hourTotals : null,
    rawRows: (span) => counts.clicksInSmall(linkId, span),
  });

  /** Whole months only if `useMonths`. */
  async function cutDays(range: DateRange, facts: BucketFacts, useMonths: boolean): Promise<SumParts> {
    const span = spanOf(range, useMonths ? "month" : "day", clock.now());
    const { whole, edges } = splitSpan("day", span);
    const [oldest, settled] = await Promise.all([counts.oldest(), settleDays(edges, facts)]);
    const { months, days } = useMonths
      ? withMonths(whole)
      : { months: [], days: sequence(whole.from, whole.to) };
    return joinParts([{ months, days: days.filter((day) => day >= (oldest.day ?? day + 1)) }, settled]);
  }

  async function cutHours(range: DateRange, facts: BucketFacts): Promise<SumParts> {
    const { whole, edges } = splitSpan("hour", spanOf(range, "hour", clock.now()));
    const [oldest, totals] = await Promise.all([
      counts.oldest(),
      facts.hours?.(edges.map((edge) => edge.bucket)) ?? new Map<number, number>(),
    ]);
    const hours = sequence(Math.max(whole.from, oldest.hour ?? whole.to), whole.to);
    return joinParts([{ hours }, await settleHours(edges, totals, facts)]);
  }

  async function trend(
    linkId: number,
    range: DateRange,
    unit: Unit,
    visitors: Visitors,
  ): Promise<Trend & { sums: ClickSum[] }> {
    const { first, labels } = trendOf(range, unit);
    const facts = countFacts(linkId);
    const cut =
      unit === "hour" ? await cutHours(range, facts) : await cutDays(range, facts, unit === "month");
    const [months, days, hours, ...spans] = await Promise.all([
      counts.monthCounts(linkId, cut.months),
      counts.dayCounts(linkId, cut.days),
      counts.hourCounts(linkId, cut.hours),
      ...cut.spans.map((span) => counts.clicksIn(linkId, span)),
    ]);
    const sums = labels.map((): ClickSum => ({ clicks: 0, automated: 0 }));
    const add = (instant: number, { clicks, automated }: ClickSum) => {
      const sum = sums[BUCKETS[unit].of(instant) - first];
      if (sum === undefined) return;
      sum.clicks += clicks;
      sum.automated += automated;
    };
    const addAll = (finer: "hour" | "day" | "month", found: BucketCounts) => {
      for (const [bucket, clicks] of found) {
        // The first bucket may begin before the range.
        add(Math.max(BUCKETS[finer].startOf(bucket), range.start), clicks);
      }
    };
    addAll("month", months);
    addAll("day", days);
    addAll("hour", hours);
    for (const [at, { from }] of cut.spans.entries()) add(from, spans[at]!);
    const valuesOf = (shown: Visitors) => sums.map((sum) => countOf(sum, shown));
    return {
      labels,
      values: valuesOf(visitors),
      human: valuesOf("human"),
      automated: valuesOf("automated"),
      sums,
    };
  }

  const cutValues = (linkId: number, range: DateRange): Promise<SumParts> =>
    cutDays(range, valueFacts(linkId), linkId === ALL_LINKS);

  async function idOf(key: string | undefined): Promise<number> {
    if (key === undefined) return ALL_LINKS;
    const id = isKeyText(key) ? await counts.linkId(key) : null;
    if (id === null) throw linkNotFound(key);
    return id;
  }

  return {
    /** Every bucket of the range in order. @throws BadRequest beyond 10,000 buckets */
    async trend(range: DateRange, unit: Unit, visitors: Visitors = "all", key?: string): Promise<Trend> {
      const { sums: _, ...shown } = await trend(await idOf(key), range, unit, visitors);
      return shown;
    },
    /** Even of deleted links, most clicks first. */
    async top(range: DateRange, limit: number, visitors: Visitors = "all"): Promise<TopLink[]> {
      const found = await counts.top(await cutDays(range, countFacts(ALL_LINKS), true), limit, visitors);
      return found.map(({ code, ...both }) => ({ code, clicks: countOf(both, visitors), both }));
    },
    async referrers(range: DateRange, limit: number, visitors: Visitors = "all"): Promise<ReferrerShare[]> {
      const cut = await cutValues(ALL_LINKS, range);
      return referrersOf(await values.share("source", ALL_LINKS, cut, limit, visitors));
    },
    /** `by` country: each once, without cities. */
    async places(
      range: DateRange,
      limit: number,
      visitors: Visitors = "all",
      by: PlaceUnit = "city",
      key?: string,
    ): Promise<PlaceShare[]> {
      const id = await idOf(key);
      const cut = await cutValues(id, range);
      const [share, total] = await Promise.all([
        values.share("place", id, cut, by === "country" ? MOST_PLACES : limit, visitors),
        values.total("source", id, cut, visitors),
      ]);
      const shown = by === "country" ? byCountry(share) : share;
      return placesOf({ ...shown, values: shown.values.slice(0, limit) }, total);
    },
    /** Newest first, those with details; limit ≤ 100. */
    newest: async (
      range: DateRange,
      limit: number,
      visitors: Visitors = "all",
      key?: string,
    ): Promise<NewestClick[]> => newest(await idOf(key), range, limit, visitors),
    async devices(
      range: DateRange,
      limit: number,
      visitors: Visitors = "all",
      key?: string,
    ): Promise<DeviceShares> {
      const id = await idOf(key);
      const cut = await cutValues(id, range);
      return deviceShares(await values.share("agent", id, cut, MOST_PROFILES, visitors), limit);
    },
    /** By day unless another unit is given. @throws BadRequest like trend */
    async link(key: string, range: DateRange, visitors: Visitors = "all", unit: Unit = "day") {
      const id = await idOf(key);
      const [{ sums, ...shown }, cut] = await Promise.all([
        trend(id, range, unit, visitors),
        cutValues(id, range),
      ]);
      const [byReferrer, byPlace] = await Promise.all([
        values.share("source", id, cut, LINK_REFERRERS, visitors),
        values.share("place", id, cut, LINK_PLACES, visitors),
      ]);
      const both = sums.reduce(
        (all, { clicks, automated }) => ({
          clicks: all.clicks + clicks,
          automated: all.automated + automated,
        }),
        { clicks: 0, automated: 0 },
      );
      return {
        /** The key; see links/link/key.ts. */
        code: key,
        clicks: countOf(both, visitors),
        both,
        trend: shown,
        referrers: referrersOf(byReferrer),
        places: placesOf(byPlace, byReferrer.total),
      };
    },
  };
}

const totalsOf = (counts: BucketCounts): ReadonlyMap<number, number> =>
  new Map([...counts].map(([bucket, { clicks }]) => [bucket, clicks]));

const referrersOf = (share: ValueShare): ReferrerShare[] =>
  sharesOf(share, share.total).map(({ value, ...rest }) => ({ referrer: value, ...rest }));

/** In percent of all clicks, even those from unknown places. */
const placesOf = (share: ValueShare, total: number): PlaceShare[] =>
  sharesOf(share, total).map(({ value, ...rest }) => ({ ...parsePlaceValue(value), ...rest }));
