/** From a visit to the reports, with the real program: details, rollups, all endpoints, the export and the books. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type Client, startSignedIn } from "./support/session.ts";
import type { Installation, RunningWaymark } from "./support/waymark.ts";

const CHROME =
  "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36";
const IPHONE =
  "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1";
const BOT = "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)";

let installation: Installation;
let server: RunningWaymark;
let client: Client;

beforeAll(async () => {
  ({ installation, server, client } = await startSignedIn());
  await client.call("PUT", "/config/analytics.enable_detailed_logging", { value: "true" });
  await client.call("PUT", "/config/click.flush_interval", { value: "1" });
  await client.call("POST", "/links", { code: "a/b", target: "https://example.com/" });
  await client.call("POST", "/links", { code: "other", target: "https://example.com/" });
  await client.call("POST", "/links", { code: "x/analytics", target: "https://example.com/" });
  await server.stop();
  server = await installation.serve();
  const { signIn } = await import("./support/session.ts");
  client = await signIn(server.url);
});
afterAll(() => installation.remove());

const visit = (path: string, headers: Record<string, string> = {}) =>
  fetch(server.url + path, { redirect: "manual", headers: { "User-Agent": CHROME, ...headers } });
const data = async (path: string) => (await client.call("GET", path)).body.data;
const tomorrow = () => new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
const yesterday = () => new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);

async function untilStored(clicks: number): Promise<void> {
  while ((await data("/stats")).total_clicks < clicks) await Bun.sleep(50);
}

describe("after several kinds of visits", () => {
  beforeAll(async () => {
    for (let at = 0; at < 3; at++) await visit("/a/b", { Referer: "https://news.example/story?id=1" });
    await visit("/a/b?utm_source=letter", { "User-Agent": IPHONE });
    await visit("/a/b", { "User-Agent": BOT });
    await visit("/other", { Referer: '=cmd|"/c calc"!A1' });
    await untilStored(6);
  });

  test("trends count every click", async () => {
    const day = await data("/analytics/trends");
    expect(day.labels.length).toBe(day.values.length);
    expect(day.values.reduce((sum: number, value: number) => sum + value, 0)).toBe(6);
    expect(day.labels.at(-1)).toMatch(/^\d{4}-\d{2}-\d{2}$/);
    for (const [unit, label] of [
      ["hour", /^\d{4}-\d{2}-\d{2} \d{2}:00$/],
      ["week", /^\d{4}-W\d{2}$/],
      ["month", /^\d{4}-\d{2}$/],
    ] as const) {
      const range = `start_date=${yesterday()}&end_date=${tomorrow()}`;
      const trend = await data(`/analytics/trends?group_by=${unit}&${range}`);
      expect(trend.labels.at(-1)).toMatch(label);
      expect(trend.values.reduce((sum: number, value: number) => sum + value, 0)).toBe(6);
    }
  });

  test("top, referrers and devices count each visit's source and device", async () => {
    expect(await data("/analytics/top")).toEqual([
      { code: "a/b", domain: null, title: null, clicks: 5, human_clicks: 4, automated_clicks: 1 },
      { code: "other", domain: null, title: null, clicks: 1, human_clicks: 1, automated_clicks: 0 },
    ]);
    const referrers = await data("/analytics/referrers");
    expect(referrers[0]).toMatchObject({
      referrer: "news.example",
      count: 3,
      percentage: 50,
      human_clicks: 3,
    });
    expect(referrers).toContainEqual({
      referrer: "letter",
      count: 1,
      percentage: 16.67,
      human_clicks: 1,
      automated_clicks: 0,
    });
    expect(referrers).toContainEqual({
      referrer: "(direct)",
      count: 2,
      percentage: 33.33,
      human_clicks: 1,
      automated_clicks: 1,
    });
    const devices = await data("/analytics/devices");
    expect(devices.total_with_ua).toBe(6);
    expect(devices.bot_percentage).toBe(16.67);
    expect(devices.browsers[0]).toEqual({ name: "Chrome", count: 4, percentage: 66.67 });
    expect(devices.devices).toContainEqual({ name: "mobile", count: 1, percentage: 16.67 });
    expect(await data("/analytics/geo")).toEqual([]);
  });

  test("a link has its own reports, even with slashes in its code", async () => {
    const report = await data("/links/a/b/analytics");
    expect(report).toMatchObject({ code: "a/b", total_clicks: 5, geo_distribution: [] });
    expect(report.top_referrers[0]).toMatchObject({ referrer: "news.example", count: 3 });
    expect((await data("/links/a%2Fb/analytics/devices")).total_with_ua).toBe(5);
    expect(await data("/links/x%2Fanalytics/analytics")).toMatchObject({
      code: "x/analytics",
      total_clicks: 0,
    });
    expect((await data("/links/x%2Fanalytics")).target).toBe("https://example.com/");
    const unknown = await client.call("GET", "/links/nope/analytics");
    expect([unknown.status, unknown.body.code]).toEqual([404, 3000]);
  });

  test("a date without time is midnight: a range that ends today excludes today", async () => {
    const today = new Date().toISOString().slice(0, 10);
    const upTo = await data(`/analytics/trends?start_date=${yesterday()}&end_date=${today}`);
    // Visits within the first minutes of a day would still be after that midnight.
    expect(upTo.values.reduce((sum: number, value: number) => sum + value, 0)).toBe(0);
  });

  test("the commands compare with whole weeks before", async () => {
    const today = new Date().toISOString().slice(0, 10);
    const range = ["--from", yesterday(), "--to", today, "--visitors", "human"];
    const compare = async (command: string[], comparison: string, days: number) => {
      const asked = [...command, ...range, "--compare", comparison];
      const { compared } = JSON.parse(await installation.run([...asked, "--json"]));
      const [start, end] = [yesterday(), today].map((day) => Date.parse(day) - days * 86_400_000);
      expect([compared.start_date, compared.end_date].map(Date.parse)).toEqual([start!, end!]);
      expect(compared.clicks).toBe(0);
      return asked;
    };
    const asked = await compare(["links", "stats", "a/b"], "previous", 7);
    expect(await installation.run(asked)).toContain("Before: 0 human clicks");
    await compare(["analytics", "report", "referrer"], "year", 364);
  });

  test("the export contains every click, and no cell runs as a formula", async () => {
    const answer = await client.fetch(`/analytics/export?start_date=${yesterday()}&end_date=${tomorrow()}`);
    expect(answer.headers.get("content-disposition")).toContain(
      `analytics_${yesterday().replaceAll("-", "")}_${tomorrow().replaceAll("-", "")}.csv`,
    );
    const [header, ...rows] = (await answer.text()).trimEnd().split("\n");
    expect(header).toBe("short_code,clicked_at,referrer,source,ip_address,country,city");
    expect(rows).toHaveLength(6);
    expect(rows.filter((row) => row.includes("ref:news.example"))).toHaveLength(3);
    expect(rows.find((row) => row.startsWith("other"))).toContain("'=cmd");
    expect(rows[0]).toContain("127.0.0.1");
  });

  test("reports need an account", async () => {
    for (const path of [
      "/analytics/trends",
      "/analytics/export",
      "/links/a/b/analytics",
      "/analytics/live",
    ]) {
      expect((await fetch(`${server.url}/admin/v1${path}`)).status).toBe(401);
    }
  });
});
