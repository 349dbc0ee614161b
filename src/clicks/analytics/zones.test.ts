/** Reports in other time zones than UTC, held against the clicks over a year. */
import { beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { forEachDialect, WITHOUT_MYSQL } from "../../platform/db/for-each-dialect.test-support.ts";
import { countVisits, setZones } from "../clicks.test-support.ts";
import { DAY_MS, HOUR_MS, type Unit, UNITS } from "../rollups/time-buckets.ts";
import { type AnalyticsRoom, NOW, openAnalytics, type TestClick } from "./analytics.test-support.ts";
import { createRandom } from "./random.test-support.ts";

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
/** Changes of the clock in Berlin, New York and on Lord Howe, a turn of the year, and this week. */
const EDGES = [
  "2026-03-29T01:00:00Z",
  "2026-10-25T01:00:00Z",
  "2026-03-08T07:00:00Z",
  "2025-11-02T06:00:00Z",
  "2026-04-04T15:00:00Z",
  "2026-01-01T00:00:00Z",
  "2026-11-16T00:00:00Z",
  "2026-11-20T00:00:00Z",
].map((text) => Date.parse(text));
const FIRST = NOW - 384 * DAY_MS;
const CLICKS = 500;
setDefaultTimeout(60_000);

/** What the clock showed, without the calendar. */
function labelAt(zone: string, unit: Unit, at: number): string {
  const local = Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(zone);
  const date = local.toString().slice(0, 10);
  if (unit === "day") return date;
  if (unit === "month") return date.slice(0, 7);
  if (unit === "week") return `${local.yearOfWeek}-W${String(local.weekOfYear).padStart(2, "0")}`;
  const isSecond = local.toPlainDateTime().toZonedDateTime(zone).epochMilliseconds !== at;
  // On Lord Howe the second half of an hour comes twice.
  const minute = isSecond && zone === "Australia/Lord_Howe" ? "30" : "00";
  return `${date} ${local.toString().slice(11, 13)}:${minute}${isSecond ? ` ${local.offset}` : ""}`;
}

function hourOfWeekAt(zone: string, at: number): string {
  const local = Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(zone);
  const day = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"][local.dayOfWeek - 1];
  return `${day} ${String(local.hour).padStart(2, "0")}:00`;
}

function countBy<T>(items: readonly T[], keyOf: (item: T) => string): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const item of items) counts[keyOf(item)] = (counts[keyOf(item)] ?? 0) + 1;
  return counts;
}

forEachDialect((dialect) => {
  let room: AnalyticsRoom;
  let links: number[];

  beforeAll(async () => {
    room = await openAnalytics(await dialect.openDb());
  });

  describe.each(ZONES)("%s", (zone) => {
    const random = createRandom(7);
    const instant = (): number => {
      const far = random.pick([60_000, HOUR_MS, 30 * HOUR_MS, 20 * DAY_MS]);
      const at = random.pick(EDGES) + random.next(2 * far + 1) - far;
      const isLongHour = at >= Date.parse("2026-10-03T14:30Z") && at < Date.parse("2026-10-03T16:00Z");
      return isLongHour ? instant() : Math.min(Math.max(at, FIRST), NOW - 1);
    };
    let clicks: TestClick[];

    beforeAll(async () => {
      await room.clear();
      await setZones(room.database, [{ zone, from: 0 }]);
      links = [await room.addLink("a"), await room.addLink("b")];
      clicks = Array.from({ length: CLICKS }, () => ({
        linkId: random.pick(links),
        at: instant(),
        referrer: random.pick([null, "https://a.example/"]),
      }));
      await countVisits(room.database, clicks);
    });

    test("trends and hours of the week are those of the clicks", async () => {
      const year = { start: FIRST, end: NOW };
      const part = { start: instant() - 9 * DAY_MS, end: instant() };
      for (const range of [year, part].map(({ start, end }) => ({
        start: Math.min(start, end),
        end: Math.max(start, end),
      })))
        for (const unit of UNITS) {
          const within = clicks.filter(({ at }) => at >= range.start && at <= range.end);
          const { labels, values } = await room.analytics.trend(range, unit);
          const found = Object.fromEntries(
            labels.map((label, at) => [label, values[at]!]).filter(([, n]) => n !== 0),
          );
          expect(found).toEqual(countBy(within, ({ at }) => labelAt(zone, unit, at)));
        }
      const { rows } = await room.analytics.report("hour_of_week", year, 200);
      const found = Object.fromEntries(rows.map(({ value, clicks: count }) => [value, count]));
      expect(found).toEqual(countBy(clicks, ({ at }) => hourOfWeekAt(zone, at)));
    });

    test("a filter by a value counts the same days", async () => {
      const range = { start: FIRST, end: NOW };
      const all = await room.analytics.trend(range, "day", { values: { country: "DE" } });
      expect(all.values.every((count) => count === 0)).toBe(true);
      const first = clicks.toSorted((a, b) => a.at - b.at);
      const day = labelAt(zone, "day", first[100]!.at);
      const { start, end } = await room.analytics.range(day, day);
      expect(start).toBe(end);
      expect(labelAt(zone, "hour", start)).toBe(`${day} 00:00`);
      const ofDay = {
        start,
        end:
          (await room.analytics.calendar()).day.startOf((await room.analytics.calendar()).day.of(start) + 1) -
          1,
      };
      const expected = clicks.filter(({ at }) => labelAt(zone, "day", at) === day).length;
      const referrers = await room.analytics.referrers(ofDay, 10);
      expect(referrers.reduce((sum, { clicks: count }) => sum + count, 0)).toBe(expected);
    });
  });
}, WITHOUT_MYSQL);
