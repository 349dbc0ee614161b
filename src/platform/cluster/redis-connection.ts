/**
 * Bun's client reconnects, but loses subscriptions and blocks callers. So each connection is a client of its own,
 * discarded at the first problem: a closed socket, a failed command, one slower than a second, a missed heartbeat. The
 * next follows after 50 ms to 5 s; the pause doubles until a connection outlives a heartbeat. Each connection asks the
 * Sentinels of the URL, if it names some, for the master.
 */
import { RedisClient } from "bun";
import { noAnswer, withTimeout } from "../../lib/timeout.ts";
import { appError, messageOf } from "../../lib/errors.ts";
import type { Logger } from "../../lib/logger.ts";
import { explainRedisReply, findRedisRefusal } from "./redis-refusal.ts";
import { findMaster, sentinelsOf } from "./redis-sentinel.ts";

const LIMITS = { connectMs: 2_000, commandMs: 1_000, heartbeatMs: 2_000, longestPauseMs: 5_000 };
export type RedisLimits = typeof LIMITS;

const FIRST_PAUSE_MS = 50;

type Options = {
  url: string;
  purpose: string;
  /** On rejection the connection is discarded. */
  prepare?: (client: RedisClient) => Promise<unknown>;
  logger: Logger;
  limits?: Partial<RedisLimits>;
};

/** @throws BadRequest for an invalid URL */
export function connectRedis({ url, purpose, prepare, logger, limits }: Options) {
  const { connectMs, commandMs, heartbeatMs, longestPauseMs } = { ...LIMITS, ...limits };
  const report = createReport(logger, { purpose, redis: redisAddress(url) });
  const { promise: attempted, resolve: onAttempted } = Promise.withResolvers<void>();
  const sentinels = sentinelsOf(url);
  let active: RedisClient | null = null;
  let isReady = false;
  let isClosed = false;
  let failures = 0;
  /** Why the server lets nobody in, since the last connection that was established. */
  let refusal: string | null = null;
  /** The URL, or that of the master. */
  let server = url;
  let next: ReturnType<typeof setTimeout> | undefined;

  function connect(): void {
    if (sentinels === null) return use(openClient(url, connectMs), url);
    findMaster(sentinels, connectMs)
      .then((master) => isClosed || use(openClient(master, connectMs), master))
      .catch((error: unknown) => lose(null, error));
  }

  function use(client: RedisClient, master: string): void {
    server = master;
    active = client;
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- it is no EventTarget
    client.onclose = (error) => lose(client, error);
    withTimeout(connectMs + commandMs, establish(client), noAnswer).then(
      () => {
        if (client !== active) return;
        isReady = true;
        refusal = null;
        report.came();
        onAttempted();
        next = later(beat, heartbeatMs);
      },
      (error: unknown) => lose(client, error),
    );
  }

  async function establish(client: RedisClient): Promise<void> {
    await client.connect();
    // A wrong password shows with the first command.
    const [role] = sentinels === null ? await client.send("PING", []) : await client.send("ROLE", []);
    if (sentinels !== null && role !== "master")
      throw new Error("the Sentinels name a server that is no master");
    await prepare?.(client);
  }

  /** Null before the master is known. */
  function lose(client: RedisClient | null, error: unknown): void {
    if (client !== active) return;
    active = null;
    const wasReady = isReady;
    isReady = false;
    clearTimeout(next);
    client?.close();
    onAttempted();
    if (isClosed) return;
    void reportLoss(error, wasReady);
    const pause = Math.min(FIRST_PAUSE_MS * 2 ** failures, longestPauseMs);
    failures++;
    // Spreads the return of many processes.
    next = later(connect, pause * (0.75 + 0.5 * Math.random()));
  }

  /** A connection that was never established may have been refused. */
  async function reportLoss(error: unknown, wasReady: boolean): Promise<void> {
    const stated = explainRedisReply(server, messageOf(error));
    const found = stated ?? (wasReady ? null : await findRedisRefusal(server, commandMs));
    if (isClosed || isReady) return;
    refusal = found;
    if (found === null) report.went(error);
    else report.refused(found);
  }

  /** Rejects with ServiceUnavailable at once while Redis is away. After another rejection the command may have run. */
  async function send(command: string, args: readonly string[]): Promise<unknown> {
    const client = active;
    if (client === null || !isReady) throw away();
    try {
      return await withTimeout(commandMs, client.send(command, [...args]), noAnswer);
    } catch (error) {
      lose(client, error);
      throw appError("ServiceUnavailable", `Redis did not execute ${command}.`, { cause: error });
    }
  }

  async function beat(): Promise<void> {
    const isAlive = await check();
    if (!isAlive || isClosed) return;
    failures = 0;
    next = later(beat, heartbeatMs);
  }

  /** True if Redis answers within a second. Never rejects. */
  const check = (): Promise<boolean> =>
    send("PING", []).then(
      () => true,
      () => false,
    );

  connect();
  return {
    send,
    isReady: (): boolean => isReady,
    /** Why the server refuses connections, for whoever runs it; null if it does not. */
    refusal: (): string | null => refusal,
    check,
    /** Resolves after the first attempt. */
    attempted: (): Promise<void> => attempted,
    close(): void {
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

function later(run: () => unknown, ms: number): ReturnType<typeof setTimeout> {
  const timer = setTimeout(run, ms);
  timer.unref();
  return timer;
}

const away = () => appError("ServiceUnavailable", "Redis is away.");

/** Logs once when Redis goes away and once when it is back. */
function createReport(logger: Logger, where: { purpose: string; redis: string }) {
  let isAway = false;
  let refusal = "";
  return {
    refused(sentence: string): void {
      if (sentence !== refusal) logger.error(where, `${sentence} Continuing without it.`);
      refusal = sentence;
      isAway = true;
    },
    went(error: unknown): void {
      if (!isAway)
        logger.warn({ ...where, err: error }, "Redis is away; continuing without it and reconnecting");
      isAway = true;
    },
    came(): void {
      if (isAway) logger.info(where, "Redis is back");
      isAway = false;
      refusal = "";
    },
  };
}

/** Host and port, without credentials. */
export function redisAddress(url: string): string {
  if (url.includes("+sentinel:")) return url.replace(/^.*(?:\/\/|@)/, "");
  const parsed = URL.parse(url);
  return parsed === null ? "unknown" : parsed.host || parsed.pathname;
}
