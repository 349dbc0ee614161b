/**
 * CSV (RFC 4180) with line ends `\n`, `\r\n` or `\r`. Skips a byte order mark. A quote within an unquoted field is
 * text.
 *
 * Reading continues on the line after an unreadable record; `maxRecordBytes` ends an open quote. Time stays linear,
 * because an odd run of quotes ends what an earlier one began.
 */
import { isUtf8 } from "node:buffer";
import { pluralize } from "./pluralize.ts";

export type CsvRecord = {
  /** 1-based physical line on which the record begins. */
  row: number;
  /** Empty if there is a problem. */
  fields: readonly string[];
  /** A sentence. */
  problem: string | null;
  /** Offset of the next record. */
  end: number;
};

const QUOTE = 0x22;
const LF = 0x0a;
const CR = 0x0d;
const NEEDS_QUOTES = /[",\r\n]/;

const csvField = (text: string): string =>
  NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;

export const csvLine = (fields: readonly string[]): string => `${fields.map(csvField).join(",")}\n`;

/** The first one that fits is taken. */
export const CSV_SEPARATORS = [",", ";", "\t"] as const;
export type CsvSeparator = (typeof CSV_SEPARATORS)[number];

/** Yields null for each blank line, so that a caller can pause. */
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

/**
 * Why a row does not fit the header, or null. Programs leave empty cells at the end of a row out, or add some.
 *
 * @param needed index of the last column that every row must have
 */
export function widthProblem(fields: readonly string[], width: number, needed: number): string | null {
  const isWhole = fields.length > needed;
  if (isWhole && fields.slice(width).every((field) => field.trim() === "")) return null;
  return `The row has ${pluralize(fields.length, "column")}, but the header has ${width}.`;
}

type Found = { fields: readonly string[]; end: number; lines: number };

const BLANK = Symbol("blank line");
const NOT_UTF8 = "The row is not valid UTF-8; save the file as UTF-8.";
const tooLong = (limit: number) => `The row is longer than ${limit.toLocaleString("en")} bytes.`;

/** Decoding may have replaced invalid bytes. */
const isDamaged = (fields: readonly string[]): boolean => fields.some((field) => field.includes("\uFFFD"));

/** Finds the byte from an index on, else the length of the file. Indexes must not decrease. */
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

const afterBreak = (bytes: Buffer, lineEnd: number): number =>
  lineEnd + (bytes[lineEnd] === CR && bytes[lineEnd + 1] === LF ? 2 : 1);

type Line = { from: number; lineEnd: number; limit: number; separator: string };

function readPlain(bytes: Buffer, { from, lineEnd, limit, separator }: Line): Found | string | typeof BLANK {
  if (lineEnd - from > limit) return tooLong(limit);
  const text = bytes.toString("utf8", from, lineEnd);
  if (text.trim() === "") return BLANK;
  return { fields: text.split(separator), end: afterBreak(bytes, lineEnd), lines: 1 };
}

/** Reads a record with a quote in its first line. A string is the problem. */
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
        return "There is text after a closing quote; write a quote inside a quoted field twice.";
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

/** -1 if none stands before `limit`. */
function closingQuote(bytes: Buffer, from: number, limit: number): number {
  for (let at = bytes.indexOf(QUOTE, from); at !== -1 && at < limit; at = bytes.indexOf(QUOTE, at + 2)) {
    if (bytes[at + 1] !== QUOTE) return at;
  }
  return -1;
}

/** Index of the separator, line break or end of file; -1 beyond `limit`. */
function endOfField(bytes: Buffer, from: number, limit: number, separator: number): number {
  let at = from;
  while (at < limit && bytes[at] !== separator && !isBreak(bytes[at])) at++;
  return at < limit || limit === bytes.length ? at : -1;
}

const unclosed = (bytes: Buffer, from: number, limit: number): string =>
  limit === bytes.length
    ? "A quote is opened but not closed."
    : `A quote is opened but not closed within ${(limit - from).toLocaleString("en")} bytes.`;

const countLineBreaks = (text: string): number =>
  occurrences(text, "\n") + occurrences(text, "\r") - occurrences(text, "\r\n");

function occurrences(text: string, part: string): number {
  let count = 0;
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + 1)) count++;
  return count;
}
