import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { forEachDialect } from "../../platform/db/for-each-dialect.test-support.ts";
import { type Actor, COMMAND } from "../../lib/actor.ts";
import { DAY, type LinksRoom, NOW, openLinks, refusal, TARGET } from "../links.test-support.ts";
import { keyOf } from "../link/key.ts";
import { parseBulkId } from "../bulk-id.ts";
import type { QueryBatchInput } from "./query-batch.ts";
import type { RevertedPortion } from "./undo.ts";

const PORTION = 10;
/** Two portions, and some. */
const COUNT = 22;
/** These move one by one. */
const MOVED = 11;
const EDITOR: Actor = { name: "ed", via: "panel", accountId: 5, ownOnly: true };

forEachDialect(({ openDb }) => {
  let room: LinksRoom;
  beforeAll(async () => {
    room = await openLinks(await openDb({ poolSize: 8 }), { portion: PORTION });
  });
  beforeEach(() => room.clear());
  afterAll(() => room?.database.close());

  const fill = async (count: number, tags: (at: number) => string[]) => {
    const links = Array.from({ length: count }, (_, at) => ({
      code: `l${at}`,
      target: `${TARGET}${at}`,
      tags: tags(at),
    }));
    expect((await room.links.batch.create(links)).failed).toEqual([]);
  };
  const edit = (set: QueryBatchInput["set"], actor = COMMAND) =>
    room.links.by(actor).queryBatch({ filter: {}, action: "update", set, confirm: "all" });
  const removeAll = (actor = COMMAND) =>
    room.links.by(actor).queryBatch({ filter: {}, action: "delete", confirm: "all" });

  async function undo(change: string | undefined, actor = COMMAND, from = 0) {
    const reverted: RevertedPortion[] = [];
    for (let after: number | null = from; after !== null; after = reverted.at(-1)!.next) {
      reverted.push(await room.links.by(actor).undoBatch(parseBulkId(change!), after));
    }
    return {
      portions: reverted.length,
      restored: reverted.reduce((sum, { restored }) => sum + restored, 0),
      failed: reverted.flatMap(({ failed }) => failed.map(({ code, error }) => [code, error.name])),
    };
  }

  describe("a change by filter", () => {
    test("is reverted in portions, whatever it changed, and leaves no trace but events", async () => {
      await fill(COUNT, (at) => (at % 2 === 0 ? ["even"] : ["odd", "old"]));
      await room.links.patch("l8", {
        title: "own",
        expires_at: "2027-01-01T00:00:00Z",
        max_clicks: 5,
        fallback_url: "https://fall.example/",
        password: "secret",
      });
      const states = new Map<string, object>();
      for (const code of ["l7", "l8", "l9"]) states.set(code, await room.links.get(code));
      room.clock.time += 1_000;
      const set = {
        target: "https://new.example/",
        title: "all",
        note: "n",
        expires_at: "7d",
        max_clicks: 9,
        redirect_status: 301 as const,
        forward_query: true,
        add_tags: ["x", "even"],
        remove_tags: ["old"],
      };
      const done = await edit(set);
      expect(done).toMatchObject({ matched: COUNT, changed: COUNT });
      expect(await room.links.get("l8")).toMatchObject({ title: "all", tags: ["even", "x"] });

      room.clock.time += 1_000;
      room.changed.length = 0;
      expect(await undo(done.change)).toEqual({ portions: 3, restored: COUNT, failed: [] });
      for (const [code, state] of states) {
        expect(await room.links.get(code)).toEqual({ ...state, updatedAt: room.clock.time } as never);
      }
      expect(room.changed.flat()).toHaveLength(COUNT);
      expect(await room.links.tags.list()).toEqual([
        { tag: "even", links: COUNT / 2 },
        { tag: "odd", links: COUNT / 2 },
        { tag: "old", links: COUNT / 2 },
      ]);
      const { events } = await room.events.page({ subject: "l7" }, null, 3);
      expect(events.map(({ action }) => action)).toEqual(["link.update", "link.update", "link.create"]);
      expect(events[0]).toMatchObject({ before: events[1]!.after!, after: events[1]!.before! });
      expect(await undo(done.change)).toEqual({ portions: 1, restored: 0, failed: [] });
    });

    test("moves links to another domain and back, but for those whose code is taken", async () => {
      const { id, host } = await room.links.domainService.create({ host: "other.example" }, COMMAND);
      await fill(MOVED, () => ["kept"]);
      await room.links.create({ code: "l3", target: TARGET, domain: host });
      await room.links.create({ code: "x", target: TARGET });
      await room.links.patch("x", { code: "l7", domain: host });
      await room.links.patch(keyOf(id, "l7"), { code: "x", domain: "", keep_old: true });
      const { id: same } = await room.links.get("l8");
      room.clock.time += 1_000;
      const filter = { domain: "" };
      const run = (set: object) =>
        room.links.queryBatch({
          filter,
          action: "update",
          set: set as QueryBatchInput["set"],
          confirm: "all",
        });
      expect(await refusal(run({ domain: "unknown.example" }))).toBe("BadRequest");
      const done = await run({ domain: host, add_tags: ["moved"] });
      // l3 has the code of a link, l7 that of an alias.
      expect(done).toMatchObject({ matched: MOVED + 1, changed: MOVED - 1, first_error: expect.any(String) });
      expect(await room.links.get(keyOf(id, "l8"))).toMatchObject({ id: same, tags: ["kept", "moved"] });
      expect(await refusal(room.links.get("l8"))).toBe("LinkNotFound");
      for (const code of ["l3", "l7"]) expect((await room.links.get(code)).tags).toEqual(["kept"]);

      await room.links.create({ code: "l1", target: TARGET });
      await room.links.patch(keyOf(id, "l2"), { code: "renamed" });
      await room.links.patch(keyOf(id, "l4"), { title: "of another field" });
      expect(await undo(done.change)).toEqual({
        portions: 2,
        restored: MOVED - 3,
        failed: [
          ["l1", "LinkAlreadyExists"],
          ["l2", "Conflict"],
        ],
      });
      expect(await room.links.get("l8")).toMatchObject({ id: same, tags: ["kept"] });
      expect(await room.links.get("l4")).toMatchObject({ title: "of another field", tags: ["kept"] });
      expect(await room.links.get(keyOf(id, "l2")).catch(() => null)).toBe(null);
      expect(await undo(done.change)).toMatchObject({ restored: 0 });
    });

    test("leaves links that were changed again, and counts them", async () => {
      await fill(8, () => ["kept", "gone"]);
      room.clock.time += 1_000;
      const { change } = await edit({ title: "all", add_tags: ["x"], remove_tags: ["gone"] });
      await room.links.patch("l0", { title: "mine" });
      await room.links.patch("l1", { remove_tags: ["x"] });
      await room.links.patch("l2", { add_tags: ["gone"] });
      await room.links.patch("l3", { note: "of another field", add_tags: ["other"] });
      await room.links.patch("l4", { code: "renamed" });
      await room.links.remove("l5");
      await room.links.patch("l6", { code: "moved", keep_old: true });
      await room.links.create({ code: "l4", target: `${TARGET}new` });
      await room.links.tags.rename("kept", "named");
      expect(await undo(change)).toEqual({
        portions: 1,
        restored: 4,
        failed: [
          ["l0", "Conflict"],
          ["l1", "Conflict"],
          ["l2", "Conflict"],
          ["l5", "LinkNotFound"],
        ],
      });
      expect(await room.links.get("l0")).toMatchObject({ title: "mine", tags: ["named", "x"] });
      expect(await room.links.get("l1")).toMatchObject({ title: "all", tags: ["named"] });
      expect(await room.links.get("l3")).toMatchObject({
        title: null,
        note: "of another field",
        tags: ["gone", "named", "other"],
      });
      expect(await room.links.get("renamed")).toMatchObject({ title: null, tags: ["gone", "named"] });
      expect(await room.links.get("moved")).toMatchObject({ title: null });
      expect(await room.links.get("l4")).toMatchObject({ title: null, target: `${TARGET}new`, tags: [] });
    });

    test("and the one after it are reverted one after the other", async () => {
      await fill(3, () => ["a"]);
      const before = await room.links.get("l1");
      const first = await edit({ title: "one", add_tags: ["x"] });
      const second = await edit({ title: "two", remove_tags: ["x"], expires_at: "1d" });
      // In the same millisecond, by the same account.
      expect(first.change).not.toBe(second.change);
      expect(await undo(second.change)).toMatchObject({ restored: 3, failed: [] });
      expect(await room.links.get("l1")).toMatchObject({ title: "one", tags: ["a", "x"], expiresAt: null });
      expect(await undo(first.change)).toMatchObject({ restored: 3, failed: [] });
      expect(await room.links.get("l1")).toEqual(before);
    });

    test("goes back once by two at once, and no link more than once", async () => {
      await fill(26, () => []);
      const { change } = await edit({ add_tags: ["x"] });
      const both = await Promise.all([undo(change), undo(change), undo(change)]);
      expect(both.reduce((sum, { restored }) => sum + restored, 0)).toBe(26);
      expect(both.flatMap(({ failed }) => failed)).toEqual([]);
      expect(await room.links.tags.list()).toEqual([]);
      await room.links.patch("l1", { add_tags: ["x"] });
      expect(await undo(change)).toEqual({ portions: 1, restored: 0, failed: [] });
      expect((await room.links.get("l1")).tags).toEqual(["x"]);
      const { events } = await room.events.page({ subject: "l2" }, null, 10);
      expect(events).toHaveLength(3);
    });

    test("goes on after a stop, also from the start", async () => {
      await fill(26, () => []);
      const { change } = await edit({ title: "all" });
      const first = await room.links.undoBatch(parseBulkId(change!), 0);
      expect(first).toMatchObject({ restored: PORTION, failed: [] });
      expect(await undo(change, COMMAND, first.next!)).toMatchObject({ portions: 2, restored: 16 });
      const again = await edit({ title: "again" });
      await room.links.undoBatch(parseBulkId(again.change!), 0);
      expect(await undo(again.change)).toMatchObject({ restored: 16, failed: [] });
    });

    test("of a password reports that the password stays", async () => {
      await fill(2, () => []);
      const only = await edit({ password: "secret" });
      expect(await undo(only.change)).toMatchObject({
        restored: 0,
        failed: [
          ["l0", "Conflict"],
          ["l1", "Conflict"],
        ],
      });
      const more = await edit({ password: "other", title: "t" });
      expect(await undo(more.change)).toMatchObject({ restored: 2 });
      expect((await room.links.get("l0")).title).toBeNull();
      expect((await room.links.get("l0")).passwordHash).toStartWith("$argon2");
      const stored = JSON.stringify(await room.database.read.selectFrom("events").selectAll().execute());
      expect(stored).not.toContain("argon2");
    });

    test("does not come back where its target would lead in circles now", async () => {
      const own = await openLinks(room.database, {
        ownCode: (url) => (url.startsWith("https://go.example/") ? url.slice(19) : null),
      });
      await own.links.create({ code: "a", target: "https://go.example/b" });
      await own.links.create({ code: "b", target: TARGET });
      const { change } = await own.links.queryBatch({
        filter: { search: "go.example" },
        action: "update",
        set: { target: "https://free.example/" },
      });
      await own.links.patch("b", { expires_at: "1d", fallback_url: "https://go.example/a" });
      const { restored, failed } = await own.links.undoBatch(parseBulkId(change!), 0);
      expect([restored, failed.map(({ code, error }) => [code, error.name])]).toEqual([
        0,
        [["a", "LinkInvalidUrl"]],
      ]);
      own.links.close();
    });
  });

  describe("a deletion by filter", () => {
    test("is put back in portions, but for codes that are taken", async () => {
      await fill(COUNT, (at) => (at % 2 === 0 ? ["even"] : ["odd", "old"]));
      await room.links.patch("l7", { code: "l7/new", keep_old: true });
      await room.links.create({ code: "earlier", target: TARGET });
      // In the same millisecond as the deletion by filter.
      await room.links.remove("earlier");
      const { id } = await room.links.get("l8");
      const gone = await removeAll();
      expect(gone).toMatchObject({ matched: COUNT, changed: COUNT });
      expect(await room.rows("links")).toBe(0);
      await room.links.create({ code: "l9", target: `${TARGET}other` });

      expect(await undo(gone.change, EDITOR)).toEqual({ portions: 1, restored: 0, failed: [] });
      expect(await undo(gone.change)).toEqual({
        portions: 3,
        restored: COUNT - 1,
        failed: [["l9", "LinkAlreadyExists"]],
      });
      expect(await room.rows("links")).toBe(COUNT);
      expect(await room.links.get("l8")).toMatchObject({ id, target: `${TARGET}8`, tags: ["even"] });
      expect(await room.links.get("l9")).toMatchObject({ target: `${TARGET}other` });
      expect((await room.repository.findByAnyCode("l7"))?.code).toBe("l7/new");
      expect(await room.links.tags.list()).toEqual([
        { tag: "even", links: COUNT / 2 },
        { tag: "odd", links: COUNT / 2 - 1 },
        { tag: "old", links: COUNT / 2 - 1 },
      ]);
      // Again, nothing is left but the one whose code is taken.
      expect(await undo(gone.change)).toMatchObject({ restored: 0, failed: [["l9", "LinkAlreadyExists"]] });
      await room.links.remove("l9");
      expect(await undo(gone.change)).toMatchObject({ restored: 1, failed: [] });
      expect((await room.links.get("l9")).target).toBe(`${TARGET}9`);
      const left = await room.links.deleted.page(COMMAND, null, 10);
      expect(left.links.map(({ code }) => code)).toEqual(["l9", "earlier"]);
    });

    test("leaves links that were put back by hand, and reports which can't come back any more", async () => {
      await fill(3, () => []);
      const [first, second] = [await room.links.get("l0"), await room.links.get("l1")];
      const { change } = await removeAll();
      await room.links.deleted.restore(COMMAND, first.id, null);
      await room.links.deleted.restore(COMMAND, second.id, null);
      room.clock.time += 1_000;
      await room.links.remove("l1");
      expect(await undo(change)).toEqual({ portions: 1, restored: 2, failed: [["l1", "LinkNotFound"]] });
      expect(await room.rows("links")).toBe(2);
      const later = await removeAll();
      room.clock.time += 31 * DAY;
      expect((await undo(later.change)).failed).toHaveLength(2);
    });

    test("and a change at once go back to exactly what was", async () => {
      await fill(14, () => ["a"]);
      const edited = await edit({ title: "t" });
      const gone = await removeAll();
      const outcomes = await Promise.all([undo(gone.change), undo(gone.change)]);
      expect(outcomes[0].restored + outcomes[1].restored).toBe(14);
      expect(await undo(edited.change)).toMatchObject({ restored: 14, failed: [] });
      expect(await room.links.get("l3")).toMatchObject({ title: null, createdAt: NOW, tags: ["a"] });
    });
  });

  test("an editor reverts own changes of own links only", async () => {
    const own = room.links.by(EDITOR);
    await own.create({ code: "mine", target: TARGET });
    await room.links.create({ code: "other", target: TARGET });
    const all = await edit({ title: "t" });
    expect(all.changed).toBe(2);
    expect(await undo(all.change, EDITOR)).toMatchObject({ restored: 0, failed: [] });
    const mine = await edit({ title: "m" }, EDITOR);
    expect(mine.changed).toBe(1);
    expect(await undo(mine.change)).toMatchObject({ restored: 0 });
    await room.database.write.updateTable("links").set({ owner_id: 6 }).where("code", "=", "mine").execute();
    expect(await undo(mine.change, EDITOR)).toMatchObject({
      restored: 0,
      failed: [["mine", "LinkNotFound"]],
    });
    await room.database.write.updateTable("links").set({ owner_id: 5 }).where("code", "=", "mine").execute();
    expect(await undo(mine.change, EDITOR)).toMatchObject({ restored: 1, failed: [] });
    expect(await own.get("mine")).toMatchObject({ title: "t" });
    const gone = await removeAll(EDITOR);
    expect(await undo(gone.change)).toMatchObject({ restored: 0 });
    expect(await undo(gone.change, EDITOR)).toMatchObject({ restored: 1 });
  });
});

test.each(["", "x", "W10", "eyJhdCI6MX0"])("%p names no change", async (text) => {
  expect(await refusal((async () => parseBulkId(text))())).toBe("BadRequest");
});
