/** Connections to the server that takes writes. */
import {
  Client,
  type ClientConfig,
  type CustomTypesConfig,
  Pool,
  type PoolClient,
  types as pgTypes,
} from "pg";
import type { Logger } from "../../../lib/logger.ts";
import { throwTimeout, withTimeout } from "../../../lib/timeout.ts";
import { type Address, addressName, type DatabaseLocation } from "../database-url.ts";
import {
  CONNECT_TIMEOUT_MS,
  type ConnectionSource,
  type SqlConnection,
  STATEMENT_TIMEOUT_MS,
} from "../driver.ts";
import { DatabaseError } from "../failures.ts";
import { ASK_TIMEOUT_MS, createPrimaryFinder, NotPrimary } from "../primary.ts";

/** As in mysql-pool.ts. */
const GRACE_MS = 5_000;
const IDLE_MS = 30_000;
/** A commit waits for ever when no standby confirms it, as on a primary that was replaced without its knowledge. */
const COMMIT_MS = 20_000;

/** All stay below 2^53. */
const NUMBERS = new Set<number>([pgTypes.builtins.INT8, pgTypes.builtins.NUMERIC]);
const types: CustomTypesConfig = {
  getTypeParser: (oid: number, format?: "text" | "binary") =>
    NUMBERS.has(oid) ? Number : pgTypes.getTypeParser(oid, format as "text"),
};

const ROLE = `pg_is_in_recovery() as "isStandby", current_setting('transaction_read_only') = 'on' as "isReadOnly"`;
/** Given at the start of a session, and no value that somebody would set: so a session shows whether it got it. */
const SESSION_MARK_MS = STATEMENT_TIMEOUT_MS + 1;
const IS_OWN = `(select setting = '${SESSION_MARK_MS}' from pg_settings where name = 'statement_timeout')`;
/** Sums of 100,000 links are grouped through files with the usual 4 MB. A higher setting stays. */
const SET_UP = `select ${ROLE}, ${IS_OWN} as "isOwn", (select set_config('work_mem', '16MB', false) from pg_settings
  where name = 'work_mem' and setting::bigint < 16384 and ${IS_OWN})`;
const limitStatements = (ms: number): string => `set statement_timeout = ${ms}`;
/** Each failover begins a new timeline. Some services of the cloud do not report it. */
const TIMELINE = `select ('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::bigint as term`;

const STEPPED_BACK =
  "the database server that takes writes is on an older timeline than the one before it, so changes that were answered may be lost: compare the two servers before the other one joins again (docs/failover.md)";

type Role = { isStandby: boolean; isReadOnly: boolean };

type State = {
  openedAt: number;
  timeoutMs: number;
  isSetUp: boolean;
  /** False behind a pooler that drops what a session sets at its start, and may give the session to other clients. */
  isOwn: boolean;
  isUnconfirmed: boolean;
};
const newState = (): State => ({
  openedAt: performance.now(),
  timeoutMs: STATEMENT_TIMEOUT_MS,
  isSetUp: false,
  isOwn: true,
  isUnconfirmed: false,
});
type PooledConnection = SqlConnection & { client: PoolClient };

export function openPrimarySource(
  location: DatabaseLocation,
  poolSize: number,
  logger: Logger,
): { source: ConnectionSource; close: () => Promise<void> } {
  const basic: ClientConfig = {
    user: location.user,
    password: location.password,
    database: location.database,
    ssl: location.tls ?? false,
    application_name: "waymark",
    keepAlive: true,
    types,
  };
  const at = ({ host, port }: Address) => ({ host: location.socket ?? host, port });
  const finder = createPrimaryFinder({
    addresses: location.addresses,
    ask: (one) => askRole({ ...basic, ...at(one) }),
    steppedBack: (...step) => warnOfStepBack(logger, ...step),
  });
  let address = location.addresses[0]!;
  /** Connections that were opened before are to servers that lost their role. */
  let validSince = 0;
  const states = new WeakMap<PoolClient, State>();

  class PrimaryClient extends ClosingClient {
    constructor(config?: ClientConfig) {
      const limit = finder.hasChoice ? { connectionTimeoutMillis: ASK_TIMEOUT_MS } : {};
      // The pool hides the password from a copy.
      super({ ...config, ...basic, ...at(address), ...limit });
    }
  }
  const pool = new Pool({
    ...basic,
    max: poolSize,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    idleTimeoutMillis: IDLE_MS,
    statement_timeout: SESSION_MARK_MS,
    Client: PrimaryClient,
  });
  pool.on("error", (error) => logger.warn({ err: error }, "an idle database connection was lost"));
  pool.on("connect", (client) => {
    const state = newState();
    states.set(client, state);
    client.on("notice", ({ routine }) => (state.isUnconfirmed ||= routine === "SyncRepWaitForLSN"));
  });

  function leave(): void {
    validSince = performance.now();
    finder.forget();
  }

  async function connect(): Promise<PoolClient> {
    if (pool.idleCount === 0 && pool.totalCount < poolSize) address = await finder.find();
    return pool.connect();
  }

  async function take(): Promise<PoolClient> {
    for (;;) {
      const client = await connect().catch((error: unknown) => {
        finder.forget();
        // The choice may be older than its failure.
        if (finder.hasChoice && !(error instanceof DatabaseError)) return connect();
        throw error;
      });
      if (states.get(client)!.openedAt >= validSince) return client;
      client.release(true);
    }
  }

  async function setUp(client: PoolClient, state: State, statementTimeoutMs: number): Promise<void> {
    if (!state.isSetUp) {
      const { rows } = await execute(client, state, SET_UP, [], ASK_TIMEOUT_MS + GRACE_MS);
      const { isOwn, ...role } = rows[0] as Role & { isOwn: boolean };
      if (finder.hasChoice) assertWritable(role);
      Object.assign(state, { isOwn, isSetUp: true });
    }
    if (!state.isOwn || state.timeoutMs === statementTimeoutMs) return;
    await execute(client, state, limitStatements(statementTimeoutMs), [], statementTimeoutMs + GRACE_MS);
    state.timeoutMs = statementTimeoutMs;
  }

  return {
    source: {
      begin: "begin",
      async acquire(statementTimeoutMs) {
        const client = await take();
        const state = states.get(client)!;
        listen(client, logger);
        try {
          await setUp(client, state, statementTimeoutMs);
        } catch (error) {
          finder.forget();
          client.release(true);
          throw error;
        }
        const connection: PooledConnection = {
          client,
          openedAt: state.openedAt,
          async execute(text, parameters) {
            const limit = text === "commit" ? COMMIT_MS : statementTimeoutMs + GRACE_MS;
            try {
              return await execute(client, state, text, parameters, limit);
            } catch (error) {
              if (isDeposed(error)) leave();
              throw error;
            }
          },
        };
        return connection;
      },
      release(connection, broken) {
        const { client, openedAt = 0 } = connection as PooledConnection;
        if (broken) finder.forget();
        client.release(broken || openedAt < validSince);
      },
    },
    close: () => drain(pool),
  };
}

function warnOfStepBack(logger: Logger, server: Address, timeline: number, formerTimeline: number): void {
  logger.warn({ server: addressName(server), timeline, formerTimeline }, STEPPED_BACK);
}

/**
 * The pool gives a callback. After an error of the client, such as a password that is missing, the connection would
 * stay open until the server's limit for signing in, and what drops a database there would wait for it.
 */
class ClosingClient extends Client {
  override connect(done?: Parameters<Client["connect"]>[0]): Promise<Client> & void {
    const connected = (error: Error | null) => {
      if (error !== null) socketOf(this)?.destroy();
      (done as (error: Error | null, client?: Client) => void)(error, this);
    };
    return (done === undefined ? super.connect() : super.connect(connected)) as Promise<Client> & void;
  }
}

/** A client in use has no other error listener. */
function listen(client: PoolClient, logger: Logger): void {
  if (client.listenerCount("error") === 0)
    client.on("error", (error) => logger.debug({ err: error }, "lost"));
}

/** The server's timeline, 0 if it does not report it. */
async function askRole(config: ClientConfig): Promise<number> {
  const client = new Client({
    ...config,
    connectionTimeoutMillis: ASK_TIMEOUT_MS,
    query_timeout: ASK_TIMEOUT_MS,
  });
  // Errors reach the calls below too.
  client.on("error", () => {});
  const asking = async () => {
    await client.connect();
    const { rows } = await client.query<Role>(`select ${ROLE}`);
    assertWritable(rows[0]);
    return client.query<{ term: number }>(TIMELINE).then(
      (result) => result.rows[0]?.term ?? 0,
      () => 0,
    );
  };
  try {
    return await withTimeout(ASK_TIMEOUT_MS, asking(), throwTimeout);
  } finally {
    socketOf(client)?.destroy();
  }
}

function assertWritable(role: Role | undefined): void {
  if (role?.isStandby) throw new NotPrimary("it is a standby");
  if (role?.isReadOnly) throw new NotPrimary("it is read-only");
}

/** The server lost its role, or may have: all connections to it are useless. */
const isDeposed = (error: unknown): boolean =>
  (error as { code?: unknown }).code === "25006" || error instanceof UnconfirmedCommit;

/** It may have happened, and the next primary may lack it. */
class UnconfirmedCommit extends DatabaseError {
  constructor() {
    super("unavailable", new Error("no standby confirmed the commit in time"));
  }
}

async function execute(
  client: PoolClient,
  state: State,
  text: string,
  parameters: readonly unknown[],
  timeoutMs: number,
) {
  let isLate = false;
  // As in mysql-pool.ts.
  const timer = setTimeout(() => {
    isLate = true;
    socketOf(client)?.destroy();
  }, timeoutMs);
  try {
    const { command, rowCount, rows } = await client.query(text, parameters as unknown[]);
    if (state.isUnconfirmed) throw new UnconfirmedCommit();
    // In a failed transaction PostgreSQL responds to `commit` with a rollback.
    if (text === "commit" && command !== "COMMIT")
      throw new Error("The transaction had failed and was rolled back.");
    return { rows: rows ?? [], affected: WRITES.has(command) ? (rowCount ?? undefined) : undefined };
  } catch (error) {
    throw isLate && text === "commit" ? new UnconfirmedCommit() : error;
  } finally {
    clearTimeout(timer);
  }
}

const WRITES = new Set(["INSERT", "UPDATE", "DELETE", "MERGE"]);

const socketOf = (client: Client): { destroy(): void } | undefined =>
  (client as unknown as { connection?: { stream?: { destroy(): void } } }).connection?.stream;

/** As in mysql-pool.ts. */
async function drain(pool: Pool): Promise<void> {
  if (pool.ending) return;
  await withTimeout(CONNECT_TIMEOUT_MS, pool.end(), () => {});
}
