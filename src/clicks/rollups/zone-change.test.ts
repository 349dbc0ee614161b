/** A change of the time zone while clicks are counted, on two nodes, and killed in the middle. */
import { beforeEach, expect, setDefaultTimeout, test } from "bun:test";
import { silentLogger } from "../../lib/logger.ts";
import { createLeases } from "../../platform/cluster/leases.ts";
import { keptFrom } from "../../platform/db/partitions.ts";
import type { Database } from "../../platform/db/database.ts";
import { forEachDialect } from "../../platform/db/for-each-dialect.test-support.ts";
import { addLinks, countVisits, setZones } from "../clicks.test-support.ts";
import { createRandom } from "../analytics/random.test-support.ts";
import { createCalendars } from "./calendar.repository.ts";
import { DIMENSIONS } from "./dimensions.ts";
import { createMaintenance } from "./retention.ts";
import { DAY_MS, HOUR_MS, monthOfDay } from "./time-buckets.ts";
import { createZoneJob } from "./zone-change.ts";

const NOW = Date.parse("2026-11-03T13:37:00Z");
const HOURLY_DAYS = 7;
const KEPT = keptFrom(NOW, HOURLY_DAYS);

setDefaultTimeout(60_000);

type Click = { linkId: number; at: number };

forEachDialect((dialect) => {
  let opened: Database | undefined;
  let other: Database | undefined;
  let nodes: [Database, Database];
  let links: number[];
  let all: Click[];
  let zone: string;

  beforeEach(async () => {
    const database = (opened ??= await dialect.openDb());
    // Two connections of one thread would wait for each other in SQLite.
    other ??= dialect.name === "sqlite" ? database : await dialect.openDb();
    nodes = [database, other];
    for (const table of [
      "click_hours",
      "click_days",
      "click_months",
      "click_dim_hours",
      "click_dim_days",
      "click_log",
    ] as const)
      await database.write.deleteFrom(table).execute();
    await setZones(database, [{ zone: "UTC", from: 0 }]);
    links = await addLinks(database, 3);
    all = [];
    zone = "UTC";
  });

  async function count(database: Database, clicks: readonly Click[]): Promise<void> {
    await countVisits(database, clicks);
    all.push(...clicks);
  }

  const random = createRandom(41);
  const some = (size: number, days: number): Click[] =>
    Array.from({ length: size }, () => ({
      linkId: random.pick(links),
      at: NOW - random.next(days * DAY_MS),
    }));

  /** Rows of hours that retention would have removed. */
  const retain = () =>
    nodes[0].write
      .deleteFrom("click_hours")
      .where("hour", "<", Math.floor(KEPT / HOUR_MS))
      .execute();

  const jobOn = (database: Database) =>
    createZoneJob({
      database,
      clock: { now: () => NOW },
      logger: silentLogger,
      maintenance: createMaintenance(createLeases({ database })),
      config: {
        followUp: () => undefined,
        get: (key: string) =>
          ({
            "analytics.time_zone": zone,
            "analytics.enable_auto_rollup": true,
            "analytics.hourly_retention_days": HOURLY_DAYS,
          })[key],
        getOne: () => ({ isFixed: false }),
        hold: async () => zone,
      } as never,
    });

  async function sums(): Promise<Record<string, number>> {
    const { read } = nodes[0];
    const days = await read.selectFrom("click_days").selectAll().execute();
    const months = await read.selectFrom("click_months").selectAll().execute();
    return Object.fromEntries([
      ...days.map((row) => [`day ${row.day} ${row.link_id}`, row.clicks] as const),
      ...months.map((row) => [`month ${row.month} ${row.link_id}`, row.clicks] as const),
    ]);
  }

  function expected(dayOf: (at: number) => number): Record<string, number> {
    const counts: Record<string, number> = {};
    for (const { linkId, at } of all)
      for (const key of [`day ${dayOf(at)}`, `month ${monthOfDay(dayOf(at))}`])
        for (const id of [0, linkId]) counts[`${key} ${id}`] = (counts[`${key} ${id}`] ?? 0) + 1;
    return counts;
  }

  async function expectSums(): Promise<void> {
    const calendar = await createCalendars(nodes[0]).current();
    expect(await sums()).toEqual(expected(calendar.day.of));
  }

  const dateIn = (at: number): string =>
    Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(zone).toString().slice(0, 10);

  test.each(["Europe/Berlin", "America/New_York", "Pacific/Kiritimati"])(
    "to %s, killed in the middle, while two nodes count",
    async (chosen) => {
      await count(nodes[0], some(200, 14));
      await retain();
      zone = chosen;
      const killed = new AbortController();
      let steps = 0;
      const failing: Database = {
        ...nodes[0],
        transaction: (work, options) => {
          if (options?.long === true && ++steps > 4) throw new Error("killed");
          return nodes[0].transaction(work, options);
        },
      };
      await jobOn(failing)
        .run(killed.signal)
        .catch((error: Error) => expect(error.message).toBe("killed"));
      expect((await createCalendars(nodes[0]).state()).moving).not.toBeNull();
      await expectSums();

      const counting = nodes.map(async (node) => {
        for (let round = 0; round < 5; round++) await count(node, some(10, HOURLY_DAYS - 1));
      });
      await jobOn(nodes[1]).run(killed.signal);
      await Promise.all(counting);
      await count(nodes[0], some(20, HOURLY_DAYS - 1));
      await expectSums();

      const { since, day, zone: found } = await createCalendars(nodes[1]).current();
      expect(found).toBe(chosen);
      expect(since! - KEPT).toBeLessThan(DAY_MS);
      for (const { at } of all.filter((click) => click.at >= since!))
        expect(day.label(day.of(at))).toBe(dateIn(at));
    },
    60_000,
  );

  test("values of days follow from the click log", async () => {
    await count(nodes[0], some(200, 6));
    zone = "America/New_York";
    await jobOn(nodes[0]).run(new AbortController().signal);
    const { day, since } = await createCalendars(nodes[0]).current();
    expect(since).toBeNull();
    const rows = await nodes[0].read
      .selectFrom("click_dim_days")
      .select(["day", "link_id", "clicks"])
      .where("dimension", "=", DIMENSIONS.source)
      .execute();
    const found = Object.fromEntries(rows.map((row) => [`day ${row.day} ${row.link_id}`, row.clicks]));
    const days = Object.entries(expected(day.of)).filter(([key]) => key.startsWith("day"));
    expect(found).toEqual(Object.fromEntries(days));
    expect((await createCalendars(nodes[0]).state()).recount).toBeNull();
  });

  test("hours that the new zone would part stay whole, and the days say from when they are exact", async () => {
    await count(nodes[0], some(200, 14));
    await retain();
    zone = "Asia/Kathmandu";
    await jobOn(nodes[0]).run(new AbortController().signal);
    const { since, day } = await createCalendars(nodes[0]).current();
    expect(since).toBe(day.startOf(day.of(NOW) + 1));
    const total = (
      await nodes[0].read.selectFrom("click_days").select("clicks").where("link_id", "=", 0).execute()
    ).reduce((sum, { clicks }) => sum + clicks, 0);
    expect(total).toBe(all.length);
  });

  test("an installation without clicks has only the chosen zone, and one that goes back has its old days", async () => {
    zone = "Asia/Tokyo";
    await jobOn(nodes[0]).run(new AbortController().signal);
    expect((await createCalendars(nodes[0]).state()).zones).toEqual([{ zone: "Asia/Tokyo", from: 0 }]);
    await count(nodes[0], some(100, 14));
    await retain();
    for (const next of ["UTC", "Asia/Tokyo"]) {
      zone = next;
      await jobOn(nodes[1]).run(new AbortController().signal);
      await expectSums();
    }
    expect((await createCalendars(nodes[0]).current()).since).toBeNull();
  });
});
