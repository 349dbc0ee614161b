import { expect, test } from "bun:test";
import { killUnderLoad } from "./clicks-kill.ts";

test("kill -9 under load: every answered redirect is counted, none twice", async () => {
  const { wrong, answered, counted, sent } = await killUnderLoad({ rounds: 4 });
  expect(wrong).toEqual([]);
  expect(answered).toBeGreaterThan(0);
  expect(counted).toBeGreaterThanOrEqual(answered);
  expect(counted).toBeLessThanOrEqual(sent);
}, 120_000);
