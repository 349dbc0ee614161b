import { expect, test } from "bun:test";
import { createBatches } from "./batches.ts";

type Batch = { key: string; items: readonly number[]; end(failure?: Error): void };

/** Batches that last until the test ends them; an odd item fails. */
function watched(most: number) {
  const begun: Batch[] = [];
  const take = createBatches<string, number, number>({
    most,
    run: (items, key) => {
      const { promise, resolve, reject } = Promise.withResolvers<PromiseSettledResult<number>[]>();
      const outcomes = () => Promise.allSettled(items.map(async (item) => doubled(item)));
      const end = (failure?: Error) => (failure === undefined ? resolve(outcomes()) : reject(failure));
      begun.push({ key, items, end });
      return promise;
    },
  });
  return { begun, take };
}

function doubled(item: number): number {
  if (item % 2 === 1) throw new Error(`${item} is odd`);
  return item * 2;
}

const outcome = (taken: Promise<number>): Promise<number | string> =>
  taken.catch((error: Error) => error.message);

test("the first item runs at once; items that arrive meanwhile run together, each with its own outcome", async () => {
  const { begun, take } = watched(3);
  const taken = [2, 4, 5, 8, 10].map((item) => outcome(take("a", item)));
  expect(begun.map(({ items }) => items)).toEqual([[2]]);
  begun[0]!.end();
  expect(await taken[0]).toBe(4);
  expect(begun.map(({ items }) => items)).toEqual([[2], [4, 5, 8]]);
  begun[1]!.end();
  expect(await Promise.all(taken.slice(1, 4))).toEqual([8, "5 is odd", 16]);
  expect(begun[2]!.items).toEqual([10]);
  begun[2]!.end();
  expect(await taken[4]).toBe(20);
  void take("a", 2);
  expect(begun[3]!.items).toEqual([2]);
});

test("batches of different keys run independently", async () => {
  const { begun, take } = watched(3);
  const [one, other] = [take("a", 2), take("b", 4)];
  expect(begun.map(({ key }) => key)).toEqual(["a", "b"]);
  begun[1]!.end();
  expect(await other).toBe(8);
  begun[0]!.end();
  expect(await one).toBe(4);
});

test("a failed batch fails each of its items, and the next batch runs", async () => {
  const { begun, take } = watched(3);
  const taken = [2, 4, 6].map((item) => outcome(take("a", item)));
  begun[0]!.end();
  await taken[0];
  const later = take("a", 8);
  begun[1]!.end(new Error("away"));
  expect(await Promise.all(taken.slice(1))).toEqual(["away", "away"]);
  begun[2]!.end();
  expect(await later).toBe(16);
});
