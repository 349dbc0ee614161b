/**
 * Whether the database server answers, so that nobody waits for one that does not.
 *
 * A server that refuses is found out by each query at once. One that hangs (a frozen machine, a cable that was cut)
 * costs each query its whole time limit, and a connection of the pool for as long. So there is a probe on a
 * connection of its own. A statement that is answered proves that the server is there; when somebody waits and there
 * was no answer for half a second, and as soon as a connection fails, the probe asks. Unanswered for one and a half
 * seconds, the server counts as away:
 *
 *     new queries      are refused at once
 *     those under way  are given up 0.4 seconds later, even if it is back by then: their connection may be dead
 *     the probe        goes on asking four times a second; its first answer lets everybody in again
 *     connections      from before are thrown away when they are next taken: nobody knows what became of them
 *
 * So nothing waits for a server that hangs longer than `mostWaitMs`, the sum of these times. A connection that can't
 * be had for as long is given up too: a server may answer on those it has and take no new ones.
 *
 * A server that answers with an error (too many connections, wrong password) is there; only one that is just starting
 * or stopping counts as away.
 */
import { AppError } from "../lib/errors.ts";
import type { Logger } from "../lib/logger.ts";
import { withTimeout } from "../lib/timeout.ts";
import { DatabaseError } from "./failures.ts";

export type Availability = {
  isAway(): boolean;
  /** @throws DatabaseError while it is away */
  check(): void;
  /** The work's outcome, or a DatabaseError as soon as it is given up; the work itself goes on unheard. */
  follow<T>(work: Promise<T>): Promise<T>;
  /** A statement was answered. */
  answered(): void;
  /** A connection failed. */
  suspect(): void;
  /** When it was last back, as performance.now(); connections made before it are not to be used. */
  backAt(): number;
  readonly mostWaitMs: number;
  stop(): void;
};

export type AvailabilityLimits = { beatMs: number; quietMs: number; probeMs: number; giveUpMs: number };

const LIMITS: AvailabilityLimits = { beatMs: 250, quietMs: 500, probeMs: 1_500, giveUpMs: 400 };

export function createAvailability(deps: {
  /** Asks the server something; settles in a bounded time, not necessarily soon. */
  probe: () => Promise<void>;
  logger: Logger;
  limits?: Partial<AvailabilityLimits>;
}): Availability {
  const { probe, logger } = deps;
  const { beatMs, quietMs, probeMs, giveUpMs } = { ...LIMITS, ...deps.limits };
  const underWay = new Set<(reason: unknown) => void>();
  let answeredAt = performance.now();
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
      // One that is late goes on; the next beat waits for the same.
      running ??= probe().finally(() => (running = null));
      await withTimeout(probeMs, running, late);
      markAnswering();
    } catch (error) {
      if (isAnswer(error)) markAnswering();
      else markAway(error);
    }
    isProbing = false;
    schedule();
  }

  function schedule(): void {
    if (isStopped) return;
    beat = setTimeout(() => {
      const isQuiet = underWay.size > 0 && performance.now() - answeredAt > quietMs;
      if (awaySince !== null || isQuiet) void ask();
      else schedule();
    }, beatMs);
    beat.unref();
  }

  function markAnswering(): void {
    answeredAt = performance.now();
    if (awaySince === null) return;
    backAt = answeredAt;
    logger.info({ awayMs: Math.round(answeredAt - awaySince) }, "the database answers again");
    awaySince = null;
  }

  function markAway(error: unknown): void {
    if (awaySince !== null || isStopped) return;
    awaySince = performance.now();
    reason = error;
    logger.error(
      { err: error },
      "the database does not answer; known links go on, everything else is refused",
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
    isAway: () => awaySince !== null,
    check() {
      if (awaySince !== null) throw away();
    },
    follow<T>(work: Promise<T>): Promise<T> {
      const { promise, resolve, reject } = Promise.withResolvers<T>();
      underWay.add(reject);
      work.then(resolve, reject).finally(() => underWay.delete(reject));
      return promise;
    },
    answered: () => void (answeredAt = performance.now()),
    suspect() {
      if (!isProbing && !isStopped) void ask();
    },
    backAt: () => backAt,
    mostWaitMs: quietMs + beatMs + probeMs + giveUpMs,
    stop() {
      isStopped = true;
      clearTimeout(beat);
      clearTimeout(givingUp);
    },
  };
}

const late = (): never => {
  throw new Error("no answer to a probe in time");
};

/** A SQLSTATE, except those that say: starting, stopping, connection lost. */
const ANSWER = /^(?!57P|08S|0800[136])(?=.*\d)[0-9A-Z]{5}$/;

/** Whether the error is the server's own word. */
export function isAnswer(error: unknown): boolean {
  if (error instanceof DatabaseError) return isAnswer(error.cause);
  // Said after a look at the server, such as that its version won't do.
  if (error instanceof AppError) return true;
  const { code, sqlState } = (error ?? {}) as { code?: unknown; sqlState?: unknown };
  return ANSWER.test(String(sqlState ?? code ?? ""));
}
