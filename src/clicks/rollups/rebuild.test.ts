import { afterEach, beforeAll, describe, expect, test } from "bun:test";
import type { Database } from "../../platform/db/database.ts";
import { forEachDialect } from "../../platform/db/for-each-dialect.test-support.ts";
import type { TableName } from "../../platform/db/schema.ts";
import { AppError } from "../../lib/errors.ts";
import {
  type AnalyticsRoom,
  CHROME,
  GOOGLEBOT,
  IPHONE,
  NOW,
  openAnalytics,
  type TestClick,
} from "../analytics/analytics.test-support.ts";
import { createClickValues } from "./values.repository.ts";
import { agentValue } from "./dimensions.ts";
import { parseAgent } from "../../lib/agents.ts";
import { createRebuild } from "./rebuild.ts";
import { UTC } from "./calendar.ts";
import { DAY_MS, HOUR_MS } from "./time-buckets.ts";

const TODAY = UTC.day.of(NOW);
const MONTH = UTC.month.of(NOW);
const ALL = { from: null, to: null };
const LAST_30_DAYS = { start: NOW - 30 * DAY_MS, end: NOW };

const COUNTERS = [
  "click_hours",
  "click_days",
  "click_months",
  "click_dim_hours",
  "click_dim_days",
  "click_dim_months",
] as const;

/** Every counter with its values as texts, independent of ids. */
async function counters(database: Database): Promise<string[]> {
  const values = await database.read.selectFrom("click_values").select(["id", "value"]).execute();
  const texts = new Map(values.map((row) => [row.id, row.value]));
  const lines: string[] = [];
  for (const table of COUNTERS) {
    for (const row of await database.read
      .selectFrom(table as TableName)
      .selectAll()
      .execute()) {
      const shown = Object.entries(row).map(([name, value]) =>
        name === "value_id" ? texts.get(value as number) : `${name} ${value as number}`,
      );
      lines.push(`${table}: ${shown.join(", ")}`);
    }
  }
  return lines.sort();
}

forEachDialect((dialect) => {
  let room: AnalyticsRoom;
  beforeAll(async () => {
    room = await openAnalytics(await dialect.openDb());
  });
  afterEach(() => room.clear());

  const rebuild = (days: { from: number | null; to: number | null } = ALL) =>
    room.rebuild.run(days, () => undefined);

  async function somedays(): Promise<TestClick[]> {
    const [a, b] = [await room.addLink("a"), await room.addLink("b")];
    return [0, 1, 2, 25, 49, 24 * 9, 24 * 30].flatMap((hours) => [
      { linkId: a, at: NOW - hours * HOUR_MS, source: "ref:a.example", userAgent: CHROME, country: "DE" },
      {
        linkId: b,
        at: NOW - hours * HOUR_MS - 1,
        source: "x",
        userAgent: IPHONE,
        country: "FR",
        city: "Paris",
      },
      { linkId: b, at: NOW - hours * HOUR_MS - 2, userAgent: GOOGLEBOT, automated: true },
    ]);
  }

  describe("restores", () => {
    test("everything from nothing, except hours that retention deleted", async () => {
      await room.record(await somedays());
      const before = await counters(room.database);
      for (const table of COUNTERS) await room.database.write.deleteFrom(table).execute();
      const progress: number[][] = [];
      const report = await room.rebuild.run(ALL, (done, total) => progress.push([done, total]));
      expect(report).toMatchObject({ days: 5, clicks: 21, kept: 0 });
      expect(progress.at(-1)).toEqual([31, 31]);
      expect(await counters(room.database)).toEqual(before);
      const hours = await room.database.read.selectFrom("click_hours").select("hour").execute();
      expect(Math.min(...hours.map((row) => row.hour))).toBeGreaterThan(UTC.hour.of(NOW) - 7 * 24);
    });

    test("counts that are too low, to the sums of the finer ones", async () => {
      const linkId = await room.addLink("a");
      await room.record([
        { linkId, at: NOW - 3 },
        { linkId, at: NOW - 2 * HOUR_MS },
      ]);
      const before = await counters(room.database);
      const { write } = room.database;
      await write.updateTable("click_hours").set({ clicks: 0 }).where("link_id", "=", linkId).execute();
      await write.deleteFrom("click_days").where("link_id", "=", 0).execute();
      await write.updateTable("click_months").set({ clicks: 1 }).execute();
      expect((await rebuild()).raised).toBe(5);
      expect(await counters(room.database)).toEqual(before);
    });

    test("the class of clicks where all raw rows are there, as after a correction of theirs by hand", async () => {
      const linkId = await room.addLink("a");
      await room.record([0, 1, 2].map((hours) => ({ linkId, at: NOW - hours * HOUR_MS - 3 })));
      const { write } = room.database;
      await write
        .updateTable("click_log")
        .set({ automated: 1 })
        .where("clicked_at", "<", NOW - HOUR_MS)
        .execute();
      // Three hours, the day and the month, for the link and the total; one hour has no such click.
      expect((await rebuild()).raised).toBe(8);
      for (const table of ["click_days", "click_months", "click_dim_days", "click_dim_months"] as const) {
        const rows = await room.database.read.selectFrom(table).select(["clicks", "automated"]).execute();
        expect(rows.length).toBeGreaterThan(0);
        for (const row of rows) expect(row).toEqual({ clicks: 3, automated: 2 });
      }
      const hours = await room.database.read.selectFrom("click_hours").select("automated").execute();
      expect(hours.map(({ automated }) => automated).sort()).toEqual([0, 0, 1, 1, 1, 1]);
      expect((await rebuild()).raised).toBe(0);
    });

    test("profiles of user agents, with the current parser", async () => {
      const linkId = await room.addLink("a");
      await room.record([{ linkId, at: NOW - 40 * DAY_MS, userAgent: CHROME }]);
      const values = createClickValues(room.database);
      const old = await room.database.transaction((tx) =>
        values.intern(tx, "agent", ["Old\tSystem\tother\t0"], 1),
      );
      const value_id = [...old.values()][0]!;
      await room.database.write.updateTable("user_agents").set({ value_id }).execute();
      for (const table of ["click_dim_days", "click_dim_months"] as const) {
        const rows = room.database.write.updateTable(table).set({ value_id });
        await rows.where("dimension", "=", 3).execute();
      }
      const range = { start: 0, end: NOW };
      expect((await room.analytics.devices(range, 9)).browsers).toMatchObject([{ name: "Old" }]);
      await rebuild();
      expect((await room.analytics.devices(range, 9)).browsers).toMatchObject([{ name: "Chrome" }]);
      const agent = await room.database.read
        .selectFrom("user_agents")
        .innerJoin("click_values", "click_values.id", "user_agents.value_id")
        .select(["value", "click_values.seen_day as seenDay"])
        .executeTakeFirst();
      // It lives as long as the user agent, which was seen today.
      expect(agent).toEqual({ value: agentValue(parseAgent(CHROME)), seenDay: TODAY });
    });
  });

  describe("nothing is lost", () => {
    test("where raw rows are deleted: counts and values stay", async () => {
      await room.record(await somedays());
      const before = await counters(room.database);
      // As after retention, a clean-up or a deleted link: one of three clicks of each day remains.
      await room.database.write.deleteFrom("click_log").where("source", "<>", "direct").execute();
      const report = await rebuild();
      expect(report).toMatchObject({ days: 5, clicks: 7, raised: 0 });
      // Link b and the totals have fewer raw rows than recorded.
      expect(report.kept).toBe(10);
      expect(await counters(room.database)).toEqual(before);
      await room.database.write.deleteFrom("click_log").execute();
      expect(await rebuild()).toEqual({ days: 0, clicks: 0, raised: 0, rewritten: 0, kept: 0 });
      expect(await counters(room.database)).toEqual(before);
    });

    test("where only some clicks were recorded in detail", async () => {
      const linkId = await room.addLink("a");
      await room.record([{ linkId, at: NOW - 3, source: "ref:a.example" }]);
      for (const table of ["click_hours", "click_days", "click_months"] as const) {
        await room.database.write.updateTable(table).set({ clicks: 10, automated: 4 }).execute();
      }
      const before = await counters(room.database);
      expect(await rebuild()).toMatchObject({ raised: 0, rewritten: 2, kept: 0 });
      expect(await counters(room.database)).toEqual(before);
    });

    test("in a month whose first days retention deleted", async () => {
      const linkId = await room.addLink("a");
      await room.record([
        { linkId, at: NOW - 10 * DAY_MS, source: "ref:old.example" },
        { linkId, at: NOW - 3, source: "ref:a.example" },
      ]);
      const old = TODAY - 10;
      for (const table of ["click_days", "click_dim_days"] as const) {
        await room.database.write.deleteFrom(table).where("day", "=", old).execute();
      }
      await room.database.write
        .deleteFrom("click_log")
        .where("clicked_at", "<", NOW - DAY_MS)
        .execute();
      const before = await counters(room.database);
      await rebuild();
      expect(await counters(room.database)).toEqual(before);
    });

    test("outside the requested days", async () => {
      const linkId = await room.addLink("a");
      await room.log([0, 1, 2, 3].map((days) => ({ linkId, at: NOW - days * DAY_MS })));
      expect(await rebuild({ from: TODAY - 2, to: TODAY - 1 })).toMatchObject({ days: 2, clicks: 2 });
      const rows = await room.database.read
        .selectFrom("click_days")
        .select("day")
        .where("link_id", "=", 0)
        .execute();
      expect(rows.map((row) => row.day).sort()).toEqual([TODAY - 2, TODAY - 1]);
      expect(await rebuild({ from: TODAY + 5, to: null })).toMatchObject({ days: 0 });
      expect(await rebuild({ from: null, to: TODAY - 9 })).toMatchObject({ days: 0 });
    });
  });

  describe("beside running servers", () => {
    test("clicks flushed meanwhile count once", async () => {
      const linkId = await room.addLink("a");
      await room.log(Array.from({ length: 3_000 }, (_, at) => ({ linkId, at: NOW - 1 - at })));
      let flushed = 0;
      const over = new AbortController();
      const flushing = (async () => {
        while (!over.signal.aborted) {
          await flush(room.database, linkId);
          flushed++;
          await Bun.sleep(1);
        }
      })();
      await rebuild();
      over.abort();
      await flushing;
      expect(flushed).toBeGreaterThan(0);
      const total = 3_000 + flushed;
      const report = await room.analytics.link("a", LAST_30_DAYS);
      expect([report.clicks, report.referrers[0]?.clicks]).toEqual([total, total]);
      expect((await room.analytics.top(LAST_30_DAYS, 1))[0]?.clicks).toBe(total);
      expect((await rebuild()).raised).toBe(0);
    });

    test("runs once at a time, and not during retention", async () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      const busy = room.maintenance.alone(() => promise);
      await Bun.sleep(20);
      const other = createRebuild({
        database: room.database,
        maintenance: room.maintenance,
        clock: room.clock,
        describeAgent: parseAgent,
        hourlyRetentionDays: () => 7,
      });
      const error = await other.run(ALL, () => undefined).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(AppError);
      expect((error as AppError).name).toBe("Conflict");
      resolve();
      await busy;
      expect(await other.run(ALL, () => undefined)).toMatchObject({ days: 0 });
    });
  });
});

/** One click as a flush writes it: first the month's row. */
async function flush(database: Database, linkId: number): Promise<void> {
  const { dialect } = database;
  const values = createClickValues(database);
  const hour = UTC.hour.of(NOW - 1);
  const links = [0, linkId];
  await database.transaction(async (tx) => {
    const add = { add: ["clicks"] as const };
    await dialect.upsert(
      tx,
      { table: "click_months", keys: ["month", "link_id"], ...add },
      links.map((link_id) => ({ month: MONTH, link_id, clicks: 1 })),
    );
    await dialect.upsert(
      tx,
      { table: "click_days", keys: ["day", "link_id"], ...add },
      links.map((link_id) => ({ day: TODAY, link_id, clicks: 1 })),
    );
    await dialect.upsert(
      tx,
      { table: "click_hours", keys: ["hour", "link_id"], ...add },
      links.map((link_id) => ({ hour, link_id, clicks: 1 })),
    );
    const ids = await values.intern(tx, "source", ["(direct)"], TODAY);
    const value = { dimension: 1, value_id: ids.get("(direct)")!, clicks: 1 };
    await dialect.upsert(
      tx,
      { table: "click_dim_days", keys: ["day", "link_id", "dimension", "value_id"], ...add },
      links.map((link_id) => ({ day: TODAY, link_id, ...value })),
    );
    await dialect.upsert(tx, { table: "click_dim_hours", keys: ["hour", "dimension", "value_id"], ...add }, [
      { hour, ...value },
    ]);
    await dialect.upsert(
      tx,
      { table: "click_dim_months", keys: ["month", "link_id", "dimension", "value_id"], ...add },
      [{ month: MONTH, link_id: 0, ...value }],
    );
    await dialect.insertMany(tx, "click_log", [{ link_id: linkId, clicked_at: NOW - 1, source: "direct" }]);
  });
}
