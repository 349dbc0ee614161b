/**
 * Counts the parts of buckets at the ends of a range.
 *
 * Finer rows are exact if they add up to their bucket: hours before retention, raw rows not reduced by retention,
 * sampling or a deleted link. Then they count the part. Otherwise the whole bucket counts, unless the range touches
 * only one instant of it, like one that ends at a date without time.
 */
import { type SumParts, splitSpan, type Edge, sequence } from "./range.ts";
import { BUCKETS, type Span } from "../rollups/time-buckets.ts";

/** Raw rows are counted in buckets of at most this many clicks. */
export const MOST_RAW_ROWS = 100_000;

export type BucketFacts = {
  /** In the rollups. */
  day(day: number): Promise<number>;
  /** Hours without clicks are missing. Null if hours are not kept. */
  hours: ((hours: readonly number[]) => Promise<ReadonlyMap<number, number>>) | null;
  /** NaN if there are too many to count. */
  rawRows(span: Span): Promise<number>;
};

export const joinParts = (cuts: readonly Partial<SumParts>[]): SumParts => ({
  months: cuts.flatMap((cut) => cut.months ?? []),
  days: cuts.flatMap((cut) => cut.days ?? []),
  hours: cuts.flatMap((cut) => cut.hours ?? []),
  spans: cuts.flatMap((cut) => cut.spans ?? []),
});

export async function settleDays(edges: readonly Edge[], facts: BucketFacts): Promise<SumParts> {
  return joinParts(await Promise.all(edges.map((edge) => settleDay(edge, facts))));
}

async function settleDay({ bucket, span }: Edge, facts: BucketFacts): Promise<Partial<SumParts>> {
  const day: Span = bucketSpan("day", bucket);
  const [total, hours] = await Promise.all([facts.day(bucket), facts.hours?.(hoursOf(day)) ?? null]);
  if (total === 0) return {};
  if (hours !== null && sumOf(hours) === total) {
    const { whole, edges } = splitSpan("hour", span);
    const parts = await settleHours(edges, hours, facts);
    return joinParts([{ hours: sequence(whole.from, whole.to) }, parts]);
  }
  if (await areRawRowsComplete(day, total, facts)) return { spans: [span] };
  return isMoreThanAnInstant(span) ? { days: [bucket] } : {};
}

/** Parts of hours with these totals. */
export async function settleHours(
  edges: readonly Edge[],
  totals: ReadonlyMap<number, number>,
  facts: Pick<BucketFacts, "rawRows">,
): Promise<SumParts> {
  const parts = edges.map(async ({ bucket, span }): Promise<Partial<SumParts>> => {
    const total = totals.get(bucket) ?? 0;
    if (total === 0) return {};
    if (await areRawRowsComplete(bucketSpan("hour", bucket), total, facts)) return { spans: [span] };
    return isMoreThanAnInstant(span) ? { hours: [bucket] } : {};
  });
  return joinParts(await Promise.all(parts));
}

const areRawRowsComplete = async (
  span: Span,
  total: number,
  facts: Pick<BucketFacts, "rawRows">,
): Promise<boolean> => total <= MOST_RAW_ROWS && (await facts.rawRows(span)) === total;

const bucketSpan = (unit: "hour" | "day", bucket: number): Span => ({
  from: BUCKETS[unit].startOf(bucket),
  to: BUCKETS[unit].startOf(bucket + 1),
});
const hoursOf = (day: Span): number[] => sequence(BUCKETS.hour.of(day.from), BUCKETS.hour.of(day.to));
const isMoreThanAnInstant = ({ from, to }: Span): boolean => to - from > 1;

const sumOf = (counts: ReadonlyMap<number, number>): number => {
  let sum = 0;
  for (const count of counts.values()) sum += count;
  return sum;
};
