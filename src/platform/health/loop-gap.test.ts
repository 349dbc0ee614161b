import { expect, test } from "bun:test";
import { createRegistry } from "../../lib/metrics.ts";
import { until } from "../../../test/support/until.ts";
import { createRecentMaximum, startProcessMetrics } from "./process-metrics.ts";
import { readMeasurements } from "./system.service.ts";

test("reading the longest gap does not reset it for other readers", async () => {
  const registry = createRegistry();
  const metrics = startProcessMetrics(registry);
  const gap = async () => readMeasurements(await registry.snapshot()).sum("svc_event_loop_gap_seconds");
  try {
    const end = performance.now() + 200;
    while (performance.now() < end);
    await until(async () => (await gap()) > 0.05);
    expect(await gap()).toBeGreaterThan(0.05);
    expect(await gap()).toBeGreaterThan(0.05);
  } finally {
    metrics.close();
  }
});

test("the largest value of the last minute stays, and no longer", () => {
  const recent = createRecentMaximum();
  const start = 1_234_567;
  expect(recent.get(start)).toBe(0);
  recent.add(-3, start);
  expect(recent.get(start)).toBe(0);
  recent.add(40, start);
  recent.add(90, start + 1);
  recent.add(20, start + 30_000);
  expect([recent.get(start + 30_000), recent.get(start + 59_999), recent.get(start + 60_000)]).toEqual([
    90, 90, 90,
  ]);
  expect(recent.get(start + 65_001)).toBe(20);
  expect(recent.get(start + 95_001)).toBe(0);
  recent.add(5, start + 10 * 3600_000);
  expect(recent.get(start + 10 * 3600_000)).toBe(5);
});
