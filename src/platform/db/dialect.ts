/**
 * What a database offers repositories beyond the query builder. Bulk calls take any number of rows, at most 1,000 a
 * statement.
 */
import type {
  AliasedRawBuilder,
  Expression,
  Insertable,
  Kysely,
  RawBuilder,
  Selectable,
  Transaction,
  SqlBool,
} from "kysely";
import type { FailureKind } from "./failures.ts";
import type { ColumnName, Schema, SerialTable, TableName } from "./schema.ts";
import type { SchemaSyntax } from "./schema-syntax.ts";

export type Db = Kysely<Schema>;

export type Rows<T extends TableName> = readonly Insertable<Schema[T]>[];

export type Upsert<T extends TableName> = {
  table: T;
  /** Columns of the primary key or a unique index. */
  keys: readonly ColumnName<T>[];
  /** Columns to overwrite in an existing row. */
  set?: readonly ColumnName<T>[];
  /** Columns to increase in an existing row. */
  add?: readonly ColumnName<T>[];
};

export type Update<T extends TableName> = {
  table: T;
  key: ColumnName<T>;
  set?: readonly ColumnName<T>[];
  add?: readonly ColumnName<T>[];
};

export type Dialect = {
  readonly name: "sqlite" | "postgres" | "mysql" | "mariadb";

  /**
   * Code, target, title or note of `links` contains the needle; `%` and `_` are literal. Ignores case: always for
   * ASCII, else at least for the needle as given, lower-case, upper-case and capitalised. Accents count, composed or
   * decomposed. `usesIndex`: a query starts with it, where linkCandidates is not null; else it only tests rows.
   */
  linkContains(needle: string, options?: { usesIndex?: boolean }): Expression<SqlBool>;

  /**
   * A subquery for the `id` of at most `most` links that may contain the needle, from an index. Fewer are all of them.
   * Null if no index serves the needle.
   */
  linkCandidates(needle: string, most: number): RawBuilder<unknown> | null;

  /**
   * Adds up to `most` changed links to the index behind linkCandidates, in a transaction. Returns how many there were.
   * Searches find them before, but slower. Null if the database does so at once, or has no such index.
   */
  readonly indexLinkTexts: ((tx: Db, most: number) => Promise<number>) | null;

  /**
   * Renews what the planner of queries knows, after a large change. Does nothing where that happens at once or plans
   * need none.
   */
  refreshStatistics(db: Db, tables: readonly TableName[]): Promise<void>;

  /**
   * `entries.name` contains the needle, compared as in linkContains. `usesIndex`: a query starts with it, where
   * hasFewNames; else it only tests rows.
   */
  nameContains(needle: string, options?: { usesIndex?: boolean }): Expression<SqlBool>;

  /**
   * Whether an index tells that at most `most` entries, of all accounts, may have the needle in their names. False
   * without a suitable index.
   */
  hasFewNames(db: Db, needle: string, most: number): Promise<boolean>;

  /** The text of a column without the digits at its end, for an order of names by their numbers. */
  withoutEndNumber(column: string): RawBuilder<string>;

  /** While one transaction writes, others wait. */
  readonly hasOneWriter: boolean;

  /** The server spreads one long scan over several cores. */
  readonly sharesScans: boolean;

  /**
   * How a sorted union reads parts that an index sorts: as far as it is needed (merged), which a limit of each part
   * tells the planner (limited), or each part up to its limit, into a table that is sorted (copied).
   */
  readonly sortedUnions: "merged" | "limited" | "copied";

  /**
   * Adds deltas[i] (not 0) to `column` of the row whose `key` is keys[i]. Keys are distinct; unknown ones are skipped.
   * Returns the number found.
   */
  addToCounters<T extends TableName>(
    db: Db,
    counter: { table: T; key: ColumnName<T>; column: ColumnName<T> },
    keys: readonly number[],
    deltas: readonly number[],
  ): Promise<number>;

  /** Adds up integers whose sum is below 2^53, at the least cost. */
  sum(column: string): RawBuilder<number>;

  /** Reads with a query that joins thousands of sums of a union with other tables. */
  joinMany<T>(db: Db, ask: (db: Db) => Promise<T>): Promise<T>;

  /** The column as a number that no index serves, where a planner would look up each value of a long list. */
  scanned(column: string): RawBuilder<number>;

  /**
   * Aggregates texts or numbers in any order, separated by blanks or line breaks; null without rows. At most a million
   * characters.
   */
  joinTexts(column: string, separator?: " " | "\n"): RawBuilder<string | null>;

  /** A unique violation fails the statement. */
  insertMany<T extends TableName>(db: Db, table: T, rows: Rows<T>): Promise<void>;
  /** Skips rows whose `keys` exist. */
  insertIgnore<T extends TableName>(
    db: Db,
    table: T,
    keys: readonly ColumnName<T>[],
    rows: Rows<T>,
  ): Promise<void>;
  /** The rows' keys are distinct. */
  upsert<T extends TableName>(db: Db, upsert: Upsert<T>, rows: Rows<T>): Promise<void>;
  /** Skips missing rows. Rows hold the key and every column of set and add; keys are distinct. */
  updateMany<T extends TableName>(
    db: Db,
    update: Update<T>,
    rows: readonly Partial<Selectable<Schema[T]>>[],
  ): Promise<void>;
  insertReturningId<T extends SerialTable>(db: Db, table: T, row: Insertable<Schema[T]>): Promise<number>;

  /**
   * At most 1,000 rows as a table `v`, with column kinds of `table`: `db.selectFrom(dialect.valuesTable("links",
   * ["code"], rows)).innerJoin("links", "links.code", "v.code")`.
   */
  valuesTable<T extends TableName, C extends ColumnName<T> & keyof Selectable<Schema[T]>>(
    table: T,
    columns: readonly C[],
    rows: readonly Pick<Selectable<Schema[T]>, C>[],
  ): AliasedRawBuilder<Pick<Selectable<Schema[T]>, C>, "v">;

  /** Locks the selected rows until the transaction ends (`query.$call(dialect.forUpdate)`). */
  forUpdate<Q extends { forUpdate(): unknown }>(query: Q): Q;
  /** Prevents changes and removal of the selected rows until the transaction ends. */
  forShare<Q extends { modifyEnd(end: Expression<unknown>): unknown }>(query: Q): Q;

  /** The words of the migrations. */
  readonly schema: SchemaSyntax;

  /** Epoch milliseconds by the clock of the database, in a query. */
  now(): RawBuilder<number>;

  /**
   * Removes what deleted and replaced rows left in the database's files. Servers do so by themselves, some time later.
   */
  readonly shred?: (db: Db) => Promise<void>;
  /** Empties the log of changes that is a file beside the database, if nobody reads it now. */
  readonly clearLog?: (db: Db) => Promise<void>;

  /** Writes a consistent copy to a new file. Null for servers: see `dumpAdvice`. */
  readonly snapshot: ((db: Db, path: string) => Promise<void>) | null;
  /** Reads the whole file; null if sound. Null for servers. */
  readonly findDamage: ((db: Db) => Promise<{ damage: string; advice: string } | null>) | null;
  /** Commands that dump and restore; `$DATABASE_URL` stands for the address. */
  readonly dumpAdvice: string;

  /** Takes a driver's error; see failures.ts. */
  classify(error: unknown): FailureKind;
};

export type LinkRow = {
  id: number;
  code: string;
  target: string;
  expires_at: number | null;
  options: string | null;
  /** Whether it has a password. */
  locked: unknown;
};

export type ReplicaState = {
  /** How far the replica is behind. Null before the first look, while it does not respond, and while it has no mark. */
  lagMs: number | null;
  isUsed: boolean;
};

export type Replica = {
  /** At most two seconds old. */
  look(): Promise<ReplicaState>;
  /** What the last look saw; begins the next one if it is due. */
  last(): ReplicaState;
};

export type TransactionOptions = {
  /** Statements may take ten minutes instead of thirty seconds. */
  long?: boolean;
  /**
   * Some twenty statements at most, which find their rows by an index and change few. It waits for nothing but them. On
   * SQLite such transactions run on the calling thread and share commits.
   */
  short?: boolean;
};

/** Rejects with AppErrors: Conflict for a unique violation, ServiceUnavailable while the database is away. */
export type Queries = Pick<Database, "read" | "write" | "dialect">;

export type Database = {
  readonly name: string;
  /** May use other connections than `write`. */
  readonly read: Kysely<Schema>;
  /** Serves reports and exports, which need not see the last seconds: reads from the replica, if there is one. */
  readonly reports: Kysely<Schema>;
  readonly replica: Replica | null;
  /** Takes single writing statements; several belong in `transaction`. */
  readonly write: Kysely<Schema>;
  /** Statements may take ten minutes. */
  readonly slow: Kysely<Schema>;
  readonly dialect: Dialect;
  /**
   * One writing transaction (read committed or stronger). Runs again after a deadlock or serialization failure, at most
   * four times in all, so it must have no effects but its queries. What waits for the first one of a request runs in it
   * (lib/first-write.ts). Use only the given `tx`: `write`, `slow` and other transactions would wait for this one.
   */
  transaction<T>(run: (tx: Transaction<Schema>) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /** Synchronous if the database is in the process. */
  findLink(code: string): LinkRow | undefined | Promise<LinkRow | undefined>;
  /**
   * The next findLink sees every change that any process committed before this call. Otherwise lookups of one turn of
   * the event loop may share a snapshot, newer than the last reply to a write of this instance.
   */
  refreshLookups(): void;
  /** Differs from the last result if another connection has committed meanwhile. Undefined: only a query can show. */
  commits(): number | undefined;
  /** Why the server refuses connections or statements, for whoever runs it; null if it does not, or unguarded. */
  refusal(): string | null;
  /** Rejects with ServiceUnavailable within five seconds. */
  ping(): Promise<void>;
  /** The version that the server or library reports. Rejects like ping. */
  version(): Promise<string>;
  /** Waits at most five seconds for running queries. */
  close(): Promise<void>;
};
