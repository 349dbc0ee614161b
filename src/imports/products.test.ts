/** Real exports of other products, from test/fixtures/imports. */
import { Database } from "bun:sqlite";
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { forEachDialect } from "../db/for-each-dialect.ts";
import { COMMAND } from "../lib/actor.ts";
import { createOutbound } from "../lib/outbound.ts";
import { OPTIONS, openImports } from "./imports.test-support.ts";
import { kutt } from "./readers/kutt.ts";

const FIXTURES = new URL("../../test/fixtures/imports/", import.meta.url).pathname;

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

    test("brings what a real Kutt has, and takes it back", async () => {
      const { imports, links } = room;
      await links.domainService.create({ host: "go.test" }, COMMAND);
      const before = await room.counts();
      const source = sqliteOf(readFileSync(join(FIXTURES, "kutt.sql"), "utf8"));
      const id = await room.bring({ product: "kutt", source, options: OPTIONS });
      const { state, report } = await imports.find(id);
      expect(state).toBe("done");
      expect(report.counts).toMatchObject({
        links_read: 10,
        links_brought: 9,
        links_refused: 1,
        links_disabled: 2,
        visits_brought: 4,
        clicks_brought: 4,
        clicks_undated: 0,
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
  },
  ["sqlite"],
);

const read = async (source: string): Promise<unknown[]> => {
  const input = {
    source,
    key: null,
    map: {},
    signal: new AbortController().signal,
    outbound: createOutbound(),
  };
  return Array.fromAsync((await kutt.open(input)).links(0));
};
const TABLES =
  "create table domains (id integer primary key, address text); create table links (id integer primary key, address text, target text, domain_id integer, description text);";

test("reads crafted files of SQLite within bounds, or says why not", async () => {
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
    { place: 1, code: "long", problem: "A value is longer than 32 KiB." },
    { place: 2, problem: "Its domain is missing in the file." },
    { place: 9_000_000_000_000_000, cells: { code: "good" } },
  ]);
  const many = `${TABLES} with recursive n(i) as (select 1 union all select i + 1 from n where i < 1000)
    insert into links select i, 'c' || i, 'https://example.com/' || i, null, printf('%.*c', 3000, 'y') from n;`;
  expect(await read(sqliteOf(many))).toHaveLength(1_000);
});
