/** Lists of a member of teams: what its account and teams own, in one order. */
import { beforeAll, describe, expect, test } from "bun:test";
import { CompiledQuery, type QueryId } from "kysely";
import { forEachDialect } from "../../platform/db/for-each-dialect.test-support.ts";
import { type Link, PLAIN, UNOWNED } from "../link/link.ts";
import { type LinksRoom, NOW, openLinks, TARGET } from "../links.test-support.ts";
import type { LinkFilter } from "./filter.ts";
import { createLinkList, type LinkList } from "./list.ts";
import { linkQueryOf, type ListQuery } from "./query.ts";
import { WALK } from "./plan.ts";
import { createLinkListRepository } from "./repository.ts";

const COUNT = 400;
/** The last one owns nothing. */
const OWNERS = [7, -3, -4, 9];
/** As many as an account can have. */
const MANY = [...OWNERS, ...Array.from({ length: 97 }, (_, at) => 1000 + at)];

/** Owners share instants; half of all links have the same one. */
const LINKS = Array.from({ length: COUNT }, (_, at) => ({
  ...PLAIN,
  ...UNOWNED,
  code: `${at % 2 === 0 ? "c" : "D"}${(at * 79) % COUNT}`,
  target: TARGET,
  createdAt: at % 2 === 0 ? NOW : NOW + ((at * 31) % 40) - 20,
  updatedAt: NOW,
  expiresAt: at % 5 === 0 ? NOW - 1 : null,
  clickCount: 0,
  automatedClicks: 0,
  ownerId: [7, -3, null, 8, at % 40 === 4 ? -4 : 7][at % 5]!,
  tags: at % 3 === 0 ? ["third"] : [],
}));

const FILTERS: ListQuery[] = [
  {},
  { only_active: "1" },
  { tag: ["third"] },
  { search: "d1" },
  { created_after: new Date(NOW).toISOString() },
];

const compare = <T>(a: T, b: T): number => (a < b ? -1 : a > b ? 1 : 0);

function expected(links: readonly Link[], query: ListQuery): string[] {
  const found = links.filter(
    ({ ownerId, expiresAt, tags, code, createdAt }) =>
      OWNERS.includes(ownerId!) &&
      (query.only_active === undefined || expiresAt === null) &&
      (query.tag ?? []).every((tag) => tags.includes(tag)) &&
      code.toLowerCase().includes(query.search ?? "") &&
      (query.created_after === undefined || createdAt >= NOW),
  );
  found.sort((a, b) => compare(b.createdAt, a.createdAt) || compare(a.code, b.code));
  const codes = found.map(({ code }) => code);
  return query.order === "asc" ? codes.toReversed() : codes;
}

forEachDialect(({ name, openDb }) => {
  describe("links of several owners by creation", () => {
    let room: LinksRoom;
    let list: LinkList;
    let links: Link[];

    beforeAll(async () => {
      room = await openLinks(await openDb({ threads: true }));
      await room.database.transaction((tx) => room.repository.insertMany(tx, LINKS));
      const repository = createLinkListRepository(room.database, { countedUpTo: 0, sortedUpTo: 0 });
      list = createLinkList(repository, { rankedFrom: 1 });
      links = await repository.after(linkQueryOf({}, NOW).filter, null, 1000);
    });

    const queryOf = (query: ListQuery, owners: readonly number[]) => {
      const found = linkQueryOf(query, NOW);
      return { ...found, filter: { ...found.filter, owners } satisfies LinkFilter };
    };

    test.each(["asc", "desc"] as const)("pages by number and by cursor, %s", async (order) => {
      for (const filter of FILTERS) {
        const query = { ...filter, order, page_size: "23" };
        const codes = expected(links, query);
        expect(codes.length).toBeGreaterThan(30);
        const requested = queryOf(query, OWNERS);
        const byNumber: string[] = [];
        for (let page = 1; byNumber.length < codes.length; page++) {
          const found = await list.page({ ...requested, page });
          expect([found.total, found.links.length > 0]).toEqual([codes.length, true]);
          byNumber.push(...found.links.map(({ code }) => code));
        }
        expect(byNumber).toEqual(codes);
        const byCursor: string[] = [];
        let after = null;
        do {
          const found = await list.after({ ...requested, after, limit: 23 });
          byCursor.push(...found.links.map(({ code }) => code));
          after = found.next;
        } while (after !== null);
        expect(byCursor).toEqual(codes);
      }
    });

    test("of as many owners as an account can have, and far from the start", async () => {
      const codes = expected(links, {});
      const query = queryOf({ page_size: "50" }, MANY);
      const first = await list.after({ ...query, after: null, limit: 50 });
      const second = await list.after({ ...query, after: first.next, limit: 50 });
      expect([...first.links, ...second.links].map(({ code }) => code)).toEqual(codes.slice(0, 100));
      // So many rows that no database copies them to merge them.
      const { pageKeys } = createLinkListRepository(room.database);
      const far = await pageKeys(query.filter, { order: query.order, offset: 30, limit: 10_000 }, WALK);
      expect(far).toMatchObject({ codes: codes.slice(30) });
    });

    // Each database explains a plan in words of its own.
    if (name === "sqlite") {
      test("nothing is sorted", async () => {
        const { read } = room.database;
        const compiled = new Map<QueryId, CompiledQuery>();
        const requested: CompiledQuery[] = [];
        const listening = read.withPlugin({
          transformQuery: ({ node, queryId }) => {
            compiled.set(queryId, read.getExecutor().compileQuery(node, queryId));
            return node;
          },
          transformResult: async ({ result, queryId }) => {
            requested.push(compiled.get(queryId)!);
            return result;
          },
        });
        const { pageKeys } = createLinkListRepository({ ...room.database, read: listening });
        const { filter, order } = queryOf({}, OWNERS);
        const places = [null, { value: NOW, tie: "c" }];
        for (const after of places) await pageKeys(filter, { order, offset: 0, limit: 20, after }, WALK);
        expect(requested).toHaveLength(2);
        for (const { sql, parameters } of requested) {
          const explained = CompiledQuery.raw(`explain query plan ${sql}`, [...parameters]);
          const plan = JSON.stringify((await read.executeQuery(explained)).rows);
          expect(plan).toContain("COVERING INDEX links_owner (owner_id=?");
          expect(plan).not.toContain("TEMP B-TREE");
        }
      });
    }
  });
});
