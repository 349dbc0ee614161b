import { expect, test } from "bun:test";
import { UTC } from "./calendar.ts";
import { UNITS } from "./time-buckets.ts";

const labelAt = (unit: (typeof UNITS)[number], text: string): string =>
  UTC[unit].label(UTC[unit].of(Date.parse(text)));

test("labels match the specification", () => {
  const instant = "2026-11-20T13:59:59.999Z";
  expect(UNITS.map((unit) => labelAt(unit, instant))).toEqual([
    "2026-11-20 13:00",
    "2026-11-20",
    "2026-W47",
    "2026-11",
  ]);
  expect(UNITS.map((unit) => labelAt(unit, "1970-01-01T00:00:00Z"))).toEqual([
    "1970-01-01 00:00",
    "1970-01-01",
    "1970-W01",
    "1970-01",
  ]);
  expect(labelAt("month", "9999-12-31T23:59:59Z")).toBe("9999-12");
});

/** From the ISO 8601 calendar around years with 52 and 53 weeks. */
test.each([
  ["2020-12-31", "2020-W53"],
  ["2021-01-03", "2020-W53"],
  ["2021-01-04", "2021-W01"],
  ["2024-12-29", "2024-W52"],
  ["2024-12-30", "2025-W01"],
  ["2025-12-28", "2025-W52"],
  ["2025-12-29", "2026-W01"],
  ["2026-12-31", "2026-W53"],
  ["2027-01-03", "2026-W53"],
  ["2027-01-04", "2027-W01"],
])("%s lies in %s", (day, week) => {
  expect(labelAt("week", `${day}T00:00:00Z`)).toBe(week);
  expect(labelAt("week", `${day}T23:59:59.999Z`)).toBe(week);
});

test.each(UNITS)("each %s begins where the previous one ends", (unit) => {
  const { of, startOf } = UTC[unit];
  const first = of(Date.parse("2023-12-25T00:00:00Z"));
  for (let bucket = first; bucket < first + 500; bucket++) {
    expect(of(startOf(bucket))).toBe(bucket);
    expect(of(startOf(bucket + 1) - 1)).toBe(bucket);
  }
});
