/**
 * Case-insensitive search with LIKE. Beyond ASCII the databases fold case differently, so such a needle is searched in
 * four spellings. Links keep texts as typed, so letters with marks are searched composed (NFC) and decomposed (NFD).
 */
import { type RawBuilder, sql, type SqlBool } from "kysely";
import { asciiLower } from "../../lib/ascii-lower.ts";

export const SEARCHED_COLUMNS = ["links.code", "links.target", "links.title", "links.note"] as const;

/** Unlike the backslash it needs no escaping in SQL literals. */
const LIKE_ESCAPE = "!";

const containing = (text: string): string => `%${text.replace(/[!%_]/g, (char) => LIKE_ESCAPE + char)}%`;

/** `%needle%`, escaped, for each of `writtenForms`. */
export const likePatterns = (needle: string): string[] => writtenForms(needle).map(containing);

/** `likePatterns` for texts in lower case, whether the database lowers ASCII alone or all letters. */
export const lowerPatterns = (needle: string): string[] => likePatterns(needle).map(asciiLower);

/** For names of people where no index folds case: also with each word in capitals, or capitalized. */
export function namePatterns(needle: string): string[] {
  const words = needle.toLowerCase().replace(/(^|\s)\S/g, (start) => start.toUpperCase());
  const forms = [...writtenForms(needle), ...writtenForms(words), needle.toLowerCase(), needle.toUpperCase()];
  return [...new Set(forms)].map(containing);
}

/** The text of a column, for patterns in lower case. How letters beyond ASCII fold is up to the database. */
export const lowered = (column: string): RawBuilder<string> => sql`lower(${sql.ref(column)})`;

/** One of the texts is like one of the patterns. */
export function anyLike(
  texts: readonly RawBuilder<unknown>[],
  patterns: readonly string[],
): RawBuilder<SqlBool> {
  const tests = patterns.flatMap((pattern) =>
    texts.map((text) => sql`${text} like ${pattern} escape ${sql.lit(LIKE_ESCAPE)}`),
  );
  return sql`(${sql.join(tests, sql` or `)})`;
}

const ASCII = /^[\x00-\x7f]*$/;

/** Returns the spellings in NFC. */
export function spellings(needle: string): string[] {
  if (ASCII.test(needle)) return [needle];
  const given = needle.normalize("NFC");
  const lower = given.toLowerCase();
  const [first = "", ...rest] = lower;
  const all = [given, lower, given.toUpperCase(), first.toUpperCase() + rest.join("")];
  return [...new Set(all.map((text) => text.normalize("NFC")))];
}

/** The spellings composed and decomposed, and the needle as given. */
export function writtenForms(needle: string): string[] {
  if (ASCII.test(needle)) return [needle];
  const composed = spellings(needle);
  return [...new Set([...composed, ...composed.map((text) => text.normalize("NFD")), needle])];
}
