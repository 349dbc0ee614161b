import { describe, expect, test } from "bun:test";
import { AppError } from "../../lib/errors.ts";
import { silentLogger } from "../../lib/logger.ts";
import type { FoundLink, SharedLinks, StoredLink } from "./cached-link.ts";
import { createLinkCache, type LinkCacheOptions } from "./cache.ts";

const NOW = Date.parse("2026-11-20T13:00:00Z");
const link = (id: number, target = `https://h/${id}`, expires_at: number | null = null): FoundLink => ({
  id,
  target,
  expires_at,
});

/** A cache over a Map as database, with a stopped clock. */
function open(overrides: Partial<LinkCacheOptions> = {}) {
  const clock = { time: NOW, now: () => clock.time };
  const rows = new Map<string, FoundLink>();
  const loads: string[] = [];
  const database = { isAway: false };
  const respond = (code: string) => {
    loads.push(code);
    if (database.isAway) throw new AppError("ServiceUnavailable", "away");
    return rows.get(code) ?? null;
  };
  const stored = (): StoredLink[] =>
    [...rows]
      .map(([code, row]) => ({ code, id: row.id, target: row.target, expiresAt: row.expires_at }))
      .sort((a, b) => b.id - a.id);
  const cache = createLinkCache({
    maxLinks: 100,
    ttlSeconds: 0,
    rebuildSeconds: () => 0,
    findLink: respond,
    scan: {
      async *aliases() {},
      async *links() {
        for (const row of stored()) yield [row];
      },
      async *codes(beforeId) {
        const older = stored().filter((row) => beforeId === null || row.id < beforeId);
        yield older.map((row) => row.code).join(" ");
      },
      some: async (codes) => stored().filter((row) => codes.includes(row.code)),
    },
    clock,
    logger: silentLogger,
    ...overrides,
  });
  const find = (code: string) => cache.find(code, clock.time);
  return { cache, clock, rows, loads, database, respond, find };
}

/** A database whose responses the test sends. */
function slowDatabase() {
  const loads: { code: string; reply: (found: FoundLink | null) => void; fail: () => void }[] = [];
  const findLink = (code: string) => {
    const { promise, resolve, reject } = Promise.withResolvers<FoundLink | null>();
    loads.push({ code, reply: resolve, fail: () => reject(new AppError("ServiceUnavailable", "away")) });
    return promise;
  };
  return { loads, findLink };
}

function sharedMap() {
  const held = new Map<string, FoundLink>();
  const shared: SharedLinks = {
    async find(code, load) {
      const found = held.get(code) ?? (await load());
      if (found) held.set(code, found);
      return found;
    },
    delete: async (codes) => codes.forEach((code) => held.delete(code)),
    clear: async () => held.clear(),
  };
  return { held, shared };
}

const settled = () => new Promise((resolve) => setTimeout(resolve, 1));

describe("a link", () => {
  test("is queried once and then known", () => {
    const { find, rows, loads, cache } = open();
    rows.set("a", link(1));
    expect(find("a")).toEqual({ id: 1, location: "https://h/1" });
    expect(find("a")).toEqual({ id: 1, location: "https://h/1" });
    expect(loads).toEqual(["a"]);
    expect(cache.stats()).toMatchObject({ tableHits: 1, tableMisses: 1, lookups: 1, entries: 1 });
  });

  test("that changed is read from a new snapshot of the database", () => {
    const rows = new Map([["a", link(1)]]);
    let snapshot = new Map(rows);
    const { find, cache } = open({
      findLink: (code) => snapshot.get(code),
      refreshLookups: () => {
        snapshot = new Map(rows);
      },
    });
    for (const [id, changed] of [
      [2, "a"],
      [3, "*"],
    ] as const) {
      expect(find("a")).toMatchObject({ id: id - 1 });
      rows.set("a", link(id));
      void cache.invalidate([changed]);
    }
    expect(find("a")).toMatchObject({ id: 3 });
  });

  test("is found inside a longer text", () => {
    const { cache, rows } = open();
    rows.set("x/y", link(1));
    for (let i = 0; i < 2; i++) {
      expect(cache.findIn("http://h/x/y?q", 9, 12, NOW)).toEqual({ id: 1, location: "https://h/1" });
    }
  });

  test("that has expired is not found, in the database or the table, and told from an unknown one", () => {
    const { cache, find, rows, clock, loads } = open();
    rows.set("old", link(1, "https://h/", NOW));
    rows.set("soon", link(2, "https://h/", NOW + 1));
    expect(find("old")).toBeNull();
    expect(find("soon")).not.toBeNull();
    clock.time += 1;
    expect(find("soon")).toBeNull();
    expect(loads).toEqual(["old", "soon"]);
    expect(find("none")).toBeNull();
    expect(["old", "soon", "none"].map(cache.knows)).toEqual([true, true, false]);
  });

  test("with an expiry at the instant 0 or before is expired", () => {
    const { find, rows } = open();
    rows.set("zero", link(1, "https://h/", 0));
    rows.set("before", link(2, "https://h/", -1));
    expect([find("zero"), find("zero"), find("before"), find("before")]).toEqual([null, null, null, null]);
  });

  test("that doesn't exist is not queried again for a while", () => {
    const { find, clock, loads, cache } = open({ limits: { missingMs: 1000 } });
    expect(find("no")).toBeNull();
    expect(find("no")).toBeNull();
    expect(loads).toEqual(["no"]);
    expect(cache.stats().missingHits).toBe(1);
    clock.time += 1000;
    expect(find("no")).toBeNull();
    expect(loads).toEqual(["no", "no"]);
  });

  test("with a target beyond ASCII gets an ASCII location", () => {
    const { find, rows } = open();
    rows.set("a", link(1, "https://exämple.com/ü?q=1#é"));
    const requested = { id: 1, location: "https://xn--exmple-cua.com/%C3%BC?q=1#%C3%A9" };
    expect(find("a")).toEqual(requested);
    expect(find("a")).toEqual(requested);
  });
});

describe("after invalidate, the next request", () => {
  test("sees a changed, a removed and a new link", () => {
    const { find, rows, cache } = open();
    rows.set("a", link(1));
    rows.set("b", link(2));
    expect([find("a"), find("b"), find("c")].map(Boolean)).toEqual([true, true, false]);
    rows.set("a", link(1, "https://new/"));
    rows.delete("b");
    rows.set("c", link(3));
    cache.invalidate(["a", "b", "c"]);
    expect(find("a")).toEqual({ id: 1, location: "https://new/" });
    expect(find("b")).toBeNull();
    expect(find("c")).toEqual({ id: 3, location: "https://h/3" });
  });

  test("finds a small change even if the database fails right after it", () => {
    const { find, rows, cache, loads, database } = open();
    rows.set("a", link(1));
    expect(find("a")).not.toBeNull();
    rows.set("a", link(1, "https://new/"));
    rows.set("b", link(2));
    cache.invalidate(["a", "b"]);
    expect(loads).toEqual(["a", "a", "b"]);
    database.isAway = true;
    expect([find("a"), find("b")]).toEqual([
      { id: 1, location: "https://new/" },
      { id: 2, location: "https://h/2" },
    ]);
    expect(() => cache.invalidate(["a"])).not.toThrow();
    expect(() => find("a")).toThrow("away");
    cache.invalidate(Array.from({ length: 201 }, (_, at) => `import-${at}`));
    expect(loads).toHaveLength(5);
  });

  test("sees every link as it is now after *", async () => {
    const { find, rows, cache } = open();
    rows.set("a", link(1));
    cache.start();
    await cache.ready();
    rows.set("a", link(1, "https://new/"));
    rows.set("b", link(2));
    expect(find("b")).toBeNull();
    cache.invalidate(["*"]);
    expect(cache.stats().isFilterTrusted).toBe(false);
    expect(find("a")).toEqual({ id: 1, location: "https://new/" });
    expect(find("b")).toEqual({ id: 2, location: "https://h/2" });
    await cache.ready();
    expect(cache.stats().isFilterTrusted).toBe(true);
  });

  test("does not get the late response of an older lookup", async () => {
    const { loads, findLink } = slowDatabase();
    const { find, cache } = open({ findLink });
    const before = find("a");
    cache.invalidate(["a"]);
    const after = find("a");
    expect(loads.map(({ code }) => code)).toEqual(["a", "a"]);
    loads[1]!.reply(link(1, "https://new/"));
    expect(await after).toEqual({ id: 1, location: "https://new/" });
    loads[0]!.reply(link(1, "https://old/"));
    await before;
    expect(find("a")).toEqual({ id: 1, location: "https://new/" });
  });

  test("sees the new content of 9,000 changed links", async () => {
    const { find, rows, cache } = open({ maxLinks: 10_000 });
    const codes = Array.from({ length: 9000 }, (_, i) => `c${i}`);
    for (const [i, code] of codes.entries()) rows.set(code, link(i + 1));
    for (const code of codes) void find(code);
    for (const [i, code] of codes.entries()) rows.set(code, link(i + 1, "https://new/"));
    await cache.invalidate(codes);
    expect(codes.every((code) => (find(code) as { location: string }).location === "https://new/")).toBe(
      true,
    );
  });
});

describe("a slow database", () => {
  test("gets one query per code, and few at once", async () => {
    const { loads, findLink } = slowDatabase();
    const { find } = open({ findLink, limits: { maxActive: 2, maxWaiting: 1 } });
    const requested = ["a", "a", "b", "c", "a", "c"].map((code) => find(code));
    expect(() => find("d")).toThrow("Too many links");
    expect(loads.map(({ code }) => code)).toEqual(["a", "b"]);
    loads[0]!.reply(link(1));
    loads[1]!.reply(null);
    await settled();
    expect(loads.map(({ code }) => code)).toEqual(["a", "b", "c"]);
    loads[2]!.reply(link(3));
    const ids = (await Promise.all(requested)).map((found) => found?.id ?? null);
    expect(ids).toEqual([1, 1, null, 3, 1, 3]);
  });

  test("that does not respond fails the request in time and keeps the query's place", async () => {
    const { loads, findLink } = slowDatabase();
    const { find, cache } = open({ findLink, limits: { maxActive: 1, deadlineMs: 20 } });
    const [first, second] = [find("a"), find("b")];
    const ends = await Promise.allSettled([first, second]);
    expect(ends.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    expect(loads.length).toBe(1);
    loads[0]!.reply(link(1));
    await settled();
    // The query for b was abandoned. The late response for a may be old, so a is queried again.
    expect(loads.length).toBe(1);
    const again = find("a");
    loads[1]!.reply(link(1, "https://new/"));
    expect(await again).toEqual({ id: 1, location: "https://new/" });
    expect(cache.stats().lookupFailures).toBe(2);
  });

  test("that fails a query fails all its requests; the next request queries again", async () => {
    const { loads, findLink } = slowDatabase();
    const { find } = open({ findLink });
    const both = Promise.allSettled([find("a"), find("a")]);
    loads[0]!.fail();
    expect((await both).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    const again = find("a");
    loads[1]!.reply(link(1));
    expect(await again).toEqual({ id: 1, location: "https://h/1" });
  });
});

describe("while the database is away", () => {
  test("known links redirect, unknown ones fail", () => {
    const { find, rows, database } = open();
    rows.set("a", link(1));
    void find("a");
    database.isAway = true;
    expect(find("a")).toEqual({ id: 1, location: "https://h/1" });
    expect(() => find("b")).toThrow("away");
    database.isAway = false;
    expect(find("b")).toBeNull();
  });

  test("links older than the ttl redirect too, and are read again when it is back", () => {
    const { find, rows, database, clock, loads } = open({ ttlSeconds: 10 });
    rows.set("a", link(1));
    void find("a");
    clock.time += 10_000;
    void find("a");
    expect(loads.length).toBe(1);
    clock.time += 1000;
    database.isAway = true;
    rows.set("a", link(1, "https://new/"));
    expect(find("a")).toEqual({ id: 1, location: "https://h/1" });
    expect(find("a")).toEqual({ id: 1, location: "https://h/1" });
    expect(loads.length).toBe(2);
    database.isAway = false;
    clock.time += 3000;
    expect(find("a")).toEqual({ id: 1, location: "https://new/" });
  });

  test("a changed link is not served from before its change", async () => {
    const { loads, findLink } = slowDatabase();
    const { find, clock, cache } = open({ findLink, ttlSeconds: 10 });
    const first = find("a");
    loads[0]!.reply(link(1));
    await first;
    clock.time += 11_000;
    const late = find("a");
    cache.invalidate(["a"]);
    loads[1]!.fail();
    await expect(late).rejects.toThrow("away");
  });
});

describe("while the change feed is away", () => {
  test("filter and missing codes are not used", async () => {
    const informed = { all: true };
    const { find, cache, rows, loads, database } = open({ isInformed: () => informed.all });
    cache.start();
    await cache.ready();
    expect([find("a"), cache.stats().filterHits]).toEqual([null, 1]);
    rows.set("a", link(1));
    informed.all = false;
    expect(find("a")).toEqual({ id: 1, location: "https://h/1" });
    expect(find("b")).toBeNull();
    rows.set("b", link(2));
    expect(find("b")).toEqual({ id: 2, location: "https://h/2" });
    expect(loads).toEqual(["a", "b", "b"]);
    database.isAway = true;
    expect(() => find("c")).toThrow("away");
    expect(find("a")).toEqual({ id: 1, location: "https://h/1" });
    informed.all = true;
    expect(find("c")).toBeNull();
  });
});

describe("a shared cache", () => {
  test("is read before the database, stores its responses and loses changed links", async () => {
    const { held, shared } = sharedMap();
    const one = open({ shared });
    one.rows.set("a", link(1));
    expect(await one.find("a")).toEqual({ id: 1, location: "https://h/1" });
    expect(held.get("a")).toEqual(link(1));
    const two = open({ shared });
    expect(await two.find("a")).toEqual({ id: 1, location: "https://h/1" });
    expect(two.loads).toEqual([]);
    await two.cache.invalidate(["a"]);
    expect(held.size).toBe(0);
    expect(await two.find("a")).toBeNull();
    two.rows.set("a", link(1, "https://new/"));
    await two.cache.invalidate(["a"]);
    expect(held.get("a")?.target).toBe("https://new/");
    await two.cache.invalidate(["*"]);
    expect(held.size).toBe(0);
  });

  test("keeps its values when another node has cleaned it", async () => {
    const { held, shared } = sharedMap();
    const { find, cache, rows, database } = open({ shared });
    rows.set("a", link(1, "https://old/"));
    await find("a");
    held.set("a", link(1, "https://new/"));
    database.isAway = true;
    await cache.invalidate(["a"], true);
    expect(find("a")).toEqual({ id: 1, location: "https://new/" });
  });

  test("with an old link during invalidate does not bring it back", async () => {
    const { held, shared } = sharedMap();
    const removal = Promise.withResolvers<void>();
    const slow: SharedLinks = {
      ...shared,
      delete: async (codes) => {
        await removal.promise;
        await shared.delete(codes);
      },
    };
    const { find, cache, rows } = open({ shared: slow });
    rows.set("a", link(1, "https://new/"));
    held.set("a", link(1, "https://old/"));
    const invalidated = cache.invalidate(["a"]);
    expect(await find("a")).toEqual({ id: 1, location: "https://old/" });
    removal.resolve();
    await invalidated;
    expect(await find("a")).toEqual({ id: 1, location: "https://new/" });
  });
});
