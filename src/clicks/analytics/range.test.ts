import { describe, expect, test } from "bun:test";
import { AppError } from "../../lib/errors.ts";
import {
  type Comparison,
  comparedRange,
  splitSpan,
  type DateRange,
  MOST_BUCKETS,
  parseRange,
  spanOf,
  trendOf,
  unitOf,
  withMonths,
} from "./range.ts";
import { createCalendar, UTC } from "../rollups/calendar.ts";
import { DAY_MS, HOUR_MS, type Unit } from "../rollups/time-buckets.ts";

const NOW = Date.parse("2026-11-20T13:37:00Z");
const LAST_30_DAYS = { start: NOW - 30 * DAY_MS, end: NOW };
const at = (text: string): number => Date.parse(text);
const day = (text: string): number => UTC.day.of(at(`${text}T00:00:00Z`));

function refusal(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    return error instanceof AppError ? `${error.name}: ${error.message}` : String(error);
  }
  return "";
}

describe("a range", () => {
  test.each([
    ["2026-11-01", "2026-11-20", "2026-11-01T00:00:00Z", "2026-11-20T00:00:00Z"],
    ["2026-11-01T10:00:00Z", "2026-11-02", "2026-11-01T10:00:00Z", "2026-11-02T00:00:00Z"],
    ["2026-11-01T10:00:00.5+02:00", "2026-11-02", "2026-11-01T08:00:00.500Z", "2026-11-02T00:00:00Z"],
    // An unescaped plus sign became a space.
    ["2026-11-01T10:00:00 02:00", "2026-11-02", "2026-11-01T08:00:00Z", "2026-11-02T00:00:00Z"],
    ["1970-01-01", "9999-12-31", "1970-01-01T00:00:00Z", "9999-12-31T00:00:00Z"],
    ["0001-01-01", "1969-12-31", "1970-01-01T00:00:00Z", "1970-01-01T00:00:00Z"],
    ["1970-01-01T00:00:00+01:00", "2026-11-01", "1970-01-01T00:00:00Z", "2026-11-01T00:00:00Z"],
    ["2024-02-29", "2024-02-29", "2024-02-29T00:00:00Z", "2024-02-29T00:00:00Z"],
    ["2026-11-20", "2026-11-01", "2026-11-20T00:00:00Z", "2026-11-01T00:00:00Z"],
  ])("from %s to %s", (start, end, first, last) => {
    expect(parseRange(start, end, NOW, UTC)).toEqual({ start: at(first), end: at(last) });
  });

  test.each([
    [undefined, undefined],
    ["2026-11-01", undefined],
    [undefined, "2026-11-01"],
    ["", "2026-11-01"],
    ["2026-02-30", "2026-11-01"],
    ["2025-02-29", "2026-11-01"],
    ["2026-11-01", "2026-13-01"],
    ["2026-11-01", "2026-11-02T24:00:00Z"],
    ["2026-11-01", "2026-11-02T10:00:00"],
    ["2026-11-01", "2026-11-02 10:00:00Z"],
    ["2026-11-01", "10000-01-01"],
    ["2026-11-01", "20261102"],
    ["2026-11-01", "1763942400"],
    ["yesterday", "today"],
    ["NaN", "Infinity"],
    ["2026-11-01", "2026-11-02\0"],
    ["2026-11-1", "2026-11-02"],
    ["٢٠٢٦-١١-٠١", "2026-11-02"],
  ])("from %j to %j is the last 30 days", (start, end) => {
    expect(parseRange(start, end, NOW, UTC)).toEqual(LAST_30_DAYS);
  });
});

describe("a unit", () => {
  test("is day by default", () => {
    expect([unitOf(undefined), unitOf(""), unitOf("week")]).toEqual(["day", "day", "week"]);
  });
  test.each(["Day", "year", "days", "hour,day", "__proto__"])("is not %j", (text) => {
    expect(refusal(() => unitOf(text))).toBe("BadRequest: group_by must be one of hour, day, week, month.");
  });
});

const labels = (range: DateRange, unit: Unit): string[] => trendOf(range, unit, UTC).labels;

describe("a trend", () => {
  test("has every bucket of the range", () => {
    const range = { start: at("2026-11-19T23:59:59.999Z"), end: at("2026-11-21T00:00:00Z") };
    expect(labels(range, "day")).toEqual(["2026-11-19", "2026-11-20", "2026-11-21"]);
    expect(labels({ start: range.end, end: range.end }, "hour")).toEqual(["2026-11-21 00:00"]);
    expect(labels({ start: range.end, end: range.end - 1 }, "hour")).toEqual([]);
  });

  test("has a bound, which the error names", () => {
    const start = at("2026-01-01T00:00:00Z");
    const last = start + MOST_BUCKETS.hour * HOUR_MS;
    expect(labels({ start, end: last - 1 }, "hour")).toHaveLength(10_000);
    expect(refusal(() => labels({ start, end: last }, "hour"))).toBe(
      "BadRequest: The range has 10,001 hours and an answer at most 10,000; shorten the range or use a larger group_by.",
    );
    const ages = { start: 0, end: at("9999-12-31T23:59:59.999Z") };
    expect(refusal(() => labels(ages, "hour"))).toContain("at most 10,000");
    for (const unit of ["day", "week", "month"] as const)
      expect(refusal(() => labels(ages, unit))).toContain("at most 40,000");
    expect(labels(parseRange("1970-01-01", "2026-11-30", NOW, UTC), "day")).toHaveLength(20_788);
  });
});

describe("a span", () => {
  test("ends with the range, or with the unfinished bucket at its end", () => {
    expect(spanOf({ start: 5, end: NOW - 1 }, "day", NOW, UTC)).toEqual({ from: 5, to: NOW });
    const tomorrow = at("2026-11-21T00:00:00Z");
    expect(spanOf({ start: 5, end: NOW }, "day", NOW, UTC)).toEqual({ from: 5, to: tomorrow });
    expect(spanOf({ start: 5, end: NOW }, "hour", NOW, UTC).to).toBe(at("2026-11-20T14:00:00Z"));
    expect(spanOf({ start: 5, end: NOW }, "month", NOW, UTC).to).toBe(at("2026-12-01T00:00:00Z"));
    expect(spanOf({ start: 5, end: at("9999-12-31T00:00:00Z") }, "day", NOW, UTC).to).toBe(tomorrow + DAY_MS);
  });
  test("of a reversed range, or of one after tomorrow, is empty", () => {
    expect(spanOf({ start: 9, end: 8 }, "day", NOW, UTC)).toEqual({ from: 9, to: 9 });
    const later = at("2027-01-01T00:00:00Z");
    expect(spanOf({ start: later, end: later + 9 }, "day", NOW, UTC)).toEqual({ from: later, to: later });
  });
});

describe("cutting", () => {
  const [d1, d2] = [day("2026-11-01"), day("2026-11-04")];
  const start = d1 * DAY_MS;

  test("leaves whole days whole", () => {
    expect(splitSpan("day", { from: start, to: d2 * DAY_MS }, UTC)).toEqual({
      whole: { from: d1, to: d2 },
      edges: [],
    });
    expect(splitSpan("day", { from: start, to: start + DAY_MS }, UTC).whole).toEqual({
      from: d1,
      to: d1 + 1,
    });
  });
  test("makes partial days edges", () => {
    expect(splitSpan("day", { from: start + 1, to: d2 * DAY_MS + 1 }, UTC)).toEqual({
      whole: { from: d1 + 1, to: d2 },
      edges: [
        { bucket: d1, span: { from: start + 1, to: start + DAY_MS } },
        { bucket: d2, span: { from: d2 * DAY_MS, to: d2 * DAY_MS + 1 } },
      ],
    });
    const part = { from: start + 1, to: start + 9 };
    const { whole, edges } = splitSpan("day", part, UTC);
    expect(edges).toEqual([{ bucket: d1, span: part }]);
    expect(whole.to - whole.from).toBe(0);
  });
  test("of nothing is nothing", () => {
    expect(splitSpan("hour", { from: 7, to: 7 }, UTC)).toEqual({ whole: { from: 0, to: 0 }, edges: [] });
  });

  test("finds whole months", () => {
    const cut = withMonths({ from: day("2025-12-31"), to: day("2026-03-02") });
    expect(cut.months.map(UTC.month.label)).toEqual(["2026-01", "2026-02"]);
    expect(cut.days.map(UTC.day.label)).toEqual(["2025-12-31", "2026-03-01"]);
    const one = withMonths({ from: day("2026-02-01"), to: day("2026-03-01") });
    expect([one.months.map(UTC.month.label), one.days]).toEqual([["2026-02"], []]);
    const none = withMonths({ from: day("2026-02-02"), to: day("2026-03-31") });
    expect([none.months, none.days.length]).toEqual([[], 57]);
  });
});

describe("a compared range", () => {
  const berlin = createCalendar({ zones: [{ zone: "Europe/Berlin", from: 0 }] });
  const local = (text: string): number => at(`${text}Z`) - berlin.offsetAt(at(`${text}Z`));
  const compared = (start: string, end: string, unit: Unit, comparison: Comparison = "previous") => {
    const now = local("2026-11-20T14:37:00.000");
    const range = { start: local(start), end: local(end) };
    const earlier = comparedRange(range, unit, comparison, { now, calendar: berlin });
    return [earlier.start, earlier.end].map((instant) =>
      new Date(instant + berlin.offsetAt(instant)).toISOString().slice(0, 23),
    );
  };
  const DAY_END = "T23:59:59.999";

  test.each<[string, string, Unit, Comparison, string, string]>([
    // Whole weeks before, over the change of the clock.
    [
      "2026-10-26T00:00:00.000",
      `2026-11-01${DAY_END}`,
      "day",
      "previous",
      "2026-10-19T00:00:00.000",
      `2026-10-25${DAY_END}`,
    ],
    // 30 days meet the weekdays 35 days before.
    [
      "2026-10-20T00:00:00.000",
      `2026-11-18${DAY_END}`,
      "day",
      "previous",
      "2026-09-15T00:00:00.000",
      `2026-10-14${DAY_END}`,
    ],
    // Today until now.
    [
      "2026-11-14T00:00:00.000",
      `2026-11-20${DAY_END}`,
      "day",
      "previous",
      "2026-11-07T00:00:00.000",
      "2026-11-13T14:37:00.000",
    ],
    [
      "2026-11-14T00:00:00.000",
      `2026-11-20${DAY_END}`,
      "day",
      "year",
      "2025-11-15T00:00:00.000",
      "2025-11-21T14:37:00.000",
    ],
    // Months.
    [
      "2026-02-01T00:00:00.000",
      `2026-02-28${DAY_END}`,
      "month",
      "previous",
      "2026-01-01T00:00:00.000",
      `2026-01-31${DAY_END}`,
    ],
    [
      "2026-09-01T00:00:00.000",
      `2026-11-30${DAY_END}`,
      "month",
      "previous",
      "2026-06-01T00:00:00.000",
      "2026-08-20T14:37:00.000",
    ],
    [
      "2026-03-01T00:00:00.000",
      `2026-03-31${DAY_END}`,
      "month",
      "year",
      "2025-03-01T00:00:00.000",
      `2025-03-31${DAY_END}`,
    ],
  ])("of %s to %s by %s, %s", (start, end, unit, comparison, first, last) => {
    expect(compared(start, end, unit, comparison)).toEqual([first, last]);
  });
});
