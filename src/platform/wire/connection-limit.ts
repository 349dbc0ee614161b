/**
 * Keeps the process below its limit of open files, where accepting spins and files can't be opened. Connections may
 * take half of what is free after the start; files and databases need the rest.
 */
import type { Logger } from "../../lib/logger.ts";
import type { Registry } from "../../lib/metrics.ts";
import { countOpenFiles, readOpenFilesLimit } from "../../lib/open-files.ts";

const LOG_EVERY_SECONDS = 10;

/** Of one server. */
export type ConnectionLimit = {
  /** @param second of any clock: files that are none of its connections are counted once in each */
  isFull(connections: number, second: number): boolean;
  /** A connection has ended for lack of room. */
  ended(second: number): void;
};

type Deps = {
  registry: Registry;
  logger: Logger;
  /** Null sets no limit. */
  limit?: number | null;
  openFiles?: () => number;
};

export function createConnectionLimit({
  registry,
  logger,
  limit = readOpenFilesLimit(),
  openFiles = countOpenFiles,
}: Deps) {
  const atStart = openFiles();
  const bound = limit === null ? Number.POSITIVE_INFINITY : atStart + Math.floor((limit - atStart) / 2);
  let ended = 0;
  let nextLog = Number.NEGATIVE_INFINITY;

  registry.observe(
    "counter",
    {
      name: "svc_http_connections_refused_total",
      help: "Connections refused, or ended before a complete request, because too many files were open.",
    },
    () => [[[], ended]],
  );

  function forServer(): ConnectionLimit {
    let others = 0;
    let countedAt = Number.NaN;
    return {
      isFull(connections, second) {
        if (bound === Number.POSITIVE_INFINITY) return false;
        if (countedAt !== second) others = openFiles() - connections;
        countedAt = second;
        return others + connections >= bound;
      },
      ended(second) {
        ended++;
        if (second < nextLog) return;
        nextLog = second + LOG_EVERY_SECONDS;
        logger.warn(
          { limit, ended },
          "half of the files that the process may open are in use: connections without a complete request are ended, and new ones are refused where there are none; raise the limit (LimitNOFILE, ulimit -n)",
        );
      },
    };
  }

  return { ...forServer(), forServer };
}
