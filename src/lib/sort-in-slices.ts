import { createTimeSlices } from "./time-slices.ts";

/** The most items that are sorted at once: comparing two long names takes up to 15 µs. */
const RUN = 32;
/** Short, because the slices of several sorts may follow each other in one turn of the event loop. */
const SLICE_MS = 1;

/** Makes a sorted list by a slow comparison, yielding to the event loop. Equal items keep their order. */
export async function sortInSlices<T>(
  items: readonly T[],
  compare: (one: T, other: T) => number,
): Promise<T[]> {
  const slices = createTimeSlices(SLICE_MS);
  let runs: T[][] = [];
  for (let at = 0; at < items.length; at += RUN) {
    runs.push(items.slice(at, at + RUN).toSorted(compare));
    if (slices.due()) await slices.rest();
  }
  while (runs.length > 1) {
    const merged: T[][] = [];
    for (let at = 0; at < runs.length; at += 2) merged.push(await merge(runs[at]!, runs[at + 1] ?? []));
    runs = merged;
  }
  return runs[0] ?? [];

  async function merge(left: readonly T[], right: readonly T[]): Promise<T[]> {
    if (right.length === 0 || compare(left.at(-1)!, right[0]!) <= 0) return [...left, ...right];
    const merged: T[] = [];
    let [fromLeft, fromRight] = [0, 0];
    while (fromLeft < left.length && fromRight < right.length) {
      const isLeft = compare(left[fromLeft]!, right[fromRight]!) <= 0;
      merged.push(isLeft ? left[fromLeft++]! : right[fromRight++]!);
      if (merged.length % RUN === 0 && slices.due()) await slices.rest();
    }
    return [...merged, ...left.slice(fromLeft), ...right.slice(fromRight)];
  }
}
