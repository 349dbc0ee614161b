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

/** As they report a connection that the server ends. PostgreSQL has no code for one that its full disk refuses. */
const AWAY = {
  sqlite: { code: "SQLITE_IOERR" },
  postgres: { code: "XX000", severity: "FATAL" },
  mysql: { errno: 1053 },
  mariadb: { errno: 1053 },
};

forEachDialect(({ name, openDb }) => {
  let database: Database;
  beforeAll(async () => {
    database = await openDb();
  });

  test("a full disk is distinguished from a database that is away", () => {
    expect(database.dialect.classify(FULL[name])).toBe("full");
    expect(database.dialect.classify(AWAY[name])).toBe("unavailable");
    expect(new DatabaseError("full", null)).toMatchObject({ name: "InsufficientStorage", kind: "full" });
  });
});
