import type { Output, Progress } from "./command.ts";

type Stream = { write(text: string): unknown; isTTY?: boolean };

/** Writes results to `stdout`, remarks and progress to `stderr`. */
export function createOutput(stdout: Stream, stderr: Stream): Output {
  return {
    line: (text) => void stdout.write(`${text}\n`),
    json: (value) => void stdout.write(`${JSON.stringify(value, null, 2)}\n`),
    table: (rows, columns) => void stdout.write(formatTable(rows, columns)),
    note: (text) => void stderr.write(`${text}\n`),
    progress: (label) => createProgress(label, stderr),
  };
}

function formatTable(rows: readonly Record<string, unknown>[], columns: Record<string, string>): string {
  const keys = Object.keys(columns);
  const cells = [
    keys.map((key) => columns[key] ?? key),
    ...rows.map((row) => keys.map((key) => printable(row[key]))),
  ];
  const widths = keys.map((_, at) => Math.max(...cells.map((line) => line[at]!.length)));
  const lines = cells.map((line) =>
    line
      .map((cell, at) => cell.padEnd(widths[at]!))
      .join("  ")
      .trimEnd(),
  );
  return `${lines.join("\n")}\n`;
}

/** Stored text could hold terminal escapes; a table shows them as what they are. */
const printable = (value: unknown): string =>
  String(value ?? "").replaceAll(/\p{Cc}/gu, (char) => JSON.stringify(char).slice(1, -1));

const REDRAW_MS = 100;

function createProgress(label: string, stderr: Stream): Progress {
  let drawnAt = Number.NEGATIVE_INFINITY;
  let drawn = false;
  return {
    update(done, total) {
      const now = performance.now();
      if (stderr.isTTY !== true || now - drawnAt < REDRAW_MS) return;
      drawnAt = now;
      drawn = true;
      const share =
        total === undefined || total === 0
          ? ""
          : ` of ${total.toLocaleString("en")} (${Math.floor((done / total) * 100)} %)`;
      stderr.write(`\r\u001b[K${label}: ${done.toLocaleString("en")}${share}`);
    },
    finish() {
      if (drawn) stderr.write("\r\u001b[K");
    },
  };
}
