/** The open database: two query builders, the dialect's capabilities and the one hot read. */
import type { Kysely, Transaction } from "kysely";
import type { Dialect } from "./dialect.ts";
import type { Schema } from "./schema.ts";
import type { Logger } from "../lib/logger.ts";

export type DatabaseSettings = {
  /** `sqlite:[path]`, `postgres://…`, `mysql://…` or `mariadb://…` */
  url: string;
  /** Connections to a server; the file database has its own fixed number. */
  poolSize: number;
  /** Where the file database lives when the URL names no path. */
  dataDir: string;
};

/** What a redirect needs to know of a link. */
export type LinkRow = { id: number; code: string; target: string; expires_at: number | null };

export type TransactionOptions = {
  /** Bulk work (imports, migrations): statements may take ten minutes instead of thirty seconds. */
  long?: boolean;
};

/** Everything here rejects with AppErrors: Conflict for a unique violation, ServiceUnavailable when it is away. */
export type Database = {
  /** For queries that only read, in or out of a transaction. May be other connections than `write`'s. */
  readonly read: Kysely<Schema>;
  /** For single writing statements; several belong into `transaction`. */
  readonly write: Kysely<Schema>;
  readonly dialect: Dialect;
  /**
   * Runs the function in one writing transaction (read committed or stronger) and commits, or rolls back and
   * rejects with what it threw. After a deadlock or a serialization failure it runs again, at most four times in
   * all, so it must not have effects besides its queries.
   */
  transaction<T>(run: (tx: Transaction<Schema>) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /** The link with exactly this code, by its unique index; answers at once where the database is in the process. */
  findLink(code: string): LinkRow | undefined | Promise<LinkRow | undefined>;
  /** One round trip; rejects with ServiceUnavailable within five seconds when the database is away. */
  ping(): Promise<void>;
  /** Waits for running queries (five seconds at most), then closes; further use rejects. */
  close(): Promise<void>;
};

/**
 * Opens the database, creating the file database when it is not there. With `threads` (the server) the file
 * database writes in one thread and reads in two others, and only findLink runs on the caller's; without them (CLI,
 * flush thread) everything runs on the calling thread. It doesn't migrate: see migrate.ts.
 */
export async function openDatabase(
  _settings: DatabaseSettings,
  _options: { threads: boolean; logger: Logger },
): Promise<Database> {
  throw new Error("not built yet");
}
