/**
 * The API's range has two inclusive instants. It becomes a span (end excluded) of whole days and at most two edges
 * (cuts.ts). An end that is not before now includes its whole bucket, because nothing later has happened.
 */
import { appError } from "../../lib/errors.ts";
import { LATEST_INSTANT, parseRfc3339 } from "../../lib/rfc3339.ts";
import type { Calendar } from "../rollups/calendar.ts";
import {
  DAY_MS,
  firstDayOfMonth,
  monthOfDay,
  type Span,
  type Unit,
  UNITS,
  sequence,
} from "../rollups/time-buckets.ts";

/** Inclusive, epoch milliseconds. Empty if the end lies before the start. */
export type DateRange = { start: number; end: number };

/** A part of one hour or day. */
export type Edge = { bucket: number; span: Span };

/** Whole buckets from..to (excluded), and the parts around them. */
type WholeAndEdges = { whole: Span; edges: Edge[] };

/** Units of the tables of sums. */
export const SUM_UNITS = ["month", "day", "hour"] as const;
export type SumUnit = (typeof SUM_UNITS)[number];
/** Whole buckets of each table, and spans of raw rows. */
export type SumParts = Record<`${SumUnit}s`, number[]> & { spans: Span[] };

type TrendQuery = { unit: Unit; first: number; labels: string[] };

/** The bounds of a response: hours are longer to label and lie in more rows. Days reach from 1970 beyond a lifetime. */
export const MOST_BUCKETS = { hour: 10_000, day: 40_000, week: 40_000, month: 40_000 } as const;
const DEFAULT_DAYS = 30;
const DAY_FORM = /^\d{4}-\d{2}-\d{2}$/;

/** The last 30 days if a text is missing or no date. Instants before 1970 count as 1970. */
export function parseRange(
  start: string | undefined,
  end: string | undefined,
  now: number,
  calendar: Calendar,
): DateRange {
  const [first, last] = [parseDate(start, calendar), parseDate(end, calendar)];
  if (first === null || last === null) return { start: now - DEFAULT_DAYS * DAY_MS, end: now };
  return { start: first, end: last };
}

/** Epoch milliseconds, or null. A day is its first instant in the time zone. */
export function parseDate(text: string | undefined, { day }: Calendar): number | null {
  if (!text) return null;
  const isDay = DAY_FORM.test(text);
  // An unescaped plus sign arrives as a space.
  const written = isDay ? `${text}T00:00:00Z` : text.replace(/ (?=\d{2}:\d{2}$)/, "+");
  const instant = parseRfc3339(written);
  if (instant === null) return null;
  return Math.max(isDay ? day.startOf(instant / DAY_MS) : instant, 0);
}

/** @throws BadRequest naming the four units */
export function unitOf(text: string | undefined): Unit {
  const unit = text === undefined || text === "" ? "day" : UNITS.find((name) => name === text);
  if (unit === undefined) throw appError("BadRequest", `group_by must be one of ${UNITS.join(", ")}.`);
  return unit;
}

/** Every bucket that the range touches. @throws BadRequest beyond MOST_BUCKETS */
export function trendOf({ start, end }: DateRange, unit: Unit, calendar: Calendar): TrendQuery {
  const buckets = calendar[unit];
  const first = buckets.of(start);
  const count = end < start ? 0 : buckets.of(end) - first + 1;
  const most = MOST_BUCKETS[unit];
  if (count > most) {
    const bound = most.toLocaleString("en");
    const had = count.toLocaleString("en");
    throw appError(
      "BadRequest",
      `The range has ${had} ${unit}s and an answer at most ${bound}; shorten the range or use a larger group_by.`,
      { field: "start_date", details: { maxBuckets: most } },
    );
  }
  return { unit, first, labels: Array.from({ length: count }, (_, at) => buckets.label(first + at)) };
}

/** The span that may have clicks. An end from now on extends to the end of its bucket. */
export function spanOf({ start, end }: DateRange, unit: Unit, now: number, calendar: Calendar): Span {
  const buckets = calendar[unit];
  if (end < start) return { from: start, to: start };
  if (end < now) return { from: start, to: end + 1 };
  // Clocks of machines differ by less than a day.
  const last = buckets.of(Math.min(end, now + DAY_MS, LATEST_INSTANT));
  return { from: start, to: Math.max(start, buckets.startOf(last + 1)) };
}

export function splitSpan(unit: "hour" | "day", { from, to }: Span, calendar: Calendar): WholeAndEdges {
  const buckets = calendar[unit];
  if (to <= from) return { whole: { from: 0, to: 0 }, edges: [] };
  const [first, last] = [buckets.of(from), buckets.of(to - 1)];
  const startsWhole = buckets.startOf(first) === from;
  const endsWhole = buckets.startOf(last + 1) === to;
  if (first === last && !(startsWhole && endsWhole)) {
    return { whole: { from: first, to: first }, edges: [{ bucket: first, span: { from, to } }] };
  }
  const edges: Edge[] = [];
  if (!startsWhole) edges.push({ bucket: first, span: { from, to: buckets.startOf(first + 1) } });
  if (!endsWhole) edges.push({ bucket: last, span: { from: buckets.startOf(last), to } });
  return { whole: { from: startsWhole ? first : first + 1, to: endsWhole ? last + 1 : last }, edges };
}

/** Whole months and the days around them. */
export function withMonths({ from, to }: Span): Pick<SumParts, "months" | "days"> {
  if (to <= from) return { months: [], days: [] };
  const held = monthOfDay(from);
  const first = firstDayOfMonth(held) === from ? held : held + 1;
  const end = monthOfDay(to);
  if (end <= first) return { months: [], days: sequence(from, to) };
  return {
    months: sequence(first, end),
    days: [...sequence(from, firstDayOfMonth(first)), ...sequence(firstDayOfMonth(end), to)],
  };
}

export const COMPARISONS = ["previous", "year"] as const;
export type Comparison = (typeof COMPARISONS)[number];

const WEEK = 7;
/** 52 weeks. */
const YEAR_DAYS = 364;

/**
 * The range with which this one is compared: as many days or more before, by whole weeks, so that weekdays meet; by
 * months, calendar months. It ends as far into its last day as now is into the day that is not over.
 */
export function comparedRange(
  { start, end }: DateRange,
  unit: Unit,
  comparison: Comparison,
  { now, calendar }: { now: number; calendar: Calendar },
): DateRange {
  const last = Math.min(end, now);
  const earlierDay = unit === "month" ? monthsBefore : weeksBefore;
  const { day } = calendar;
  const [first, final] = [day.of(start), day.of(last)];
  const move = (at: number): number => {
    const [number, isEnd] = [day.of(at), day.of(at + 1) > day.of(at)];
    const earlier = earlierDay(number, { first, final, comparison, isEnd });
    const next = day.startOf(earlier + 1) - 1;
    return isEnd ? next : Math.min(day.startOf(earlier) + at - day.startOf(number), next);
  };
  return last < start ? { start, end: start - 1 } : { start: move(start), end: move(last) };
}

type Shift = { first: number; final: number; comparison: Comparison; isEnd: boolean };

const weeksBefore = (day: number, { first, final, comparison }: Shift): number =>
  day - (comparison === "year" ? YEAR_DAYS : Math.ceil((final - first + 1) / WEEK) * WEEK);

/** The same day of a month before; the last one stays the last one. */
function monthsBefore(day: number, { first, final, comparison, isEnd }: Shift): number {
  const count = comparison === "year" ? 12 : monthOfDay(final) - monthOfDay(first) + 1;
  const month = monthOfDay(day) - count;
  const last = firstDayOfMonth(month + 1) - 1;
  const isLast = isEnd && monthOfDay(day + 1) > monthOfDay(day);
  return isLast ? last : Math.min(firstDayOfMonth(month) + day - firstDayOfMonth(monthOfDay(day)), last);
}
