import { expect, test } from "bun:test";
import { timeMethods } from "./timed-methods.ts";

function setUp() {
  const seen: string[] = [];
  const target = {
    now: (n: number) => n + 1,
    later: async (n: number) => n + 2,
    fail: async () => Promise.reject(new Error("later")),
    throws: () => {
      throw new Error("now");
    },
    async *steps() {
      yield 1;
      yield 2;
    },
    other: () => "as it was",
  };
  const hear = (operation: string) => (seconds: number) => {
    expect(seconds).toBeGreaterThanOrEqual(0);
    seen.push(operation);
  };
  const timed = timeMethods(target, {
    now: hear("now"),
    later: hear("later"),
    fail: hear("fail"),
    throws: hear("throws"),
    steps: hear("steps"),
  });
  return { seen, timed };
}

test("results pass through, and each success and failure is observed", async () => {
  const { seen, timed } = setUp();
  expect(timed.now(1)).toBe(2);
  expect(await timed.later(1)).toBe(3);
  await expect(timed.fail()).rejects.toThrow("later");
  expect(() => timed.throws()).toThrow("now");
  expect(timed.other()).toBe("as it was");
  expect(seen).toEqual(["now", "later", "fail", "throws"]);
});

test("each step of an iteration is observed", async () => {
  const { seen, timed } = setUp();
  const steps: number[] = [];
  for await (const step of timed.steps()) steps.push(step);
  expect(steps).toEqual([1, 2]);
  expect(seen).toEqual(["steps", "steps"]);
});
