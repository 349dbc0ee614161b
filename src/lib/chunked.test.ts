import { expect, test } from "bun:test";
import { chunked } from "./chunked.ts";

test("all items come once, in their order, at most so many at a time", () => {
  expect([...chunked([1, 2, 3, 4, 5], 2)]).toEqual([[1, 2], [3, 4], [5]]);
  expect([...chunked([1, 2], 2)]).toEqual([[1, 2]]);
  expect([...chunked([], 2)]).toEqual([]);
});
