import type { Kysely } from "kysely";
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
  /** For reserved words. */
  quote(identifier: string): string;
  /** Follows the columns. */
  tableOptions: string;
  /** Follows the columns of a table of narrow rows. */
  counterTableOptions: string;
  /** Skips an existing index. Columns are SQL. */
  createIndex(db: Kysely<unknown>, index: { name: string; table: TableName; columns: string }): Promise<void>;
  /** Serves rare words of linkContains; may do nothing. */
  createSearchIndex(db: Kysely<unknown>): Promise<void>;
  /** Serves needles that the index can't. */
  createSearchColumn(db: Kysely<unknown>): Promise<void>;
  /** Serves hasFewNames; may do nothing. Lacks existing entries if `fillNameIndex` does something. */
  createNameIndex(db: Kysely<unknown>): Promise<void>;
  /** With all entries. */
  fillNameIndex(db: Kysely<unknown>): Promise<void>;
  /** Serves linkCandidates, later for existing links; may do nothing. */
  createTextIndex(db: Kysely<unknown>): Promise<void>;
  /** Makes room in `links.code` for the keys of other domains, and adds title and note to the search. */
  widenLinks(db: Kysely<unknown>): Promise<void>;
};
