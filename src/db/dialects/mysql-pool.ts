import {
  type Connection,
  type ConnectionOptions,
  createConnection,
  createPool,
  type Pool,
  type PoolConnection,
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
import { ASK_TIMEOUT_MS, createPrimaryFinder, NotPrimary } from "../primary.ts";

export type SessionSyntax = {
  /** Names the server that was expected, for the message about another one. */
  expected: string;
  recognises(version: string): boolean;
  limitStatements(timeoutMs: number): string;
  /** A query for `refusal`: why the server takes no writes, or null. */
  role: string;
  /** Before a query: the server first applies what others of its cluster have confirmed. */
  caughtUp?: string;
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

/** A better one of the servers that take writes may be back. */
const COMPARE_MS = 10_000;

const optionsOf = (location: DatabaseLocation, { host, port }: Address): ConnectionOptions => ({
  ...(location.socket === undefined
    ? { host: host ?? "127.0.0.1", port: port ?? 3306 }
    : { socketPath: location.socket }),
  ...(location.user === undefined ? {} : { user: location.user }),
  ...(location.password === undefined ? {} : { password: location.password }),
  ...(location.tls === undefined ? {} : { ssl: location.tls }),
  connectTimeout: location.addresses.length > 1 ? ASK_TIMEOUT_MS : CONNECT_TIMEOUT_MS,
  charset: "utf8mb4_bin",
});

function openPool(location: DatabaseLocation, address: Address, poolSize: number): Pool {
  return createPool({
    ...optionsOf(location, address),
    ...(location.database === undefined ? {} : { database: location.database }),
    connectionLimit: poolSize,
    maxIdle: Math.max(1, poolSize - 1),
    idleTimeout: IDLE_MS,
    enableKeepAlive: true,
    timezone: "Z",
    supportBigNumbers: true,
    decimalNumbers: true,
    stringifyObjects: true,
  });
}

/** `users` have one of its connections, or wait for one. */
type Server = { pool: Pool; users: number };
type PooledConnection = SqlConnection & { raw: PoolConnection; server: Server };

/** All connections are to one server. After another choice, or its loss, they end when they are released. */
export function openPoolSource(
  location: DatabaseLocation,
  poolSize: number,
  words: SessionSyntax,
): { source: ConnectionSource; close: () => Promise<void> } {
  const finder = createPrimaryFinder({
    addresses: location.addresses,
    ask: (one) => askRole(location, one, words),
  });
  let address = location.addresses[0]!;
  const opened = (): Server => ({ pool: openPool(location, address, poolSize), users: 0 });
  let server = finder.hasChoice ? null : opened();
  let compareAt = 0;
  let isClosed = false;
  /** The statement limit of each session, milliseconds. */
  const sessions = new WeakMap<PoolConnection, number>();
  const openedAt = new WeakMap<PoolConnection, number>();

  async function find(): Promise<Server> {
    const found = await finder.find();
    if (isClosed) throw new DatabaseError("unavailable", new Error("the pool is closed"));
    compareAt = performance.now() + COMPARE_MS;
    if (server !== null && found !== address) leave(server);
    address = found;
    return (server ??= opened());
  }

  function leave(left: Server): void {
    finder.forget();
    if (server !== left) return;
    server = null;
    endUnused(left);
  }

  function endUnused(left: Server): void {
    if (left !== server && left.users === 0) left.pool.end(() => {});
  }

  function leaveUser(left: Server): void {
    left.users--;
    endUnused(left);
  }

  async function acquire(statementTimeoutMs: number): Promise<SqlConnection> {
    const from = server ?? (await find());
    if (finder.hasChoice && performance.now() > compareAt) {
      finder.forget();
      find().catch(() => {});
    }
    try {
      return await connect(from, statementTimeoutMs);
    } catch (error) {
      if (!finder.hasChoice) throw error;
      finder.forget();
      const next = await find();
      if (next === from) throw error;
      return connect(next, statementTimeoutMs);
    }
  }

  async function connect(from: Server, statementTimeoutMs: number): Promise<SqlConnection> {
    from.users++;
    const raw = await take(from.pool).catch((error: unknown) => {
      leaveUser(from);
      throw error;
    });
    const execute: SqlConnection["execute"] = async (text, parameters) => {
      try {
        return await query(raw, text, parameters, statementTimeoutMs + GRACE_MS);
      } catch (error) {
        const { errno = 0, fatal = false } = error as { errno?: number; fatal?: boolean };
        if (finder.hasChoice && (fatal || DEPOSED.has(errno))) leave(from);
        throw error;
      }
    };
    try {
      if (!sessions.has(raw)) {
        openedAt.set(raw, performance.now());
        await setUp(execute, words, finder.hasChoice);
      }
      if (sessions.get(raw) !== statementTimeoutMs)
        await execute(`set session ${words.limitStatements(statementTimeoutMs)}`, []);
    } catch (error) {
      raw.destroy();
      leaveUser(from);
      throw error;
    }
    sessions.set(raw, statementTimeoutMs);
    const connection: PooledConnection = { raw, server: from, openedAt: openedAt.get(raw) ?? 0, execute };
    return connection;
  }

  function release(connection: SqlConnection, broken: boolean): void {
    const { raw, server: from } = connection as PooledConnection;
    if (broken) compareAt = 0;
    if (broken || from !== server) raw.destroy();
    else raw.release();
    leaveUser(from);
  }

  return {
    source: { begin: "begin", acquire, release },
    async close() {
      isClosed = true;
      if (server !== null) await drain(server.pool);
    },
  };
}

/** Out of its cluster, read-only, offline, or unable to ask its group about a commit. */
const DEPOSED = new Set([1047, 1290, 1836, 3032, 3100]);

/** Of several servers that take writes, the first of the URL is the best. */
async function askRole(location: DatabaseLocation, address: Address, words: SessionSyntax): Promise<number> {
  const client = createConnection(optionsOf(location, address));
  const { promise: failed, reject } = Promise.withResolvers<never>();
  client.on("error", reject);
  const asking = query(client, words.role, [], ASK_TIMEOUT_MS).then(({ rows }) => {
    assertWritable(rows[0]);
    return -location.addresses.indexOf(address);
  });
  try {
    return await withTimeout(ASK_TIMEOUT_MS, Promise.race([asking, failed]), () => {
      throw new Error("no answer in time");
    });
  } finally {
    client.destroy();
  }
}

function assertWritable(row: unknown): void {
  const { refusal } = row as { refusal: string | null };
  if (refusal !== null) throw new NotPrimary(refusal);
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

async function setUp(
  execute: SqlConnection["execute"],
  words: SessionSyntax,
  hasChoice: boolean,
): Promise<void> {
  const { rows } = await execute("select version() as version, @@auto_increment_increment as step", []);
  const { version, step } = rows[0] as { version: string; step: number };
  if (!words.recognises(version))
    throw appError(
      "ServiceUnavailable",
      `The database server says its version is ${version}: ${words.expected}`,
    );
  if (hasChoice) assertWritable((await execute(`${words.caughtUp ?? ""} ${words.role}`, [])).rows[0]);
  await execute("set session transaction isolation level read committed", []);
  const variables = [
    `sql_mode = '${SQL_MODE}'`,
    `innodb_lock_wait_timeout = ${LOCK_WAIT_SECONDS}`,
    `group_concat_max_len = ${LONGEST_GROUP}`,
  ];
  // Clusters leave gaps between ids for writers on other members. Ours are on one, and the change feed waits for gaps.
  if (hasChoice && step !== 1) variables.push("auto_increment_increment = 1", "auto_increment_offset = 1");
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
