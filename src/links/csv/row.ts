/**
 * What an import makes of a row. Cells are trimmed, except passwords. Times are RFC 3339; an invalid `created_at`
 * becomes the time of the import, an invalid `expires_at` no expiry, an invalid `click_count` 0. A password that begins
 * with `$argon2` is a hash.
 */
import { pluralize } from "../../lib/pluralize.ts";
import { appError } from "../../lib/errors.ts";
import { parseRfc3339 } from "../../lib/rfc3339.ts";
import { validated } from "../../lib/validated.ts";
import type { CodeRule } from "../code.ts";
import { parseTarget } from "../link-input.ts";
import { namesInternal } from "../internal-target.ts";
import { createSchema } from "../link.ts";
import type { CsvColumn, CsvLayout } from "./layout.ts";
import { type MoreFields, moreFieldsOf } from "./more-columns.ts";

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
  more: MoreFields;
};

/** `keyOf`: of a code on a domain. @throws BadRequest for an unknown one */
export type CsvRules = {
  layout: CsvLayout;
  rule: CodeRule;
  now: number;
  keyOf?(code: string, host: string | undefined): string;
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
    code: keyOf?.(code, cell("domain")?.trim()) ?? code,
    target: targetOf(cell("target")!),
    createdAt: createdAt === undefined ? undefined : (parseRfc3339(createdAt.trim()) ?? now),
    expiresAt: parseRfc3339(cell("expires_at")?.trim() ?? ""),
    password: passwordOf(cell("password") ?? ""),
    clickCount: clickCount === undefined ? undefined : countOf(clickCount.trim()),
    more: moreFieldsOf(cell, now),
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

function countOf(text: string): number {
  const count = /^\d{1,16}$/.test(text) ? Number(text) : 0;
  return Number.isSafeInteger(count) ? count : 0;
}
