import { expect, test } from "bun:test";
import { until } from "../../test/support/until.ts";
import { createHeldThings } from "./held.ts";

const thing = (size: number, heard = new Set<string>()) => ({
  heard: () => [...heard],
  bytes: () => size,
  follow(keys: readonly string[]) {
    for (const key of keys) heard.add(key);
    return true;
  },
});
const changesOf = async (keys: readonly string[]) => keys;

test("a value includes every change announced before it was requested, even while it was made", async () => {
  const held = createHeldThings({ changesOf, most: 9 });
  held.tell(["before anybody asked"]);
  const made = Promise.withResolvers<ReturnType<typeof thing>>();
  const started = Promise.withResolvers<void>();
  const first = held.get("a", () => {
    started.resolve();
    return made.promise;
  });
  await started.promise;
  held.tell(["meanwhile"]);
  made.resolve(thing(1));
  expect((await first).heard()).toEqual(["meanwhile"]);
  held.tell(["later"]);
  expect((await held.get("a", async () => thing(1))).heard()).toEqual(["meanwhile", "later"]);
});

test("the least recently used go when all have too many bytes; the last one stays", async () => {
  const held = createHeldThings({ changesOf, most: 9, mostBytes: 100 });
  for (const [key, size] of [
    ["a", 40],
    ["b", 40],
    ["a", 40],
    ["c", 40],
  ] as const) {
    await held.get(key, async () => thing(size));
  }
  expect(["a", "b", "c"].filter((key) => held.peek(key) !== undefined)).toEqual(["a", "c"]);
  await held.get("d", async () => thing(500));
  expect([held.bytes(), held.peek("d") !== undefined]).toEqual([500, true]);
});

test("after too many changes to follow, everything is made again", async () => {
  const held = createHeldThings({ changesOf, most: 9, mostTold: 2 });
  await held.get("a", async () => thing(1));
  held.tell(["1", "2", "3"]);
  expect(held.peek("a")).toBeUndefined();
});

test("all are dropped when nobody asks any more", async () => {
  const held = createHeldThings({ changesOf, most: 9, unusedMs: 5 });
  await held.get("a", async () => thing(1));
  await until(() => held.bytes() === 0);
});

test("what is pinned stays when others are asked for, and is dropped with all", async () => {
  const dropped: string[] = [];
  const held = createHeldThings<null>({ changesOf: async () => null, most: 3 });
  const ask = (name: string, isPinned = false) =>
    held.get(name, async () => ({
      isPinned,
      follow: () => true,
      bytes: () => 1,
      drop: () => void dropped.push(name),
    }));
  await ask("pinned", true);
  for (const name of ["a", "b", "c", "d"]) await ask(name);
  expect(dropped).toEqual(["a", "b"]);
  expect(held.peek("pinned")).toBeDefined();
  held.forget("c");
  held.clear();
  expect(dropped.toSorted()).toEqual(["a", "b", "c", "d", "pinned"]);
  expect(await held.current("pinned")).toBeUndefined();
});
