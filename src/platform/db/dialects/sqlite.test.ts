/** SQLite's threads: slow work does not block the calling thread. */
import { afterAll, expect, test } from "bun:test";
import {
  closeSync,
  existsSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import { until } from "../../../../test/support/until.ts";
import { silentLogger } from "../../../lib/logger.ts";
import { type Database, openDatabase } from "../database.ts";
import { isForPeople } from "../failures.ts";
import { migrateUp } from "../migrate.ts";
import { openThread } from "./sqlite.thread.ts";
import { openSqlite } from "./sqlite-connection.ts";
import { createLanes } from "./sqlite-lanes.ts";

const folder = mkdtempSync(join(tmpdir(), "waymark-sqlite-"));
const opened: Database[] = [];
afterAll(async () => {
  await Promise.all(opened.map((database) => database.close()));
  rmSync(folder, { recursive: true, force: true });
});

async function open(name: string, threads = true): Promise<Database> {
  const database = await openDatabase(
    { url: `sqlite:${join(folder, name)}`, poolSize: 1 },
    { threads, logger: silentLogger },
  );
  opened.push(database);
  await migrateUp(database, { logger: silentLogger });
  return database;
}

/** Keeps a thread busy for a second or more. */
const slow = (rows: number) =>
  sql<{ n: number }>`with recursive c(x) as (select 1 union all select x + 1 from c where x < ${rows})
    select count(*) as n from c`;
const row = (code: string) => ({ code, target: "https://example.com", created_at: 1, updated_at: 1 });

test("an idle connection frees its page cache, and reads on", async () => {
  const megabytes = 48;
  const settings = { path: join(folder, "idle.db"), busyTimeoutMs: 1_000, cacheKib: 1_024 };
  const writer = openSqlite({ ...settings, readonly: false });
  writer.executeSync("create table pages (bytes blob)", []);
  writer.executeSync(
    `with recursive n(x) as (select 1 union all select x + 1 from n where x < ${megabytes * 256})
    insert into pages select randomblob(4000) from n`,
    [],
  );
  writer.close();
  const reader = openSqlite({
    ...settings,
    readonly: true,
    cacheKib: megabytes * 2_048,
    freesCacheAfterMs: 300,
  });
  const readAll = () => reader.executeSync("select sum(length(hex(bytes))) as sum from pages", []).rows;
  const memory = () => process.memoryUsage.rss() / 2 ** 20;
  const before = memory();
  const first = readAll();
  expect(memory()).toBeGreaterThan(before + megabytes / 2);
  await until(() => memory() < before + megabytes / 2);
  expect(readAll()).toEqual(first);
  reader.close();
});

test("creates folder and file for its owner only", async () => {
  await open("new/folder/w.db");
  const file = join(folder, "new/folder/w.db");
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(statSync(`${file}-wal`).mode & 0o777).toBe(0o600);
  expect(statSync(join(folder, "new/folder")).mode & 0o777).toBe(0o700);
});

test("a file that can't be opened is named, with the reason", async () => {
  for (const threads of [true, false]) {
    const opening = openDatabase(
      { url: "sqlite:/dev/null/w.db", poolSize: 1 },
      { threads, logger: silentLogger },
    );
    await expect(opening).rejects.toThrow(/\/dev\/null\/w\.db can't be opened: /);
  }
});

test("the error for a damaged file, or one that is not a database, names it and explains what to do", async () => {
  const path = join(folder, "damaged.db");
  writeFileSync(path, "This is a letter, and no database at all. ".repeat(100));
  for (const threads of [true, false]) {
    const opening = openDatabase({ url: `sqlite:${path}`, poolSize: 1 }, { threads, logger: silentLogger });
    await expect(opening).rejects.toThrow(
      /damaged\.db is damaged, or no SQLite database: .*restore DIR --replace/,
    );
  }
});

test("damage inside a file that opens is found and not retried", async () => {
  const path = join(folder, "eaten.db");
  const whole = await open("eaten.db", false);
  const rows = Array.from({ length: 3_000 }, (_, at) => row(`code-${at}`));
  await whole.dialect.insertMany(whole.write, "links", rows);
  expect(await whole.dialect.findDamage?.(whole.read)).toBeNull();
  await whole.close();
  const file = openSync(path, "r+");
  // The last pages hold links.
  for (let page = 1; page <= 20; page++)
    writeSync(file, Buffer.alloc(4096, 0xaa), 0, 4096, statSync(path).size - page * 4096);
  closeSync(file);
  for (const threads of [true, false]) {
    const db = await openDatabase({ url: `sqlite:${path}`, poolSize: 1 }, { threads, logger: silentLogger });
    opened.push(db);
    const reading = db.read.selectFrom("links").select("target").execute();
    const error = await reading.catch((reason: unknown) => reason);
    expect([isForPeople(error), (error as Error).message]).toEqual([
      true,
      expect.stringContaining("damaged"),
    ]);
    const found = await db.dialect.findDamage?.(db.read);
    expect(found?.advice).toContain("restore DIR --replace");
    expect(found?.damage).not.toBe("");
  }
});

test("a slow query and an open transaction block neither findLink nor other reads", async () => {
  const database = await open("busy.db");
  await database.write.insertInto("links").values(row("a")).execute();
  let done = false;
  const query = slow(12_000_000)
    .execute(database.read)
    .finally(() => {
      done = true;
    });
  await database.transaction(async (tx) => {
    await tx.insertInto("links").values(row("b")).execute();
    expect((await database.findLink("a"))?.code).toBe("a");
    expect(await database.findLink("b")).toBeUndefined();
    expect(await database.read.selectFrom("links").select("code").execute()).toEqual([{ code: "a" }]);
  });
  expect((await database.findLink("b"))?.code).toBe("b");
  // The other reading thread ran all these during the query.
  expect(done).toBe(false);
  expect((await query).rows).toEqual([{ n: 12_000_000 }]);
});

test("findLink has what this program wrote, and after refreshLookups or a turn what another one wrote", async () => {
  for (const threads of [true, false]) {
    const name = `turn-${threads}.db`;
    const database = await open(name, threads);
    const path = join(folder, name);
    const other = openSqlite({ path, readonly: false, busyTimeoutMs: 5_000, cacheKib: 512 });
    const add = (code: string) =>
      other.executeSync("insert into links (code, target, created_at, updated_at) values (?, '/', 1, 1)", [
        code,
      ]);
    // No await: these lookups are in one turn of the event loop.
    expect(database.findLink("a")).toBeUndefined();
    add("a");
    database.refreshLookups();
    expect(database.findLink("a")).toMatchObject({ code: "a" });
    add("b");
    await new Promise(setImmediate);
    expect(database.findLink("b")).toMatchObject({ code: "b" });
    await database.write.insertInto("links").values(row("c")).execute();
    expect(database.findLink("c")).toMatchObject({ code: "c" });
    other.close();
  }
});

test.skipIf(process.platform !== "linux")("findLink maps no part of the file", async () => {
  const database = await open("mapped.db");
  await database.write.insertInto("links").values(row("a")).execute();
  // Pages in the journal are not mapped.
  await sql`pragma wal_checkpoint(truncate)`.execute(database.write);
  expect(await database.findLink("a")).toBeDefined();
  expect(readFileSync("/proc/self/maps", "utf8")).not.toMatch(/mapped\.db$/m);
});

test("a thread that is given up rejects its calls, and the next call gets a new one", async () => {
  const path = join(folder, "busy.db");
  const settings = { path, readonly: true, busyTimeoutMs: 100, cacheKib: 512 };
  let threads = 0;
  const lanes = createLanes({
    count: 1,
    begin: "begin",
    open: () => {
      threads += 1;
      return openThread(settings, silentLogger);
    },
  });
  const started = await lanes.acquire(30_000);
  await started.execute("select 1", []);
  lanes.release(started, false);
  const impatient = await lanes.acquire(100);
  const compiled = slow(12_000_000).compile((await open("busy.db")).read);
  const calls = [impatient.execute(compiled.sql, compiled.parameters), impatient.execute("select 2", [])];
  for (const outcome of await Promise.allSettled(calls))
    expect(outcome).toMatchObject({ status: "rejected", reason: { kind: "unavailable" } });
  await expect(impatient.execute("select 3", [])).rejects.toMatchObject({ kind: "unavailable" });
  lanes.release(impatient, false);
  const next = await lanes.acquire(30_000);
  expect((await next.execute("select 4 as n", [])).rows).toEqual([{ n: 4 }]);
  expect(threads).toBe(2);
  lanes.release(next, false);
  await lanes.close();
});

test("waiting too long for a connection is an error, and other callers keep their turn", async () => {
  const database = await open("turns.db", false);
  const order: number[] = [];
  const lanes = createLanes({
    count: 1,
    begin: "begin",
    open: () => ({ execute: async () => ({ rows: [] }), alive: () => true, close: async () => {} }),
  });
  const first = await lanes.acquire(50);
  const late = lanes.acquire(20);
  const patient = [1, 2, 3].map(async (n) => {
    const connection = await lanes.acquire(10_000);
    order.push(n);
    lanes.release(connection, false);
  });
  await expect(late).rejects.toMatchObject({ kind: "unavailable" });
  lanes.release(first, false);
  await Promise.all(patient);
  expect(order).toEqual([1, 2, 3]);
  await database.ping();
});

test("a result beyond the row limit is refused, not copied between threads", async () => {
  const database = await open("busy.db");
  const rows = sql`with recursive c(x) as (select 1 union all select x + 1 from c where x < 10001) select x from c`;
  await expect(rows.execute(database.read)).rejects.toThrow("more than 10000 rows");
  await database.ping();
});

test("reading connections refuse to write", async () => {
  for (const threads of [true, false]) {
    const database = await open("busy.db", threads);
    await expect(database.read.deleteFrom("links").execute()).rejects.toMatchObject({ kind: "unavailable" });
  }
});

test.skipIf(process.platform !== "linux")(
  "opening a database again keeps the lock of the first opening",
  async () => {
    const { read } = await open("locked.db");
    await read.selectFrom("links").select("id").execute();
    const { write } = await open("locked.db");
    await write.insertInto("links").values(row("a")).execute();
    const { ino } = statSync(join(folder, "locked.db"));
    expect(readFileSync("/proc/locks", "utf8")).toContain(`:${ino} `);
  },
);

test("closing folds the journal into the file", async () => {
  const database = await open("closed.db");
  await database.write.insertInto("links").values(row("a")).execute();
  await database.findLink("a");
  await database.close();
  expect(existsSync(join(folder, "closed.db-wal"))).toBe(false);
});

test("findLink finds a link by its code and former codes", async () => {
  const database = await open("codes.db", false);
  const add = (code: string) => database.write.insertInto("links").values(row(code)).execute();
  for (const code of ["a", "b", "gone"]) await add(code);
  const { id } = database.findLink("b") as { id: number };
  await database.write.deleteFrom("links").where("code", "=", "gone").execute();
  await database.write.updateTable("links").set({ code: "renamed" }).where("code", "=", "b").execute();
  await database.write.insertInto("link_aliases").values({ code: "b", link_id: id, created_at: 1 }).execute();
  expect(database.findLink("a")).toMatchObject({ code: "a" });
  for (const code of ["b", "renamed"]) expect(database.findLink(code)).toMatchObject({ id, code: "renamed" });
  expect(database.findLink("gone")).toBeUndefined();
});
