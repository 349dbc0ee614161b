/** Rows of the SQLite file of another program, which a process of its own reads within bounds of time and memory. */
import { endLarge } from "../../../lib/end-large.ts";
import { appError } from "../../../lib/errors.ts";
import { ownCommand } from "../../../lib/own-command.ts";
import {
  LONGEST_VALUE_BYTES,
  ROWS_COMMAND,
  type ForeignRow,
  type RowsResponse,
  type RowsRequest,
} from "./rows-request.ts";

/** The time for a portion of rows, the start of the process included. */
const PORTION_MS = 30_000;
const MEMORY_BYTES = 512 * 1024 * 1024;
const WATCH_MS = 100;
const MOST_LINE_BYTES = 4 * 1024 * 1024;

/** @throws BadRequest */
export async function* sqliteRows(request: RowsRequest, title: string): AsyncGenerator<ForeignRow, void> {
  // Its environment has no secrets.
  const child = Bun.spawn([...ownCommand(), ROWS_COMMAND], {
    stdin: "pipe",
    stdout: "pipe",
    stderr: "ignore",
    env: {},
  });
  child.unref();
  const watch = setInterval(() => void endLarge(child, MEMORY_BYTES), WATCH_MS);
  try {
    const output = child.stdout.getReader();
    for (let line = JSON.stringify(request); ; line = "") {
      const timer = setTimeout(() => child.kill("SIGKILL"), PORTION_MS);
      const reply = await replyTo(child.stdin, output, line).finally(() => clearTimeout(timer));
      if ("problem" in reply) {
        throw appError("BadRequest", `The file can't be read as a database of ${title}. ${reply.problem}`);
      }
      if (reply.rows.length === 0) return;
      yield* reply.rows;
    }
  } finally {
    clearInterval(watch);
    child.kill("SIGKILL");
  }
}

async function replyTo(
  input: { write(text: string): unknown; flush(): unknown },
  output: ReadableStreamDefaultReader<Uint8Array>,
  line: string,
): Promise<RowsResponse> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  input.write(`${line}\n`);
  await input.flush();
  for (;;) {
    const { done, value } = await output.read();
    if (done || size > MOST_LINE_BYTES) return { problem: "It takes too much time or memory." };
    pieces.push(value);
    size += value.length;
    if (value.at(-1) === NEWLINE) return JSON.parse(Buffer.concat(pieces).toString()) as RowsResponse;
  }
}
const NEWLINE = 0x0a;

/** A sentence for a row with a value that is left out. */
export const CUT = `A value is longer than ${LONGEST_VALUE_BYTES / 1024} KiB.`;
