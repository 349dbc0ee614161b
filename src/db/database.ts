/** The open database: two query builders, the dialect's capabilities and the one hot read. */
import type { Kysely, Transaction } from "kysely";
import type { Dialect } from "./dialect.ts";
import type { Schema } from "./schema.ts";

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
