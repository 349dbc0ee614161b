/** Fresh databases for tests and scripts/schema.ts: a file in a temporary folder, or one on a test server. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import { silentLogger } from "../../lib/logger.ts";
import { type Database, openDatabase } from "./database.ts";
import type { Dialect } from "./dialect.ts";

export type DialectName = Dialect["name"];
export type Fresh = { url: string; drop(): Promise<void> };

/** Variables with the servers' URLs. The account must be allowed to create databases. */
export const SERVER_VARIABLES = {
  postgres: "WAYMARK_TEST_POSTGRES_URL",
  mysql: "WAYMARK_TEST_MYSQL_URL",
  mariadb: "WAYMARK_TEST_MARIADB_URL",
} as const;

/** Whether the long suite has imported this one (`test/support/long.ts`), for what CI leaves out of it. */
export const isLong = process.env["WAYMARK_TEST_LONG"] === "1";

export const DIALECT_NAMES: readonly DialectName[] = ["sqlite", "postgres", "mysql", "mariadb"];

const ONLY = process.env["WAYMARK_TEST_DATABASES"]?.split(",");

/** Whether the suite runs this file on that database: WAYMARK_TEST_DATABASES, such as `sqlite`, else on all. */
export const isInSuite = (name: DialectName): boolean => ONLY === undefined || ONLY.includes(name);

/** What CI runs of a suite that takes long, and the long suite the rest. */
export const HALF: readonly DialectName[] = isLong ? ["mysql", "mariadb"] : ["sqlite", "postgres"];

/** Undefined without such a server. */
export const serverUrl = (name: DialectName): string | undefined =>
  name === "sqlite" ? undefined : process.env[SERVER_VARIABLES[name]] || undefined;

/** A new empty database, or on PostgreSQL a copy of `template`. The caller drops it. */
export const createFresh = (name: DialectName, template?: string): Promise<Fresh> =>
  name === "sqlite" ? createFile() : createOnServer(serverUrl(name)!, template);

async function createFile(): Promise<Fresh> {
  const folder = mkdtempSync(join(tmpdir(), "waymark-test-"));
  return {
    url: `sqlite:${join(folder, "test.db")}`,
    drop: async () => rmSync(folder, { recursive: true, force: true }),
  };
}

async function createOnServer(server: string, template?: string): Promise<Fresh> {
  const name = `waymark_test_${crypto.randomUUID().replaceAll("-", "").slice(0, 16)}`;
  const run = (text: string) =>
    onServer(server, async (database) => void (await sql.raw(text).execute(database.write)));
  await run(`create database ${name}${template === undefined ? "" : ` template ${template}`}`);
  const ending = server.startsWith("postgres") ? " with (force)" : "";
  return { url: inServer(server, name), drop: () => run(`drop database ${name}${ending}`) };
}

/** The URL of another database. It is the last part of the path. A query may follow. */
export const inServer = (server: string, name: string): string =>
  server.replace(/(:\/\/[^/?]*(?:\/[^/?]*)*\/)[^/?]*(\?.*)?$/, `$1${name}$2`);

/** With one connection. */
export async function onServer<T>(url: string, run: (database: Database) => Promise<T>): Promise<T> {
  const database = await openDatabase({ url, poolSize: 1 }, { threads: false, logger: silentLogger });
  try {
    return await run(database);
  } finally {
    await database.close();
  }
}
