/**
 * Columns of the export, and their positions in an import: in any order, ignoring blanks, case and unknown columns.
 * `code` and `target` are required.
 */
import { z } from "zod";
import { csvLine } from "../../lib/csv.ts";
import { appError } from "../../lib/errors.ts";
import { formatRfc3339 } from "../../lib/rfc3339.ts";
import type { Link } from "../link/link.ts";
import { codeOf, domainOf } from "../link/key.ts";
import { fromSpreadsheetCell, toSpreadsheetCell } from "../../lib/spreadsheet-text.ts";
import { validated } from "../../lib/validated.ts";
import type { At } from "../link/field-kinds.ts";
import { FIELDS, fieldValues, type LinkFields, parseLinkFields, schemasOf } from "../link/field-values.ts";
import { CONTENT, LINK_FIELDS } from "../link/fields.ts";

/**
 * The columns that `columns=all` adds to the export. An import takes those that its file names. No cell runs as a
 * formula in a spreadsheet.
 */
export const MORE_COLUMNS: readonly string[] = [
  ...new Set([
    "domain",
    "title",
    "tags",
    ...Object.keys(CONTENT),
    "held",
    "created_by",
    "owner",
    "human_clicks",
  ]),
];
const columns = MORE_COLUMNS.map((column) => FIELDS.find(({ name }) => name === column));

const input = z.object(schemasOf(LINK_FIELDS, "input"));

/** @param hostOf null for the default domain, whose cell is empty */
function moreCellsOf(link: Link, hostOf: (domain: number) => string | null): string[] {
  const values = fieldValues(link);
  return columns.map((field, at) => {
    if (field) return toSpreadsheetCell(field.cell(values[field.key]));
    if (MORE_COLUMNS[at] === "human_clicks") return String(link.clickCount - link.automatedClicks);
    return (MORE_COLUMNS[at] === "owner" ? link.ownerName : hostOf(domainOf(link.code))) ?? "";
  });
}

/** An empty cell clears its field, an absent column keeps it. @throws BadRequest, InvalidDateFormat, LinkInvalidUrl */
export function moreFieldsOf(cell: (column: string) => string | undefined, at: Omit<At, "name">): LinkFields {
  const given: Record<string, unknown> = {};
  for (const { name, fromText } of FIELDS) {
    const text = cell(name);
    if (text !== undefined) given[name] = fromText(fromSpreadsheetCell(text));
  }
  return parseLinkFields(validated(input, given, "The row"), at);
}

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
  /** Names of columns that an import does not take, at most 100 of 100 characters. */
  ignored: readonly string[];
};
const MOST_IGNORED = 100;

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
  const taken = new Set(Object.values(at));
  const ignored = header.map((cell) => cell.trim()).filter((name, index) => name !== "" && !taken.has(index));
  return {
    width: names.length,
    at,
    ignored: ignored.slice(0, MOST_IGNORED).map((name) => name.slice(0, MOST_IGNORED)),
  };
}
