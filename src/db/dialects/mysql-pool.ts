import { createPool, type Pool, type PoolConnection } from "mysql2";
import { appError } from "../../lib/errors.ts";
import type { DatabaseLocation } from "../database-url.ts";
import { withTimeout } from "../../lib/timeout.ts";
import {
  CONNECT_TIMEOUT_MS,
  type SqlConnection,
  type ConnectionSource,
  type StatementResult,
} from "../driver.ts";
import { DatabaseError } from "../failures.ts";

export type SessionSyntax = {
  /** Names the server that was expected, for the message about another one. */
  expected: string;
  recognises(version: string): boolean;
  limitStatements(timeoutMs: number): string;
};

/** The server ends a statement at its limit; the client gives up this much later. */
const GRACE_MS = 5_000;
const IDLE_MS = 60_000;
/** Longer than an import's chunk holds its rows, shorter than a statement may take. */
const LOCK_WAIT_SECONDS = 20;
/** The bound of joinTexts. */
const LONGEST_GROUP = 1_048_576;
const SQL_MODE =
  "STRICT_ALL_TABLES,ONLY_FULL_GROUP_BY,NO_ZERO_IN_DATE,NO_ZERO_DATE,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION";

function openPool(location: DatabaseLocation, poolSize: number): Pool {
  const [first = { host: undefined, port: undefined }, ...others] = location.addresses;
  if (others.length > 0)
    throw appError(
      "BadRequest",
      "The URL of a MySQL or MariaDB database names one host; only that of PostgreSQL may name several.",
    );
  return createPool({
    ...(location.socket === undefined
      ? { host: first.host ?? "127.0.0.1", port: first.port ?? 3306 }
      : { socketPath: location.socket }),
    ...(location.user === undefined ? {} : { user: location.user }),
    ...(location.password === undefined ? {} : { password: location.password }),
    ...(location.database === undefined ? {} : { database: location.database }),
    ...(location.tls === undefined ? {} : { ssl: location.tls }),
    connectionLimit: poolSize,
    connectTimeout: CONNECT_TIMEOUT_MS,
    maxIdle: Math.max(1, poolSize - 1),
    idleTimeout: IDLE_MS,
    enableKeepAlive: true,
    charset: "utf8mb4_bin",
    timezone: "Z",
    supportBigNumbers: true,
    decimalNumbers: true,
    stringifyObjects: true,
  });
}

type PooledConnection = SqlConnection & { raw: PoolConnection };

export function openPoolSource(
  location: DatabaseLocation,
  poolSize: number,
  words: SessionSyntax,
): { source: ConnectionSource; close: () => Promise<void> } {
  const pool = openPool(location, poolSize);
  /** The statement limit of each session, milliseconds. */
  const sessions = new WeakMap<PoolConnection, number>();
  const openedAt = new WeakMap<PoolConnection, number>();

  const acquire = async (statementTimeoutMs: number): Promise<SqlConnection> => {
    const raw = await connect(pool);
    const execute: SqlConnection["execute"] = (text, parameters) =>
      query(raw, text, parameters, statementTimeoutMs + GRACE_MS);
    try {
      if (!sessions.has(raw)) {
        openedAt.set(raw, performance.now());
        await setUp(execute, words);
      }
      if (sessions.get(raw) !== statementTimeoutMs)
        await execute(`set session ${words.limitStatements(statementTimeoutMs)}`, []);
    } catch (error) {
      raw.destroy();
      throw error;
    }
    sessions.set(raw, statementTimeoutMs);
    const connection: PooledConnection = { raw, openedAt: openedAt.get(raw) ?? 0, execute };
    return connection;
  };
  return { source: { begin: "begin", acquire, release }, close: () => drain(pool) };
}

function release(connection: SqlConnection, broken: boolean): void {
  const { raw } = connection as PooledConnection;
  if (broken) raw.destroy();
  else raw.release();
}

/** The pool itself waits for ever for a free connection or a silent server. */
async function connect(pool: Pool): Promise<PoolConnection> {
  const { promise, resolve, reject } = Promise.withResolvers<PoolConnection>();
  let late = false;
  pool.getConnection((error, raw) => {
    if (error !== null) return reject(error);
    if (late) return raw.release();
    resolve(raw);
  });
  return withTimeout(CONNECT_TIMEOUT_MS, promise, () => {
    late = true;
    throw new DatabaseError("unavailable", new Error(`no connection within ${CONNECT_TIMEOUT_MS} ms`));
  });
}

async function setUp(execute: SqlConnection["execute"], words: SessionSyntax): Promise<void> {
  const { rows } = await execute("select version() as version", []);
  const { version } = rows[0] as { version: string };
  if (!words.recognises(version))
    throw appError(
      "ServiceUnavailable",
      `The database server says its version is ${version}: ${words.expected}`,
    );
  await execute("set session transaction isolation level read committed", []);
  const variables = [
    `sql_mode = '${SQL_MODE}'`,
    `innodb_lock_wait_timeout = ${LOCK_WAIT_SECONDS}`,
    `group_concat_max_len = ${LONGEST_GROUP}`,
  ];
  await execute(`set session ${variables.join(", ")}`, []);
}

function query(
  raw: PoolConnection,
  text: string,
  parameters: readonly unknown[],
  timeoutMs: number,
): Promise<StatementResult> {
  return new Promise((resolve, reject) => {
    // Nothing else ends a query whose server vanished.
    const timer = setTimeout(() => {
      raw.destroy();
      reject(new DatabaseError("timeout", new Error(`no answer within ${timeoutMs} ms`)));
    }, timeoutMs);
    // A destroyed connection never calls back.
    timer.unref();
    raw.query(text, parameters as unknown[], (error, result) => {
      clearTimeout(timer);
      if (error !== null) return reject(error);
      if (Array.isArray(result)) return resolve({ rows: result });
      resolve({ rows: [], affected: result.affectedRows, insertId: result.insertId });
    });
  });
}

/** Waits a while for connections in use. */
async function drain(pool: Pool): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  pool.end(() => resolve());
  await withTimeout(CONNECT_TIMEOUT_MS, promise, () => {});
}
