/** The endpoints over HTTP, mounted before those of links as in the server, as an administrator. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { silentLogger } from "../../lib/logger.ts";
import { linkEndpoints } from "../../links/links.routes.ts";
import { type MountedApi, mountApi } from "../../links/links-api.test-support.ts";
import { openLinks } from "../../links/links.test-support.ts";
import { createClickExport } from "./export.ts";
import { analyticsEndpoints } from "./routes.ts";
import { type AnalyticsRoom, CHROME, GOOGLEBOT, NOW, openAnalytics } from "./analytics.test-support.ts";
import { HOUR_MS } from "../rollups/time-buckets.ts";

let api: MountedApi;
let room: AnalyticsRoom;
let recordsDetails = true;
const now = (): number => NOW;

beforeAll(async () => {
  api = await mountApi(async (database) => {
    room = await openAnalytics(database);
    const { links } = await openLinks(database);
    const { analytics } = room;
    return [
      ...analyticsEndpoints({
        analytics,
        links,
        clickExport: createClickExport(database),
        recordsDetails: () => recordsDetails,
        lostDetails: async () => 0,
        logger: silentLogger,
      }),
      ...linkEndpoints({ links, now }),
    ];
  });
});
afterAll(() => api.close());
afterEach(() => room.clear());

const get = (path: string, method = "GET") => api.call(method, path);
const data = async (path: string) => {
  const { status, body } = await get(path);
  expect([status, body.code, body.message]).toEqual([200, 0, "OK"]);
  return body.data;
};

test("an editor sees the analytics of own links only", async () => {
  for (const [code, owner] of [
    ["mine", 7],
    ["yours", 8],
  ] as const) {
    const id = await room.addLink(code);
    await room.database.write.updateTable("links").set({ owner_id: owner }).where("id", "=", id).execute();
  }
  await api.as({ id: 7, username: "edda", role: "editor", via: "panel" }, async () => {
    for (const report of [
      "analytics",
      "analytics/devices",
      "analytics/geo",
      "analytics/clicks",
      "analytics/trends",
    ]) {
      expect((await get(`/links/mine/${report}`)).status).toBe(200);
      const foreign = await get(`/links/yours/${report}`);
      expect([foreign.status, foreign.body.code]).toEqual([404, 3000]);
      expect(foreign.body.message).toBe(
        (await get(`/links/gone/${report}`)).body.message.replace("gone", "yours"),
      );
    }
  });
  expect((await get("/links/yours/analytics")).status).toBe(200);
});

describe("shapes", () => {
  test("of every report", async () => {
    const linkId = await room.addLink("a/b");
    await room.record([
      { linkId, at: NOW - 5, source: "ref:a.example", country: "DE", city: "Köln", userAgent: CHROME },
      { linkId, at: NOW - 4, source: "ref:a.example", userAgent: GOOGLEBOT, automated: true },
      { linkId, at: NOW - 3 },
    ]);
    const referrers = [
      { referrer: "a.example", count: 2, percentage: 66.67, human_clicks: 1, automated_clicks: 1 },
      { referrer: "(direct)", count: 1, percentage: 33.33, human_clicks: 1, automated_clicks: 0 },
    ];
    const one = { human_clicks: 1, automated_clicks: 0 };
    const places = [{ country: "DE", city: "Köln", count: 1, percentage: 33.33, ...one }];
    const both = { human_clicks: 2, automated_clicks: 1 };
    const devices = {
      browsers: [
        { name: "Chrome", count: 1, percentage: 50 },
        { name: "Googlebot", count: 1, percentage: 50 },
      ],
      operating_systems: [
        { name: "Other", count: 1, percentage: 50 },
        { name: "Windows", count: 1, percentage: 50 },
      ],
      devices: [
        { name: "bot", count: 1, percentage: 50 },
        { name: "desktop", count: 1, percentage: 50 },
      ],
      bot_percentage: 50,
      total_with_ua: 2,
    };
    const trend = await data("/analytics/trends");
    expect([trend.labels.length, trend.labels[30], trend.values[30]]).toEqual([31, "2026-11-20", 3]);
    expect([trend.human_clicks[30], trend.automated_clicks[30]]).toEqual([2, 1]);
    expect(Object.keys(trend)).toEqual(["labels", "values", "human_clicks", "automated_clicks"]);
    expect(await data("/analytics/top")).toEqual([
      { code: "a/b", domain: null, title: null, clicks: 3, ...both },
    ]);
    expect(await data("/analytics/referrers")).toEqual(referrers);
    expect(await data("/analytics/geo")).toEqual(places);
    expect(await data("/analytics/devices")).toEqual(devices);
    expect(await data("/links/a/b/analytics/devices")).toEqual(devices);
    expect(await data("/links/a/b/analytics")).toEqual({
      code: "a/b",
      domain: null,
      total_clicks: 3,
      ...both,
      trend,
      top_referrers: referrers,
      geo_distribution: places,
    });
  });

  test("of reports on one kind of visitors", async () => {
    const [linkId, other] = [await room.addLink("a/b"), await room.addLink("robots")];
    await room.record([
      { linkId, at: NOW - 5, source: "ref:a.example", country: "DE", userAgent: CHROME },
      { linkId, at: NOW - 4, source: "ref:b.example", country: "FR", userAgent: GOOGLEBOT, automated: true },
      { linkId: other, at: NOW - 3, country: "FR", userAgent: GOOGLEBOT, automated: true },
    ]);
    const last = async (visitors: string) => {
      const trend = await data(`/analytics/trends?visitors=${visitors}`);
      return [trend.values.at(-1), trend.human_clicks.at(-1), trend.automated_clicks.at(-1)];
    };
    expect([await last("all"), await last(""), await last("human"), await last("automated")]).toEqual([
      [3, 1, 2],
      [3, 1, 2],
      [1, 1, 2],
      [2, 1, 2],
    ]);
    expect(await data("/analytics/top?visitors=human")).toEqual([
      { code: "a/b", domain: null, title: null, clicks: 1, human_clicks: 1, automated_clicks: 1 },
    ]);
    expect(await data("/analytics/top?visitors=automated")).toMatchObject([
      { code: "a/b", clicks: 1 },
      { code: "robots", clicks: 1 },
    ]);
    expect(await data("/analytics/referrers?visitors=human")).toMatchObject([
      { referrer: "a.example", count: 1, percentage: 100 },
    ]);
    expect(await data("/analytics/geo?visitors=automated")).toMatchObject([
      { country: "FR", count: 2, percentage: 100, human_clicks: 0, automated_clicks: 2 },
    ]);
    expect(await data("/analytics/devices?visitors=human")).toMatchObject({
      browsers: [{ name: "Chrome", count: 1 }],
      bot_percentage: 0,
      total_with_ua: 1,
    });
    expect(await data("/links/a/b/analytics/devices?visitors=automated")).toMatchObject({ total_with_ua: 1 });
    expect(await data("/links/a/b/analytics?visitors=automated")).toMatchObject({
      total_clicks: 1,
      human_clicks: 1,
      automated_clicks: 1,
      top_referrers: [{ referrer: "b.example", count: 1, percentage: 100 }],
      geo_distribution: [{ country: "FR", count: 1, percentage: 100 }],
    });
    const refused = await get("/analytics/top?visitors=robots");
    expect([refused.status, refused.body.error]).toEqual([400, "BadRequest"]);
  });

  test("of one link by hour, by country, and of its newest clicks", async () => {
    const [linkId, other] = [await room.addLink("a/b"), await room.addLink("other")];
    await room.record([
      { linkId, at: NOW - 3 * HOUR_MS, country: "DE", city: "Köln" },
      { linkId, at: NOW - 5, source: "ref:a.example", country: "DE", city: "Bonn", userAgent: CHROME },
      { linkId, at: NOW - 4, country: "FR", userAgent: GOOGLEBOT, automated: true },
      { linkId: other, at: NOW - 3, country: "FR" },
    ]);
    const hours = "start_date=2026-11-20T10:00:00Z&end_date=2026-11-20T13:59:59Z&group_by=hour";
    const { trend } = await data(`/links/a/b/analytics?${hours}`);
    expect([trend.labels[0], trend.values]).toEqual(["2026-11-20 10:00", [1, 0, 0, 2]]);
    expect(await data(`/links/a/b/analytics/trends?${hours}`)).toEqual(trend);
    expect((await data(`/links/a/b/analytics/trends?${hours}&visitors=human`)).values).toEqual([1, 0, 0, 1]);
    for (const report of ["", "/trends"])
      expect((await get(`/links/a/b/analytics${report}?group_by=year`)).status).toBe(400);

    const germany = { country: "DE", city: null, count: 2, human_clicks: 2, automated_clicks: 0 };
    expect(await data("/links/a/b/analytics/geo?by=country")).toEqual([
      { ...germany, percentage: 66.67 },
      { country: "FR", city: null, count: 1, percentage: 33.33, human_clicks: 0, automated_clicks: 1 },
    ]);
    expect(await data("/analytics/geo?by=country&limit=1")).toMatchObject([germany]);
    expect(await data("/links/a/b/analytics/geo")).toHaveLength(3);
    expect((await get("/analytics/geo?by=street")).status).toBe(400);

    const newest = await data("/links/a/b/analytics/clicks?limit=2");
    expect(newest).toMatchObject([
      { code: "a/b", clicked_at: "2026-11-20T13:36:59.996Z", browser: "Googlebot", automated: true },
      { referrer: "a.example", country: "DE", city: "Bonn", browser: "Chrome", operating_system: "Windows" },
    ]);
    const ids = async (path: string) => (await data(path)).map(({ code }: { code: string }) => code);
    expect(await ids("/analytics/clicks")).toEqual(["other", "a/b", "a/b", "a/b"]);
    expect(await ids("/analytics/clicks?visitors=automated")).toEqual(["a/b"]);
    expect(await data("/analytics/clicks?start_date=2026-11-21&end_date=2026-11-20")).toEqual([]);
  });

  test("say that details are off, where they need details", async () => {
    await room.addLink("a/b");
    const detailed = ["referrers", "geo", "devices", "clicks"].map((name) => `/analytics/${name}`);
    for (const report of ["", "/devices", "/geo", "/clicks"]) detailed.push(`/links/a/b/analytics${report}`);
    try {
      for (const isOn of [true, false]) {
        recordsDetails = isOn;
        for (const path of detailed) expect((await get(path)).body.details).toBe(isOn ? undefined : false);
        for (const path of ["/analytics/trends", "/analytics/top"])
          expect((await get(path)).body).not.toHaveProperty("details");
      }
    } finally {
      recordsDetails = true;
    }
  });

  test("of trends by unit", async () => {
    const range = "start_date=2026-11-20T12:00:00Z&end_date=2026-11-20T13:00:00Z";
    const labels = async (unit: string) => (await data(`/analytics/trends?${range}&group_by=${unit}`)).labels;
    expect(await labels("hour")).toEqual(["2026-11-20 12:00", "2026-11-20 13:00"]);
    expect(await labels("day")).toEqual(["2026-11-20"]);
    expect(await labels("week")).toEqual(["2026-W47"]);
    expect(await labels("month")).toEqual(["2026-11"]);
    expect(await labels("")).toEqual(["2026-11-20"]);
  });
});

describe("parameters", () => {
  test.each([
    ["", 10],
    ["limit=3", 3],
    ["limit=0", 1],
    ["limit=-7", 1],
    ["limit=100000000000000000000", 12],
    ["limit=12.5", 10],
    ["limit=ten", 10],
    ["limit=NaN", 10],
    ["limit=", 10],
    ["limit[]=1", 10],
  ])("top with %j has %i links", async (query, count) => {
    const clicks = [];
    for (let at = 0; at < 12; at++) clicks.push({ linkId: await room.addLink(`code-${at}`), at: NOW - 5 });
    await room.record(clicks);
    expect(await data(`/analytics/top?${query}`)).toHaveLength(count);
  });

  test.each([
    "start_date=2026-11-19",
    "end_date=2026-11-19",
    "start_date=2026-02-30&end_date=2026-11-19",
    "start_date=&end_date=",
    "start_date[]=2026-11-19&end_date[]=2026-11-19",
    "start_date=%00&end_date=%F0%9F%98%80",
  ])("%s is the last 30 days", async (query) => {
    const { labels } = await data(`/analytics/trends?${query}`);
    expect([labels[0], labels.at(-1), labels.length]).toEqual(["2026-10-21", "2026-11-20", 31]);
  });

  test("the plus sign of an offset needs no encoding", async () => {
    const query = "start_date=2026-11-19T01:00:00+02:00&end_date=2026-11-20T02:00:00%2B02:00&group_by=hour";
    const { labels } = await data(`/analytics/trends?${query}`);
    expect([labels[0], labels.at(-1)]).toEqual(["2026-11-18 23:00", "2026-11-20 00:00"]);
  });

  test("a reversed range is empty; centuries of buckets and unknown units are refused", async () => {
    const reversed = "start_date=2026-11-20&end_date=2026-11-19";
    expect(await data(`/analytics/trends?${reversed}`)).toMatchObject({ labels: [], values: [] });
    expect(await data(`/analytics/referrers?${reversed}`)).toEqual([]);
    await room.addLink("a");
    const centuries = "start_date=0001-01-01&end_date=9999-12-31";
    for (const path of ["/analytics/trends", "/links/a/analytics"]) {
      const { status, body } = await get(`${path}?${centuries}`);
      expect([status, body.code, body.error]).toEqual([400, 1000, "BadRequest"]);
      expect(body.message).toContain("40,000");
    }
    expect(await data(`/analytics/top?${centuries}`)).toEqual([]);
    expect(await data(`/links/a/analytics/devices?${centuries}`)).toMatchObject({ total_with_ua: 0 });
    const refused = await get("/analytics/trends?group_by=year");
    expect([refused.status, refused.body.error]).toEqual([400, "BadRequest"]);
    expect(refused.body.message).toContain("hour, day, week, month");
  });
});

describe("codes", () => {
  test("may contain slashes and end like an endpoint", async () => {
    for (const code of ["a", "a/analytics", "a/analytics/devices", "analytics", "a/b"]) {
      await room.addLink(code);
    }
    const codeOf = async (path: string) => (await data(path)).code;
    expect(await codeOf("/links/a/b/analytics")).toBe("a/b");
    expect(await codeOf("/links/a%2Fb/analytics")).toBe("a/b");
    expect(await codeOf("/links/a/analytics/analytics")).toBe("a/analytics");
    expect(await codeOf("/links/analytics/analytics")).toBe("analytics");
    expect(await codeOf("/links/a%2Fanalytics/analytics")).toBe("a/analytics");
    expect(await data("/links/a%2Fanalytics/analytics/devices")).toHaveProperty("total_with_ua");
    // The links themselves, not their reports.
    expect(await data("/links/a%2Fanalytics")).toMatchObject({ code: "a/analytics", click_count: 0 });
    expect(await data("/links/a%2Fanalytics%2Fdevices")).toMatchObject({ code: "a/analytics/devices" });
    expect(await data("/links/analytics")).toMatchObject({ code: "analytics", click_count: 0 });
  });

  test.each(["unknown", "a%00b", "%F0%9F%98%80", "x".repeat(200), "a%20b", "..%2F..%2Fetc"])(
    "%s is not found",
    async (code) => {
      for (const path of [`/links/${code}/analytics`, `/links/${code}/analytics/devices`]) {
        const { status, body } = await get(path);
        expect([status, body.code, body.error]).toEqual([404, 3000, "LinkNotFound"]);
      }
    },
  );

  test("other methods are 405 on the two first reports, and links that end like others are reached", async () => {
    await room.addLink("a/analytics");
    for (const path of ["/links/a/analytics", "/links/a/b/analytics", "/links/a/analytics/devices"])
      expect([path, (await get(path, "DELETE")).status]).toEqual([path, 405]);
    expect((await get("/links/a%2Fanalytics", "DELETE")).status).toBe(200);
    await room.addLink("a");
    for (const report of ["trends", "geo", "clicks"]) {
      const path = `/links/a/analytics/${report}`;
      expect((await get(path)).body.data?.code).toBeUndefined();
      await room.addLink(`a/analytics/${report}`);
      expect((await get(path)).body.data.code).toBe(`a/analytics/${report}`);
      expect((await get(path, "DELETE")).status).toBe(200);
      expect((await get(path)).body.data?.code).toBeUndefined();
    }
    expect((await get("/analytics/top", "POST")).status).toBe(405);
  });
});

describe("the export", () => {
  const HEADER = "short_code,clicked_at,referrer,source,ip_address,country,city\n";

  test("has a file name with its range", async () => {
    const { text, headers, status } = await get(
      "/analytics/export?start_date=2026-01-02&end_date=2026-03-04",
    );
    expect([status, text]).toEqual([200, HEADER]);
    expect(headers.get("content-type")).toBe("text/csv; charset=utf-8");
    expect(headers.get("content-disposition")).toBe('attachment; filename="analytics_20260102_20260304.csv"');
    const standard = await get("/analytics/export?limit=1");
    expect(standard.headers.get("content-disposition")).toContain("analytics_20261021_20261120.csv");
  });

  test("has the clicks of the range in order, without user agents", async () => {
    const linkId = await room.addLink("a/b");
    await room.log([
      {
        linkId,
        at: NOW - HOUR_MS,
        referrer: "https://a.example/?q=1,2",
        source: "ref:a.example",
        ip: "198.51.100.7",
        country: "DE",
        city: "Köln",
        userAgent: CHROME,
      },
      { linkId, at: NOW - 2 * HOUR_MS, referrer: "=1+1", source: "@SUM(1)", city: "-x", userAgent: CHROME },
      { linkId, at: NOW + 1 },
    ]);
    const { text } = await get("/analytics/export");
    expect(text).toBe(
      `${HEADER}a/b,2026-11-20T11:37:00.000Z,'=1+1,'@SUM(1),,,'-x\n` +
        'a/b,2026-11-20T12:37:00.000Z,"https://a.example/?q=1,2",ref:a.example,198.51.100.7,DE,Köln\n',
    );
    const newestFirst = (await get("/analytics/export?order=desc")).text.split("\n");
    expect(newestFirst).toEqual([text.split("\n")[0]!, ...text.trim().split("\n").slice(1).toReversed(), ""]);
    expect((await get("/analytics/export?order=newest")).status).toBe(400);
    expect(text).not.toContain("Mozilla");
  });
});
