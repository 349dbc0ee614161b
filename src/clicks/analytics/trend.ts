/** Clicks by time. */
import { increase } from "../rollups/sums.ts";
import { type ClickSum, countOf, NO_CLICKS, type Visitors } from "../../lib/visitors.ts";
import type { BucketCounts, CountRepository } from "./counts.repository.ts";
import type { Cuts } from "./cuts.ts";
import { type DateRange, SUM_UNITS, trendOf } from "./range.ts";
import { type Selection, summedOf } from "./click-columns.repository.ts";
import type { ValueRepository } from "./values.repository.ts";
import { DAY_MS, HOUR_MS, type Unit, sequence, type Span } from "../rollups/time-buckets.ts";

/** `values`: of the chosen visitors; `human` and `automated` do not depend on the choice. */
export type Trend = {
  labels: string[];
  values: number[];
  human: number[];
  automated: number[];
  /** Unique ones, of each day; of weeks and months the sum of their days. Null: not known. */
  unique?: (number | null)[];
  /** Labels of buckets with clicks of which nothing is known here. */
  unknown: string[];
};

type Parts = { counts: CountRepository; values: ValueRepository; cuts: Cuts };

export async function trend(
  parts: Parts,
  selection: Selection,
  range: DateRange,
  unit: Unit,
): Promise<Trend & { sums: ClickSum[] }> {
  const { counts, cuts } = parts;
  const { links, visitors, calendar } = selection;
  const { first, labels } = trendOf(range, unit, calendar);
  const cut = await (unit === "hour" ? cuts.hours : cuts.days)(selection, range, unit === "month");
  const ms = unit === "hour" ? HOUR_MS : DAY_MS;
  const of = summedOf(selection);
  const [found, spans] = await Promise.all([
    Promise.all(SUM_UNITS.map((finer) => counts.inBuckets(finer, links, cut[`${finer}s`], of))),
    Promise.all(
      cut.spans
        .flatMap((span) => calendar.partsOf(span))
        .map(async ({ offset, span }) => {
          const sums = await counts.clicksEvery({ ms, offset }, selection, span);
          return [...sums].map(([local, clicks]) => [Math.max(local - offset, span.from), clicks] as const);
        }),
    ),
  ]);
  const sums = labels.map((): ClickSum => ({ ...NO_CLICKS }));
  const add = (instant: number, clicks: ClickSum) => {
    // The first bucket may begin before the range.
    const sum = sums[calendar[unit].of(Math.max(instant, range.start)) - first];
    if (sum !== undefined) increase(sum, clicks);
  };
  for (const [index, finer] of SUM_UNITS.entries())
    for (const [bucket, clicks] of found[index]!) add(calendar[finer].startOf(bucket), clicks);
  for (const span of spans) for (const [instant, clicks] of span) add(instant, clicks);
  const valuesOf = (shown: Visitors) => sums.map((sum) => countOf(sum, shown));
  const unique = await uniqueIn(parts, selection, range, { unit, first, sums });
  return {
    labels,
    values: valuesOf(visitors),
    human: valuesOf("human"),
    automated: valuesOf("automated"),
    ...(unique && { unique }),
    unknown:
      labels.length === 0
        ? []
        : await unknownIn(parts, selection, range, { unit, first, labels, months: cut.months }),
    sums,
  };
}

/** Days that the range touches with more than an instant. */
export const touchedDays = ({ start, end }: DateRange, { calendar }: Pick<Selection, "calendar">): Span => {
  const from = calendar.day.of(start);
  return { from, to: Math.max(from, calendar.day.of(end - 1)) + 1 };
};

/** Undefined where no day of the range knows its visitors, and for hours and parts of the clicks. */
async function uniqueIn(
  { counts }: Pick<Parts, "counts">,
  selection: Selection,
  range: DateRange,
  { unit, first, sums }: { unit: Unit; first: number; sums: readonly ClickSum[] },
): Promise<(number | null)[] | undefined> {
  const { links, details, visitors, calendar } = selection;
  if (unit === "hour" || details !== null) return undefined;
  const known = await counts.visitorDays(touchedDays(range, selection));
  if (known.length === 0) return undefined;
  const found = await counts.inBuckets("day", links, known, "visitors");
  const unique = sums.map(({ clicks }) => (clicks > 0 ? null : 0) as number | null);
  for (const day of known) {
    const at = calendar[unit].of(Math.max(calendar.day.startOf(day), range.start)) - first;
    const sum = found.get(day);
    if (at in unique) unique[at] = (unique[at] ?? 0) + (sum === undefined ? 0 : countOf(sum, visitors));
  }
  return unique;
}

/**
 * Labels of buckets with clicks by coarser sums, whose own sums are no longer kept, or whose clicks lack the details that
 * the selection asks for.
 */
async function unknownIn(
  parts: Pick<Parts, "counts" | "values">,
  selection: Selection,
  range: DateRange,
  /** `months`: counted by their own sums. */
  { unit, first, labels, months }: { unit: Unit; first: number; labels: readonly string[]; months: number[] },
): Promise<string[]> {
  const { details, calendar } = selection;
  const { hour, day } = calendar;
  if (details === null && unit === "month") return [];
  const oldest = await parts.counts.oldest();
  const keptFrom = details === null ? await keptSince(parts, selection, unit, oldest) : 0;
  if (details === null && range.start >= keptFrom) return [];
  const [isClicked, isDetailed, known] = await Promise.all([
    clickedDays(parts, selection, range, oldest.day),
    details === null ? null : detailedDays(parts, selection, range, unit),
    details === null || months.length === 0
      ? new Set<number>()
      : parts.values.detailedMonths({ from: months[0]!, to: months.at(-1)! + 1 }),
  ]);
  const ofMonths = new Set(months.filter((month) => known.has(month)));
  const states = labels.map(() => ({ isClicked: false, isKnown: false }));
  const look = (at: number, one: number) => {
    // First, because most days of a long range have no clicks.
    if (!isClicked(one)) return;
    const state = states[calendar[unit].of(Math.max(at, range.start)) - first];
    if (state === undefined) return;
    state.isClicked = true;
    state.isKnown ||=
      isDetailed === null ? at >= keptFrom : isDetailed(one) || ofMonths.has(calendar.month.of(at));
  };
  if (unit === "hour")
    for (const one of sequence(hour.of(range.start), hour.of(range.end) + 1)) {
      const at = hour.startOf(one);
      look(at, day.of(at));
    }
  else for (const one of sequence(day.of(range.start), day.of(range.end) + 1)) look(day.startOf(one), one);
  return labels.filter((_, at) => states[at]!.isClicked && !states[at]!.isKnown);
}

type Oldest = Awaited<ReturnType<CountRepository["oldest"]>>;

/** The first instant from which the sums of a unit have all clicks: that of the day or month that they fill up. */
async function keptSince(
  { counts }: Pick<Parts, "counts">,
  { links, calendar }: Selection,
  unit: Unit,
  { hour: oldestHour, day: oldestDay }: Oldest,
): Promise<number> {
  const { hour, day, month } = calendar;
  const [finer, coarser, oldest] =
    unit === "hour" ? (["hour", "day", oldestHour] as const) : (["day", "month", oldestDay] as const);
  if (oldest === null) return Number.POSITIVE_INFINITY;
  const start = { hour, day }[finer].startOf(oldest);
  const whole = { day, month }[coarser];
  const holder = whole.of(start);
  const end = { hour, day }[finer].of(whole.startOf(holder + 1));
  const [all, some] = await Promise.all([
    counts.inBuckets(coarser, links, [holder]),
    counts.inBuckets(finer, links, sequence(oldest, end)),
  ]);
  return sumOf(all) === sumOf(some) ? whole.startOf(holder) : start;
}

const sumOf = (sums: BucketCounts): number => sums.values().reduce((sum, { clicks }) => sum + clicks, 0);

/** Tells whether a day has clicks of the links; of days without sums, whether their month has. */
async function clickedDays(
  parts: Pick<Parts, "counts">,
  selection: Selection,
  range: DateRange,
  oldestDay: number | null,
): Promise<(day: number) => boolean> {
  const { day, month } = selection.calendar;
  const days = { from: day.of(range.start), to: day.of(range.end) + 1 };
  const months = { from: month.of(range.start), to: month.of(range.end) + 1 };
  const ofDays = await parts.counts.clicked("day", selection.links, days);
  if (oldestDay !== null && days.from >= oldestDay) return (one) => ofDays.has(one);
  const [ofMonths, since] = await Promise.all([
    parts.counts.clicked("month", selection.links, months),
    keptSince(parts, selection, "day", { hour: null, day: oldestDay }),
  ]);
  return (one) => {
    const start = day.startOf(one);
    return start < since ? ofMonths.has(month.of(start)) : ofDays.has(one);
  };
}

/** Tells whether a day has the details that the selection asks for. */
async function detailedDays(
  { counts, values }: Pick<Parts, "counts" | "values">,
  { details, calendar: { day } }: Selection,
  range: DateRange,
  unit: Unit,
): Promise<(day: number) => boolean> {
  const days = { from: day.of(range.start), to: day.of(range.end) + 1 };
  const isRaw = details!.sums === null || unit === "hour";
  const [detailed, rawFrom] = await Promise.all([
    values.detailedDays(days),
    isRaw ? counts.oldestDetail() : Number.NEGATIVE_INFINITY,
  ]);
  return (one) => detailed.has(one) && rawFrom !== null && day.startOf(one + 1) > rawFrom;
}
