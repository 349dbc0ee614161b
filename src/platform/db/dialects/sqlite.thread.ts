/**
 * A connection in its own thread, so that slow statements never block redirects. If the thread dies or a statement
 * takes too long, pending calls reject and alive() is false.
 */
import type { Logger } from "../../../lib/logger.ts";
import { createRpc } from "../../../lib/rpc.ts";
import { workerUrl } from "../../../lib/worker-url.ts";
import { CONNECT_TIMEOUT_MS, type StatementResult } from "../driver.ts";
import { DatabaseError } from "../failures.ts";
import type { SqliteSettings } from "./sqlite-connection.ts";
import type { LaneConnection } from "./sqlite-lanes.ts";

const LONGEST_LOGGED = 500;

export type SqliteCalls = {
  open(settings: SqliteSettings): void;
  execute(statement: { sql: string; parameters: readonly unknown[] }): StatementResult;
  close(): void;
};

/** If the file can't be opened, the first statement fails with the reason. */
export function openThread(settings: SqliteSettings, logger: Logger): LaneConnection {
  const worker = new Worker(workerUrl("platform/db/dialects/sqlite.worker.ts"), { smol: true });
  let isAlive = true;
  /** The start of the last one, without its parameters. */
  let statement = "";
  const rpc = createRpc<SqliteCalls>({
    send: (message) => worker.postMessage(message),
    handlers: {},
    onTimeout(_, timeoutMs) {
      logger.warn({ timeoutMs, statement }, "a database statement took too long; its thread is replaced");
      const late = new DatabaseError("timeout", new Error(`no answer within ${timeoutMs} ms`));
      rpc.notify("close", undefined);
      giveUp(late);
      setTimeout(() => worker.terminate(), 0);
      return late;
    },
  });
  function giveUp(reason: unknown): void {
    isAlive = false;
    rpc.close(reason);
  }

  worker.addEventListener("message", ({ data }: MessageEvent<string>) => rpc.receive(JSON.parse(data)));
  worker.addEventListener("error", (event) => {
    logger.error({ reason: event.message }, "a database thread failed");
    giveUp(new DatabaseError("unavailable", new Error(event.message)));
  });
  worker.addEventListener("close", () => {
    giveUp(new DatabaseError("unavailable", new Error("the database thread ended")));
  });

  rpc.call("open", settings, CONNECT_TIMEOUT_MS + settings.busyTimeoutMs).catch(giveUp);

  return {
    execute(sql, parameters, timeoutMs) {
      statement = sql.slice(0, LONGEST_LOGGED);
      return rpc.call("execute", { sql, parameters }, timeoutMs);
    },
    alive: () => isAlive,
    async close() {
      // A thread in a long statement ends with its process.
      await rpc.call("close", undefined, CONNECT_TIMEOUT_MS).catch(() => {});
      giveUp(new DatabaseError("unavailable", new Error("the database thread was closed")));
      worker.terminate();
    },
  };
}
