/** Writes a small database as statements that the program's own drivers can run (loadDump). */
import { join } from "node:path";
import { sql } from "kysely";
import { type Database, openDatabase } from "../../src/db/database.ts";
import type { DialectName } from "../../src/db/fresh.test-support.ts";
import { silentLogger } from "../../src/lib/logger.ts";

export async function withDatabase<T>(url: string, use: (database: Database) => Promise<T>): Promise<T> {
  const database = await openDatabase({ url, poolSize: 1 }, { threads: false, logger: silentLogger });
  try {
    return await use(database);
  } finally {
    await database.close();
  }
}

/** Empty for SQLite, which is a file. Needs pg_dump for PostgreSQL. */
export function dumpDatabase(name: DialectName, url: string): Promise<string> {
  if (name === "sqlite") return Promise.resolve("");
  return name === "postgres" ? Promise.resolve(dumpPostgres(url)) : withDatabase(url, dumpMysql);
}

/** Without the commands for psql. */
function dumpPostgres(url: string): string {
  const options = ["--inserts", "--no-owner", "--no-privileges", "--no-comments"];
  return postgresProgram("pg_dump", ...options, url).replace(/^(\\|--).*\n/gm, "");
}

/** Runs one of PostgreSQL's programs, those of scripts/services if they are there. @throws if it fails */
export function postgresProgram(name: "pg_dump" | "pg_restore", ...args: string[]): string {
  const services = join(import.meta.dir, "..", "..", "scripts", "services");
  const { exitCode, stdout, stderr } = Bun.spawnSync([services, "exec", name, ...args]);
  if (exitCode !== 0) throw new Error(`${name} ended with ${exitCode}: ${stderr}`);
  return String(stdout);
}

export function hasPostgresPrograms(): boolean {
  try {
    return (
      postgresProgram("pg_dump", "--version") !== "" && postgresProgram("pg_restore", "--version") !== ""
    );
  } catch {
    return false;
  }
}

/** One statement a line. */
async function dumpMysql({ slow }: Database): Promise<string> {
  const tables = await sql<{ name: string }>`
    select table_name as name from information_schema.tables where table_schema = database()
    order by table_name`.execute(slow);
  const lines = ["set foreign_key_checks = 0"];
  for (const { name } of tables.rows) {
    const shown = await sql<{ "Create Table": string }>`show create table ${sql.table(name)}`.execute(slow);
    lines.push(shown.rows[0]!["Create Table"].replaceAll("\n", " "));
    const { rows } = await sql<Record<string, unknown>>`select * from ${sql.table(name)}`.execute(slow);
    for (const row of rows)
      lines.push(
        `insert into \`${name}\` (${Object.keys(row).map((column) => `\`${column}\``)}) values (${Object.values(row).map(literal)})`,
      );
  }
  return [...lines, "set foreign_key_checks = 1", ""].join("\n");
}

const literal = (value: unknown): string =>
  typeof value === "string"
    ? `'${value.replaceAll("\\", "\\\\").replaceAll("'", "''").replaceAll("\n", "\\n")}'`
    : String(value);

/** PostgreSQL takes many statements at once. For the others each is one line. */
export async function loadDump(database: Database, name: DialectName, statements: string): Promise<void> {
  const parts = name === "postgres" ? [statements] : statements.split("\n");
  for (const part of parts.filter(Boolean)) await sql.raw(part).execute(database.slow);
}
