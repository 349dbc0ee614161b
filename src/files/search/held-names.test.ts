/** Search with names in memory, and with the database's index if it has one, while the tree changes. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { createChanges } from "../../cluster/changes.ts";
import type { Database } from "../../db/database.ts";
import { forEachDialect } from "../../db/for-each-dialect.ts";
import { until } from "../../../test/support/until.ts";
import { silentLogger } from "../../lib/logger.ts";
import { createRegistry } from "../../lib/metrics.ts";
import { type DriveHarness, refusal, startDrive } from "../drive.test-support.ts";
import { createPathsRepository } from "../tree/paths.repository.ts";
import { createHeldNames, type NameChanges } from "./held-names.ts";
import { registerHeldNames } from "./metrics.ts";
import type { NamePlace } from "./name-place.ts";
import { createSearchRepository } from "./repository.ts";
import { createFileSearch, type FileSearch } from "./service.ts";

/** More than a search reads in order. */
const COUNT = 2_600;
const PARTS = [
  "report",
  "Photo",
  "QX",
  "x",
  "Ä",
  "ß",
  "SS",
  "77",
  "文件",
  "件",
  "😀",
  "_%",
  " ",
  "É",
  ".Txt",
];
const NEEDLES = [
  "e",
  "qX",
  "77",
  "777",
  "ä",
  "ß",
  "ss",
  "文件",
  "件",
  "é",
  "_",
  "%",
  "o 7",
  "photo",
  "xrep",
  "nowhere",
];

/** Numbers that are the same in every run. */
function numbers(seed: number) {
  let state = seed;
  return (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const small = (text: string): string => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());

/** Case of ASCII is ignored; the rest is looked for in four ways. */
function has(name: string, needle: string): boolean {
  const lower = needle.toLowerCase();
  const [first = "", ...rest] = lower;
  const ways = [needle, lower, needle.toUpperCase(), first.toUpperCase() + rest.join("")];
  return ways.some((way) => small(name).includes(small(way)));
}

forEachDialect((dialect) => {
  let database: Database;
  let at: DriveHarness;
  let me: number;
  beforeAll(async () => {
    database = await dialect.openDb({ poolSize: 8 });
    at = await startDrive(database);
  });
  beforeEach(async () => {
    me = await at.account();
  });
  afterAll(() => at?.close());

  function searchOn(
    changes: NameChanges,
    { hasIndex = false, mostBytes = 2 ** 24, slowMs = 1_000_000 } = {},
  ) {
    const repository = createSearchRepository(database);
    const newestId = (accountId: number) => at.tree.change(accountId, ({ db }) => repository.newestId(db));
    const held = createHeldNames({ repository, newestId, changes, mostBytes });
    const own = hasIndex ? repository : { ...repository, candidates: async () => null };
    const paths = createPathsRepository(database);
    return { held, search: createFileSearch({ repository: own, held, paths, slowMs }) };
  }

  async function found(search: FileSearch, q: string, limit = 100): Promise<{ id: number; name: string }[]> {
    const all: { id: number; name: string }[] = [];
    for (let after: NamePlace | null = null; ; ) {
      const page = await search.page(me, q, after, limit);
      all.push(...page.entries.map(({ id, name }) => ({ id, name })));
      if (page.next === null) return all;
      after = page.next;
    }
  }

  /** What the tables say, filtered and sorted here. */
  async function expected(q: string): Promise<{ id: number; name: string }[]> {
    const rows = await database.read
      .selectFrom("entries")
      .select(["id", "parent_id", "name"])
      .where("account_id", "=", me)
      .execute();
    const byId = new Map(rows.map((row) => [row.id, row]));
    const isInTree = (parent: number): boolean => parent === 0 || isInTree(byId.get(parent)?.parent_id ?? -1);
    const isReached = (parent: number): boolean => parent >= 0 && isInTree(parent);
    return rows
      .filter(({ parent_id, name }) => has(name, q) && isReached(parent_id))
      .sort((a, b) => a.parent_id - b.parent_id || Buffer.compare(Buffer.from(a.name), Buffer.from(b.name)))
      .map(({ id, name }) => ({ id, name }));
  }

  async function fill(random: (below: number) => number): Promise<number[]> {
    const folders = [0, await at.folder(me, null, "first"), await at.folder(me, null, "second")];
    const common = { account_id: me, kind: "folder", policy_id: null, blob_id: null, mime_type: null };
    const rows = Array.from({ length: COUNT }, (_, n) => ({
      ...common,
      parent_id: folders[n % 3]!,
      name: `${anyName(random)} ${n}`,
      sha256: null,
      size: 0,
      created_at: 0,
      updated_at: 0,
    }));
    await database.dialect.insertMany(database.write, "entries", rows);
    const made = await database.read
      .selectFrom("entries")
      .select("id")
      .where("account_id", "=", me)
      .execute();
    return made.map(({ id }) => id);
  }

  const anyName = (random: (below: number) => number): string =>
    Array.from({ length: 1 + random(4) }, () => PARTS[random(PARTS.length)])
      .join("")
      .trim() || "blank";

  /** One random change, which the tree may refuse. */
  async function change(random: (below: number) => number, ids: number[]): Promise<void> {
    const id = ids[random(ids.length)]!;
    const parentId = random(2) === 0 ? null : ids[random(ids.length)]!;
    const name = `${anyName(random)} ${random(50)}`;
    const kind = random(6);
    if (kind === 0) ids.push((await at.folders.create(me, { name, parentId: null })).id);
    if (kind === 1) await at.folders.update(me, id, { name });
    if (kind === 2) await at.folders.update(me, id, { parentId });
    if (kind === 3) await at.trash.putFolder(me, id);
    if (kind === 4) {
      const { items } = await at.trash.after(me, null, 10);
      const trashed = items[random(Math.max(items.length, 1))];
      if (trashed !== undefined) await at.trash.restore(me, trashed.id, { folderId: null, name });
    }
    if (kind === 5) await at.folders.remove(me, id);
  }

  const REFUSALS = ["no error", "FolderNotFound", "FolderCycle", "NameConflict"];

  describe.each([
    ["memory", false],
    ["the database's index, if it has one", true],
  ])("with %s", (_, hasIndex) => {
    test("every needle finds what a scan finds, before and after each of many changes", async () => {
      const random = numbers(hasIndex ? 11 : 7);
      const ids = await fill(random);
      const { search } = searchOn(at.content.changes, { hasIndex });
      for (const q of NEEDLES) expect(await found(search, q)).toEqual(await expected(q));
      for (let round = 0; round < 30; round++) {
        expect(REFUSALS).toContain(await refusal(change(random, ids)));
        const q = NEEDLES[round % NEEDLES.length]!;
        expect(await found(search, q, 30 + random(70))).toEqual(await expected(q));
      }
      for (const q of NEEDLES) expect(await found(search, q)).toEqual(await expected(q));
    }, 300_000);
  });

  test("what changes while the names are read is found afterwards", async () => {
    const random = numbers(5);
    const ids = await fill(random);
    const { search, held } = searchOn(at.content.changes);
    const changing = (async () => {
      for (let n = 0; n < 20; n++) expect(REFUSALS).toContain(await refusal(change(random, ids)));
    })();
    await Promise.all([changing, ...NEEDLES.map((q) => found(search, q))]);
    expect(held.knows(me)).toBe(true);
    for (const q of NEEDLES) expect(await found(search, q)).toEqual(await expected(q));
  }, 120_000);

  test("another node finds new names at once, and changed ones when it heard of them", async () => {
    const [id = 0] = await fill(numbers(3));
    const there = createChanges({ database, clock: { now: Date.now }, logger: silentLogger });
    await there.start();
    try {
      const { search, held } = searchOn(there);
      expect(await found(search, "zebra")).toEqual([]);
      expect(held.knows(me)).toBe(true);
      const added = await at.folder(me, null, "a zebra");
      expect(await found(search, "zebra")).toEqual([{ id: added, name: "a zebra" }]);
      await at.folders.update(me, id, { name: "zebra two" });
      await there.poll();
      expect(await found(search, "zebra")).toEqual(await expected("zebra"));
      expect(await found(search, "first")).toEqual(await expected("first"));
    } finally {
      await there.stop();
    }
  }, 60_000);

  test("with a slow index the names are held in memory", async () => {
    await fill(numbers(4));
    const { search, held } = searchOn(at.content.changes, { hasIndex: true, slowMs: -1 });
    const registry = createRegistry();
    registerHeldNames(registry, search.heldBytes);
    const gauge = async () => (await registry.snapshot())[0]!.series[0]!.numbers[0];
    expect(await gauge()).toBe(0);
    expect(await found(search, "photo 77")).toEqual(await expected("photo 77"));
    await until(() => held.knows(me));
    expect(await gauge()).toBe(held.bytes());
    expect(held.bytes()).toBeGreaterThan(0);
    expect(await found(search, "photo 77")).toEqual(await expected("photo 77"));
  }, 60_000);

  test("names that are too many for the memory are read instead, page by page", async () => {
    await fill(numbers(9));
    const { search, held } = searchOn(at.content.changes, { mostBytes: 10_000 });
    for (const q of NEEDLES) expect(await found(search, q)).toEqual(await expected(q));
    expect(held.bytes()).toBe(0);
  }, 60_000);
});
