/**
 * The rows of a CSV file, as an import reads them. Cells are trimmed, except passwords. Times are RFC 3339; an invalid
 * `created_at` becomes the time of the import, an invalid `expires_at` no expiry, an invalid `click_count` 0. A password
 * that begins with `$argon2` is a hash.
 */
import { CSV_SEPARATORS, type CsvRecord, type CsvSeparator, readCsv } from "../../lib/csv.ts";
import { AppError, appError } from "../../lib/errors.ts";
import { createSweeper } from "../../lib/sweeper.ts";
import { createTimeSlices } from "../../lib/time-slices.ts";
import { type CsvLayout, layoutOf, moreFieldsOf, namesNeeded } from "./columns.ts";
import { pluralize } from "../../lib/pluralize.ts";
import { parseRfc3339 } from "../../lib/rfc3339.ts";
import { validated } from "../../lib/validated.ts";
import type { CodeRule } from "../link/code.ts";
import { parseTarget } from "../link/input.ts";
import { namesInternal } from "../link/internal-target.ts";
import { createSchema } from "../link/link.ts";
import type { LinkFields } from "../link/field-values.ts";

/** Undefined: the file has no such column. */
export type CsvLink = {
  /** Line of the file. */
  row: number;
  /** Its key. */
  code: string;
  target: string;
  createdAt: number | undefined;
  expiresAt: number | null;
  /** The password or its hash; null without one. */
  password: { plain: string } | { hash: string } | null;
  clickCount: number | undefined;
  /** Its name; empty: none. */
  owner: string | undefined;
  more: LinkFields;
  /** Filled cells that count as empty ones. */
  unread: readonly UnreadCell[];
};

export const LENIENT_COLUMNS = ["created_at", "expires_at", "click_count"] as const;
export type UnreadCell = {
  column: (typeof LENIENT_COLUMNS)[number];
  /** Cut to 100 characters. */
  value: string;
};
const LONGEST_VALUE_SHOWN = 100;

/** `keyOf`: of a code on a domain. @throws BadRequest for an unknown one */
export type CsvRules = {
  layout: CsvLayout;
  rule: CodeRule;
  now: number;
  keyOf(code: string, host: string | undefined): string;
};

/** Works for invalid rows too. */
export const codeIn = ({ at }: CsvLayout, fields: readonly string[]): string =>
  fields[at.code!]?.trim() ?? "";

/** @throws CsvParseError, LinkInvalidCode, LinkReservedCode, LinkInvalidUrl, BadRequest (password, further columns) */
export function csvLinkOf(
  row: number,
  fields: readonly string[],
  { layout, rule, now, keyOf }: CsvRules,
): CsvLink {
  const { width, at } = layout;
  if (fields.length !== width) {
    throw appError(
      "CsvParseError",
      `The row has ${pluralize(fields.length, "column")}, but the header has ${width}.`,
    );
  }
  const cell = (column: string): string | undefined => {
    const index = at[column];
    return index === undefined ? undefined : fields[index]!;
  };
  const code = codeIn(layout, fields);
  const refusal = rule.refusal(code);
  if (refusal !== null) throw refusal;
  const unread: UnreadCell[] = [];
  /** Undefined without the column. Empty and unreadable cells are null. */
  const read = <T>(column: UnreadCell["column"], parse: (text: string) => T | null): T | null | undefined => {
    const text = cell(column)?.trim();
    if (!text) return text === undefined ? undefined : null;
    const value = parse(text);
    if (value === null) unread.push({ column, value: text.slice(0, LONGEST_VALUE_SHOWN) });
    return value;
  };
  const createdAt = read("created_at", parseRfc3339);
  const expiresAt = read("expires_at", parseRfc3339) ?? null;
  const clickCount = read("click_count", countOf);
  return {
    row,
    code: keyOf(code, cell("domain")?.trim()),
    target: targetOf(cell("target")!),
    createdAt: createdAt === null ? now : createdAt,
    expiresAt,
    password: passwordOf(cell("password") ?? ""),
    clickCount: clickCount === null ? 0 : clickCount,
    owner: cell("owner")?.trim(),
    more: moreFieldsOf(cell, now),
    unread,
  };
}

/** Keeps an internal target for the import, which skips it. @throws LinkInvalidUrl */
const targetOf = (text: string): string => (namesInternal(text) ? text.trim() : parseTarget(text));

/** Fits the column; no characters that disturb terminals or databases. */
const STORABLE_HASH = /^[\x21-\x7e]{1,255}$/;

function passwordOf(text: string): CsvLink["password"] {
  if (text === "") return null;
  if (text.startsWith("$argon2")) {
    if (STORABLE_HASH.test(text)) return { hash: text };
    throw appError("BadRequest", "A password hash has at most 255 characters of ASCII without blanks.");
  }
  return { plain: validated(createSchema.shape.password, text, "password") ?? "" };
}

/** A billion clicks a day for 27 years: sums of several links stay integers that JSON and all databases hold exactly. */
const MOST_CLICKS = 10_000_000_000_000;

function countOf(text: string): number | null {
  const count = /^\d{1,16}$/.test(text) ? Number(text) : NaN;
  return count <= MOST_CLICKS ? count : null;
}

export type FailedRow = {
  /** 1-based line on which the row begins. */
  row: number;
  /** Cut to 200 characters; empty if unreadable. */
  code: string;
  error: string;
  error_code: number;
};

export type CsvChunk = {
  /** 1 to 1,000 rows in the order of the file. */
  rows: readonly (CsvLink | FailedRow)[];
  /** Bytes read so far. */
  done: number;
};

export type CsvFile = ReturnType<typeof openCsvFile>;

export const isFailed = (row: CsvLink | FailedRow): row is FailedRow => "error_code" in row;

export const failedRow = (row: number, code: string, error: AppError): FailedRow => ({
  row,
  code: code.slice(0, LONGEST_CODE_SHOWN),
  error: error.message,
  error_code: error.code,
});

const LONGEST_CODE_SHOWN = 200;
/** Several times the longest target and password, fully escaped. */
const MAX_ROW_BYTES = 64 * 1024;
/** The portion of an import, sent in steps of the event loop of at most 10 ms. */
const CHUNK_ROWS = 1_000;
const CHUNK_BYTES = 512 * 1024;
/** Before the header and with it, read in one step of the event loop. */
const MOST_BLANK_LINES = 1000;
const HEADER_ROOM = 2 * MAX_ROW_BYTES;
const SLICE_MS = 0.5;
const SWEPT_BYTES = 1024 * 1024;

/** @throws CsvParseError without a usable header */
export function openCsvFile(bytes: Buffer, rules: Omit<CsvRules, "layout">) {
  const { layout, start, separator } = readHeader(bytes);
  return {
    bytes: bytes.length,
    hasPasswords: layout.at.password !== undefined,
    hasClicks: layout.at.click_count !== undefined,
    /** From the start, any number of times. Yields to the event loop. */
    async *chunks(mostRows = CHUNK_ROWS): AsyncGenerator<CsvChunk, undefined> {
      const slices = createTimeSlices(SLICE_MS);
      const sweeper = createSweeper(SWEPT_BYTES);
      let rows: (CsvLink | FailedRow)[] = [];
      let chunkStart = start;
      for (const record of readCsv(bytes, MAX_ROW_BYTES, separator)) {
        if (slices.due()) await slices.rest();
        if (!isFilled(record) || record.end <= start) continue;
        const { row, fields, problem, end } = record;
        try {
          if (problem !== null) throw appError("CsvParseError", problem);
          rows.push(csvLinkOf(row, fields, { ...rules, layout }));
        } catch (error) {
          if (!(error instanceof AppError)) throw error;
          rows.push(failedRow(row, codeIn(layout, fields), error));
        }
        if (rows.length >= mostRows || end - chunkStart >= CHUNK_BYTES) {
          yield { rows, done: end };
          rows = [];
          sweeper.worked(end - chunkStart);
          chunkStart = end;
        }
      }
      if (rows.length > 0) yield { rows, done: bytes.length };
      return undefined;
    },
  };
}

/** Spreadsheets write rows of separators alone for emptied rows. */
const isFilled = (record: CsvRecord | null): record is CsvRecord =>
  record !== null && (record.problem !== null || record.fields.some((field) => field.trim() !== ""));

type Header = { layout: CsvLayout; start: number; separator: CsvSeparator };

function readHeader(bytes: Buffer): Header {
  const [first, second] = bytes;
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) {
    throw appError("CsvParseError", "The file is UTF-16; save it as CSV in UTF-8.");
  }
  const readings = CSV_SEPARATORS.map((separator) => ({ separator, record: firstRecord(bytes, separator) }));
  const usable = readings.find(({ record }) => namesNeeded(record.fields));
  // Without one, report the reading with the most columns.
  const { record, separator } = usable ?? readings.toSorted(byWidth)[0]!;
  if (record.problem !== null) {
    throw appError("CsvParseError", `The header can't be read. ${record.problem}`);
  }
  return { layout: layoutOf(record.fields), start: record.end, separator };
}

const byWidth = (a: { record: CsvRecord }, b: { record: CsvRecord }): number =>
  b.record.fields.length - a.record.fields.length;

function firstRecord(bytes: Buffer, separator: CsvSeparator): CsvRecord {
  const room = bytes.subarray(0, HEADER_ROOM);
  let lines = 0;
  for (const record of readCsv(room, MAX_ROW_BYTES, separator)) {
    const isCut = record?.problem === null && record.end >= HEADER_ROOM && bytes.length > HEADER_ROOM;
    if (isCut) break;
    if (isFilled(record)) return record;
    if (++lines === MOST_BLANK_LINES) break;
  }
  throw appError("CsvParseError", "The file begins with blank lines. Its first line must name the columns.");
}
