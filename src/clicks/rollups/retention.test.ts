import { retentionSettings } from "../settings.test-support.ts";
import { afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { forEachDialect } from "../../platform/db/for-each-dialect.test-support.ts";
import type { TableName } from "../../platform/db/schema.ts";
import type { Job } from "../../platform/jobs/runner.ts";
import {
  type AnalyticsRoom,
  CHROME,
  GOOGLEBOT,
  NOW,
  openAnalytics,
  type TestClick,
} from "../analytics/analytics.test-support.ts";
import { createRetentionJobs } from "./retention.ts";
import { createRetentionRepository } from "./retention.repository.ts";
import { UTC } from "./calendar.ts";
import { DAY_MS, HOUR_MS } from "./time-buckets.ts";

const LAST_YEAR = { start: NOW - 365 * DAY_MS, end: NOW };

const run = (job: Job, signal: AbortSignal = new AbortController().signal): Promise<void> => job.run(signal);

forEachDialect((dialect) => {
  let room: AnalyticsRoom;
  let retention: Job;
  let logLimit: Job;
  const settings = { enabled: true, log: 30, hourly: 7, daily: 365, rows: 0 };

  beforeAll(async () => {
    room = await openAnalytics(await dialect.openDb());
    [retention, logLimit] = createRetentionJobs({
      database: room.database,
      maintenance: room.maintenance,
      clock: room.clock,
      config: retentionSettings(settings),
      restMs: 0,
    }) as [Job, Job];
  });
  beforeEach(() => Object.assign(settings, { enabled: true, log: 30, hourly: 7, daily: 365, rows: 0 }));
  afterEach(() => room.clear());

  const count = async (table: TableName): Promise<number> => {
    const query = room.database.read.selectFrom(table).select((eb) => eb.fn.countAll<number>().as("n"));
    return Number((await query.executeTakeFirstOrThrow()).n);
  };
  const oldestClick = async (): Promise<number> => {
    const rows = await room.database.read.selectFrom("click_log").select("clicked_at").execute();
    return Math.min(...rows.map((row) => row.clicked_at));
  };
  const buckets = async (
    table: "click_hours" | "click_days" | "click_months",
    column: "hour" | "day" | "month",
  ) => {
    const query = room.database.read.selectFrom(table as never).select(column as never);
    const rows = (await query.execute()) as Record<string, number>[];
    return [...new Set(rows.map((row) => row[column]!))].sort((a, b) => a - b);
  };

  /** Rollups of these ages, with a value for each click. */
  async function history(ages: readonly number[], userAgent: string = CHROME): Promise<number> {
    const linkId = await room.addLink("a");
    room.retention.hourlyDays = 10_000;
    const clicks: TestClick[] = ages.map((days) => ({
      linkId,
      at: NOW - days * DAY_MS,
      source: `ref:${days}.example`,
      userAgent,
    }));
    await room.record(clicks);
    return linkId;
  }

  describe("deletes old data", () => {
    test("at the age in the settings: days by whole months, and no other", async () => {
      await history([0, 6, 8, 29, 31, 364, 366, 400, 500]);
      await run(retention);
      expect(await count("click_log")).toBe(4);
      const hour = UTC.hour.of(NOW);
      expect(await buckets("click_hours", "hour")).toEqual([hour - 6 * 24, hour]);
      const today = UTC.day.of(NOW);
      expect(await buckets("click_days", "day")).toEqual(
        [366, 364, 31, 29, 8, 6, 0].map((days) => today - days),
      );
      const month = UTC.month.of(NOW);
      // The month of the oldest remaining day stays whole.
      expect((await buckets("click_months", "month"))[0]).toBe(month - 12);
      expect(await count("click_dim_hours")).toBe(4);
      expect(await count("click_dim_days")).toBe(7 * 2 * 2);
      const { values } = await room.analytics.trend(LAST_YEAR, "day");
      expect(values.reduce((sum, clicks) => sum + clicks, 0)).toBe(6);
    });

    test("with values and user agents that nothing refers to", async () => {
      await history([0, 40, 500], GOOGLEBOT);
      const values = async () => {
        const rows = await room.database.read.selectFrom("click_values").select("value").execute();
        return rows.map((row) => row.value).filter((value) => value.endsWith(".example"));
      };
      await run(retention);
      expect((await values()).sort()).toEqual(["0.example", "40.example"]);
      expect(await count("user_agents")).toBe(1);
      expect((await room.analytics.referrers(LAST_YEAR, 10)).map((item) => item.referrer)).toEqual([
        "0.example",
        "40.example",
      ]);
      room.clock.time = NOW + 31 * DAY_MS;
      await room.database.write
        .updateTable("user_agents")
        .set({ seen_day: UTC.day.of(NOW) })
        .execute();
      await run(retention);
      expect([await count("user_agents"), await count("click_log")]).toEqual([0, 0]);
      expect((await values()).sort()).toEqual(["0.example", "40.example"]);
    });

    test("in many small deletes", async () => {
      const linkId = await room.addLink("a");
      const old = NOW - 40 * DAY_MS;
      await room.log(Array.from({ length: 2_500 }, (_, at) => ({ linkId, at: old + at })));
      await room.log([{ linkId, at: NOW }]);
      const day = UTC.day.of(NOW - 400 * DAY_MS);
      const rows = Array.from({ length: 2_500 }, (_, at) => ({
        day: day + (at % 3),
        link_id: at % 5,
        dimension: 1,
        value_id: at,
        clicks: 1,
      }));
      await room.database.dialect.insertMany(room.database.write, "click_dim_days", [
        ...rows,
        { ...rows[0]!, day: day + 100 },
      ]);
      const repository = createRetentionRepository(room.database);
      expect(await repository.deleteOldest("click_dim_days", day + 3)).toBe(1_000);
      expect(await count("click_dim_days")).toBe(1_501);
      expect(await repository.deleteOldestClicks(NOW, 5_000)).toBe(1_000);
      expect(await count("click_log")).toBe(1_501);
      await run(retention);
      expect([await count("click_log"), await count("click_dim_days")]).toEqual([1, 1]);
    });

    test("unless retention is off, and stops at the signal", async () => {
      await history([0, 500]);
      settings.enabled = false;
      await run(retention);
      expect(await count("click_log")).toBe(2);
      settings.enabled = true;
      await run(retention, AbortSignal.abort());
      expect(await count("click_log")).toBe(2);
    });

    test("after a rebuild", async () => {
      await history([0, 500]);
      const { promise, resolve } = Promise.withResolvers<void>();
      const busy = room.maintenance.alone(() => promise);
      await Bun.sleep(10);
      const stop = new AbortController();
      const waiting = run(retention, stop.signal);
      await Bun.sleep(30);
      expect(await count("click_log")).toBe(2);
      stop.abort();
      await waiting;
      resolve();
      await busy;
      await run(retention);
      expect(await count("click_log")).toBe(1);
    });
  });

  test("a deleted link's clicks are kept as long as others, and its code as long as they", async () => {
    const [clicked, idle] = [await room.addLink("clicked"), await room.addLink("idle")];
    await room.record([0, 1, 40].map((days) => ({ linkId: clicked, at: NOW - days * DAY_MS })));
    const codes = async () =>
      (await room.database.read.selectFrom("deleted_links").select("code").orderBy("code").execute()).map(
        ({ code }) => code,
      );
    const months = async () => (await buckets("click_months", "month")).length;
    await room.deleteLink(clicked, NOW);
    await room.deleteLink(idle, NOW);
    await run(retention);
    // A left-over journal may still bring clicks of both.
    expect([await codes(), await count("click_log"), await months()]).toEqual([["clicked", "idle"], 2, 2]);
    expect(await room.analytics.top(LAST_YEAR, 10)).toMatchObject([{ code: "clicked", clicks: 3 }]);
    room.clock.time = NOW + 31 * DAY_MS;
    await run(retention);
    expect([await codes(), await count("click_log"), await months()]).toEqual([["clicked", "idle"], 0, 2]);
    // As the job does when they can't be put back any more.
    await room.database.write.updateTable("deleted_links").set({ content: null }).execute();
    await run(retention);
    expect(await codes()).toEqual(["clicked"]);
    room.clock.time = NOW + 400 * DAY_MS;
    await run(retention);
    expect([await codes(), await months()]).toEqual([[], 0]);
  });

  test("of thousands of deleted links those without clicks lose their codes", async () => {
    const links = await Promise.all(Array.from({ length: 3 }, (_, at) => room.addLink(`c${at}`)));
    await room.record(links.map((linkId) => ({ linkId, at: NOW - 1 })));
    for (const id of links) await room.deleteLink(id);
    const never = Array.from({ length: 2_500 }, (_, at) => ({
      link_id: links[2]! + 10 + at,
      code: `never-${at}`,
      deleted_at: NOW - 30 * DAY_MS,
    }));
    await room.database.dialect.insertMany(room.database.write, "deleted_links", never);
    await run(retention);
    expect(await count("deleted_links")).toBe(3);
  });

  test("rows of unknown links are deleted, totals and other links stay", async () => {
    const [kept, gone] = [await room.addLink("kept"), await room.addLink("gone")];
    const ages = [0, 1, 35, 70];
    const clicks = ages.flatMap((days) => [
      { linkId: kept, at: NOW - days * DAY_MS, source: "ref:a.example" },
      { linkId: gone, at: NOW - days * DAY_MS - 1, source: "ref:b.example", userAgent: CHROME },
    ]);
    settings.log = 100;
    await room.record(clicks);
    const totals = async () => [
      await room.analytics.trend(LAST_YEAR, "day"),
      await room.analytics.referrers(LAST_YEAR, 10),
      await room.analytics.link("kept", LAST_YEAR),
    ];
    const before = await totals();
    await room.database.write.deleteFrom("links").where("id", "=", gone).execute();
    await run(retention);
    for (const table of [
      "click_log",
      "click_hours",
      "click_days",
      "click_months",
      "click_dim_days",
    ] as const) {
      const rows = await room.database.read
        .selectFrom(table as "click_log")
        .select("link_id")
        .where("link_id", "<>", 0)
        .execute();
      expect(new Set(rows.map((row) => row.link_id))).toEqual(new Set([kept]));
    }
    expect(await totals()).toEqual(before);
  });

  describe("the limit of the log", () => {
    test("removes the oldest beyond it", async () => {
      const linkId = await room.addLink("a");
      await room.log(Array.from({ length: 1_500 }, (_, at) => ({ linkId, at: NOW - at * HOUR_MS })));
      await run(logLimit);
      expect(await count("click_log")).toBe(1_500);
      settings.rows = 100;
      await run(logLimit);
      expect([await count("click_log"), await oldestClick()]).toEqual([100, NOW - 99 * HOUR_MS]);
      await run(logLimit);
      expect(await count("click_log")).toBe(100);
    });

    test("counts rows, not deleted ids", async () => {
      const linkId = await room.addLink("a");
      await room.log(Array.from({ length: 20 }, (_, at) => ({ linkId, at: NOW - at })));
      const ids = await room.database.read.selectFrom("click_log").select("id").orderBy("id").execute();
      const middle = ids.slice(2, 18).map((row) => row.id);
      await room.database.write.deleteFrom("click_log").where("id", "in", middle).execute();
      settings.rows = 4;
      await run(logLimit);
      expect(await count("click_log")).toBe(4);
      settings.rows = 3;
      await run(logLimit);
      expect(await count("click_log")).toBe(3);
    });
  });
});
