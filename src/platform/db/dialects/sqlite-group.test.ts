import { Database as Sqlite } from "bun:sqlite";
import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtempSync, rmSync, statSync, symlinkSync, truncateSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { appError } from "../../../lib/errors.ts";
import { silentLogger } from "../../../lib/logger.ts";
import { type Database, openDatabase } from "../database.ts";
import { migrateUp } from "../migrate.ts";
import { prepared } from "../prepared.ts";
import { leaveCallingThread } from "../short-transactions.ts";

let folder: string;
let database: Database;
const file = () => join(folder, "waymark.db");

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "waymark-group-"));
  database = await openDatabase(
    { url: `sqlite:${file()}`, poolSize: 1 },
    { threads: true, logger: silentLogger },
  );
  await migrateUp(database, { logger: silentLogger });
});
afterEach(async () => {
  await database.close();
  rmSync(folder, { recursive: true, force: true });
});

const rowOf = (id: number) => ({ link_id: id, code: `c${id}`, deleted_at: id });
const insert = (id: number, then: () => void = () => {}) =>
  database.transaction(
    async (tx) => {
      await tx.insertInto("deleted_links").values(rowOf(id)).execute();
      then();
      return id;
    },
    { short: true },
  );
const idsBetween = prepared((db, from: number, to: number) =>
  db
    .selectFrom("deleted_links")
    .select("link_id as id")
    .where("link_id", ">=", from)
    .where("link_id", "<=", to)
    .orderBy("link_id"),
);
const stored = async () => (await idsBetween(database.read, 0, 10_000)).map(({ id }) => id);
const outcomes = (work: readonly Promise<number>[]) =>
  Promise.allSettled(work).then((all) => all.map(({ status }) => status));

test("short transactions that arrive together are all written, and seen by the next prepared query", async () => {
  expect(await Promise.all([1, 2, 3].map((id) => insert(id)))).toEqual([1, 2, 3]);
  expect(await stored()).toEqual([1, 2, 3]);
});

test("one that fails, by its own error or the database's, leaves the others alone", async () => {
  const refuse = () => {
    throw appError("BadRequest", "no");
  };
  const all = await outcomes([insert(1), insert(2, refuse), insert(1), insert(3)]);
  expect(all).toEqual(["fulfilled", "rejected", "rejected", "fulfilled"]);
  expect(await stored()).toEqual([1, 3]);
  await insert(2);
  expect(await stored()).toEqual([1, 2, 3]);
});

test("one that turns out to be long runs again in the thread", async () => {
  let runs = 0;
  const long = database.transaction(
    async (tx) => {
      runs++;
      await tx.insertInto("deleted_links").values(rowOf(2)).execute();
      leaveCallingThread(tx);
      return 2;
    },
    { short: true },
  );
  expect(await Promise.all([insert(1), long, insert(3)])).toEqual([1, 2, 3]);
  expect(runs).toBe(2);
  expect(await stored()).toEqual([1, 2, 3]);
});

test("while another process writes, they wait in the thread, and the loop does not", async () => {
  const other = new Sqlite(file());
  other.run("begin immediate");
  let isDone = false;
  const writing = insert(1).then(() => (isDone = true));
  for (let turn = 0; turn < 20; turn++) await Bun.sleep(1);
  expect(isDone).toBe(false);
  other.run("commit");
  other.close();
  await writing;
  expect(await stored()).toEqual([1]);
});

test("other transactions and single statements take turns with them", async () => {
  const long = database.transaction(async (tx) => {
    await tx.insertInto("deleted_links").values(rowOf(1)).execute();
    await Bun.sleep(5);
    await tx.insertInto("deleted_links").values(rowOf(2)).execute();
  });
  const single = database.write.insertInto("deleted_links").values(rowOf(3)).execute();
  await Promise.all([insert(4), long, insert(5), single, insert(6)]);
  expect(await stored()).toEqual([1, 2, 3, 4, 5, 6]);
});

test("after the disk was full, the reserve is made again before rows are added", async () => {
  truncateSync(`${file()}-reserve`);
  const link = database.transaction(
    async (tx) => {
      const now = { created_at: 0, updated_at: 0 };
      await tx
        .insertInto("links")
        .values({ code: "a", target: "https://a.test/", ...now })
        .execute();
    },
    { short: true },
  );
  // The disk of the test has room, so the reserve is made again first.
  await link;
  expect(statSync(`${file()}-reserve`).size).toBeGreaterThan(0);
});

test("a database behind a link of the file system is written", async () => {
  await database.close();
  const link = join(folder, "link.db");
  symlinkSync(file(), link);
  database = await openDatabase(
    { url: `sqlite:${link}`, poolSize: 1 },
    { threads: true, logger: silentLogger },
  );
  expect(await Promise.all([insert(1), insert(2)])).toEqual([1, 2]);
  expect(await stored()).toEqual([1, 2]);
});

test("the journal stays short", async () => {
  for (let round = 0; round < 300; round++)
    await Promise.all([0, 1, 2, 3, 4].map((at) => insert(round * 5 + at)));
  expect((await stored()).length).toBe(1_500);
  expect(statSync(`${file()}-wal`).size).toBeLessThan(8 * 1024 * 1024);
});

test("a closed database keeps all that was told to be written", async () => {
  await Promise.all(Array.from({ length: 50 }, (_, id) => insert(id)));
  await database.close();
  const again = new Sqlite(file(), { readonly: true });
  expect(again.query("select count(*) as n from deleted_links").get()).toEqual({ n: 50 });
  again.close();
});
