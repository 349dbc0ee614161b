/** Texts of strangers in mails: names of files, titles, targets. They change neither headers nor the words around. */

const LONGEST = 200;
const LONGEST_MESSAGE = 2_000;

/** Control characters, ends of lines and those that turn the direction of the text around them. */
// oxlint-disable-next-line no-control-regex -- that is what it removes
const UNSAFE = /[\p{Cc}\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu;

const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]/u;

/** One line of at most `most` characters. */
export function oneLine(text: string, most: number): string {
  const line = text.toWellFormed().replace(UNSAFE, " ").replace(/ {2,}/g, " ").trim();
  const characters = [...line];
  return characters.length <= most ? line : `${characters.slice(0, most - 1).join("")}…`;
}

/**
 * The text as a value of a header. `=?` begins an encoded word (RFC 2047), which the reader's program decodes: a title
 * could pretend to be another one. U+2060, which nobody sees, has the whole text encoded and is left after decoding.
 */
export const headerText = (line: string): string => line.replaceAll("=?", "=\u2060?");

/** A text that turns the direction stands apart from the words around it. */
function apart(text: string): string {
  const line = oneLine(text, LONGEST);
  return RIGHT_TO_LEFT.test(line) ? `\u2068${line}\u2069` : line;
}

/** Keeps its lines, of which none counts as one of the mail's. */
const paragraph = (text: string): string =>
  text
    .split(/\r\n|[\r\n]/)
    .map((line) => {
      const safe = oneLine(line, LONGEST_MESSAGE);
      return RIGHT_TO_LEFT.test(safe) ? `\u2068${safe}\u2069` : safe;
    })
    .join("\n")
    .trim();

/** Makes every text safe, except the addresses of the mail's buttons, which are ours. */
export const foreign = (content: object): object =>
  Object.fromEntries(
    Object.entries(content).map(([name, value]) => {
      if (name === "url" || name === "end") return [name, value];
      if (name === "message" && typeof value === "string") return [name, paragraph(value)];
      if (Array.isArray(value)) return [name, value.map((one) => apart(String(one)))];
      return [name, typeof value === "string" ? apart(value) : value];
    }),
  );
