/**
 * A step of the schema's history. Two of the databases commit each DDL statement by itself, so a step makes one
 * thing and may run again after a crash between making and recording it. Steps run in the order of their names and
 * never change once released; what they made is changed by a later step.
 */
import { type Kysely, sql } from "kysely";
import type { SchemaSyntax } from "../dialect.ts";
import type { TableName } from "../schema.ts";

export type Step = { name: string; up(db: Kysely<unknown>, words: SchemaSyntax): Promise<void> };

type Columns = (words: SchemaSyntax) => readonly string[];

/** Columns and constraints as SQL, in the words of the database. */
export const createTable = (name: string, table: TableName, columns: Columns): Step =>
  tableStep(name, table, columns, (words) => words.tableOptions);

/** A table whose rows are narrow, and found and increased by their primary key. */
export const createCounterTable = (name: string, table: TableName, columns: Columns): Step =>
  tableStep(name, table, columns, (words) => words.counterTableOptions);

const tableStep = (
  name: string,
  table: TableName,
  columns: Columns,
  options: (words: SchemaSyntax) => string,
): Step => ({
  name,
  up: async (db, words) => {
    const text = `create table if not exists ${table} (\n  ${columns(words).join(",\n  ")}\n) ${options(words)}`;
    await sql.raw(text.trimEnd()).execute(db);
  },
});

export const createIndex = (name: string, table: TableName, index: string, columns: string): Step => ({
  name,
  up: (db, words) => words.createIndex(db, { name: index, table, columns }),
});

/** The definition must have a default, unless the column may be null. */
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
