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
});
