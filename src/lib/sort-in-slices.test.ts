import { expect, test } from "bun:test";
import { sortInSlices } from "./sort-in-slices.ts";

const byRank = (one: { rank: number }, other: { rank: number }): number => one.rank - other.rank;

test("the order is that of toSorted, also of equal items", async () => {
  for (const length of [0, 1, 2, 31, 32, 33, 64, 65, 97, 1_000]) {
    for (const ranks of [1, 7, 1_000]) {
      const items = Array.from({ length }, (_, at) => ({ at, rank: (at * 7_919) % ranks }));
      expect(await sortInSlices(items, byRank)).toEqual(items.toSorted(byRank));
      const sorted = items.toSorted(byRank);
      expect(await sortInSlices(sorted, byRank)).toEqual(sorted);
      expect(await sortInSlices(sorted.toReversed(), byRank)).toEqual(sorted.toReversed().toSorted(byRank));
    }
  }
});

test("a slow comparison does not block the event loop", async () => {
  let [compared, most, inTurn] = [0, 0, 0];
  const timer = setInterval(() => (inTurn = 0), 0);
  const items = Array.from({ length: 500 }, (_, at) => ({ rank: (at * 7_919) % 500 }));
  await sortInSlices(items, (one, other) => {
    const end = performance.now() + 0.02;
    while (performance.now() < end);
    compared++;
    most = Math.max(most, ++inTurn);
    return byRank(one, other);
  });
  clearInterval(timer);
  expect(most).toBeLessThan(compared / 4);
});
