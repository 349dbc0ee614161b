import { expect, test } from "bun:test";
import { remembered } from "./remembered.ts";

function counting(bounds: Parameters<typeof remembered>[1]) {
  const made: string[] = [];
  const call = remembered((text) => {
    made.push(text);
    return text.length;
  }, bounds);
  return { made, call };
}

test("makes a result once", () => {
  const { made, call } = counting({ most: 2 });
  expect([call("a"), call("bb"), call("a"), call("bb")]).toEqual([1, 2, 1, 2]);
  expect(made).toEqual(["a", "bb"]);
});

test("forgets all at the most texts", () => {
  const { made, call } = counting({ most: 2 });
  for (const text of ["a", "b", "c", "c", "a"]) call(text);
  expect(made).toEqual(["a", "b", "c", "a"]);
});

test("forgets all at the most characters", () => {
  const { made, call } = counting({ most: 10, mostCharacters: 4 });
  for (const text of ["aaaa", "aaaa", "b", "aaaa"]) call(text);
  expect(made).toEqual(["aaaa", "b", "aaaa"]);
});

test("does not remember long texts", () => {
  const { made, call } = counting({ most: 10, longest: 2 });
  expect([call("aaa"), call("aaa")]).toEqual([3, 3]);
  expect(made).toEqual(["aaa", "aaa"]);
});
