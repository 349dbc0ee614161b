import { expect, test } from "bun:test";
import { createCalendar } from "./calendar.ts";
import { DAY_MS, HOUR_MS, sequence, UNITS } from "./time-buckets.ts";

const ZONES = [
  "UTC",
  "Europe/Berlin",
  "America/New_York",
  "Asia/Kolkata",
  "Asia/Kathmandu",
  "Australia/Lord_Howe",
  "Pacific/Kiritimati",
  "Asia/Tokyo",
];
const of = (zone: string) => createCalendar({ zones: [{ zone, from: 0 }] });
const at = (text: string): number => Date.parse(text);

/** Quarters of hours that the steps pass over in turn. */
const STEP = HOUR_MS + HOUR_MS / 4;
const YEAR = { from: at("2026-01-01T00:07:30Z"), to: at("2027-01-02T00:00:00Z") };

test.each(ZONES)("%s: each day, week and month is that of the calendar, over a year", (zone) => {
  const calendar = of(zone);
  const wrong: string[] = [];
  for (let now = YEAR.from; now < YEAR.to; now += STEP) {
    const local = Temporal.Instant.fromEpochMilliseconds(now).toZonedDateTimeISO(zone);
    const date = local.toString().slice(0, 10);
    const week = `${local.yearOfWeek}-W${String(local.weekOfYear).padStart(2, "0")}`;
    const labels = UNITS.map((unit) => calendar[unit].label(calendar[unit].of(now))).join();
    const isRight =
      labels.endsWith(`,${date},${week},${date.slice(0, 7)}`) &&
      labels.startsWith(date) &&
      calendar.offsetAt(now) === local.offsetNanoseconds / 1_000_000 &&
      calendar.day.startOf(calendar.day.of(now)) === local.startOfDay().epochMilliseconds &&
      calendar.day.of(calendar.hour.startOf(calendar.hour.of(now))) === calendar.day.of(now);
    if (!isRight) wrong.push(`${local} ${labels}`);
  }
  expect(wrong).toEqual([]);
});

test.each(ZONES)("%s: each bucket begins where the one before ends, and has a label of its own", (zone) => {
  const calendar = of(zone);
  for (const unit of UNITS) {
    const { of: bucketOf, startOf, label } = calendar[unit];
    const buckets = sequence(bucketOf(YEAR.from), bucketOf(YEAR.to));
    const wrong = buckets.filter(
      (bucket) => bucketOf(startOf(bucket)) !== bucket || bucketOf(startOf(bucket + 1) - 1) !== bucket,
    );
    expect(wrong).toEqual([]);
    expect(new Set(buckets.map(label)).size).toBe(buckets.length);
  }
});

test("the second of a repeated hour has its offset in its label", () => {
  const labels = (zone: string, from: string, hours: number) => {
    const { hour } = of(zone);
    return Array.from({ length: hours }, (_, index) => hour.label(hour.of(at(from)) + index));
  };
  expect(labels("Europe/Berlin", "2026-10-25T00:00:00Z", 3)).toEqual([
    "2026-10-25 02:00",
    "2026-10-25 02:00 +01:00",
    "2026-10-25 03:00",
  ]);
  expect(labels("Europe/Berlin", "2026-03-29T00:00:00Z", 2)).toEqual([
    "2026-03-29 01:00",
    "2026-03-29 03:00",
  ]);
  expect(labels("Asia/Kathmandu", "2026-11-19T18:15:00Z", 2)).toEqual([
    "2026-11-20 00:00",
    "2026-11-20 01:00",
  ]);
  expect(labels("Australia/Lord_Howe", "2026-04-04T14:00:00Z", 3)).toEqual([
    "2026-04-05 01:00",
    "2026-04-05 01:30 +10:30",
    "2026-04-05 02:00",
  ]);
});

test("days that a zone skipped or began late", () => {
  const samoa = of("Pacific/Apia").day;
  const skipped = samoa.of(at("2011-12-30T09:00:00Z")) + 1;
  expect(samoa.label(skipped)).toBe("2011-12-30");
  expect(samoa.startOf(skipped)).toBe(samoa.startOf(skipped + 1));
  const beirut = of("Asia/Beirut").day;
  const late = beirut.of(at("2026-03-29T12:00:00Z"));
  expect(beirut.startOf(late + 1) - beirut.startOf(late)).toBe(23 * HOUR_MS);
});

test("a changed zone begins at a midnight of its own", () => {
  const from = at("2026-11-19T23:00:00Z");
  const { day, hour, since } = createCalendar({
    zones: [
      { zone: "UTC", from: 0 },
      { zone: "Europe/Berlin", from },
    ],
  });
  expect(since).toBe(from);
  const first = day.of(from);
  expect([day.label(first - 1), day.label(first)]).toEqual(["2026-11-19", "2026-11-20"]);
  expect([day.startOf(first - 1), day.startOf(first), day.startOf(first + 1)]).toEqual([
    from - 23 * HOUR_MS,
    from,
    from + DAY_MS,
  ]);
  expect(hour.of(from)).toBe(from / HOUR_MS);
});
