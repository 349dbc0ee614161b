/** A database beside the program that a test runs, and PostgreSQL's own programs for it. */
import { join } from "node:path";
import { type Database, openDatabase } from "../../src/platform/db/database.ts";
import { silentLogger } from "../../src/lib/logger.ts";

export async function withDatabase<T>(url: string, use: (database: Database) => Promise<T>): Promise<T> {
  const database = await openDatabase({ url, poolSize: 1 }, { threads: false, logger: silentLogger });
  try {
    return await use(database);
  } finally {
    await database.close();
  }
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
