import { expect, test } from "bun:test";
import { createGenerationMap } from "./generation-map.ts";

test("holds at most two generations, and keeps what was set again", () => {
  const map = createGenerationMap<number>(100);
  for (let key = 0; key < 1_000; key++) {
    map.set(`${key}`, key);
    map.set("kept", key);
    expect(map.size()).toBeLessThanOrEqual(200);
  }
  expect(map.get("kept")).toBe(999);
  expect(map.get("990")).toBe(990);
  expect(map.has("0")).toBe(false);
  // Those set since the last turn, and a whole generation before.
  for (let key = 901; key < 1_000; key++) expect(map.has(`${key}`)).toBe(true);
});

test("only a new key starts a generation", () => {
  const map = createGenerationMap<number>(2);
  map.set("a", 1);
  map.set("b", 1);
  for (let value = 2; value < 10; value++) map.set("a", value);
  expect([map.get("a"), map.get("b"), map.size()]).toEqual([9, 1, 2]);
});

test("the newer value counts, and delete removes a key from both generations", () => {
  const map = createGenerationMap<number>(10);
  map.set("a", 1);
  map.turn();
  map.set("a", 2);
  expect(map.get("a")).toBe(2);
  map.delete("a");
  expect(map.has("a")).toBe(false);
  map.set("b", 1);
  map.turn();
  expect(map.get("b")).toBe(1);
  map.turn();
  expect(map.get("b")).toBeUndefined();
  map.set("c", 1);
  map.clear();
  expect(map.size()).toBe(0);
});
