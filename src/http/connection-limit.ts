/**
 * Keeps the process below its limit of open files, where accepting spins and files can't be opened. Connections may
 * take half of what is free after the start; files and databases need the rest. Beyond, new ones get 503 and idle ones
 * are closed, until an eighth is free again.
 */
import { findListeningSocket, type ListeningSocket } from "../lib/listening-socket.ts";
import type { Logger } from "../lib/logger.ts";
import type { Registry } from "../lib/metrics.ts";
import { countOpenFiles, readOpenFilesLimit } from "../lib/open-files.ts";

const CHECK_MS = 20;
/** The check rests for this multiple of its time, at most LONGEST_REST_MS. */
const REST_FACTOR = 50;
const LONGEST_REST_MS = 250;
const USUAL_BACKLOG = 512;
const REFUSED_A_CHECK = 200;
/** A new connection has this long to send something. */
const SILENT_MS = 2_000;
const CLOSE_IDLE_EVERY_MS = 2_000;
/** Bounds one check. */
const LOOKED_AT_A_CHECK = 500;
const LOG_EVERY_MS = 10_000;

const ANSWER = Buffer.from(
  "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nConnection: close\r\n" +
    "Content-Type: text/plain; charset=utf-8\r\nContent-Length: 19\r\n\r\nService Unavailable",
);

type Deps = {
  socket: ListeningSocket;
  limit: number;
  openFiles(): number;
  /** The client understands an answer before a handshake. */
  isPlain: boolean;
  /** Closes connections that wait for another request. */
  closeIdle(): void;
  logger: Logger;
  /** Milliseconds of any origin. */
  now?: () => number;
};

export type ConnectionLimit = {
  /** Call it every `CHECK_MS`. */
  check(): void;
  /** Refused connections since the start. */
  refused(): number;
};

export function createConnectionLimit(deps: Deps): ConnectionLimit {
  const {
    socket,
    limit,
    openFiles: readCount,
    isPlain,
    closeIdle,
    logger,
    now = () => performance.now(),
  } = deps;
  const base = readCount();
  const bound = base + Math.floor((limit - base) / 2);
  const resumeBelow = base + Math.floor(((bound - base) * 7) / 8);
  let refused = 0;
  let isPaused = false;
  let nextCheck = Number.NEGATIVE_INFINITY;
  let nextClosing = 0;
  let nextLook = 0;
  let nextLog = Number.NEGATIVE_INFINITY;
  let isLogged = false;

  // Checks accept all that wait: at most a quarter of the reserve.
  const backlog = Math.floor((bound - base) / 4);
  if (backlog < USUAL_BACKLOG) socket.setBacklog(backlog);

  function count(): number {
    const began = now();
    const open = readCount();
    nextCheck = now() + Math.min((now() - began) * REST_FACTOR, LONGEST_REST_MS);
    return open;
  }

  function pause(openFiles: number): void {
    socket.pause();
    isPaused = true;
    nextClosing = now();
    isLogged = now() >= nextLog;
    if (!isLogged) return;
    nextLog = now() + LOG_EVERY_MS;
    logger.warn(
      { openFiles, limit, refused },
      "half of the files that the process may open are in use: new connections are refused until others close; raise the limit (LimitNOFILE, ulimit -n)",
    );
  }

  function keepPaused(openFiles: number): void {
    if (openFiles < resumeBelow) {
      socket.resume();
      isPaused = false;
      if (isLogged) logger.warn({ openFiles, limit, refused }, "connections are accepted again");
      return;
    }
    refused += socket.refuse(REFUSED_A_CHECK, isPlain ? ANSWER : null);
    socket.endSilent(nextLook, nextLook + LOOKED_AT_A_CHECK, SILENT_MS);
    nextLook = nextLook + LOOKED_AT_A_CHECK < limit ? nextLook + LOOKED_AT_A_CHECK : 0;
    if (now() < nextClosing) return;
    nextClosing = now() + CLOSE_IDLE_EVERY_MS;
    closeIdle();
  }

  return {
    check() {
      if (now() < nextCheck) return;
      const openFiles = count();
      if (isPaused) keepPaused(openFiles);
      else if (openFiles >= bound) pause(openFiles);
    },
    refused: () => refused,
  };
}

type Guarded = {
  server: { readonly port?: number | undefined; closeIdleConnections(): number };
  isPlain: boolean;
  registry: Registry;
  logger: Logger;
};

/** No effect where the system does not allow it. */
export function startConnectionLimit({ server, isPlain, registry, logger }: Guarded): { close(): void } {
  const socket = findListeningSocket(server.port ?? 0);
  const mostFiles = readOpenFilesLimit();
  const limit =
    socket !== null && mostFiles !== null
      ? createConnectionLimit({
          socket,
          limit: mostFiles,
          openFiles: countOpenFiles,
          isPlain,
          closeIdle: () => server.closeIdleConnections(),
          logger,
        })
      : null;
  registry.observe(
    "counter",
    {
      name: "svc_http_connections_refused_total",
      help: "Connections refused because too many files were open.",
    },
    () => [[[], limit?.refused() ?? 0]],
  );
  if (limit === null) return { close: () => {} };
  const timer = setInterval(limit.check, CHECK_MS);
  timer.unref();
  return { close: () => clearInterval(timer) };
}
