/**
 * Rows as they are in the file, each with its line and the reasons. Once corrected, they can be imported again. A
 * spreadsheet runs no cell but a password, which an import would take with the sign that prevents it.
 */
import { spreadsheetText } from "../../base/spreadsheet-text.ts";
import { csvCell, csvCells, csvPlaces } from "./csv-bytes.ts";
import type { CsvSource } from "./csv-source.ts";
import type { KeptReport } from "./import-record.ts";

export type ReportedCsvRow = { row: number; code: string; error: string };

/** Characters. */
const MOST_KEPT = 1_000_000;

const decoder = new TextDecoder();

/** `columns`: what the import takes the columns of the file as. */
export const csvReport = (
  source: CsvSource,
  columns: readonly string[],
  rows: readonly ReportedCsvRow[],
): Blob => reportBlob([...linesOf(source, columns, rows)]);

/** The mark lets spreadsheets know UTF-8. */
export const reportBlob = (lines: string[]): Blob =>
  new Blob(["\ufeff", ...lines], { type: "text/csv;charset=utf-8" });

/** For the storage of a tab: bounded, and only with code and reason if rows may have passwords. */
export function keptReport(
  source: CsvSource,
  columns: readonly string[],
  failed: readonly ReportedCsvRow[],
): KeptReport {
  const isSecret = columns.includes("password") || source.header.some((name) => /pass/i.test(name));
  let text = "";
  let rows = -1;
  for (const line of isSecret ? shortLinesOf(failed) : linesOf(source, columns, failed)) {
    if (text.length + line.length > MOST_KEPT) break;
    text += line;
    rows++;
  }
  return { text, rows: Math.max(0, rows) };
}

function* linesOf(
  source: CsvSource,
  columns: readonly string[],
  failed: readonly ReportedCsvRow[],
): Generator<string> {
  const { bytes, separator, header, start, row } = source;
  const reasons = new Map<number, string>();
  for (const item of failed)
    reasons.set(item.row, [reasons.get(item.row), item.error].filter(Boolean).join(" "));
  yield `${["row", "error", ...header].map((name) => cellOf(name)).join(separator)}\n`;
  for (const place of csvPlaces(bytes, separator, start, row)) {
    const reason = reasons.get(place.row);
    if (reason === undefined) continue;
    const text = decoder.decode(bytes.subarray(place.start, place.end)).replace(/[\r\n]+$/, "");
    const cells = csvCells(text, separator);
    // A record that can't be read would spoil the rows after it. Rows may lack cells at the end, or have empty ones.
    const isRagged = !text.includes('"') && cells.slice(header.length).every((cell) => cell.trim() === "");
    const shown =
      isRagged || cells.length === header.length
        ? header.map((_, at) => cellOf(cells[at] ?? "", columns[at]))
        : [cellOf(text)];
    yield `${[place.row, cellOf(reason), ...shown].join(separator)}\n`;
  }
}

function* shortLinesOf(failed: readonly ReportedCsvRow[]): Generator<string> {
  yield "row,error,code\n";
  for (const { row, error, code } of failed) yield `${row},${cellOf(error)},${cellOf(code, "code")}\n`;
}

const CODE = /^[\w.\-/]*$/;

const cellOf = (text: string, column?: string): string =>
  csvCell(column === "password" || (column === "code" && CODE.test(text)) ? text : spreadsheetText(text));
