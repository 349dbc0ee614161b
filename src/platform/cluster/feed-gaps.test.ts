import { expect, test } from "bun:test";
import { createGaps } from "./feed-gaps.ts";

const MINUTE = 60_000;
const missing = (gaps: ReturnType<typeof createGaps>, now: number) =>
  gaps
    .open(now)
    .flat()
    .map(({ from, to }) => [from, to]);

test("a skipped id is missing until its row appears", () => {
  const gaps = createGaps();
  gaps.reset([], 0);
  gaps.advance([1, 2, 5, 9], 0);
  expect(gaps.top()).toBe(9);
  expect(missing(gaps, 0)).toEqual([
    [3, 4],
    [6, 8],
  ]);
  gaps.found([7, 3]);
  expect(missing(gaps, 0)).toEqual([
    [4, 4],
    [6, 6],
    [8, 8],
  ]);
  gaps.found([4, 6, 8, 8]);
  expect(missing(gaps, 0)).toEqual([]);
});

test("each gap expires two minutes after it was first seen", () => {
  const gaps = createGaps();
  gaps.reset([], 0);
  gaps.advance([2], 0);
  gaps.advance([4], MINUTE);
  expect(missing(gaps, 2 * MINUTE - 1)).toEqual([
    [1, 1],
    [3, 3],
  ]);
  expect(missing(gaps, 2 * MINUTE)).toEqual([[3, 3]]);
  expect(missing(gaps, 3 * MINUTE)).toEqual([]);
});

test("setting the clock back does not keep a gap longer", () => {
  const gaps = createGaps();
  gaps.reset([], 100 * MINUTE);
  gaps.advance([2], 100 * MINUTE);
  expect(missing(gaps, MINUTE)).toEqual([[1, 1]]);
  expect(missing(gaps, 3 * MINUTE)).toEqual([]);
});

test("a new reader watches the gaps below the newest ids only", () => {
  const gaps = createGaps();
  gaps.reset([101, 102, 105], 0);
  expect(gaps.top()).toBe(105);
  expect(missing(gaps, 0)).toEqual([[103, 104]]);
});

test("many gaps are read in portions, and beyond the bound the newest stay", () => {
  const gaps = createGaps();
  gaps.reset([], 0);
  gaps.advance(
    Array.from({ length: 120 }, (_, i) => 2 * i + 2),
    0,
  );
  expect(gaps.open(0).map((portion) => portion.length)).toEqual([50, 50, 20]);
  gaps.advance(
    Array.from({ length: 6_000 }, (_, i) => 2 * i + 1_000),
    0,
  );
  expect(missing(gaps, 0)).toHaveLength(5_000);
  expect(missing(gaps, 0).at(-1)).toEqual([12_997, 12_997]);
});
