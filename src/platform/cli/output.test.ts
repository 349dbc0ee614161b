import { expect, test } from "bun:test";
import { createOutput } from "./output.ts";

const COLUMNS = { code: "CODE", target: "TARGET", clicks: "CLICKS" };
const LONG = `https://example.com/${"path/".repeat(30)}`;

function table(rows: readonly Record<string, unknown>[], terminal: { columns?: number } | null): string[] {
  let text = "";
  const stream = { write: (part: string) => (text += part), isTTY: terminal !== null, ...terminal };
  createOutput(stream, stream).table(rows, COLUMNS);
  return text.trimEnd().split("\n");
}

test("a table fits the terminal: its widest column shrinks", () => {
  const lines = table([{ code: "docs", target: LONG, clicks: 12 }], { columns: 60 });
  expect(lines.map((line) => line.length <= 60)).toEqual([true, true]);
  expect(lines[1]).toMatch(/^docs {2}https:\/\/example\.com\/\S+… {2}12$/);
});

test("wide characters count as the cells they take", () => {
  const lines = table([{ code: "docs", target: "漢字".repeat(40), clicks: 12 }], { columns: 40 });
  for (const line of lines) expect(Bun.stringWidth(line)).toBeLessThanOrEqual(40);
  expect(lines[1]).toEndWith("12");
});

test("a pipe gets every character", () => {
  expect(table([{ code: "docs", target: LONG, clicks: 12 }], null)[1]).toContain(LONG);
});

test("control characters of stored text are escaped on a terminal", () => {
  expect(table([{ code: "a", target: "\u001b[2J", clicks: 0 }], { columns: 80 })[1]).toContain("\\u001b[2J");
});

test("progress is one line of a terminal, and silent elsewhere", () => {
  const shown = (terminal: object) => {
    let text = "";
    const stream = { write: (part: string) => (text += part), ...terminal };
    const line = createOutput(stream, stream).progress("Uploading");
    line.show(() => LONG);
    line.finish();
    return text;
  };
  expect(shown({})).toBe("");
  // A terminal that does not know its width has 0 columns.
  for (const columns of [0, 80]) expect(Bun.stringWidth(shown({ isTTY: true, columns }))).toBe(79);
});
