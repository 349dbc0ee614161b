import { isAutomatedKind } from "../journal/format.ts";
import type { ClickBatch } from "../journal/reader.ts";
import type { Calendar } from "../rollups/calendar.ts";
import { monthOfDay } from "../rollups/time-buckets.ts";
import type { BucketIncrements, ClickCounts, LinkCounts } from "../rollups/sums.ts";

/** Per link: total, and by hour, day and month, each with the automated part. */
export const countClicks = (batch: ClickBatch, calendar: Calendar): ClickCounts =>
  sumHours(countByHour(batch, calendar), calendar);

/** Ascending by hour. */
export function sumHours(hours: BucketIncrements[], { hour, day }: Calendar): ClickCounts {
  const days = groupCounts(hours, ({ bucket }) => day.of(hour.startOf(bucket)));
  const months = groupCounts(days, ({ bucket }) => monthOfDay(bucket));
  return { links: mergeCounts(months), hours, days, months };
}

export function withoutLinks(counts: ClickCounts, gone: ReadonlySet<number>): ClickCounts {
  const keep = <C extends LinkCounts>(of: C): C => ({
    ...of,
    links: of.links.filter((link) => !gone.has(link)),
    clicks: of.clicks.filter((_, at) => !gone.has(of.links[at]!)),
    automated: of.automated.filter((_, at) => !gone.has(of.links[at]!)),
  });
  const keepAll = (buckets: readonly BucketIncrements[]) =>
    buckets.map(keep).filter(({ links }) => links.length > 0);
  return {
    links: keep(counts.links),
    hours: keepAll(counts.hours),
    days: keepAll(counts.days),
    months: keepAll(counts.months),
  };
}

function countByHour(batch: ClickBatch, { hour: hours }: Calendar): BucketIncrements[] {
  const { links, times, count } = batch;
  const rows = new Map<number, number>();
  let [earliest, latest] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (let at = 0; at < count; at++) {
    const time = times[at]!;
    if (time < earliest) earliest = time;
    if (time > latest) latest = time;
  }
  // Most flushes are within an hour.
  if (count > 0 && hours.of(earliest) === hours.of(latest)) {
    const bucket = hours.of(earliest);
    const automated = automatedByHour(batch, hours).get(bucket) ?? [];
    return [{ bucket, ...countSorted(links.slice(0, count), automated) }];
  }
  for (let at = 0; at < count; at++) {
    const hour = hours.of(times[at]!);
    rows.set(hour, (rows.get(hour) ?? 0) + 1);
  }
  const automated = automatedByHour(batch, hours);
  const sumsOf = (bucket: number, column: Float64Array) => ({
    bucket,
    ...countSorted(column, automated.get(bucket) ?? []),
  });
  const columns = new Map(
    [...rows].map(([hour, size]) => [hour, { links: new Float64Array(size), size: 0 }]),
  );
  for (let at = 0; at < count; at++) {
    const column = columns.get(hours.of(times[at]!))!;
    column.links[column.size++] = links[at]!;
  }
  return [...columns].sort(([a], [b]) => a - b).map(([hour, column]) => sumsOf(hour, column.links));
}

/** The links of automated visitors. */
function automatedByHour(
  { links, times, kinds, count, automated }: ClickBatch,
  { of }: Calendar["hour"],
): Map<number, number[]> {
  const hours = new Map<number, number[]>();
  for (let at = 0; automated > 0 && at < count; at++) {
    if (!isAutomatedKind(kinds[at]!)) continue;
    const hour = of(times[at]!);
    const found = hours.get(hour);
    if (found === undefined) hours.set(hour, [links[at]!]);
    else found.push(links[at]!);
  }
  return hours;
}

/** Sorting a column beats a Map: no garbage, and the order is needed. `automated` is a part of the column. */
function countSorted(column: Float64Array, automated: readonly number[]): LinkCounts {
  const sorted = column.sort();
  const ofAutomated = Float64Array.from(automated).sort();
  const counts: LinkCounts = { links: [], clicks: [], automated: [] };
  let seen = 0;
  for (let at = 0; at < sorted.length; ) {
    const link = sorted[at]!;
    const [first, seenBefore] = [at, seen];
    while (at < sorted.length && sorted[at] === link) at += 1;
    while (seen < ofAutomated.length && ofAutomated[seen] === link) seen += 1;
    counts.links.push(link);
    counts.clicks.push(at - first);
    counts.automated.push(seen - seenBefore);
  }
  return counts;
}

function groupCounts(
  buckets: readonly BucketIncrements[],
  of: (one: BucketIncrements) => number,
): BucketIncrements[] {
  const groups = Map.groupBy(buckets, of);
  return [...groups].map(([bucket, members]) => ({ ...mergeCounts(members), bucket }));
}

function mergeCounts(parts: readonly LinkCounts[]): LinkCounts {
  if (parts.length === 1) {
    const [{ links, clicks, automated }] = parts as [LinkCounts];
    return { links, clicks, automated };
  }
  const sums = new Map<number, { clicks: number; automated: number }>();
  for (const { links, clicks, automated } of parts) {
    for (const [at, link] of links.entries()) {
      const sum = sums.get(link);
      if (sum === undefined) sums.set(link, { clicks: clicks[at]!, automated: automated[at]! });
      else {
        sum.clicks += clicks[at]!;
        sum.automated += automated[at]!;
      }
    }
  }
  const sorted = [...sums].sort(([a], [b]) => a - b);
  return {
    links: sorted.map(([link]) => link),
    clicks: sorted.map(([, sum]) => sum.clicks),
    automated: sorted.map(([, sum]) => sum.automated),
  };
}
