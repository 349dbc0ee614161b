import { expect, test } from "bun:test";
import { createRequestTurns } from "./request-turns.ts";

const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

test("a few begin at once, the others in order in the next turns", async () => {
  const inTurn = createRequestTurns(2);
  const begun: number[] = [];
  const results = [1, 2, 3, 4, 5].map((number) => inTurn(() => (begun.push(number), number)));
  expect(begun).toEqual([1, 2]);
  await nextTurn();
  expect(begun).toEqual([1, 2, 3, 4]);
  expect(inTurn(() => (begun.push(6), 6))).toBeInstanceOf(Promise);
  expect(await Promise.all(results)).toEqual([1, 2, 3, 4, 5]);
  await nextTurn();
  await nextTurn();
  expect(begun).toEqual([1, 2, 3, 4, 5, 6]);
  expect(inTurn(() => 7)).toBe(7);
});

test("one that fails fails alone", async () => {
  const inTurn = createRequestTurns(1);
  const fail = () => {
    throw new Error("no");
  };
  const [, failed, other] = [1, 2, 3].map((number) => inTurn(() => (number === 2 ? fail() : number)));
  await expect(failed).rejects.toThrow("no");
  expect(await other).toBe(3);
});
