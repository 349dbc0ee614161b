/**
 * A step of the schema's history. Two databases commit each DDL statement by itself, so a step may run again after a
 * crash at any of its statements. Steps run in the order of their names and never change after a release.
 */
import { type Kysely, sql } from "kysely";
import type { SchemaSyntax } from "../schema-syntax.ts";
import type { PartitionedTable } from "../partitioned-tables.ts";
import type { TableName } from "../schema.ts";

export type Step = { name: string; up(db: Kysely<unknown>, words: SchemaSyntax): Promise<void> };

type Columns = (words: SchemaSyntax) => readonly string[];
/** Columns by the name of the index. */
type Indexes = Record<string, string>;

/** In the database's SQL. */
export const createTable = (name: string, table: TableName, columns: Columns, indexes?: Indexes): Step =>
  tableStep({ name, table, columns, indexes }, plain(table, "tableOptions"));

/** A table of narrow rows, increased by primary key. */
export const createCounterTable = (
  name: string,
  table: TableName,
  columns: Columns,
  indexes?: Indexes,
): Step => tableStep({ name, table, columns, indexes }, plain(table, "counterTableOptions"));

/** A table whose old rows go together. */
export const createPartitionedTable = (
  name: string,
  table: PartitionedTable,
  columns: Columns,
  indexes?: Indexes,
): Step => tableStep({ name, table, columns, indexes }, (words, list) => words.partitionedTable(table, list));

type TableParts = { name: string; table: TableName; columns: Columns; indexes: Indexes | undefined };
type Statements = (words: SchemaSyntax, columns: string) => readonly string[];

const plain =
  (table: TableName, options: "tableOptions" | "counterTableOptions"): Statements =>
  (words, columns) => [`create table if not exists ${table} (${columns}) ${words[options]}`.trimEnd()];

const tableStep = ({ name, table, columns, indexes = {} }: TableParts, statements: Statements): Step => ({
  name,
  up: async (db, words) => {
    for (const text of statements(words, `\n  ${columns(words).join(",\n  ")}\n`))
      await sql.raw(text).execute(db);
    for (const [index, indexed] of Object.entries(indexes))
      await words.createIndex(db, { name: index, table, columns: indexed });
  },
});

export const createIndex = (name: string, table: TableName, index: string, columns: string): Step => ({
  name,
  up: (db, words) => words.createIndex(db, { name: index, table, columns }),
});

/** The definition needs a default unless the column is nullable. */
export const addColumn = (
  name: string,
  table: TableName,
  column: string,
  definition: (words: SchemaSyntax) => string,
): Step => ({
  name,
  up: async (db, words) => {
    const tables = await db.introspection.getTables();
    const columns = tables.find((known) => known.name === table)?.columns ?? [];
    if (columns.some((known) => known.name === column)) return;
    await sql.raw(`alter table ${table} add column ${column} ${definition(words)}`).execute(db);
  },
});
