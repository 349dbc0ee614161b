/**
 * The columns that `columns=all` adds to the export. An import takes those that its file names. No cell runs as a
 * formula in a spreadsheet.
 */
import { z } from "zod";
import { fromSpreadsheetCell, toSpreadsheetCell } from "../../lib/spreadsheet-text.ts";
import { validated } from "../../lib/validated.ts";
import { FIELDS, fieldValues, type LinkFields, parseLinkFields, schemasOf } from "../link/field-values.ts";
import { CONTENT, LINK_FIELDS } from "../link/fields.ts";
import { domainOf } from "../link/key.ts";
import type { Link } from "../link/link.ts";

export const MORE_COLUMNS: readonly string[] = [
  ...new Set(["domain", "title", "tags", ...Object.keys(CONTENT), "held", "created_by", "owner"]),
];
const columns = MORE_COLUMNS.map((column) => FIELDS.find(({ name }) => name === column));

const input = z.object(schemasOf(LINK_FIELDS, "input"));

/** @param hostOf null for the default domain, whose cell is empty */
export function moreCellsOf(link: Link, hostOf: (domain: number) => string | null): string[] {
  const values = fieldValues(link);
  return columns.map((field, at) => {
    if (field) return toSpreadsheetCell(field.cell(values[field.key]));
    return (MORE_COLUMNS[at] === "owner" ? link.ownerName : hostOf(domainOf(link.code))) ?? "";
  });
}

/** An empty cell clears its field, an absent column keeps it. @throws BadRequest, InvalidDateFormat, LinkInvalidUrl */
export function moreFieldsOf(cell: (column: string) => string | undefined, now: number): LinkFields {
  const given: Record<string, unknown> = {};
  for (const { name, fromText } of FIELDS) {
    const text = cell(name);
    if (text !== undefined) given[name] = fromText(fromSpreadsheetCell(text));
  }
  return parseLinkFields(validated(input, given, "The row"), now);
}
