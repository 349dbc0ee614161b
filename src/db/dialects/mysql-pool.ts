import {
  type Connection,
  type ConnectionOptions,
  createConnection,
  createPool,
  type Pool,
  type PoolConnection,
  type PoolOptions,
} from "mysql2";
import { appError } from "../../lib/errors.ts";
import type { Address, DatabaseLocation } from "../database-url.ts";
import { withTimeout } from "../../lib/timeout.ts";
import {
  CONNECT_TIMEOUT_MS,
  type SqlConnection,
  type ConnectionSource,
  type StatementResult,
} from "../driver.ts";
import { DatabaseError } from "../failures.ts";
import { ASK_TIMEOUT_MS, createPrimaryFinder } from "../primary.ts";

export type SessionSyntax = {
  /** Names the server that was expected, for the message about another one. */
  expected: string;
  recognises(version: string): boolean;
  limitStatements(timeoutMs: number): string;
  /**
   * Rejects if the server does not take writes. With `caughtUp` it waits until the server has all that others of its
   * cluster confirmed.
   */
  assertWritable(execute: SqlConnection["execute"], caughtUp: boolean): Promise<void>;
  /** How many sessions of this account use the database, if several members of the cluster may take writes. */
  countSessions(execute: SqlConnection["execute"], database: string): Promise<number>;
};

/** The server ends a statement at its limit; the client gives up this much later. */
const GRACE_MS = 5_000;
const IDLE_MS = 60_000;
/** Longer than an import's chunk holds its rows, shorter than a statement may take. */
const LOCK_WAIT_SECONDS = 20;
/** The bound of joinTexts. */
const LONGEST_GROUP = 1_048_576;
/** How long a connection trusts that its server takes writes, and a pool that its server is the best. */
const CHECK_MS = 1_000;
const COMPARE_MS = 10_000;
/** Clusters skip ids so that several members can insert. All of ours use one, and the change feed waits for gaps. */
const EVERY_ID = ["auto_increment_increment = 1", "auto_increment_offset = 1"];
const SQL_MODE =
  "STRICT_ALL_TABLES,ONLY_FULL_GROUP_BY,NO_ZERO_IN_DATE,NO_ZERO_DATE,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION";

type Server = Pick<PoolOptions, "host" | "port" | "socketPath">;

const optionsFor = (location: DatabaseLocation, { host, port }: Address): ConnectionOptions & Server => ({
  ...(location.socket === undefined
    ? { host: host ?? "127.0.0.1", port: port ?? 3306 }
    : { socketPath: location.socket }),
  ...(location.user === undefined ? {} : { user: location.user }),
  ...(location.password === undefined ? {} : { password: location.password }),
  ...(location.tls === undefined ? {} : { ssl: location.tls }),
  charset: "utf8mb4_bin",
  timezone: "Z",
  supportBigNumbers: true,
  decimalNumbers: true,
  stringifyObjects: true,
});

function openPool(location: DatabaseLocation, address: Address, poolSize: number): Pool {
  return createPool({
    ...optionsFor(location, address),
    ...(location.database === undefined ? {} : { database: location.database }),
    connectionLimit: poolSize,
    connectTimeout: location.addresses.length > 1 ? ASK_TIMEOUT_MS : CONNECT_TIMEOUT_MS,
    maxIdle: Math.max(1, poolSize - 1),
    idleTimeout: IDLE_MS,
    enableKeepAlive: true,
  });
}

/** `limitMs`: of its statements. `checkedAt`: when the server said that it takes writes. */
type Session = { openedAt: number; limitMs: number; checkedAt: number };
type PooledConnection = SqlConnection & { raw: PoolConnection; pool: Pool };

/**
 * Of several servers, all connections are to the one that takes writes. Each connection asks its server again after a
 * second, so that one that lost its role is left although it answers. Leaving closes the pool.
 */
export function openPoolSource(
  location: DatabaseLocation,
  poolSize: number,
  words: SessionSyntax,
): { source: ConnectionSource; close: () => Promise<void> } {
  const finder = createPrimaryFinder({
    addresses: location.addresses,
    ask: (address) => askRole(location, address, words),
  });
  let active = location.addresses[0]!;
  let pool = finder.hasChoice ? null : openPool(location, active, poolSize);
  let isClosed = false;
  let comparedAt = performance.now();
  const sessions = new WeakMap<PoolConnection, Session>();

  async function find(): Promise<Pool> {
    const address = await finder.find();
    if (isClosed) throw new DatabaseError("unavailable", new Error("the pool is closed"));
    comparedAt = performance.now();
    if (pool !== null && address !== active) leave(pool);
    active = address;
    pool ??= openPool(location, address, poolSize);
    return pool;
  }

  function leave(left: Pool): void {
    finder.forget();
    if (pool !== left) return;
    pool = null;
    left.end();
  }

  async function acquire(statementTimeoutMs: number): Promise<SqlConnection> {
    const used = pool ?? (await find());
    if (finder.hasChoice && performance.now() - comparedAt > COMPARE_MS) {
      comparedAt = performance.now();
      finder.forget();
      find().catch(() => {});
    }
    try {
      return await connect(used, statementTimeoutMs);
    } catch (error) {
      if (finder.hasChoice) leave(used);
      throw error;
    }
  }

  async function connect(from: Pool, statementTimeoutMs: number): Promise<SqlConnection> {
    const raw = await take(from);
    const run: SqlConnection["execute"] = (text, parameters) =>
      query(raw, text, parameters, statementTimeoutMs + GRACE_MS);
    try {
      const session = sessions.get(raw) ?? { openedAt: performance.now(), limitMs: 0, checkedAt: 0 };
      if (!sessions.has(raw)) await setUp(run, words);
      if (finder.hasChoice && performance.now() - session.checkedAt > CHECK_MS) {
        const ask: typeof run = (text, parameters) => query(raw, text, parameters, ASK_TIMEOUT_MS);
        await words.assertWritable(ask, session.checkedAt === 0);
        session.checkedAt = performance.now();
      }
      if (session.limitMs !== statementTimeoutMs)
        await run(`set session ${words.limitStatements(statementTimeoutMs)}`, []);
      session.limitMs = statementTimeoutMs;
      sessions.set(raw, session);
      const execute: typeof run = finder.hasChoice ? watched(run, () => leave(from)) : run;
      const connection: PooledConnection = { raw, pool: from, openedAt: session.openedAt, execute };
      return connection;
    } catch (error) {
      raw.destroy();
      throw error;
    }
  }

  function release(connection: SqlConnection, broken: boolean): void {
    const { raw, pool: from } = connection as PooledConnection;
    if (broken) finder.forget();
    if (broken || from !== pool) raw.destroy();
    else raw.release();
  }

  return {
    source: { begin: "begin", acquire, release },
    async close() {
      isClosed = true;
      if (pool !== null) await drain(pool);
    },
  };
}

export const readOnly = (): DatabaseError => new DatabaseError("unavailable", new Error("it is read-only"));

/** Read-only, going offline, out of its cluster, or unable to confirm a commit. */
const DEPOSED = new Set([1047, 1290, 1836, 3032, 3100, 3101]);

function watched(execute: SqlConnection["execute"], leave: () => void): SqlConnection["execute"] {
  return async (text, parameters) => {
    try {
      return await execute(text, parameters);
    } catch (error) {
      const { errno = 0, fatal = false } = error as { errno?: number; fatal?: boolean };
      if (DEPOSED.has(errno) || fatal) leave();
      throw error;
    }
  };
}

/** See PrimaryFinder. Without the database's name, so that this session is not one of those that are counted. */
async function askRole(location: DatabaseLocation, address: Address, words: SessionSyntax): Promise<number> {
  const client = createConnection({ ...optionsFor(location, address), connectTimeout: ASK_TIMEOUT_MS });
  const { promise: failed, reject } = Promise.withResolvers<never>();
  client.on("error", reject);
  failed.catch(() => {});
  const ask: SqlConnection["execute"] = (text, parameters) => query(client, text, parameters, ASK_TIMEOUT_MS);
  const asking = async () => {
    await words.assertWritable(ask, false);
    const sessions = await words.countSessions(ask, location.database ?? "");
    return sessions * location.addresses.length - location.addresses.indexOf(address);
  };
  try {
    return await withTimeout(ASK_TIMEOUT_MS, Promise.race([asking(), failed]), () => {
      throw new Error("no answer in time");
    });
  } finally {
    client.destroy();
  }
}

/** The pool itself waits for ever for a free connection or a silent server. */
async function take(pool: Pool): Promise<PoolConnection> {
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
  const { rows } = await execute("select version() as version, @@auto_increment_increment as step", []);
  const { version, step } = rows[0] as { version: string; step: number };
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
  if (step !== 1) variables.push(...EVERY_ID);
  await execute(`set session ${variables.join(", ")}`, []);
}

function query(
  raw: Connection,
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
