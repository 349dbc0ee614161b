import { expect, test } from "bun:test";
import { silentLogger } from "../../lib/logger.ts";
import type { FoundLink, StoredLink } from "./cached-link.ts";
import { createLinkCache, type LinkCacheOptions } from "./cache.ts";

const CLOCK = { now: () => Date.parse("2026-11-20T13:00:00Z") };
const stored = (id: number, code = `c${id}`, target = `https://h/${id}`): StoredLink => ({
  id,
  code,
  target,
  expiresAt: null,
});

/** A cache whose scan is a list of steps: chunks, or functions that run between two of them. */
function open(steps: (StoredLink[] | (() => unknown))[], overrides: Partial<LinkCacheOptions> = {}) {
  const rows = new Map<string, FoundLink>();
  const lookups: string[] = [];
  const scannedBefore: (number | null)[] = [];
  const cache = createLinkCache({
    maxLinks: 1000,
    ttlSeconds: 0,
    rebuildSeconds: () => 0,
    findLink(code) {
      lookups.push(code);
      return rows.get(code);
    },
    scan: {
      async *aliases() {},
      async *links() {
        for (const step of steps) {
          if (typeof step === "function") await step();
          else yield step;
        }
      },
      async *codes(before) {
        scannedBefore.push(before);
        const beyond = [...rows].filter(([, { id }]) => before === null || id < before);
        yield beyond.map(([code]) => code).join(" ");
      },
      some: async () => [],
    },
    clock: CLOCK,
    logger: silentLogger,
    ...overrides,
  });
  return {
    cache,
    rows,
    lookups,
    scannedBefore,
    find: (code: string) => cache.find(code, CLOCK.now()),
  };
}

test("after the first scan links are known and unknown codes cost no query", async () => {
  const { cache, find, lookups } = open([[stored(3), stored(2)], [stored(1)]]);
  expect(cache.stats().isFilterTrusted).toBe(false);
  cache.start();
  await cache.ready();
  expect(find("c1")).toEqual({ id: 1, location: "https://h/1" });
  for (let i = 0; i < 1000; i++) expect(find(`no${i}`)).toBeNull();
  expect(lookups.length).toBeLessThan(20);
  const { filterHits, filterFalsePositives, entries } = cache.stats();
  expect([filterHits + filterFalsePositives, filterFalsePositives, entries]).toEqual([
    1000,
    lookups.length,
    3,
  ]);
});

test("until a scan succeeds every unknown code is queried", async () => {
  const failed = Promise.withResolvers<void>();
  const { cache, find, lookups } = open([
    [stored(1)],
    () => {
      queueMicrotask(failed.resolve);
      throw new Error("away");
    },
  ]);
  expect(find("a")).toBeNull();
  cache.start();
  await failed.promise;
  await new Promise(setImmediate);
  expect(cache.stats().isFilterTrusted).toBe(false);
  expect(find("b")).toBeNull();
  expect(lookups).toEqual(["a", "b"]);
  cache.close();
});

test("a link made during the scan is found", async () => {
  const room = open([
    [stored(2)],
    () => {
      room.rows.set("late", { id: 9, target: "https://late/", expires_at: null });
      void room.cache.invalidate(["late"]);
    },
    [stored(1)],
  ]);
  room.cache.start();
  await room.cache.ready();
  expect(room.find("late")).toEqual({ id: 9, location: "https://late/" });
  room.rows.set("later", { id: 10, target: "https://later/", expires_at: null });
  void room.cache.invalidate(["later"]);
  expect(room.find("later")).toEqual({ id: 10, location: "https://later/" });
});

test("a link read before a change does not enter the table after it", async () => {
  const change = (code: string) => () => {
    room.rows.set(code, { id: 2, target: "https://new/", expires_at: null });
    void room.cache.invalidate([code]);
  };
  const room = open([change("c2"), [stored(2), stored(1)]]);
  room.cache.start();
  await room.cache.ready();
  expect(room.find("c2")).toEqual({ id: 2, location: "https://new/" });
  expect(room.lookups).toEqual(["c2"]);
});

test("after * during a scan its result is discarded, and another fills the table", async () => {
  const steps: Parameters<typeof open>[0] = [
    [stored(3)],
    () => {
      steps.splice(0, steps.length, [stored(2, "c2", "https://new/")]);
      void room.cache.invalidate(["*"]);
    },
    [stored(2)],
  ];
  const room = open(steps);
  room.cache.start();
  await room.cache.ready();
  expect(room.find("c2")).toEqual({ id: 2, location: "https://new/" });
  expect(room.cache.stats().entries).toBe(1);
  expect(room.find("c3")).toBeNull();
  expect(room.scannedBefore).toEqual([]);
});

test("a failed scan is repeated and fills the table", async () => {
  let scans = 0;
  const room = open([
    [stored(2)],
    () => {
      if (++scans === 1) throw new Error("away");
    },
    [stored(1)],
  ]);
  room.cache.start();
  await room.cache.ready();
  expect(room.cache.stats().entries).toBe(2);
});

test("with more links than room the table takes the newest, the filter all", async () => {
  const { cache, rows, find, lookups, scannedBefore } = open(
    [[stored(9), stored(8)], [stored(7), stored(6)], [stored(5)]],
    {
      maxLinks: 3,
    },
  );
  rows.set("c5", { id: 5, target: "https://h/5", expires_at: null });
  cache.start();
  await cache.ready();
  expect(scannedBefore).toEqual([6]);
  expect(cache.stats().entries).toBe(3);
  expect(find("c9")).toEqual({ id: 9, location: "https://h/9" });
  expect(lookups).toEqual([]);
  expect(find("c5")).toEqual({ id: 5, location: "https://h/5" });
});
