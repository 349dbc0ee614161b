import { beforeAll, expect, test } from "bun:test";
import type { Database } from "./database.ts";
import { DatabaseError } from "./failures.ts";
import { forEachDialect } from "./for-each-dialect.test-support.ts";

/** As the drivers report a full disk. */
const FULL = {
  sqlite: { code: "SQLITE_FULL" },
  postgres: { code: "53100" },
  mysql: { errno: 1114 },
  mariadb: { errno: 1021 },
};

forEachDialect(({ name, openDb }) => {
  let database: Database;
  beforeAll(async () => {
    database = await openDb();
  });

  test("a full disk is told from a database that is away", () => {
    expect(database.dialect.classify(FULL[name])).toBe("full");
    expect(new DatabaseError("full", null)).toMatchObject({ name: "InsufficientStorage", kind: "full" });
  });
});
