/** Reports and the filter over HTTP. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { silentLogger } from "../../lib/logger.ts";
import { type MountedApi, mountApi } from "../../links/links-api.test-support.ts";
import { openLinks } from "../../links/links.test-support.ts";
import { createClickExport } from "./export.ts";
import { analyticsEndpoints } from "./routes.ts";
import {
  type AnalyticsRoom,
  CHROME,
  GOOGLEBOT,
  IPHONE,
  NOW,
  openAnalytics,
} from "./analytics.test-support.ts";
import { DAY_MS } from "../rollups/time-buckets.ts";

let api: MountedApi;
let room: AnalyticsRoom;
let recordsDetails = true;

beforeAll(async () => {
  api = await mountApi(async (database) => {
    room = await openAnalytics(database);
    const { links } = await openLinks(database);
    const { analytics } = room;
    return analyticsEndpoints({
      analytics,
      links,
      clickExport: createClickExport(database),
      recordsDetails: () => recordsDetails,
      lostDetails: async ({ start }) => (start < NOW - DAY_MS ? 10 : 0),
      logger: silentLogger,
    });
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

test("an editor asks every report of own links only", async () => {
  const ids = new Map<number, number>();
  for (const [code, owner] of [
    ["mine", 7],
    ["yours", 8],
  ] as const) {
    const id = await room.addLink(code);
    ids.set(owner, id);
    await room.database.write.updateTable("links").set({ owner_id: owner }).where("id", "=", id).execute();
  }
  await room.record(
    [7, 8, 8].map((owner) => ({ linkId: ids.get(owner)!, at: NOW - 5, country: "DE", userAgent: CHROME })),
  );
  await api.as({ id: 7, username: "edda", role: "editor", via: "panel" }, async () => {
    const { body } = await get("/analytics/report?by=link");
    expect([body.data.map((row: { value: string }) => row.value), body.total, body.other]).toEqual([
      ["mine"],
      1,
      0,
    ]);
    expect((await data("/analytics/trends")).values.at(-1)).toBe(1);
    expect((await data("/analytics/devices")).total_with_ua).toBe(1);
    for (const report of ["top?", "referrers?", "geo?", "clicks?", "report?by=country&"]) {
      expect(await data(`/analytics/${report}`)).toHaveLength(1);
      expect(await data(`/analytics/${report}owner=admin`)).toEqual([]);
      const foreign = await get(`/analytics/${report}code=yours`);
      expect([foreign.status, foreign.body.code]).toEqual([404, 3000]);
    }
    expect((await get("/analytics/export")).text.split("\n")).toHaveLength(3);
  });
  expect((await get("/analytics/report?by=owner")).body).toMatchObject({ data: [], total: 3, other: 3 });
});

describe("the filter", () => {
  test("chooses links and clicks of every report", async () => {
    const [one, two] = [await room.addLink("one"), await room.addLink("two")];
    await room.record([
      { linkId: one, at: NOW - 5, country: "DE", city: "Köln", userAgent: CHROME },
      { linkId: one, at: NOW - 4, country: "FR", userAgent: GOOGLEBOT, automated: true },
      { linkId: two, at: NOW - 3, country: "DE" },
    ]);
    const values = async (query: string) =>
      (await data(`/analytics/report?${query}`)).map((row: { value: string }) => row.value);
    expect(await data("/analytics/report?by=link")).toEqual([
      { value: "one", domain: null, title: null, clicks: 2, human: 1, automated: 1 },
      { value: "two", domain: null, title: null, clicks: 1, human: 1, automated: 0 },
    ]);
    expect(await data("/analytics/report?by=city&code=one")).toEqual([
      { value: "Köln", country: "DE", clicks: 1, human: 1, automated: 0 },
    ]);
    expect(await values("by=country&visitors=human&limit=1")).toEqual(["DE"]);
    expect(await values("by=link&country=DE&browser=Chrome")).toEqual(["one"]);
    expect(await values("by=browser&code=one&code=two&os=Windows&code=")).toEqual(["Chrome"]);
    expect(await values("by=domain")).toEqual(["(default)"]);
    expect(await values("by=link&domain=(default)&search=TW")).toEqual(["two"]);
    expect(await values("by=hour_of_week&visitors=human&code=two")).toEqual(["Fri 13:00"]);
    expect((await data("/analytics/trends?country=DE")).values.at(-1)).toBe(2);
    expect((await data("/links/one/analytics?country=FR")).total_clicks).toBe(1);
    const rows = (await get("/analytics/export?country=FR&search=one")).text.split("\n");
    expect([rows.length, rows[1]!.split(",")[0]]).toEqual([3, "one"]);
    for (const query of ["", "by=", "by=ip", "by=link&domain=none.example", "by=link&country=%00"]) {
      expect((await get(`/analytics/report?${query}`)).status).toBe(400);
    }
    expect((await get("/analytics/report?by=link&code=none")).body.code).toBe(3000);
  });

  test("finds values as rules do, in other case and by other names", async () => {
    const one = await room.addLink("one");
    const agents = { chrome: CHROME, edge: `${CHROME} Edg/130.0.0.0`, phone: IPHONE };
    await room.record([
      {
        linkId: one,
        at: NOW - 5,
        country: "DE",
        userAgent: agents.chrome,
        columns: { language: "de-AT", channel: "email", referrer: "l.facebook.com" },
      },
      { linkId: one, at: NOW - 4, country: "FR", userAgent: agents.edge },
      { linkId: one, at: NOW - 3, country: "DE", userAgent: agents.phone },
    ]);
    const clicks = async (query: string) =>
      (await get(`/analytics/report?by=link&${query}`)).body.data[0]?.clicks ?? 0;
    for (const [query, count] of [
      ["country=de", 2],
      ["country=De&device=Mobile", 1],
      ["language=DE-at", 1],
      ["language=de", 0],
      ["os=iphone", 1],
      ["os=ios", 1],
      ["os=WINDOWS", 2],
      ["browser=edge", 1],
      ["browser=chrome", 1],
      ["browser=chrome&country=de", 1],
      ["device=DESKTOP", 2],
      ["referrer=L.Facebook.com", 1],
      ["site=Facebook.com", 1],
      ["channel=Email", 1],
    ] as const)
      expect([query, await clicks(query)]).toEqual([query, count]);
  });

  test("rows of links have titles of the reader's links, not of others' with the same code", async () => {
    const write = room.database.write;
    const own = await room.addLink("again");
    await write.updateTable("links").set({ owner_id: 7, title: "Mine" }).where("id", "=", own).execute();
    await room.record([{ linkId: own, at: NOW - 5 }]);
    const titles = async () => {
      const [top] = await data("/analytics/top");
      const [row] = await data("/analytics/report?by=link");
      return [top.code, top.title, row.value, row.title];
    };
    const asEdda = <T>(read: () => Promise<T>) =>
      api.as({ id: 7, username: "edda", role: "editor", via: "panel" }, read);
    expect(await asEdda(titles)).toEqual(["again", "Mine", "again", "Mine"]);
    await room.deleteLink(own, NOW);
    const others = await room.addLink("again");
    const secret = { owner_id: 8, title: "Merger plan" };
    await write.updateTable("links").set(secret).where("id", "=", others).execute();
    expect(await asEdda(titles)).toEqual(["again", null, "again", null]);
    expect(await titles()).toEqual(["again", "Merger plan", "again", "Merger plan"]);
  });

  test("rows of links have titles, and clicks without a value are counted apart", async () => {
    const [one, two] = [await room.addLink("one"), await room.addLink("two")];
    await room.database.write.updateTable("links").set({ title: "First" }).where("id", "=", one).execute();
    const from = (referrer: string) => ({ columns: { referrer } });
    await room.record([
      { linkId: one, at: NOW - 9, ...from("l.facebook.com") },
      { linkId: one, at: NOW - 8, ...from("a.example") },
      { linkId: two, at: NOW - 7 },
      { linkId: two, at: NOW - 6 },
      { linkId: two, at: NOW - 5, automated: true },
    ]);
    expect(await data("/analytics/report?by=link")).toMatchObject([
      { value: "two", title: null },
      { value: "one", title: "First" },
    ]);
    expect(await data("/analytics/top")).toMatchObject([{ title: null }, { title: "First" }]);
    const sites = async (query: string) => (await get(`/analytics/report?by=site&${query}`)).body;
    expect(await sites("visitors=human")).toMatchObject({ total: 4, other: 2, none: 2 });
    expect(await sites("visitors=human&limit=1")).toMatchObject({ total: 4, other: 3, none: 2 });
    expect(await sites("visitors=automated")).toMatchObject({ total: 1, other: 1, none: 1 });
    expect((await get("/analytics/report?by=country")).body).toMatchObject({ data: [], none: 5 });
    expect((await get("/analytics/report?by=link")).body.none).toBeUndefined();
  });

  test("details that were lost are named in the reports that lack them", async () => {
    const lost = async (path: string) => (await get(`/analytics/${path}`)).body.details_lost;
    expect(await lost("report?by=site")).toBe(10);
    expect(await lost("trends?country=DE")).toBe(10);
    for (const path of [
      "trends",
      "report?by=link",
      "report?by=site&start_date=2026-11-20&end_date=2026-11-21",
    ])
      expect([path, await lost(path)]).toEqual([path, undefined]);
  });

  test("by values shows from when on there are details", async () => {
    const linkId = await room.addLink("a");
    await room.record([
      { linkId, at: NOW - 20 * DAY_MS, country: "DE" },
      { linkId, at: NOW - 5, country: "DE" },
    ]);
    const about = async (path: string) => (await get(path)).body.details_from;
    expect(await about("/analytics/trends?country=DE")).toBeUndefined();
    const old = room.database.write.deleteFrom("click_log").where("clicked_at", "<", NOW - DAY_MS);
    await old.execute();
    const first = new Date(NOW - 5).toISOString();
    expect(await about("/analytics/trends?country=DE&group_by=hour")).toBe(first);
    expect(await about("/analytics/trends?country=DE&channel=direct")).toBe(first);
    // The sums of days have each value.
    expect(await about("/analytics/trends?country=DE")).toBeUndefined();
    expect(await about("/analytics/report?by=hour_of_week")).toBe("2026-11-20T13:00:00.000Z");
    expect(
      await about("/analytics/report?by=link&start_date=2026-11-19&end_date=2026-11-21&country=DE"),
    ).toBeUndefined();
    for (const path of ["trends", "geo", "report?by=country"])
      expect(await about(`/analytics/${path}`)).toBeUndefined();
    recordsDetails = false;
    expect((await get("/analytics/report?by=link")).body.details).toBeUndefined();
    expect((await get("/analytics/report?by=country")).body).toMatchObject({ details: false, total: 2 });
    expect((await get("/analytics/trends?os=Linux&group_by=hour")).body).toMatchObject({
      details: false,
      details_from: first,
    });
    recordsDetails = true;
  });
});
