import { expect, test } from "bun:test";
import { dispose, giveAway } from "./disposable-bytes.ts";

test("disposing frees only bytes that were given away", () => {
  const given = giveAway(new Uint8Array(100_000).subarray(10, 50_000));
  const kept = new Uint8Array(100_000);
  dispose(given);
  dispose(kept);
  expect(given.byteLength).toBe(0);
  expect(kept.byteLength).toBe(100_000);
  dispose(given);
});

test("the callback of a disposal runs once", () => {
  let gone = 0;
  const bytes = giveAway(new Uint8Array(100), () => gone++);
  const part = giveAway(bytes.subarray(10));
  expect(gone).toBe(0);
  dispose(part);
  dispose(bytes);
  expect(gone).toBe(1);
});

test("disposing frees the memory at once", () => {
  const before = process.memoryUsage.rss();
  for (let i = 0; i < 1_000; i++) dispose(giveAway(new Uint8Array(1_000_000).fill(i)));
  expect(process.memoryUsage.rss() - before).toBeLessThan(100_000_000);
});
