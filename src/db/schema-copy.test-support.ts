/**
 * The schema of the migrations, copied. MySQL and MariaDB commit each step by itself, so migrating takes seconds, and
 * the finished tables a tenth of them. The first migration keeps them in `.cache/schema/`, until db/ or the server changes.
 */
import { mkdir, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { type Kysely, sql } from "kysely";
import { silentLogger } from "../lib/logger.ts";
import { type Database, openDatabase } from "./database.ts";
import type { Db } from "./dialect.ts";
import { createFresh, type DialectName, type Fresh } from "./fresh.test-support.ts";
import { migrateUp, MIGRATIONS } from "./migrate.ts";

const CACHE = join(import.meta.dir, "../../.cache/schema");
const MIGRATOR_TABLES = ["kysely_migration", "kysely_migration_lock"];
/** Steps that make rows in an empty database, and the tables that hold them. */
const FILLING = { "0019_instance_row": "instance", "0103_link_totals_now": "link_totals" };

/** A new database with all tables. The caller drops it. */
export async function createMigrated(name: DialectName): Promise<Fresh> {
  const fresh = await createFresh(name);
  const database = await openDatabase(
    { url: fresh.url, poolSize: 1 },
    { threads: false, logger: silentLogger },
  );
  try {
    await migrateByCopy(database);
  } finally {
    await database.close();
  }
  return fresh;
}

/** As migrateUp. */
export async function migrateByCopy(database: Database): Promise<void> {
  const { name } = database.dialect;
  const copies = name === "mysql" || name === "mariadb";
  if (!copies || (await tablesOf(database.slow)).length > 0) return void (await migrateUp(database, QUIET));
  const file = join(CACHE, `${name}-${await keyOf(database)}.json`);
  const kept = Bun.file(file);
  if (await kept.exists()) return create(database, (await kept.json()) as string[]);
  await migrateUp(database, QUIET);
  await keep(file, name, await finishedTables(database.slow));
}

const QUIET = { logger: silentLogger };

const tablesOf = async (db: Db): Promise<string[]> =>
  (await db.introspection.getTables({ withInternalKyselyTables: true })).map((table) => table.name);

/** Of everything that decides what the migrations make. */
async function keyOf(database: Database): Promise<string> {
  const hash = new Bun.CryptoHasher("sha256").update(await database.version());
  const sources = [...new Bun.Glob("**/*.ts").scanSync({ cwd: import.meta.dir })].filter(
    (path) => !path.includes(".test"),
  );
  for (const path of sources.toSorted()) hash.update(await Bun.file(join(import.meta.dir, path)).bytes());
  return hash.digest("hex").slice(0, 20);
}

/** Referenced tables come first. */
async function finishedTables(db: Db): Promise<string[]> {
  const waiting = new Map<string, string>();
  for (const name of await tablesOf(db)) {
    const { rows } = await sql<{ "Create Table": string }>`show create table ${sql.table(name)}`.execute(db);
    waiting.set(name, rows[0]!["Create Table"].replace(/ AUTO_INCREMENT=\d+/, ""));
    await expectEmpty(db, name);
  }
  const ordered: string[] = [];
  while (waiting.size > 0) {
    for (const [name, text] of waiting) {
      const needed = [...text.matchAll(/REFERENCES `(\w+)`/g)].map((match) => match[1]!);
      if (needed.some((other) => other !== name && waiting.has(other))) continue;
      ordered.push(text);
      waiting.delete(name);
    }
  }
  return ordered;
}

async function expectEmpty(db: Db, name: string): Promise<void> {
  if ([...MIGRATOR_TABLES, ...Object.values(FILLING)].includes(name)) return;
  const { rows } = await sql`select 1 from ${sql.table(name)} limit 1`.execute(db);
  if (rows.length > 0)
    throw new Error(`A migration fills ${name}: name its step in schema-copy.test-support.ts.`);
}

/** Renames the finished file, since several processes may write it at once. */
async function keep(file: string, name: string, statements: readonly string[]): Promise<void> {
  await mkdir(CACHE, { recursive: true });
  for (const old of await readdir(CACHE))
    if (old.startsWith(`${name}-`)) await rm(join(CACHE, old), { force: true });
  const part = `${file}.${process.pid}`;
  await Bun.write(part, JSON.stringify(statements));
  await rename(part, file);
}

async function create(database: Database, statements: readonly string[]): Promise<void> {
  const { slow } = database;
  for (const text of statements) await sql.raw(text).execute(slow);
  const [steps, lock] = MIGRATOR_TABLES.map((name) => sql.table(name));
  const now = new Date().toISOString();
  const done = sql.join(MIGRATIONS.map(({ name }) => sql`(${name}, ${now})`));
  await sql`insert into ${steps} (name, timestamp) values ${done}`.execute(slow);
  await sql`insert into ${lock} (id, is_locked) values ('migration_lock', 0)`.execute(slow);
  for (const step of MIGRATIONS)
    if (step.name in FILLING) await step.up(slow as unknown as Kysely<unknown>, database.dialect.schema);
}
