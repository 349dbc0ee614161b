import { expect, test } from "bun:test";
import { createMissingCodes } from "./code-filter.ts";

test("codes are remembered for half to all of the lifetime", () => {
  const missing = createMissingCodes({ limit: 100, lifeMs: 1000 });
  missing.add("a", 0);
  missing.add("b", 499);
  expect([missing.has("a", 500), missing.has("b", 500)]).toEqual([true, true]);
  expect([missing.has("a", 999), missing.has("b", 999)]).toEqual([true, true]);
  expect([missing.has("a", 1000), missing.has("b", 1000)]).toEqual([false, false]);
  missing.add("c", 2000);
  expect(missing.has("c", 9000)).toBe(false);
});

test("at most the limit is held, with the newest", () => {
  const missing = createMissingCodes({ limit: 100, lifeMs: 1000 });
  for (let i = 0; i < 10_000; i++) {
    missing.add(`c${i}`, 0);
    expect(missing.size()).toBeLessThanOrEqual(100);
    expect(missing.has(`c${i}`, 0)).toBe(true);
    if (i >= 40) expect(missing.has(`c${i - 40}`, 0)).toBe(true);
  }
});

test("delete, clear and a clock set back forget codes", () => {
  const missing = createMissingCodes({ limit: 100, lifeMs: 1000 });
  for (const code of ["a", "b"]) missing.add(code, 5000);
  missing.delete("a");
  expect([missing.has("a", 5000), missing.has("b", 5000)]).toEqual([false, true]);
  expect(missing.has("b", 4000)).toBe(false);
  missing.add("c", 4000);
  missing.clear();
  expect(missing.has("c", 4000)).toBe(false);
});
