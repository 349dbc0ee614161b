/**
 * Reads from a replica of the database while it follows closely, else from the database itself.
 *
 * A mark in the database, renewed by each look, tells how far the replica is behind. Reports and exports look at most
 * every two seconds. A statement that the replica does not answer is asked of the database. No transactions.
 */
import type { Kysely } from "kysely";
import type { Logger } from "../lib/logger.ts";
import { withTimeout } from "../lib/timeout.ts";
import type { Dialect } from "./dialect.ts";
import type { ConnectionSource, SqlConnection } from "./driver.ts";
import { DatabaseError } from "./failures.ts";
import type { Schema } from "./schema.ts";

/** A replica further behind is not used. */
export const MOST_LAG_MS = 10_000;
const LOOK_MS = 2_000;
/** A look takes no longer; a silent replica is not waited for. */
const DEADLINE_MS = 1_000;
/** For the mark to arrive, before its age is the lag. */
const ARRIVAL_MS = 250;
const POLL_MS = 25;
/** A row of `leases`. */
const MARK = "replica-mark";

export type ReplicaState = {
  /** Null before the first look, and while the replica does not answer. */
  lagMs: number | null;
  isUsed: boolean;
};

export type Replica = { name: string; look(): Promise<ReplicaState> };

type Deps = {
  name: string;
  primary: { read: Kysely<Schema>; write: Kysely<Schema>; dialect: Dialect; source: ConnectionSource };
  replica: { read: Kysely<Schema>; source: ConnectionSource };
  logger: Logger;
};

export function createReplica({ name, primary, replica, logger }: Deps): Replica & { source: ConnectionSource } {
  let state: ReplicaState = { lagMs: null, isUsed: false };
  let lookedAt = Number.NEGATIVE_INFINITY;
  let looking: Promise<ReplicaState> | null = null;

  async function setMark(): Promise<number> {
    const mark = await primary.dialect.currentTime(primary.read);
    const { numUpdatedRows } = await primary.write
      .updateTable("leases")
      .set({ expires_at: mark })
      .where("name", "=", MARK)
      .where("expires_at", "<=", mark)
      .executeTakeFirst();
    if (numUpdatedRows === 0n)
      await primary.dialect.insertIgnore(primary.write, "leases", ["name"], [
        { name: MARK, owner: "", expires_at: mark },
      ]);
    return mark;
  }

  const markOfReplica = async (): Promise<number> => {
    const row = await replica.read
      .selectFrom("leases")
      .select("expires_at")
      .where("name", "=", MARK)
      .executeTakeFirst();
    return row?.expires_at ?? 0;
  };

  async function measure(): Promise<number> {
    const mark = await setMark();
    const begun = performance.now();
    for (;;) {
      const waited = performance.now() - begun;
      const seen = await markOfReplica();
      if (seen >= mark) return Math.round(waited);
      if (waited > ARRIVAL_MS) return Math.round(mark - seen + waited);
      await Bun.sleep(POLL_MS);
    }
  }

  function become(next: ReplicaState, reason?: unknown): ReplicaState {
    if (state.isUsed && !next.isUsed)
      logger.warn({ err: reason, lagMs: next.lagMs }, "reports no longer read from the replica");
    if (!state.isUsed && next.isUsed) logger.info({ lagMs: next.lagMs }, "reports read from the replica");
    state = next;
    lookedAt = performance.now();
    return state;
  }

  async function look(): Promise<ReplicaState> {
    if (performance.now() - lookedAt < LOOK_MS) return state;
    looking ??= withTimeout(DEADLINE_MS, measure(), late)
      .then(
        (lagMs) => become({ lagMs, isUsed: lagMs <= MOST_LAG_MS }),
        (error: unknown) => become({ lagMs: null, isUsed: false }, error),
      )
      .finally(() => (looking = null));
    return looking;
  }

  /** Answers from the database once the replica has failed. */
  function withFallback(first: SqlConnection, statementTimeoutMs: number): Falling {
    const connection: Falling = {
      first,
      second: null,
      async execute(text, parameters) {
        if (connection.second === null) {
          try {
            return await first.execute(text, parameters);
          } catch (error) {
            if (!isOfReplica(error)) throw error;
            become({ lagMs: null, isUsed: false }, error);
            connection.second = await primary.source.acquire(statementTimeoutMs);
          }
        }
        return connection.second.execute(text, parameters);
      },
    };
    return connection;
  }

  /** It went away, or ended the statement because of what it had to apply. */
  const isOfReplica = (error: unknown): boolean => {
    const kind = error instanceof DatabaseError ? error.failure : primary.dialect.classify(error);
    return kind === "unavailable" || kind === "retry";
  };

  return {
    name,
    look,
    source: {
      begin: primary.source.begin,
      async acquire(statementTimeoutMs) {
        const { isUsed } = await look();
        if (isUsed) {
          try {
            return withFallback(await replica.source.acquire(statementTimeoutMs), statementTimeoutMs);
          } catch (error) {
            become({ lagMs: null, isUsed: false }, error);
          }
        }
        const second = await primary.source.acquire(statementTimeoutMs);
        return { first: null, second, execute: second.execute.bind(second) } as Falling;
      },
      release(connection, isBroken) {
        const { first, second } = connection as Falling;
        if (first !== null) replica.source.release(first, isBroken || second !== null);
        if (second !== null) primary.source.release(second, isBroken);
      },
    },
  };
}

type Falling = SqlConnection & { first: SqlConnection | null; second: SqlConnection | null };

const late = (): never => {
  throw new Error("the replica did not answer in time");
};
