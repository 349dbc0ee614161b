/**
 * The rows of a CSV file, as an import reads them. Cells are trimmed, except passwords. An invalid `created_at` becomes
 * the time of the import, an invalid `expires_at` no expiry, an invalid `click_count` 0, unless the reading is strict.
 * A password that begins with `$argon2`, or is a whole hash of bcrypt or PBKDF2, is a hash. A code may be a whole short
 * URL.
 */
import { CSV_SEPARATORS, type CsvRecord, type CsvSeparator, readCsv, widthProblem } from "../../lib/csv.ts";
import { namedSeparator } from "../../lib/csv-beginning.ts";
import { AppError, appError } from "../../lib/errors.ts";
import { isForeignHash } from "../../lib/password-hash.ts";
import { createSweeper } from "../../lib/sweeper.ts";
import { createTimeSlices } from "../../lib/time-slices.ts";
import { type CsvLayout, layoutOf, moreFieldsOf, namesNeeded } from "./columns.ts";
import { parseTableTime, TABLE_TIME_FORM } from "../../lib/table-time.ts";
import { validated } from "../../lib/validated.ts";
import type { CodeRule } from "../link/code.ts";
import { parseTarget, type TargetRule } from "../link/input.ts";
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
  /** A part of them. Undefined: the file does not say. */
  automatedClicks: number | undefined;
  /** Its name; empty: none. */
  owner: string | undefined;
  more: LinkFields;
  /** Filled cells that count as empty ones. */
  unread: readonly UnreadCell[];
};

export const LENIENT_COLUMNS = ["created_at", "expires_at", "click_count", "human_clicks", "owner"] as const;
export type UnreadCell = {
  column: (typeof LENIENT_COLUMNS)[number];
  /** Cut to 100 characters. */
  value: string;
};
const LONGEST_VALUE_SHOWN = 100;
export const unreadCell = (column: UnreadCell["column"], text: string): UnreadCell => ({
  column,
  value: text.slice(0, LONGEST_VALUE_SHOWN),
});

export type CsvRules = {
  layout: CsvLayout;
  rule: CodeRule;
  now: number;
  /** The key of a code on a domain. @throws BadRequest for an unknown one */
  keyOf(code: string, host: string | undefined): string;
  isDomain(host: string): boolean;
  /** Rejects a row with a cell that can't be read. */
  isStrict?: boolean | undefined;
};

/** Without a query, and with a path. */
const SHORT_URL = /^https?:\/\/([^/?#\s:@]+)(?::\d+)?\/([^?#\s]+)$/i;

/** The path of a whole short URL, with its host. Works for invalid rows too. */
function placeIn({ at }: CsvLayout, fields: readonly string[]): { code: string; host?: string } {
  const text = fields[at.code!]?.trim() ?? "";
  const [, host, code] = SHORT_URL.exec(text.slice(0, LONGEST_SHORT_URL)) ?? [];
  return host === undefined ? { code: text } : { code: code!.replace(/\/$/, ""), host };
}
const LONGEST_SHORT_URL = 2_000;

export const unreadRefusal = ({ column, value }: UnreadCell): AppError => {
  if (column === "owner") return appError("BadRequest", `owner: there is no account or team "${value}".`);
  const shown = `${column} can't be read: ${JSON.stringify(value)}.`;
  return column.endsWith("_at")
    ? appError("InvalidDateFormat", `${shown} Write it like ${TABLE_TIME_FORM}.`)
    : appError("BadRequest", `${shown} Write a whole number without separators.`);
};

/** @throws CsvParseError, LinkInvalidCode, LinkReservedCode, LinkInvalidUrl, InvalidDateFormat, BadRequest */
export function csvLinkOf(
  row: number,
  fields: readonly string[],
  { layout, rule, now, keyOf, isDomain, isStrict = false }: CsvRules,
): CsvLink {
  const { width, at } = layout;
  const misfit = widthProblem(fields, width, Math.max(at.code!, at.target!));
  if (misfit !== null) throw appError("CsvParseError", misfit);
  const cell = (column: string): string | undefined => {
    const index = at[column];
    return index === undefined ? undefined : (fields[index] ?? "");
  };
  const { code, host } = placeIn(layout, fields);
  const refusal = rule.refusal(code);
  if (refusal !== null) throw refusal;
  const unread: UnreadCell[] = [];
  /** Undefined without the column. Empty and unreadable cells are null. */
  const read = <T>(column: UnreadCell["column"], parse: (text: string) => T | null): T | null | undefined => {
    const text = cell(column)?.trim();
    if (!text) return text === undefined ? undefined : null;
    const value = parse(text);
    if (value === null) {
      const found = unreadCell(column, text);
      if (isStrict) throw unreadRefusal(found);
      unread.push(found);
    }
    return value;
  };
  const createdAt = read("created_at", parseTableTime);
  const expiresAt = read("expires_at", parseTableTime) ?? null;
  const clickCount = read("click_count", countOf);
  const humanClicks = clickCount
    ? read("human_clicks", (text) => ((countOf(text) ?? Infinity) <= clickCount ? countOf(text) : null))
    : undefined;
  const domain = cell("domain")?.trim() || (host !== undefined && isDomain(host) ? host : undefined);
  return {
    row,
    code: keyOf(code, domain),
    target: targetOf(cell("target")!, rule),
    createdAt: createdAt === null ? now : createdAt,
    expiresAt,
    password: passwordOf(cell("password") ?? ""),
    clickCount: clickCount === null ? 0 : clickCount,
    automatedClicks:
      humanClicks === undefined || humanClicks === null ? undefined : clickCount! - humanClicks,
    owner: cell("owner")?.trim(),
    more: moreFieldsOf(cell, { now, schemes: rule.targetSchemes() }),
    unread,
  };
}

/** Keeps an internal target for the import, which skips it. @throws LinkInvalidUrl */
const targetOf = (text: string, rule: TargetRule): string =>
  namesInternal(text) ? text.trim() : parseTarget(text, rule);

/** Fits the column; no characters that disturb terminals or databases. */
const STORABLE_HASH = /^[\x21-\x7e]{1,255}$/;

function passwordOf(text: string): CsvLink["password"] {
  if (text === "") return null;
  if (text.startsWith("$argon2")) {
    if (STORABLE_HASH.test(text)) return { hash: text };
    throw appError("BadRequest", "A password hash has at most 255 characters of ASCII without blanks.");
  }
  if (isForeignHash(text)) return { hash: text };
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
    ignoredColumns: layout.ignored,
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
          rows.push(failedRow(row, placeIn(layout, fields).code, error));
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

/** @param bytes in UTF-8 */
function readHeader(bytes: Buffer): Header {
  const named = namedSeparator(bytes);
  const readings = (named === null ? CSV_SEPARATORS : [named]).map((separator) => {
    return { separator, record: firstRecord(bytes, separator, named === null ? 0 : 1) };
  });
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

/** After the first `skipped` lines. */
function firstRecord(bytes: Buffer, separator: CsvSeparator, skipped: number): CsvRecord {
  const room = bytes.subarray(0, HEADER_ROOM);
  let lines = 0;
  for (const record of readCsv(room, MAX_ROW_BYTES, separator)) {
    const isCut = record?.problem === null && record.end >= HEADER_ROOM && bytes.length > HEADER_ROOM;
    if (isCut) break;
    if (isFilled(record) && record.row > skipped) return record;
    if (++lines === MOST_BLANK_LINES) break;
  }
  throw appError("CsvParseError", "The file begins with blank lines. Its first line must name the columns.");
}
