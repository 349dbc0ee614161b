import type { Kysely } from "kysely";
import type { TableName } from "./schema.ts";

/** The parts of `create table` and `create index` in which the databases differ. */
export type SchemaSyntax = {
  /** The type and constraint of `id`: a 64-bit key that the database gives out, never twice. */
  serial: string;
  /** A 64-bit integer. */
  int: string;
  /** Text of at most that many characters, compared by bytes. May be a key. */
  text(length: number): string;
  /** Text of up to 16 MB, compared by bytes. Not a key. */
  longText: string;
  /** Quotes an identifier that is a reserved word somewhere. */
  quote(identifier: string): string;
  /** Follows the columns. */
  tableOptions: string;
  /** Follows the columns of a counter table: narrow rows, found and increased by primary key. */
  counterTableOptions: string;
  /** Makes a missing index. Columns are SQL. */
  createIndex(db: Kysely<unknown>, index: { name: string; table: TableName; columns: string }): Promise<void>;
  /** Makes the index for rare words of linkContains, if the database has one. */
  createSearchIndex(db: Kysely<unknown>): Promise<void>;
  /** Makes the column for needles that the index can't serve. */
  createSearchColumn(db: Kysely<unknown>): Promise<void>;
};
