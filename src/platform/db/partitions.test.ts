import { expect, test } from "bun:test";
import { sql } from "kysely";
import type { Database } from "./database.ts";
import { forEachDialect } from "./for-each-dialect.test-support.ts";
import { LOG } from "./move-switch.ts";
import { createPartitions, keptFrom, type Partitions } from "./partitions.ts";

const DAY_MS = 86_400_000;
const NOW = Date.UTC(2026, 10, 26, 12);
const today = Math.floor(NOW / DAY_MS);

forEachDialect((dialect) => {
  const hasPartitions = dialect.name !== "sqlite";

  async function open(): Promise<{ database: Database; partitions: Partitions }> {
    const database = await dialect.openDb();
    const partitions = createPartitions(database);
    for (const table of ["click_days", "click_log"] as const) {
      await partitions.dropBefore(table, Number.MAX_SAFE_INTEGER);
      await database.write.deleteFrom(table).execute();
    }
    return { database, partitions };
  }

  const addDays = (database: Database, days: readonly number[]) =>
    database.dialect.upsert(
      database.write,
      { table: "click_days", keys: ["day", "link_id"], add: ["clicks"] },
      days.map((day) => ({ day, link_id: 1, clicks: 1 })),
    );
  const daysOf = async ({ read }: Database): Promise<number[]> => {
    const rows = await read.selectFrom("click_days").select("day").orderBy("day").execute();
    return rows.map(({ day }) => day);
  };
  const clicksOf = async ({ read }: Database): Promise<number> => {
    const rows = await read.selectFrom("click_days").select("clicks").execute();
    return rows.reduce((sum, { clicks }) => sum + clicks, 0);
  };

  test("rows of any time are stored and increased, before and after partitions for them are made", async () => {
    const { database, partitions } = await open();
    const days = [-7, 0, today - 500, today - 1, today, today + 1, today + 7, today + 90, today + 40_000];
    await addDays(database, days);
    const made = await partitions.makeAhead("click_days", NOW, 30);
    expect(made > 0).toBe(hasPartitions);
    expect(await partitions.makeAhead("click_days", NOW, 30)).toBe(0);
    await addDays(database, days);
    expect(await daysOf(database)).toEqual(days);
    expect(await clicksOf(database)).toBe(days.length * 2);
  });

  test("partitions whose rows are all old go, with no other row", async () => {
    const { database, partitions } = await open();
    for (const day of [0, 1, 2]) await partitions.makeAhead("click_days", NOW + day * DAY_MS, 30);
    const days = [today, today + 1, today + 2, today + 3];
    await addDays(database, days);
    expect(await partitions.dropBefore("click_days", today + 2)).toBe(hasPartitions ? 2 : 0);
    expect(await partitions.dropBefore("click_days", today + 2)).toBe(0);
    expect(await daysOf(database)).toEqual(hasPartitions ? days.slice(2) : days);
    await addDays(database, [today]);
    expect(await daysOf(database)).toEqual(hasPartitions ? [today, ...days.slice(2)] : days);
  });

  test("a change from days to months, and clocks that jump, leave no gap and lose no row", async () => {
    const { database, partitions } = await open();
    const clocks = [NOW, NOW + 3650 * DAY_MS, NOW + 3 * DAY_MS, NOW - 400 * DAY_MS];
    const days: number[] = [];
    for (const clock of clocks) {
      for (const kept of [365, 30, Number.POSITIVE_INFINITY, 7]) {
        const day = Math.floor(clock / DAY_MS) + (kept === 30 ? 1 : 0);
        if (!days.includes(day)) {
          await addDays(database, [day]);
          days.push(day);
        }
        await partitions.makeAhead("click_days", clock, kept);
        expect(await partitions.makeAhead("click_days", clock, kept)).toBe(0);
      }
    }
    days.sort((a, b) => a - b);
    expect(await daysOf(database)).toEqual(days);
    // Days around the real one are apart from those of the wrong clock.
    await partitions.dropBefore("click_days", today + 100);
    const left = await daysOf(database);
    expect(left.filter((day) => day > today + 100)).toEqual(days.filter((day) => day > today + 100));
    expect(left.includes(today + 3)).toBe(!hasPartitions);
  });

  test("numbered rows keep their numbers in any partition", async () => {
    const { database, partitions } = await open();
    const add = (at: number) =>
      database.dialect.insertReturningId(database.write, "click_log", {
        link_id: 1,
        clicked_at: at,
        source: "direct",
      });
    const before = [await add(NOW), await add(0), await add(NOW + DAY_MS)];
    await partitions.makeAhead("click_log", NOW, 30);
    const after = [await add(NOW), await add(NOW + 2 * DAY_MS)];
    const rows = await database.read.selectFrom("click_log").select("id").orderBy("id").execute();
    expect(rows.map(({ id }) => id)).toEqual([...before, ...after]);
  });

  test("nothing is dropped while a move notes changes", async () => {
    const { database, partitions } = await open();
    await partitions.makeAhead("click_days", NOW, 30);
    await addDays(database, [today]);
    await sql`create table ${sql.table(LOG)} (n int)`.execute(database.slow);
    expect(await partitions.dropBefore("click_days", today + 2)).toBe(0);
    await sql`drop table ${sql.table(LOG)}`.execute(database.slow);
    await partitions.dropBefore("click_days", today + 2);
    expect(await daysOf(database)).toEqual(hasPartitions ? [] : [today]);
  });
});

test("rows are kept by whole days, or by whole months where they are kept over a hundred days", () => {
  const day = (at: number) => new Date(at).toISOString().slice(0, 10);
  expect(day(keptFrom(NOW, 30))).toBe("2026-10-27");
  expect(keptFrom(NOW, 30) % DAY_MS).toBe(0);
  expect(day(keptFrom(NOW, 100))).toBe("2026-08-18");
  expect(day(keptFrom(NOW, 101))).toBe("2026-08-01");
  expect(day(keptFrom(NOW, 365))).toBe("2025-11-01");
});
