/** Days of a time zone as text, such as `2026-11-20`, and their first instants. */
import { remembered } from "../lib/remembered.ts";

const DAY_MS = 86_400_000;

const formatOf = remembered(
  (zone) =>
    new Intl.DateTimeFormat("en-CA", {
      timeZone: zone,
      hourCycle: "h23",
      year: "numeric",
      month: "2-digit",
      day: "2-digit",
      hour: "2-digit",
      minute: "2-digit",
      second: "2-digit",
    }),
  { most: 16 },
);

/** What clocks of the zone show at an instant, as if it were UTC. */
function localOf(zone: string, instant: number): number {
  const parts = Object.fromEntries(
    formatOf(zone)
      .formatToParts(instant)
      .map(({ type, value }) => [type, Number(value)]),
  ) as Record<"year" | "month" | "day" | "hour" | "minute" | "second", number>;
  return Date.UTC(parts.year, parts.month - 1, parts.day, parts.hour, parts.minute, parts.second);
}

const textOf = (local: number): string => new Date(local).toISOString().slice(0, 10);

export const zonedDayOf = (zone: string, instant: number): string => textOf(localOf(zone, instant));

export const addDays = (day: string, count: number): string => textOf(Date.parse(day) + count * DAY_MS);

/** Days from one to the other, both included. */
export const countDays = (first: string, last: string): number =>
  Math.round((Date.parse(last) - Date.parse(first)) / DAY_MS) + 1;

/**
 * The first instant at which clocks of the zone show that time or a later one: one that they skip is the end of the gap,
 * and of a repeated one the first counts.
 * @param minute after midnight
 */
export function zonedInstantOf(zone: string, day: string, minute = 0): number {
  const local = Date.parse(day) + minute * 60_000;
  // Zones are at most 14 hours away from UTC.
  let [before, after] = [local - DAY_MS, local + DAY_MS];
  while (after - before > 1_000) {
    const middle = Math.floor((before + after) / 2 / 1_000) * 1_000;
    if (middle === before) break;
    if (localOf(zone, middle) >= local) after = middle;
    else before = middle;
  }
  return after;
}
