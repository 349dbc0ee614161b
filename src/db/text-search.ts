/**
 * Case-blind containment with LIKE. What every database does alike is to fold ASCII; beyond it one folds all of
 * Unicode, another what its locale knows, a third nothing. So a needle with other letters is looked for in the four
 * ways people write a word, and that much is the same everywhere.
 */

/** What a search of links looks in. */
export const SEARCHED_COLUMNS = ["links.code", "links.target"] as const;

/** The escape character of the patterns: unlike the backslash it needs no escaping in any SQL literal. */
export const LIKE_ESCAPE = "!";

/** `%needle%` for each way of writing it, with `%`, `_` and the escape character taken literally. */
export function likePatterns(needle: string): string[] {
  return spellings(needle).map((text) => `%${text.replace(/[!%_]/g, (char) => LIKE_ESCAPE + char)}%`);
}

function spellings(needle: string): string[] {
  // oxlint-disable-next-line no-control-regex -- exactly ASCII is meant
  if (/^[\x00-\x7f]*$/.test(needle)) return [needle];
  const lower = needle.toLowerCase();
  const [first = "", ...rest] = lower;
  return [...new Set([needle, lower, needle.toUpperCase(), first.toUpperCase() + rest.join("")])];
}
