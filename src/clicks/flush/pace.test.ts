import { afterEach, beforeEach, expect, jest, test } from "bun:test";
import { createPace } from "./schedule.ts";

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

/** Lets due promises continue. */
const turn = async () => {
  for (let at = 0; at < 10; at++) await Promise.resolve();
};

test("pauses longer than the work took, within a bound", async () => {
  const pace = createPace();
  const ended: string[] = [];
  void pace.rest(100, 1).then(() => ended.push("short"));
  void pace.rest(60_000, 8).then(() => ended.push("long"));
  jest.advanceTimersByTime(149);
  await turn();
  expect(ended).toEqual([]);
  jest.advanceTimersByTime(1);
  await turn();
  expect(ended).toEqual(["short"]);
  jest.advanceTimersByTime(2_850);
  await turn();
  expect(ended).toEqual(["short", "long"]);
});

test("does not pause while a caller waits, and pauses again afterwards, even after a failure", async () => {
  const pace = createPace();
  const ended: string[] = [];
  void pace.rest(1_000, 1).then(() => ended.push("before"));
  const { promise, reject } = Promise.withResolvers<void>();
  const work = pace.hurry(() => promise);
  await turn();
  expect(ended).toEqual(["before"]);
  await pace.rest(1_000, 1);
  reject(new Error("no database"));
  expect(work).rejects.toThrow("no database");
  await turn();
  void pace.rest(1_000, 1).then(() => ended.push("after"));
  await turn();
  expect(ended).toEqual(["before"]);
  jest.advanceTimersByTime(1_500);
  await turn();
  expect(ended).toEqual(["before", "after"]);
});

test("does not pause while many segments wait", async () => {
  const pace = createPace();
  await pace.rest(60_000, 9);
  expect(jest.getTimerCount()).toBe(0);
});
