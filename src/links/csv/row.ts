/**
 * What an import makes of a row. Cells are trimmed, except passwords. Times are RFC 3339; an invalid `created_at`
 * becomes the time of the import, an invalid `expires_at` no expiry, an invalid `click_count` 0. A password that begins
 * with `$argon2` is a hash.
 */
import { pluralize } from "../../lib/pluralize.ts";
import { appError } from "../../lib/errors.ts";
import { parseRfc3339 } from "../../lib/rfc3339.ts";
import { validated } from "../../lib/validated.ts";
import type { CodeRule } from "../link/code.ts";
import { parseTarget } from "../link/input.ts";
import { namesInternal } from "../link/internal-target.ts";
import { createSchema } from "../link/link.ts";
import type { CsvLayout } from "./layout.ts";
import type { LinkFields } from "../link/field-values.ts";
import { moreFieldsOf } from "./more-columns.ts";

/** Undefined: the file has no such column. */
export type CsvLink = {
  /** Line of the file. */
  row: number;
  /** Its key. */
  code: string;
  target: string;
  createdAt: number | undefined;
  expiresAt: number | null;
  /** Null: none. */
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
