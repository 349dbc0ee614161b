/**
 * Finds the records of a CSV file by the server's rules (src/lib/csv.ts): line ends `\n`, `\r\n` and `\r`, quotes only
 * at the beginning of a field, and a broken record ends with its line.
 */
const QUOTE = 0x22;
const LF = 0x0a;
const CR = 0x0d;
/** An open quote ends after this many bytes. */
const MOST_BYTES = 64 * 1024;

export type CsvPlace = {
  /** 1-based line on which it begins. */
  row: number;
  start: number;
  end: number;
};

const isBreak = (byte: number | undefined): boolean => byte === LF || byte === CR;

const afterBreak = (bytes: Uint8Array, at: number): number =>
  Math.min(bytes.length, at + (bytes[at] === CR && bytes[at + 1] === LF ? 2 : 1));

/** From an offset and its line, without blank lines. */
export function* csvPlaces(bytes: Uint8Array, separator: string, from = 0, row = 1): Generator<CsvPlace> {
  const comma = separator.charCodeAt(0);
  const hasMark = from === 0 && bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  for (let at = hasMark ? 3 : from, line = row; at < bytes.length; ) {
    const start = at;
    const began = line;
    let end = lineEndFrom(bytes, at);
    const quoted = bytes.subarray(at, end).includes(QUOTE) ? quotedEnd(bytes, at, comma) : -1;
    if (quoted !== -1) end = quoted;
    at = afterBreak(bytes, end);
    for (let passed = start; passed < at; line++) passed = afterBreak(bytes, lineEndFrom(bytes, passed));
    if (!isBlank(bytes, start, end)) yield { row: began, start, end: at };
    if (end >= bytes.length) return;
  }
}

function lineEndFrom(bytes: Uint8Array, from: number): number {
  let at = from;
  while (at < bytes.length && !isBreak(bytes[at])) at++;
  return at;
}

/** End of the record; -1 for a broken one. */
function quotedEnd(bytes: Uint8Array, from: number, comma: number): number {
  const limit = Math.min(bytes.length, from + MOST_BYTES);
  for (let at = from; at <= limit; at++) {
    if (bytes[at] === QUOTE) {
      at++;
      while (at < limit && !(bytes[at] === QUOTE && bytes[at + 1] !== QUOTE))
        at += bytes[at] === QUOTE ? 2 : 1;
      if (at >= limit) return -1;
      at++;
      if (at < bytes.length && bytes[at] !== comma && !isBreak(bytes[at])) return -1;
    } else while (at < limit && bytes[at] !== comma && !isBreak(bytes[at])) at++;
    if (at >= bytes.length || isBreak(bytes[at])) return at;
  }
  return -1;
}

function isBlank(bytes: Uint8Array, from: number, to: number): boolean {
  for (let at = from; at < to; at++) if (bytes[at]! > 0x20) return false;
  return true;
}

/** Cells of a record's text. */
export function csvCells(text: string, separator: string): string[] {
  const cells: string[] = [];
  const line = text.replace(/[\r\n]+$/, "");
  for (let at = 0; at <= line.length; ) {
    const [, quoted] = line[at] === '"' ? (/^"((?:[^"]|"")*)"/.exec(line.slice(at)) ?? []) : [];
    const after = quoted === undefined ? at : at + quoted.length + 2;
    const next = line.indexOf(separator, after);
    const end = next === -1 ? line.length : next;
    cells.push(quoted === undefined ? line.slice(at, end) : quoted.replaceAll('""', '"'));
    at = end + 1;
  }
  return cells;
}

export const csvCell = (text: string): string =>
  /[",;\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
