/** The total of all links: a sum of what each write added. */
import { beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { silentLogger } from "../../lib/logger.ts";
import { forEachDialect } from "../../platform/db/for-each-dialect.test-support.ts";
import { PLAIN, UNOWNED } from "../link/link.ts";
import { keyOf } from "../link/key.ts";
import { EVERYTHING } from "./filter.ts";
import { linkQueryOf } from "./query.ts";
import { createLinkListRepository } from "./repository.ts";
import { type LinksRoom, NOW, openLinks, TARGET } from "../links.test-support.ts";
import { readTotal } from "../link/query.repository.ts";
import { createTotalJob } from "./jobs.ts";

forEachDialect(({ openDb }) => {
  describe("the total", () => {
    let room: LinksRoom;
    let other: LinksRoom;
    const never = new AbortController().signal;

    beforeAll(async () => {
      const database = await openDb();
      room = await openLinks(database);
      // Another node, which hears of changes later.
      other = await openLinks(database);
    });
    beforeEach(() => room.clear());

    const listed = async (): Promise<number> =>
      (await room.links.list(linkQueryOf({ sort: "click_count" }, NOW))).total;
    const summands = async (): Promise<number[]> => {
      const rows = await room.database.read.selectFrom("link_totals").select("links").orderBy("id").execute();
      return rows.map(({ links }) => links);
    };
    const batch = (size: number) =>
      Array.from({ length: size }, (_, at) => ({ code: `b${at}`, target: TARGET }));
    const codes = (size: number) => batch(size).map(({ code }) => code);

    test("follows creates, overwrites, batches and deletions", async () => {
      await room.links.create({ code: "one", target: TARGET });
      expect(await listed()).toBe(1);
      await room.links.create({ code: "one", target: `${TARGET}2`, force: true });
      expect(await listed()).toBe(1);
      await room.links.batch.create([...batch(1_200), { code: "one", target: TARGET }]);
      expect(await listed()).toBe(1_201);
      await room.links.batch.remove([...codes(1_100), "unknown"]);
      expect(await listed()).toBe(101);
      await room.links.remove("one");
      expect(await listed()).toBe(100);
    });

    test("a failed transaction adds nothing", async () => {
      await room.links.create({ code: "one", target: TARGET });
      const failing = room.database.transaction(async (tx) => {
        const link = { ...PLAIN, ...UNOWNED, code: "two", target: TARGET, createdAt: NOW, updatedAt: NOW };
        await room.repository.insertMany(tx, [
          { ...link, expiresAt: null, clickCount: 0, automatedClicks: 0 },
        ]);
        throw new Error("given up");
      });
      await expect(failing).rejects.toThrow("given up");
      expect(await readTotal(room.database.read)).toBe(1);
    });

    test("is exact while two nodes write and the job folds", async () => {
      const job = createTotalJob(room.database, silentLogger);
      const work = [room, other].map(async ({ links }, node) => {
        for (let at = 0; at < 40; at++) await links.create({ code: `n${node}-${at}`, target: TARGET });
        for (let at = 0; at < 15; at++) await links.remove(`n${node}-${at}`);
      });
      const done = Promise.all(work).then(() => true);
      while (!(await Promise.race([done, job.run(never).then(() => false)])));
      expect(await listed()).toBe(50);
      await job.run(never);
      expect(await summands()).toEqual([50]);
    });

    test("of a domain is exact, whichever has few links", async () => {
      const keysIn = (domain: number, many: number) =>
        Array.from({ length: many }, (_, at) => keyOf(domain, `d${at}`));
      const keys = [...keysIn(0, 7), ...keysIn(1, 1), ...keysIn(12, 5)];
      const link = { ...PLAIN, ...UNOWNED, target: TARGET, createdAt: NOW, updatedAt: NOW };
      const links = keys.map((code) => ({
        ...link,
        code,
        expiresAt: null,
        clickCount: 0,
        automatedClicks: 0,
      }));
      await room.database.transaction((tx) => room.repository.insertMany(tx, links));
      for (const countedUpTo of [0, 1, 5, 6, 7, 100]) {
        const repository = createLinkListRepository(room.database, { countedUpTo });
        for (const [domain, many] of [
          [0, 7],
          [1, 1],
          [12, 5],
          [3, 0],
        ] as const) {
          expect(await repository.count({ ...EVERYTHING, domain }, null)).toBe(many);
        }
      }
    });

    test("of clicks follows imports, deletions and what is put back, and the job corrects it", async () => {
      const totals = async () => {
        const { totalClicks, automatedClicks } = await room.links.stats();
        return [totalClicks, automatedClicks];
      };
      await room.links.batch.create(batch(3));
      await room.click("b0", 10, 4);
      await room.click("b1", 5);
      expect(await totals()).toEqual([15, 4]);
      await room.links.remove("b0");
      expect(await totals()).toEqual([5, 0]);
      await room.database.write.updateTable("link_clicks").set({ clicks: 2, automated: 1 }).execute();
      expect(await totals()).toEqual([5, 0]);
      await createTotalJob(room.database, silentLogger).run(never);
      expect(await totals()).toEqual([4, 2]);
    });

    test("the job corrects what other programs wrote, once", async () => {
      await room.links.batch.create(batch(5));
      await room.database.write.deleteFrom("links").where("code", "in", ["b1", "b2"]).execute();
      // The list does not count.
      expect(await listed()).toBe(5);
      const job = createTotalJob(room.database, silentLogger);
      await job.run(never);
      expect(await readTotal(room.database.read)).toBe(3);
      await room.links.create({ code: "one", target: TARGET });
      await job.run(never);
      expect(await summands()).toEqual([4]);
    });
  });
});
