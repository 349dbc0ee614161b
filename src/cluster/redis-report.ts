import type { Logger } from "../lib/logger.ts";

/** Logs once when Redis goes away and once when it is back. */
export function createReport(logger: Logger, where: { purpose: string; redis: string }) {
  let isAway = false;
  return {
    went(error: unknown): void {
      if (!isAway)
        logger.warn({ ...where, err: error }, "Redis is away; continuing without it and reconnecting");
      isAway = true;
    },
    came(): void {
      if (isAway) logger.info(where, "Redis is back");
      isAway = false;
    },
  };
}

/** Host and port, without credentials. */
export function redisAddress(url: string): string {
  const parsed = URL.parse(url);
  return parsed === null ? "unknown" : parsed.host || parsed.pathname;
}
