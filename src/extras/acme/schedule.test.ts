import { expect, test } from "bun:test";
import { isReported, nextQuestion, nextTry, renewAt, suggestedRenewal } from "./schedule.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

test("a certificate is renewed after two thirds of its life", () => {
  expect(renewAt(0, 90 * DAY)).toBe(60 * DAY);
  expect(renewAt(1_000, 1_000 + 6 * DAY)).toBe(1_000 + 4 * DAY);
});

test("tries come at growing distances of at most six hours, and not before the authority allows one", () => {
  const pauses = [1, 2, 3, 6, 7, 8, 2_000].map((failures) => nextTry(failures, 0, null, () => 0) / MINUTE);
  expect(pauses).toEqual([5, 10, 20, 160, 320, 360, 360]);
  expect(nextTry(1, 0, null, () => 1)).toBe(5.5 * MINUTE);
  expect(nextTry(1, 0, DAY)).toBe(DAY);
  expect(nextTry(8, 0, 1_000, () => 0)).toBe(6 * HOUR);
});

test("within an hour a host is tried four times, and within a day ten times", () => {
  const tries = [0];
  for (let failures = 1; tries.at(-1)! < DAY; failures++)
    tries.push(nextTry(failures, tries.at(-1)!, null, () => 0));
  expect([tries.filter((at) => at < HOUR).length, tries.filter((at) => at < DAY).length]).toEqual([4, 10]);
});

test("mails are sent after the third failure and about once a week", () => {
  expect(Array.from({ length: 90 }, (_, failures) => failures).filter(isReported)).toEqual([3, 28, 56, 84]);
});

test("the authority's window decides when to renew, and when it is asked again", () => {
  const window = { start: 10 * DAY, end: 12 * DAY };
  expect(suggestedRenewal(60 * DAY, window, () => 0.5)).toBe(11 * DAY);
  expect(suggestedRenewal(11 * DAY, window, () => 0)).toBe(11 * DAY);
  expect([nextQuestion(0, null), nextQuestion(0, 1_000), nextQuestion(0, 9 * DAY)]).toEqual([
    12 * HOUR,
    HOUR,
    2 * DAY,
  ]);
});
