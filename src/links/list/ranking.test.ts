/** The order by clicks of many links: by their ranks, which follow the counts. */
import { PLAIN, UNOWNED } from "../link/link.ts";
import { beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { forEachDialect } from "../../platform/db/for-each-dialect.test-support.ts";
import { linkQueryOf, type ListQuery, placedQueryOf } from "./query.ts";
import { type LinksRoom, NOW, openLinks, TARGET } from "../links.test-support.ts";
import { createLinkList, type LinkList } from "./list.ts";
import { createLinkListRepository } from "./repository.ts";
import { createRankingJob, type Growth } from "./jobs.ts";

const COUNT = 1_500;
const codeOf = (at: number) => `l${String(at).padStart(4, "0")}`;

forEachDialect(({ openDb }) => {
  describe("ranks", () => {
    let room: LinksRoom;
    let list: LinkList;
    const never = new AbortController().signal;

    beforeAll(async () => {
      room = await openLinks(await openDb());
      list = createLinkList(createLinkListRepository(room.database), { rankedFrom: 1 });
    });
    beforeEach(async () => {
      await room.clear();
      const links = Array.from({ length: COUNT }, (_, at) => ({
        ...PLAIN,
        ...UNOWNED,
        code: codeOf(at),
        target: `${TARGET}${at % 10 === 0 ? "tenth" : "other"}`,
        createdAt: NOW,
        updatedAt: NOW,
        expiresAt: at % 5 === 0 ? NOW - 1 : null,
        // Each count twice.
        clickCount: at >> 1,
        automatedClicks: 0,
      }));
      await room.database.transaction((tx) => room.repository.insertMany(tx, links));
    });
    const codes = async (query: ListQuery, of = list): Promise<string[]> => {
      const { links } = await of.page(linkQueryOf({ sort: "click_count", page_size: "5", ...query }, NOW));
      return links.map(({ code }) => code);
    };
    /** Counts as the flush does, which moves the position of a journal with the counts. */
    const count = async (ids: readonly number[], clicks: number) => {
      const { database } = room;
      const counter = { table: "link_clicks", key: "link_id", column: "clicks" } as const;
      await database.dialect.addToCounters(
        database.write,
        counter,
        ids,
        ids.map(() => clicks),
      );
      const journal = { id: "j", position: Math.random() * 1e9, updated_at: NOW };
      const position = { table: "journals", keys: ["id"], set: ["position"] } as const;
      await database.dialect.upsert(database.write, position, [
        { ...journal, position: Math.floor(journal.position) },
      ]);
    };
    const idsOf = async (first: number, last: number) => {
      const rows = await room.database.read
        .selectFrom("links")
        .select(["id", "code"])
        .orderBy("code")
        .execute();
      return rows.slice(first, last).map(({ id }) => id);
    };

    test("order new and imported links from either end, with any filter", async () => {
      expect(await codes({})).toEqual([1499, 1498, 1497, 1496, 1495].map(codeOf));
      expect(await codes({ order: "asc" })).toEqual([0, 1, 2, 3, 4].map(codeOf));
      expect(await codes({ page: "101" })).toEqual([999, 998, 997, 996, 995].map(codeOf));
      expect(await codes({ page: "290" })).toEqual([54, 53, 52, 51, 50].map(codeOf));
      expect(await codes({ only_active: "1", page: "2" })).toEqual(
        [1493, 1492, 1491, 1489, 1488].map(codeOf),
      );
      expect(await codes({ only_expired: "1" })).toEqual([1495, 1490, 1485, 1480, 1475].map(codeOf));
      expect(await codes({ search: "other", page: "2" })).toEqual([1494, 1493, 1492, 1491, 1489].map(codeOf));
    });

    test("follow the counts with the next run of the job", async () => {
      const job = createRankingJob(room.database);
      await job.run(never);
      await count(await idsOf(3, 4), 10_000);
      expect(await codes({})).toEqual([1499, 1498, 1497, 1496, 1495].map(codeOf));
      await job.run(never);
      expect(await codes({})).toEqual([3, 1499, 1498, 1497, 1496].map(codeOf));
      await count(await idsOf(10, 1_400), 1_000_000);
      await job.run(never);
      expect(await codes({})).toEqual([1399, 1398, 1397, 1396, 1395].map(codeOf));
      expect(await codes({ order: "asc", page: "2" })).toEqual([6, 7, 8, 9, 1400].map(codeOf));
    });

    test("order by human clicks apart from all", async () => {
      const job = createRankingJob(room.database);
      const grown: Growth[] = [];
      const noting = createRankingJob(room.database, async (links) => void grown.push(...links));
      await job.run(never);
      const [first, second] = (await idsOf(1_498, 1_500)) as [number, number];
      const { write } = room.database;
      await write.updateTable("link_clicks").set({ automated: 700 }).where("link_id", "=", second).execute();
      await count([first], 5);
      await noting.run(never);
      expect(grown).toEqual([
        { linkId: first, before: 749, after: 754 },
        { linkId: second, before: 749, after: 49 },
      ]);
      const exact = createLinkList(createLinkListRepository(room.database));
      for (const of of [list, exact]) {
        expect(await codes({ page_size: "3" }, of)).toEqual([1498, 1499, 1497].map(codeOf));
        const human = { sort: "human_clicks", page_size: "3" } as const;
        expect(await codes(human, of)).toEqual([1498, 1497, 1496].map(codeOf));
        expect(await codes({ ...human, only_active: "1" }, of)).toEqual([1498, 1497, 1496].map(codeOf));
        const near = await codes({ ...human, order: "asc", page: "34" }, of);
        expect(near).toEqual([99, 1499, 100].map(codeOf));
        expect((await of.after(placedQueryOf({ ...human, cursor: "" }, NOW)!)).next).toMatchObject({
          value: 748,
        });
      }
    });

    test("are not read again while nothing is counted", async () => {
      const job = createRankingJob(room.database);
      await job.run(never);
      const [id] = await idsOf(0, 1);
      // No flush did this.
      await room.database.write
        .updateTable("link_clicks")
        .set({ ranked: 9_999 })
        .where("link_id", "=", id!)
        .execute();
      await job.run(never);
      expect(await codes({})).toContain(codeOf(0));
      await count([id!], 1);
      await job.run(never);
      expect(await codes({})).not.toContain(codeOf(0));
    });

    test("are not used while links are few", async () => {
      await count(await idsOf(3, 4), 10_000);
      const exact = createLinkList(createLinkListRepository(room.database));
      expect(await codes({}, exact)).toEqual([3, 1499, 1498, 1497, 1496].map(codeOf));
      expect(await codes({ only_active: "1" }, exact)).toEqual([3, 1499, 1498, 1497, 1496].map(codeOf));
    });

    test("of a stopped run are completed by the next one", async () => {
      const job = createRankingJob(room.database);
      await count(await idsOf(3, 4), 10_000);
      await job.run(AbortSignal.abort());
      await job.run(never);
      expect(await codes({})).toEqual([3, 1499, 1498, 1497, 1496].map(codeOf));
    });
  });
});
