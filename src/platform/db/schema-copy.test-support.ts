/**
 * Databases with the schema of the migrations, copied, because migrating takes up to seconds. The first one that is
 * needed is kept, until db/ or the server changes: a file in `.cache/schema/` for SQLite, the statements of the tables
 * there for MySQL and MariaDB, and a database on its server for PostgreSQL.
 */
import { copyFileSync, existsSync } from "node:fs";
import { mkdir, readdir, rename, rm } from "node:fs/promises";
import { basename, extname, join } from "node:path";
import { type Kysely, sql } from "kysely";
import { silentLogger } from "../../lib/logger.ts";
import type { Database } from "./database.ts";
import type { Db } from "./dialect.ts";
import {
  createFresh,
  type DialectName,
  type Fresh,
  inServer,
  onServer,
  serverUrl,
} from "./fresh.test-support.ts";
import { migrateUp, MIGRATIONS } from "./migrate.ts";

const CACHE = join(import.meta.dir, "../../../.cache/schema");
const MIGRATOR_TABLES = ["kysely_migration", "kysely_migration_lock"];
/** Steps that make rows in an empty database, and the tables that hold them. */
const FILLING = {
  "1071_instance_row": "instance",
  "1011_link_totals_row": "link_totals",
  "1089_reuse_turns_rows": "reuse_turns",
  "1097_click_zones_row": "click_zones",
};
/** Of one table and server, not of the schema. */
export const OF_SERVER = / AUTO_INCREMENT=\d+| \/\*!50100 TABLESPACE `innodb_system` \*\//g;
const QUIET = { logger: silentLogger };
const DAY_MS = 86_400_000;

/** A new database with all tables. The caller drops it. */
export async function createMigrated(name: DialectName): Promise<Fresh> {
  const fresh = await createFresh(name, name === "postgres" ? await postgresTemplate() : undefined);
  if (name === "sqlite") await createMigratedFile(fresh.url.replace("sqlite:", ""));
  else await onServer(fresh.url, name === "postgres" ? nameAnew : createTables);
  return fresh;
}

/** As migrateUp on a SQLite file that does not exist. Leaves one that does. */
export async function createMigratedFile(path: string): Promise<void> {
  if (existsSync(path)) return;
  const kept = join(CACHE, `sqlite-${await keyOf(Bun.version)}.db`);
  if (!existsSync(kept))
    await keep(kept, (part) => onServer(`sqlite:${part}`, (made) => migrateUp(made, QUIET)));
  copyFileSync(kept, path);
  await onServer(`sqlite:${path}`, nameAnew);
}

/** Copies have names of their own in storages. */
async function nameAnew({ write }: Database): Promise<void> {
  await write.updateTable("instance").set({ uuid: crypto.randomUUID(), created_at: Date.now() }).execute();
}

/** Of everything that decides what the migrations make. */
async function keyOf(version: string): Promise<string> {
  const hash = new Bun.CryptoHasher("sha256").update(version);
  const sources = [...new Bun.Glob("**/*.ts").scanSync({ cwd: import.meta.dir })].filter(
    (path) => !path.includes(".test"),
  );
  for (const path of sources.toSorted()) hash.update(await Bun.file(join(import.meta.dir, path)).bytes());
  return hash.digest("hex").slice(0, 20);
}

/** The name of a migrated database that nobody is connected to. Those of former days are dropped. */
function postgresTemplate(): Promise<string> {
  const server = serverUrl("postgres")!;
  return onServer(server, async (database) => {
    const today = Math.floor(Date.now() / DAY_MS);
    const template = `waymark_schema_${today}_${await keyOf(await database.version())}`;
    const find = async () => {
      const { rows } = await sql<{ name: string; done: boolean }>`
        select datname as name, datconnlimit = 0 as done from pg_database
        where datname like ${"waymark_schema_%"}`.execute(database.write);
      return rows;
    };
    const isDone = async () => (await find()).some(({ name, done }) => name === template && done);
    const run = (text: string) => sql.raw(text).execute(database.write);
    if (await isDone()) return template;
    // Of this connection, whose end releases it.
    await run("select pg_advisory_lock(hashtext('waymark_schema'))");
    if (await isDone()) return template;
    for (const { name } of await find())
      if (name === template || Number(name.split("_")[2]) < today - 1)
        await run(`drop database if exists ${name} with (force)`);
    await run(`create database ${template}`);
    await onServer(inServer(server, template), async (made) => {
      await migrateUp(made, QUIET);
      // PostgreSQL logs 32 values of a sequence at once. A copy would believe that the next ones are in its log, and a
      // standby, or the server after a crash, would give them again.
      await sql`select setval(c.oid::regclass, s.last_value) from pg_sequences s
        join pg_class c on c.relname = s.sequencename where s.last_value is not null`.execute(made.write);
    });
    await run(`alter database ${template} connection limit 0`);
    return template;
  });
}

/** On MySQL and MariaDB, which commit each step of a migration by itself. */
async function createTables(database: Database): Promise<void> {
  const { name } = database.dialect;
  const file = join(CACHE, `${name}-${await keyOf(await database.version())}.json`);
  const kept = Bun.file(file);
  if (await kept.exists()) return create(database, (await kept.json()) as string[]);
  await migrateUp(database, QUIET);
  const statements = JSON.stringify(await finishedTables(database.slow));
  await keep(file, (part) => Bun.write(part, statements));
}

const tablesOf = async (db: Db): Promise<string[]> =>
  (await db.introspection.getTables({ withInternalKyselyTables: true })).map((table) => table.name);

/** Referenced tables come first. */
async function finishedTables(db: Db): Promise<string[]> {
  const waiting = new Map<string, string>();
  for (const name of await tablesOf(db)) {
    const { rows } = await sql<{ "Create Table": string }>`show create table ${sql.table(name)}`.execute(db);
    waiting.set(name, rows[0]!["Create Table"].replaceAll(OF_SERVER, ""));
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

/** Renames the finished file, since several processes may write it at once. Removes those of former schemas. */
async function keep(file: string, write: (path: string) => Promise<unknown>): Promise<void> {
  await mkdir(CACHE, { recursive: true });
  const part = `${file}.${process.pid}`;
  await write(part);
  const [name, ending] = [basename(file).split("-")[0]!, extname(file)];
  for (const old of await readdir(CACHE))
    if (old.startsWith(`${name}-`) && old.endsWith(ending)) await rm(join(CACHE, old), { force: true });
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
