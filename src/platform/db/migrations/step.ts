/**
 * A step of the schema's history. Two databases commit each DDL statement by itself, so a step may run again after a
 * crash at any of its statements. Steps run in the order of their names and never change after a release.
 */
import { type Kysely, sql } from "kysely";
import type { SchemaSyntax } from "../schema-syntax.ts";
import type { ColumnKind } from "../column-kind.ts";
import { PARTITIONED, type PartitionedTable } from "../partitioned-tables.ts";
import type { TableName } from "../schema.ts";

export type Step = { name: string; up(db: Kysely<unknown>, words: SchemaSyntax): Promise<void> };

type Columns = Readonly<Record<string, ColumnKind>>;
/** Constraints in SQL, and `index name (columns)` for each index. */
type Parts = readonly string[];

export const createTable = (name: string, table: TableName, columns: Columns, parts: Parts): Step =>
  tableStep({ name, table, columns, parts }, plain(table, "tableOptions"));

/** A column that may be null or has a default. */
export const addColumn = (name: string, table: TableName, column: string, kind: ColumnKind): Step => ({
  name,
  up: async (db, words) => {
    const tables = await db.introspection.getTables();
    const isThere = tables.some(
      (one) => one.name === table && one.columns.some((has) => has.name === column),
    );
    if (!isThere)
      await sql.raw(`alter table ${table} add column ${columnSql(words, column, kind)}`).execute(db);
  },
});

/** A table of narrow rows, increased by primary key. */
export const createCounterTable = (name: string, table: TableName, columns: Columns, parts: Parts): Step =>
  tableStep({ name, table, columns, parts }, plain(table, "counterTableOptions"));

/** A table whose old rows go together. */
export const createPartitionedTable = (
  name: string,
  table: PartitionedTable,
  columns: Columns,
  parts: Parts,
): Step =>
  tableStep(
    { name, table, columns, parts },
    {
      serial: (words) => words.partitionedSerial(PARTITIONED[table].column),
      statements: (words, list) => words.partitionedTable(table, list),
    },
  );

type Table = { name: string; table: TableName; columns: Columns; parts: Parts };
type Form = {
  serial(words: SchemaSyntax): readonly string[];
  statements(words: SchemaSyntax, list: string): readonly string[];
};

const plain = (table: TableName, options: "tableOptions" | "counterTableOptions"): Form => ({
  serial: (words) => [`id ${words.serial}`],
  statements: (words, list) => [`create table if not exists ${table} (${list}) ${words[options]}`.trimEnd()],
});

const INDEX = /^index (\w+) \((.+)\)$/;
/** Of one column, after which it is written. */
const KEY = /^primary key \((\w+)\)$/;

const tableStep = ({ name, table, columns, parts }: Table, { serial, statements }: Form): Step => ({
  name,
  up: async (db, words) => {
    const key = parts.map((part) => KEY.exec(part)?.[1]).find((column) => column !== undefined);
    const lines = Object.entries(columns).flatMap(([column, kind]) => {
      if (kind === "serial") return serial(words);
      return columnSql(words, column, kind) + (column === key ? " primary key" : "");
    });
    lines.push(...parts.filter((part) => !INDEX.test(part) && !KEY.test(part)));
    for (const text of statements(words, `\n  ${lines.join(",\n  ")}\n`)) await sql.raw(text).execute(db);
    for (const part of parts) {
      const [, index, indexed] = INDEX.exec(part) ?? [];
      if (index && indexed) await words.createIndex(db, { name: index, table, columns: indexed });
    }
  },
});

const RESERVED = ["key", "before", "after"];

function columnSql(words: SchemaSyntax, column: string, kind: ColumnKind): string {
  const name = RESERVED.includes(column) ? words.quote(column) : column;
  const length = /^text\((\d+)\)/.exec(kind)?.[1];
  const ofText = length === undefined ? words.longText : words.text(Number(length));
  const type = kind.startsWith("text") ? ofText : words.int;
  if (kind.endsWith("?")) return `${name} ${type}`;
  return `${name} ${type} not null${kind === "int0" ? " default 0" : ""}`;
}
