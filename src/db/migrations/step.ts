/**
 * A step of the schema's history. Two databases commit each DDL statement by itself, so a step may run again after a
 * crash at any of its statements. Steps run in the order of their names and never change after a release.
 */
import { type Kysely, sql } from "kysely";
import type { SchemaSyntax } from "../schema-syntax.ts";
import type { PartitionedTable } from "../partitioned-tables.ts";
import type { TableName } from "../schema.ts";

export type Step = { name: string; up(db: Kysely<unknown>, words: SchemaSyntax): Promise<void> };

/** In the database's SQL: columns and constraints, and `index name (columns)` for each index. */
type Parts = (words: SchemaSyntax) => readonly string[];

export const createTable = (name: string, table: TableName, parts: Parts): Step =>
  tableStep({ name, table, parts }, plain(table, "tableOptions"));

/** A table of narrow rows, increased by primary key. */
export const createCounterTable = (name: string, table: TableName, parts: Parts): Step =>
  tableStep({ name, table, parts }, plain(table, "counterTableOptions"));

/** A table whose old rows go together. */
export const createPartitionedTable = (name: string, table: PartitionedTable, parts: Parts): Step =>
  tableStep({ name, table, parts }, (words, list) => words.partitionedTable(table, list));

type Table = { name: string; table: TableName; parts: Parts };
type Statements = (words: SchemaSyntax, columns: string) => readonly string[];

const plain =
  (table: TableName, options: "tableOptions" | "counterTableOptions"): Statements =>
  (words, columns) => [`create table if not exists ${table} (${columns}) ${words[options]}`.trimEnd()];

const INDEX = /^index (\w+) \((.+)\)$/;

const tableStep = ({ name, table, parts }: Table, statements: Statements): Step => ({
  name,
  up: async (db, words) => {
    const all = parts(words);
    const columns = all.filter((part) => !INDEX.test(part)).join(",\n  ");
    for (const text of statements(words, `\n  ${columns}\n`)) await sql.raw(text).execute(db);
    for (const part of all) {
      const [, index, indexed] = INDEX.exec(part) ?? [];
      if (index && indexed) await words.createIndex(db, { name: index, table, columns: indexed });
    }
  },
});
