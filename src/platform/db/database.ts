import { type Kysely, sql, type Transaction } from "kysely";
import type { Logger } from "../../lib/logger.ts";
import { type DatabaseLocation, databaseName, parseDatabaseUrl } from "./database-url.ts";
import { appError } from "../../lib/errors.ts";
import { withFirstWrite } from "../../lib/first-write.ts";
import { withTimeout } from "../../lib/timeout.ts";
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
import { explainRefusal } from "./refusals.ts";
import { createReplica, type Replica } from "./replica.ts";
import type { Schema } from "./schema.ts";

export type { LinkRow } from "./driver.ts";

export type DatabaseSettings = {
  /** `sqlite:path`, `postgres://…`, `mysql://…` or `mariadb://…` */
  url: string;
  /** Connections to a server. */
  poolSize: number;
  /** Of one server that follows that of `url`. */
  replicaUrl?: string | null;
};

export type TransactionOptions = {
  /** Statements may take ten minutes instead of thirty seconds. */
  long?: boolean;
};

/** Rejects with AppErrors: Conflict for a unique violation, ServiceUnavailable while the database is away. */
export type Queries = Pick<Database, "read" | "write" | "dialect">;

export type Database = {
  readonly name: string;
  /** May use other connections than `write`. */
  readonly read: Kysely<Schema>;
  /** For reports and exports, which need not see the last seconds: reads from the replica, if there is one. */
  readonly reports: Kysely<Schema>;
  readonly replica: Replica | null;
  /** For single writing statements; several belong in `transaction`. */
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
   * the event loop may share a snapshot, newer than the last answer to a write of this instance.
   */
  refreshLookups(): void;
  /** Differs from the last result if another connection has committed meanwhile. Undefined: only a query can tell. */
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

/** Loaded on demand: an unused driver costs no memory. */
const BACKENDS: Record<DatabaseLocation["kind"], () => Promise<{ openBackend: OpenBackend }>> = {
  sqlite: () => import("./dialects/sqlite.ts"),
  postgres: () => import("./dialects/postgres.ts"),
  mysql: () => import("./dialects/mysql.ts"),
  mariadb: () => import("./dialects/mariadb.ts"),
};

const ATTEMPTS = 4;

const VERSION_SQL: Record<DatabaseLocation["kind"], string> = {
  sqlite: "select sqlite_version() as version",
  postgres: "select current_setting('server_version') as version",
  mysql: "select version() as version",
  mariadb: "select version() as version",
};

/**
 * Creates a missing file; the first query detects a missing server. With `threads` (the server) only findLink runs on
 * the calling thread. Without them every query does and blocks on locks: never open two such instances on one thread.
 * `guarded` (default with threads) refuses queries while a server is away, for one more connection. `replicated` uses
 * the replica of the settings. Does not migrate.
 * @throws BadRequest for an invalid URL
 */
export async function openDatabase(
  settings: DatabaseSettings,
  options: { threads: boolean; guarded?: boolean; replicated?: boolean; logger: Logger },
): Promise<Database> {
  const { threads, guarded = threads, logger } = options;
  const location = parseDatabaseUrl(settings.url);
  const { openBackend } = await BACKENDS[location.kind]();
  const wanted = { location, poolSize: settings.poolSize, threads, logger };
  const backend = await (guarded ? openGuarded(openBackend, wanted) : openBackend(wanted));
  const { dialect, flavour } = backend;
  const open = (source: Backend["writer"], statementTimeoutMs: number, at = location) =>
    createKysely({
      source,
      flavour,
      classify: dialect.classify,
      explainRefusal: (error) => explainRefusal(at, error),
      statementTimeoutMs,
    });
  const read = open(backend.reader, STATEMENT_TIMEOUT_MS);
  const write = open(backend.writer, STATEMENT_TIMEOUT_MS);
  const slow = open(backend.writer, LONG_STATEMENT_TIMEOUT_MS);
  const replica = options.replicated ? await openReplica(settings, location, logger) : null;
  const followed =
    replica &&
    createReplica({
      name: replica.name,
      primary: { read, write, dialect, source: backend.reader },
      replica: {
        read: open(replica.backend.reader, STATEMENT_TIMEOUT_MS, replica.location),
        source: replica.backend.reader,
      },
      logger,
    });
  const ask = <T>(text: string) =>
    withTimeout<{ rows: T[] }>(CONNECT_TIMEOUT_MS, sql.raw<T>(text).execute(read), tooLate);
  return {
    name: databaseName(location),
    read,
    reports: followed === null ? read : open(followed.source, STATEMENT_TIMEOUT_MS),
    replica: followed,
    write,
    slow,
    dialect,
    transaction: (run, { long = false } = {}) =>
      withFirstWrite((whole) => transact(long ? slow : write, whole), run),
    findLink: backend.findLink ?? ((code) => queryLink(read, code)),
    refreshLookups: backend.refreshLookups ?? (() => {}),
    commits: backend.commits ?? (() => undefined),
    refusal: backend.refusal ?? (() => null),
    ping: async () => void (await ask(backend.pingSql)),
    async version() {
      const { rows } = await ask<{ version: string }>(VERSION_SQL[location.kind]);
      return rows[0]?.version ?? "";
    },
    close: async () => void (await Promise.all([backend.close(), replica?.backend.close()])),
  };
}

async function openReplica(
  { replicaUrl, poolSize }: DatabaseSettings,
  { kind }: DatabaseLocation,
  logger: Logger,
): Promise<{ name: string; location: DatabaseLocation; backend: Backend } | null> {
  if (!replicaUrl) return null;
  const location = parseDatabaseUrl(replicaUrl);
  if (kind === "sqlite" || location.kind !== kind || location.addresses.length !== 1)
    throw appError(
      "BadRequest",
      "database.replica_url must name one server of the same kind as database.url: PostgreSQL, MySQL or MariaDB.",
    );
  const { openBackend } = await BACKENDS[kind]();
  return {
    name: databaseName(location),
    location,
    backend: await openBackend({ location, poolSize, threads: false, logger }),
  };
}

/** For a file of its own, such as one that `dialect.snapshot` wrote; a missing one is made. */
export const openSnapshot = (path: string, logger: Logger): Promise<Database> =>
  openDatabase({ url: `sqlite:${path}`, poolSize: 1 }, { threads: false, logger });

async function openGuarded(open: OpenBackend, settings: Parameters<OpenBackend>[0]): Promise<Backend> {
  const backend = await open(settings);
  if (settings.location.kind === "sqlite") return backend;
  const explain = (error: unknown) => explainRefusal(settings.location, error);
  const probing = await open({ ...settings, poolSize: 1 });
  return guardBackend(backend, probing, { ...settings, explainRefusal: explain });
}

async function transact<T>(db: Kysely<Schema>, run: (tx: Transaction<Schema>) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await db.transaction().execute(run);
    } catch (error) {
      if (!isRetryable(error) || attempt === ATTEMPTS) throw error;
      // Spreads the competitors.
      await Bun.sleep(10 * attempt + Math.random() * 20 * attempt);
    }
  }
}

const ROW = ["links.id", "links.code", "links.target", "links.expires_at", "links.options"] as const;

/** One statement, so that a rename between two can't hide the link. */
const queryLink = (read: Kysely<Schema>, code: string): Promise<LinkRow | undefined> =>
  read
    .selectFrom("links")
    .select(ROW)
    .select((eb) => eb("password_hash", "is not", null).as("locked"))
    .where("links.code", "=", code)
    .unionAll(
      read
        .selectFrom("link_aliases")
        .innerJoin("links", "links.id", "link_aliases.link_id")
        .select(ROW)
        .select((eb) => eb("password_hash", "is not", null).as("locked"))
        .where("link_aliases.code", "=", code),
    )
    .executeTakeFirst();

const tooLate = () => {
  throw new DatabaseError("timeout", new Error(`no answer within ${CONNECT_TIMEOUT_MS} ms`));
};
