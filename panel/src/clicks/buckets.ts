/** Hours, days, weeks and months of the API, in times of zone.ts, and their names. */
import { i18n } from "@lingui/core";
import { timeFormat } from "../base/date-locale.ts";
import { REPEATED_MS } from "./zone.ts";

export const UNITS = ["hour", "day", "week", "month"] as const;
export type Unit = (typeof UNITS)[number];
/** Epoch milliseconds; `end` is excluded. */
export type Span = { start: number; end: number };

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;
const THURSDAY = 4;

/**
 * The first instant of a bucket by its label in an answer, such as `2026-11-20 13:00` or `2026-W47`; a repeated hour has
 * its offset from UTC there.
 */
export function startOfBucket(label: string): number {
  const week = /^(\d{4})-W(\d\d)$/.exec(label);
  if (week === null) {
    const [date, hour, offset] = label.split(" ");
    return (
      Date.parse(hour === undefined ? label : `${date}T${hour}Z`) + (offset === undefined ? 0 : REPEATED_MS)
    );
  }
  // January 4 is always in the first week.
  const fourth = Date.UTC(Number(week[1]), 0, THURSDAY);
  return fourth - weekdayOf(fourth) * DAY_MS + (Number(week[2]) - 1) * 7 * DAY_MS;
}

const weekdayOf = (time: number): number => (new Date(time).getUTCDay() + 6) % 7;

/** The first instant of the bucket that holds this one. */
export function startOfUnit(time: number, unit: Unit): number {
  if (unit === "hour") return time - (time % HOUR_MS);
  const date = new Date(time);
  if (unit === "month") return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1);
  return time - (time % DAY_MS) - (unit === "week" ? weekdayOf(time) * DAY_MS : 0);
}

export function endOfBucket(start: number, unit: Unit): number {
  if (unit !== "month") return start + { hour: HOUR_MS, day: DAY_MS, week: 7 * DAY_MS }[unit];
  const date = new Date(start);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1);
}

type Options = Intl.DateTimeFormatOptions;
const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(options: Options): Intl.DateTimeFormat {
  const key = `${i18n.locale} ${JSON.stringify(options)}`;
  const known = formats.get(key) ?? timeFormat(options);
  formats.set(key, known);
  return known;
}

const UTC: Options = { timeZone: "UTC" };
const SHORT: Record<Unit, Options> = {
  hour: { hour: "numeric", minute: "2-digit", ...UTC },
  day: { day: "numeric", month: "short", ...UTC },
  week: { day: "numeric", month: "short", ...UTC },
  month: { month: "short", year: "numeric", ...UTC },
};
const LONG: Record<Unit, Options> = {
  hour: { weekday: "short", day: "numeric", month: "short", hour: "numeric", minute: "2-digit", ...UTC },
  day: { weekday: "short", day: "numeric", month: "short", year: "numeric", ...UTC },
  week: { day: "numeric", month: "short", year: "numeric", ...UTC },
  month: { month: "long", year: "numeric", ...UTC },
};

/** For axes. Midnight says its day. */
export function shortName(start: number, unit: Unit): string {
  if (unit === "hour" && isMidnight(start)) {
    return formatOf({ day: "numeric", month: "short", ...UTC }).format(start);
  }
  return formatOf(SHORT[unit]).format(start);
}

export function longName(start: number, unit: Unit): string {
  if (unit === "week") return spanName({ start, end: endOfBucket(start, unit) });
  return formatOf(LONG[unit]).format(start);
}

/** Whether the clock had shown this hour before. */
export const isRepeated = (start: number, unit: Unit): boolean =>
  unit === "hour" && start % HOUR_MS === REPEATED_MS;

const isMidnight = (time: number): boolean => time % DAY_MS === 0;

/** From its first to its last day; with hours unless it is whole days. */
export function spanName({ start, end }: Span): string {
  if (!isMidnight(start) || !isMidnight(end)) return formatOf(LONG.hour).formatRange(start, end);
  const days: Options = { day: "numeric", month: "short", year: "numeric", ...UTC };
  return formatOf(days).formatRange(start, end - DAY_MS);
}

/** For file names and inputs: `2026-11-20`. */
export const isoDay = (time: number): string => new Date(time).toISOString().slice(0, 10);
