/**
 * Strict RFC 3339 instants: requires the offset, refuses impossible dates (February 30, hour 24), accepts lower-case
 * `t` and `z`, cuts digits below the millisecond, counts a leap second as the next second.
 */
const FORM =
  /^(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(?:\.(\d{1,20}))?(?:[Zz]|([+-])(\d{2}):(\d{2}))$/;

const DAYS_IN_MONTH = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
const EARLIEST = Date.parse("0000-01-01T00:00:00.000Z");
export const LATEST_INSTANT = Date.parse("9999-12-31T23:59:59.999Z");

const daysIn = (year: number, month: number): number =>
  month === 2 && year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
    ? 29
    : (DAYS_IN_MONTH[month - 1] ?? 0);

/** Epoch milliseconds, or null. */
export function parseRfc3339(text: string): number | null {
  const match = FORM.exec(text);
  if (match === null) return null;
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  if (day < 1 || day > daysIn(year, month) || hour > 23 || minute > 59 || second > 60) return null;
  const [offsetHours, offsetMinutes] = [Number(match[9] ?? 0), Number(match[10] ?? 0)];
  if (offsetHours > 23 || offsetMinutes > 59) return null;
  const offset = (offsetHours * 60 + offsetMinutes) * 60_000 * (match[8] === "-" ? -1 : 1);
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  date.setUTCHours(hour, minute, second, Number((match[7] ?? "").slice(0, 3).padEnd(3, "0")));
  const instant = date.getTime() - offset;
  // Leap seconds end a UTC day.
  if (second === 60 && Math.floor(instant / 1000) % 86_400 !== 0) return null;
  return instant >= EARLIEST && instant <= LATEST_INSTANT ? instant : null;
}

/** The instant in whole milliseconds, or the nearest one in the years 0 to 9999. */
export const boundedInstant = (ms: number): number =>
  Math.min(Math.max(Math.round(ms), EARLIEST), LATEST_INSTANT);

/** `2026-11-20T13:00:00.000Z`. */
export const formatRfc3339 = (instant: number): string => new Date(instant).toISOString();
