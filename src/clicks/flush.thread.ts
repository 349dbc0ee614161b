/**
 * The main thread's end of the flush thread. It remembers this process's segments and positions for a new thread after
 * a crash.
 */
import { appError, messageOf } from "../lib/errors.ts";
import type { Logger } from "../lib/logger.ts";
import { createRpc, type Rpc } from "../lib/rpc.ts";
import { withTimeout } from "../lib/timeout.ts";
import { workerUrl } from "../lib/worker-url.ts";
import type { SettledClicks, SourceState } from "./flush/source.ts";
import { FIRST_RECORD } from "./journal/format.ts";
import type { DatabaseSettings } from "../platform/db/database.ts";
import type { FlushTrigger } from "./flush/schedule.ts";
import type { AddressMode } from "../lib/kept-address.ts";
import type { GeoSettings } from "./details/geo.ts";

export type DetailSettings = {
  /** analytics.enable_geo_lookup */
  locates: boolean;
  /** See FlushWork. */
  mostLogRows: number;
  /** What is kept of addresses, after their places are found. */
  addresses: AddressMode;
};

type FlushStart = {
  database: DatabaseSettings;
  /** UUID of the database. */
  instance: string;
  journalDir: string;
  /** Slot of this process. */
  ownDir: string;
  intervalMs: number;
  geo: GeoSettings;
  details: DetailSettings;
  logLevel: string;
};

/** `start` comes first. */
export type FlushCalls = {
  /** The database may be away. */
  start(start: FlushStart & { sources: SourceState[] }): Promise<void>;
  /** Starts flushing and reporting. */
  begin(): Promise<void>;
  add(source: SourceState): Promise<void>;
  seal(path: string): Promise<void>;
  due(): Promise<void>;
  setInterval(ms: number): Promise<void>;
  setDetails(settings: DetailSettings): Promise<void>;
  flush(): Promise<void>;
  pendingLinks(): Promise<number>;
  /** After a last flush. */
  close(): Promise<void>;
};

export type FlushEvents = {
  settled(settled: SettledClicks): void;
  /** A segment of this process's slot is gone. */
  retired(path: string): void;
  flushed(report: FlushReport): void;
  log(line: string): void;
};

export type FlushReport = {
  trigger: FlushTrigger;
  status: "success" | "failed";
  durationMs: number;
  /** Counted by this flush. */
  clicks: number;
  /** Changed rows of link_clicks. */
  links: number;
};

type FlushThreadOptions = FlushStart & {
  /** Segments already in this process's slot. */
  leftovers: readonly string[];
  logger: Logger;
  /** Default: loadFlushWorker(). */
  worker?: Worker | undefined;
  onSettled(settled: SettledClicks): void;
  onRetired(): void;
  onReport(report: FlushReport): void;
};

const RESTART_AFTER_MS = 1000;

/**
 * Loads its code, which takes as long as opening the database, and waits for `start`. Terminate it if you do not start
 * it.
 */
export const loadFlushWorker = (): Worker => new Worker(workerUrl("clicks/flush.worker.ts"), { smol: true });

/** Rejects if the thread can't run. The database may be away: flushes fail until it is back. */
export async function startFlushThread(options: FlushThreadOptions) {
  const { leftovers, logger, worker: loaded, onSettled, onRetired, onReport, ...start } = options;
  const sources = new Map<string, SourceState>(
    leftovers.map((path) => [path, { path, final: true, position: null }]),
  );
  let begun = false;
  let closed = false;
  let lastPendingLinks = 0;
  let pendingQuery: { result: Promise<number>; at: number } | undefined;
  let worker: Worker;
  let rpc: Rpc<FlushCalls>;
  let replace: (error: unknown) => void;
  const first = Promise.withResolvers<void>();

  const handlers: FlushEvents = {
    settled(settled) {
      const source = sources.get(settled.path);
      if (source && source.position !== null) source.position = settled.position;
      onSettled(settled);
    },
    retired(path) {
      sources.delete(path);
      onRetired();
    },
    flushed: onReport,
    log: (line) => relay(logger, line),
  };

  /** A thread that fails a call is replaced. */
  const order: Rpc<FlushCalls>["notify"] = (method, payload) => void rpc.call(method, payload).catch(replace);

  /** A late result still becomes the last known number. */
  const queryPendingLinks = async (): Promise<number> => {
    try {
      return (lastPendingLinks = await rpc.call("pendingLinks", undefined));
    } finally {
      pendingQuery = undefined;
    }
  };

  const spawn = (current: Worker): void => {
    worker = current;
    rpc = createRpc<FlushCalls>({ send: (message) => current.postMessage(message), handlers });
    let isAlive = true;
    replace = (error) => {
      if (!isAlive) return;
      isAlive = false;
      logger.error({ reason: messageOf(error) }, "the flush thread failed; it is replaced");
      current.terminate();
    };
    current.addEventListener("message", ({ data }) => rpc.receive(data));
    current.addEventListener("error", (event) => replace(event.message));
    current.addEventListener("close", () => {
      isAlive = false;
      rpc.close(appError("ServiceUnavailable", "the flush thread ended; it is replaced"));
      if (!closed) setTimeout(() => closed || spawn(loadFlushWorker()), RESTART_AFTER_MS);
    });
    const started = rpc.call("start", { ...start, sources: [...sources.values()] });
    started.catch(replace);
    started.then(first.resolve, first.reject);
    if (begun) order("begin", undefined);
  };

  spawn(loaded ?? loadFlushWorker());
  await first.promise.catch((error: unknown) => {
    closed = true;
    throw error;
  });

  return {
    begin(): void {
      begun = true;
      order("begin", undefined);
    },
    opened(path: string): void {
      const source = { path, final: false, position: FIRST_RECORD };
      sources.set(path, source);
      order("add", source);
    },
    sealed(path: string): void {
      const source = sources.get(path);
      if (source) source.final = true;
      order("seal", path);
    },
    due: (): void => order("due", undefined),
    setInterval(ms: number): void {
      start.intervalMs = ms;
      order("setInterval", ms);
    },
    setDetails(settings: DetailSettings): void {
      start.details = settings;
      order("setDetails", settings);
    },
    /** Counts everything written so far. Rejects with an AppError if that is not possible now. */
    flush: (): Promise<void> => rpc.call("flush", undefined),
    /**
     * See Flusher. The last known number if the thread does not respond within the bound. Concurrent callers share one
     * query. Never rejects.
     */
    pendingLinks(boundMs: number): Promise<number> {
      pendingQuery ??= { result: queryPendingLinks(), at: performance.now() };
      const { result, at } = pendingQuery;
      const leftMs = boundMs - (performance.now() - at);
      if (leftMs > 0) return within(leftMs, result).catch(() => lastPendingLinks);
      result.catch(() => {});
      return Promise.resolve(lastPendingLinks);
    },
    /** Ends the thread like a crash, for tests. */
    crash: (): void => void worker.terminate(),
    /** A last flush within the bound, then the thread ends. Rejects if that flush failed. */
    async close(boundMs: number): Promise<void> {
      closed = true;
      try {
        await within(boundMs, rpc.call("close", undefined));
      } finally {
        worker.terminate();
      }
    },
  };
}

const within = <T>(ms: number, work: Promise<T>): Promise<T> =>
  withTimeout(ms, work, () => {
    throw appError("ServiceUnavailable", `the flush thread did not answer within ${ms} ms`);
  });

function relay(logger: Logger, line: string): void {
  const { level, msg, ...fields } = JSON.parse(line) as { level: "info"; msg: string };
  logger[level](fields, msg);
}
