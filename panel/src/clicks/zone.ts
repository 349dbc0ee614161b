/**
 * Times of reports are those that clocks of the time zone show, as epoch milliseconds of the same time in UTC. Only
 * requests and the present turn into them and back.
 */
import { TIME_ZONE } from "../base/place.ts";
import { serverNow } from "../base/server-clock.ts";

const DAY_MS = 86_400_000;
/** Marks the second of a repeated hour, which the clock shows like the first. */
export const REPEATED_MS = 1;

const clockOf = (timeZone: string) =>
  new Intl.DateTimeFormat("en-US", {
    timeZone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  });
let clock = { zone: TIME_ZONE, format: clockOf(TIME_ZONE) };

type Parts = Record<"year" | "month" | "day" | "hour" | "minute" | "second", number>;

function localTime(instant: number): number {
  if (TIME_ZONE === "UTC") return instant;
  if (clock.zone !== TIME_ZONE) clock = { zone: TIME_ZONE, format: clockOf(TIME_ZONE) };
  const found = clock.format.formatToParts(instant).map(({ type, value }) => [type, Number(value)]);
  const { year, month, day, hour, minute, second } = Object.fromEntries(found) as Parts;
  return Date.UTC(year, month - 1, day, hour, minute, second) + (instant % 1_000);
}

export const localNow = (): number => localTime(serverNow());

/** The instant at which clocks show a time; one that they skip is the end of the gap. */
export function instantOf(local: number): number {
  if (TIME_ZONE === "UTC") return local;
  const isSecond = local % 60_000 === REPEATED_MS;
  const shown = isSecond ? local - REPEATED_MS : local;
  const [before, after] = [-DAY_MS, DAY_MS].map(
    (away) => shown + away - (localTime(shown + away) - shown),
  ) as [number, number];
  const right = [before, after].filter((at) => localTime(at) === shown);
  if (right.length === 0) return before;
  return isSecond ? Math.max(...right) : Math.min(...right);
}
