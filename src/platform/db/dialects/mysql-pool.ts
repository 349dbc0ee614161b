import { createPool, type Pool, type PoolConnection } from "mysql2";
import { withTimeout } from "../../../lib/timeout.ts";
import type { Address, DatabaseLocation } from "../database-url.ts";
import { CONNECT_TIMEOUT_MS, type ConnectionSource, type SqlConnection } from "../driver.ts";
import { DatabaseError } from "../failures.ts";
import { createPrimaryFinder } from "../primary.ts";
import { askRole, optionsOf, query, type SessionSyntax, setUp } from "./mysql-session.ts";

/** The server ends a statement at its limit; the client gives up this much later. */
const GRACE_MS = 5_000;
const IDLE_MS = 60_000;
/** A better one of the servers that take writes may be back. */
const COMPARE_MS = 10_000;

function openPool(location: DatabaseLocation, address: Address, poolSize: number): Pool {
  return createPool({
    ...optionsOf(location, address),
    ...(location.database === undefined ? {} : { database: location.database }),
    connectionLimit: poolSize,
    maxIdle: Math.max(1, poolSize - 1),
    idleTimeout: IDLE_MS,
    enableKeepAlive: true,
    timezone: "Z",
    decimalNumbers: true,
    stringifyObjects: true,
  });
}

/** `users` have one of its connections, or wait for one. `running` ends its statements with an error. */
type Server = { address: Address; pool: Pool; users: number; running: Set<(reason: Error) => void> };
type PooledConnection = SqlConnection & { raw: PoolConnection; server: Server };

/**
 * All connections are to one server. After another choice, or its loss, they end when they are released. Statements end
 * at once whose server was left and does not respond: the next server responds meanwhile, so nothing else notices them.
 */
export function openPoolSource(
  location: DatabaseLocation,
  poolSize: number,
  words: SessionSyntax,
): { source: ConnectionSource; close: () => Promise<void> } {
  const finder = createPrimaryFinder({
    addresses: location.addresses,
    ask: (one) => askRole(location, one, words),
    lost: (one) => endStatements([...inUse].filter((left) => left !== server && left.address === one)),
  });
  const opened = (address: Address): Server => ({
    address,
    pool: openPool(location, address, poolSize),
    users: 0,
    running: new Set(),
  });
  let server = finder.hasChoice ? null : opened(location.addresses[0]!);
  const inUse = new Set<Server>();
  let compareAt = 0;
  let isClosed = false;
  /** The statement limit of each session, milliseconds. */
  const sessions = new WeakMap<PoolConnection, number>();
  const openedAt = new WeakMap<PoolConnection, number>();

  async function find(): Promise<Server> {
    const found = await finder.find();
    if (isClosed) throw new DatabaseError("unavailable", new Error("the pool is closed"));
    compareAt = performance.now() + COMPARE_MS;
    if (server !== null && found !== server.address) leave(server);
    return (server ??= opened(found));
  }

  function leave(left: Server): void {
    finder.forget();
    if (server !== left) return;
    server = null;
    endUnused(left);
  }

  function endUnused(left: Server): void {
    if (left.users > 0) return;
    inUse.delete(left);
    if (left !== server) left.pool.end(() => {});
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
    inUse.add(from);
    const raw = await take(from.pool).catch((error: unknown) => {
      leaveUser(from);
      throw error;
    });
    const execute: SqlConnection["execute"] = async (text, parameters) => {
      try {
        return await query(raw, text, parameters, statementTimeoutMs + GRACE_MS, from.running);
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

function endStatements(lost: readonly Server[]): void {
  for (const { running } of lost)
    for (const end of running)
      end(new DatabaseError("unavailable", new Error("the server of the statement is lost")));
}

/** Out of its cluster, read-only, offline, or unable to ask its group about a commit. */
const DEPOSED = new Set([1047, 1290, 1836, 3032, 3100]);

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

/** Waits a while for connections in use. */
async function drain(pool: Pool): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  pool.end(() => resolve());
  await withTimeout(CONNECT_TIMEOUT_MS, promise, () => {});
}
