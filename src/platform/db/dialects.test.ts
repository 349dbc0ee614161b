/** The contract of all databases. */
import { beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { sql } from "kysely";
import type { Database } from "./database.ts";
import { DatabaseError, isRetryable, isUniqueViolation } from "./failures.ts";
import { forEachDialect } from "./for-each-dialect.test-support.ts";

const link = (code: string, target = `https://example.com/${code}`, created_at = 1) => ({
  code,
  target,
  created_at,
  updated_at: created_at,
  expires_at: null,
  password_hash: null,
});
const failures = (account: string, count: number, updated_at: number) => ({
  account,
  failures: count,
  retry_at: 0,
  updated_at,
});
const MAX = Number.MAX_SAFE_INTEGER;

forEachDialect(({ name, openDb }) => {
  let database: Database;
  beforeAll(async () => {
    database = await openDb();
  });
  beforeEach(async () => {
    for (const table of ["link_clicks", "links", "settings", "login_failures"] as const)
      await database.write.deleteFrom(table).execute();
  });
  const addLinks = (...codes: string[]) =>
    database.dialect.insertMany(
      database.write,
      "links",
      codes.map((code) => link(code)),
    );
  const codes = async () =>
    (await database.read.selectFrom("links").select("code").orderBy("code").execute()).map(
      ({ code }) => code,
    );

  describe("codes", () => {
    test("differ by case and match exactly", async () => {
      await addLinks("abc", "ABC", "Abc", "a-b/c", "a_b.c");
      expect((await database.findLink("ABC"))?.code).toBe("ABC");
      expect(await database.findLink("aBC")).toBeUndefined();
      expect(await database.findLink("a%")).toBeUndefined();
      expect(await codes()).toHaveLength(5);
    });

    test("are sorted byte by byte", async () => {
      await addLinks("b", "B", "a", "_", "-", ".", "/", "10", "9", "Z", "a/b", "a-b");
      const expected = ["-", ".", "/", "10", "9", "B", "Z", "_", "a", "a-b", "a/b", "b"];
      expect(await codes()).toEqual(expected);
      const after = await database.read
        .selectFrom("links")
        .select("code")
        .where("code", ">", "Z")
        .orderBy("code")
        .execute();
      expect(after.map(({ code }) => code)).toEqual(["_", "a", "a-b", "a/b", "b"]);
    });

    test("may have 128 characters, and targets 8192 bytes of any language", async () => {
      const code = "x".repeat(128);
      const target = `https://example.com/${"ü😀".repeat(1_362)}`;
      expect(Buffer.byteLength(target)).toBe(8_192);
      await database.dialect.insertMany(database.write, "links", [link(code, target)]);
      expect((await database.findLink(code))?.target).toBe(target);
    });

    test("keep quotes, backslashes and JSON's characters", async () => {
      const target = `https://e.com/?a='b'&c="d"\\n\\\\%_!{}[],;--/*? :x @y $1 \u2028`;
      await database.dialect.insertMany(database.write, "links", [link("q1", target)]);
      await database.write.insertInto("links").values(link("q2", target)).execute();
      expect((await database.findLink("q1"))?.target).toBe(target);
      expect((await database.findLink("q2"))?.target).toBe(target);
    });
  });

  describe("search", () => {
    test("ignores case in code and target", async () => {
      await addLinks("Hello", "other");
      expect(await search(database, "hELL")).toEqual(["Hello"]);
      expect(await search(database, "EXAMPLE.com/OTH")).toEqual(["other"]);
      expect(await search(database, "nothing")).toEqual([]);
    });

    test("treats %, _, backslash and the escape character literally", async () => {
      await database.dialect.insertMany(database.write, "links", [
        link("p", "https://e.com/100%25"),
        link("u", "https://e.com/a_b"),
        link("x", "https://e.com/axb"),
        link("e", "https://e.com/wow!"),
        link("s", "https://e.com/back\\slash"),
      ]);
      expect(await search(database, "%")).toEqual(["p"]);
      expect(await search(database, "a_b")).toEqual(["u"]);
      expect(await search(database, "!")).toEqual(["e"]);
      expect(await search(database, "k\\s")).toEqual(["s"]);
      expect(await search(database, "0%2")).toEqual(["p"]);
      expect(await search(database, "'; drop table links; --")).toEqual([]);
    });

    test("finds other letters as written, in lower and upper case, and distinguishes accents", async () => {
      await database.dialect.insertMany(database.write, "links", [
        link("1", "https://e.com/ärger"),
        link("2", "https://e.com/ÄRGER"),
        link("3", "https://e.com/Ärger"),
        link("4", "https://e.com/arger"),
      ]);
      for (const needle of ["ärger", "ÄRGER", "Ärger"])
        expect(await search(database, needle)).toEqual(["1", "2", "3"]);
      expect(await search(database, "ARGER")).toEqual(["4"]);
    });

    test("finds letters with marks composed and decomposed", async () => {
      const titles = ["Höhe über", "HÖHE ÜBER", "hohe uber", "が한글"];
      const both = (title: string, at: number) =>
        ["NFC", "NFD"].map((form) => ({ ...link(`${at}${form}`), title: title.normalize(form) }));
      await database.dialect.insertMany(database.write, "links", titles.flatMap(both));
      const german = ["0NFC", "0NFD", "1NFC", "1NFD"];
      const asian = ["3NFC", "3NFD"];
      for (const needle of ["öhe ü", "ÖHE", "ü", "が한", "글"]) {
        const found = needle.length > 2 || needle === "ü" ? german : asian;
        expect(await search(database, needle.normalize("NFC"))).toEqual(found);
        expect(await search(database, needle.normalize("NFD"))).toEqual(found);
      }
    });
  });

  describe("numbers", () => {
    test("hold 53 bits as counts, times and sums", async () => {
      await addLinks("a", "b");
      const ids = await database.read.selectFrom("links").select("id").orderBy("code").execute();
      const [a, b] = [ids[0]!.id, ids[1]!.id];
      await database.dialect.insertMany(database.write, "link_clicks", [
        { link_id: a, clicks: 2 ** 32, ranked: 0 },
        { link_id: b, clicks: MAX - 2 ** 33, ranked: MAX },
      ]);
      await database.dialect.addToCounters(
        database.write,
        { table: "link_clicks", key: "link_id", column: "clicks" },
        [b, a],
        [5, 2 ** 32 - 5],
      );
      const rows = await database.read.selectFrom("link_clicks").selectAll().orderBy("link_id").execute();
      expect(rows).toEqual([
        { link_id: a, clicks: 2 ** 33 - 5, ranked: 0, automated: 0, ranked_human: 0 },
        { link_id: b, clicks: MAX - 2 ** 33 + 5, ranked: MAX, automated: 0, ranked_human: 0 },
      ]);
      const { total, n } = await database.read
        .selectFrom("link_clicks")
        .select(({ fn }) => [fn.sum<number>("clicks").as("total"), fn.countAll<number>().as("n")])
        .executeTakeFirstOrThrow();
      expect([Number(total), Number(n)]).toEqual([MAX, 2]);
      const second = database.write.updateTable("link_clicks").where("link_id", "=", b);
      await second.set({ ranked: sql`ranked + 11` }).execute();
      const beyond = await database.read.selectFrom("link_clicks").select("ranked").execute();
      expect(beyond).toContainEqual({ ranked: MAX + 11 });
    });

    test("ids grow and are not reused", async () => {
      const first = await database.dialect.insertReturningId(database.write, "links", link("1"));
      await database.write.deleteFrom("links").execute();
      const second = await database.dialect.insertReturningId(database.write, "links", link("2"));
      expect(second).toBeGreaterThan(first);
    });

    test("counts of changed rows include rows that already had the value", async () => {
      await addLinks("a", "b");
      const { numUpdatedRows } = await database.write
        .updateTable("links")
        .set({ updated_at: 1 })
        .executeTakeFirst();
      const { numDeletedRows } = await database.write
        .deleteFrom("links")
        .where("code", "=", "a")
        .executeTakeFirst();
      expect([numUpdatedRows, numDeletedRows]).toEqual([2n, 1n]);
    });
  });

  describe("bulk statements", () => {
    test("insert, add to and update thousands of rows", async () => {
      const all = Array.from({ length: 2_500 }, (_, i) => link(`c${String(i).padStart(5, "0")}`));
      await database.dialect.insertMany(database.write, "links", all);
      await sql`insert into link_clicks (link_id, clicks) select id, 0 from links`.execute(database.write);
      const ids = (await database.read.selectFrom("links").select("id").orderBy("id", "desc").execute()).map(
        ({ id }) => id,
      );
      expect(ids).toHaveLength(2_500);
      const counter = { table: "link_clicks", key: "link_id", column: "clicks" } as const;
      await database.dialect.addToCounters(
        database.write,
        counter,
        [...ids, MAX],
        [...ids.map((_, i) => i), 1],
      );
      expect(await clicks(database)).toEqual(ids.map((_, i) => 2_499 - i));
      await database.dialect.updateMany(
        database.write,
        { table: "links", key: "code", set: ["target", "expires_at"] },
        all.map(({ code }) => ({
          code,
          target: `https://new/${code}`,
          expires_at: code === "c00007" ? 7 : null,
        })),
      );
      expect(await database.findLink("c00007")).toMatchObject({
        target: "https://new/c00007",
        expires_at: 7,
      });
      expect(await database.findLink("c02499")).toMatchObject({
        target: "https://new/c02499",
        expires_at: null,
      });
    });

    test("upsert adds to some columns and sets others; insertIgnore leaves rows alone", async () => {
      const upsert = (...rows: ReturnType<typeof failures>[]) =>
        database.dialect.upsert(
          database.write,
          { table: "login_failures", keys: ["account"], add: ["failures"], set: ["updated_at"] },
          rows,
        );
      await upsert(failures("a", 1, 10), failures("b", 2, 10));
      await upsert(failures("b", 5, 20), failures("c", 1, 20), failures("B", 9, 20));
      await database.dialect.insertIgnore(
        database.write,
        "login_failures",
        ["account"],
        [failures("a", 100, 30), failures("d", 4, 30)],
      );
      const found = await database.read.selectFrom("login_failures").selectAll().orderBy("account").execute();
      const expected = [
        failures("B", 9, 20),
        failures("a", 1, 10),
        failures("b", 7, 20),
        failures("c", 1, 20),
        failures("d", 4, 30),
      ];
      expect(found).toEqual(expected);
    });

    test("a table of values can be joined, keeps nulls and allows reserved words", async () => {
      await addLinks("a", "B");
      const requested = [{ code: "b" }, { code: "B" }, { code: "a" }];
      const found = await database.read
        .selectFrom(database.dialect.valuesTable("links", ["code"], requested))
        .innerJoin("links", "links.code", "v.code")
        .select(["v.code", "links.target"])
        .orderBy("v.code")
        .execute();
      expect(found.map(({ code }) => code)).toEqual(["B", "a"]);
      const history = { key: "k", old_value: null, new_value: "1", changed_at: 5, changed_by: "me" };
      await database.dialect.insertMany(database.write, "settings_history", [
        history,
        { ...history, new_value: "" },
      ]);
      const rows = await database.read.selectFrom("settings_history").selectAll().orderBy("id").execute();
      expect(rows).toMatchObject([history, { ...history, new_value: "" }]);
    });

    test("refuse values that do not fit, and do not truncate them", async () => {
      const long = { account: "a", failures: 1, retry_at: 0, updated_at: 0 };
      if (name === "sqlite") return; // SQLite has no lengths; the services check them.
      const tooLong = { ...long, account: "x".repeat(129) };
      await expect(
        database.dialect.insertIgnore(database.write, "login_failures", ["account"], [tooLong]),
      ).rejects.toThrow();
      expect(await database.read.selectFrom("login_failures").selectAll().execute()).toEqual([]);
    });

    test("do nothing without rows", async () => {
      await database.dialect.insertMany(database.write, "links", []);
      await database.dialect.updateMany(database.write, { table: "links", key: "id", set: ["target"] }, []);
      expect(await codes()).toEqual([]);
    });
  });

  describe("conflicts", () => {
    test("a second row with the key is a Conflict, and the statement changes nothing", async () => {
      await addLinks("a");
      for (const attempt of [
        () => database.write.insertInto("links").values(link("a")).execute(),
        () => database.dialect.insertMany(database.write, "links", [link("b"), link("a")]),
        () => database.dialect.insertReturningId(database.write, "links", link("a")),
      ]) {
        const error = await attempt().then(
          () => undefined,
          (reason: unknown) => reason,
        );
        expect(error).toMatchObject({ name: "Conflict", kind: "conflict" });
        expect(isUniqueViolation(error)).toBe(true);
      }
      expect(await codes()).toEqual(["a"]);
    });

    test("counts need a link and are deleted with it", async () => {
      const id = await database.dialect.insertReturningId(database.write, "links", link("a"));
      await database.dialect.insertMany(database.write, "link_clicks", [
        { link_id: id, clicks: 0, ranked: 0 },
      ]);
      await database.write.deleteFrom("links").execute();
      expect(await database.read.selectFrom("link_clicks").selectAll().execute()).toEqual([]);
      const orphan = database.write
        .insertInto("link_clicks")
        .values({ link_id: id, clicks: 0, ranked: 0 })
        .execute();
      await expect(orphan).rejects.toMatchObject({ name: "Conflict" });
    });
  });

  describe("transactions", () => {
    test("roll back when the function throws, and the connection stays usable", async () => {
      const failed = database.transaction(async (tx) => {
        await database.dialect.insertMany(tx, "links", [link("a")]);
        throw new RangeError("mine");
      });
      await expect(failed).rejects.toThrow(RangeError);
      expect(await codes()).toEqual([]);
      await database.transaction((tx) => database.dialect.insertMany(tx, "links", [link("b")]));
      expect(await codes()).toEqual(["b"]);
    });

    test("a swallowed error never commits half of the work", async () => {
      await addLinks("a");
      await database
        .transaction(async (tx) => {
          await tx.insertInto("links").values(link("b")).execute();
          await tx
            .insertInto("links")
            .values(link("a"))
            .execute()
            .catch(() => {});
          await tx.insertInto("links").values(link("c")).execute();
        })
        .catch(() => {});
      expect([["a"], ["a", "b", "c"]]).toContainEqual(await codes());
    });

    test("are retried after a deadlock or a lost race, a bounded number of times", async () => {
      let runs = 0;
      const third = await database.transaction(async () => {
        runs += 1;
        if (runs < 3) throw retryable(database);
        return runs;
      });
      expect(third).toBe(3);
      const never = database.transaction(async () => {
        runs += 1;
        throw retryable(database);
      });
      const error = await never.then(
        () => undefined,
        (reason: unknown) => reason,
      );
      expect(isRetryable(error)).toBe(true);
      expect(runs).toBe(3 + 4);
    });
  });
});

async function search(database: Database, needle: string): Promise<string[]> {
  const find = (usesIndex: boolean) =>
    database.read
      .selectFrom("links")
      .select("code")
      .where(database.dialect.linkContains(needle, { usesIndex }))
      .orderBy("code")
      .execute();
  const found = await find(false);
  expect(await find(true)).toEqual(found);
  // Now from the index itself.
  const { indexLinkTexts } = database.dialect;
  while (indexLinkTexts !== null && (await database.transaction((tx) => indexLinkTexts(tx, 1_000))) > 0);
  expect(await find(true)).toEqual(found);
  return found.map(({ code }) => code);
}

async function clicks(database: Database): Promise<number[]> {
  const rows = await database.read.selectFrom("link_clicks").selectAll().orderBy("link_id").execute();
  return rows.map((row) => row.clicks);
}

/** The driver's error after the database rolled a transaction back in favour of another. */
function retryable(database: Database): unknown {
  const native = {
    sqlite: { code: "SQLITE_BUSY_SNAPSHOT" },
    postgres: { code: "40P01" },
    mysql: { errno: 1213 },
    mariadb: { errno: 1213 },
  }[database.dialect.name];
  const kind = database.dialect.classify(native);
  if (kind === "other") throw new Error("not recognised");
  return new DatabaseError(kind, native);
}
