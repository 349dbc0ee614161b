import type { Output, ProgressLine } from "./command.ts";

type Stream = { write(text: string): unknown; isTTY?: boolean; columns?: number };

/** Results go to `stdout`, remarks and progress to `stderr`. On a terminal, tables fit its width. */
export function createOutput(stdout: Stream, stderr: Stream): Output {
  return {
    isTerminal: stdout.isTTY === true,
    line: (text) => void stdout.write(`${text}\n`),
    json: (value) => void stdout.write(`${JSON.stringify(value, null, 2)}\n`),
    table: (rows, columns) =>
      void stdout.write(formatTable(rows, columns, stdout.isTTY ? stdout.columns || 80 : Infinity)),
    note: (text) => void stderr.write(`${text}\n`),
    progress: (label) => createProgress(label, stderr),
  };
}

function formatTable(
  rows: readonly Record<string, unknown>[],
  columns: Record<string, string>,
  width: number,
): string {
  const keys = Object.keys(columns);
  const cells = [
    keys.map((key) => columns[key] ?? key),
    ...rows.map((row) => keys.map((key) => printable(row[key]))),
  ];
  const widths = fitted(
    keys.map((_, at) => cells.reduce((most, line) => Math.max(most, widthOf(line[at]!)), 0)),
    width - GAP.length * (keys.length - 1),
  );
  const lines = cells.map((line) =>
    line
      .map((cell, at) => cut(cell, widths[at]!))
      .join(GAP)
      .trimEnd(),
  );
  return `${lines.join("\n")}\n`;
}

const GAP = "  ";
const LEAST_COLUMN = 8;
const ELLIPSIS = "…";

/** Shrinks the widest columns until the sum fits. */
function fitted(natural: readonly number[], room: number): number[] {
  const widths = [...natural];
  for (let over = widths.reduce((sum, width) => sum + width, -room); over > 0; over--) {
    const widest = Math.max(...widths);
    if (widest <= LEAST_COLUMN) break;
    widths[widths.indexOf(widest)]! -= 1;
  }
  return widths;
}

/** The width in terminal cells: wide characters take two, combining ones none. */
const widthOf = (text: string): number => Bun.stringWidth(text);

/** Cuts or pads the text to exactly `width` cells. */
function cut(text: string, width: number): string {
  const missing = width - widthOf(text);
  if (missing >= 0) return text + " ".repeat(missing);
  let kept = "";
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    if (widthOf(kept) + widthOf(segment) >= width) break;
    kept += segment;
  }
  return kept + ELLIPSIS + " ".repeat(Math.max(0, width - widthOf(kept) - 1));
}

/** Escapes control characters: stored text may hold terminal escapes. */
const printable = (value: unknown): string =>
  String(value ?? "").replaceAll(/\p{Cc}/gu, (char) => JSON.stringify(char).slice(1, -1));

const REDRAW_MS = 100;

function createProgress(label: string, stderr: Stream): ProgressLine {
  let drawnAt = Number.NEGATIVE_INFINITY;
  let drawn = false;
  function show(text: () => string): void {
    const now = performance.now();
    if (stderr.isTTY !== true || now - drawnAt < REDRAW_MS) return;
    drawnAt = now;
    drawn = true;
    stderr.write(`\r\u001b[K${cut(`${label}: ${text()}`, (stderr.columns || 80) - 1).trimEnd()}`);
  }
  return {
    show,
    update: (done, total) =>
      show(() => {
        const share = total
          ? ` of ${total.toLocaleString("en")} (${Math.floor((done / total) * 100)} %)`
          : "";
        return done.toLocaleString("en") + share;
      }),
    finish() {
      if (drawn) stderr.write("\r\u001b[K");
    },
  };
}
