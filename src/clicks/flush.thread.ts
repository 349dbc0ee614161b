/**
 * The main thread's end of the flush thread. It remembers this process's segments and how far they were counted, so
 * that a thread that dies is replaced by one that goes on where the database says.
 */
// oxlint-disable unicorn/require-post-message-target-origin -- that is for windows; a worker has no origin
import { type AppError, appError } from "../lib/errors.ts";
import type { Logger } from "../lib/logger.ts";
import { workerUrl } from "../lib/worker-url.ts";
import type {
  DetailSettings,
  FlushAnswer,
  FlushReport,
  FlushRequest,
  FlushStart,
  SentError,
} from "./flush-messages.ts";
import type { Settled, SourceState } from "./flush/source.ts";
import { FIRST_RECORD } from "./journal/format.ts";

export type FlushThread = {
  /** UUID of the database. */
  readonly instance: string;
  /** Starts flushing, and reporting what was flushed. */
  begin(): void;
  opened(path: string): void;
  sealed(path: string): void;
  due(): void;
  setInterval(ms: number): void;
  setDetails(settings: DetailSettings): void;
  /** Counts everything written so far; rejects with an AppError when that can't be done now. */
  flush(): Promise<void>;
  /**
   * See Flusher. When the thread does not answer a question within the bound (it is busy, or waits for the database),
   * what it said last. Who asks meanwhile shares the question, and what is left of its time. Never rejects.
   */
  pendingLinks(boundMs: number): Promise<number>;
  /** A last flush, within the bound; then the thread is gone. Rejects when that flush did not succeed. */
  close(boundMs: number): Promise<void>;
  /** For tests: ends the thread as a crash would. */
  crash(): void;
};

export type FlushThreadOptions = FlushStart & {
  /** Segments that were in this process's slot before. */
  leftovers: readonly string[];
  logger: Logger;
  /** See loadFlushWorker; made here without it. */
  worker?: Worker | undefined;
  onSettled(settled: Settled): void;
  /** A segment of this process's slot is gone. */
  onRetired(): void;
  onReport(report: FlushReport): void;
};

type Call = { resolve: (value: number) => void; reject: (error: AppError) => void };

const RESTART_AFTER_MS = 1000;

/**
 * A thread that loads its code, which takes as long as opening the database does, and then waits to be started. Who
 * does not start it terminates it.
 */
export const loadFlushWorker = (): Worker => new Worker(workerUrl("clicks/flush.worker.ts"), { smol: true });

/** Starts the thread; rejects with an AppError when its database can't be opened. */
export async function startFlushThread(options: FlushThreadOptions): Promise<FlushThread> {
  const { leftovers, logger, worker: loaded, onSettled, onRetired, onReport, ...start } = options;
  const sources = new Map<string, SourceState>(
    leftovers.map((path) => [path, { path, final: true, position: null }]),
  );
  const calls = new Map<number, Call>();
  let lastId = 0;
  let begun = false;
  let closed = false;
  let alive = false;
  let lastPendingLinks = 0;
  let pendingAsked: { answer: Promise<number>; at: number } | undefined;
  let worker: Worker;
  const first = Promise.withResolvers<string>();

  const send = (request: FlushRequest): void => worker.postMessage(request);

  const ask = (type: "flush" | "pendingLinks" | "close"): Promise<number> =>
    new Promise((resolve, reject) => {
      if (!alive) return reject(appError("ServiceUnavailable", "the flush thread is being started again"));
      const id = ++lastId;
      calls.set(id, { resolve, reject });
      send({ type, id });
    });

  /** An answer that nobody waits for any more is what it said last all the same. */
  const askPendingLinks = async (): Promise<number> => {
    try {
      return (lastPendingLinks = await ask("pendingLinks"));
    } finally {
      pendingAsked = undefined;
    }
  };

  const receive = (answer: FlushAnswer): void => {
    if (answer.type === "settled") {
      const { path, position } = answer.settled;
      const source = sources.get(path);
      if (source && source.position !== null) source.position = position;
      onSettled(answer.settled);
    } else if (answer.type === "retired") {
      sources.delete(answer.path);
      onRetired();
    } else if (answer.type === "answer") {
      const call = calls.get(answer.id);
      calls.delete(answer.id);
      if (answer.error) call?.reject(received(answer.error));
      else call?.resolve(answer.value ?? 0);
    } else if (answer.type === "flushed") onReport(answer.report);
    else if (answer.type === "log") relay(logger, answer.line);
    else if (answer.type === "started") first.resolve(answer.instance);
    else {
      first.reject(received(answer.error));
      logger.error({ reason: answer.error.message }, "the flush thread can't start");
      worker.terminate();
    }
  };

  const spawn = (current: Worker): void => {
    worker = current;
    worker.addEventListener("message", ({ data }: MessageEvent<FlushAnswer>) => receive(data));
    worker.addEventListener("error", (event) => {
      logger.error({ reason: event.message }, "the flush thread failed");
      current.terminate();
    });
    worker.addEventListener("close", () => {
      const error = appError("ServiceUnavailable", "the flush thread ended");
      first.reject(error);
      alive = false;
      for (const call of calls.values()) call.reject(error);
      calls.clear();
      if (!closed) setTimeout(() => closed || spawn(loadFlushWorker()), RESTART_AFTER_MS);
    });
    alive = true;
    send({ type: "start", ...start, sources: [...sources.values()] });
    if (begun) send({ type: "begin" });
  };

  spawn(loaded ?? loadFlushWorker());
  const instance = await first.promise.catch((error: unknown) => {
    closed = true;
    throw error;
  });

  return {
    instance,
    begin() {
      begun = true;
      send({ type: "begin" });
    },
    opened(path) {
      const source = { path, final: false, position: FIRST_RECORD };
      sources.set(path, source);
      send({ type: "add", source });
    },
    sealed(path) {
      const source = sources.get(path);
      if (source) source.final = true;
      send({ type: "seal", path });
    },
    due: () => send({ type: "due" }),
    setInterval(ms) {
      start.intervalMs = ms;
      send({ type: "interval", ms });
    },
    setDetails(settings) {
      start.details = settings;
      send({ type: "details", settings });
    },
    flush: async () => void (await ask("flush")),
    pendingLinks(boundMs) {
      pendingAsked ??= { answer: askPendingLinks(), at: performance.now() };
      const { answer, at } = pendingAsked;
      const leftMs = boundMs - (performance.now() - at);
      if (leftMs > 0) return within(leftMs, answer).catch(() => lastPendingLinks);
      answer.catch(() => {});
      return Promise.resolve(lastPendingLinks);
    },
    crash: () => void worker.terminate(),
    async close(boundMs) {
      closed = true;
      try {
        await within(boundMs, ask("close"));
      } finally {
        worker.terminate();
      }
    },
  };
}

const received = ({ name, message }: SentError): AppError => appError(name, message);

async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(appError("ServiceUnavailable", `the flush thread did not answer within ${ms} ms`)),
      ms,
    );
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

function relay(logger: Logger, line: string): void {
  const { level, msg, ...fields } = JSON.parse(line) as { level: "info"; msg: string };
  logger[level](fields, msg);
}
