/**
 * Compares the tables that the database has with those of this version: columns, kinds, nullability, indexes and
 * triggers. Reads the catalog only. What the migrations make is found by running them against a database that does
 * nothing. Partitions, and what a move makes, are left out.
 */
import { type CompiledQuery, DummyDriver, Kysely, SqliteAdapter, SqliteQueryCompiler, sql } from "kysely";
import type { ColumnKind } from "./column-kind.ts";
import type { Db, Dialect } from "./dialect.ts";
import type { SchemaSyntax } from "./schema-syntax.ts";
import { TABLES } from "./schema.ts";

type Index = { table: string; name: string };
type ExpectedIndex = Index & { isUnique: boolean };
type Catalog = { slow: Db; dialect: Dialect };
/** The migrations. */
type Steps = readonly { up(db: Kysely<unknown>, words: SchemaSyntax): Promise<void> }[];

const MOVE = /^waymark_move/;
/** Triggers that serve searches in SQLite. */
const OWN_TRIGGERS = ["links_texts", "entries_name"].flatMap((name) =>
  ["added", "removed", "changed"].map((change) => `${name}_${change}`),
);

/** One sentence for each difference. */
export async function findSchemaDifferences(database: Catalog, steps: Steps): Promise<string[]> {
  const found = new Map(
    (await database.slow.introspection.getTables()).map(({ name, columns }) => [name, columns]),
  );
  const differences: string[] = [];
  const missing = new Set<string>();
  for (const [table, kinds] of Object.entries(TABLES) as [string, Record<string, ColumnKind>][]) {
    const columns = found.get(table);
    if (columns === undefined) {
      missing.add(table);
      differences.push(`the table ${table} is missing`);
      continue;
    }
    for (const [name, kind] of Object.entries(kinds)) {
      const column = columns.find((one) => one.name === name);
      if (column === undefined) {
        differences.push(`the column ${table}.${name} is missing`);
        continue;
      }
      const isText = /char|text/i.test(column.dataType);
      if (isText !== kind.startsWith("text"))
        differences.push(
          `the column ${table}.${name} has the type ${column.dataType} instead of ${isText ? "an integer" : "a text"}`,
        );
      // SQLite reports the key of a table as nullable.
      if (kind !== "serial" && column.isNullable !== kind.endsWith("?"))
        differences.push(
          `the column ${table}.${name} ${column.isNullable ? "takes null, which it must not" : "does not take null"}`,
        );
    }
    for (const { name, hasDefaultValue, isNullable } of columns)
      if (!(name in kinds) && !isOfDatabase(database, table, name))
        differences.push(
          `the column ${table}.${name} is not of this version${isNullable || hasDefaultValue ? "" : ", and rows can't be written without it"}`,
        );
  }
  const has = new Set((await readIndexes(database)).map(({ table, name }) => `${table}.${name}`));
  for (const { table, name, isUnique } of await expectedIndexes(database, steps))
    if (!missing.has(table) && !has.has(`${table}.${name}`))
      differences.push(
        isUnique
          ? `the constraint ${name} of the table ${table} is missing, so the same value can be there twice`
          : `the index ${name} of the table ${table} is missing`,
      );
  const triggers = await readTriggers(database);
  for (const { table, name } of triggers)
    if (table in TABLES && !MOVE.test(name) && !OWN_TRIGGERS.includes(name))
      differences.push(`the table ${table} has the trigger ${name}, which Waymark did not make`);
  for (const own of database.dialect.name === "sqlite" ? OWN_TRIGGERS : [])
    if (!triggers.some(({ name }) => name === own))
      differences.push(`the trigger ${own} is missing, so searches miss changes`);
  return differences;
}

/** What serves searches on PostgreSQL. */
const isOfDatabase = ({ dialect }: Catalog, table: string, column: string): boolean =>
  dialect.name === "postgres" && ["links", "entries"].includes(table) && column === "folded";

async function expectedIndexes({ dialect }: Catalog, steps: Steps): Promise<ExpectedIndex[]> {
  const indexes: ExpectedIndex[] = [];
  const note = ({ sql: text }: CompiledQuery): void => {
    const table = /^\s*create table if not exists (\w+)/.exec(text)?.[1];
    // SQLite gives such an index a name of its own, and never drops it.
    if (table === undefined || dialect.name === "sqlite") return;
    for (const [, name] of text.matchAll(/constraint (\w+) unique/gi))
      indexes.push({ table, name: name!, isUnique: true });
  };
  const db = new Kysely<unknown>({
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      createDriver: () => new DummyDriver(),
      createQueryCompiler: () => new SqliteQueryCompiler(),
      createIntrospector: () => ({
        getTables: async () => [],
        getSchemas: async () => [],
        getMetadata: async () => ({ tables: [] }),
      }),
    },
    log: ({ query }) => note(query),
  });
  const words = {
    ...dialect.schema,
    createIndex: async (_: unknown, { name, table }: Index) =>
      void indexes.push({ table, name, isUnique: false }),
    createLinkSearch: async () => {},
    createNameSearch: async () => {},
  };
  for (const step of steps) await step.up(db, words);
  return indexes;
}

const INDEXES = {
  sqlite: sql<Index>`select tbl_name as "table", name from sqlite_master where type = 'index'`,
  postgres: sql<Index>`select tablename as "table", indexname as name from pg_indexes where schemaname = current_schema()`,
  mysql: sql<Index>`select distinct table_name as \`table\`, index_name as name from information_schema.statistics where table_schema = database()`,
};
const TRIGGERS = {
  sqlite: sql<Index>`select tbl_name as "table", name from sqlite_master where type = 'trigger'`,
  postgres: sql<Index>`select c.relname as "table", t.tgname as name from pg_trigger t join pg_class c on c.oid = t.tgrelid
    where not t.tgisinternal and c.relnamespace = current_schema()::regnamespace`,
  mysql: sql<Index>`select event_object_table as \`table\`, trigger_name as name from information_schema.triggers where trigger_schema = database()`,
};
const familyOf = ({ dialect: { name } }: Catalog) => (name === "mariadb" ? "mysql" : name);

const readIndexes = async (database: Catalog): Promise<Index[]> =>
  (await INDEXES[familyOf(database)].execute(database.slow)).rows;
const readTriggers = async (database: Catalog): Promise<Index[]> =>
  (await TRIGGERS[familyOf(database)].execute(database.slow)).rows;
