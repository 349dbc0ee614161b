/** Polls even while the database is away. */
import { isUnavailable } from "../db/failures.ts";
import type { Logger } from "../../lib/logger.ts";

/** Half of the second within which a change must arrive. */
const POLL_MS = 500;

export function createPolling(deps: {
  read: () => Promise<void>;
  /** The next reading does not wait for it. */
  afterwards: () => Promise<void>;
  logger: Logger;
}) {
  const { read, afterwards, logger } = deps;
  let queue: Promise<void> = Promise.resolve();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let running = false;
  let failures = 0;
  let housekeeping: Promise<void> | null = null;

  /** A reading that starts after this call. Rejects if it fails. */
  const poll = (): Promise<void> => {
    const reading = queue.then(read);
    queue = reading.catch(() => {});
    return reading;
  };
  const turn = async (): Promise<void> => {
    try {
      await poll();
      housekeeping ??= keepHouse();
      if (failures > 0) logger.info({ failures }, "the change feed can be read again");
      failures = 0;
    } catch (error) {
      failures += 1;
      if (failures === 1 || !isUnavailable(error))
        logger.warn({ err: error }, "the change feed can't be read");
    }
    if (running) schedule();
  };
  const keepHouse = async (): Promise<void> => {
    try {
      await afterwards();
    } catch (error) {
      if (!isUnavailable(error)) logger.warn({ err: error }, "the change feed can't be pruned");
    } finally {
      housekeeping = null;
    }
  };
  const schedule = (): void => {
    timer = setTimeout(turn, POLL_MS);
    timer.unref();
  };

  return {
    poll,
    /** Reads once and rejects on failure. Then polls. */
    async start(): Promise<void> {
      if (running) return;
      running = true;
      try {
        await poll();
      } catch (error) {
        running = false;
        throw error;
      }
      schedule();
    },
    /** Resolves when nothing runs. */
    async stop(): Promise<void> {
      running = false;
      clearTimeout(timer);
      await queue;
      await housekeeping;
    },
  };
}
