/** The contents of the table after changes, with the database away from then on. */
import { expect, test } from "bun:test";
import { until } from "../../../test/support/until.ts";
import { silentLogger } from "../../lib/logger.ts";
import { DatabaseError } from "../../platform/db/failures.ts";
import { createLinkCache, type LinkCacheOptions } from "./cache.ts";
import type { StoredLink } from "./cached-link.ts";

const NOW = Date.parse("2026-11-20T13:00:00Z");
const away = () => new DatabaseError("unavailable", new Error("away"));

/** A cache over a Map of targets as database. `gate` blocks bulk reads until it resolves. */
function open(overrides: Partial<LinkCacheOptions> = {}) {
  const targets = new Map<string, string>();
  const database = { isAway: false, gate: Promise.resolve(), bulk: 0, singles: 0, scans: 0 };
  const row = (code: string): StoredLink => ({ id: 1, code, target: targets.get(code)!, expiresAt: null });
  const rowsOf = (codes: Iterable<string>) => [...codes].filter((code) => targets.has(code)).map(row);
  const cache = createLinkCache({
    maxLinks: 10_000,
    ttlSeconds: 0,
    rebuildSeconds: () => 0,
    async findLink(code) {
      database.singles++;
      if (database.isAway) throw away();
      const target = targets.get(code);
      return target === undefined ? null : { id: 1, target, expires_at: null };
    },
    scan: {
      async *aliases() {},
      async *links() {
        database.scans++;
        yield rowsOf(targets.keys());
      },
      async *codes() {
        yield [...targets.keys()].join(" ");
      },
      async some(codes) {
        database.bulk++;
        const found = rowsOf(codes);
        await database.gate;
        if (database.isAway) throw away();
        return found;
      },
    },
    isInformed: () => !database.isAway,
    clock: { now: () => NOW },
    logger: silentLogger,
    ...overrides,
  });
  const codes = (name: string, count: number) => Array.from({ length: count }, (_, at) => `${name}${at}`);
  const write = (made: readonly string[], target = "https://h/1") => {
    for (const code of made) targets.set(code, target);
    return cache.invalidate(made);
  };
  /** The targets of one redirect each; null if the database was needed. */
  const redirects = async (of: readonly string[]) => [
    ...new Set(
      await Promise.all(of.map(async (code) => (await cache.find(code, NOW))!.location).map(nulled)),
    ),
  ];
  const nulled = (finding: Promise<string>) => finding.catch(() => null);
  const entries = () => cache.stats().entries;
  return { cache, targets, database, codes, write, redirects, entries };
}

test.each([1, 200, 2_000, 5_000])(
  "%d links that were made at once are known without the database",
  async (count) => {
    const { codes, write, redirects, entries, database } = open();
    const made = codes("a", count);
    await write(made);
    await until(() => entries() === count);
    await write(made, "https://h/2");
    await until(() => entries() === count);
    database.isAway = true;
    expect(await redirects(made)).toEqual(["https://h/2"]);
  },
);

test("unreadable links are read when the database responds again", async () => {
  const { codes, write, redirects, entries, database } = open();
  database.isAway = true;
  const made = [...codes("many", 300), "single"];
  await write(made.slice(0, 300));
  await write(made.slice(300));
  // Both changes, and a retry.
  await until(() => database.bulk > 2);
  expect(entries()).toBe(0);
  database.isAway = false;
  await until(() => entries() === 301);
  database.isAway = true;
  expect(await redirects(made)).toEqual(["https://h/1"]);
});

test("a link that changes during the read keeps its newer content", async () => {
  const { codes, write, redirects, entries, database } = open();
  const made = codes("a", 300);
  const gate = Promise.withResolvers<void>();
  database.gate = gate.promise;
  await write(made, "https://h/old");
  await until(() => database.bulk === 1);
  await write(made.slice(0, 250), "https://h/new");
  gate.resolve();
  await until(() => entries() === 300);
  database.isAway = true;
  expect(await redirects(made.slice(0, 250))).toEqual(["https://h/new"]);
  expect(await redirects(made.slice(250))).toEqual(["https://h/old"]);
});

test("a full table reads only the links that it had", async () => {
  const { cache, codes, write, redirects, entries, database } = open({ maxLinks: 1_000 });
  const had = codes("had", 1_000);
  await write(had);
  await until(() => entries() === 1_000);
  await write(codes("more", 1_000));
  await write(had.slice(0, 500), "https://h/2");
  await until(() => entries() === 1_000);
  database.isAway = true;
  expect(await redirects(had.slice(0, 500))).toEqual(["https://h/2"]);
  expect(await redirects(had.slice(500))).toEqual(["https://h/1"]);
  cache.close();
});

test("when any link may have changed, all are read again", async () => {
  const { cache, targets, codes, write, redirects, entries, database } = open();
  const made = codes("a", 3_000);
  cache.start();
  await cache.ready();
  await write(made);
  await until(() => entries() === 3_000);
  for (const code of made) targets.set(code, "https://h/2");
  await cache.invalidate(["*"]);
  await until(() => entries() === 3_000);
  database.isAway = true;
  expect(await redirects(made)).toEqual(["https://h/2"]);
  cache.close();
});

test("deleted links are not kept and not requested again", async () => {
  const { cache, targets, codes, write, entries, database } = open();
  const made = codes("a", 600);
  await write(made);
  await until(() => entries() === 600);
  for (const code of made) targets.delete(code);
  await cache.invalidate(made);
  await until(() => database.bulk === 4);
  expect(entries()).toBe(0);
});
