/**
 * The figures of a report. Human clicks count everywhere, and automated ones beside them. They come from the sums by
 * hour, day and month, so that their cost does not grow with the clicks. Those of a page are kept for a while, so
 * that a flood of visitors costs nothing.
 */
import type { ClickFilter, FilterValue } from "../clicks/analytics/cuts.ts";
import type { DateRange } from "../clicks/analytics/range.ts";
import { valuesOf } from "../clicks/analytics/schemas.routes.ts";
import type { Analytics } from "../clicks/analytics/service.ts";
import type { Calendar } from "../clicks/rollups/calendar.ts";
import type { Clock } from "../lib/clock.ts";
import type { Actor } from "../lib/actor.ts";
import type { ChooseLinks } from "../links/list/chosen.ts";
import { addDays, countDays, firstInstantOf, zonedDayOf } from "./days.ts";
import type { Eyes } from "./eyes.ts";
import type { FilterNames } from "./filter-names.ts";
import { isPaused, type ReportDays, type StoredFilter } from "./report.ts";

export type FigureUnit = "hour" | "day" | "month";

export type Ranked = { name: string; clicks: number };

/** `none`: clicks without a value, such as direct ones by site. `others`: clicks with the values of no row. */
export type FigureList = { rows: readonly Ranked[]; none: number; others: number };

export const LISTS = ["sites", "campaigns", "countries", "cities", "devices", "browsers"] as const;
export type ListName = (typeof LISTS)[number];

export type Figures = {
  at: number;
  zone: string;
  firstDay: string;
  lastDay: string;
  /** How many days; the last one may not be over. */
  days: number;
  human: number;
  automated: number;
  /** Unique visitors by day, summed over the days that know them; null: no day does. */
  visits: number | null;
  /** Human clicks of as many days before as have begun, by whole weeks, so that weekdays meet. */
  before: number;
  /** Human clicks of the days that are over, and of those with which they are compared; null: no day is over. */
  compared: { now: number; before: number; isWhole: boolean } | null;
  unit: FigureUnit;
  labels: readonly string[];
  series: readonly number[];
  lists: Readonly<Record<ListName, FigureList>>;
  recordsDetails: boolean;
  /** First instant of the details, if the report begins before. */
  detailsFrom: number | null;
};

const BY = {
  sites: "site",
  campaigns: "utm_campaign",
  countries: "country",
  cities: "city",
  devices: "device",
  browsers: "browser",
} as const satisfies Record<ListName, FilterValue>;
const MOST_ROWS = 10;
/** Longer reports have a bar for each month. */
const MOST_BARS_OF_DAYS = 124;
const DAYS_BY_HOUR = 2;
const WEEK_DAYS = 7;

type Deps = {
  analytics: Pick<Analytics, "trend" | "reports" | "detailsFrom" | "keepDays" | "calendar">;
  links: { by(actor: Actor): { chosen: ChooseLinks } };
  eyes: Eyes;
  names: Pick<FilterNames, "current">;
  recordsDetails(): boolean;
  /** Name of the zone whose days count. */
  zone(): string;
  clock: Clock;
};

/** What the figures are of. */
export type Reported = StoredFilter & ReportDays & { ownerId: number | null };

export type MakeFigures = ReturnType<typeof createFigures>;

export function createFigures({ analytics, links, eyes, names, recordsDetails, zone, clock }: Deps) {
  async function filterOf(reported: Reported): Promise<ClickFilter | null> {
    const seen = await eyes.of(reported.ownerId);
    if (seen === null || isPaused(reported)) return null;
    const { links: ids } = reported;
    const filter = await names.current(reported);
    if (filter === null) return null;
    const found = await links.by(seen).chosen(filter, ids ?? undefined);
    // Null: every link. Then the named ones exist for the owner.
    const chosen = found ?? (ids === null ? null : { ids });
    return { visitors: "human", links: chosen, values: valuesOf(filter) };
  }

  /** Human clicks of the days of these instants. */
  const openDays = (filter: ClickFilter, instants: readonly number[], day: Calendar["day"]) =>
    Promise.all(
      instants.map(async (at) => {
        const found = await analytics.trend({ start: day.startOf(day.of(at)), end: at }, "day", filter);
        return sum(found.human);
      }),
    );

  const unitFor = (days: number): FigureUnit =>
    days <= DAYS_BY_HOUR ? "hour" : days <= MOST_BARS_OF_DAYS ? "day" : "month";

  return {
    /** Whether the owner, as it is now, has this report. */
    isOpen: async (reported: Reported): Promise<boolean> =>
      !isPaused(reported) &&
      (await eyes.of(reported.ownerId)) !== null &&
      (await names.current(reported)) !== null,

    /** Adds up the past days of its links, so that its page need not read them one by one. */
    async keep(reported: Reported, signal: AbortSignal): Promise<void> {
      const filter = await filterOf(reported);
      if (filter === null) return;
      const [inZone, at] = [zone(), clock.now()];
      const lastDay = reported.lastDay ?? zonedDayOf(inZone, at);
      const firstDay = reported.firstDay ?? addDays(lastDay, 1 - reported.days!);
      await analytics.keepDays(rangeOf(inZone, firstDay, lastDay, at), filter, signal);
    },

    /** Null if visitors may see nothing now. @param until whole days before this one; default: up to now */
    async of(reported: Reported, until?: string): Promise<Figures | null> {
      const filter = await filterOf(reported);
      if (filter === null) return null;
      const [at, inZone] = [clock.now(), zone()];
      const today = zonedDayOf(inZone, at);
      const lastDay =
        reported.days === null ? reported.lastDay : until === undefined ? today : addDays(until, -1);
      const firstDay = reported.days === null ? reported.firstDay : addDays(lastDay, 1 - reported.days);
      const days = countDays(firstDay, lastDay);
      const range = rangeOf(inZone, firstDay, lastDay, at);
      const end = firstInstantOf(inZone, addDays(lastDay, 1)) - 1;
      const calendar = await analytics.calendar();
      // Whole weeks, so that weekdays stand against each other.
      const back = Math.ceil(days / WEEK_DAYS) * WEEK_DAYS;
      const lastBegun = lastDay < today ? lastDay : today;
      const earlier = {
        start: firstInstantOf(inZone, addDays(firstDay, -back)),
        end: firstInstantOf(inZone, addDays(lastBegun, 1 - back)) - 1,
      };
      const isWhole = end < at;
      const unit = unitFor(days);
      const [trend, before, open, detailsFrom, lists] = await Promise.all([
        analytics.trend(range, unit, filter),
        analytics.trend(earlier, "month", filter),
        isWhole ? [0, 0] : openDays(filter, [range.end, earlier.end], calendar.day),
        analytics.detailsFrom(range, filter, { by: "country" }),
        analytics.reports(Object.values(BY), range, MOST_ROWS, filter),
      ]);
      return {
        at,
        zone: inZone,
        firstDay,
        lastDay,
        days,
        human: sum(trend.human),
        automated: sum(trend.automated),
        visits: visitsIn(trend.unique),
        before: sum(before.human),
        compared:
          !isWhole && firstDay >= today
            ? null
            : { now: sum(trend.human) - open[0]!, before: sum(before.human) - open[1]!, isWhole },
        unit,
        labels: trend.labels,
        series: trend.human,
        lists: Object.fromEntries<FigureList>(
          LISTS.map((name) => {
            const { rows, other, none = 0 } = lists[BY[name]];
            const ranked = rows.map(({ value, clicks }) => ({ name: value, clicks }));
            return [name, { rows: ranked, none, others: other - none }];
          }),
        ) as Figures["lists"],
        recordsDetails: recordsDetails(),
        detailsFrom,
      };
    },
  };
}

const sum = (counts: readonly number[]): number => counts.reduce((total, count) => total + count, 0);

function visitsIn(unique: readonly (number | null)[] | undefined): number | null {
  const known = unique?.filter((count) => count !== null) ?? [];
  return known.length === 0 ? null : sum(known);
}

const rangeOf = (zone: string, first: string, last: string, now: number): DateRange => {
  const end = firstInstantOf(zone, addDays(last, 1)) - 1;
  return {
    start: firstInstantOf(zone, first),
    end: Math.min(end, Math.max(now, firstInstantOf(zone, first))),
  };
};

const FRESH_MS = 30_000;
/** Older figures are shown while new ones are made. */
const KEPT_MS = 10 * 60_000;
const MOST_KEPT = 500;

type Kept = { at: number; figures: Promise<Figures | null>; isRenewed: boolean };

/**
 * Keeps figures by a key. Visitors who come together wait for one reading, and only the first one, or the first after a
 * while, waits at all.
 */
export function keepFigures(clock: Clock) {
  const kept = new Map<string, Kept>();
  function renew(key: string, make: () => Promise<Figures | null>): Promise<Figures | null> {
    if (kept.size >= MOST_KEPT) kept.clear();
    const made = { at: clock.now(), figures: make(), isRenewed: false };
    kept.set(key, made);
    made.figures.catch(() => {
      if (kept.get(key) === made) kept.delete(key);
    });
    return made.figures;
  }
  return (key: string, make: () => Promise<Figures | null>): Promise<Figures | null> => {
    const known = kept.get(key);
    const age = known === undefined ? Number.POSITIVE_INFINITY : clock.now() - known.at;
    if (known === undefined || age >= KEPT_MS) return renew(key, make);
    if (age >= FRESH_MS && !known.isRenewed) {
      known.isRenewed = true;
      make().then(
        (figures) => kept.set(key, { at: clock.now(), figures: Promise.resolve(figures), isRenewed: false }),
        () => void (known.isRenewed = false),
      );
    }
    return known.figures;
  };
}
