export type LineChange = { kind: "same" | "gone" | "new"; line: string };

/** Lines between the equal beginning and the equal end; what has more is shown as gone and new as a whole. */
const MOST_CELLS = 4_000_000;

/** Or how many equal lines are left out. */
export type ShownChange = LineChange | { kind: "folded"; count: number };

/** Equal lines that are shown before and after a change. */
const AROUND = 3;

/** Without the equal lines that are far from every change. */
export function nearChanges(changes: readonly LineChange[]): ShownChange[] {
  const isShown = new Uint8Array(changes.length);
  changes.forEach(({ kind }, at) => {
    if (kind !== "same") isShown.fill(1, Math.max(0, at - AROUND), at + AROUND + 1);
  });
  const shown: ShownChange[] = [];
  changes.forEach((change, at) => {
    const last = shown.at(-1);
    if (isShown[at] === 1) shown.push(change);
    else if (last?.kind === "folded") last.count++;
    else shown.push({ kind: "folded", count: 1 });
  });
  return shown;
}

/** What turns one text into the other, by its longest common lines. */
export function lineChanges(former: string, present: string): LineChange[] {
  const [before, after] = [former.split("\n"), present.split("\n")];
  const most = Math.min(before.length, after.length);
  let start = 0;
  while (start < most && before[start] === after[start]) start++;
  let end = 0;
  while (end < most - start && before.at(-1 - end) === after.at(-1 - end)) end++;
  const as = (kind: LineChange["kind"], lines: readonly string[]) => lines.map((line) => ({ kind, line }));
  const [gone, come] = [before.slice(start, before.length - end), after.slice(start, after.length - end)];
  const isLarge = (gone.length + 1) * (come.length + 1) > MOST_CELLS;
  const middle = isLarge ? [...as("gone", gone), ...as("new", come)] : changesBetween(gone, come);
  return [...as("same", before.slice(0, start)), ...middle, ...as("same", before.slice(before.length - end))];
}

function changesBetween(gone: readonly string[], come: readonly string[]): LineChange[] {
  const width = come.length + 1;
  // Length of the longest common lines from here on.
  const lengths = new Uint32Array((gone.length + 1) * width);
  for (let i = gone.length - 1; i >= 0; i--) {
    for (let j = come.length - 1; j >= 0; j--) {
      const below = lengths[(i + 1) * width + j]!;
      const right = lengths[i * width + j + 1]!;
      lengths[i * width + j] =
        gone[i] === come[j] ? lengths[(i + 1) * width + j + 1]! + 1 : Math.max(below, right);
    }
  }
  const changes: LineChange[] = [];
  let [i, j] = [0, 0];
  while (i < gone.length || j < come.length) {
    if (i < gone.length && j < come.length && gone[i] === come[j]) {
      changes.push({ kind: "same", line: gone[i++]! });
      j++;
    } else if (
      j === come.length ||
      (i < gone.length && lengths[(i + 1) * width + j]! >= lengths[i * width + j + 1]!)
    ) {
      changes.push({ kind: "gone", line: gone[i++]! });
    } else changes.push({ kind: "new", line: come[j++]! });
  }
  return changes;
}
