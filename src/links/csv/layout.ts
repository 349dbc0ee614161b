/**
 * Columns of the export, and their positions in an import: in any order, ignoring blanks, case and unknown columns.
 * `code` and `target` are required.
 */
import { csvLine } from "../../lib/csv.ts";
import { appError } from "../../lib/errors.ts";
import { formatRfc3339 } from "../../lib/rfc3339.ts";
import { type Link } from "../link/link.ts";
import { codeOf } from "../link/key.ts";
import { MORE_COLUMNS, moreCellsOf } from "./more-columns.ts";

export const CSV_COLUMNS = ["code", "target", "created_at", "expires_at", "password", "click_count"];

export const CSV_HEADER = csvLine(CSV_COLUMNS);
export const WHOLE_CSV_HEADER = csvLine([...CSV_COLUMNS, ...MORE_COLUMNS]);

/** With the password's hash for an import. */
export const csvLineOf = (link: Link): string => csvLine(cellsOf(link));

/** With all columns. */
export const wholeCsvLineOf = (link: Link, hostOf: (domain: number) => string | null): string =>
  csvLine([...cellsOf(link), ...moreCellsOf(link, hostOf)]);

const cellsOf = (link: Link): string[] => [
  codeOf(link.code),
  link.target,
  formatRfc3339(link.createdAt),
  link.expiresAt === null ? "" : formatRfc3339(link.expiresAt),
  link.passwordHash ?? "",
  String(link.clickCount),
];

export type CsvLayout = {
  width: number;
  at: Readonly<Record<string, number>>;
};

const NEEDED = ["code", "target"] as const;

const namesIn = (header: readonly string[]): string[] => header.map((cell) => cell.trim().toLowerCase());

export const namesNeeded = (header: readonly string[]): boolean => {
  const names = namesIn(header);
  return NEEDED.every((column) => names.includes(column));
};

/** @throws CsvParseError for a missing or repeated column */
export function layoutOf(header: readonly string[]): CsvLayout {
  const names = namesIn(header);
  const at: Record<string, number> = {};
  for (const column of [...CSV_COLUMNS, ...MORE_COLUMNS]) {
    const index = names.indexOf(column);
    if (index === -1) continue;
    if (names.includes(column, index + 1)) {
      throw appError("CsvParseError", `The header names the column '${column}' twice.`);
    }
    at[column] = index;
  }
  for (const column of NEEDED) {
    if (at[column] === undefined) {
      throw appError(
        "CsvParseError",
        `The header has no column '${column}'. The first line must name the columns, separated by commas, semicolons or tabs; code and target are required.`,
      );
    }
  }
  return { width: names.length, at };
}
