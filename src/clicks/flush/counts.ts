import type { ClickBatch } from "../journal/reader.ts";
import { BUCKETS, DAY_MS, HOUR_MS } from "../rollups/time-buckets.ts";
import type { BucketIncrements, ClickCounts, LinkCounts } from "../rollups/click-counts.ts";

const HOURS_OF_DAY = DAY_MS / HOUR_MS;

/** Per link: total, and by hour, day and month. */
export function countClicks(batch: ClickBatch): ClickCounts {
  const hours = countByHour(batch);
  const days = groupCounts(hours, ({ bucket }) => Math.floor(bucket / HOURS_OF_DAY));
  const months = groupCounts(days, ({ bucket }) => BUCKETS.month.of(bucket * DAY_MS));
  return { links: mergeCounts(months), hours, days, months };
}

export function withoutLinks(counts: ClickCounts, gone: ReadonlySet<number>): ClickCounts {
  const keep = <C extends LinkCounts>(of: C): C => ({
    ...of,
    links: of.links.filter((link) => !gone.has(link)),
    clicks: of.clicks.filter((_, at) => !gone.has(of.links[at]!)),
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

function countByHour({ links, times, count }: ClickBatch): BucketIncrements[] {
  const rows = new Map<number, number>();
  for (let at = 0; at < count; at++) {
    const hour = Math.floor(times[at]! / HOUR_MS);
    rows.set(hour, (rows.get(hour) ?? 0) + 1);
  }
  if (rows.size === 1)
    return [...rows.keys()].map((bucket) => ({ bucket, ...countSorted(links.slice(0, count)) }));
  const columns = new Map(
    [...rows].map(([hour, size]) => [hour, { links: new Float64Array(size), size: 0 }]),
  );
  for (let at = 0; at < count; at++) {
    const column = columns.get(Math.floor(times[at]! / HOUR_MS))!;
    column.links[column.size++] = links[at]!;
  }
  return [...columns]
    .sort(([a], [b]) => a - b)
    .map(([bucket, column]) => ({ bucket, ...countSorted(column.links) }));
}

/** Sorting a column beats a Map: no garbage, and the order is needed. */
function countSorted(column: Float64Array): LinkCounts {
  const sorted = column.sort();
  const links: number[] = [];
  const clicks: number[] = [];
  for (let at = 0; at < sorted.length; ) {
    const link = sorted[at]!;
    const first = at;
    while (at < sorted.length && sorted[at] === link) at += 1;
    links.push(link);
    clicks.push(at - first);
  }
  return { links, clicks };
}

function groupCounts(
  buckets: readonly BucketIncrements[],
  of: (one: BucketIncrements) => number,
): BucketIncrements[] {
  const groups = Map.groupBy(buckets, of);
  return [...groups].map(([bucket, members]) => ({ ...mergeCounts(members), bucket }));
}

function mergeCounts(parts: readonly LinkCounts[]): LinkCounts {
  if (parts.length === 1) return { links: parts[0]!.links, clicks: parts[0]!.clicks };
  const sums = new Map<number, number>();
  for (const { links, clicks } of parts) {
    for (const [at, link] of links.entries()) sums.set(link, (sums.get(link) ?? 0) + clicks[at]!);
  }
  const sorted = [...sums].sort(([a], [b]) => a - b);
  return { links: sorted.map(([link]) => link), clicks: sorted.map(([, count]) => count) };
}
