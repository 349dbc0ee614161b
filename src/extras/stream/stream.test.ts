import { retentionSettings } from "../../clicks/settings.test-support.ts";
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { forEachDialect } from "../../platform/db/for-each-dialect.test-support.ts";
import {
  type AnalyticsRoom,
  CHROME,
  daysBefore,
  NOW,
  openAnalytics,
} from "../../clicks/analytics/analytics.test-support.ts";
import { createRetentionJobs } from "../../clicks/rollups/retention.ts";
import { type ClickStream, createClickStream } from "./stream.ts";

const MINUTE_MS = 60_000;
const signal = new AbortController().signal;

/** Responds to the stream as ClickHouse does. */
function startServer() {
  const state = {
    isAway: false,
    losesResponses: false,
    hasTable: false,
    rows: [] as Record<string, unknown>[],
  };
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const body = await request.text();
      const values = new URL(request.url).searchParams.get("query");
      const query = values ?? body;
      if (state.isAway) return new Response("Code: 159. DB::Exception: Timeout exceeded\n", { status: 500 });
      if (query.startsWith("exists")) return new Response(`{"result":${Number(state.hasTable)}}\n`);
      if (query.startsWith("create")) {
        // Rows that do not wait for the table come before it.
        await Bun.sleep(30);
        state.hasTable = true;
      }
      if (query.startsWith("insert") && !state.hasTable)
        return new Response("Code: 60. DB::Exception\n", { status: 404 });
      if (values === null) return new Response();
      state.rows.push(
        ...body
          .trim()
          .split("\n")
          .map((line) => JSON.parse(line) as Record<string, unknown>),
      );
      return state.losesResponses
        ? new Response("Code: 210. DB::NetException\n", { status: 500 })
        : new Response();
    },
  });
  return { state, server, url: `http://user:secret@127.0.0.1:${server.port}/clicks` };
}

const house = startServer();
afterAll(() => house.server.stop(true));

forEachDialect((dialect) => {
  let room: AnalyticsRoom;
  let stream: ClickStream;
  let link: number;

  beforeAll(async () => {
    room = await openAnalytics(await dialect.openDb());
  });
  beforeEach(async () => {
    await room.clear();
    await room.database.write.deleteFrom("journals").execute();
    Object.assign(house.state, { isAway: false, losesResponses: false, hasTable: false, rows: [] });
    stream = createClickStream({
      database: room.database,
      url: house.url,
      nameOf: (key) => ({ code: key, domain: null }),
      clock: room.clock,
    });
    link = await room.addLink("a");
  });

  const click = (at: number, more = {}) => ({ linkId: link, at, ...more });
  const ids = () => house.state.rows.map(({ id }) => id as number);
  const run = () => stream.job.run(signal);
  /** So that what is there has settled. */
  async function runLater(): Promise<void> {
    await run();
    room.clock.time += 2 * MINUTE_MS;
    await run();
  }

  test("sends each row once in the order of numbers, with texts for what is unknown", async () => {
    const gone = await room.addLink("gone");
    await room.log([
      click(NOW + 7, {
        referrer: 'https://x.example/"\n',
        userAgent: CHROME,
        ip: "192.0.2.7",
        automated: true,
      }),
      { linkId: gone, at: NOW, columns: { utm_term: "t" } },
      { linkId: 999_999, at: daysBefore(9000) },
    ]);
    await room.deleteLink(gone);
    await run();
    expect(house.state.rows).toEqual([]);
    expect(await stream.waiting()).toBe(3);
    room.clock.time += 2 * MINUTE_MS;
    await run();
    expect(await stream.waiting()).toBe(0);
    await runLater();
    const [first, second, third] = house.state.rows;
    expect(ids()).toEqual(ids().toSorted((a, b) => a - b));
    expect(house.state.rows).toHaveLength(3);
    expect(first).toMatchObject({
      link_id: link,
      code: "a",
      domain: "",
      clicked_at: Math.floor((NOW + 7) / 1000),
      millisecond: 7,
      referrer: 'https://x.example/"\n',
      user_agent: CHROME,
      ip_address: "192.0.2.7",
      country: "",
      automated: 1,
    });
    expect(second).toMatchObject({ code: "gone", user_agent: "", utm_term: "t" });
    expect(third).toMatchObject({ code: "" });
  });

  // SQLite has one writer at a time.
  if (dialect.name !== "sqlite")
    test("waits for transactions that commit later than others", async () => {
      await room.database.transaction(async (tx) => {
        const row = { link_id: link, clicked_at: NOW, source: "direct" };
        await room.database.dialect.insertMany(tx, "click_log", [row]);
        await room.log([click(NOW)]);
        await run();
        room.clock.time += MINUTE_MS;
        await run();
      });
      room.clock.time += MINUTE_MS;
      await run();
      expect(ids()).toHaveLength(2);
    });

  test("many rows go in portions", async () => {
    for (let part = 0; part < 3; part++)
      await room.log(Array.from({ length: 700 }, (_, at) => click(NOW + at)));
    await runLater();
    expect(new Set(ids()).size).toBe(2_100);
    expect(ids()).toHaveLength(2_100);
  });

  test("goes on where it was after the server was away, at longer intervals", async () => {
    await room.log([click(NOW)]);
    await run();
    house.state.isAway = true;
    room.clock.time += 2 * MINUTE_MS;
    const usual = stream.job.everyMs();
    await expect(run()).rejects.toThrow("ClickHouse takes no clicks: ");
    await expect(run()).rejects.toThrow("check clickhouse.url");
    expect(stream.job.everyMs()).toBe(4 * usual);
    house.state.isAway = false;
    await run();
    expect(stream.job.everyMs()).toBe(usual);
    expect(ids()).toHaveLength(1);
  });

  test("sends a portion again whose response was lost, with the same key", async () => {
    await room.log([click(NOW), click(NOW + 1)]);
    house.state.losesResponses = true;
    await expect(runLater()).rejects.toThrow("ClickHouse takes no clicks");
    house.state.losesResponses = false;
    await run();
    expect(house.state.rows).toHaveLength(4);
    expect(house.state.rows.slice(2)).toEqual(house.state.rows.slice(0, 2));
  });

  test("tells what a check of the server finds, and stores nothing for it", async () => {
    expect(await stream.check()).toEqual({ hasTable: false, hasSent: false, waitingSince: null });
    await room.log([click(NOW), click(NOW + 1)]);
    expect(await stream.check()).toEqual({ hasTable: false, hasSent: false, waitingSince: NOW });
    await runLater();
    expect(await stream.check()).toEqual({ hasTable: true, hasSent: true, waitingSince: null });
    expect(house.state.rows).toHaveLength(2);
    house.state.hasTable = false;
    expect(await stream.check()).toMatchObject({ hasTable: false, hasSent: true });
    house.state.isAway = true;
    await expect(stream.check()).rejects.toThrow("ClickHouse takes no clicks: ");
  });

  test("retention waits for rows that were not sent, for seven days at most", async () => {
    const [retention] = createRetentionJobs({
      database: room.database,
      maintenance: room.maintenance,
      clock: room.clock,
      config: retentionSettings({ log: 30, hourly: 7, daily: 365 }),
      lacks: stream.lacks,
      restMs: 0,
    });
    const times = async () => {
      const rows = await room.database.read
        .selectFrom("click_log")
        .select("clicked_at")
        .orderBy("id")
        .execute();
      return rows.map(({ clicked_at }) => clicked_at);
    };
    const [young, due, old] = [daysBefore(3), daysBefore(33), daysBefore(39)];
    await room.record([click(young), click(due), click(old)]);
    await retention!.run(signal);
    expect(await times()).toEqual([young, due]);
    await runLater();
    await retention!.run(signal);
    expect(await times()).toEqual([young]);
  });
});
