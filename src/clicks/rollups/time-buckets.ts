/**
 * Numbers of days, weeks and months: days since January 1, 1970, ISO weeks since that of December 29, 1969, months since
 * January 1970. When they begin depends on the time zone (calendar.ts).
 */
/** `to` is excluded. */
export type Span = { from: number; to: number };

export const HOUR_MS = 3_600_000;
export const DAY_MS = 86_400_000;
const DAYS_OF_WEEK = 7;
/** January 1, 1970 was a Thursday. */
const FIRST_MONDAY = -3;

export const UNITS = ["hour", "day", "week", "month"] as const;
export type Unit = (typeof UNITS)[number];

/** Bucket n ends before startOf(n + 1). */
export type TimeBuckets = {
  /** From epoch milliseconds. */
  of(instant: number): number;
  /** Its first instant. */
  startOf(bucket: number): number;
  /** The name in charts: `2026-11-20 13:00`, `2026-11-20`, `2026-W47`, `2026-11`. */
  label(bucket: number): string;
};

export function monthOfDay(day: number): number {
  const date = new Date(day * DAY_MS);
  return (date.getUTCFullYear() - 1970) * 12 + date.getUTCMonth();
}
export const firstDayOfMonth = (month: number): number => Date.UTC(1970, month, 1) / DAY_MS;
export const weekOfDay = (day: number): number => Math.floor((day - FIRST_MONDAY) / DAYS_OF_WEEK);
export const firstDayOfWeek = (week: number): number => FIRST_MONDAY + week * DAYS_OF_WEEK;

export const dayLabel = (day: number): string => new Date(day * DAY_MS).toISOString().slice(0, 10);
export const monthLabel = (month: number): string => dayLabel(firstDayOfMonth(month)).slice(0, 7);

/** The year of an ISO week is that of its Thursday. */
export function weekLabel(week: number): string {
  const thursday = firstDayOfWeek(week) + 3;
  const year = new Date(thursday * DAY_MS).getUTCFullYear();
  const number = Math.floor((thursday - Date.UTC(year, 0, 1) / DAY_MS) / DAYS_OF_WEEK) + 1;
  return `${String(year).padStart(4, "0")}-W${String(number).padStart(2, "0")}`;
}

/** from, from + 1, … below `to`. */
export const sequence = (from: number, to: number): number[] =>
  Array.from({ length: Math.max(0, to - from) }, (_, at) => from + at);
