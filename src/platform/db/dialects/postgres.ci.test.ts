/** PostgreSQL's memory for a query, and its search index, with and without the right to create it. */
import { afterAll, describe, expect, test } from "bun:test";
import { sql } from "kysely";
import { silentLogger } from "../../../lib/logger.ts";
import { type Database, openDatabase } from "../database.ts";
import { createFresh, SERVER_VARIABLES, serverUrl } from "../fresh.test-support.ts";
import { migrateUp } from "../migrate.ts";

const there = serverUrl("postgres") !== undefined;
const name = there ? "postgres" : `postgres (${SERVER_VARIABLES.postgres} is not set)`;

describe.skipIf(!there)(name, () => {
  const ends: (() => Promise<void>)[] = [];
  afterAll(async () => {
    for (const end of ends.toReversed()) await end();
  });
  const fresh = async (): Promise<{ url: string; database: Database }> => {
    const { url, drop } = await createFresh("postgres");
    ends.push(drop);
    return { url, database: await open(url) };
  };
  const open = async (url: string): Promise<Database> => {
    const database = await openDatabase({ url, poolSize: 1 }, { threads: false, logger: silentLogger });
    ends.push(database.close);
    return database;
  };

  test("a connection has the memory to group the sums of links, or what its database gives it", async () => {
    const { url, database } = await fresh();
    const memoryOf = async ({ read }: Database) =>
      (await sql<{ work_mem: string }>`show work_mem`.execute(read)).rows[0]?.work_mem;
    const known = new URL(url).pathname.slice(1);
    await sql`alter database ${sql.id(known)} set work_mem = '1MB'`.execute(database.write);
    expect(await memoryOf(await open(url))).toBe("16MB");
    await sql`alter database ${sql.id(known)} set work_mem = '20MB'`.execute(database.write);
    expect(await memoryOf(await open(url))).toBe("20MB");
  });

  test("a search uses the index of trigrams", async () => {
    const { database } = await fresh();
    await migrateUp(database, { logger: silentLogger });
    await database.dialect.insertMany(database.write, "links", links);
    // For a small table the planner prefers a scan.
    await sql`set enable_seqscan = off`.execute(database.read);
    expect(JSON.stringify(await search(database, "nEEdle").explain())).toContain("links_search");
    expect(await search(database, "nEEdle").execute()).toEqual([{ code: "c777" }]);
  });

  test("needles with and without trigrams find titles and notes, whatever the planner prefers", async () => {
    const { database } = await fresh();
    await migrateUp(database, { logger: silentLogger });
    const texts = new Map<string, { title?: string; note?: string }>([
      ["c1", { title: "Z9" }],
      ["c2", { note: "say z9q!" }],
      ["c3", { title: "Über", note: "ÄZ" }],
    ]);
    const rows = links.map((link) => {
      const { title = null, note = null } = texts.get(link.code) ?? {};
      return { ...link, title, note };
    });
    await database.dialect.insertMany(database.write, "links", rows);
    await sql`analyze links`.execute(database.write);
    const found = async (needle: string, usesIndex: boolean) => {
      const query = database.read.selectFrom("links").select("code").orderBy("code");
      const matching = query.where(database.dialect.linkContains(needle, { usesIndex }));
      return (await matching.execute()).map(({ code }) => code);
    };
    for (const prefersIndex of [true, false]) {
      await sql.raw(`set enable_seqscan = ${prefersIndex ? "off" : "on"}`).execute(database.read);
      for (const usesIndex of [true, false]) {
        for (const [needle, codes] of [
          ["z9", ["c1", "c2"]],
          ["Z9", ["c1", "c2"]],
          ["z9Q", ["c2"]],
          ["9q!", ["c2"]],
          ["q", ["c2"]],
          ["ü", ["c3"]],
          ["ÜBER", ["c3"]],
          ["äz", ["c3"]],
          // Not across the texts of a link.
          ["0z", []],
          ["rä", []],
          ["z_", []],
        ] as const) {
          expect([prefersIndex, usesIndex, needle, await found(needle, usesIndex)]).toEqual([
            prefersIndex,
            usesIndex,
            needle,
            [...codes],
          ]);
        }
      }
    }
    await sql`set enable_seqscan = off`.execute(database.read);
    expect(JSON.stringify(await search(database, "z9q").explain())).toContain("links_search");
  });

  test("bulk statements find rows of a new table by its indexes", async () => {
    const { database } = await fresh();
    await migrateUp(database, { logger: silentLogger });
    const { dialect } = database;
    await dialect.insertMany(database.write, "links", many(20_000));
    const read = await database.transaction(async (tx) => {
      const values = dialect.valuesTable("links", ["code"], links.slice(0, 250));
      const found = await tx
        .selectFrom(values)
        .innerJoin("links", "links.code", "v.code")
        .select(["links.id"])
        .execute();
      expect(found.length).toBe(250);
      const rows = found.map(({ id }) => ({ id, expires_at: 1 }));
      await dialect.updateMany(tx, { table: "links", key: "id", set: ["expires_at"] }, rows);
      const { rows: scans } = await sql<{ tuples: number }>`
        select seq_tup_read as tuples from pg_stat_xact_user_tables where relname = 'links'`.execute(tx);
      return scans[0]?.tuples;
    });
    expect(read).toBe(0);
  });

  test("an account that may not add extensions gets no index", async () => {
    const { url, database: owner } = await fresh();
    const role = `waymark_test_${crypto.randomUUID().slice(0, 8)}`;
    await sql.raw(`create role ${role} login password 'pass'`).execute(owner.write);
    ends.push(async () => {
      await sql.raw(`drop owned by ${role}`).execute(owner.write);
      await sql.raw(`drop role ${role}`).execute(owner.write);
    });
    await sql.raw(`grant create on schema public to ${role}`).execute(owner.write);
    const database = await open(url.replace(/\/\/[^@]*@/, `//${role}:pass@`));
    await migrateUp(database, { logger: silentLogger });
    const { rows } = await sql`select 1 from pg_class where relname = 'links_search'`.execute(database.read);
    expect(rows).toEqual([]);
    await database.dialect.insertMany(database.write, "links", links);
    expect(await search(database, "nEEdle").execute()).toEqual([{ code: "c777" }]);
  });
});

const many = (count: number) =>
  Array.from({ length: count }, (_, i) => ({
    code: `c${i}`,
    target: `https://example.com/${i === 777 ? "Needle" : "hay"}/${i}`,
    created_at: i,
    updated_at: i,
  }));
const links = many(3_000);

const search = (database: Database, needle: string) =>
  database.read
    .selectFrom("links")
    .select("code")
    .where(database.dialect.linkContains(needle, { usesIndex: true }));
