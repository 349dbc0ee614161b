import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { forEachDialect } from "../../platform/db/for-each-dialect.test-support.ts";
import { type Actor, COMMAND } from "../../lib/actor.ts";
import { DAY, type LinksRoom, openLinks, refusal, TARGET } from "../links.test-support.ts";
import type { DeletedPlace } from "./repository.ts";

const account = (accountId: number, ownOnly: boolean): Actor => ({
  name: `account${accountId}`,
  via: "panel",
  accountId,
  ownOnly,
});

forEachDialect(({ openDb }) => {
  let room: LinksRoom;
  beforeAll(async () => {
    room = await openLinks(await openDb({ poolSize: 8 }));
  });
  beforeEach(() => room.clear());
  afterAll(() => room?.database.close());

  const idOf = async (code: string) => (await room.links.get(code)).id;
  const restore = (id: number, code: string | null = null, actor = COMMAND) =>
    room.links.deleted.restore(actor, id, code);
  const codes = async (actor = COMMAND): Promise<string[]> =>
    (await room.links.deleted.page(actor, null, 100)).links.map(({ code }) => code);
  const remove = async (code: string): Promise<number> => {
    const id = await idOf(code);
    await room.links.remove(code);
    return id;
  };

  describe("aliases", () => {
    const target = async (code: string) => (await room.repository.findByAnyCode(code))?.target ?? null;
    /** `now` with the aliases `one` and `two`, deleted. */
    const removed = async (): Promise<number> => {
      await room.links.create({ code: "one", target: TARGET });
      await room.links.patch("one", { code: "two", keep_old: true });
      await room.links.patch("two", { code: "now", keep_old: true });
      return remove("now");
    };

    test("come back with their link, and the caches are notified of them", async () => {
      const id = await removed();
      expect(await Promise.all(["one", "two", "now"].map(target))).toEqual([null, null, null]);
      room.changed.length = 0;
      expect(await restore(id)).toBe("now");
      expect(await Promise.all(["one", "two", "now"].map(target))).toEqual([TARGET, TARGET, TARGET]);
      expect(room.changed).toEqual([["now", "one", "two"]]);
      expect(await refusal(room.links.create({ code: "one", target: TARGET }))).toBe("LinkAlreadyExists");
      await room.links.remove("now");
      expect(await target("one")).toBeNull();
    });

    test("that were taken meanwhile stay with who took them", async () => {
      const id = await removed();
      await room.links.create({ code: "one", target: `${TARGET}taken` });
      await room.links.create({ code: "x", target: `${TARGET}x` });
      await room.links.patch("x", { code: "y", keep_old: true });
      await restore(id);
      expect(await Promise.all(["one", "two", "now"].map(target))).toEqual([
        `${TARGET}taken`,
        TARGET,
        TARGET,
      ]);
      expect(await target("x")).toBe(`${TARGET}x`);
    });

    test("an alias as the new code is the code, and the old code is free", async () => {
      const id = await removed();
      expect(await restore(id, "two")).toBe("two");
      expect((await room.links.get("two")).id).toBe(id);
      expect(await Promise.all(["one", "two", "now"].map(target))).toEqual([TARGET, TARGET, null]);
    });

    test("of another link keep the code", async () => {
      const id = await removed();
      await room.links.create({ code: "now", target: `${TARGET}other` });
      await room.links.patch("now", { code: "other", keep_old: true });
      expect(await refusal(restore(id))).toBe("LinkAlreadyExists");
      expect(await target("now")).toBe(`${TARGET}other`);
      expect(await restore(id, "free")).toBe("free");
      expect(await Promise.all(["one", "two", "free"].map(target))).toEqual([TARGET, TARGET, TARGET]);
    });
  });

  describe("a deleted link", () => {
    test("comes back as it was, with its id and counts, and is reported", async () => {
      await room.links.by(account(7, true)).create({
        code: "a/b",
        target: TARGET,
        password: "secret",
        expires_at: "2027-01-01T00:00:00Z",
        title: 'Ünï "title"',
        note: "two\nlines",
        max_clicks: 5,
        tags: ["one", "two"],
      });
      await room.click("a/b", 41);
      const before = await room.links.get("a/b");
      await room.database.dialect.insertMany(room.database.write, "link_uses", [
        { link_id: before.id, uses: 3 },
      ]);
      room.clock.time += DAY;
      await room.links.remove("a/b");
      const { links } = await room.links.deleted.page(COMMAND, null, 10);
      expect(links).toMatchObject([
        { id: before.id, code: "a/b", clickCount: 41, deletedBy: "cli", deletedAt: room.clock.time },
      ]);
      room.clock.time += DAY;
      await room.links.create({ code: "other", target: TARGET, tags: ["two"] });
      room.changed.length = 0;
      expect(await restore(before.id)).toBe("a/b");
      expect(await room.links.get("a/b")).toEqual({ ...before, updatedAt: room.clock.time });
      expect(room.changed).toEqual([["a/b"]]);
      expect(await room.database.read.selectFrom("link_uses").select("uses").execute()).toEqual([
        { uses: 3 },
      ]);
      expect(
        await room.database.read.selectFrom("link_clicks").select("ranked").orderBy("ranked").execute(),
      ).toEqual([{ ranked: 0 }, { ranked: 41 }]);
      expect(await room.links.tags.list()).toEqual([
        { tag: "two", links: 2 },
        { tag: "one", links: 1 },
      ]);
      expect(await codes()).toEqual([]);
      expect(await room.rows("deleted_links")).toBe(0);
      const { events } = await room.events.page({ action: "link.restore" }, null, 10);
      expect(events).toMatchObject([{ subject: "a/b", actor: "cli", before: null }]);
      expect(events[0]!.after).not.toContain("argon2");
    });

    test("can be deleted and put back again and again, and stays in the total", async () => {
      await room.links.create({ code: "a", target: TARGET });
      await room.links.create({ code: "b", target: TARGET });
      const id = await idOf("a");
      for (let round = 0; round < 3; round++) {
        await room.click("a", 2);
        await room.links.remove("a");
        await restore(id);
      }
      expect(await room.links.get("a")).toMatchObject({ id, clickCount: 6 });
      const totals = await room.database.read.selectFrom("link_totals").select("links").execute();
      expect(totals.reduce((sum, { links }) => sum + links, 0)).toBe(2);
    });

    test("whose code was taken needs another one", async () => {
      await room.links.create({ code: "a", target: TARGET });
      const id = await remove("a");
      await room.links.create({ code: "a", target: `${TARGET}2` });
      expect(await refusal(restore(id))).toBe("LinkAlreadyExists");
      expect(await refusal(restore(id, "a"))).toBe("LinkAlreadyExists");
      expect(await refusal(restore(id, "admin/x"))).toBe("LinkReservedCode");
      expect(await refusal(restore(id, "no code"))).toBe("LinkInvalidCode");
      expect(await restore(id, "c")).toBe("c");
      expect(await room.links.get("c")).toMatchObject({ id, target: TARGET });
      expect((await room.links.get("a")).target).toBe(`${TARGET}2`);
    });

    test("is put back by one of two at once; the other gets a conflict", async () => {
      for (let round = 0; round < 5; round++) {
        await room.links.create({ code: `r${round}`, target: TARGET });
        const id = await remove(`r${round}`);
        const outcomes = await Promise.all([
          refusal(restore(id)),
          refusal(restore(id, `other${round}`)),
          refusal(restore(id)),
        ]);
        expect(outcomes.toSorted()).toEqual(["Conflict", "Conflict", "no error"]);
      }
      expect(await room.rows("links")).toBe(5);
    });

    test("loses against a link that takes its code at the same time, or wins, but never both", async () => {
      for (let round = 0; round < 5; round++) {
        const code = `r${round}`;
        await room.links.create({ code, target: TARGET });
        const id = await remove(code);
        const outcomes = await Promise.all([
          refusal(restore(id)),
          refusal(room.links.create({ code, target: `${TARGET}2` })),
        ]);
        expect(outcomes.toSorted()).toEqual(["LinkAlreadyExists", "no error"]);
      }
    });

    test("is out of reach once its time is over, and forgotten", async () => {
      await room.links.create({ code: "a", target: TARGET });
      await room.links.create({ code: "b", target: TARGET });
      const old = await remove("a");
      room.clock.time += 30 * DAY;
      expect(await codes()).toEqual(["a"]);
      const young = await remove("b");
      room.clock.time += 1;
      expect(await codes()).toEqual(["b"]);
      expect(await refusal(restore(old))).toBe("LinkNotFound");
      await room.links.deleted.retentionJob().run(new AbortController().signal);
      const rows = await room.database.read
        .selectFrom("deleted_links")
        .select(["link_id", "content"])
        .orderBy("link_id")
        .execute();
      expect(rows.map((row) => [row.link_id, row.content === null])).toEqual([
        [old, true],
        [young, false],
      ]);
      expect(await restore(young)).toBe("b");
    });

    test("that is unknown can't be put back", async () => {
      expect(await refusal(restore(4711))).toBe("LinkNotFound");
    });

    test("does not exist for an editor who did not own it", async () => {
      const [mine, yours] = [account(7, true), account(8, true)];
      await room.links.by(mine).create({ code: "a", target: TARGET });
      const id = await remove("a");
      expect([await codes(mine), await codes(yours), await codes()]).toEqual([["a"], [], ["a"]]);
      expect(await refusal(restore(id, null, yours))).toBe("LinkNotFound");
      expect(await restore(id, null, mine)).toBe("a");
      expect(await refusal(restore(id, null, yours))).toBe("LinkNotFound");
      expect(await refusal(restore(id, null, mine))).toBe("Conflict");
    });
  });

  test("the list has pages, newest first, also of links deleted together", async () => {
    const items = Array.from({ length: 1_203 }, (_, i) => ({ code: `c${i}`, target: TARGET }));
    await room.links.batch.create(items);
    await room.links.batch.remove(items.slice(0, 3).map(({ code }) => code));
    room.clock.time += 1;
    await room.links.batch.remove(items.slice(3).map(({ code }) => code));
    const seen: string[] = [];
    let next: DeletedPlace | null = null;
    do {
      const page = await room.links.deleted.page(COMMAND, next, 100);
      seen.push(...page.links.map(({ code }) => code));
      next = page.next;
    } while (next !== null);
    expect(new Set(seen)).toEqual(new Set(items.map(({ code }) => code)));
    expect(seen).toHaveLength(1_203);
    expect(new Set(seen.slice(-3))).toEqual(new Set(["c0", "c1", "c2"]));
  });
});
