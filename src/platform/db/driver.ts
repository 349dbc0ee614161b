/** A connection in unknown state (failed commit or rollback, cut statement) never returns to a pool. */
import {
  CompiledQuery,
  type DatabaseConnection,
  type DatabaseIntrospector,
  type DialectAdapter,
  type Driver,
  Kysely,
  type QueryCompiler,
  type QueryResult,
  type Transaction,
} from "kysely";
import type { Logger } from "../../lib/logger.ts";
import type { DatabaseLocation } from "./database-url.ts";
import type { Dialect, LinkRow } from "./dialect.ts";
import { type Translation, translateFailure } from "./failures.ts";
import type { Schema } from "./schema.ts";

/** Ten minutes for bulk work and migrations. */
export const STATEMENT_TIMEOUT_MS = 30_000;
export const LONG_STATEMENT_TIMEOUT_MS = 600_000;
/** Limits connecting, and getting a connection from a busy pool. */
export const CONNECT_TIMEOUT_MS = 5_000;

export type StatementResult = {
  rows: unknown[];
  /** Undefined for a query. */
  affected?: number | undefined;
  /** If the driver returns it. */
  insertId?: number | undefined;
};

export type SqlConnection = {
  /** Time of performance.now(). */
  readonly openedAt?: number;
  execute(sql: string, parameters: readonly unknown[]): Promise<StatementResult>;
};

export type ConnectionSource = {
  /** Opens a writing transaction. */
  readonly begin: string;
  /** Exclusive until `release`. The timeout bounds its statements. */
  acquire(statementTimeoutMs: number): Promise<SqlConnection>;
  /** Closes a broken connection. */
  release(connection: SqlConnection, broken: boolean): void;
};

export type SqlFlavour = {
  adapter: () => DialectAdapter;
  compiler: () => QueryCompiler;
  introspector: (db: Kysely<unknown>) => DatabaseIntrospector;
};

export type Backend = {
  dialect: Dialect;
  flavour: SqlFlavour;
  writer: ConnectionSource;
  /** May be the writer. */
  reader: ConnectionSource;
  /** A statement that reaches the data. */
  pingSql: string;
  /** Runs prepared queries of `reader` on the calling thread. */
  runPrepared?: (sql: string, parameters: readonly unknown[]) => StatementResult;
  /** Runs short transactions; `elsewhere` runs one like any other. */
  transactShort?: <T>(
    run: (tx: Transaction<Schema>) => Promise<T>,
    elsewhere: () => Promise<T>,
  ) => Promise<T>;
  /** See Database. */
  findLink?: (code: string) => LinkRow | undefined;
  /** See Database. */
  refreshLookups?: () => void;
  /** See Database. */
  commits?: () => number;
  /** See Database. */
  refusal?: () => string | null;
  close(): Promise<void>;
};

export type OpenBackend = (settings: {
  location: DatabaseLocation;
  poolSize: number;
  threads: boolean;
  logger: Logger;
}) => Promise<Backend>;

type Settings = {
  source: ConnectionSource;
  flavour: SqlFlavour;
  statementTimeoutMs: number;
} & Translation;

/** Closing it does not close the source. */
export function createKysely(settings: Settings): Kysely<Schema> {
  const { adapter, compiler, introspector } = settings.flavour;
  return new Kysely<Schema>({
    dialect: {
      createDriver: () => createDriver(settings),
      createAdapter: adapter,
      createQueryCompiler: compiler,
      createIntrospector: introspector,
    },
  });
}

type OpenConnection = DatabaseConnection & { connection: SqlConnection; broken: boolean };

/** A failure leaves the state of the transaction unknown. */
const decide = async (open: DatabaseConnection, sql: string): Promise<void> => {
  try {
    await open.executeQuery(CompiledQuery.raw(sql));
  } catch (error) {
    (open as OpenConnection).broken = true;
    throw error;
  }
};

function createDriver({ source, statementTimeoutMs, ...translation }: Settings): Driver {
  const translated = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      throw translateFailure(translation, error);
    }
  };
  return {
    init: async () => {},
    destroy: async () => {},
    acquireConnection: () =>
      translated(async () => wrapConnection(await source.acquire(statementTimeoutMs), translated)),
    releaseConnection: async (open) => {
      const { connection, broken } = open as OpenConnection;
      source.release(connection, broken);
    },
    beginTransaction: async (open, settings) => {
      if (settings.isolationLevel !== undefined) throw new Error("Isolation levels are not set one by one.");
      await decide(open, settings.accessMode === "read only" ? "begin" : source.begin);
    },
    commitTransaction: (open) => decide(open, "commit"),
    rollbackTransaction: async (open) => {
      // If this fails, closing the connection rolls back.
      await decide(open, "rollback").catch(() => {});
    },
  };
}

export const queryResultOf = <R>({ rows, affected, insertId }: StatementResult): QueryResult<R> => ({
  rows: rows as R[],
  ...(affected !== undefined && { numAffectedRows: BigInt(affected) }),
  ...(insertId !== undefined && { insertId: BigInt(insertId) }),
});

function wrapConnection(
  connection: SqlConnection,
  translated: <T>(work: () => Promise<T>) => Promise<T>,
): OpenConnection {
  return {
    connection,
    broken: false,
    executeQuery: <R>(query: CompiledQuery) =>
      translated(async () => queryResultOf<R>(await connection.execute(query.sql, query.parameters))),
    streamQuery: () => {
      throw new Error("Results are not streamed: read pages by key.");
    },
  };
}
