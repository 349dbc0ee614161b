/** More edits than a third of the word's letters make another word. */
const LETTERS_OF_AN_EDIT = 3;
/** Longer words are not what somebody mistyped. */
const MOST_LETTERS = 64;

/** The candidate that a word with few typing mistakes meant, or null. */
export function closestWord(word: string, candidates: readonly string[]): string | null {
  if (word.length > MOST_LETTERS) return null;
  let closest: string | null = null;
  let least = Math.ceil((word.length + 1) / LETTERS_OF_AN_EDIT);
  for (const candidate of candidates) {
    const edits = editsBetween(word.toLowerCase(), candidate.toLowerCase());
    if (edits < least) [closest, least] = [candidate, edits];
  }
  return closest;
}

/** How many letters are inserted, left out, exchanged or swapped with the next one (optimal string alignment). */
function editsBetween(one: string, other: string): number {
  let [twoBefore, before]: [number[], number[]] = [
    [],
    Array.from({ length: other.length + 1 }, (_, at) => at),
  ];
  for (let at = 1; at <= one.length; at++) {
    const row = [at];
    for (let to = 1; to <= other.length; to++) {
      const isSame = one[at - 1] === other[to - 1];
      const isSwapped = at > 1 && to > 1 && one[at - 1] === other[to - 2] && one[at - 2] === other[to - 1];
      row[to] = Math.min(
        before[to]! + 1,
        row[to - 1]! + 1,
        before[to - 1]! + (isSame ? 0 : 1),
        isSwapped ? twoBefore[to - 2]! + 1 : Number.POSITIVE_INFINITY,
      );
    }
    [twoBefore, before] = [before, row];
  }
  return before.at(-1)!;
}
