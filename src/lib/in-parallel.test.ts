import { expect, test } from "bun:test";
import { inParallel } from "./in-parallel.ts";

test("every item runs once, in order, and no more at once than allowed", async () => {
  const begun: number[] = [];
  let running = 0;
  let most = 0;
  await inParallel(Array.from({ length: 20 }).keys(), 3, async (item) => {
    begun.push(item);
    most = Math.max(most, ++running);
    for (let turns = item % 4; turns >= 0; turns--) await Promise.resolve();
    running--;
  });
  expect(begun).toEqual([...Array.from({ length: 20 }).keys()]);
  expect([most, running]).toEqual([3, 0]);
});

test("after a failure no further item starts", async () => {
  const begun: number[] = [];
  const done = inParallel([0, 1, 2, 3, 4, 5], 2, async (item) => {
    begun.push(item);
    await Promise.resolve();
    if (item === 1) throw new Error("broken");
  });
  await expect(done).rejects.toThrow("broken");
  expect(begun).toEqual([0, 1, 2]);
});

test("no items", async () => {
  await inParallel([], 5, () => Promise.reject(new Error("never")));
});
