/** URLs and lists in pasted texts. */

/** What stands between the parts of a typed or pasted list. Chinese and Japanese keyboards write the wide ones. */
export const SEPARATORS = [",", ";", "，", "；", "、"];

/** The parts of a list. They may have blanks in them, such as tags. */
export const partsIn = (text: string): string[] =>
  text
    .split(new RegExp(`[${SEPARATORS.join("")}]`))
    .map((part) => part.trim())
    .filter((part) => part !== "");

/** The parts of a list that blanks separate too, such as addresses. */
export const wordsIn = (text: string): string[] => partsIn(text.replace(/\s+/g, ","));

/** The server says that an address is too long. Nobody means a longer text as one. */
const LONGEST_PASTED = 100_000;

/** The text as a target, or null. */
export function targetIn(text: string): string | null {
  const trimmed = text.trim();
  if (!/^https?:\/\/\S+$/i.test(trimmed) || trimmed.length > LONGEST_PASTED) return null;
  return URL.canParse(trimmed) ? trimmed : null;
}

/** Lines of a text with their cells, as spreadsheets copy them. URLs between blanks are cells too. */
export function cellsIn(text: string): string[][] {
  if (text.length > LONGEST_PASTED) return [];
  return text
    .split(/\r\n|\r|\n/)
    .map((line) => {
      const words = line.trim().split(/\s+/);
      return words.every((word) => targetIn(word) !== null) ? words : line.split("\t");
    })
    .filter((cells) => cells.some((cell) => cell.trim() !== ""));
}

/** Whether a pasted text holds several targets: a list of links to make, not one. */
export const hasTargets = (text: string): boolean =>
  /[\s]/.test(text.trim()) &&
  cellsIn(text)
    .flat()
    .filter((cell) => targetIn(cell) !== null).length > 1;
