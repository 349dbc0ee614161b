/**
 * Relative durations such as `7d`, `1d2h30m`, `2weeks`. Units: s m h d w M y, the long names and sec, min, hr, in any
 * case except `m` (minute) and `M` (month). A month is 30 days, a year 365 days.
 */
const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const SHORT = { s: SECOND, m: MINUTE, h: HOUR, d: DAY, w: 7 * DAY, M: 30 * DAY, y: 365 * DAY };
const LONG = {
  sec: SECOND,
  second: SECOND,
  min: MINUTE,
  minute: MINUTE,
  hr: HOUR,
  hour: HOUR,
  day: DAY,
  week: 7 * DAY,
  month: 30 * DAY,
  year: 365 * DAY,
};

const UNITS: ReadonlyMap<string, number> = new Map([
  ...Object.entries(SHORT),
  ...Object.entries(LONG).flatMap(([name, ms]): [string, number][] => [
    [name, ms],
    [`${name}s`, ms],
  ]),
]);

const LONGEST_TEXT = 100;
const LONGEST = 10_000 * 366 * DAY;

/** Milliseconds, or null if the text is no duration or longer than 10,000 years. */
export function parseDuration(text: string): number | null {
  if (text.length > LONGEST_TEXT || !/^(?:[0-9]+[a-zA-Z]+)+$/.test(text)) return null;
  let total = 0;
  for (const [, digits, name] of text.matchAll(/([0-9]+)([a-zA-Z]+)/gy)) {
    const unit = UNITS.get(name === "M" ? "M" : name!.toLowerCase());
    if (unit === undefined) return null;
    total += Number(digits) * unit;
  }
  return total <= LONGEST ? total : null;
}
