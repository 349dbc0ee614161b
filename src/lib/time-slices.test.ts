import { expect, test } from "bun:test";
import { createTimeSlices } from "./time-slices.ts";

test("a slice begins after a rest, also after one of other slices", async () => {
  const outer = createTimeSlices(500);
  const inner = createTimeSlices(1);
  expect(outer.due()).toBe(false);
  await Bun.sleep(600);
  expect([outer.due(), inner.due()]).toEqual([true, true]);
  await inner.rest();
  expect(outer.due()).toBe(false);
  await Bun.sleep(5);
  expect(inner.due()).toBe(true);
});
