import type { Kysely } from "kysely";
import type { PartitionedTable } from "./partitioned-tables.ts";
import type { TableName } from "./schema.ts";

export type SchemaSyntax = {
  /** Type and constraint of `id`, a 64-bit key that is never assigned twice. */
  serial: string;
  /** 64 bits. */
  int: string;
  /** At most `length` characters, compared by bytes. May be a key. */
  text(length: number): string;
  /** Up to 16 MB, compared by bytes. Not a key. */
  longText: string;
  /** Quotes reserved words. */
  quote(identifier: string): string;
  /** Follows the columns. */
  tableOptions: string;
  /** Follows the columns of a table of narrow rows. */
  counterTableOptions: string;
  /** Columns of `id` as in `serial`, in a table that is partitioned by `column`. */
  partitionedSerial(column: string): readonly string[];
  /** Statements that create a table with its partition `rest` (partitions.ts), unless they exist. */
  partitionedTable(table: PartitionedTable, columns: string): readonly string[];
  /** Skips an existing index. Columns are SQL. */
  createIndex(db: Kysely<unknown>, index: { name: string; table: TableName; columns: string }): Promise<void>;
  /** What serves linkContains and linkCandidates; may do nothing. */
  createLinkSearch(db: Kysely<unknown>): Promise<void>;
  /** What serves hasFewNames; may do nothing. */
  createNameSearch(db: Kysely<unknown>): Promise<void>;
};
