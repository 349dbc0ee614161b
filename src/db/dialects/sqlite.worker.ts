/**
 * The thread behind sqlite.threads.ts: one connection, one statement a message. The first message opens it. Answers
 * travel as JSON text, which costs both threads less than a structured clone of rows (1,000 rows: 0.35 ms on the
 * asking thread); a result is text, numbers and nulls only.
 */
// oxlint-disable unicorn/require-post-message-target-origin -- that is for windows; a worker has no origin
import { lowerThreadPriority } from "../../lib/thread-priority.ts";
import { openSqlite, type SqliteConnection } from "./sqlite-connection.ts";
import type { ThreadAnswer, ThreadRequest } from "./sqlite.thread.ts";

/** A larger result is a query that forgot its LIMIT. */
const MAX_ROWS = 10_000;

let connection: SqliteConnection | undefined;

function handle(request: ThreadRequest): Omit<ThreadAnswer, "id"> {
  if ("open" in request) {
    lowerThreadPriority();
    connection = openSqlite(request.open);
    return { rows: [] };
  }
  if ("close" in request) {
    connection?.close();
    connection = undefined;
    return { rows: [] };
  }
  if (connection === undefined) throw new Error("The connection is not open.");
  const result = connection.executeSync(request.sql, request.parameters);
  if (result.rows.length > MAX_ROWS) throw new Error(`The result has more than ${MAX_ROWS} rows.`);
  return result;
}

self.addEventListener("message", ({ data }: MessageEvent<ThreadRequest>) => {
  let answer: ThreadAnswer;
  try {
    answer = { id: data.id, ...handle(data) };
  } catch (error) {
    const { message, code } = error as { message: string; code?: string };
    answer = { id: data.id, error: { message, code } };
  }
  postMessage(JSON.stringify(answer));
});
