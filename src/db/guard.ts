/** Connections that refuse, and give up, while the server is away: see presence.ts. */
import type { Logger } from "../lib/logger.ts";
import { before } from "../lib/timeout.ts";
import type { Backend, Connection, ConnectionSource } from "./driver.ts";
import { createPresence, isAnswer, type Presence, type PresenceLimits } from "./availability.ts";

const PROBE_STATEMENT_MS = 2_000;
const QUICK_MS = 500;

/** The same server, watched over connections of `probing`, a pool of one; closing it closes both. */
export function guardBackend(
  backend: Backend,
  probing: Backend,
  { logger, limits }: { logger: Logger; limits?: Partial<PresenceLimits> },
): Backend {
  const presence = createPresence({ probe: () => probe(probing), logger, ...(limits && { limits }) });
  const guard = (source: ConnectionSource) => guardSource(source, presence);
  return {
    ...backend,
    writer: guard(backend.writer),
    reader: guard(backend.reader),
    async close() {
      presence.stop();
      await Promise.all([backend.close(), probing.close()]);
    },
  };
}

/** A connection that lay idle may have broken unnoticed, so one quick failure proves nothing. */
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
    await before<unknown>(PROBE_STATEMENT_MS, connection.execute(pingSql, []), late);
    isBroken = false;
  } finally {
    reader.release(connection, isBroken);
  }
}

type Guarded = Connection & { inner: Connection; isBroken: boolean };

function guardSource(source: ConnectionSource, presence: Presence): ConnectionSource {
  async function acquire(statementTimeoutMs: number): Promise<Connection> {
    presence.check();
    const taking = source.acquire(statementTimeoutMs);
    const inner = await presence.follow(taking).catch((error: unknown) => {
      // Given up, it may come all the same.
      taking.then(
        (late) => source.release(late, true),
        () => {},
      );
      notice(presence, error);
      throw error;
    });
    if ((inner.openedAt ?? 0) >= presence.backAt()) return guardConnection(inner, presence);
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

function guardConnection(inner: Connection, presence: Presence): Guarded {
  const guarded: Guarded = {
    inner,
    isBroken: false,
    async execute(sql, parameters) {
      try {
        const result = await presence.follow(inner.execute(sql, parameters));
        presence.answered();
        return result;
      } catch (error) {
        // A statement that was given up may still run there.
        if (presence.isAway()) guarded.isBroken = true;
        notice(presence, error);
        throw error;
      }
    },
  };
  return guarded;
}

function notice(presence: Presence, error: unknown): void {
  if (isAnswer(error)) presence.answered();
  else presence.suspect();
}

const late = (): never => {
  throw new Error("no answer in time");
};
