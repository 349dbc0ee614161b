import type { Logger } from "../../lib/logger.ts";
import { throwTimeout, withTimeout } from "../../lib/timeout.ts";
import type { Backend, SqlConnection, ConnectionSource } from "./driver.ts";
import {
  createAvailability,
  isFromServer,
  type Availability,
  type AvailabilityLimits,
} from "./availability.ts";
import { DatabaseError, type Translation } from "./failures.ts";

const PROBE_STATEMENT_MS = 2_000;
const QUICK_MS = 500;

/**
 * Refuses and gives up queries while the server is away (availability.ts), which it watches over `probing`, a pool of
 * one, and remembers why the server refuses. Closing closes both.
 */
export function guardBackend(
  backend: Backend,
  probing: Backend,
  {
    logger,
    limits,
    explainRefusal = () => null,
  }: { logger: Logger; limits?: Partial<AvailabilityLimits> } & Pick<Translation, "explainRefusal">,
): Backend {
  const refusals = createRefusals(logger, explainRefusal);
  const availability = createAvailability({ probe: () => probe(probing), logger, ...(limits && { limits }) });
  const guard = (source: ConnectionSource) => guardSource(source, { availability, refusals });
  return {
    ...backend,
    writer: guard(backend.writer),
    reader: guard(backend.reader),
    refusal: refusals.current,
    async close() {
      availability.stop();
      await Promise.all([backend.close(), probing.close()]);
    },
  };
}

/** One quick failure proves nothing: an idle connection may have broken unnoticed. */
async function probe(backend: Backend): Promise<void> {
  const begun = performance.now();
  try {
    await ask(backend);
  } catch (error) {
    if (performance.now() - begun > QUICK_MS) throw error;
    await ask(backend);
  }
}

async function ask({ reader, pingSql }: Backend): Promise<void> {
  const connection = await reader.acquire(PROBE_STATEMENT_MS);
  let isBroken = true;
  try {
    await withTimeout<unknown>(PROBE_STATEMENT_MS, connection.execute(pingSql, []), throwTimeout);
    isBroken = false;
  } finally {
    reader.release(connection, isBroken);
  }
}

type Refusals = ReturnType<typeof createRefusals>;

/** Logs the first refusal, and the first new connection after it. Older connections may outlive it. */
function createRefusals(logger: Logger, explain: (error: unknown) => string | null) {
  let current: string | null = null;
  let since = 0;
  return {
    current: (): string | null => current,
    notice(error: unknown): void {
      const refusal = error instanceof DatabaseError ? error.refusal : explain(error);
      if (refusal === null) return;
      if (refusal !== current) logger.error(refusal);
      current = refusal;
      since = performance.now();
    },
    connected(openedAt: number): void {
      if (current === null || openedAt < since) return;
      current = null;
      logger.info("the database accepts connections again");
    },
  };
}

type Watchers = { availability: Availability; refusals: Refusals };

type Guarded = SqlConnection & { inner: SqlConnection; isBroken: boolean };

function guardSource(source: ConnectionSource, watchers: Watchers): ConnectionSource {
  const { availability, refusals } = watchers;
  async function acquire(statementTimeoutMs: number): Promise<SqlConnection> {
    availability.check();
    const taking = source.acquire(statementTimeoutMs);
    const inner = await withTimeout(availability.mostWaitMs, availability.follow(taking), noConnection).catch(
      (error: unknown) => {
        // A connection that was given up may still arrive.
        taking.then(
          (late) => source.release(late, availability.isAway()),
          () => {},
        );
        notice(watchers, error);
        throw error;
      },
    );
    refusals.connected(inner.openedAt ?? 0);
    if ((inner.openedAt ?? 0) >= availability.backAt()) return guardConnection(inner, watchers);
    source.release(inner, true);
    return acquire(statementTimeoutMs);
  }
  return {
    begin: source.begin,
    acquire,
    release(connection, broken) {
      const { inner, isBroken } = connection as Guarded;
      source.release(inner, broken || isBroken);
    },
  };
}

function guardConnection(inner: SqlConnection, watchers: Watchers): Guarded {
  const { availability } = watchers;
  const guarded: Guarded = {
    inner,
    isBroken: false,
    async execute(sql, parameters) {
      try {
        availability.check();
        const result = await availability.follow(inner.execute(sql, parameters));
        availability.responded();
        return result;
      } catch (error) {
        // The server may still run a statement that was given up.
        if (availability.isAway()) guarded.isBroken = true;
        notice(watchers, error);
        throw error;
      }
    },
  };
  return guarded;
}

function notice({ availability, refusals }: Watchers, error: unknown): void {
  refusals.notice(error);
  if (isFromServer(error)) availability.responded();
  else availability.suspect();
}

const noConnection = (): never => {
  throw new DatabaseError("unavailable", new Error("no connection in time"));
};
