import { CSV_SEPARATORS, type CsvRecord, type CsvSeparator, readCsv } from "../../lib/csv.ts";
import { AppError, appError } from "../../lib/errors.ts";
import { createSweeper } from "../../lib/sweeper.ts";
import { createTimeSlices } from "../../lib/time-slices.ts";
import { codeIn, type CsvLink, csvLinkOf, type CsvRules } from "./row.ts";
import { type CsvLayout, layoutOf, namesNeeded } from "./layout.ts";

export type FailedRow = {
  /** 1-based line on which the row begins. */
  row: number;
  /** Cut to 200 characters; empty if unreadable. */
  code: string;
  error: string;
  error_code: number;
};

export type CsvChunk = {
  /** In the order of the file, 1 to 1,000. */
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
