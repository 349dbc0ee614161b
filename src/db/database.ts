/** The open database: two query builders, the dialect's capabilities and the one hot read. */
import { type Kysely, sql, type Transaction } from "kysely";
import type { Logger } from "../lib/logger.ts";
import { type DatabaseLocation, databaseName, parseDatabaseUrl } from "./database-url.ts";
import { withTimeout } from "../lib/timeout.ts";
import type { Dialect } from "./dialect.ts";
import {
  type Backend,
  CONNECT_TIMEOUT_MS,
  createKysely,
  type LinkRow,
  LONG_STATEMENT_TIMEOUT_MS,
  type OpenBackend,
  STATEMENT_TIMEOUT_MS,
} from "./driver.ts";
import { DatabaseError, isRetryable } from "./failures.ts";
import { guardBackend } from "./guard.ts";
import type { Schema } from "./schema.ts";

export type { LinkRow } from "./driver.ts";

export type DatabaseSettings = {
  /** `sqlite:path`, `postgres://…`, `mysql://…` or `mariadb://…` */
  url: string;
  /** Connections to a server; the file database has its own fixed number. */
  poolSize: number;
};

export type TransactionOptions = {
  /** Bulk work (imports, migrations): statements may take ten minutes instead of thirty seconds. */
  long?: boolean;
};

/** Everything here rejects with AppErrors: Conflict for a unique violation, ServiceUnavailable when it is away. */
export type Database = {
  /** For people: the file's path, or scheme, host and database of a server. Never a password. */
  readonly name: string;
  /** For queries that only read, in or out of a transaction. May be other connections than `write`'s. */
  readonly read: Kysely<Schema>;
  /** For single writing statements; several belong into `transaction`. */
  readonly write: Kysely<Schema>;
  /** As `write`, but statements may take ten minutes: migrations and other bulk work. */
  readonly slow: Kysely<Schema>;
  readonly dialect: Dialect;
  /**
   * Runs the function in one writing transaction (read committed or stronger) and commits, or rolls back and
   * rejects with what it threw. After a deadlock or a serialization failure it runs again, at most four times in
   * all, so it must not have effects besides its queries. Write with the given `tx` only: `write`, `slow` and
   * another transaction would wait for this one to end.
   */
  transaction<T>(run: (tx: Transaction<Schema>) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /** The link with exactly this code, by its unique index; answers at once where the database is in the process. */
  findLink(code: string): LinkRow | undefined | Promise<LinkRow | undefined>;
  /** One round trip; rejects with ServiceUnavailable within five seconds when the database is away. */
  ping(): Promise<void>;
  /** Waits for running queries (five seconds at most), then closes; further use rejects. */
  close(): Promise<void>;
};

/** Loaded when wanted: a driver nobody uses costs no memory. */
const BACKENDS: Record<DatabaseLocation["kind"], () => Promise<{ openBackend: OpenBackend }>> = {
  sqlite: () => import("./dialects/sqlite.ts"),
  postgres: () => import("./dialects/postgres.ts"),
  mysql: () => import("./dialects/mysql.ts"),
  mariadb: () => import("./dialects/mariadb.ts"),
};

const ATTEMPTS = 4;

/**
 * Opens the database, creating the file database when it is not there; a server that is away is found out by the
 * first query. With `threads` (the server) the file database writes in one thread and reads in two others, and only
 * findLink runs on the caller's. Without them (CLI, flush thread) everything runs on the calling thread, which
 * stands still while it waits for a lock: never beside another instance that this thread has to drive on. It
 * doesn't migrate: see migrate.ts. With `guarded` (as with threads) a database server that is away is refused at once
 * and given up when it hangs, which may take one connection more: see availability.ts. A URL that can't be read throws BadRequest.
 */
export async function openDatabase(
  settings: DatabaseSettings,
  options: { threads: boolean; guarded?: boolean; logger: Logger },
): Promise<Database> {
  const { threads, guarded = threads, logger } = options;
  const location = parseDatabaseUrl(settings.url);
  const { openBackend } = await BACKENDS[location.kind]();
  const wanted = { location, poolSize: settings.poolSize, threads, logger };
  const backend = await (guarded ? openGuarded(openBackend, wanted) : openBackend(wanted));
  const { dialect, flavour } = backend;
  const open = (source: Backend["writer"], statementTimeoutMs: number) =>
    createKysely({ source, flavour, classify: dialect.classify, statementTimeoutMs });
  const read = open(backend.reader, STATEMENT_TIMEOUT_MS);
  const write = open(backend.writer, STATEMENT_TIMEOUT_MS);
  const slow = open(backend.writer, LONG_STATEMENT_TIMEOUT_MS);
  return {
    name: databaseName(location),
    read,
    write,
    slow,
    dialect,
    transaction: (run, { long = false } = {}) => transact(long ? slow : write, run),
    findLink: backend.findLink ?? ((code) => queryLink(read, code)),
    ping: async () => {
      const answer = sql.raw(backend.pingSql).execute(read);
      await withTimeout<unknown>(CONNECT_TIMEOUT_MS, answer, tooLate(CONNECT_TIMEOUT_MS));
    },
    close: backend.close,
  };
}

/** Opens a file that a dialect's `snapshot` wrote. */
export const openSnapshot = (path: string, logger: Logger): Promise<Database> =>
  openDatabase({ url: `sqlite:${path}`, poolSize: 1 }, { threads: false, logger });

async function openGuarded(open: OpenBackend, settings: Parameters<OpenBackend>[0]): Promise<Backend> {
  const backend = await open(settings);
  if (settings.location.kind === "sqlite") return backend;
  return guardBackend(backend, await open({ ...settings, poolSize: 1 }), settings);
}

async function transact<T>(db: Kysely<Schema>, run: (tx: Transaction<Schema>) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await db.transaction().execute(run);
    } catch (error) {
      if (!isRetryable(error) || attempt === ATTEMPTS) throw error;
      // Apart from one another, or the same two meet again.
      await Bun.sleep(10 * attempt + Math.random() * 20 * attempt);
    }
  }
}

const queryLink = (read: Kysely<Schema>, code: string): Promise<LinkRow | undefined> =>
  read
    .selectFrom("links")
    .select(["id", "code", "target", "expires_at"])
    .where("code", "=", code)
    .executeTakeFirst();

const tooLate = (timeoutMs: number) => () => {
  throw new DatabaseError("timeout", new Error(`no answer within ${timeoutMs} ms`));
};
