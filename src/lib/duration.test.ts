import { expect, test } from "bun:test";
import { parseDuration } from "./duration.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

test.each([
  ["1s", 1000],
  ["90m", 90 * 60_000],
  ["1h", HOUR],
  ["7d", 7 * DAY],
  ["1w", 7 * DAY],
  ["1M", 30 * DAY],
  ["1m", 60_000],
  ["2y", 730 * DAY],
  ["1d2h30m", DAY + 2.5 * HOUR],
  ["1second", 1000],
  ["2minutes", 120_000],
  ["3hours", 3 * HOUR],
  ["1day", DAY],
  ["2weeks", 14 * DAY],
  ["1hr30mins15secs", 90 * 60_000 + 15_000],
  ["1month", 30 * DAY],
  ["1year12hours", 365 * DAY + 12 * HOUR],
  ["0s", 0],
  ["007d", 7 * DAY],
  ["1D", DAY],
  ["2W", 14 * DAY],
  ["1Y2H3S", 365 * DAY + 2 * HOUR + 3000],
  ["1M1m", 30 * DAY + 60_000],
  ["7Day", 7 * DAY],
  ["1MONTH2MINUTES", 30 * DAY + 120_000],
])("%s is %d ms", (text, ms) => {
  expect(parseDuration(text)).toBe(ms);
});

test.each([
  "",
  "7",
  "d",
  "7 d",
  " 7d",
  "7d ",
  "7d\n",
  "-7d",
  "+7d",
  "1.5d",
  "1x",
  "1d2",
  "d1",
  "٧d",
  "1ms",
  "99999y",
  `${"9".repeat(400)}d`,
])("%j is not a duration", (text) => {
  expect(parseDuration(text)).toBeNull();
});
