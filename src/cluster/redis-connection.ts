/**
 * One connection to Redis that may come and go without anybody noticing more than its absence.
 *
 * Bun's client reconnects by itself, but then forgets subscriptions and keeps callers waiting; so here each
 * connection is a client of its own that is thrown away with the first thing that goes wrong: a socket that closes, a
 * command that fails or takes longer than a second, a heartbeat without an answer. The next one is made after a pause
 * that doubles from 50 ms to 5 s, until it has outlived a heartbeat. Between two connections every command is refused
 * at once. A connection is ready only when `prepare` has succeeded on it.
 */
import { RedisClient } from "bun";
import { withTimeout } from "../lib/timeout.ts";
import { appError, messageOf } from "../lib/errors.ts";
import type { Logger } from "../lib/logger.ts";

export type RedisConnection = {
  /**
   * The command's answer. Rejects with ServiceUnavailable at once while Redis is away. When it rejects otherwise
   * nobody knows whether Redis has done it, and the connection is over.
   */
  send(command: string, args: readonly string[]): Promise<unknown>;
  isReady(): boolean;
  /** Whether it answers now; within a second, never rejects. */
  check(): Promise<boolean>;
  /** Resolves when the first attempt has ended, either way. */
  attempted(): Promise<void>;
  close(): void;
};

export type RedisLimits = {
  connectMs: number;
  commandMs: number;
  heartbeatMs: number;
  longestPauseMs: number;
};

const LIMITS: RedisLimits = { connectMs: 2_000, commandMs: 1_000, heartbeatMs: 2_000, longestPauseMs: 5_000 };
const FIRST_PAUSE_MS = 50;

type Options = {
  url: string;
  /** What the connection is for, in the log. */
  purpose: string;
  /** Makes a new connection fit for use; when it rejects the connection is thrown away. */
  prepare?: (client: RedisClient) => Promise<unknown>;
  logger: Logger;
  limits?: Partial<RedisLimits>;
};

/** Begins to connect. @throws BadRequest when the URL can't be used */
export function connectRedis({ url, purpose, prepare, logger, limits }: Options): RedisConnection {
  const { connectMs, commandMs, heartbeatMs, longestPauseMs } = { ...LIMITS, ...limits };
  const report = createReport(logger, { purpose, redis: redisAddress(url) });
  const { promise: attempted, resolve: onAttempted } = Promise.withResolvers<void>();
  let active: RedisClient | null = null;
  let isReady = false;
  let isClosed = false;
  let failures = 0;
  let next: ReturnType<typeof setTimeout> | undefined;

  function connect(): void {
    const client = openClient(url, connectMs);
    active = client;
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- it is no EventTarget
    client.onclose = (error) => lose(client, error);
    withTimeout(connectMs + commandMs, establish(client), late).then(
      () => {
        if (client !== active) return;
        isReady = true;
        report.came();
        onAttempted();
        next = later(beat, heartbeatMs);
      },
      (error: unknown) => lose(client, error),
    );
  }

  async function establish(client: RedisClient): Promise<void> {
    await client.connect();
    // A refused password shows with the first command only.
    await client.send("PING", []);
    await prepare?.(client);
  }

  function lose(client: RedisClient, error: unknown): void {
    if (client !== active) return;
    active = null;
    isReady = false;
    clearTimeout(next);
    client.close();
    onAttempted();
    if (isClosed) return;
    report.went(error);
    const pause = Math.min(FIRST_PAUSE_MS * 2 ** failures, longestPauseMs);
    failures++;
    // Many processes lose it at the same moment; they need not all come back at the same.
    next = later(connect, pause * (0.75 + 0.5 * Math.random()));
  }

  async function send(command: string, args: readonly string[]): Promise<unknown> {
    const client = active;
    if (client === null || !isReady) throw away();
    try {
      return await withTimeout(commandMs, client.send(command, [...args]), late);
    } catch (error) {
      lose(client, error);
      throw appError("ServiceUnavailable", `Redis did not do ${command}.`, { cause: error });
    }
  }

  async function beat(): Promise<void> {
    const isAlive = await check();
    if (!isAlive || isClosed) return;
    failures = 0;
    next = later(beat, heartbeatMs);
  }

  const check = (): Promise<boolean> =>
    send("PING", []).then(
      () => true,
      () => false,
    );

  connect();
  return {
    send,
    isReady: () => isReady,
    check,
    attempted: () => attempted,
    close() {
      isClosed = true;
      clearTimeout(next);
      if (active !== null) lose(active, null);
    },
  };
}

function openClient(url: string, connectionTimeout: number): RedisClient {
  try {
    return new RedisClient(url, { connectionTimeout, autoReconnect: false, enableOfflineQueue: false });
  } catch (error) {
    const reason = messageOf(error);
    throw appError("BadRequest", `cache.redis_url can't be used: ${reason}`);
  }
}

/** Says once that it is away and once that it is back. */
function createReport(logger: Logger, where: { purpose: string; redis: string }) {
  let isAway = false;
  return {
    went(error: unknown): void {
      if (!isAway)
        logger.warn({ ...where, err: error }, "Redis is away; it goes on without, and tries again");
      isAway = true;
    },
    came(): void {
      if (isAway) logger.info(where, "Redis is back");
      isAway = false;
    },
  };
}

/** Host and port without user and password. */
export function redisAddress(url: string): string {
  const parsed = URL.parse(url);
  return parsed === null ? "unknown" : parsed.host || parsed.pathname;
}

function later(run: () => unknown, ms: number): ReturnType<typeof setTimeout> {
  const timer = setTimeout(run, ms);
  // It serves a process that lives for other reasons.
  timer.unref();
  return timer;
}

const away = () => appError("ServiceUnavailable", "Redis is away.");
const late = (): never => {
  throw new Error("no answer in time");
};
