/** Bounds, order, shares and gaps of the responses. property.test.ts checks sums. */
import { afterEach, beforeAll, describe, expect, test } from "bun:test";
import { forEachDialect } from "../../platform/db/for-each-dialect.test-support.ts";
import { AppError } from "../../lib/errors.ts";
import {
  type AnalyticsRoom,
  CHROME,
  daysBefore,
  GOOGLEBOT,
  NOW,
  openAnalytics,
  type TestClick,
} from "./analytics.test-support.ts";
import { LINK_DAY_VALUES, OTHER } from "../rollups/dimensions.ts";
import { createAnalytics } from "./service.ts";
import { UTC } from "../rollups/calendar.ts";
import { DAY_MS, HOUR_MS } from "../rollups/time-buckets.ts";

const LAST_30_DAYS = { start: NOW - 30 * DAY_MS, end: NOW };
const at = (text: string): number => Date.parse(text);

const repeat = (times: number, click: TestClick): TestClick[] => Array.from({ length: times }, () => click);

async function refusal(call: Promise<unknown>): Promise<string> {
  try {
    await call;
  } catch (error) {
    return error instanceof AppError ? error.name : String(error);
  }
  return "";
}

forEachDialect((dialect) => {
  let room: AnalyticsRoom;
  beforeAll(async () => {
    room = await openAnalytics(await dialect.openDb());
  });
  afterEach(() => room.clear());

  describe("without clicks", () => {
    test("reports have zeros and empty lists", async () => {
      await room.addLink("a/b");
      const { analytics } = room;
      const { labels, values } = await analytics.trend(LAST_30_DAYS, "day");
      expect([labels.length, new Set(values)]).toMatchObject([31, new Set([0])]);
      expect(await analytics.top(LAST_30_DAYS, 10)).toMatchObject([]);
      expect(await analytics.referrers(LAST_30_DAYS, 10)).toMatchObject([]);
      expect(await analytics.places(LAST_30_DAYS, 10)).toMatchObject([]);
      const nothing = { browsers: [], systems: [], devices: [], botPercentage: 0, total: 0 };
      expect(await analytics.devices(LAST_30_DAYS, 10)).toMatchObject(nothing);
      expect(await analytics.devices(LAST_30_DAYS, 10, { key: "a/b" })).toMatchObject(nothing);
      expect(await analytics.link("a/b", LAST_30_DAYS)).toMatchObject({
        code: "a/b",
        clicks: 0,
        referrers: [],
        places: [],
      });
    });

    test("a reversed range is empty, whatever was clicked", async () => {
      const linkId = await room.addLink("a");
      await room.record([{ linkId, at: NOW - 1, userAgent: CHROME }]);
      const reversed = { start: NOW, end: NOW - DAY_MS };
      expect(await room.analytics.trend(reversed, "hour")).toMatchObject({ labels: [], values: [] });
      expect(await room.analytics.top(reversed, 10)).toMatchObject([]);
      expect((await room.analytics.link("a", reversed)).clicks).toBe(0);
      expect((await room.analytics.devices(reversed, 10)).total).toBe(0);
    });
  });

  test("an unknown link is not found, and codes are case-sensitive", async () => {
    await room.addLink("Code");
    for (const code of ["code", "", "Code/", "Code\0", "😀"]) {
      expect(await refusal(room.analytics.link(code, LAST_30_DAYS))).toBe("LinkNotFound");
      expect(await refusal(room.analytics.devices(LAST_30_DAYS, 10, { key: code }))).toBe("LinkNotFound");
    }
  });

  test("lists keep their limit, highest count first, ties by name", async () => {
    const [b, a, c] = [await room.addLink("b"), await room.addLink("a"), await room.addLink("c")];
    await room.record([
      ...repeat(2, { linkId: c, at: NOW - 9, source: "ref:z.example", userAgent: GOOGLEBOT }),
      { linkId: b, at: NOW - 9, source: "ref:b.example", userAgent: CHROME },
      { linkId: a, at: NOW - 9, source: "ref:a.example" },
    ]);
    expect(await room.analytics.top(LAST_30_DAYS, 2)).toMatchObject([
      { code: "c", clicks: 2 },
      { code: "a", clicks: 1 },
    ]);
    expect(await room.analytics.referrers(LAST_30_DAYS, 2)).toMatchObject([
      { referrer: "z.example", clicks: 2, percentage: 50 },
      { referrer: "a.example", clicks: 1, percentage: 25 },
    ]);
    const { devices, botPercentage, total } = await room.analytics.devices(LAST_30_DAYS, 1);
    expect(devices).toMatchObject([{ name: "bot", clicks: 2, percentage: 66.67 }]);
    expect([botPercentage, total]).toMatchObject([66.67, 3]);
  });

  test("hours of the week are those of a range that begins and ends inside hours", async () => {
    const linkId = await room.addLink("a");
    const first = at("2026-11-20T05:15:00Z");
    const clicked = [0, 1, 2, 4].map((hours) => ({ linkId, at: first + hours * HOUR_MS }));
    await room.record(clicked);
    const rows = async () => {
      const range = { start: first - HOUR_MS / 8, end: first + 4 * HOUR_MS + HOUR_MS / 8 };
      const found = await room.analytics.report("hour_of_week", range, 200);
      return found.rows.map(({ value, clicks }) => [value, clicks]).toSorted();
    };
    const expected = ["05", "06", "07", "09"].map((hour) => [`Fri ${hour}:00`, 1]);
    expect(await rows()).toEqual(expected);
    // Without details the hours at the ends count as a whole.
    await room.database.write.deleteFrom("click_log").execute();
    expect(await rows()).toEqual(expected);
  });

  test("a utm_source and a domain of the same name count as one referrer", async () => {
    const linkId = await room.addLink("a");
    await room.record([
      { linkId, at: NOW - 9, source: "a.example" },
      { linkId, at: NOW - 9, source: "ref:a.example" },
      { linkId, at: NOW - 9 },
    ]);
    const expected = [
      { referrer: "a.example", clicks: 2, percentage: 66.67 },
      { referrer: "(direct)", clicks: 1, percentage: 33.33 },
    ];
    expect(await room.analytics.referrers(LAST_30_DAYS, 10)).toMatchObject(expected);
    expect((await room.analytics.link("a", LAST_30_DAYS)).referrers).toMatchObject(expected);
  });

  test("filters find browsers, systems and devices in any case", async () => {
    const linkId = await room.addLink("a");
    await room.record([
      { linkId, at: NOW - 9, userAgent: CHROME },
      { linkId, at: NOW - 8, userAgent: GOOGLEBOT },
    ]);
    for (const values of [{ browser: "chrome" }, { os: "WINDOWS", device: "Desktop" }])
      expect((await room.analytics.link("a", LAST_30_DAYS, { values })).clicks).toBe(1);
  });

  test("countries are percentages of all clicks, including those of unknown place", async () => {
    const linkId = await room.addLink("a");
    await room.record([
      { linkId, at: NOW - 9, country: "DE", city: "Köln" },
      { linkId, at: NOW - 9, country: "DE" },
      ...repeat(2, { linkId, at: NOW - 9 }),
    ]);
    const expected = [
      { country: "DE", city: null, clicks: 1, percentage: 25 },
      { country: "DE", city: "Köln", clicks: 1, percentage: 25 },
    ];
    expect(await room.analytics.places(LAST_30_DAYS, 10)).toMatchObject(expected);
    expect((await room.analytics.link("a", LAST_30_DAYS)).places).toMatchObject(expected);
  });

  test("a deleted link stays in the totals and, by its code, in top", async () => {
    const [kept, gone] = [await room.addLink("kept"), await room.addLink("gone")];
    await room.record([...repeat(3, { linkId: gone, at: NOW - 9 }), { linkId: kept, at: NOW - 9 }]);
    await room.deleteLink(gone);
    expect(await room.analytics.top(LAST_30_DAYS, 10)).toMatchObject([
      { code: "gone", clicks: 3 },
      { code: "kept", clicks: 1 },
    ]);
    const { values } = await room.analytics.trend(LAST_30_DAYS, "month");
    expect(values.reduce((sum, clicks) => sum + clicks, 0)).toBe(4);
    expect(await refusal(room.analytics.link("gone", LAST_30_DAYS))).toBe("LinkNotFound");
  });

  test("top merges a deleted code with its new link; the link's report does not", async () => {
    const clicked = async (code: string, clicks: number) => {
      const linkId = await room.addLink(code);
      await room.log(repeat(clicks, { linkId, at: NOW - 9 }));
      return linkId;
    };
    await room.deleteLink(await clicked("again", 2));
    await room.deleteLink(await clicked("again", 3));
    await clicked("other", 5);
    await clicked("again", 1);
    // An unknown link.
    await room.log(repeat(9, { linkId: 2 ** 40, at: NOW - 9 }));
    await room.record([]);
    const top = [
      { code: "again", clicks: 6 },
      { code: "other", clicks: 5 },
    ];
    expect(await room.analytics.top(LAST_30_DAYS, 10)).toMatchObject(top);
    expect(await room.analytics.top(LAST_30_DAYS, 1)).toMatchObject(top.slice(0, 1));
    expect((await room.analytics.link("again", LAST_30_DAYS)).clicks).toBe(1);
  });

  test("a report adds up the old and the new link of a key, whatever their ids", async () => {
    const days = Array.from({ length: 20 }, (_, n) => daysBefore(n + 5));
    const clicked = async (code: string, clicks: number) => {
      const linkId = await room.addLink(code);
      await room.log(days.flatMap((day) => repeat(clicks, { linkId, at: day })));
      return linkId;
    };
    await room.deleteLink(await clicked("again", 2));
    await clicked("other", 3);
    await clicked("again", 2);
    await room.record([]);
    const { rows } = await room.analytics.report("link", LAST_30_DAYS, 1);
    expect(rows).toMatchObject([{ value: "again", clicks: 80 }]);
  });

  test("trends use all counts; percentages use the clicks with details", async () => {
    const linkId = await room.addLink("a");
    await room.record([{ linkId, at: NOW - 9, source: "ref:a.example" }]);
    // Nine more clicks outside the sample.
    for (const id of [0, linkId]) {
      await room.database.write
        .updateTable("click_hours")
        .set({ clicks: 10 })
        .where("link_id", "=", id)
        .execute();
      await room.database.write
        .updateTable("click_days")
        .set({ clicks: 10 })
        .where("link_id", "=", id)
        .execute();
      await room.database.write
        .updateTable("click_months")
        .set({ clicks: 10 })
        .where("link_id", "=", id)
        .execute();
    }
    const report = await room.analytics.link("a", LAST_30_DAYS);
    expect([report.clicks, report.referrers]).toMatchObject([
      10,
      [{ referrer: "a.example", clicks: 1, percentage: 100 }],
    ]);
    // Their time within the hour is unknown.
    const part = { start: NOW - 5, end: NOW - 2 };
    expect((await room.analytics.trend(part, "hour")).values).toMatchObject([10]);
    // The details are complete, so this part has none.
    expect(await room.analytics.referrers(part, 10)).toMatchObject([]);
  });

  test("values beyond the bound per link and day count as others", async () => {
    const linkId = await room.addLink("a");
    const count = LINK_DAY_VALUES + 20;
    const start = at("2026-11-10T00:00:00Z");
    await room.record(
      Array.from({ length: count }, (_, index) => ({
        linkId,
        at: start + index,
        source: `ref:site-${index}.example`,
      })),
    );
    const whole = { start, end: start + DAY_MS - 1 };
    const [most] = (await room.analytics.link("a", whole)).referrers;
    expect(most).toMatchObject({ referrer: OTHER, clicks: 20, percentage: 16.67 });
    expect(await room.analytics.referrers(whole, 100)).toHaveLength(100);
    // From the raw rows, where values without an id count as others too.
    const part = { start, end: start + count - 1 };
    expect((await room.analytics.link("a", part)).referrers[0]!.clicks).toBeLessThanOrEqual(20);
    expect((await room.analytics.link("a", part)).clicks).toBe(count);
  });

  test("a trend over deleted hours uses the remaining days", async () => {
    const linkId = await room.addLink("a");
    const old = NOW - 20 * DAY_MS;
    await room.record([
      { linkId, at: old },
      { linkId, at: NOW - HOUR_MS },
    ]);
    expect(await room.database.read.selectFrom("click_hours").selectAll().execute()).toHaveLength(2);
    const trend = await room.analytics.trend(LAST_30_DAYS, "day");
    const shown = trend.labels.filter((_, index) => trend.values[index]! > 0);
    expect(shown).toMatchObject([UTC.day.label(UTC.day.of(old)), "2026-11-20"]);
  });

  describe("newest clicks", () => {
    const ofEach = (count: number, linkId: number, first: number, step: number): TestClick[] =>
      Array.from({ length: count }, (_, back) => ({ linkId, at: first - back * step }));

    test("come from the hours and days that have some, newest first, also of deleted links", async () => {
      const [linkId, gone] = [await room.addLink("a"), await room.addLink("gone")];
      const clicks = [
        ...ofEach(30, linkId, NOW - HOUR_MS, 1_000),
        ...ofEach(5, linkId, NOW - 20 * DAY_MS, HOUR_MS),
        ...ofEach(3, gone, NOW - 1, 60_000),
      ];
      await room.record(clicks);
      await room.deleteLink(gone);
      const times = async (limit: number, range = LAST_30_DAYS) =>
        (await room.analytics.newest(range, limit, { key: "a" })).map(({ clickedAt }) => clickedAt);
      const own = clicks.filter((click) => click.linkId === linkId).map((click) => click.at);
      expect(await times(20)).toEqual(own.slice(0, 20));
      expect(await times(100)).toEqual(own);
      const part = { start: NOW - 20 * DAY_MS - 2 * HOUR_MS, end: NOW - HOUR_MS - 5_000 };
      expect(await times(100, part)).toEqual(own.filter((time) => time >= part.start && time <= part.end));
      const all = await room.analytics.newest(LAST_30_DAYS, 4);
      expect(all.map(({ key }) => key)).toEqual(["gone", "gone", "gone", "a"]);
      expect(await refusal(room.analytics.newest(LAST_30_DAYS, 4, { key: "none" }))).toBe("LinkNotFound");
    });

    test("of one kind of visitors", async () => {
      const linkId = await room.addLink("a");
      const robots = ofEach(40, linkId, NOW - 1, 1_000).map((click) => ({ ...click, automated: true }));
      await room.record([...robots, { linkId, at: NOW - 9 * DAY_MS, userAgent: CHROME, country: "DE" }]);
      const found = await room.analytics.newest(LAST_30_DAYS, 20, { visitors: "human", key: "a" });
      expect(found).toMatchObject([{ clickedAt: NOW - 9 * DAY_MS, country: "DE", automated: 0 }]);
      expect(found[0]!.agent).toStartWith("Chrome\t");
      expect(await room.analytics.newest(LAST_30_DAYS, 20, { visitors: "automated", key: "a" })).toHaveLength(
        20,
      );
    });
  });

  test("places are added up by country before the limit cuts", async () => {
    const linkId = await room.addLink("a");
    const inCities = (country: string, count: number): TestClick[] =>
      Array.from({ length: count }, (_, city) => ({ linkId, at: NOW - 1, country, city: `City ${city}` }));
    await room.record([...repeat(3, { linkId, at: NOW - 1, country: "FR" }), ...inCities("DE", 25)]);
    for (const places of [
      await room.analytics.places(LAST_30_DAYS, 1, { key: "a" }, "country"),
      await room.analytics.places(LAST_30_DAYS, 1, {}, "country"),
    ])
      expect(places).toMatchObject([{ country: "DE", city: null, clicks: 25, percentage: 89.29 }]);
    expect(await room.analytics.places(LAST_30_DAYS, 1, { key: "a" }, "city")).toMatchObject([
      { country: "FR", city: null, clicks: 3 },
    ]);
  });

  test("a filter by values refuses ranges with more details than it reads", async () => {
    const linkId = await room.addLink("a");
    await room.record(repeat(5, { linkId, at: NOW - 5, country: "DE", columns: { channel: "direct" } }));
    const { database, clock } = room;
    const filter = { values: { country: "DE", channel: "direct" } };
    const of = (mostDetails: number) => createAnalytics({ database, clock, mostDetails });
    expect(await refusal(of(4).top(LAST_30_DAYS, 1, filter))).toBe("BadRequest");
    expect(await of(5).top(LAST_30_DAYS, 1, filter)).toMatchObject([{ clicks: 5 }]);
    expect(await of(4).top({ start: 0, end: NOW - DAY_MS }, 1, filter)).toEqual([]);
  });
});
