/** Searches in texts outside the database, against those that the database answers. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { until } from "../../../test/support/until.ts";
import { forEachDialect } from "../../db/for-each-dialect.ts";
import { COMMAND } from "../../lib/actor.ts";
import { PLAIN, UNOWNED } from "../link/link.ts";
import { type LinksRoom, NOW, openLinks, TARGET } from "../links.test-support.ts";
import { createTextsRepository } from "../texts/repository.ts";
import { openScanThread } from "../texts/scan.thread.ts";
import { createLinkTexts } from "../texts/texts.ts";
import type { Texts } from "./held-texts.ts";
import { createLinkList, type LinkList } from "./list.ts";
import { linkQueryOf } from "./page.ts";
import { createLinkListRepository } from "./repository.ts";

/** Notes of a block are longer than one answer of some servers. */
const NOTE = "a note ".repeat(280).trim();
const WORD = "Zürich";
/** As some keyboards and copied file names have it. */
const MARKED: Record<number, string> = { 5: WORD.normalize("NFC"), 6: `in ${WORD.normalize("NFD")}` };
const LINKS = Array.from({ length: 2_500 }, (_, at) => ({
  ...PLAIN,
  ...UNOWNED,
  code: `c${(at * 7919) % 2500}-${at}`,
  target: `${TARGET}${at % 7 === 0 ? "Seven" : "other"}/${at}`,
  createdAt: NOW - at * 1000,
  updatedAt: NOW,
  expiresAt: null,
  clickCount: 0,
  automatedClicks: 0,
  ownerId: null,
  title: at % 50 === 3 ? `Überfahrt ${at}` : at % 50 === 4 ? `100%_sure! ${at}` : (MARKED[at % 50] ?? null),
  note: at < 1200 ? `${NOTE} ${at}\nline` : null,
  tags: [],
}));

const SEARCHES = [
  "seven",
  "SEVEN",
  "c1",
  "c12",
  "example",
  "überfahrt",
  "ÜBERFAHRT 3",
  "0%_s",
  "!",
  "a note 11",
  "1\nL",
  WORD.normalize("NFC"),
  "ZÜRICH".normalize("NFD"),
];
const WITHOUT_TEXTS = ["nothing at all", "\u0001", "other\u0002"];

forEachDialect(({ openDb }) => {
  describe("searches in texts", () => {
    const folder = mkdtempSync(join(tmpdir(), "waymark-texts-"));
    const stops: (() => void)[] = [];
    let room: LinksRoom;
    let other: LinksRoom;
    let list: LinkList;
    let plain: LinkList;
    let reads = 0;
    let finds = 0;
    let broken: Texts["find"] | null = null;

    function open(): Texts {
      const thread = openScanThread(join(folder, `texts-${reads}`));
      const texts = createLinkTexts({
        repository: createTextsRepository(room.database),
        thread,
        refreshFrom: 10,
      });
      return {
        ...texts,
        async read(from, to) {
          await texts.read(from, to);
          reads++;
        },
        find(search) {
          finds++;
          return (broken ?? texts.find)(search);
        },
      };
    }

    function listWith(options: Parameters<typeof createLinkList>[1]): LinkList {
      const made = createLinkList(createLinkListRepository(room.database), {
        hear: room.changes.poll,
        ...options,
      });
      stops.push(room.changes.subscribe("links", made.follow.links), made.close);
      return made;
    }

    const ask = (search: string, page: number) =>
      linkQueryOf({ search, page: String(page), page_size: "20" }, NOW);

    async function check(searches: readonly string[]): Promise<void> {
      for (const search of searches) {
        const { total } = await plain.page(ask(search, 1));
        for (const page of new Set([1, Math.max(1, Math.ceil(total / 20))])) {
          const wanted = await plain.page(ask(search, page));
          const found = await list.page(ask(search, page));
          expect([search, found.total]).toEqual([search, wanted.total]);
          expect(found.links.map(({ code }) => code)).toEqual(wanted.links.map(({ code }) => code));
        }
      }
    }

    beforeAll(async () => {
      const database = await openDb({ threads: true });
      room = await openLinks(database);
      other = await openLinks(database);
      await database.transaction((tx) => room.repository.insertMany(tx, LINKS));
      await room.changes.poll();
      list = listWith({ heldFrom: 0, ahead: { open, from: 1 } });
      plain = listWith({ heldFrom: Infinity });
    });
    afterAll(() => {
      for (const stop of stops) stop();
      rmSync(folder, { recursive: true, force: true });
    });

    test("find what the database finds, once a list was asked for", async () => {
      await check(["seven"]);
      await until(() => reads === 1);
      expect(readdirSync(folder)).toEqual([]);
      await until(async () => {
        await list.page(ask(`wait ${performance.now()}`, 1));
        return finds > 0;
      });
      finds = 0;
      await check([...SEARCHES.slice(1), ...WITHOUT_TEXTS]);
      // The first one is held.
      expect(finds).toBe(SEARCHES.length - 1 + WITHOUT_TEXTS.length);
    });

    test("find letters with marks composed and decomposed", async () => {
      for (const form of ["NFC", "NFD"]) {
        expect((await list.page(ask(WORD.normalize(form), 1))).total).toBe(100);
      }
    });

    test("follow links that are made, changed, renamed, deleted and put back", async () => {
      const { links } = room;
      finds = 0;
      await links.create({ code: "fresh-1", target: TARGET, title: "Sought" });
      await links.patch(LINKS[5]!.code, { title: "sought" });
      await check(["sought"]);
      await links.patch(LINKS[5]!.code, { title: null });
      await links.patch("fresh-1", { code: "fresh-2" });
      await other.links.create({ code: "untold", target: TARGET, note: "SOUGHT" });
      await check(["sought", "fresh", "sough", "untol"]);
      const { id } = await links.get("fresh-2");
      await links.batch.remove(["fresh-2", LINKS[70]!.code]);
      await check(["fresh-", LINKS[70]!.code, "soug"]);
      await links.deleted.restore(COMMAND, id, null);
      await check(["fresh-2", "sou"]);
      expect(finds).toBeGreaterThan(5);
    });

    test("find links that are read again after many changes", async () => {
      for (let round = 0; round < 3; round++) {
        const items = Array.from({ length: 30 }, (_, at) => ({
          code: `round-${round}-${at}`,
          target: TARGET,
        }));
        await room.links.batch.create(items);
        for (const link of LINKS.slice(round * 12, round * 12 + 12)) {
          await room.links.patch(link.code, { title: `Round ${round}` });
        }
        await check([`round-${round}`, `round ${round}`, `ROUND-${round}-1`, "round"]);
      }
      expect(reads).toBe(1);
    });

    test("are answered by the database if the thread fails", async () => {
      broken = () => Promise.reject(new Error("the thread failed"));
      await check(["seven/1"]);
      broken = null;
      finds = 0;
      await check(["seven/2"]);
      expect(finds).toBe(0);
    });
  });
});
