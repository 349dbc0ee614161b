/**
 * Test support: runs a body of tests over every database. SQLite always runs, in a temporary folder; a server runs
 * when WAYMARK_TEST_{POSTGRES,MYSQL,MARIADB}_URL names one whose account may create databases. Each call gets a
 * fresh database, dropped at its end; without a server the tests are skipped, and say what is missing.
 */
import { afterAll, beforeAll, describe } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import { silentLogger } from "../lib/logger.ts";
import { type Database, openDatabase } from "./database.ts";
import { migrateUp } from "./migrate.ts";

export type TestDialect = {
  name: "sqlite" | "postgres" | "mysql" | "mariadb";
  /** The fresh database's URL, for other processes; only within tests and hooks. */
  url(): string;
  /**
   * Opens the database, migrated unless told otherwise, and closes it after the tests. Call it in tests or hooks;
   * each call is another instance on the same data.
   */
  openDb(options?: { threads?: boolean; migrate?: boolean; poolSize?: number }): Promise<Database>;
};

const SERVERS = {
  postgres: "WAYMARK_TEST_POSTGRES_URL",
  mysql: "WAYMARK_TEST_MYSQL_URL",
  mariadb: "WAYMARK_TEST_MARIADB_URL",
} as const;

type Fresh = { url: string; drop(): Promise<void> };

export function forEachDialect(body: (dialect: TestDialect) => void): void {
  describe("sqlite", () => withDatabase("sqlite", createFile, body));
  for (const [name, variable] of Object.entries(SERVERS)) {
    const server = process.env[variable];
    if (server === undefined || server === "") {
      describe.skip(`${name} (${variable} is not set)`, () => body(skipped(name as TestDialect["name"])));
      continue;
    }
    describe(name, () => withDatabase(name as TestDialect["name"], () => createOnServer(server), body));
  }
}

function withDatabase(
  name: TestDialect["name"],
  create: () => Promise<Fresh>,
  body: (dialect: TestDialect) => void,
): void {
  const opened: Database[] = [];
  let fresh: Fresh | undefined;
  const url = () => {
    if (fresh === undefined) throw new Error("The test database is there in tests and hooks only.");
    return fresh.url;
  };
  beforeAll(async () => {
    fresh = await create();
  });
  afterAll(async () => {
    await Promise.all(opened.map((db) => db.close()));
    await fresh?.drop();
  });
  body({
    name,
    url,
    openDb: async ({ threads = false, migrate = true, poolSize = 4 } = {}) => {
      const db = await openDatabase({ url: url(), poolSize }, { threads, logger: silentLogger });
      opened.push(db);
      if (migrate) await migrateUp(db, { logger: silentLogger });
      return db;
    },
  });
}

const skipped = (name: TestDialect["name"]): TestDialect => ({
  name,
  url: () => "",
  openDb: () => Promise.reject(new Error("skipped")),
});

async function createFile(): Promise<Fresh> {
  const folder = mkdtempSync(join(tmpdir(), "waymark-test-"));
  return {
    url: `sqlite:${join(folder, "test.db")}`,
    drop: async () => rmSync(folder, { recursive: true, force: true }),
  };
}

async function createOnServer(server: string): Promise<Fresh> {
  const name = `waymark_test_${crypto.randomUUID().replaceAll("-", "").slice(0, 16)}`;
  const run = async (text: string) => {
    const db = await openDatabase({ url: server, poolSize: 1 }, { threads: false, logger: silentLogger });
    await sql.raw(text).execute(db.write);
    await db.close();
  };
  await run(`create database ${name}`);
  // The database is the last part of the path; a query may follow.
  const url = server.replace(/(:\/\/[^/?]*(?:\/[^/?]*)*\/)[^/?]*(\?.*)?$/, `$1${name}$2`);
  return {
    url,
    drop: () => run(`drop database ${name}${server.startsWith("postgres") ? " with (force)" : ""}`),
  };
}
