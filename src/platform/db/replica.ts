/**
 * Reads from a replica of the database while it follows closely, else from the database itself.
 *
 * A mark in the database, renewed by each look, tells how far the replica is behind, or a little more: its age when it
 * does not arrive at once. Reports and exports look at most every two seconds. A statement that the replica does not
 * complete goes to the database, so only transactions that read may use it.
 */
import { currentTime } from "./queries.ts";
import type { Kysely } from "kysely";
import type { Logger } from "../../lib/logger.ts";
import { withTimeout } from "../../lib/timeout.ts";
import type { Dialect, Replica, ReplicaState } from "./dialect.ts";
import type { ConnectionSource, SqlConnection } from "./driver.ts";
import { DatabaseError } from "./failures.ts";
import type { Schema } from "./schema.ts";

/** A replica further behind is not used. */
export const MOST_LAG_MS = 10_000;
const LOOK_MS = 2_000;
/** An older observation means nothing. */
const STALE_MS = 10_000;
/** A look takes no longer; a silent replica is not waited for. */
const DEADLINE_MS = 1_000;
/** How long the mark may take to arrive, before its age is the lag. */
const ARRIVAL_MS = 250;
const POLL_MS = 25;
/** A row of `leases`. */
const MARK = "replica-mark";

type Deps = {
  name: string;
  primary: { read: Kysely<Schema>; write: Kysely<Schema>; dialect: Dialect; source: ConnectionSource };
  replica: { read: Kysely<Schema>; source: ConnectionSource };
  logger: Logger;
};

export function createReplica({
  name,
  primary,
  replica,
  logger,
}: Deps): Replica & { source: ConnectionSource } {
  let state: ReplicaState = { lagMs: null, isUsed: false };
  let lookedAt = Number.NEGATIVE_INFINITY;
  let looking: Promise<ReplicaState> | null = null;

  function become(next: ReplicaState, reason?: unknown): ReplicaState {
    const facts = { err: reason, replica: name, lagMs: next.lagMs };
    if (state.isUsed && !next.isUsed) logger.warn(facts, "reports read from the database, not the replica");
    if (!state.isUsed && next.isUsed) logger.info(facts, "reports read from the replica");
    state = next;
    lookedAt = performance.now();
    return state;
  }

  const age = (): number => performance.now() - lookedAt;

  async function look(): Promise<ReplicaState> {
    if (age() < LOOK_MS) return state;
    looking ??= withTimeout(DEADLINE_MS, measureLag(primary, replica.read), late)
      .then(
        (lagMs) => become({ lagMs, isUsed: lagMs !== null && lagMs <= MOST_LAG_MS }),
        (error: unknown) => become({ lagMs: null, isUsed: false }, error),
      )
      .finally(() => (looking = null));
    return looking;
  }

  function last(): ReplicaState {
    void look();
    return state;
  }

  /** Replies from the database once the replica has failed. */
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
    return kind === "unavailable" || kind === "refused" || kind === "retry";
  };

  return {
    look,
    last,
    source: {
      begin: primary.source.begin,
      async acquire(statementTimeoutMs) {
        // A replica that hangs delays one report, not each.
        const { isUsed } = age() < STALE_MS ? last() : await look();
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

/** Milliseconds, or null if the replica has no mark. */
async function measureLag(primary: Deps["primary"], replica: Kysely<Schema>): Promise<number | null> {
  const mark = await setMark(primary);
  const begun = performance.now();
  for (;;) {
    const waited = performance.now() - begun;
    const row = await replica
      .selectFrom("leases")
      .select("expires_at")
      .where("name", "=", MARK)
      .executeTakeFirst();
    const seen = row?.expires_at ?? 0;
    if (seen >= mark) return Math.round(waited);
    if (waited > ARRIVAL_MS) return seen === 0 ? null : Math.round(mark - seen + waited);
    await Bun.sleep(POLL_MS);
  }
}

async function setMark({ read, write, dialect }: Deps["primary"]): Promise<number> {
  const mark = await currentTime(read, dialect);
  const { numUpdatedRows } = await write
    .updateTable("leases")
    .set({ expires_at: mark })
    .where("name", "=", MARK)
    .where("expires_at", "<=", mark)
    .executeTakeFirst();
  if (numUpdatedRows === 0n)
    await dialect.insertIgnore(write, "leases", ["name"], [{ name: MARK, owner: "", expires_at: mark }]);
  return mark;
}

type Falling = SqlConnection & { first: SqlConnection | null; second: SqlConnection | null };

const late = (): never => {
  throw new Error("the replica did not answer in time");
};
