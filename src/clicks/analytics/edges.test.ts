/** What a part of a bucket counts, depending on the finer rows. Day 20,000 begins at hour 480,000. */
import { expect, test } from "bun:test";
import { UTC } from "../rollups/calendar.ts";
import { type BucketFacts, settleDays } from "./cuts.ts";
import { MOST_RAW_ROWS } from "./counts.repository.ts";
import type { SumParts } from "./range.ts";
import { DAY_MS, HOUR_MS, type Span } from "../rollups/time-buckets.ts";

const DAY = 20_000;
const START = DAY * DAY_MS;
const FIRST_HOUR = DAY * 24;
/** From half past the second hour to the end of the fourth. */
const PART: Span = { from: START + 1.5 * HOUR_MS, to: START + 4 * HOUR_MS };

type Known = { total: number; hours?: [number, number][] | null; rawRows?: (span: Span) => number };

function settle(span: Span, { total, hours = [], rawRows = () => 0 }: Known): Promise<SumParts> {
  const facts: BucketFacts = {
    day: async () => total,
    hours: hours === null ? null : async () => new Map(hours.map(([at, count]) => [FIRST_HOUR + at, count])),
    rawRows: async (query) => rawRows(query),
  };
  return settleDays([{ bucket: DAY, span }], facts, UTC);
}

const nothing: SumParts = { months: [], days: [], hours: [], spans: [] };
const hour = (at: number): number => FIRST_HOUR + at;

test("a day without clicks counts nothing", async () => {
  expect(await settle(PART, { total: 0 })).toEqual(nothing);
});

test("complete hours use hourly counts, partial hours use raw rows", async () => {
  const hours: [number, number][] = [
    [1, 5],
    [2, 3],
    [20, 1],
  ];
  const known = { total: 9, hours };
  const cut = { ...nothing, hours: [hour(2), hour(3)] };
  const part = { from: PART.from, to: START + 2 * HOUR_MS };
  expect(await settle(PART, { ...known, rawRows: () => 5 })).toEqual({ ...cut, spans: [part] });
  expect(await settle(PART, { ...known, rawRows: () => 4 })).toEqual({
    ...cut,
    hours: [hour(2), hour(3), hour(1)],
  });
  // An hour without clicks needs no raw rows.
  const empty = { from: START + 5.5 * HOUR_MS, to: START + 6 * HOUR_MS };
  const refuse = () => {
    throw new Error("not asked");
  };
  expect(await settle(empty, { ...known, rawRows: refuse })).toEqual(nothing);
});

test("without complete hours the raw rows of the day are used", async () => {
  for (const hours of [null, [], [[1, 8]]] as const) {
    const known = { total: 9, hours: hours as [number, number][] | null };
    expect(await settle(PART, { ...known, rawRows: () => 9 })).toEqual({ ...nothing, spans: [PART] });
    expect(await settle(PART, { ...known, rawRows: () => 8 })).toEqual({ ...nothing, days: [DAY] });
  }
});

test("too many raw rows are not read", async () => {
  const known = { total: MOST_RAW_ROWS + 1, hours: null, rawRows: () => MOST_RAW_ROWS + 1 };
  expect(await settle(PART, known)).toEqual({ ...nothing, days: [DAY] });
  // A link with few clicks among very many.
  expect(await settle(PART, { total: 3, hours: null, rawRows: () => Number.NaN })).toEqual({
    ...nothing,
    days: [DAY],
  });
});

test("a range of one instant counts no bucket", async () => {
  const instant = { from: START, to: START + 1 };
  expect(await settle(instant, { total: 9 })).toEqual(nothing);
  expect(await settle(instant, { total: 9, hours: [[0, 9]] })).toEqual(nothing);
  expect(await settle(instant, { total: 9, rawRows: () => 9 })).toEqual({ ...nothing, spans: [instant] });
  expect(await settle({ ...instant, to: START + 2 }, { total: 9 })).toEqual({ ...nothing, days: [DAY] });
});
