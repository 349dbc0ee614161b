/** Lists and searches against a model: the same links, filtered and sorted in memory. */
import { beforeAll, describe, expect, test } from "bun:test";
import { forEachDialect } from "../../platform/db/for-each-dialect.test-support.ts";
import { DIALECT_NAMES } from "../../platform/db/fresh.test-support.ts";
import {
  linkCursor,
  linkQueryOf,
  type ListQuery,
  type PlacedQuery,
  placedQueryOf,
  isByClicks,
  SORT_KEYS,
  type SortKey,
} from "./query.ts";
import { createMatchesByCode } from "./by-code.ts";
import { planFor } from "./plan.ts";
import type { LinkFilter } from "./filter.ts";
import { createLinkListRepository } from "./repository.ts";
import { createLinkList, type LinkList } from "./list.ts";
import { PLAIN, UNOWNED } from "../link/link.ts";
import type { NewLink } from "../write/repository.ts";
import { DAY, type LinksRoom, NOW, openLinks, TARGET } from "../links.test-support.ts";

const COUNT = 1300;
const OWNER = 7;

/** Creation times repeat and don't follow the ids; every third link has an expiry, half of those are over. */
const LINKS: Omit<Model, "id">[] = Array.from({ length: COUNT }, (_, at) => {
  const scattered = (at * 7919) % COUNT;
  return {
    ...PLAIN,
    ...UNOWNED,
    code: `${at % 2 === 0 ? "c" : "D"}${scattered.toString(36)}-${at}`,
    target: `${TARGET}${at % 40 === 0 ? "Medium" : "plain"}/${at % 650 === 3 ? "RARE%_!" : "x"}/${at}`,
    createdAt: NOW - (scattered >> 2) * 1000,
    updatedAt: NOW,
    expiresAt: at % 3 === 0 ? NOW + (scattered - COUNT / 2) * 10_000 : null,
    clickCount: (at * 31) % 100,
    ownerId: at % 5 === 0 ? OWNER : null,
    ownerName: null,
    tags: [
      at % 2 === 0 ? "even" : "odd",
      ...(at % 7 === 0 ? ["week"] : []),
      ...(at % 300 === 0 ? ["rare"] : []),
    ].sort(),
    automatedClicks: (at * 17) % (((at * 31) % 100) + 1),
  };
});

type Model = NewLink & { id: number; ownerName: string | null };

const compare = <T>(a: T, b: T): number => (a < b ? -1 : a > b ? 1 : 0);

const humanClicks = ({ clickCount, automatedClicks }: Model): number => clickCount - automatedClicks;

/** Each order in the model, descending. */
const ORDERS: Record<string, (a: Model, b: Model) => number> = {
  created_at: (a, b) => compare(b.createdAt, a.createdAt) || compare(a.code, b.code),
  code: (a, b) => compare(b.code, a.code),
  human_clicks: (a, b) => compare(humanClicks(b), humanClicks(a)) || compare(b.id, a.id),
  click_count: (a, b) => compare(b.clickCount, a.clickCount) || compare(b.id, a.id),
  expires_at: (a, b) => compare(b.expiresAt ?? Infinity, a.expiresAt ?? Infinity) || compare(b.id, a.id),
};

function expected(links: readonly Model[], query: ListQuery): Model[] {
  const needle = query.search?.toLowerCase() ?? "";
  const isExpired = (link: Model) => link.expiresAt !== null && link.expiresAt <= NOW;
  const found = links.filter(
    (link) =>
      (link.code.toLowerCase().includes(needle) || link.target.toLowerCase().includes(needle)) &&
      (query.tag ?? []).every((tag) => link.tags.includes(tag.toLowerCase())) &&
      (!query.owner || link.ownerId === Number(query.owner)) &&
      (query.only_active === undefined || !isExpired(link)) &&
      (query.only_expired === undefined || isExpired(link)) &&
      (!query.created_after || link.createdAt >= Date.parse(query.created_after)) &&
      (!query.created_before || link.createdAt <= Date.parse(query.created_before)),
  );
  found.sort(ORDERS[query.sort || "created_at"]!);
  const descends = query.order ? query.order === "desc" : !["code", "expires_at"].includes(query.sort ?? "");
  return descends ? found : found.toReversed();
}

const FILTERS: [string, ListQuery][] = [
  ["everything", {}],
  ["active", { only_active: "true" }],
  ["expired", { only_expired: "1" }],
  [
    "a span of creation",
    {
      created_after: new Date(NOW - 400_000).toISOString(),
      created_before: new Date(NOW - 100_000).toISOString(),
    },
  ],
  ["a frequent tag", { tag: ["even"] }],
  ["a rare tag", { tag: ["rare"] }],
  ["two tags", { tag: ["odd", "WEEK"] }],
  ["two tags, one rare", { tag: ["odd", "rare"] }],
  ["tags that no link has together", { tag: ["odd", "even"] }],
  ["a tag that is nowhere", { tag: ["even", "nowhere"] }],
  ["a tag among the active", { tag: ["even"], only_active: "1" }],
  ["a word and a tag", { tag: ["even"], search: "plain" }],
  ["those of an account", { owner: String(OWNER) }],
  ["those of an account with a tag", { owner: String(OWNER), tag: ["even"] }],
  ["those of an account that has none", { owner: "8" }],
  ["a frequent word", { search: "EXAMPLE" }],
  ["a medium word", { search: "medium" }],
  ["a rare word", { search: "rare%_!" }],
  ["a word of codes", { search: "d1" }],
  ["a word that is nowhere", { search: "%%" }],
  ["a frequent word among the active", { search: "plain", only_active: "1" }],
  ["a word in a span", { search: "plain", created_after: new Date(NOW - 400_000).toISOString() }],
];

forEachDialect((dialect) => {
  /** Each order goes both ways, each filter one way by an order, and the other on another database. */
  const wayOf = (filter: ListQuery, sort: string): "asc" | "desc" => {
    const at =
      FILTERS.findIndex(([, listed]) => listed === filter) + SORT_KEYS.findIndex((key) => key === sort);
    return (at + DIALECT_NAMES.indexOf(dialect.name)) % 2 === 0 ? "asc" : "desc";
  };
  let room: LinksRoom;
  let model: Model[];

  beforeAll(async () => {
    room = await openLinks(await dialect.openDb({ threads: true }));
    await room.database.transaction((tx) => room.repository.insertMany(tx, LINKS));
    const repository = createLinkListRepository(room.database);
    const everything = linkQueryOf({}, NOW).filter;
    model = [];
    for (let after: string | null = null; ; after = model.at(-1)!.code) {
      const part: Model[] = await repository.after(everything, after, 1000);
      if (part.length === 0) break;
      model.push(...part);
    }
  });

  /** Those that sort what a condition finds, and those that follow indexes. */
  const lists = (sort: SortKey): LinkList[] =>
    [COUNT * 2, 0].map((countedUpTo) =>
      createLinkList(createLinkListRepository(room.database, { countedUpTo, sortedUpTo: 0 }), {
        rankedFrom: isByClicks(sort) && countedUpTo > 0 ? COUNT * 2 : 1,
      }),
    );

  test("after returns links by code as they were inserted", () => {
    expect(model).toMatchObject(LINKS.toSorted((a, b) => compare(a.code, b.code)));
  });

  describe.each(FILTERS)("%s", (_name, filter) => {
    test.each([...SORT_KEYS])("by %s: first, middle, last and no page", async (sort) => {
      const order = wayOf(filter, sort);
      const query = { ...filter, sort, order };
      const all = expected(model, query);
      const pages = Math.ceil(all.length / 20);
      const asks = [...new Set([1, Math.ceil(pages * 0.8), pages, pages + 1])].filter((page) => page > 0);
      // The lists take turns in counting. A total is known the second time.
      for (const [at, list] of lists(sort).entries()) {
        for (const [nth, page] of asks.entries()) {
          const linkQuery = linkQueryOf({ ...query, page: String(page), page_size: "20" }, NOW);
          const matching = all.slice((page - 1) * 20, page * 20);
          if (nth % 2 === at) {
            expect(await list.page(linkQuery)).toEqual({ links: matching, total: all.length });
            continue;
          }
          const rows = await list.rows(linkQuery);
          expect([rows.links, rows.next !== null]).toEqual([matching, page < pages]);
        }
      }
    });
  });

  describe.each(FILTERS)("%s by cursor", (_name, filter) => {
    test.each([...SORT_KEYS])("by %s: every page once", async (sort) => {
      const order = wayOf(filter, sort);
      const all = expected(model, { ...filter, sort, order });
      const size = all.length > 500 ? 100 : 40;
      const list = lists(sort)[order === "asc" ? 1 : 0]!;
      const found: Model[] = [];
      for (let cursor: string | null = ""; cursor !== null; ) {
        const query: ListQuery = { ...filter, sort, order, page_size: String(size), cursor };
        const linkQuery: PlacedQuery = placedQueryOf(query, NOW)!;
        const { links, next } = await list.after(linkQuery);
        if (next !== null) expect(links).toHaveLength(size);
        found.push(...links);
        expect(found.length).toBeLessThanOrEqual(all.length);
        cursor = next && linkCursor(linkQuery.order, next);
        if (cursor !== null) expect(cursor.length).toBeLessThan(500);
      }
      expect(found).toEqual(all);
    });
  });

  test("a cursor keeps its place while links are added and deleted", async () => {
    const list = createLinkList(createLinkListRepository(room.database));
    for (const sort of SORT_KEYS) {
      const query = { sort, order: "desc" as const, page_size: "10" };
      const all = expected(model, query);
      const linkQuery = placedQueryOf({ ...query, cursor: "" }, NOW)!;
      const { next } = await list.after(linkQuery);
      const added = ["-", "zz"].map((code) => ({ ...LINKS[0]!, code, createdAt: NOW + 1, clickCount: 1000 }));
      added[1]!.createdAt = NOW - 10_000_000;
      added[1]!.clickCount = 0;
      await room.database.transaction((tx) => room.repository.insertMany(tx, added));
      const cursor = linkCursor(linkQuery.order, next!);
      const second = await list.after(placedQueryOf({ ...query, cursor }, NOW)!);
      expect(second.links).toEqual(all.slice(10, 20));
      expect((await room.links.batch.remove(["-", "zz"])).failed).toEqual([]);
    }
  });

  test("the default order is newest first, then by code", async () => {
    const { links } = await room.links.list(linkQueryOf({}, NOW));
    expect(links).toEqual(expected(model, {}).slice(0, 20));
  });

  test("conditions of many links are tried on some of them before an order is followed", async () => {
    const repository = createLinkListRepository(room.database, { sortedUpTo: 0 });
    const planOf = async (query: ListQuery) => {
      const found = await repository.starts(linkQueryOf(query, NOW).filter);
      // As if there were a hundred times as many links.
      const grown = found.starts.map(({ start, links }) => ({ start, links: links * 100 }));
      const sizes = { ...found, starts: grown, matches: found.matches! * 100, links: COUNT * 100 };
      return planFor({ sort: "code", descending: false }, 20, { ...sizes, rankedFrom: 1 }).by;
    };
    expect(await planOf({ owner: String(OWNER), tag: ["odd", "even"] })).toBe("sort");
    expect(await planOf({ owner: String(OWNER), tag: ["odd"] })).toBe("walk");
    expect(await planOf({ tag: ["even"], only_active: "1" })).toBe("walk");
    expect(await planOf({ owner: String(OWNER), search: "D" })).toBe("walk");
  });

  test("both plans find the same page", async () => {
    const repository = createLinkListRepository(room.database);
    const { filter } = linkQueryOf({ search: "plain" }, NOW);
    for (const sort of ["created_at", "code"] as const) {
      for (const descending of [true, false]) {
        const slice = { order: { sort, descending }, offset: 1200, limit: 20 };
        const walked = await repository.pageKeys(filter, slice, { by: "walk" });
        expect(Object.values(walked)[0]).toBeArrayOfSize(20);
        expect(await repository.pageKeys(filter, slice, { by: "sort", from: null })).toEqual(walked);
        expect(await repository.pageKeys(filter, slice, { by: "sort", from: "search" })).toEqual(walked);
      }
    }
  });

  test("the next links by code, filtered, for exports", async () => {
    const filter: LinkFilter = linkQueryOf({ search: "plain", only_active: "1" }, NOW).filter;
    const matching = expected(model, { search: "plain", only_active: "1", sort: "code", order: "asc" });
    for (const countedUpTo of [COUNT, 0]) {
      const repository = createLinkListRepository(room.database, { countedUpTo });
      const matches = createMatchesByCode(repository);
      expect(await matches.count(filter)).toBe(matching.length);
      const read = await matches.reader(filter);
      expect(await read(700)).toEqual(matching.slice(0, 700));
      expect(await read(1000)).toEqual(matching.slice(700, 1700));
      expect(await read(1000)).toEqual(matching.slice(1700, 2700));
      expect(await read(1000)).toEqual([]);
    }
  });

  test("totals follow every change", async () => {
    const linkQuery = linkQueryOf({ search: "freshly" }, NOW);
    expect((await room.links.list(linkQuery)).total).toBe(0);
    await room.links.create({ code: "freshly-made", target: TARGET });
    expect((await room.links.list(linkQuery)).total).toBe(1);
    expect((await room.links.list(linkQueryOf({}, NOW))).total).toBe(COUNT + 1);
    await room.links.batch.remove(["freshly-made"]);
    expect((await room.links.list(linkQuery)).total).toBe(0);
    expect((await room.links.list(linkQueryOf({}, NOW))).total).toBe(COUNT);
  });

  test("an expiry is reached at its instant", async () => {
    await room.links.create({ code: "ends-soon", target: TARGET, expires_at: "1d" });
    const totalAt = async (instant: number, state: ListQuery) =>
      (await room.links.list(linkQueryOf({ search: "ends-soon", ...state }, instant))).total;
    expect(await totalAt(NOW + DAY - 1, { only_active: "1" })).toBe(1);
    expect(await totalAt(NOW + DAY, { only_active: "1" })).toBe(0);
    expect(await totalAt(NOW + DAY, { only_expired: "1" })).toBe(1);
    await room.links.remove("ends-soon");
  });

  test("pages and totals are right for more matches than are kept and fewer than are walked", async () => {
    // More links with ids far behind, so that matches are rare in both halves of the ids.
    const { database } = room;
    const far = LINKS.map((link, at) => ({ ...link, id: 1_000_000 + at, code: `far-${link.code}` }));
    const rows = far.map(({ id, code, target, createdAt }) => {
      const link = { id, code, target, created_at: createdAt };
      return { ...link, updated_at: NOW, expires_at: null, password_hash: null };
    });
    await database.dialect.insertMany(database.write, "links", rows);
    const everybody = [...model, ...far];
    for (const sort of ["created_at", "code"] as const) {
      for (const search of ["EXAMPLE", "pl"]) {
        const all = expected(everybody, { search, sort });
        const pages = Math.ceil(all.length / 100);
        for (const page of [1, 9, 13, pages - 1, pages, pages + 1]) {
          const list = createLinkList(createLinkListRepository(database));
          const linkQuery = linkQueryOf({ search, sort, page: String(page), page_size: "100" }, NOW);
          for (let time = 0; time < 2; time++) {
            const { links, total } = await list.page(linkQuery);
            expect(total).toBe(all.length);
            expect(links.map(({ id }) => id)).toEqual(
              all.slice((page - 1) * 100, page * 100).map(({ id }) => id),
            );
          }
        }
      }
    }
  });

  test("more matches than a database looks up at once are read by code", async () => {
    const { database } = room;
    const codes = Array.from(
      { length: 10_100 },
      (_, at) => `crowd-${String((at * 7) % 10_100).padStart(5, "0")}`,
    );
    const rows = codes.map((code) => ({ code, target: TARGET, created_at: NOW, updated_at: NOW }));
    await database.dialect.insertMany(database.write, "links", rows);
    const read = await createMatchesByCode(createLinkListRepository(database)).reader(
      linkQueryOf({ search: "crowd-" }, NOW).filter,
    );
    const found: string[] = [];
    for (let links = await read(1000); links.length > 0; links = await read(1000)) {
      found.push(...links.map(({ code }) => code));
    }
    expect(found).toEqual(codes.toSorted());
  });
});
