/**
 * What repositories may ask of a database beyond the query builder. Each database answers in its own words in
 * dialects/; nothing outside db/ knows which one it is. All bulk calls send at most 1,000 rows a statement, take
 * any number of rows (none: nothing happens), and run on the `db` they are given, so inside a transaction when it
 * is one.
 */
import type { AliasedRawBuilder, Expression, Insertable, Kysely, Selectable, SqlBool } from "kysely";
import type { FailureKind } from "./failures.ts";
import type { ColumnName, Schema, SerialTable, TableName } from "./schema.ts";

/** A connection or a transaction. */
export type Db = Kysely<Schema>;

/** Rows of a table, all with the same columns. */
export type Rows<T extends TableName> = readonly Insertable<Schema[T]>[];

export type Upsert<T extends TableName> = {
  table: T;
  /** The columns of the primary key or of a unique index. */
  keys: readonly ColumnName<T>[];
  /** Columns that take the new row's value when the row exists. */
  set?: readonly ColumnName<T>[];
  /** Columns to which the new row's value is added when the row exists. */
  add?: readonly ColumnName<T>[];
};

export type Update<T extends TableName> = {
  table: T;
  /** The column that finds the row. */
  key: ColumnName<T>;
  set?: readonly ColumnName<T>[];
  add?: readonly ColumnName<T>[];
};

export type Dialect = {
  /** For health reports and logs. */
  readonly name: "sqlite" | "postgres" | "mysql" | "mariadb";

  /**
   * True where code or target of `links` holds the needle; `%` and `_` mean themselves. Case is ignored:
   * always for ASCII, else at least for the needle as given, lower-cased, upper-cased and capitalised. Accents
   * count. `likely`: about half of the rows or more have it, so that no index helps; the answer is the same.
   */
  linkContains(needle: string, hints?: { likely?: boolean }): Expression<SqlBool>;

  /** Whether the server spreads one long scan over several cores by itself. */
  readonly sharesScans: boolean;

  /**
   * Adds deltas[i] (not 0) to `column` of the row whose `key` is keys[i]. Keys are distinct; unknown ones are
   * skipped. Returns how many keys there were.
   */
  addToCounters<T extends TableName>(
    db: Db,
    counter: { table: T; key: ColumnName<T>; column: ColumnName<T> },
    keys: readonly number[],
    deltas: readonly number[],
  ): Promise<number>;

  /** Inserts; a unique violation fails the statement. */
  insertMany<T extends TableName>(db: Db, table: T, rows: Rows<T>): Promise<void>;
  /** Inserts the rows whose `keys` are not there yet and leaves the others alone. */
  insertIgnore<T extends TableName>(
    db: Db,
    table: T,
    keys: readonly ColumnName<T>[],
    rows: Rows<T>,
  ): Promise<void>;
  /** Inserts or updates; the rows' keys are distinct. */
  upsert<T extends TableName>(db: Db, upsert: Upsert<T>, rows: Rows<T>): Promise<void>;
  /** Updates existing rows; the rows hold the key and every column of set and add, their keys are distinct. */
  updateMany<T extends TableName>(
    db: Db,
    update: Update<T>,
    rows: readonly Partial<Selectable<Schema[T]>>[],
  ): Promise<void>;
  /** Inserts one row and returns the id it got. */
  insertReturningId<T extends SerialTable>(db: Db, table: T, row: Insertable<Schema[T]>): Promise<number>;

  /**
   * The rows as a table `v` to join or select from, with the columns' kinds taken from `table`; at most 1,000 rows:
   * `db.selectFrom(dialect.valuesTable("links", ["code"], rows)).innerJoin("links", "links.code", "v.code")`.
   */
  valuesTable<T extends TableName, C extends ColumnName<T> & keyof Selectable<Schema[T]>>(
    table: T,
    columns: readonly C[],
    rows: readonly Pick<Selectable<Schema[T]>, C>[],
  ): AliasedRawBuilder<Pick<Selectable<Schema[T]>, C>, "v">;

  /**
   * Locks the selected rows until the transaction ends, where the database locks rows (the other one lets a
   * single writing transaction in at a time): `query.$call(dialect.forUpdate)`.
   */
  forUpdate<Q extends { forUpdate(): unknown }>(query: Q): Q;

  /** How tables are made here; for migrations only. */
  readonly schema: SchemaSyntax;

  /** The database's clock, in epoch milliseconds. */
  currentTime(db: Db): Promise<number>;

  /**
   * Writes a consistent copy of the whole database to a new file while others go on using it; where that is the
   * server's own business, null, and `dumpAdvice` says how it is done.
   */
  readonly snapshot: ((db: Db, path: string) => Promise<void>) | null;
  /** Reads the whole database file and says what is wrong with it, or null when it is sound; null without a file. */
  readonly findDamage: ((db: Db) => Promise<{ damage: string; advice: string } | null>) | null;
  /** The commands that dump and restore, with `$DATABASE_URL` for the address. */
  readonly dumpAdvice: string;

  /** Sorts a driver's error. Errors that left db/ are AppErrors already: see failures.ts. */
  classify(error: unknown): FailureKind;
};

/** The parts of `create table` and `create index` in which the databases differ. */
export type SchemaSyntax = {
  /** The type and constraint of `id`: a 64-bit key that the database gives out, never twice. */
  serial: string;
  /** A 64-bit integer. */
  int: string;
  /** Text of at most so many characters, compared byte by byte; may be a key. */
  text(length: number): string;
  /** Text of up to 16 MB, compared byte by byte; no key. */
  longText: string;
  /** An identifier that is a reserved word somewhere. */
  quote(identifier: string): string;
  /** What follows the columns. */
  tableOptions: string;
  /** What follows the columns of a table of counters: narrow rows, found and increased by their primary key. */
  counterTableOptions: string;
  /** Makes an index unless it is there; columns as SQL. */
  createIndex(db: Kysely<unknown>, index: { name: string; table: TableName; columns: string }): Promise<void>;
  /** Makes what lets linkContains find rare words fast, where there is such a thing. */
  createSearchIndex(db: Kysely<unknown>): Promise<void>;
  /** The same for what the index can't serve. */
  createSearchColumn(db: Kysely<unknown>): Promise<void>;
};
