import type { Logger } from "../lib/logger.ts";
import { noAnswer, withTimeout } from "../lib/timeout.ts";
import type { Backend, SqlConnection, ConnectionSource } from "./driver.ts";
import { createAvailability, isAnswer, type Availability, type AvailabilityLimits } from "./availability.ts";
import { DatabaseError } from "./failures.ts";

const PROBE_STATEMENT_MS = 2_000;
const QUICK_MS = 500;

/**
 * Refuses and gives up queries while the server is away (availability.ts), which it watches over `probing`, a pool of
 * one. Closing closes both.
 */
export function guardBackend(
  backend: Backend,
  probing: Backend,
  { logger, limits }: { logger: Logger; limits?: Partial<AvailabilityLimits> },
): Backend {
  const availability = createAvailability({ probe: () => probe(probing), logger, ...(limits && { limits }) });
  const guard = (source: ConnectionSource) => guardSource(source, availability);
  return {
    ...backend,
    writer: guard(backend.writer),
    reader: guard(backend.reader),
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
    await withTimeout<unknown>(PROBE_STATEMENT_MS, connection.execute(pingSql, []), noAnswer);
    isBroken = false;
  } finally {
    reader.release(connection, isBroken);
  }
}

type Guarded = SqlConnection & { inner: SqlConnection; isBroken: boolean };

function guardSource(source: ConnectionSource, availability: Availability): ConnectionSource {
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
        notice(availability, error);
        throw error;
      },
    );
    if ((inner.openedAt ?? 0) >= availability.backAt()) return guardConnection(inner, availability);
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

function guardConnection(inner: SqlConnection, availability: Availability): Guarded {
  const guarded: Guarded = {
    inner,
    isBroken: false,
    async execute(sql, parameters) {
      try {
        availability.check();
        const result = await availability.follow(inner.execute(sql, parameters));
        availability.answered();
        return result;
      } catch (error) {
        // The server may still run a statement that was given up.
        if (availability.isAway()) guarded.isBroken = true;
        notice(availability, error);
        throw error;
      }
    },
  };
  return guarded;
}

function notice(availability: Availability, error: unknown): void {
  if (isAnswer(error)) availability.answered();
  else availability.suspect();
}

const noConnection = (): never => {
  throw new DatabaseError("unavailable", new Error("no connection in time"));
};
