/** Clicks by time. */
import { increase } from "../rollups/sums.ts";
import { type ClickSum, countOf, NO_CLICKS, type Visitors } from "../../lib/visitors.ts";
import type { CountRepository } from "./counts.repository.ts";
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
    unknown: labels.length === 0 ? [] : await unknownIn(parts, selection, range, { unit, first, labels }),
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
  { counts, values }: Pick<Parts, "counts" | "values">,
  { links, details, calendar }: Selection,
  range: DateRange,
  { unit, first, labels }: { unit: Unit; first: number; labels: readonly string[] },
): Promise<string[]> {
  const { hour, day, month } = calendar;
  const oldest = await counts.oldest();
  const oldestDay = oldest.day ?? Number.POSITIVE_INFINITY;
  const oldestSum = unit === "hour" ? oldest.hour : oldest.day;
  const keptFrom =
    oldestSum === null
      ? Number.POSITIVE_INFINITY
      : calendar[unit === "hour" ? "hour" : "day"].startOf(oldestSum);
  if (details === null && (unit === "month" || range.start >= keptFrom)) return [];
  const days = { from: day.of(range.start), to: day.of(range.end) + 1 };
  const months = { from: month.of(range.start), to: month.of(range.end) + 1 };
  const isRaw = details !== null && (details.sums === null || unit === "hour");
  const [ofDays, ofMonths, detailed, rawFrom] = await Promise.all([
    counts.clicked("day", links, days),
    days.from < oldestDay ? counts.clicked("month", links, months) : new Set<number>(),
    details === null ? null : values.detailedDays(days),
    isRaw ? counts.oldestDetail() : 0,
  ]);
  const isClicked = (one: number) =>
    one < oldestDay ? ofMonths.has(month.of(day.startOf(one))) : ofDays.has(one);
  const isKnown = (one: number, at: number) =>
    detailed === null
      ? at >= keptFrom
      : detailed.has(one) && rawFrom !== null && day.startOf(one + 1) > rawFrom;
  const states = labels.map(() => ({ isClicked: false, isKnown: false }));
  const look = (at: number) => {
    const state = states[calendar[unit].of(Math.max(at, range.start)) - first];
    const one = day.of(at);
    if (state === undefined || !isClicked(one)) return;
    state.isClicked = true;
    state.isKnown ||= isKnown(one, at);
  };
  if (unit === "hour")
    for (const one of sequence(hour.of(range.start), hour.of(range.end) + 1)) look(hour.startOf(one));
  else for (const one of sequence(days.from, days.to)) look(day.startOf(one));
  return labels.filter((_, at) => states[at]!.isClicked && !states[at]!.isKnown);
}
