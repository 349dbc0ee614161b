/** The newest clicks of a range. The sums by hour and day locate them, so few raw rows are read. */
import type { Database } from "../../platform/db/database.ts";
import { countOf, type Visitors } from "../../lib/visitors.ts";
import { BUCKETS, type Span } from "../rollups/time-buckets.ts";
import { type BucketCounts, createCountRepository } from "./counts.repository.ts";
import { createNewestRepository, type NewestClick } from "./newest.repository.ts";
import { type DateRange, sequence, spanOf } from "./range.ts";
import type { Selection } from "./selection.ts";

/** Hours and days that are looked into. */
const MOST_SPANS = 12;
/** Days back from the end of the range. */
const MOST_DAYS = 400;
const { hour, day } = BUCKETS;

export function createNewestClicks(database: Pick<Database, "read" | "findLink">, now: () => number) {
  const counts = createCountRepository(database);
  const newest = createNewestRepository(database);

  /** The hours or days with these visitors' clicks, newest first, until they hold `limit` clicks. */
  async function placesOf({ links, visitors }: Selection, { from, to }: Span, limit: number) {
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
    const span = spanOf(range, "hour", now());
    if (span.to <= span.from) return [];
    const places = selection.details === null ? await placesOf(selection, span, limit) : [span];
    const found = await Promise.all(places.map((place) => newest.in(place, selection, limit)));
    return found.flat().slice(0, limit);
  };
}

const clickedOf = (counts: BucketCounts, visitors: Visitors): [number, number][] =>
  [...counts]
    .map(([bucket, sum]): [number, number] => [bucket, countOf(sum, visitors)])
    .filter(([, count]) => count > 0)
    .sort(([a], [b]) => b - a);
