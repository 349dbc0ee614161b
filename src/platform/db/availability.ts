/**
 * Watches whether the database server responds, so that no caller waits for one that does not.
 *
 * A refused connection shows at once; a hanging server costs each query its time limit and a connection. So a probe on
 * its own connection asks after a failed connection, and when a caller waits and no statement was completed for half a
 * second. After 1.5 seconds the server counts as away:
 *
 *     new queries      are refused at once
 *     running ones     are given up after 0.4 seconds, even if the server is back: their connection may be dead
 *     the probe        asks four times a second; its first reply ends the outage
 *     old connections  are discarded when next taken: their state is unknown
 *
 * So no caller waits longer than `mostWaitMs`. A server that responds with an error (too many connections, wrong
 * password) is not away, nor is one whose certificate is refused; one that starts or stops is.
 */
import { AppError } from "../../lib/errors.ts";
import type { Logger } from "../../lib/logger.ts";
import { withTimeout } from "../../lib/timeout.ts";
import { DatabaseError, isCertificateRefusal } from "./failures.ts";

export type Availability = ReturnType<typeof createAvailability>;

export type AvailabilityLimits = { beatMs: number; quietMs: number; probeMs: number; giveUpMs: number };

const LIMITS: AvailabilityLimits = { beatMs: 250, quietMs: 500, probeMs: 1_500, giveUpMs: 400 };

export function createAvailability(deps: {
  /** Settles in bounded time. */
  probe: () => Promise<void>;
  logger: Logger;
  limits?: Partial<AvailabilityLimits>;
}) {
  const { probe, logger } = deps;
  const { beatMs, quietMs, probeMs, giveUpMs } = { ...LIMITS, ...deps.limits };
  const underWay = new Set<(reason: unknown) => void>();
  let respondedAt = performance.now();
  let awaySince: number | null = null;
  let reason: unknown;
  let backAt = 0;
  let isStopped = false;
  let isProbing = false;
  let running: Promise<void> | null = null;
  let beat: ReturnType<typeof setTimeout> | undefined;
  let givingUp: ReturnType<typeof setTimeout> | undefined;

  async function ask(): Promise<void> {
    isProbing = true;
    clearTimeout(beat);
    try {
      // A late probe continues; the next beat waits for it.
      running ??= probe().finally(() => (running = null));
      await withTimeout(probeMs, running, late);
      markResponding();
    } catch (error) {
      if (isFromServer(error)) markResponding();
      else markAway(error);
    }
    isProbing = false;
    schedule();
  }

  function schedule(): void {
    if (isStopped) return;
    beat = setTimeout(() => {
      const isQuiet = underWay.size > 0 && performance.now() - respondedAt > quietMs;
      if (awaySince !== null || isQuiet) void ask();
      else schedule();
    }, beatMs);
    beat.unref();
  }

  function markResponding(): void {
    respondedAt = performance.now();
    if (awaySince === null) return;
    backAt = respondedAt;
    logger.info({ awayMs: Math.round(respondedAt - awaySince) }, "the database answers again");
    awaySince = null;
  }

  function markAway(error: unknown): void {
    if (awaySince !== null || isStopped) return;
    awaySince = performance.now();
    reason = error;
    logger.error(
      { err: error },
      "the database does not answer; known links still redirect, everything else is refused",
    );
    const caught = [...underWay];
    clearTimeout(givingUp);
    givingUp = setTimeout(() => {
      for (const reject of caught) reject(away());
    }, giveUpMs);
    givingUp.unref();
  }

  const away = () => new DatabaseError("unavailable", reason);

  schedule();
  return {
    isAway: (): boolean => awaySince !== null,
    /** @throws DatabaseError while it is away */
    check(): void {
      if (awaySince !== null) throw away();
    },
    /** Rejects with a DatabaseError once it gives up. The work continues. */
    follow<T>(work: Promise<T>): Promise<T> {
      const { promise, resolve, reject } = Promise.withResolvers<T>();
      underWay.add(reject);
      work.then(resolve, reject).finally(() => underWay.delete(reject));
      return promise;
    },
    responded: (): void => void (respondedAt = performance.now()),
    suspect(): void {
      if (!isProbing && !isStopped) void ask();
    },
    /** When the server was last back (performance.now()). Older connections are invalid. */
    backAt: (): number => backAt,
    mostWaitMs: quietMs + beatMs + probeMs + giveUpMs,
    stop(): void {
      isStopped = true;
      clearTimeout(beat);
      clearTimeout(givingUp);
    },
  };
}

const late = (): never => {
  throw new Error("no answer to a probe in time");
};

/** A SQLSTATE, except those for starting, stopping and lost connections. */
const ANSWER = /^(?!57P|08S|0800[136])(?=.*\d)[0-9A-Z]{5}$/;

const MYSQL_WITHOUT_TLS = "HANDSHAKE_NO_SSL_SUPPORT";

export function isFromServer(error: unknown): boolean {
  if (error instanceof DatabaseError) return isFromServer(error.cause);
  // Raised by a check of the server, such as its version.
  if (error instanceof AppError || isCertificateRefusal(error)) return true;
  if (MYSQL_WITHOUT_TLS === (error as { code?: unknown } | null)?.code) return true;
  const { code, sqlState } = (error ?? {}) as { code?: unknown; sqlState?: unknown };
  return ANSWER.test(String(sqlState ?? code ?? ""));
}
