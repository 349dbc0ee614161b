import { beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { createEvents } from "../../platform/events/events.service.ts";
import { createChanges } from "../../platform/cluster/changes.ts";
import type { Database } from "../../platform/db/database.ts";
import { forEachDialect } from "../../platform/db/for-each-dialect.test-support.ts";
import { type AppError, appError } from "../../lib/errors.ts";
import { silentLogger } from "../../lib/logger.ts";
import { EVERYTHING as ALL, type LinkFilter } from "../list/filter.ts";
import { readTotals } from "../link/query.repository.ts";
import { createDomainRegistry } from "../domains/registry.ts";
import { createLinkCsv, type LinkCsv } from "./service.ts";
import type { ImportMode, ImportResult } from "./import-plan.ts";

const NOW = Date.parse("2026-11-20T13:00:00Z");
const EVERYTHING: LinkFilter = { ...ALL, asOf: NOW };
const HASH = "$argon2id$v=19$m=19456,t=2,p=1$c2FsdHNhbHQ$aGFzaGhhc2g";
const QUOTED_HASH = `"${HASH}"`;

const manyRows = (): string => Array.from({ length: 3000 }, (_, at) => `c${at},https://x.y/${at}\n`).join("");

const counts = ({ total_rows, success_count, skipped_count, failed_count }: ImportResult) => [
  total_rows,
  success_count,
  skipped_count,
  failed_count,
];

forEachDialect(({ openDb }) => {
  let database: Database;
  let csv: LinkCsv;
  let hashed: string[];
  let announced: string[];
  let now = NOW;
  let hashPassword: (plain: string) => Promise<string>;
  let ignoresCase = false;

  /** As in another process. */
  const openCsv = (): LinkCsv => {
    const clock = { now: () => now };
    const changes = createChanges({ database, clock, logger: silentLogger });
    changes.subscribe("links", (codes) => void announced.push(...codes));
    return createLinkCsv({
      events: createEvents({ database, clock: { now: () => NOW } }),
      database,
      changes,
      routePrefixes: () => ["/admin"],
      domains: createDomainRegistry({ list: async () => [], ignoresCase: () => ignoresCase }),
      hashPassword: (plain) => hashPassword(plain),
      clock,
    });
  };

  beforeAll(async () => {
    database = await openDb();
    csv = openCsv();
  });

  beforeEach(async () => {
    await database.write.deleteFrom("links").execute();
    await database.write.deleteFrom("link_totals").execute();
    await database.write.deleteFrom("changes").execute();
    hashed = [];
    announced = [];
    ignoresCase = false;
    now = NOW;
    hashPassword = async (plain) => {
      hashed.push(plain);
      return `$argon2id$of-${plain}`;
    };
  });

  const load = (text: string, mode: ImportMode = "skip"): Promise<ImportResult> =>
    csv.import(Buffer.from(text), { mode });
  const dump = async (filter = EVERYTHING): Promise<string> => {
    let text = "";
    for await (const page of csv.export.pages(filter)) text += page.text;
    return text;
  };
  const lines = async (filter = EVERYTHING): Promise<string[]> =>
    (await dump(filter)).split("\n").slice(1, -1);
  const codes = async (filter: Partial<LinkFilter>) =>
    (await lines({ ...EVERYTHING, ...filter })).map((line) => line.split(",")[0]);
  const targets = async () => (await lines()).map((line) => line.split(",").slice(0, 2).join(" "));
  const clickRows = async () => database.read.selectFrom("link_clicks").selectAll().execute();

  test("codes that differ by case only are listed where the domain ignores case", async () => {
    ignoresCase = true;
    const file = "code,target\nAbc,https://x.y/1\nabc,https://x.y/2\nABC,https://x.y/3\nAbc,https://x.y/4\n";
    for (const mode of ["skip", "overwrite"] as const) {
      const { failed_items: failed } = await load(file, mode);
      expect(failed.map(({ row, code }) => [row, code])).toEqual([
        [3, "abc"],
        [4, "ABC"],
      ]);
      expect(failed[0]!.error).toContain('"Abc" and "abc"');
      expect(await targets()).toEqual([`abc https://x.y/${mode === "skip" ? 1 : 4}`]);
    }
  });

  test("an export, imported into an empty database, is exported again byte for byte", async () => {
    const rows = Array.from({ length: 2300 }, (_, at) => {
      const expiry = at % 3 === 0 ? new Date(NOW + at * 1001).toISOString() : "";
      const target = at % 7 === 0 ? `"https://x.y/?q=""é,${at}"""` : `https://x.y/${at}`;
      const created = new Date(NOW - at * 12_345).toISOString();
      return `${at % 2 ? "a" : "B"}/${at},${target},${created},${expiry},${at % 5 ? "" : QUOTED_HASH},${at * 1_000_003}\n`;
    });
    expect(
      counts(await load(`code,target,created_at,expires_at,password,click_count\n${rows.join("")}`)),
    ).toEqual([2300, 2300, 0, 0]);
    const exported = await dump();
    const exportedRows = exported.split("\n").slice(1, -1);
    expect(exportedRows).toHaveLength(2300);
    expect(
      exportedRows.every(
        (line, at) => at === 0 || exportedRows[at - 1]!.split(",")[0]! < line.split(",")[0]!,
      ),
    ).toBe(true);
    expect(new Set(exportedRows)).toEqual(new Set(rows.map((row) => row.trimEnd())));

    await database.write.deleteFrom("links").execute();
    expect(await dump()).toBe("code,target,created_at,expires_at,password,click_count\n");
    await load(exported);
    expect(await dump()).toBe(exported);

    now = NOW + 1;
    expect(counts(await load(exported, "overwrite"))).toEqual([2300, 2300, 0, 0]);
    expect(await dump()).toBe(exported);
    expect(counts(await load(exported, "skip"))).toEqual([2300, 0, 2300, 0]);
    expect(hashed).toEqual([]);
    expect(await clickRows()).toHaveLength(2300);
  });

  describe("existing and repeated codes", () => {
    const file = "code,target\nold,https://x.y/1\nnew,https://x.y/2\nnew,https://x.y/3\nNEW,https://x.y/4\n";

    beforeEach(async () => {
      await load("code,target,click_count,created_at\nold,https://x.y/0,7,2020-01-01T00:00:00Z\n");
      announced = [];
    });

    test("are skipped", async () => {
      expect(await load(file)).toEqual({
        total_rows: 4,
        success_count: 2,
        overwritten_count: 0,
        skipped_count: 2,
        failed_count: 0,
        failed_items: [],
        unread_count: 0,
        unread_items: [],
        ignored_columns: [],
      });
      expect(await targets()).toEqual(["NEW https://x.y/4", "new https://x.y/2", "old https://x.y/0"]);
      expect(announced.sort()).toEqual(["NEW", "new"]);
    });

    test("fail", async () => {
      const result = await load(file, "error");
      expect(counts(result)).toEqual([4, 2, 0, 2]);
      expect(result.failed_items.map(({ row, code, error_code }) => [row, code, error_code])).toEqual([
        [2, "old", 3001],
        [4, "new", 3001],
      ]);
      expect(await targets()).toEqual(["NEW https://x.y/4", "new https://x.y/2", "old https://x.y/0"]);
    });

    test("are overwritten; the last row wins", async () => {
      expect(counts(await load(file, "overwrite"))).toEqual([4, 4, 0, 0]);
      expect(await targets()).toEqual(["NEW https://x.y/4", "new https://x.y/3", "old https://x.y/1"]);
      expect(announced.sort()).toEqual(["NEW", "new", "old"]);
    });

    test("are found thousands of rows apart", async () => {
      const between = Array.from({ length: 1500 }, (_, at) => `c${at},https://x.y/c\n`).join("");
      const text = `code,target\nnew,https://x.y/1\n${between}new,https://x.y/2\n`;
      const result = await load(text, "error");
      expect(result.failed_items.map(({ row, code }) => [row, code])).toEqual([[1503, "new"]]);
      expect(counts(await load(text, "skip"))).toEqual([1502, 0, 1502, 0]);
      expect(counts(await load(text, "overwrite"))).toEqual([1502, 1502, 0, 0]);
      expect(await targets()).toContain("new https://x.y/2");
    });
  });

  test.each(["skip", "overwrite", "error"] as const)(
    "a dry run (%s) counts what the import does then, and changes nothing",
    async (mode) => {
      await load("code,target\nold,https://x.y/0\nshare,https://x.y/0\nrenamed,https://x.y/0\n");
      const { write } = database;
      await write
        .updateTable("links")
        .set({ target: "waymark:file/1" })
        .where("code", "=", "share")
        .execute();
      const { id } = await write
        .selectFrom("links")
        .select("id")
        .where("code", "=", "renamed")
        .executeTakeFirstOrThrow();
      await write
        .insertInto("link_aliases")
        .values({ code: "alias", link_id: id, created_at: NOW })
        .execute();
      const before = await dump();
      announced = [];
      const between = Array.from({ length: 600 }, (_, at) => `c${at},https://x.y/c,\n`).join("");
      const text = `code,target,password\nold,https://x.y/1,secret\nshare,https://x.y/1,\nalias,https://x.y/1,\na b,https://x.y/1,\nnew,https://x.y/1,\nnew,https://x.y/2,\nfile,waymark:file/2,\n${between}c1,https://x.y/3,\n`;
      const preview = await csv.import(Buffer.from(text), { mode, dryRun: true });
      expect([await dump(), announced, hashed]).toEqual([before, [], []]);
      expect(await load(text, mode)).toEqual(preview);
      const expected = { skip: [601, 0, 6, 1], overwrite: [604, 3, 1, 3], error: [601, 0, 1, 6] }[mode];
      const { success_count, overwritten_count, skipped_count, failed_count } = preview;
      expect([success_count, overwritten_count, skipped_count, failed_count]).toEqual(expected);
    },
  );

  test.each(["skip", "overwrite"] as const)(
    "cells that can't be read are named for rows that succeed (%s)",
    async (mode) => {
      const text =
        "code,target,expires_at\na,https://x.y/1,31.12.2026\na b,https://x.y/1,tomorrow\nc,https://x.y/1,\n";
      for (const dryRun of [true, false]) {
        const { unread_count, unread_items } = await csv.import(Buffer.from(text), { mode, dryRun });
        expect([unread_count, unread_items]).toEqual([
          1,
          [{ row: 2, code: "a", column: "expires_at", value: "31.12.2026" }],
        ]);
      }
      expect((await load(text, "skip")).unread_count).toBe(0);
    },
  );

  describe("an overwritten link", () => {
    beforeEach(() =>
      load(
        `code,target,created_at,expires_at,password,click_count\na,https://x.y/0,2020-01-01T00:00:00Z,2030-01-01T00:00:00Z,${QUOTED_HASH},7\n`,
      ),
    );

    test("keeps creation time and clicks without such columns", async () => {
      await load("code,target\na,https://x.y/1\n", "overwrite");
      expect((await lines())[0]).toBe("a,https://x.y/1,2020-01-01T00:00:00.000Z,,,7");
    });

    test("keeps its automated clicks as far as they fit into a new count", async () => {
      const automated = async () => (await clickRows()).map((row) => row.automated);
      await load("code,target,click_count,human_clicks\na,https://x.y/1,7,2\n", "overwrite");
      await load("code,target\na,https://x.y/1\n", "overwrite");
      expect(await automated()).toEqual([5]);
      await load("code,target,click_count\na,https://x.y/1,6\n", "overwrite");
      expect(await automated()).toEqual([5]);
      await load("code,target,click_count\na,https://x.y/1,3\n", "overwrite");
      expect(await automated()).toEqual([3]);
      expect(await readTotals(database.read)).toMatchObject({ clicks: 3, automated: 3 });
      await load("code,target,click_count,human_clicks\na,https://x.y/1,9,8\n", "overwrite");
      expect(await automated()).toEqual([1]);
      expect(await readTotals(database.read)).toMatchObject({ clicks: 9, automated: 1 });
    });

    test("takes them from the row with such columns", async () => {
      await load("code,target,click_count\na,https://x.y/1,3\n", "overwrite");
      expect(await clickRows()).toMatchObject([{ clicks: 3, ranked: 3 }]);
      expect((await readTotals(database.read)).clicks).toBe(3);
      expect((await lines())[0]).toBe("a,https://x.y/1,2020-01-01T00:00:00.000Z,,,3");
      await load("code,target,created_at\na,https://x.y/1,2021-01-01T00:00:00Z\n", "overwrite");
      expect((await lines())[0]).toBe("a,https://x.y/1,2021-01-01T00:00:00.000Z,,,3");
      await load("code,target,created_at,click_count\na,https://x.y/1,,\n", "overwrite");
      expect((await lines())[0]).toBe("a,https://x.y/1,2026-11-20T13:00:00.000Z,,,0");
    });
  });

  describe("passwords", () => {
    test("are hashed, but hashes are kept", async () => {
      await load(
        `code,target,password\na,https://x.y,secret\nb,https://x.y,${QUOTED_HASH}\nc,https://x.y,\n`,
      );
      const stored = await database.read
        .selectFrom("links")
        .select("password_hash")
        .orderBy("code")
        .execute();
      expect(stored.map((link) => link.password_hash)).toEqual(["$argon2id$of-secret", HASH, null]);
    });

    test("aren't hashed for links that stay or rows that fail", async () => {
      await load("code,target\na,https://x.y\n");
      const text = "code,target,password\na,https://x.y,one\nb,ftp://x.y,two\nc,https://x.y,three\n";
      await load(text, "skip");
      expect(hashed).toEqual(["three"]);
      await load(text, "overwrite");
      expect(hashed.sort()).toEqual(["one", "three", "three"]);
    });

    test("that can't be hashed end the import before any write", async () => {
      hashPassword = () => Promise.reject(new Error("no memory"));
      const text = "code,target,password\na,https://x.y,\nb,https://x.y,two\n";
      expect(await load(text).catch((error: Error) => error.message)).toBe("no memory");
      expect(await lines()).toEqual([]);
    });

    test("are no longer hashed after the request is aborted", async () => {
      const abort = new AbortController();
      hashPassword = async () => (abort.abort(), "x");
      const bytes = Buffer.from(
        "code,target,password\na,https://x.y,1\nb,https://x.y,2\nc,https://x.y,3\nd,https://x.y,4\n",
      );
      const failure = csv
        .import(bytes, { mode: "skip", signal: abort.signal })
        .catch((error: Error) => error.name);
      expect(await failure).toBe("BadRequest");
      expect(await lines()).toEqual([]);
    });
  });

  test("links that another process imports at the same time count as existing", async () => {
    const bytes = Buffer.from(`code,target\n${manyRows()}`);
    const both = [csv, openCsv()].map((process) => process.import(bytes, { mode: "skip" }));
    const [first, second] = (await Promise.all(both)) as [ImportResult, ImportResult];
    expect(first.success_count + second.success_count).toBe(3000);
    expect(first.skipped_count + second.skipped_count).toBe(3000);
    expect(await clickRows()).toHaveLength(3000);
  });

  test("of an import that fails in the middle, the portions before stand, and the rest can be sent again", async () => {
    const events = createEvents({ database, clock: { now: () => NOW } });
    let writes = 0;
    const broken = createLinkCsv({
      events,
      database,
      changes: {
        write: (run) =>
          database.transaction(async (tx) => {
            const value = await run({ db: tx, changed: () => undefined });
            if (++writes === (database.dialect.hasOneWriter ? 5 : 3))
              throw appError("ServiceUnavailable", "The database is away.");
            return value;
          }),
      },
      routePrefixes: () => [],
      domains: createDomainRegistry({ list: async () => [] }),
      hashPassword,
      clock: { now: () => NOW },
    });
    const file = Buffer.from(`code,target,expires_at\n${manyRows().replaceAll("\n", ",never\n")}`);
    const failure = (await broken
      .import(file, { mode: "skip", id: "cut" })
      .catch((error) => error)) as AppError;
    expect(failure.name).toBe("ServiceUnavailable");
    expect(failure.message).toStartWith(
      "The database is away. Line 2002 and those after it were not imported",
    );
    const { failed_items: failed, unread_items: unread, ...data } = failure.details!["data"] as ImportResult;
    expect(data).toMatchObject({ total_rows: 2001, success_count: 2000, skipped_count: 0, failed_count: 1 });
    expect([data.unread_count, unread.length, failed]).toEqual([
      2000,
      500,
      [{ row: 2002, code: "c2000", error: "The database is away.", error_code: 1030 }],
    ]);
    expect(await clickRows()).toHaveLength(2000);
    const progressOf = async (id: string) =>
      (await events.page({ action: "links.import" }, null, 100)).events
        .map(({ after }) => JSON.parse(after!))
        .find((after) => after.import_id === id);
    expect(await progressOf("cut")).toMatchObject({ total_rows: 2000, success_count: 2000, next_row: 2002 });

    expect(counts(await csv.import(file, { mode: "skip", id: "again" }))).toEqual([3000, 1000, 2000, 0]);
    expect(await clickRows()).toHaveLength(3000);
    expect((await progressOf("again")).next_row).toBeUndefined();
  });

  test("others write between the portions of an import", async () => {
    const between: number[] = [];
    const countLinks = async () => (await clickRows()).length;
    const importing = csv.import(Buffer.from(`code,target\n${manyRows()}`), {
      mode: "skip",
      onProgress: () => void between.push(0),
    });
    while (between.length === 0) await Bun.sleep(1);
    const seen = await countLinks();
    await importing;
    expect(seen).toBeGreaterThan(0);
    expect(seen).toBeLessThan(3000);
    expect(between).toHaveLength(database.dialect.hasOneWriter ? 6 : 3);
  });

  test("a dry run ends when its client leaves", async () => {
    const abort = new AbortController();
    const bytes = Buffer.from(`code,target\n${"c,https://x.y/\n".repeat(3000)}`);
    let portions = 0;
    const onProgress = () => (portions++, abort.abort());
    const failure = await csv
      .import(bytes, { mode: "skip", dryRun: true, signal: abort.signal, onProgress })
      .catch((error: Error) => error.name);
    expect([failure, portions]).toEqual(["BadRequest", 1]);
  });

  test("a file without valid rows changes nothing and reports why, row by row", async () => {
    const result = await load(
      'code,target\n,https://x.y\nadmin,https://x.y\na b,https://x.y\nc,ftp://x.y\n"d\ne,f,g\n',
    );
    expect(counts(result)).toEqual([6, 0, 0, 6]);
    expect(result.failed_items.map(({ row, code, error_code }) => [row, code, error_code])).toEqual([
      [2, "", 3007],
      [3, "admin", 3008],
      [4, "a b", 3007],
      [5, "c", 3002],
      [6, "", 4005],
      [7, "e", 4005],
    ]);
    expect(announced).toEqual([]);
  });

  test("an export has the links of the list's filter", async () => {
    await load(
      "code,target,created_at,expires_at\na,https://x.y/Äpfel_1,2020-01-01T00:00:00Z,\nb,https://x.y/2,2021-01-01T00:00:00Z,2022-01-01T00:00:00Z\n",
    );
    expect(await codes({})).toEqual(["a", "b"]);
    expect(await codes({ state: "active" })).toEqual(["a"]);
    expect(await codes({ state: "expired" })).toEqual(["b"]);
    expect(await codes({ search: "ÄPFEL_" })).toEqual(["a"]);
    expect(await codes({ createdAfter: Date.parse("2020-06-01T00:00:00Z") })).toEqual(["b"]);
    expect(await codes({ search: "nothing" })).toEqual([]);
  });
});
