import { expect, test } from "bun:test";
import { chunked } from "./chunked.ts";

test("every item comes once, in order, in chunks of at most `size`", () => {
  expect([...chunked([1, 2, 3, 4, 5], 2)]).toEqual([[1, 2], [3, 4], [5]]);
  expect([...chunked([1, 2], 2)]).toEqual([[1, 2]]);
  expect([...chunked([], 2)]).toEqual([]);
});
