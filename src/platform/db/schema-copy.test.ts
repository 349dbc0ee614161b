/** Tests begin with a copy of the schema. */
import { expect, test } from "bun:test";
import { sql } from "kysely";
import { silentLogger } from "../../lib/logger.ts";
import { type Database, openDatabase } from "./database.ts";
import { createFresh, DIALECT_NAMES, type DialectName, serverUrl } from "./fresh.test-support.ts";
import { migrateUp } from "./migrate.ts";
import { createMigrated, OF_SERVER } from "./schema-copy.test-support.ts";

/** What each database reports of a table's definition. */
async function definitionOf({ dialect, slow }: Database, table: string): Promise<unknown> {
  if (dialect.name === "sqlite")
    return (
      await sql`select type, name, sql from sqlite_schema where tbl_name = ${table} order by name`.execute(
        slow,
      )
    ).rows;
  if (dialect.name === "postgres")
    return (
      await sql`select column_name, data_type, column_default, is_nullable, null as indexdef from information_schema.columns
        where table_schema = 'public' and table_name = ${table}
        union all select indexname, null, null, null, indexdef from pg_indexes where tablename = ${table} order by 1, 2`.execute(
        slow,
      )
    ).rows;
  const shown = await sql<{ "Create Table": string }>`show create table ${sql.table(table)}`.execute(slow);
  // MySQL names a column's character set where the statement named it.
  return shown.rows[0]!["Create Table"].replaceAll("CHARACTER SET utf8mb4 ", "").replaceAll(OF_SERVER, "");
}

/** Definitions and numbers of rows, by table. */
async function contentsOf(database: Database): Promise<Record<string, unknown>> {
  const found: Record<string, unknown> = {};
  for (const { name } of await database.slow.introspection.getTables({ withInternalKyselyTables: true })) {
    const definition = await definitionOf(database, name);
    // Virtual tables of SQLite, whose indexes can't be read.
    if (/\bcreate virtual\b/i.test(JSON.stringify(definition))) found[name] = [definition];
    else {
      const { rows } = await sql`select * from ${sql.table(name)}`.execute(database.slow);
      found[name] = [definition, rows.length];
    }
  }
  return found;
}

const isThere = (name: DialectName) => name === "sqlite" || serverUrl(name) !== undefined;

for (const name of DIALECT_NAMES) {
  test.skipIf(!isThere(name))(`a copied schema is that of the migrations: ${name}`, async () => {
    const [first, second, fresh] = [
      await createMigrated(name),
      await createMigrated(name),
      await createFresh(name),
    ];
    const open = ({ url }: { url: string }) =>
      openDatabase({ url, poolSize: 1 }, { threads: false, logger: silentLogger });
    const [other, copy, migrated] = await Promise.all([first, second, fresh].map(open));
    expect(await migrateUp(copy!, { logger: silentLogger })).toEqual([]);
    await migrateUp(migrated!, { logger: silentLogger });
    const [made, expected] = [await contentsOf(copy!), await contentsOf(migrated!)];
    expect(made).toEqual(expected);
    expect(Object.keys(made).length).toBeGreaterThan(40);
    const uuidOf = ({ read }: Database) => read.selectFrom("instance").select("uuid").executeTakeFirst();
    expect(await uuidOf(other!)).not.toEqual(await uuidOf(copy!));
    await Promise.all([other, copy, migrated].map((database) => database!.close()));
    await Promise.all([first, second, fresh].map((database) => database.drop()));
  });
}
