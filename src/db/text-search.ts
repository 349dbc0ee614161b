/**
 * Case-insensitive search with LIKE. Beyond ASCII the databases fold case differently, so such a needle is searched in
 * four spellings.
 */

import { sql } from "kysely";

export const SEARCHED_COLUMNS = ["links.code", "links.target", "links.title", "links.note"] as const;

/** For joinLinkTexts with `||`. */
export function joinedTexts(separator: string) {
  const columns = SEARCHED_COLUMNS.map((column) => sql`coalesce(${sql.ref(column)}, '')`);
  const parts = [sql`links.id`, ...columns].flatMap((part) => [part, sql.lit(separator)]);
  return sql.join(parts, sql` || `);
}

/** Unlike the backslash it needs no escaping in SQL literals. */
export const LIKE_ESCAPE = "!";

/** `%needle%`, escaped, for each spelling. */
export function likePatterns(needle: string): string[] {
  return spellings(needle).map((text) => `%${text.replace(/[!%_]/g, (char) => LIKE_ESCAPE + char)}%`);
}

export function spellings(needle: string): string[] {
  // oxlint-disable-next-line no-control-regex -- matches ASCII
  if (/^[\x00-\x7f]*$/.test(needle)) return [needle];
  const lower = needle.toLowerCase();
  const [first = "", ...rest] = lower;
  return [...new Set([needle, lower, needle.toUpperCase(), first.toUpperCase() + rest.join("")])];
}
