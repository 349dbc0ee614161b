import type { Clock } from "../lib/clock.ts";
import type { Logger } from "../lib/logger.ts";

const LOG_INTERVAL_MS = 1000;

/** Logs at most once a second: an outage must not flood the log. */
export function createFailureLog(logger: Logger, clock: Clock): (error: unknown) => void {
  let silentUntil = 0;
  let suppressed = 0;
  return (error) => {
    const now = clock.now();
    if (now < silentUntil && silentUntil - now <= LOG_INTERVAL_MS) {
      suppressed++;
      return;
    }
    silentUntil = now + LOG_INTERVAL_MS;
    logger.error({ err: error, suppressed }, "a redirect failed: the link could not be looked up");
    suppressed = 0;
  };
}
