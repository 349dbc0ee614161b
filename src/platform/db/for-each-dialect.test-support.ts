/**
 * SQLite always runs, in a temporary folder. A server runs if WAYMARK_TEST_{POSTGRES,MYSQL,MARIADB}_URL
 * names one whose account may create databases, unless the suite runs the file on SQLite alone. Each call gets a
 * migrated database, dropped at its end.
 */
import { afterAll, beforeAll, describe, test } from "bun:test";
import { silentLogger } from "../../lib/logger.ts";
import { type Database, openDatabase } from "./database.ts";
import {
  DIALECT_NAMES,
  type DialectName,
  type Fresh,
  isInSuite,
  SERVER_VARIABLES,
  serverUrl,
} from "./fresh.test-support.ts";
import { recordQueries, writeRecordedQueries } from "./recorded-queries.test-support.ts";
import { createMigrated } from "./schema-copy.test-support.ts";

export type TestDialect = {
  name: DialectName;
  /** For other processes. Only within tests and hooks. */
  url(): string;
  /**
   * Closes after the tests. Each call opens another instance on the same data. Only within tests and hooks. It is not
   * guarded: a server on a busy machine can look as if it were away.
   */
  openDb(options?: { threads?: boolean; poolSize?: number }): Promise<Database>;
};

/** For long suites over repositories whose own suites run on all four. */
export const WITHOUT_MYSQL: readonly DialectName[] = ["sqlite", "postgres"];

/** `create` is createFresh for tests of the migration itself. */
export function forEachDialect(
  body: (dialect: TestDialect) => void,
  names = DIALECT_NAMES,
  create: (name: DialectName) => Promise<Fresh> = createMigrated,
): void {
  const inSuite = names.filter(isInSuite);
  // A file of such tests alone would have none, which fails. With servers, another part of the suite runs them.
  const isWithoutServers = names.every((name) => name !== "sqlite" && serverUrl(name) === undefined);
  if (inSuite.length === 0 && isWithoutServers) test.skip(`needs ${names.join(", ")}`, () => {});
  for (const name of inSuite) {
    if (name === "sqlite" || serverUrl(name) !== undefined) {
      describe(name, () => withDatabase(name, body, create));
    } else {
      describe.skip(`${name} (${SERVER_VARIABLES[name]} is not set)`, () => body(skipped(name)));
    }
  }
}

function withDatabase(
  name: DialectName,
  body: (dialect: TestDialect) => void,
  create: (name: DialectName) => Promise<Fresh>,
): void {
  const opened: Database[] = [];
  let fresh: Fresh | undefined;
  const url = () => {
    if (fresh === undefined) throw new Error("The test database exists only in tests and hooks.");
    return fresh.url;
  };
  beforeAll(async () => {
    fresh = await create(name);
  });
  afterAll(async () => {
    await Promise.all(opened.map((database) => database.close()));
    writeRecordedQueries();
    await fresh?.drop();
  });
  body({
    name,
    url,
    openDb: async ({ threads = false, poolSize = 4 } = {}) => {
      const database = await openDatabase(
        { url: url(), poolSize },
        { threads, guarded: false, logger: silentLogger },
      );
      opened.push(database);
      return recordQueries(database);
    },
  });
}

const skipped = (name: DialectName): TestDialect => ({
  name,
  url: () => "",
  openDb: () => Promise.reject(new Error("skipped")),
});
