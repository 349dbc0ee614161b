import { csvLine } from "../../../lib/csv.ts";

const MOST_TAGS = 16;
const LONGEST = 64;

/** Of the tags that a link of ours can have; tells which it can't. */
export function tagsCell(tags: readonly string[], lost: string[]): string {
  const fitting = [...new Set(tags.map((tag) => tag.trim().toLowerCase()))].filter((tag) => tag !== "");
  const short = fitting.filter((tag) => [...tag].length <= LONGEST);
  if (short.length < fitting.length) lost.push(`Tags of more than ${LONGEST} characters are left out.`);
  const left = short.slice(MOST_TAGS);
  if (left.length > 0)
    lost.push(`It has more than ${MOST_TAGS} tags; left out: ${left.join(", ").slice(0, 300)}.`);
  return csvLine(short.slice(0, MOST_TAGS)).trimEnd();
}
