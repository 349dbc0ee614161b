import { expect, test } from "bun:test";
import { createSetbacks } from "./setbacks.ts";

const HALF_HOUR = 30 * 60_000;

test("an item waits longer after each failure, up to a day, and add reports a new item once", () => {
  let now = 0;
  const setbacks = createSetbacks<string>({ now: () => now });
  expect([setbacks.waits(1), setbacks.waiting()]).toEqual([false, []]);
  expect(setbacks.add(1, "one")).toBe(true);
  for (const halves of [1, 2, 4, 8, 16, 32, 48, 48]) {
    now += halves * HALF_HOUR - 1;
    expect([setbacks.waits(1), setbacks.waiting()]).toEqual([true, ["one"]]);
    now += 1;
    expect([setbacks.waits(1), setbacks.waiting()]).toEqual([false, []]);
    expect(setbacks.add(1, "one")).toBe(false);
  }
});

test("the oldest of too many are forgotten", () => {
  const setbacks = createSetbacks<number>({ now: () => 0 });
  for (let n = 0; n < 1_500; n++) setbacks.add(n, n);
  expect(setbacks.waiting()).toHaveLength(1_000);
  expect([setbacks.waits(499), setbacks.waits(500)]).toEqual([false, true]);
});
