/**
 * A fixed number of connections, one holder each, first come first served. A lane opens its connection on demand, and
 * again after it broke.
 */
import { withTimeout } from "../../../lib/timeout.ts";
import { CONNECT_TIMEOUT_MS, type SqlConnection, type ConnectionSource } from "../driver.ts";
import { DatabaseError } from "../failures.ts";

export type LaneConnection = {
  execute(
    sql: string,
    parameters: readonly unknown[],
    timeoutMs: number,
  ): ReturnType<SqlConnection["execute"]>;
  alive(): boolean;
  close(): Promise<void>;
};

type Lane = { connection: LaneConnection | undefined };
type Waiter = { take: (lane: Lane) => void; fail: (error: unknown) => void };

export type Lanes = ConnectionSource & { close(): Promise<void> };

export function createLanes(settings: { count: number; begin: string; open: () => LaneConnection }): Lanes {
  const free: Lane[] = Array.from({ length: settings.count }, () => ({ connection: undefined }));
  const waiting: Waiter[] = [];
  const held = new Map<SqlConnection, Lane>();
  let closed = false;
  let allFree: (() => void) | undefined;

  const nextLane = (timeoutMs: number): Promise<Lane> => {
    const lane = free.pop();
    if (lane !== undefined) return Promise.resolve(lane);
    return new Promise((resolve, reject) => {
      const leave = () => {
        clearTimeout(timer);
        const at = waiting.indexOf(waiter);
        if (at >= 0) waiting.splice(at, 1);
      };
      const waiter: Waiter = {
        take: (given) => (leave(), resolve(given)),
        fail: (error) => (leave(), reject(error)),
      };
      const timer = setTimeout(() => {
        waiter.fail(new DatabaseError("timeout", new Error("every connection was in use")));
      }, timeoutMs);
      waiting.push(waiter);
    });
  };

  const putBack = (lane: Lane): void => {
    const next = waiting.shift();
    if (next !== undefined) return next.take(lane);
    free.push(lane);
    if (free.length === settings.count) allFree?.();
  };

  return {
    begin: settings.begin,

    async acquire(statementTimeoutMs) {
      if (closed) throw closedError();
      const lane = await nextLane(statementTimeoutMs);
      try {
        if (lane.connection?.alive() !== true) lane.connection = settings.open();
      } catch (error) {
        putBack(lane);
        throw error;
      }
      const opened = lane.connection;
      const connection: SqlConnection = {
        execute: (sql, parameters) => opened.execute(sql, parameters, statementTimeoutMs),
      };
      held.set(connection, lane);
      return connection;
    },

    release(connection, broken) {
      const lane = held.get(connection);
      if (lane === undefined) return;
      held.delete(connection);
      if (broken) {
        void lane.connection?.close();
        lane.connection = undefined;
      }
      putBack(lane);
    },

    async close() {
      if (closed) return;
      closed = true;
      for (const waiter of waiting.splice(0)) waiter.fail(closedError());
      if (free.length < settings.count) {
        const { promise, resolve } = Promise.withResolvers<void>();
        allFree = resolve;
        await withTimeout(CONNECT_TIMEOUT_MS, promise, () => {});
      }
      const lanes = new Set([...free, ...held.values()]);
      await Promise.all([...lanes].map((lane) => lane.connection?.close()));
    },
  };
}

const closedError = () => new DatabaseError("unavailable", new Error("the database was closed"));
