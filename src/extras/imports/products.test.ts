/** Real exports of other products, from test/fixtures/imports. */
import { Database } from "bun:sqlite";
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "pg";
import { forEachDialect } from "../../platform/db/for-each-dialect.test-support.ts";
import { createOutbound } from "../../lib/outbound.ts";
import { OPTIONS, openImports } from "./imports.test-support.ts";
import { kutt } from "./readers/kutt.ts";

const FIXTURES = new URL("../../../test/fixtures/imports/", import.meta.url).pathname;

const folder = mkdtempSync(join(tmpdir(), "waymark-products-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A SQLite file of the dump. */
function sqliteOf(dump: string): string {
  const path = join(folder, crypto.randomUUID());
  const database = new Database(path);
  database.run(dump);
  database.close();
  return path;
}

forEachDialect(
  (dialect) => {
    let room: Awaited<ReturnType<typeof openImports>>;
    beforeAll(async () => {
      room = await openImports(await dialect.openDb());
    });
    afterAll(() => room.close());

    test("imports what a real Kutt has, and reverts it", async () => {
      const { imports, links } = room;
      const before = await room.counts();
      const source = sqliteOf(readFileSync(join(FIXTURES, "kutt.sql"), "utf8"));
      const made = { product: "kutt", source, options: { ...OPTIONS, add_domains: true } } as const;
      const foreseen = await imports.preview(
        { ...made, file: null, key: null },
        () => {},
        () => {},
      );
      expect(await room.counts()).toEqual(before);
      const id = await room.runImport(made);
      const { state, report } = await imports.find(id);
      expect(state).toBe("done");
      expect([foreseen.counts, foreseen.domains]).toEqual([report.counts, report.domains]);
      expect(report.domains.map(({ host }) => host)).toEqual(["go.test"]);
      expect(report.counts).toMatchObject({
        links_read: 10,
        links_imported: 9,
        links_refused: 1,
        links_disabled: 2,
        visits_imported: 4,
        clicks_imported: 4,
        clicks_without_date: 0,
      });
      expect(report.reasons.map(({ reason }) => reason)).toContain("Its link is banned in Kutt.");
      expect(await links.get("plain")).toMatchObject({
        note: 'A link,\nwith "quotes" and 日本語',
        clickCount: 3,
        automatedClicks: 0,
      });
      expect(await links.get("odd")).toMatchObject({ target: "https://example.com/?q=ä&x=%20+&y[]=1#frag" });
      expect((await links.get("late"))!.expiresAt).toBe(Date.parse("2027-01-07T15:51:28Z"));
      expect((await links.get("secret"))!.passwordHash).toStartWith("$2a$12$");
      await room.undo(id);
      expect(await room.counts()).toEqual(before);
    });

    test("imports what a real YOURLS has, and reverts it", async () => {
      const { imports, links } = room;
      const before = await room.counts();
      const source = join(FIXTURES, "yourls.sql");
      const id = await room.runImport({ product: "yourls", source, options: OPTIONS });
      const { state, report } = await imports.find(id);
      expect([state, report.counts]).toMatchObject([
        "done",
        { links_read: 5, links_imported: 3, links_refused: 2, visits_imported: 2, visits_refused: 1 },
      ]);
      expect(await links.get("plain")).toMatchObject({ clickCount: 3, automatedClicks: 1 });
      expect(await links.get("Plain")).toMatchObject({ title: 'It\'s "upper" \\ 🎉' });
      expect(await links.get("twice")).toMatchObject({
        title: "Grüße aus München",
        createdAt: Date.parse("2024-02-29T12:00:00Z"),
      });
      await room.undo(id);
      expect(await room.counts()).toEqual(before);
    });

    test("explains what to do with a file that it can't read", async () => {
      const wide = Array.from({ length: 10_000 }, (_, at) => `c${at}`).join();
      for (const [content, sentence] of [
        [Bun.gzipSync("code,target\n"), "Unpack it first: gunzip FILE"],
        [Buffer.from("code,target\n", "utf16le"), "Save it as CSV in UTF-8."],
        [Buffer.from("PK\x03\x04"), "an Excel workbook"],
        [Buffer.from(`${wide}\n`), "10,000 columns, more than 200"],
        [Buffer.alloc(2_000_000), "a line that is longer than 65536 bytes"],
      ] as const) {
        const source = await room.file(content);
        const made = { product: "csv", source, file: null, key: null, options: OPTIONS } as const;
        await expect(
          room.imports.preview(
            made,
            () => {},
            () => {},
          ),
        ).rejects.toThrow(sentence);
      }
    });
  },
  ["sqlite"],
);

forEachDialect(
  (dialect) => {
    test("reads Kutt's tables in its PostgreSQL database", async () => {
      const client = new Client(dialect.url());
      await client.connect();
      // Waymark's own tables have the same names.
      await client.query(
        `create schema kutt; set search_path = kutt; set time zone 'UTC';
         create table domains (id serial primary key, address text, banned boolean);
         create table links (id serial primary key, address text, target text, domain_id int, description text,
           banned boolean, password text, expire_in timestamptz, visit_count int, created_at timestamptz);
         create table visits (id serial primary key, link_id int, created_at timestamptz, total int);
         insert into domains values (1, 'go.test', true);
         insert into links select i, 'c' || i, 'https://example.com/', case when i = 2 then 1 end, null, i = 3, null,
           '2027-01-02 03:04:05.678+02', 4, '2026-01-02 03:04:05+00' from generate_series(1, 450) i;
         insert into links values (500, 'long', repeat('x', 40000), null);
         insert into visits values (7, 2, '2026-11-01 10:20:30+00', 3), (8, 999, '2026-11-01 10:20:30+00', 1)`,
      );
      await client.end();
      const source = await openKutt(`${dialect.url()}?options=-csearch_path%3Dkutt`);
      const links = await Array.fromAsync(source.links(0));
      expect(links).toHaveLength(451);
      expect(links.slice(0, 3)).toMatchObject([
        {
          position: 1,
          cells: { expires_at: "2027-01-02T01:04:05.000Z", created_at: "2026-01-02T03:04:05.000Z" },
        },
        { cells: { code: "c2", domain: "go.test" }, disabled: "Its domain is banned in Kutt." },
        { cells: { click_count: "4" }, disabled: "Its link is banned in Kutt." },
      ]);
      expect(links[450]).toMatchObject({ position: 500, problem: "A value is longer than 32 KiB." });
      expect(await Array.fromAsync(source.links(449))).toEqual(links.slice(449));
      expect(await Array.fromAsync(source.visits!(0))).toEqual([
        {
          position: 7,
          code: "c2",
          domain: "go.test",
          at: Date.parse("2026-11-01T10:20:30Z"),
          count: 3,
          automated: false,
        },
        { position: 8, code: "", problem: "Its link was deleted." },
      ]);
      const none = await openKutt(`${dialect.url()}?options=-csearch_path%3Dnone`);
      await expect(Array.fromAsync(none.links(0))).rejects.toThrow("It has no links.address.");
    });
  },
  ["postgres"],
);

const openKutt = (source: string) =>
  kutt.open({ source, key: null, map: {}, signal: new AbortController().signal, outbound: createOutbound() });

const read = async (source: string): Promise<unknown[]> => Array.fromAsync((await openKutt(source)).links(0));
const TABLES =
  "create table domains (id integer primary key, address text); create table links (id integer primary key, address text, target text, domain_id integer, description text);";

test("reads crafted files of SQLite within bounds, or explains why not", async () => {
  const endless = `create table domains (id integer primary key, address text);
    create view links as with recursive n(id) as (select 1 union all select id + 1 from n)
    select id, 'a' as address, 'https://example.com' as target, null as domain_id from n;`;
  await expect(read(sqliteOf(endless))).rejects.toThrow("It has no table links with the column address.");
  const computed = TABLES.replace(
    "address text, target",
    "address text as (hex(zeroblob(1000000000))), target",
  );
  await expect(read(sqliteOf(computed))).rejects.toThrow("no table links with the column address");
  await expect(read(join(FIXTURES, "kutt.sql"))).rejects.toThrow("file is not a database");
  await expect(read(join(folder, "none"))).rejects.toThrow("There is no file");
  const long = `${TABLES} insert into links values
    (1, 'long', 'https://example.com', null, printf('%.*c', 100000, 'x')),
    (2, x'ff00', 'https://example.com', 9, null),
    (9000000000000000, 'good', 'https://example.com', null, null);`;
  expect(await read(sqliteOf(long))).toMatchObject([
    { position: 1, code: "long", problem: "A value is longer than 32 KiB." },
    { position: 2, problem: "Its domain is missing in the file." },
    { position: 9_000_000_000_000_000, cells: { code: "good" } },
  ]);
  const many = `${TABLES} with recursive n(i) as (select 1 union all select i + 1 from n where i < 1000)
    insert into links select i, 'c' || i, 'https://example.com/' || i, null, printf('%.*c', 3000, 'y') from n;`;
  expect(await read(sqliteOf(many))).toHaveLength(1_000);
});
