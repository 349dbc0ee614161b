/**
 * Links as CSV: the columns of the export, and what an import makes of a row. An import takes columns by name in any
 * order (blanks and case ignored, unknown ones skipped) and needs `code` and `target` alone.
 *
 * A cell is read without blanks at its ends, but for the password. The code follows the rules of a create and is
 * never random here. Times are RFC 3339 only; an unusable `created_at` is the time of the import, an unusable or
 * empty `expires_at` no expiry, an unusable `click_count` 0. A password that begins with `$argon2` is a hash and
 * taken as it is, as far as its column can hold it. Links that serve a shared file or folder are exported, with their
 * internal target; a row with such a target is skipped by an import, for it can't bring the share back.
 */
import { pluralize } from "../../lib/pluralize.ts";
import { csvLine } from "../../lib/csv.ts";
import { appError } from "../../lib/errors.ts";
import { formatRfc3339, parseRfc3339 } from "../../lib/rfc3339.ts";
import { validated } from "../../lib/validated.ts";
import type { CodeRule } from "../code.ts";
import { parseTarget } from "../link-input.ts";
import { namesInternal } from "../internal-target.ts";
import { createSchema, type Link } from "../link.ts";

const CSV_COLUMNS = ["code", "target", "created_at", "expires_at", "password", "click_count"] as const;
export type CsvColumn = (typeof CSV_COLUMNS)[number];

export const CSV_HEADER = csvLine(CSV_COLUMNS);

/** One line of the export. It carries the password's hash, so that an import can restore it. */
export const csvLineOf = (link: Link): string =>
  csvLine([
    link.code,
    link.target,
    formatRfc3339(link.createdAt),
    link.expiresAt === null ? "" : formatRfc3339(link.expiresAt),
    link.passwordHash ?? "",
    String(link.clickCount),
  ]);

/** Where in a row the columns stand. */
export type CsvLayout = {
  width: number;
  at: Readonly<Partial<Record<CsvColumn, number>>>;
};

const NEEDED = ["code", "target"] as const;

const namesIn = (header: readonly string[]): string[] => header.map((cell) => cell.trim().toLowerCase());

/** Whether the header has the columns that are needed. */
export const namesNeeded = (header: readonly string[]): boolean => {
  const names = namesIn(header);
  return NEEDED.every((column) => names.includes(column));
};

/** @throws CsvParseError when a needed column is missing or one is there twice */
export function layoutOf(header: readonly string[]): CsvLayout {
  const names = namesIn(header);
  const at: Partial<Record<CsvColumn, number>> = {};
  for (const column of CSV_COLUMNS) {
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
        `The header has no column '${column}'. The first line names the columns, separated by commas, semicolons or tabs; code and target are needed.`,
      );
    }
  }
  return { width: names.length, at };
}

/** A link as a row gives it; undefined where the file has no such column. */
export type CsvLink = {
  /** The line of the file. */
  row: number;
  code: string;
  target: string;
  createdAt: number | undefined;
  expiresAt: number | null;
  /** Null: none. */
  password: { plain: string } | { hash: string } | null;
  clickCount: number | undefined;
};

export type CsvRules = { layout: CsvLayout; rule: CodeRule; now: number };

/** The code that a row means to write, also of one that can't be read further. */
export const codeIn = ({ at }: CsvLayout, fields: readonly string[]): string =>
  fields[at.code!]?.trim() ?? "";

/** @throws CsvParseError, LinkInvalidCode, LinkReservedCode, LinkInvalidUrl, BadRequest (password) */
export function csvLinkOf(row: number, fields: readonly string[], { layout, rule, now }: CsvRules): CsvLink {
  const { width, at } = layout;
  if (fields.length !== width) {
    throw appError(
      "CsvParseError",
      `The row has ${pluralize(fields.length, "column")}, the header ${width}.`,
    );
  }
  const cell = (column: CsvColumn): string | undefined => {
    const index = at[column];
    return index === undefined ? undefined : fields[index]!;
  };
  const code = codeIn(layout, fields);
  const refusal = rule.refusal(code);
  if (refusal !== null) throw refusal;
  const createdAt = cell("created_at");
  const clickCount = cell("click_count");
  return {
    row,
    code,
    target: targetOf(cell("target")!),
    createdAt: createdAt === undefined ? undefined : (parseRfc3339(createdAt.trim()) ?? now),
    expiresAt: parseRfc3339(cell("expires_at")?.trim() ?? ""),
    password: passwordOf(cell("password") ?? ""),
    clickCount: clickCount === undefined ? undefined : countOf(clickCount.trim()),
  };
}

/** An internal one is kept for the import, which passes over it. @throws LinkInvalidUrl */
const targetOf = (text: string): string => (namesInternal(text) ? text.trim() : parseTarget(text));

/** What the column holds, and nothing a terminal or a database would stumble over. */
const STORABLE_HASH = /^[\x21-\x7e]{1,255}$/;

function passwordOf(text: string): CsvLink["password"] {
  if (text === "") return null;
  if (text.startsWith("$argon2")) {
    if (STORABLE_HASH.test(text)) return { hash: text };
    throw appError("BadRequest", "A password hash has at most 255 characters of ASCII without blanks.");
  }
  return { plain: validated(createSchema.shape.password, text, "password") ?? "" };
}

function countOf(text: string): number {
  const count = /^\d{1,16}$/.test(text) ? Number(text) : 0;
  return Number.isSafeInteger(count) ? count : 0;
}
