import type { Clock } from "./clock.ts";

const LOG_INTERVAL_MS = 1000;

/** Logs at most once a second, with the number of those between: neither an outage nor a stranger may flood the log. */
export function createFailureLog(
  clock: Clock,
  log: (error: unknown, suppressed: number) => void,
): (error: unknown) => void {
  let silentUntil = 0;
  let suppressed = 0;
  return (error) => {
    const now = clock.now();
    if (now < silentUntil && silentUntil - now <= LOG_INTERVAL_MS) {
      suppressed++;
      return;
    }
    silentUntil = now + LOG_INTERVAL_MS;
    log(error, suppressed);
    suppressed = 0;
  };
}
