/**
 * CSV as RFC 4180 has it: records end with a line break (`\n`, `\r\n` or `\r`; the last one may lack it), fields are
 * separated by commas, and a field in double quotes may hold commas, line breaks and doubled quotes. A byte order
 * mark is skipped. A quote inside a field that does not begin with one stands for itself. The reader takes semicolons
 * or tabs instead of commas.
 *
 * The reader works on the bytes and makes one record at a time, so it needs no memory beside them. Line breaks are
 * counted as they stand in the file, inside quotes too, so `row` is the line on which a record begins. A record that
 * can't be read costs only itself: reading goes on at the line after the one it began on. That holds for a quote that
 * is never closed as well, which would otherwise swallow the rest of the file; it is given up at `maxRecordBytes`. The
 * time stays linear: an odd run of quotes ends what an earlier odd run began, so no line is searched again and again.
 */
import { isUtf8 } from "node:buffer";

export type CsvRecord = {
  /** The 1-based line of the file on which the record begins. */
  row: number;
  /** Empty when there is a problem. */
  fields: readonly string[];
  /** Why the record can't be read, as a sentence; null when it can. */
  problem: string | null;
  /** Where the next record begins, in bytes: how far the file is read. */
  end: number;
};

const QUOTE = 0x22;
const LF = 0x0a;
const CR = 0x0d;
const NEEDS_QUOTES = /[",\r\n]/;

/** A field as it is written: in quotes when it has to be. */
const csvField = (text: string): string =>
  NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;

/** One record with its line break. */
export const csvLine = (fields: readonly string[]): string => `${fields.map(csvField).join(",")}\n`;

/** In the order of their preference. */
export const CSV_SEPARATORS = [",", ";", "\t"] as const;
export type CsvSeparator = (typeof CSV_SEPARATORS)[number];

/**
 * The records of a file in order. For each blank line (nothing or blanks only) it gives null, so that a reader that
 * pauses now and then can do so in a file of nothing else.
 */
export function* readCsv(
  bytes: Buffer,
  maxRecordBytes: number,
  separator: CsvSeparator = ",",
): Generator<CsvRecord | null, void> {
  let at = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
  let row = 1;
  const nextQuote = finder(bytes, QUOTE);
  const nextLineFeed = finder(bytes, LF);
  const nextReturn = finder(bytes, CR);
  while (at < bytes.length) {
    const lineEnd = Math.min(nextLineFeed(at), nextReturn(at));
    const found =
      nextQuote(at) >= lineEnd
        ? readPlain(bytes, { from: at, lineEnd, limit: maxRecordBytes, separator })
        : readQuoted(bytes, at, Math.min(bytes.length, at + maxRecordBytes), separator.charCodeAt(0));
    if (found === BLANK) {
      at = afterBreak(bytes, lineEnd);
      row++;
      yield null;
      continue;
    }
    const start = at;
    const began = row;
    const isBroken = typeof found === "string";
    at = isBroken ? afterBreak(bytes, lineEnd) : found.end;
    row += isBroken ? 1 : found.lines;
    if (isBroken) yield { row: began, fields: [], problem: found, end: at };
    else if (isDamaged(found.fields) && !isUtf8(bytes.subarray(start, at))) {
      yield { row: began, fields: [], problem: NOT_UTF8, end: at };
    } else yield { row: began, fields: found.fields, problem: null, end: at };
  }
}

type Found = { fields: readonly string[]; end: number; lines: number };

const BLANK = Symbol("blank line");
const NOT_UTF8 = "The row is not valid UTF-8; save the file as UTF-8.";
const tooLong = (limit: number) => `The row is longer than ${limit.toLocaleString("en")} bytes.`;

/** Whether reading may have put the replacement character for bytes that are no text. */
const isDamaged = (fields: readonly string[]): boolean => fields.some((field) => field.includes("\uFFFD"));

/**
 * Finds the next such byte at or after an index, or the length of the file. The index must not fall, so that the file
 * is searched once.
 */
function finder(bytes: Buffer, byte: number): (from: number) => number {
  let at = -1;
  return (from) => {
    if (at < from) {
      at = bytes.indexOf(byte, from);
      if (at === -1) at = bytes.length;
    }
    return at;
  };
}

const isBreak = (byte: number | undefined): boolean => byte === LF || byte === CR;

/** Where the line after the break at `lineEnd` begins. */
const afterBreak = (bytes: Buffer, lineEnd: number): number =>
  lineEnd + (bytes[lineEnd] === CR && bytes[lineEnd + 1] === LF ? 2 : 1);

type Line = { from: number; lineEnd: number; limit: number; separator: string };

/** A line without quotes. */
function readPlain(bytes: Buffer, { from, lineEnd, limit, separator }: Line): Found | string | typeof BLANK {
  if (lineEnd - from > limit) return tooLong(limit);
  const text = bytes.toString("utf8", from, lineEnd);
  if (text.trim() === "") return BLANK;
  return { fields: text.split(separator), end: afterBreak(bytes, lineEnd), lines: 1 };
}

/** A record with a quote in its first line, read up to `limit`. A string says what is wrong with it. */
function readQuoted(bytes: Buffer, from: number, limit: number, separator: number): Found | string {
  const fields: string[] = [];
  let at = from;
  let lines = 1;
  for (;;) {
    let end: number;
    if (bytes[at] === QUOTE) {
      end = closingQuote(bytes, at + 1, limit);
      if (end === -1) return unclosed(bytes, from, limit);
      const text = bytes.toString("utf8", at + 1, end);
      fields.push(text.includes('"') ? text.replaceAll('""', '"') : text);
      lines += countLineBreaks(text);
      end++;
      if (end < bytes.length && bytes[end] !== separator && !isBreak(bytes[end])) {
        return "There is text after a closing quote; a quote inside a quoted field is written twice.";
      }
    } else {
      end = endOfField(bytes, at, limit, separator);
      if (end === -1) return tooLong(limit - from);
      fields.push(bytes.toString("utf8", at, end));
    }
    if (end >= bytes.length || isBreak(bytes[end])) return { fields, end: afterBreak(bytes, end), lines };
    at = end + 1;
  }
}

/** Index of the quote that ends a quoted field, or -1 when there is none before `limit`. */
function closingQuote(bytes: Buffer, from: number, limit: number): number {
  for (let at = bytes.indexOf(QUOTE, from); at !== -1 && at < limit; at = bytes.indexOf(QUOTE, at + 2)) {
    if (bytes[at + 1] !== QUOTE) return at;
  }
  return -1;
}

/** Index of the separator or line break (or end of file) that ends a plain field, or -1: none up to `limit`. */
function endOfField(bytes: Buffer, from: number, limit: number, separator: number): number {
  let at = from;
  while (at < limit && bytes[at] !== separator && !isBreak(bytes[at])) at++;
  return at < limit || limit === bytes.length ? at : -1;
}

const unclosed = (bytes: Buffer, from: number, limit: number): string =>
  limit === bytes.length
    ? "A quote is opened and not closed."
    : `A quote is opened and not closed within ${(limit - from).toLocaleString("en")} bytes.`;

const countLineBreaks = (text: string): number =>
  occurrences(text, "\n") + occurrences(text, "\r") - occurrences(text, "\r\n");

function occurrences(text: string, part: string): number {
  let count = 0;
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + 1)) count++;
  return count;
}
