import { expect, test } from "bun:test";
import { hashCode } from "../../lib/code-hash.ts";
import { createLinkTable, type LinkTable } from "./table.ts";

const SEED = 99;

function look(table: LinkTable, code: string) {
  const text = `http://host/${code}?q`;
  const address = table.find(hashCode(code, 0, code.length, SEED), text, 12, 12 + code.length);
  if (address < 0) return null;
  return {
    id: table.id(address),
    expiresAt: table.expiresAt(address),
    location: table.location(address),
    storedAt: table.storedAt(address),
  };
}

/** A generator of numbers below n, the same in every run. */
function random(seed: number) {
  let state = seed;
  return (n: number): number => {
    state = (Math.imul(state, 1664525) + 1013904223) | 0;
    return Math.floor(((state >>> 0) / 2 ** 32) * n);
  };
}

const anyLink = (below: (n: number) => number) => ({
  id: [0, 2 ** 31 - 500, 2 ** 32 - 500, Number.MAX_SAFE_INTEGER - 1000][below(4)]! + below(1000),
  expiresAt: below(3) === 0 ? 1_800_000_000_000 + below(1e9) : 0,
  location: `${["https://", "http://h/", ""][below(3)]}${"x".repeat(below(20) === 0 ? below(9000) : below(270))}`,
  storedAt: below(2 ** 31),
});

test("the table equals a Map after many writes and deletions", () => {
  const below = random(1);
  const table = createLinkTable(500, SEED);
  const map = new Map<string, ReturnType<typeof anyLink>>();
  for (let step = 0; step < 60_000; step++) {
    // Fewer codes than the limit: nothing is evicted.
    const code = `${below(400).toString(36)}${"/long".repeat(below(2))}`.slice(0, 3 + below(2));
    if (below(3) === 0) {
      expect(table.delete(code)).toBe(map.delete(code));
    } else if (map.size < 500 || map.has(code)) {
      const link = anyLink(below);
      table.set(code, link.id, link.expiresAt, link.location, link.storedAt);
      map.set(code, link);
    }
    if (step % 1000 === 0) {
      for (const [known, link] of map) expect(look(table, known)).toEqual(link);
    }
    const key = below(400).toString(36);
    expect(look(table, key)).toEqual(map.get(key) ?? null);
  }
  expect(table.size()).toBe(map.size);
});

test("the table never exceeds its limit, and its entries are right", () => {
  const below = random(2);
  const table = createLinkTable(100, SEED);
  const map = new Map<string, ReturnType<typeof anyLink>>();
  for (let step = 0; step < 50_000; step++) {
    const code = below(300).toString(36);
    const link = anyLink(below);
    if (below(5) === 0) {
      table.delete(code);
      map.delete(code);
    } else {
      table.set(code, link.id, link.expiresAt, link.location, link.storedAt);
      map.set(code, link);
      expect(look(table, code)).toEqual(link);
    }
    expect(table.size()).toBeLessThanOrEqual(100);
    const key = below(300).toString(36);
    const found = look(table, key);
    if (found !== null) expect(found).toEqual(map.get(key)!);
  }
  const held = [...map.keys()].filter((code) => look(table, code) !== null);
  expect(held.length).toBe(table.size());
  expect(held.length).toBeGreaterThan(50);
});

test("used links outlive unused links", () => {
  const table = createLinkTable(1000, SEED);
  for (let i = 0; i < 1000; i++) table.set(`hot${i}`, i, 0, "https://h/", 0);
  for (let i = 0; i < 100; i++) look(table, `hot${i}`);
  for (let i = 0; i < 20_000; i++) {
    look(table, `hot${i % 100}`);
    table.set(`new${i}`, i, 0, "https://h/", 0);
  }
  const kept = Array.from({ length: 1000 }, (_, i) => look(table, `hot${i}`) !== null);
  expect(kept.slice(0, 100).every(Boolean)).toBe(true);
  expect(kept.slice(100).some(Boolean)).toBe(false);
});

test("a table full of used links takes new ones", () => {
  const table = createLinkTable(50, SEED);
  for (let i = 0; i < 500; i++) {
    table.set(`c${i}`, i, 0, "https://h/", 0);
    for (let j = 0; j <= i; j++) look(table, `c${j}`);
    expect(look(table, `c${i}`)).not.toBeNull();
  }
  expect(table.size()).toBe(50);
});

test.each(["", "https://"])("a link takes 12 bytes besides its texts, without `%s`", (scheme) => {
  const segment = 2 ** 20;
  const table = createLinkTable(20_000, SEED);
  const before = table.bytes();
  for (let id = 0; id < Math.floor(segment / 80); id++) {
    table.set(`c${100_000 + id}`, 2 ** 32 - 1 - id, 0, `${scheme}${"x".repeat(80 - 12 - 7)}`, 0);
  }
  expect(table.bytes()).toBe(before);
  for (let id = 0; id < 10; id++) table.set(`d${id}`, id, 0, "x".repeat(80), 0);
  expect(table.bytes()).toBe(before + segment);
});

test("the room of replaced and deleted links is reused", () => {
  const below = random(3);
  const table = createLinkTable(10_000, SEED);
  const lengths = new Map<string, number>();
  for (let step = 0; step < 300_000; step++) {
    const code = `c${below(2000)}`;
    const length = below(1000);
    table.set(code, step, 0, "y".repeat(length), 0);
    lengths.set(code, length);
  }
  const living = [...lengths.values()].reduce((sum, length) => sum + length + 30, 0);
  const index = 2 ** 14 * 8;
  expect(table.bytes() - index).toBeLessThan(living * 1.34 + 4 * 2 ** 20);
  for (const [code, length] of lengths) expect(look(table, code)!.location.length).toBe(length);

  for (const code of lengths.keys()) expect(table.delete(code)).toBe(true);
  expect(table.size()).toBe(0);
  expect(table.bytes() - index).toBeLessThan(4 * 2 ** 20);
});

test("a link that is too long is refused, and its older entry is removed", () => {
  const table = createLinkTable(10, SEED);
  table.set("a", 1, 0, "https://h/", 0);
  expect(table.set("a", 1, 0, "z".repeat(65_536), 0)).toBe(false);
  expect(look(table, "a")).toBeNull();
  expect(table.set("a", 1, 0, "z".repeat(65_535), 0)).toBe(true);
  expect(look(table, "a")!.location.length).toBe(65_535);
  expect(table.set("b".repeat(141), 1, 0, "https://h/", 0)).toBe(false);
  expect(table.set("b".repeat(128), 1, 0, "https://h/", 0)).toBe(true);
  expect(table.size()).toBe(2);
});

test("restamp changes only the time of storing; clear removes all", () => {
  const table = createLinkTable(10, SEED);
  table.set("a", 7, 1_900_000_000_000, "https://h/", 1);
  const address = table.find(hashCode("a", 0, 1, SEED), "a", 0, 1);
  table.restamp(address, -5);
  expect(look(table, "a")).toEqual({
    id: 7,
    expiresAt: 1_900_000_000_000,
    location: "https://h/",
    storedAt: -5,
  });
  table.clear();
  expect(look(table, "a")).toBeNull();
  expect(table.size()).toBe(0);
  table.set("a", 8, 0, "https://i/", 2);
  expect(look(table, "a")!.id).toBe(8);
});
