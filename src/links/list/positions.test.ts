/** Pages found in memory, against all links of the database sorted here, also after every kind of change. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { forEachDialect } from "../../db/for-each-dialect.ts";
import { type Link, PLAIN, UNOWNED } from "../link/link.ts";
import { DAY, type LinksRoom, NOW, openLinks, TARGET } from "../links.test-support.ts";
import { EVERYTHING, type LinkFilter } from "./filter.ts";
import { COMMAND } from "../../lib/actor.ts";
import { domainOf, keyOf } from "../link/key.ts";
import { createLinkList, type LinkList } from "./list.ts";
import { SORT_KEYS, type SortKey } from "./order.ts";
import { type ListQuery, linkQueryOf } from "./page.ts";
import { createPositionsRepository } from "./positions.repository.ts";
import { createLinkListRepository } from "./repository.ts";

const COUNT = 3_000;
const OWNER = 7;

const LINKS = Array.from({ length: COUNT }, (_, at) => {
  const scattered = (at * 7919) % COUNT;
  return {
    ...PLAIN,
    ...UNOWNED,
    code: keyOf(at % 5 === 0 ? 3 : 0, `${at % 2 === 0 ? "c" : "D"}${scattered.toString(36)}-${at}`),
    target: `${TARGET}${at}`,
    createdAt: NOW - (scattered >> 2) * 1000,
    updatedAt: NOW,
    expiresAt: at % 3 === 0 ? NOW + (scattered - COUNT / 2) * 10_000 : null,
    clickCount: (at * 31) % 100,
    automatedClicks: 0,
    ownerId: at % 4 === 0 ? null : OWNER,
    tags: ["all", ...(at % 2 === 0 ? ["half"] : []), ...(at % 3 > 0 ? ["most"] : [])],
  };
});

const compare = <T>(a: T, b: T): number => (a < b ? -1 : a > b ? 1 : 0);
const ORDERS: Record<SortKey, (a: Link, b: Link) => number> = {
  created_at: (a, b) => compare(a.createdAt, b.createdAt) || compare(b.code, a.code),
  code: (a, b) => compare(a.code, b.code),
  click_count: (a, b) => compare(a.clickCount, b.clickCount) || compare(a.id, b.id),
  expires_at: (a, b) => compare(a.expiresAt ?? Infinity, b.expiresAt ?? Infinity) || compare(a.id, b.id),
};

function expected(links: readonly Link[], filter: LinkFilter, sort: SortKey, order: string): Link[] {
  const needle = filter.search?.toLowerCase() ?? "";
  const isExpired = ({ expiresAt }: Link) => expiresAt !== null && expiresAt <= NOW;
  const found = links
    .filter(
      (link) =>
        filter.tags.every((tag) => link.tags.includes(tag)) &&
        (link.code.toLowerCase().includes(needle) || link.target.toLowerCase().includes(needle)) &&
        (filter.ownerId === null || link.ownerId === filter.ownerId) &&
        (filter.domain === null || domainOf(link.code) === filter.domain) &&
        (filter.state === null || isExpired(link) === (filter.state === "expired")) &&
        (filter.createdAfter === null || link.createdAt >= filter.createdAfter) &&
        (filter.createdBefore === null || link.createdAt <= filter.createdBefore),
    )
    .sort(ORDERS[sort]);
  return order === "asc" ? found : found.toReversed();
}

const SPAN = {
  created_after: new Date(NOW - 600_000).toISOString(),
  created_before: new Date(NOW - 20_000).toISOString(),
};
const SECOND = new Date(NOW - 77_000).toISOString();
const LISTED: typeof FILTERS = [
  ["every link", {}],
  ["the active", { only_active: "1" }],
  ["the expired", { only_expired: "1" }],
  ["a span", SPAN],
  ["the active in a span", { only_active: "1", ...SPAN }],
];
const FILTERS: [string, ListQuery, Partial<LinkFilter>?][] = [
  ["a tag of every link", { tag: ["all"] }],
  ["a tag", { tag: ["half"] }],
  ["two tags", { tag: ["all", "most"] }],
  ["a tag among the active", { tag: ["all"], only_active: "1" }],
  ["a tag among the expired", { tag: ["all"], only_expired: "1" }],
  ["a tag in a span", { tag: ["all"], ...SPAN }],
  ["a tag since an instant", { tag: ["all"], created_after: new Date(NOW - 500_000).toISOString() }],
  ["a tag until an instant", { tag: ["half"], created_before: new Date(NOW - 90_000).toISOString() }],
  ["a tag in a second", { tag: ["all"], created_after: SECOND, created_before: SECOND }],
  ["a tag among those of an account", { tag: ["most"] }, { ownerId: OWNER }],
  ["a tag on the default domain", { tag: ["half"] }, { domain: 0 }],
  ["a tag on another domain", { tag: ["all"] }, { domain: 3 }],
  ["a search", { search: "9" }],
  ["a search with a frequent tag", { search: "C2", tag: ["half"] }],
  ["a search that every link has, with a tag", { search: "EXAMPLE", tag: ["most"] }],
  [
    "a search with an owner, a domain and a state",
    { search: "1", only_active: "1" },
    { ownerId: OWNER, domain: 0 },
  ],
  ["those of an account", {}, { ownerId: OWNER }],
  ["the active of an account on a domain", { only_active: "1" }, { ownerId: OWNER, domain: 0 }],
  ["the default domain", {}, { domain: 0 }],
  ["the expired of the default domain", { only_expired: "1" }, { domain: 0 }],
  ...LISTED,
];

forEachDialect(({ openDb }) => {
  describe("pages found in memory", () => {
    let room: LinksRoom;
    let other: LinksRoom;
    let lists: LinkList[];
    const stops: (() => void)[] = [];

    const listWith = (segment?: number): LinkList => {
      const repository = createLinkListRepository(room.database);
      const list = createLinkList(repository, {
        rankedFrom: 1,
        heldFrom: 0,
        segment,
        hear: room.changes.poll,
      });
      for (const topic of ["links", "tags"] as const)
        stops.push(room.changes.subscribe(topic, list.follow[topic]));
      return list;
    };

    beforeAll(async () => {
      const database = await openDb({ threads: true });
      room = await openLinks(database);
      await room.database.transaction((tx) => room.repository.insertMany(tx, LINKS));
      // Finds the end of the feed.
      await room.changes.poll();
      other = await openLinks(database);
      lists = [listWith(40), listWith()];
    });
    afterAll(() => stops.forEach((stop) => stop()));

    async function everyLink(): Promise<Link[]> {
      const repository = createLinkListRepository(room.database);
      const links: Link[] = [];
      for (let after: string | null = null; ; after = links.at(-1)!.code) {
        const part: Link[] = await repository.after(linkQueryOf({}, NOW).filter, after, 1000);
        links.push(...part);
        if (part.length < 1000) return links;
      }
    }

    async function check(filters: typeof FILTERS, sorts: readonly SortKey[] = SORT_KEYS): Promise<void> {
      const links = await everyLink();
      for (const [, query, more] of filters) {
        for (const sort of sorts) {
          for (const order of ["asc", "desc"] as const) {
            const base = linkQueryOf({ ...query, sort, order, page_size: "15" }, NOW);
            const filter = { ...base.filter, ...more };
            const all = expected(links, filter, sort, order);
            const pages = Math.ceil(all.length / 15);
            for (const page of [1, Math.ceil(pages / 3), Math.ceil(pages * 0.8), pages, pages + 1]) {
              for (const list of lists) {
                const found = await list.page({ ...base, filter, page: Math.max(page, 1) });
                expect(found.total).toBe(all.length);
                expect(found.links.map(({ code }) => code)).toEqual(
                  all.slice(Math.max(page - 1, 0) * 15, Math.max(page, 1) * 15).map(({ code }) => code),
                );
              }
            }
          }
        }
      }
    }

    for (const filter of FILTERS) {
      test(`${filter[0]}: by every key, both ways`, () => check([filter]));
    }

    test("follow links that are made, changed and deleted", async () => {
      const { links } = room;
      const changed: typeof FILTERS = [FILTERS[1]!, FILTERS[3]!, FILTERS[9]!, FILTERS[14]!, ...LISTED];
      const orders = ["created_at", "code", "expires_at"] as const;
      await check(changed, orders);
      await links.create({ code: "C-new", target: TARGET, tags: ["half", "all"], expires_at: "1d" });
      await check(changed, orders);
      await links.patch(LINKS[14]!.code, { expires_at: new Date(NOW + 3 * DAY).toISOString() });
      await links.patch(LINKS[11]!.code, { tags: ["all", "half", "most"] });
      await links.patch(LINKS[12]!.code, { tags: ["most"] });
      await links.patch(LINKS[13]!.code, { code: "zz-renamed" });
      await check(changed, orders);
      await links.batch.remove([LINKS[24]!.code, LINKS[22]!.code, "C-new"]);
      await links.create({ code: LINKS[24]!.code, target: TARGET, tags: ["all", "half"] });
      await check(changed, orders);
    });

    test("follow a search while links are made, changed, renamed, deleted and put back", async () => {
      const { links } = room;
      const searches: typeof FILTERS = [
        ["a search", { search: "sought" }],
        ["with a tag", { search: "sought", tag: ["half"] }],
        ["of many", { search: "example" }],
      ];
      const orders = ["created_at", "code", "expires_at"] as const;
      await check(searches, orders);
      const items = Array.from({ length: 40 }, (_, at) => ({
        code: `sought-${at}`,
        target: TARGET,
        tags: at % 2 === 0 ? ["half"] : [],
      }));
      await links.batch.create(items);
      await check(searches, orders);
      await links.patch("sought-1", { code: "hidden" });
      await links.patch("sought-2", { target: `${TARGET}more` });
      await links.patch(LINKS[15]!.code, { target: `${TARGET}SOUGHT` });
      await check(searches, orders);
      const { id } = await links.get("sought-4");
      await links.batch.remove(["sought-3", "sought-4", "sought-6"]);
      await check(searches, orders);
      await links.create({ code: "sought-6", target: TARGET });
      await links.deleted.restore(COMMAND, id, null);
      await other.links.remove("sought-8");
      await check(searches, orders);
      await links.batch.remove([...items.map(({ code }) => code), "hidden"]);
      await check(searches, orders);
    });

    test("tell how much memory they take", async () => {
      const [list] = lists;
      list!.follow.links(["*"]);
      expect(list!.heldBytes()).toBe(0);
      await check([FILTERS[0]!], ["code"]);
      expect(list!.heldBytes()).toBeGreaterThan(COUNT / 8);
    });

    test("follow tags that are renamed, merged and removed", async () => {
      const { tags } = room.links;
      await check([FILTERS[1]!], ["code"]);
      await tags.rename("half", "halves");
      await check([["a new name", { tag: ["halves"] }], FILTERS[1]!], ["code"]);
      await tags.rename("halves", "most");
      await check(
        [
          ["merged", { tag: ["most"] }],
          ["with another", { tag: ["most", "all"] }],
        ],
        ["code"],
      );
      await tags.rename("most", "half");
      await check([FILTERS[1]!], ["code"]);
    });

    test("are right after changes on another node of which this one has not heard", async () => {
      await check([FILTERS[1]!, ...LISTED]);
      await other.links.create({ code: "C-untold", target: TARGET, tags: ["all", "half"] });
      await other.links.remove(LINKS[42]!.code);
      await check([FILTERS[1]!, FILTERS[0]!, FILTERS[14]!, ...LISTED]);
    });

    test("leave no more garbage than a bound, whatever they are read for", async () => {
      let swept = 0;
      const sweeper = { worked: (bytes: number) => void (swept += bytes) };
      const repository = createPositionsRepository(room.database, sweeper);
      const sweptFor = async (ids: AsyncIterable<readonly number[]>) => {
        let digits = 0;
        const before = swept;
        for await (const portion of ids) digits += portion.join("").length;
        expect(digits).toBeGreaterThan(COUNT);
        expect(swept - before).toBeGreaterThanOrEqual(digits);
      };
      for (const sort of SORT_KEYS) {
        await sweptFor(
          (async function* () {
            for await (const { ids } of repository.parts(EVERYTHING, sort)) yield ids;
          })(),
        );
      }
      await sweptFor(repository.idsOfTag("all", { from: 1, to: 50_000 }));
    });

    test("follow a large batch", async () => {
      await check([FILTERS[0]!], ["created_at"]);
      const items = Array.from({ length: 1_200 }, (_, at) => ({
        code: `batch-${at}`,
        target: TARGET,
        tags: ["all"],
      }));
      await room.links.batch.create(items);
      await check([FILTERS[0]!], ["created_at", "code"]);
    });

    test("are read from the database where ids are too large for sets", async () => {
      const { database } = room;
      const row = { id: 2 ** 22 + 5, code: "far", target: TARGET, created_at: NOW, updated_at: NOW };
      await database.dialect.insertMany(database.write, "links", [row]);
      await check([FILTERS[0]!], ["created_at", "expires_at"]);
      await database.write.deleteFrom("links").where("code", "=", "far").execute();
    });
  });
});
