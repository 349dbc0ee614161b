/**
 * Numbers of hours, days, weeks and months in UTC: hours and days since the epoch, ISO weeks since that of December 29,
 * 1969, months since January 1970. Bucket n ends before startOf(n + 1).
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

type TimeBuckets = {
  /** From epoch milliseconds. */
  of(instant: number): number;
  /** Its first instant. */
  startOf(bucket: number): number;
  /** The name in charts: `2026-11-20 13:00`, `2026-11-20`, `2026-W47`, `2026-11`. */
  label(bucket: number): string;
};

export const monthOf = (instant: number): number => {
  const date = new Date(instant);
  return (date.getUTCFullYear() - 1970) * 12 + date.getUTCMonth();
};
const startOfMonth = (month: number): number => Date.UTC(1970, month, 1);
const isoDay = (instant: number): string => new Date(instant).toISOString().slice(0, 10);
const startOfWeek = (week: number): number => (FIRST_MONDAY + week * DAYS_OF_WEEK) * DAY_MS;

/** The year of an ISO week is that of its Thursday. */
function weekLabel(week: number): string {
  const thursday = new Date(startOfWeek(week) + 3 * DAY_MS);
  const dayOfYear = (thursday.getTime() - Date.UTC(thursday.getUTCFullYear(), 0, 1)) / DAY_MS;
  const number = Math.floor(dayOfYear / DAYS_OF_WEEK) + 1;
  return `${String(thursday.getUTCFullYear()).padStart(4, "0")}-W${String(number).padStart(2, "0")}`;
}

export const BUCKETS: Record<Unit, TimeBuckets> = {
  hour: {
    of: (instant) => Math.floor(instant / HOUR_MS),
    startOf: (hour) => hour * HOUR_MS,
    label: (hour) => `${new Date(hour * HOUR_MS).toISOString().slice(0, 13).replace("T", " ")}:00`,
  },
  day: {
    of: (instant) => Math.floor(instant / DAY_MS),
    startOf: (day) => day * DAY_MS,
    label: (day) => isoDay(day * DAY_MS),
  },
  week: {
    of: (instant) => Math.floor((Math.floor(instant / DAY_MS) - FIRST_MONDAY) / DAYS_OF_WEEK),
    startOf: startOfWeek,
    label: weekLabel,
  },
  month: { of: monthOf, startOf: startOfMonth, label: (month) => isoDay(startOfMonth(month)).slice(0, 7) },
};

/** from, from + 1, … below `to`. */
export const sequence = (from: number, to: number): number[] =>
  Array.from({ length: Math.max(0, to - from) }, (_, at) => from + at);
