/** Reports on the clicks of a range, from rollups. Clicks during an answer may be in it in part. */
import type { Database } from "../../db/database.ts";
import type { Clock } from "../../lib/clock.ts";
import { isKeyText, linkNotFound } from "../../links/code.ts";
import { type BucketCounts, createCountRepository } from "./counts.repository.ts";
import { type BucketFacts, joinParts, settleDays, settleHours } from "./edges.ts";
import { type SumParts, splitSpan, type DateRange, sequence, spanOf, trendOf, withMonths } from "./range.ts";
import { type DeviceShares, deviceShares, MOST_PROFILES, sharesOf } from "./percentages.ts";
import { createValueRepository, type ValueShare } from "./values.repository.ts";
import { type Place, parsePlaceValue } from "../rollups/dimensions.ts";
import { BUCKETS, type Unit } from "../rollups/time-buckets.ts";

export type Trend = { labels: string[]; values: number[] };
export type Share = { clicks: number; percentage: number };
export type ReferrerShare = Share & { referrer: string };
export type PlaceShare = Share & Place;

export type LinkReport = {
  /** The key; see links/link-key.ts. */
  code: string;
  clicks: number;
  trend: Trend;
  referrers: ReferrerShare[];
  places: PlaceShare[];
};

/** Ranges as from parseRange, limits bounded by the caller. */
export type Analytics = {
  /** Every bucket of the range in order. @throws BadRequest beyond 10,000 buckets */
  trend(range: DateRange, unit: Unit): Promise<Trend>;
  /** Even of deleted links, most clicks first. */
  top(range: DateRange, limit: number): Promise<{ code: string; clicks: number }[]>;
  referrers(range: DateRange, limit: number): Promise<ReferrerShare[]>;
  places(range: DateRange, limit: number): Promise<PlaceShare[]>;
  devices(range: DateRange, limit: number): Promise<DeviceShares>;
  /** @throws LinkNotFound; BadRequest like trend */
  link(key: string, range: DateRange): Promise<LinkReport>;
  /** @throws LinkNotFound */
  linkDevices(key: string, range: DateRange, limit: number): Promise<DeviceShares>;
};

const ALL_LINKS = 0;
const LINK_REFERRERS = 10;
const LINK_PLACES = 20;

type Deps = { database: Pick<Database, "read" | "findLink">; clock: Clock };

export function createAnalytics({ database, clock }: Deps): Analytics {
  const counts = createCountRepository(database);
  const values = createValueRepository(database);

  const countFacts = (linkId: number): BucketFacts => ({
    day: async (day) => (await counts.dayCounts(linkId, [day])).get(day) ?? 0,
    hours: (hours) => counts.hourCounts(linkId, hours),
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

  async function trend(linkId: number, range: DateRange, unit: Unit): Promise<Trend> {
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
    const sums = labels.map(() => 0);
    const add = (instant: number, clicks: number) => {
      const at = BUCKETS[unit].of(instant) - first;
      if (at < sums.length) sums[at]! += clicks;
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
    return { labels, values: sums };
  }

  const cutValues = (linkId: number, range: DateRange): Promise<SumParts> =>
    cutDays(range, valueFacts(linkId), linkId === ALL_LINKS);

  async function places(cut: SumParts, limit: number): Promise<PlaceShare[]> {
    const [share, total] = await Promise.all([
      values.share("place", ALL_LINKS, cut, limit),
      values.total("referrer", ALL_LINKS, cut),
    ]);
    return placesOf(share, total);
  }

  async function devices(linkId: number, range: DateRange, limit: number): Promise<DeviceShares> {
    const cut = await cutValues(linkId, range);
    return deviceShares(await values.share("agent", linkId, cut, MOST_PROFILES), limit);
  }

  async function idOf(key: string): Promise<number> {
    const id = isKeyText(key) ? await counts.linkId(key) : null;
    if (id === null) throw linkNotFound(key);
    return id;
  }

  return {
    trend: (range, unit) => trend(ALL_LINKS, range, unit),
    top: async (range, limit) => counts.top(await cutDays(range, countFacts(ALL_LINKS), true), limit),
    async referrers(range, limit) {
      return referrersOf(await values.share("referrer", ALL_LINKS, await cutValues(ALL_LINKS, range), limit));
    },
    places: async (range, limit) => places(await cutValues(ALL_LINKS, range), limit),
    devices: (range, limit) => devices(ALL_LINKS, range, limit),
    async link(key, range) {
      const id = await idOf(key);
      const [shown, cut] = await Promise.all([trend(id, range, "day"), cutValues(id, range)]);
      const [byReferrer, byPlace] = await Promise.all([
        values.share("referrer", id, cut, LINK_REFERRERS),
        values.share("place", id, cut, LINK_PLACES),
      ]);
      return {
        code: key,
        clicks: shown.values.reduce((sum, clicks) => sum + clicks, 0),
        trend: shown,
        referrers: referrersOf(byReferrer),
        places: placesOf(byPlace, byReferrer.total),
      };
    },
    linkDevices: async (key, range, limit) => devices(await idOf(key), range, limit),
  };
}

const referrersOf = (share: ValueShare): ReferrerShare[] =>
  sharesOf(share, share.total).map(({ value, ...rest }) => ({ referrer: value, ...rest }));

/** Of all clicks, even from unknown places. */
const placesOf = (share: ValueShare, total: number): PlaceShare[] =>
  sharesOf(share, total).map(({ value, ...rest }) => ({ ...parsePlaceValue(value), ...rest }));
