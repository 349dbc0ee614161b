import { type Kysely, sql, type Transaction } from "kysely";
import type { Logger } from "../../lib/logger.ts";
import { type DatabaseLocation, databaseName, parseDatabaseUrl } from "./database-url.ts";
import { appError } from "../../lib/errors.ts";
import { withFirstWrite } from "../../lib/first-write.ts";
import { withTimeout } from "../../lib/timeout.ts";
import type { Database, LinkRow } from "./dialect.ts";
import {
  type Backend,
  CONNECT_TIMEOUT_MS,
  createKysely,
  LONG_STATEMENT_TIMEOUT_MS,
  type OpenBackend,
  STATEMENT_TIMEOUT_MS,
} from "./driver.ts";
import { DatabaseError, isRetryable } from "./failures.ts";
import { guardBackend } from "./guard.ts";
import { runPreparedBy } from "./prepared.ts";
import { explainRefusal } from "./refusals.ts";
import { createReplica } from "./replica.ts";
import type { Schema } from "./schema.ts";

export type { Database, LinkRow, Queries, TransactionOptions } from "./dialect.ts";

export type DatabaseSettings = {
  /** `sqlite:path`, `postgres://…`, `mysql://…` or `mariadb://…` */
  url: string;
  /** Connections to a server. */
  poolSize: number;
  /** URL of one server that follows that of `url`. */
  replicaUrl?: string | null;
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
  const openOptions = { location, poolSize: settings.poolSize, threads, logger };
  const backend = await (guarded ? openGuarded(openBackend, openOptions) : openBackend(openOptions));
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
  if (backend.runPrepared) runPreparedBy(read, backend.runPrepared);
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
    transaction: (run, { long = false, short = false } = {}) =>
      withFirstWrite((whole) => {
        const elsewhere = () => transact(long ? slow : write, whole);
        return short && backend.transactShort ? backend.transactShort(whole, elsewhere) : elsewhere();
      }, run),
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

/** Opens a file of its own, such as one that `dialect.snapshot` wrote. Makes a missing one. */
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
