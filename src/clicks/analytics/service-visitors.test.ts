/** Unique visitors in reports, and what is not known. */
import { afterEach, beforeAll, expect, test } from "bun:test";
import { forEachDialect } from "../../platform/db/for-each-dialect.test-support.ts";
import { UTC } from "../rollups/calendar.ts";
import { DAY_MS } from "../rollups/time-buckets.ts";
import { type AnalyticsRoom, NOW, openAnalytics } from "./analytics.test-support.ts";

const TODAY = UTC.day.of(NOW);
const WEEK = { start: (TODAY - 6) * DAY_MS, end: NOW };

forEachDialect((dialect) => {
  let room: AnalyticsRoom;
  beforeAll(async () => {
    room = await openAnalytics(await dialect.openDb());
  });
  afterEach(async () => {
    await room.clear();
    await room.database.write.deleteFrom("visitor_days").execute();
  });

  /** Clicks on six days; visitors of the last three are known. */
  async function setUp() {
    const [one, two] = [await room.addLink("one"), await room.addLink("two")];
    const days = [6, 5, 4, 2, 1, 0].map((age) => TODAY - age);
    await room.record(
      days.flatMap((day) =>
        [one, one, two].map((linkId) => ({ linkId, at: day * DAY_MS + 5, columns: { utm_campaign: "a" } })),
      ),
    );
    const rows = days.slice(-3).flatMap((day) => [
      { day, link_id: 0, visitors: 3, automated: 1 },
      { day, link_id: one, visitors: 2, automated: 1 },
      { day, link_id: two, visitors: 2, automated: 0 },
    ]);
    await room.database.transaction((tx) => room.database.dialect.insertMany(tx, "visitor_days", rows));
    return { one, two };
  }

  test("trends have them by day, and what is not known is no zero", async () => {
    await setUp();
    const { analytics } = room;
    const of = async (...given: Parameters<typeof analytics.trend>) =>
      (await analytics.trend(...given)).unique;
    expect(await of(WEEK, "day")).toEqual([null, null, null, 0, 3, 3, 3]);
    expect(await of(WEEK, "day", { visitors: "human" })).toEqual([null, null, null, 0, 2, 2, 2]);
    expect(await of(WEEK, "day", { key: "two" })).toEqual([null, null, null, 0, 2, 2, 2]);
    expect(await of(WEEK, "month")).toEqual([9]);
    expect(await of(WEEK, "hour")).toBeUndefined();
    expect(await of(WEEK, "day", { values: { utm_campaign: "a" } })).toBeUndefined();
    expect(await of({ start: 0, end: WEEK.start }, "month")).toBeUndefined();
    const link = await analytics.link("one", WEEK);
    expect([link.unique, link.trend.unique]).toEqual([6, [null, null, null, 0, 2, 2, 2]]);
  });

  test("reports by link and what belongs to it have them by link and day", async () => {
    await setUp();
    const of = async (by: "link" | "domain" | "owner" | "tag" | "channel") =>
      (await room.analytics.report(by, WEEK, 10)).rows.map(({ value, unique }) => [value, unique]);
    expect(await of("link")).toEqual([
      ["one", 6],
      ["two", 6],
    ]);
    expect(await of("domain")).toEqual([["", 12]]);
    expect((await room.analytics.report("link", { start: 0, end: WEEK.start }, 1)).rows[0]?.unique).toBe(
      undefined,
    );
  });

  test("before the first click there is nothing unknown", async () => {
    const link = await room.addLink("new");
    await room.record([{ linkId: link, at: NOW - 5 }]);
    for (const unit of ["hour", "day", "week"] as const) {
      const { unknown } = await room.analytics.trend({ start: NOW - 60 * DAY_MS, end: NOW }, unit);
      expect([unit, unknown]).toEqual([unit, []]);
    }
  });

  test("buckets without details, and those that are kept no longer, are named", async () => {
    await setUp();
    const { analytics, database } = room;
    const { write } = database;
    const unknown = async (...given: Parameters<typeof analytics.trend>) =>
      (await analytics.trend(...given)).unknown;
    const days = [6, 5].map((age) => UTC.day.label(TODAY - age));
    expect(await unknown(WEEK, "day", { values: { utm_campaign: "a" } })).toEqual([]);
    // On two days details were off.
    await write
      .deleteFrom("click_dim_days")
      .where("day", "<", TODAY - 4)
      .execute();
    expect(await unknown(WEEK, "day", { values: { utm_campaign: "a" } })).toEqual(days);
    expect(await unknown(WEEK, "day", { values: { utm_campaign: "none" }, key: "one" })).toEqual(days);
    expect(await unknown(WEEK, "month", { values: { utm_campaign: "a" } })).toEqual([]);
    expect(await unknown(WEEK, "day")).toEqual([]);
    await write
      .deleteFrom("click_hours")
      .where("hour", "<", (TODAY - 1) * 24)
      .execute();
    const hours = await unknown({ start: WEEK.start, end: NOW }, "hour");
    expect(new Set(hours.map((label) => label.slice(0, 10)))).toEqual(
      new Set([6, 5, 4, 2].map((age) => UTC.day.label(TODAY - age))),
    );
    await write
      .deleteFrom("click_days")
      .where("day", "<", TODAY - 1)
      .execute();
    expect(await unknown({ start: WEEK.start, end: NOW }, "day")).toEqual(
      [6, 5, 4, 3, 2].map((age) => UTC.day.label(TODAY - age)),
    );
    expect(await unknown(WEEK, "month")).toEqual([]);
  });

  test("the clicks of a link are those of the range, also where its trend is no longer kept by the unit", async () => {
    await setUp();
    const { analytics, database } = room;
    const { write } = database;
    const start = UTC.month.startOf(UTC.month.of(NOW) - 1);
    const clicksBy = async (units: readonly ("hour" | "day" | "week" | "month")[], more = {}) =>
      Promise.all(
        units.map(async (unit) => (await analytics.link("one", { start, end: NOW }, more, unit)).clicks),
      );
    const all = await clicksBy(["hour", "day", "week", "month"]);
    expect(new Set(all)).toEqual(new Set([12]));
    await write
      .deleteFrom("click_hours")
      .where("hour", "<", (TODAY - 1) * 24)
      .execute();
    expect(await clicksBy(["hour", "day", "week", "month"])).toEqual(all);
    expect(await clicksBy(["hour"], { visitors: "human" })).toEqual([12]);
    await write
      .deleteFrom("click_days")
      .where("day", "<", TODAY - 1)
      .execute();
    expect(await clicksBy(["hour", "day", "week", "month"])).toEqual(all);
  });
});
