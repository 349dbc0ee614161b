import { expect, test } from "bun:test";
import { killUnderLoad } from "./clicks-kill.ts";

test("SIGKILL and SIGTERM under load: every answered redirect is counted, none twice", async () => {
  const { wrong, answered, counted, sent } = await killUnderLoad({ rounds: 4 });
  expect(wrong).toEqual([]);
  expect(answered).toBeGreaterThan(0);
  expect(counted).toBeGreaterThanOrEqual(answered);
  expect(counted).toBeLessThanOrEqual(sent);
});
