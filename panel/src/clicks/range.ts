/** The state of a report, which lives in the URL: span, grouping, visitors, brushed part and comparison. */
import { type Filter, filterIn, readFilter } from "./filter.ts";
import { DAY_MS, HOUR_MS, isoDay, type Span, type Unit, UNITS } from "./buckets.ts";
import { instantOf, localNow } from "./zone.ts";

/** In days. */
export const RANGES = { "24h": 1, "7d": 7, "30d": 30, "90d": 90, "1y": 365 } as const;
/** Calendar months: this one until now, and the one before. */
const MONTHS = { month: 0, last_month: -1 } as const;
export type RangeName = keyof typeof RANGES | keyof typeof MONTHS;
export const RANGE_NAMES = [...Object.keys(RANGES), ...Object.keys(MONTHS)] as RangeName[];
export const VISITORS = ["human", "automated", "all"] as const;
export type Visitors = (typeof VISITORS)[number];
export const COMPARISONS = ["before", "year", "none"] as const;
export type Comparison = (typeof COMPARISONS)[number];

export type ReportSearch = Filter & {
  range?: RangeName;
  /** Own dates, both included: `2026-11-20`. */
  from?: string;
  to?: string;
  by?: Unit;
  visitors?: Visitors;
  vs?: Comparison;
  /** Brushed: first and last instant (excluded), `2026-11-20T00_2026-11-22T00`. */
  part?: string;
};

/** Back undoes a change together with those that go on with it, such as typed letters. */
export type OnReportChange = (search: ReportSearch, isMore?: boolean) => void;

const DAY_FORM = /^(?:19[7-9]\d|2\d{3})-\d\d-\d\d$/;
const PART_FORM = /^(\d{4}-\d\d-\d\dT\d\d)_(\d{4}-\d\d-\d\dT\d\d)$/;
const MOST_DAYS = 3_660;

const oneOf = <T extends string>(values: readonly T[], value: unknown): T | undefined =>
  values.find((known) => known === value);

const dayOf = (value: unknown): number | undefined => {
  const time = typeof value === "string" && DAY_FORM.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
};

/** Reads the address, which anybody may have typed. */
export function readReportSearch(search: Record<string, unknown>): ReportSearch {
  const range = oneOf(RANGE_NAMES, search["range"]);
  const [from, to] = [dayOf(search["from"]), dayOf(search["to"])];
  const isOwn = from !== undefined && to !== undefined && to >= from && to - from < MOST_DAYS * DAY_MS;
  const visitors = oneOf(VISITORS, search["visitors"]);
  const vs = oneOf(COMPARISONS, search["vs"]);
  const by = oneOf(UNITS, search["by"]);
  const part = readPart(search["part"]);
  return {
    ...(isOwn ? { from: isoDay(from), to: isoDay(to) } : range && { range }),
    ...(by && { by }),
    ...(visitors && { visitors }),
    ...(vs && { vs }),
    ...(part && { part: writePart(part) }),
    ...readFilter(search),
  };
}

function readPart(value: unknown): Span | undefined {
  const [, first, last] = PART_FORM.exec(typeof value === "string" ? value : "") ?? [];
  const [start, end] = [Date.parse(`${first}:00Z`), Date.parse(`${last}:00Z`)];
  return end > start ? { start, end } : undefined;
}

export const writePart = ({ start, end }: Span): string =>
  [start, end].map((time) => new Date(time).toISOString().slice(0, 13)).join("_");

const startOfToday = (now: number): number => now - (now % DAY_MS);

/** Whole days, or hours, the current one included. */
export function spanOf({ range = "30d", from, to }: ReportSearch, now = localNow()): Span {
  if (from !== undefined && to !== undefined)
    return { start: Date.parse(from), end: Date.parse(to) + DAY_MS };
  if (range === "month" || range === "last_month") {
    const date = new Date(now);
    const startOf = (later: number) => Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + later, 1);
    const start = startOf(MONTHS[range]);
    return { start, end: range === "month" ? startOfToday(now) + DAY_MS : startOf(0) };
  }
  const unit = range === "24h" ? HOUR_MS : DAY_MS;
  const end = Math.floor(now / unit) * unit + unit;
  return { start: end - RANGES[range] * DAY_MS, end };
}

/** What the lists show: the brushed part if it lies in the span. */
export function partOf(search: ReportSearch, span: Span): Span | undefined {
  const part = readPart(search.part);
  if (part === undefined || part.start >= span.end || part.end <= span.start) return undefined;
  return { start: Math.max(part.start, span.start), end: Math.min(part.end, span.end) };
}

/** For the API, which aligns weekdays; undefined: nothing is compared. */
export const compareOf = ({ vs = "before" }: ReportSearch) =>
  (({ before: "previous", year: "year", none: undefined }) as const)[vs];

/**
 * What the API compares a part of a span with, for lists: as many whole weeks before as the span has, by month calendar
 * months; see comparedRange there.
 */
export function earlierOf(
  { vs = "before" }: ReportSearch,
  { start, end }: Span,
  unit: Unit,
  part: Span,
  now = localNow(),
): Span {
  const last = Math.max(start, Math.min(end, now));
  const partEnd = Math.max(part.start, Math.min(part.end, now));
  if (unit === "month") {
    const [first, final] = [start, last - 1].map(monthOf) as [number, number];
    const months = vs === "year" ? 12 : final - first + 1;
    return { start: monthsBefore(part.start, months), end: monthsBefore(partEnd, months) };
  }
  const weeks = vs === "year" ? 52 : Math.ceil((last - start) / WEEK_MS);
  return { start: part.start - weeks * WEEK_MS, end: partEnd - weeks * WEEK_MS };
}

const WEEK_MS = 7 * DAY_MS;
const YEAR_1970 = 1970 * 12;

function monthOf(time: number): number {
  const date = new Date(time);
  return date.getUTCFullYear() * 12 + date.getUTCMonth();
}

/** The same day of an earlier month, or its last one. */
function monthsBefore(time: number, count: number): number {
  const [month, day] = [monthOf(time) - count, new Date(time).getUTCDate()];
  const [first, next] = [Date.UTC(1970, month - YEAR_1970, 1), Date.UTC(1970, month - YEAR_1970 + 1, 1)];
  return Math.min(first + (day - 1) * DAY_MS, next - DAY_MS) + (time % DAY_MS);
}

const MOST_HOURS = 92;
const MOST_SINGLE_DAYS = 1_100;

/** Groupings that make a chart of this span readable. */
export function unitsOf({ start, end }: Span): Unit[] {
  const days = (end - start) / DAY_MS;
  return UNITS.filter(
    (unit) =>
      ({
        hour: days <= MOST_HOURS,
        day: days > 1 && days <= MOST_SINGLE_DAYS,
        week: days > 7,
        month: days > 31,
      })[unit],
  );
}

export function unitOf({ by }: ReportSearch, span: Span): Unit {
  const days = (span.end - span.start) / DAY_MS;
  if (by !== undefined && unitsOf(span).includes(by)) return by;
  if (days <= 2) return "hour";
  return days <= 190 ? "day" : days <= 1_000 ? "week" : "month";
}

/** The next wider span around the shown one: a named one that holds it, else as much before and after again. */
export function widerOf(search: ReportSearch, now = localNow()): ReportSearch {
  const kept = withoutTime(search);
  const { start, end } = spanOf(search, now);
  const days = (end - start) / DAY_MS;
  const named = (Object.keys(RANGES) as (keyof typeof RANGES)[]).find((range) => {
    const wider = spanOf({ range }, now);
    return RANGES[range] > days && wider.start <= start && wider.end >= end;
  });
  if (named !== undefined) return { ...kept, range: named };
  const room = Math.min((end - start) / 2, ((MOST_DAYS - days) / 2) * DAY_MS);
  const last = Math.min(end + room, Math.max(end, startOfToday(now) + DAY_MS));
  return { ...kept, from: isoDay(start - room), to: isoDay(last - 1) };
}

/** For the API, whose ranges include their last instant. */
export const datesOf = ({ start, end }: Span) => ({
  start_date: new Date(instantOf(start)).toISOString(),
  end_date: new Date(instantOf(end) - 1).toISOString(),
});

/** For another span: everything except time. */
export const withoutTime = ({ visitors, vs, ...more }: ReportSearch): ReportSearch => ({
  ...filterIn(more),
  ...(visitors && { visitors }),
  ...(vs && { vs }),
});
