/** Reports on the clicks of a range, from rollups. A report may include a part of the clicks that come meanwhile. */
import type { Database } from "../../platform/db/database.ts";
import type { Clock } from "../../lib/clock.ts";
import { type ClickSum, countOf, NO_CLICKS, type Visitors, plus } from "../../lib/visitors.ts";
import { type CountRepository, createCountRepository, type BucketCounts } from "./counts.repository.ts";
import { createCuts, type ClickFilter, createSelect, type Cuts, type FilterValue } from "./cuts.ts";
import { type Comparison, comparedRange, type DateRange, parseRange, spanOf } from "./range.ts";
import { type NewestClick, createNewestRepository } from "./log.repository.ts";
import {
  byCountry,
  type DeviceShares,
  deviceShares,
  MOST_PLACES,
  MOST_PROFILES,
  sharesOf,
  type Report,
  report,
  reportsByDetail,
  type ReportBy,
} from "./report.ts";
import { createClickRanking, type RankingRepository } from "./ranking.repository.ts";
import { createSetDays, type SetDaysRepository } from "./set-days.repository.ts";
import { ADMIN_NAME } from "../../lib/owner.ts";
import type { Selection } from "./click-columns.repository.ts";
import { touchedDays, type Trend, trend } from "./trend.ts";
import { createValueRepository, type ValueRepository, type ValueShare } from "./values.repository.ts";
import { type Place, parsePlaceValue } from "../rollups/dimensions.ts";
import { type Calendars, createCalendars } from "../rollups/calendar.repository.ts";
import { type Unit, type Span, sequence } from "../rollups/time-buckets.ts";

/** `clicks`: of the chosen visitors; `both` does not depend on the choice. */
export type Share = { clicks: number; percentage: number; both: ClickSum };
export type TopLink = { code: string; title: string | null; clicks: number; both: ClickSum };
export type ReferrerShare = Share & { referrer: string };
export type PlaceShare = Share & Place;
type PlaceUnit = "country" | "city";

export type LinkReport = Awaited<ReturnType<Analytics["link"]>>;

/**
 * Ranges as from parseRange, limits bounded by the caller, visitors all by default. With `key` the clicks of that link,
 * else of all. @throws LinkNotFound for an unknown key
 */
export type Analytics = ReturnType<typeof createAnalytics>;

const LINK_REFERRERS = 10;
const LINK_PLACES = 20;

type Deps = {
  database: Database;
  clock: Clock;
  /** That a filter by values reads. */
  mostDetails?: number;
};

const MOST_DETAILS = 5_000_000;

export function createAnalytics({ database, clock, mostDetails = MOST_DETAILS }: Deps) {
  const counts = createCountRepository(database);
  const values = createValueRepository(database);
  const ranking = createClickRanking(database);
  const calendars = createCalendars(database);
  const newest = createNewestClicks(database, clock.now);
  const cuts = createCuts({ calendars, counts, values, now: clock.now, mostDetails });
  const select = createSelect({ calendars, counts, values });
  const setDays = createSetDays(database);
  const parts = { counts, values, ranking, cuts, setDays };

  return {
    /** Days, weeks, months and hours as the answers have them. */
    calendar: calendars.current,
    /** The last 30 days if a text is missing or no date. */
    range: async (start: string | undefined, end: string | undefined): Promise<DateRange> =>
      parseRange(start, end, clock.now(), await calendars.current()),
    /** Every bucket of the range in order. @throws BadRequest beyond MOST_BUCKETS */
    async trend(range: DateRange, unit: Unit, filter: ClickFilter = {}): Promise<Trend> {
      const { sums: _, ...shown } = await trend(parts, await select(filter), range, unit);
      return shown;
    },
    /** The trend of the range before; see earlierRange. */
    async compared(range: DateRange, unit: Unit, comparison: Comparison, filter: ClickFilter = {}) {
      const selection = await select(filter);
      const earlier = await earlierRange(cuts, selection, range, { unit, comparison, now: clock.now() });
      const { sums: _, ...shown } = await trend(parts, selection, earlier, unit);
      return { ...shown, range: earlier };
    },
    /** Even of deleted links, most clicks first. */
    async top(range: DateRange, limit: number, filter: ClickFilter = {}): Promise<TopLink[]> {
      const selection = await select(filter);
      const found = await ranking.links(await cuts.days(selection, range, true), limit, selection);
      const titles = await ranking.titles(found, selection);
      return found.map(({ value: code, ...both }) => ({
        code,
        title: titles.get(code) ?? null,
        clicks: countOf(both, selection.visitors),
        both,
      }));
    },
    async referrers(range: DateRange, limit: number, filter: ClickFilter = {}): Promise<ReferrerShare[]> {
      const selection = await select(filter);
      return referrersOf(await values.share("source", selection, await cuts.values(selection, range), limit));
    },
    /** `by` country: each once, without cities. */
    async places(
      range: DateRange,
      limit: number,
      filter: ClickFilter = {},
      by: PlaceUnit = "city",
    ): Promise<PlaceShare[]> {
      const selection = await select(filter);
      const cut = await cuts.values(selection, range);
      const [share, total] = await Promise.all([
        values.share("place", selection, cut, by === "country" ? MOST_PLACES : limit),
        values.total("source", selection, cut),
      ]);
      const shown = by === "country" ? byCountry(share) : share;
      return placesOf({ ...shown, values: shown.values.slice(0, limit) }, total);
    },
    /** Newest first, those with details; limit ≤ 100. */
    newest: async (range: DateRange, limit: number, filter: ClickFilter = {}): Promise<NewestClick[]> =>
      newest(await select(filter), range, limit),
    async devices(range: DateRange, limit: number, filter: ClickFilter = {}): Promise<DeviceShares> {
      const selection = await select(filter);
      const cut = await cuts.values(selection, range);
      return deviceShares(await values.share("agent", selection, cut, MOST_PROFILES), limit);
    },
    /** The report on one link, by day unless another unit is given. @throws BadRequest like trend */
    async link(key: string, range: DateRange, filter: Omit<ClickFilter, "key"> = {}, unit: Unit = "day") {
      const selection = await select({ ...filter, key });
      const [{ sums, ...shown }, cut] = await Promise.all([
        trend(parts, selection, range, unit),
        cuts.values(selection, range),
      ]);
      const [byReferrer, byPlace] = await Promise.all([
        values.share("source", selection, cut, LINK_REFERRERS),
        values.share("place", selection, cut, LINK_PLACES),
      ]);
      const both = await totalOf(parts, selection, range, { unit, sums, unknown: shown.unknown });
      const known = shown.unique?.filter((one) => one !== null);
      return {
        /** The key; see links/link/key.ts. */
        code: key,
        clicks: countOf(both, selection.visitors),
        both,
        /** Unique ones of the days that know them, or undefined. */
        unique: known?.reduce((sum, one) => sum + one, 0),
        trend: shown,
        referrers: referrersOf(byReferrer),
        places: placesOf(byPlace, byReferrer.total),
      };
    },

    selected: select,

    /** Most clicks first; limit ≤ 1,000. */
    async report(by: ReportBy, range: DateRange, limit: number, filter: ClickFilter = {}): Promise<Report> {
      const selection = await select(filter);
      const counted = await report(parts, by, { range, limit, selection });
      const found = by === "link" ? await withTitles(parts, counted, selection) : counted;
      if (!isUnique(by) || selection.details !== null) return found;
      return withUnique(parts, found, by, { range, selection });
    },

    /** Reports by several values of clicks, for less than one by one. */
    async reports<By extends FilterValue>(
      list: readonly By[],
      range: DateRange,
      limit: number,
      filter: ClickFilter = {},
    ): Promise<Record<By, Report>> {
      return reportsByDetail(parts, list, { range, limit, selection: await select(filter) });
    },

    detailsFrom: cuts.detailsFrom,
    ...createDayKeeping({ select, cuts, setDays, values, calendars, clock }),
  };
}

/** A trend lacks what is no longer kept by its unit. Months have all clicks, and of single clicks nothing else is kept. */
async function totalOf(
  { counts, cuts }: { counts: CountRepository; cuts: Cuts },
  selection: Selection,
  range: DateRange,
  { unit, sums, unknown }: { unit: Unit; sums: readonly ClickSum[]; unknown: readonly string[] },
): Promise<ClickSum> {
  const { details } = selection;
  const isRaw = details !== null && details.sums === null;
  // A week that is known may lack some of its days.
  if (unit === "month" || isRaw || (unit !== "week" && unknown.length === 0))
    return sums.reduce(plus, NO_CLICKS);
  return counts.total(await cuts.days(selection, range, true), selection);
}

async function withTitles(
  { ranking }: { ranking: RankingRepository },
  found: Report,
  selection: Selection,
): Promise<Report> {
  const titles = await ranking.titles(found.rows, selection);
  return { ...found, rows: found.rows.map((row) => ({ ...row, title: titles.get(row.value) ?? null })) };
}

type KeepingParts = {
  select: ReturnType<typeof createSelect>;
  cuts: Cuts;
  setDays: SetDaysRepository;
  values: ValueRepository;
  calendars: Calendars;
  clock: Clock;
};

function createDayKeeping({ select, cuts, setDays, values, calendars, clock }: KeepingParts) {
  return {
    /** Adds up the past days of a range for `reports` over these links. */
    async keepDays(range: DateRange, filter: ClickFilter, signal: AbortSignal): Promise<void> {
      const { links, details, calendar } = await select(filter);
      if (details !== null) return;
      const today = calendar.day.of(clock.now());
      const { days } = await cuts.values({ links, details, calendar, visitors: "all" }, range);
      const past = days.filter((day) => day < today);
      await setDays.keep(links, past, today, signal);
    },

    /** Removes what `keepDays` added up and nobody needs any more. */
    async forgetDays(): Promise<void> {
      const [calendar, oldest] = await Promise.all([calendars.current(), values.oldestDay()]);
      await setDays.forget(calendar.day.of(clock.now()), oldest ?? 0);
    },
  };
}

type Compared = { unit: Unit; comparison: Comparison; now: number };

/**
 * The range before; see comparedRange. It leaves out a last day of which a part is compared that can't be told from the
 * rest, so that no part of a day is compared with a whole one.
 */
async function earlierRange(
  cuts: Cuts,
  selection: Selection,
  range: DateRange,
  { unit, comparison, now }: Compared,
): Promise<DateRange> {
  const { calendar } = selection;
  const { day } = calendar;
  const earlier = comparedRange(range, unit, comparison, { now, calendar });
  const last = day.of(earlier.end);
  const isPart = earlier.end >= earlier.start && day.of(earlier.end + 1) === last;
  const isWhole = isPart && (await cuts.days(selection, earlier, false)).days.includes(last);
  return isWhole ? { start: earlier.start, end: day.startOf(last) - 1 } : earlier;
}

/** What visitors are known by, beside time. */
const UNIQUE = ["link", "tag", "domain", "owner"] as const;
const isUnique = (by: ReportBy): by is (typeof UNIQUE)[number] => UNIQUE.some((one) => one === by);

/** Adds the unique visitors of the rows by link and day, if any day of the range knows them. */
async function withUnique(
  { counts, ranking }: { counts: CountRepository; ranking: RankingRepository },
  found: Report,
  by: (typeof UNIQUE)[number],
  { range, selection }: { range: DateRange; selection: Selection },
): Promise<Report> {
  const days = await counts.visitorDays(touchedDays(range, selection));
  if (days.length === 0) return found;
  const values = found.rows.map(({ value }) => value);
  const sums = await ranking.visitors(by, values, days, { selection, adminName: ADMIN_NAME });
  const rows = found.rows.map((row) => ({
    ...row,
    unique: countOf(sums.get(row.value) ?? NO_CLICKS, selection.visitors),
  }));
  return { ...found, rows };
}

const referrersOf = (share: ValueShare): ReferrerShare[] =>
  sharesOf(share, share.total).map(({ value, ...rest }) => ({ referrer: value, ...rest }));

/** The shares of places in all clicks, even those from unknown places. */
const placesOf = (share: ValueShare, total: number): PlaceShare[] =>
  sharesOf(share, total).map(({ value, ...rest }) => ({ ...parsePlaceValue(value), ...rest }));

/** Hours and days that are looked into. */
const MOST_SPANS = 12;
/** Days back from the end of the range. */
const MOST_DAYS = 400;

/** Finds the newest clicks of a range. The sums by hour and day locate them, so few raw rows are read. */
function createNewestClicks(database: Database, now: () => number) {
  const counts = createCountRepository(database);
  const newest = createNewestRepository(database);

  /** The hours or days with these visitors' clicks, newest first, until they hold `limit` clicks. */
  async function spansOf({ links, visitors, calendar }: Selection, { from, to }: Span, limit: number) {
    const { hour, day } = calendar;
    const days = sequence(Math.max(day.of(from), day.of(to - 1) - MOST_DAYS), day.of(to - 1) + 1);
    const ofDays = clickedOf(await counts.inBuckets("day", links, days), visitors).slice(0, MOST_SPANS);
    const ofHours = await counts.inBuckets(
      "hour",
      links,
      ofDays.flatMap(([at]) => sequence(hour.of(day.startOf(at)), hour.of(day.startOf(at + 1)))),
    );
    const places: Span[] = [];
    let clicks = 0;
    for (const [at, ofDay] of ofDays) {
      const within = clickedOf(ofHours, visitors).filter(([held]) => day.of(hour.startOf(held)) === at);
      const isWhole = within.reduce((sum, [, count]) => sum + count, 0) === ofDay;
      const parts: [Span, number][] = isWhole
        ? within.map(([held, count]) => [{ from: hour.startOf(held), to: hour.startOf(held + 1) }, count])
        : [[{ from: day.startOf(at), to: day.startOf(at + 1) }, ofDay]];
      for (const [part, count] of parts) {
        const place = { from: Math.max(part.from, from), to: Math.min(part.to, to) };
        if (place.to <= place.from) continue;
        places.push(place);
        // The ends of the range may cut clicks off.
        if (place.from === part.from && place.to === part.to) clicks += count;
        if (clicks >= limit || places.length === MOST_SPANS) return places;
      }
    }
    return places;
  }

  /** limit ≤ 100 */
  return async (selection: Selection, range: DateRange, limit: number): Promise<NewestClick[]> => {
    const span = spanOf(range, "hour", now(), selection.calendar);
    if (span.to <= span.from) return [];
    const places = selection.details === null ? await spansOf(selection, span, limit) : [span];
    const found = await Promise.all(places.map((place) => newest.in(place, selection, limit)));
    return found.flat().slice(0, limit);
  };
}

const clickedOf = (counts: BucketCounts, visitors: Visitors): [number, number][] =>
  [...counts]
    .map(([bucket, sum]): [number, number] => [bucket, countOf(sum, visitors)])
    .filter(([, count]) => count > 0)
    .sort(([a], [b]) => b - a);
