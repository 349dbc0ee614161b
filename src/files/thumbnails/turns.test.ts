import { expect, test } from "bun:test";
import { createTurns } from "./service.ts";

const BOUNDS = { accounts: { most: 6, mostOfOwner: 4 }, strangers: { most: 3, mostOfOwner: 2 } };

function setUp() {
  const lost: string[] = [];
  const gone = new Set<string>();
  const turns = createTurns<string>({
    onLost: (job) => void lost.push(job),
    isGone: (job) => gone.has(job),
    bounds: BOUNDS,
  });
  const add = (owner: number, names: string, isForStranger = false) =>
    [...names].map((name) => turns.add(name, { owner, isForStranger }));
  const rest = () => {
    let text = "";
    for (let job = turns.next(); job !== undefined; job = turns.next()) text += job;
    return text;
  };
  return { turns, add, rest, lost, gone };
}

test("each owner's next one comes after one of each other owner, strangers come last", () => {
  const { add, rest } = setUp();
  add(9, "xy", true);
  add(1, "abc");
  add(2, "d");
  add(3, "e");
  expect(rest()).toBe("adebcxy");
});

test("strangers get a turn in eight, however many wait for accounts", () => {
  const { turns, add } = setUp();
  add(9, "x", true);
  let text = "";
  for (let n = 0; n < 8; n++) {
    add(1, "a");
    text += turns.next();
  }
  expect(text).toBe("aaaaaaax");
});

test("an owner has a bounded number of places; those for whom nobody waits are given up first", () => {
  const { add, rest, lost, gone } = setUp();
  expect(add(1, "abcde")).toEqual([true, true, true, true, false]);
  expect(add(2, "z")).toEqual([true]);
  gone.add("b").add("c");
  expect(add(1, "fg")).toEqual([true, true]);
  expect(add(1, "h")).toEqual([false]);
  expect(lost).toEqual(["b", "c"]);
  expect(rest()).toBe("azdfg");
});

test("without room the owner with the most makes room for others, until all have as many", () => {
  const { add, rest, lost } = setUp();
  add(1, "abcd");
  add(2, "ef");
  expect(add(3, "gh")).toEqual([true, true]);
  expect(lost).toEqual(["d", "c"]);
  expect(add(3, "i")).toEqual([false]);
  expect(add(4, "j")).toEqual([true]);
  expect(rest()).toHaveLength(6);
});

test("strangers take no places of accounts, nor those of another stranger", () => {
  const { add, rest, lost } = setUp();
  expect(add(1, "abc", true)).toEqual([true, true, false]);
  expect(add(2, "def", true)).toEqual([true, false, false]);
  expect(add(1, "ABCD")).toEqual([true, true, true, true]);
  expect([lost, rest()]).toEqual([[], "ABCDadb"]);
});
