/**
 * Case-insensitive search with LIKE. All databases fold ASCII; beyond that they differ. So a needle with other letters
 * is searched in four spellings, which behave the same everywhere.
 */

/** The searched columns. */
export const SEARCHED_COLUMNS = ["links.code", "links.target"] as const;

/** Escape character of the patterns. Unlike the backslash it needs no escaping in SQL literals. */
export const LIKE_ESCAPE = "!";

/** `%needle%` for each spelling, with `%`, `_` and the escape character escaped. */
export function likePatterns(needle: string): string[] {
  return spellings(needle).map((text) => `%${text.replace(/[!%_]/g, (char) => LIKE_ESCAPE + char)}%`);
}

function spellings(needle: string): string[] {
  // oxlint-disable-next-line no-control-regex -- matches ASCII
  if (/^[\x00-\x7f]*$/.test(needle)) return [needle];
  const lower = needle.toLowerCase();
  const [first = "", ...rest] = lower;
  return [...new Set([needle, lower, needle.toUpperCase(), first.toUpperCase() + rest.join("")])];
}
