import { afterEach, beforeEach, expect, jest, test } from "bun:test";
import { createFlushSchedule, type FlushSchedule } from "./schedule.ts";
import type { FlushTrigger } from "./schedule.ts";

let time = 0;
let schedule: FlushSchedule;

beforeEach(() => {
  time = 0;
  jest.useFakeTimers();
});
afterEach(() => {
  schedule.stop();
  jest.useRealTimers();
});

/** Advances time in steps of 10 ms, with the promises in between. */
async function pass(ms: number): Promise<void> {
  for (const end = time + ms; time < end; ) {
    time += 10;
    jest.advanceTimersByTime(10);
    for (let turn = 0; turn < 10; turn++) await Promise.resolve();
  }
}

const make = (flush: (trigger: FlushTrigger) => Promise<void>, intervalMs = 1000) => {
  const runs: { at: number; trigger: FlushTrigger }[] = [];
  schedule = createFlushSchedule({
    intervalMs,
    now: () => time,
    flush(trigger) {
      runs.push({ at: time, trigger });
      return flush(trigger);
    },
  });
  return runs;
};

const at = (runs: { at: number }[]) => runs.map((run) => run.at);

test("flushes at the start, then an interval after the end of each flush", async () => {
  const runs = make(async () => {});
  await pass(3000);
  expect(runs).toEqual([]);
  schedule.start();
  await pass(2500);
  expect(at(runs)).toEqual([3010, 4010, 5010]);
  expect(runs.every(({ trigger }) => trigger === "interval")).toBe(true);
});

test("a new interval counts from the last flush", async () => {
  const runs = make(async () => {});
  schedule.start();
  await pass(100);
  schedule.setInterval(300);
  await pass(700);
  expect(at(runs)).toEqual([10, 310, 610]);
});

test("is due at once after short flushes, later after long ones", async () => {
  let slow = false;
  const runs = make(async () => {
    if (slow) time += 20;
  }, 5000);
  schedule.start();
  await pass(100);
  slow = true;
  schedule.due();
  await pass(100);
  schedule.due();
  await pass(1000);
  expect(runs.map(({ trigger }) => trigger)).toEqual(["interval", "threshold", "threshold"]);
  // The second took 20 ms, so the third waits nineteen times as long.
  expect(runs[2]!.at - runs[1]!.at).toBeGreaterThanOrEqual(20 * 20);
  expect(runs[2]!.at - runs[1]!.at).toBeLessThan(20 * 20 + 50);
});

test("the pause doubles while flushes fail, even for due ones, and ends with the first success", async () => {
  let fails = true;
  const runs = make(async () => {
    if (fails) throw new Error("away");
  }, 100);
  schedule.start();
  await pass(50);
  schedule.due();
  await pass(8000);
  expect(at(runs)).toEqual([10, 510, 1510, 3510, 7510]);
  fails = false;
  await pass(8000);
  expect(at(runs).slice(5, 8)).toEqual([15_510, 15_610, 15_710]);
});

test("the pause is never longer than half a minute", async () => {
  const runs = make(() => Promise.reject(new Error("away")), 100);
  schedule.start();
  await pass(300_000);
  const pauses = at(runs)
    .slice(1)
    .map((startedAt, index) => startedAt - runs[index]!.at);
  expect(Math.max(...pauses)).toBe(30_000);
});

test("a manual flush runs at once and rejects when it fails", async () => {
  const runs = make(async (trigger) => {
    if (trigger === "manual") throw new Error("away");
  });
  const failure = schedule.flushNow().catch((error: Error) => error.message);
  expect(runs).toEqual([{ at: 0, trigger: "manual" }]);
  expect(await failure).toBe("away");
});

test("does not flush after a stop", async () => {
  const runs = make(async () => {});
  schedule.start();
  await pass(100);
  schedule.stop();
  schedule.due();
  await pass(5000);
  expect(runs).toHaveLength(1);
});
