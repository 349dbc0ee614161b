/**
 * A connection that lives in a thread of its own, so that a slow statement never holds the loop that answers
 * redirects. When the thread dies (or is given up because a statement took too long, which nothing can interrupt)
 * every call that waits for it is rejected and alive() turns false; the lane then opens another.
 */
// oxlint-disable unicorn/require-post-message-target-origin -- that is for windows; a worker has no origin
import type { Logger } from "../../lib/logger.ts";
import { workerUrl } from "../../lib/worker-url.ts";
import { CONNECT_TIMEOUT_MS, type StatementResult } from "../driver.ts";
import { DatabaseError } from "../failures.ts";
import type { SqliteSettings } from "./sqlite-connection.ts";
import type { LaneConnection } from "./sqlite-lanes.ts";

type Command = { open: SqliteSettings } | { sql: string; parameters: readonly unknown[] } | { close: true };
export type ThreadRequest = Command & { id: number };

export type ThreadAnswer = Partial<StatementResult> & {
  id: number;
  error?: { message: string; code: string | undefined };
};

type Call = { resolve: (result: StatementResult) => void; reject: (error: unknown) => void };

/** Starts the thread at once; a file that can't be opened fails the first statement, with its reason. */
export function openThread(settings: SqliteSettings, logger: Logger): LaneConnection {
  const worker = new Worker(workerUrl("db/dialects/sqlite.worker.ts"), { smol: true });
  const calls = new Map<number, Call>();
  let lastId = 0;
  let dead: unknown;

  const give = (up: unknown): void => {
    if (dead !== undefined) return;
    dead = up;
    for (const call of calls.values()) call.reject(up);
    calls.clear();
  };
  const ask = (request: Command, timeoutMs: number): Promise<StatementResult> =>
    new Promise((resolve, reject) => {
      if (dead !== undefined) return reject(dead);
      const id = ++lastId;
      const timer = setTimeout(() => {
        logger.warn({ timeoutMs }, "a database statement took too long; its thread is given up");
        give(new DatabaseError("timeout", new Error(`no answer within ${timeoutMs} ms`)));
        worker.postMessage({ id: 0, close: true } satisfies ThreadRequest);
        setTimeout(() => worker.terminate(), 0);
      }, timeoutMs);
      const settle = (end: () => void) => (clearTimeout(timer), end());
      calls.set(id, {
        resolve: (result) => settle(() => resolve(result)),
        reject: (error) => settle(() => reject(error)),
      });
      worker.postMessage({ ...request, id });
    });

  worker.addEventListener("message", ({ data }: MessageEvent<string>) => {
    const { id, error, ...result } = JSON.parse(data) as ThreadAnswer;
    const call = calls.get(id);
    calls.delete(id);
    if (error === undefined) call?.resolve(result as StatementResult);
    else call?.reject(Object.assign(new Error(error.message), { code: error.code }));
  });
  worker.addEventListener("error", (event) => {
    logger.error({ reason: event.message }, "a database thread failed");
    give(new DatabaseError("unavailable", new Error(event.message)));
  });
  worker.addEventListener("close", () => {
    give(new DatabaseError("unavailable", new Error("the database thread ended")));
  });

  ask({ open: settings }, CONNECT_TIMEOUT_MS + settings.busyTimeoutMs).catch(give);

  return {
    execute: (sql, parameters, timeoutMs) => ask({ sql, parameters }, timeoutMs),
    alive: () => dead === undefined,
    async close() {
      // An idle thread closes at once; one in a long statement is left to end with its process.
      await ask({ close: true }, CONNECT_TIMEOUT_MS).catch(() => {});
      give(new DatabaseError("unavailable", new Error("the database thread was closed")));
      worker.terminate();
    },
  };
}
