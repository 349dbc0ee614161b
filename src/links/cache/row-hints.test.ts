import { expect, test } from "bun:test";
import { createRowHints } from "./row-hints.ts";

const COUNT = 100_000;
const randomHash = (): number => Math.floor(Math.random() * 2 ** 32) | 0;

test("most codes get their id, and few others any", () => {
  const hints = createRowHints(COUNT);
  const hashes = Array.from({ length: COUNT }, randomHash);
  for (const [at, hash] of hashes.entries()) hints.add(hash, 4_000_000_000 + at);
  const right = hashes.filter((hash, at) => hints.find(hash) === 4_000_000_000 + at).length;
  expect(right).toBeGreaterThan(COUNT * 0.97);
  const wrong = Array.from({ length: COUNT }, randomHash).filter((hash) => hints.find(hash) !== 0).length;
  expect(wrong).toBeLessThan(COUNT * 0.15);
  expect(hints.bytes / COUNT).toBeLessThan(6.3);
});

test("codes at the end of the table continue at its start", () => {
  const hints = createRowHints(4);
  for (const id of [1, 2, 3, 4]) hints.add(-id, id);
  expect([1, 2, 3, 4].map((id) => hints.find(-id))).toEqual([1, 2, 3, 4]);
  expect(hints.find(0)).toBe(0);
});
