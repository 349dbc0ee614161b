/** Many links of one instant, as an import makes them: every page is right, and none reads the links before it. */
import { beforeAll, describe, expect, test } from "bun:test";
import { CompiledQuery } from "kysely";
import { forEachDialect } from "../../platform/db/for-each-dialect.test-support.ts";
import { type Link, PLAIN, UNOWNED } from "../link/link.ts";
import { type LinksRoom, NOW, openLinks, TARGET } from "../links.test-support.ts";
import { rangesAfter } from "./ordered-keys.repository.ts";
import { createLinkList, type LinkList } from "./list.ts";
import { type LinkOrder, linkQueryOf } from "./query.ts";
import { createLinkListRepository } from "./repository.ts";

const COUNT = 240;
const LINKS = Array.from({ length: COUNT }, (_, at) => ({
  ...PLAIN,
  ...UNOWNED,
  code: `c${(at * 79) % COUNT}`,
  target: TARGET,
  createdAt: at % 6 === 0 ? NOW - at : NOW,
  updatedAt: NOW,
  expiresAt: at % 5 === 0 ? null : at % 7 === 0 ? NOW + at : NOW + 1000,
  clickCount: 0,
  automatedClicks: 0,
  ownerId: null,
  tags: ["all"],
}));

const compare = <T>(a: T, b: T): number => (a < b ? -1 : a > b ? 1 : 0);
const ORDERS = {
  created_at: (a: Link, b: Link) => compare(a.createdAt, b.createdAt) || compare(b.code, a.code),
  expires_at: (a: Link, b: Link) =>
    compare(a.expiresAt ?? Infinity, b.expiresAt ?? Infinity) || compare(a.id, b.id),
};
const SORTS = ["created_at", "expires_at"] as const;
const WAYS = ["asc", "desc"] as const;

forEachDialect(({ name, openDb }) => {
  describe("links of one instant", () => {
    let room: LinksRoom;
    let list: LinkList;
    let links: Link[];

    beforeAll(async () => {
      room = await openLinks(await openDb());
      await room.database.transaction((tx) => room.repository.insertMany(tx, LINKS));
      const repository = createLinkListRepository(room.database);
      list = createLinkList(repository, { rankedFrom: 1 });
      links = await repository.after(linkQueryOf({}, NOW).filter, null, 1000);
    });

    for (const sort of SORTS) {
      for (const order of WAYS) {
        const codes = (): string[] => {
          const sorted = links.toSorted(ORDERS[sort]).map(({ code }) => code);
          return order === "asc" ? sorted : sorted.toReversed();
        };

        test(`one page after the other by ${sort}, ${order}`, async () => {
          for (const query of [{}, { only_active: "1" }]) {
            const linkQuery = linkQueryOf({ ...query, sort, order, page_size: "7" }, NOW);
            const found: string[] = [];
            let place = null;
            do {
              const page = await list.after({ ...linkQuery, after: place, limit: linkQuery.pageSize });
              found.push(...page.links.map(({ code }) => code));
              place = page.next;
            } while (place !== null);
            expect(found).toEqual(codes());
          }
        });

        test(`pages of a tag by ${sort}, ${order}`, async () => {
          const linkQuery = linkQueryOf({ sort, order, tag: ["all"], page_size: "30" }, NOW);
          const found: string[] = [];
          for (let page = 1; page <= COUNT / 30; page++) {
            found.push(...(await list.page({ ...linkQuery, page })).links.map(({ code }) => code));
          }
          expect(found).toEqual(codes());
        });
      }
    }
    // Each database explains a plan in words of its own.
    if (name === "sqlite") {
      test("what follows a place is ranges of the order's index", async () => {
        const { database } = room;
        const planOf = async (condition: ReturnType<typeof rangesAfter>[number]): Promise<string> => {
          const query = database.read.selectFrom("links").select("links.id").where(condition).compile();
          const explained = CompiledQuery.raw(`explain query plan ${query.sql}`, [...query.parameters]);
          return JSON.stringify((await database.read.executeQuery(explained)).rows);
        };
        const created = (code: string) => ({ value: NOW, tie: code });
        const expiring = (id: number) => ({ value: NOW, tie: id });
        const order = (sort: LinkOrder["sort"]): LinkOrder => ({ sort, descending: false });
        const [same, later] = rangesAfter(order("created_at"), created("m"));
        expect(await planOf(same!)).toContain("(created_at=? AND code<?)");
        expect(await planOf(later!)).toContain("(created_at>?)");
        const [sameExpiry] = rangesAfter(order("expires_at"), expiring(5));
        expect(await planOf(sameExpiry!)).toMatch(/\(expires_at=\? AND (?:id|rowid)>\?\)/);
      });
    }
  });
});
