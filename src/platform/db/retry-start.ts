import { setTimeout as sleep } from "node:timers/promises";
import { appError } from "../../lib/errors.ts";
import type { Logger } from "../../lib/logger.ts";
import { isForPeople, isUnavailable } from "./failures.ts";

const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 5_000;

type RetryOptions = {
  /** 0: one attempt. */
  forMs: number;
  logger: Logger;
  signal?: AbortSignal | undefined;
};

/**
 * Retries while the database is away, with pauses that grow to five seconds. After `forMs` or on the signal, rejects
 * with ServiceUnavailable and the reason. Other failures pass at once.
 */
export async function retryStart<T>(
  work: () => Promise<T>,
  { forMs, logger, signal }: RetryOptions,
): Promise<T> {
  const begun = performance.now();
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
    try {
      return await work();
    } catch (error) {
      if (!isUnavailable(error) || isForPeople(error)) throw error;
      const waitedMs = Math.round(performance.now() - begun);
      const reason = reasonOf(error);
      if (forMs === 0) throw unavailable(reason, error);
      if (signal?.aborted) throw unavailable(`stopped during the wait; ${reason}`, error);
      if (waitedMs + pause > forMs)
        throw unavailable(`waited ${Math.ceil(forMs / 1000)} s; ${reason}`, error);
      logger.warn({ waitedMs, forMs, reason }, "the database is away; the start waits for it");
      await sleep(pause, undefined, { signal }).catch(() => {});
    }
  }
}

const unavailable = (reason: string, cause: unknown) =>
  appError(
    "ServiceUnavailable",
    `The database is not available (${reason}). Start it, or set database.url to where it is.`,
    { cause },
  );

/** Contains no password. */
function reasonOf(error: unknown): string {
  const { cause } = error as { cause?: unknown };
  const words = cause instanceof Error ? cause.message : "";
  const code = (cause as { code?: unknown } | undefined)?.code;
  return words || (typeof code === "string" ? code : "no answer");
}
