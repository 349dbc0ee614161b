import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Database } from "./database.ts";
import { forEachDialect } from "./for-each-dialect.test-support.ts";
import { prepared } from "./prepared.ts";

forEachDialect((dialect) => {
  let database: Database;
  beforeAll(async () => {
    database = await dialect.openDb({ poolSize: 2 });
  });
  afterAll(() => database?.close());

  test("a prepared query is built once and takes other values each time, in transactions too", async () => {
    const { write } = database;
    for (const day of [1, 2, 3]) {
      await write
        .insertInto("deleted_links")
        .values({ link_id: day, code: `c${day}`, deleted_at: day })
        .execute();
    }
    let built = 0;
    const between = prepared((db, from: number, to: number) => {
      built++;
      return db
        .selectFrom("deleted_links")
        .select("code")
        .where("link_id", ">=", from)
        .where("link_id", "<=", to)
        .where("link_id", "!=", 2)
        .orderBy("link_id");
    });
    const codes = async (...range: [number, number]) =>
      (await between(database.read, ...range)).map(({ code }) => code);
    expect(await codes(1, 3)).toEqual(["c1", "c3"]);
    expect(await codes(2, 3)).toEqual(["c3"]);
    const own = await database.transaction((tx) => between(tx, 1, 2));
    expect(own.map(({ code }) => code)).toEqual(["c1"]);
    expect(built).toBe(1);
  });

  test("lists of a portion are built twice, then only with another length", async () => {
    let built = 0;
    const among = prepared((db, ids: readonly number[], most: number) => {
      built++;
      return db
        .selectFrom("deleted_links")
        .select("code")
        .where("link_id", "in", ids)
        .where("link_id", "<=", most)
        .orderBy("link_id");
    });
    const from = (first: number, length: number) => Array.from({ length }, (_, at) => first + at);
    const codes = async (ids: readonly number[], most: number) =>
      (await among(database.read, ids, most)).map(({ code }) => code);
    expect(await codes(from(1, 300), 3)).toEqual(["c1", "c2", "c3"]);
    expect(await codes(from(2, 300), 3)).toEqual(["c2", "c3"]);
    expect(built).toBe(2);
    expect(await codes(from(3, 300), 3)).toEqual(["c3"]);
    expect(await codes(from(1, 300), 1)).toEqual(["c1"]);
    expect(built).toBe(2);
    expect(await codes(from(1, 200), 2)).toEqual(["c1", "c2"]);
    expect(await codes(from(2, 300), 9)).toEqual(["c2", "c3"]);
    expect(built).toBe(4);
  });
});
