/** Changes of tags that are reverted. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { forEachDialect } from "../../platform/db/for-each-dialect.test-support.ts";
import type { TeamRole } from "../../lib/access.ts";
import { type Actor, COMMAND } from "../../lib/actor.ts";
import { linkQueryOf } from "../list/query.ts";
import { type LinksRoom, NOW, openLinks, refusal, TARGET } from "../links.test-support.ts";
import { parseBulkId } from "../bulk-id.ts";
import type { RevertedPortion } from "./undo.ts";

const COUNT = 1_100;
const EDITOR: Actor = { name: "ed", via: "panel", accountId: 5, ownOnly: true };

forEachDialect(({ openDb }) => {
  let room: LinksRoom;
  beforeAll(async () => {
    room = await openLinks(await openDb({ poolSize: 8 }));
  });
  beforeEach(() => room.clear());
  afterAll(() => room?.database.close());

  const add = (code: string, ...tags: string[]) => room.links.create({ code, target: TARGET, tags });
  const tagsOf = async (code: string) => (await room.links.get(code)).tags;
  const fill = async (count: number, tags: (at: number) => string[]) => {
    const links = Array.from({ length: count }, (_, at) => ({
      code: `l${at}`,
      target: TARGET,
      tags: tags(at),
    }));
    expect((await room.links.batch.create(links)).failed).toEqual([]);
  };
  /** Tags as the list shows them. */
  const totalOf = async (tag: string) =>
    (await room.links.list(linkQueryOf({ tag: [tag], search: "l" }, NOW))).total;

  async function undo(change: string | undefined, actor = COMMAND) {
    const reverted: RevertedPortion[] = [];
    for (let after: number | null = 0; after !== null; after = reverted.at(-1)!.next) {
      reverted.push(await room.links.by(actor).undoBatch(parseBulkId(change!), after));
    }
    return {
      portions: reverted.length,
      restored: reverted.reduce((sum, { restored }) => sum + restored, 0),
      failed: reverted.flatMap(({ failed }) => failed.map(({ code, error }) => [code, error.name])),
    };
  }

  /** Newest first. */
  const recorded = async () =>
    (await room.events.page({}, null, 10_000)).events
      .filter(({ action }) => !action.startsWith("link."))
      .map(({ action, subject, before, after }) => [
        action,
        subject,
        JSON.parse(before ?? "null"),
        JSON.parse(after ?? "null"),
      ]);

  describe("each link that a change of a tag reaches", () => {
    const BOSS: Actor = { name: "boss", via: "panel", accountId: 6, ownOnly: false };
    const review = (code: string, action: "take_down" | "reinstate") =>
      room.links.safety.review(BOSS, code, { action, reason: null, updatedAt: null });
    /** Newest first. */
    const historyOf = async (code: string) => {
      const { id } = await room.links.get(code);
      const { events } = await room.events.page({ subjectId: id }, null, 100);
      return events.map(({ action, before, after }) => [
        action,
        JSON.parse(before ?? "null")?.tags,
        JSON.parse(after ?? "null")?.tags,
      ]);
    };

    test("is dated, and has it in its history, as its undo", async () => {
      await add("a", "x", "z");
      room.clock.time = NOW + 1;
      const { change } = await room.links.tags.rename("x", "y");
      expect((await room.links.get("a")).updatedAt).toBe(NOW + 1);
      room.clock.time = NOW + 2;
      await room.links.tags.remove("z");
      expect((await room.links.get("a")).updatedAt).toBe(NOW + 2);
      room.clock.time = NOW + 3;
      expect(await undo(change)).toEqual({ portions: 1, restored: 1, failed: [] });
      expect((await room.links.get("a")).updatedAt).toBe(NOW + 3);
      expect(await historyOf("a")).toEqual([
        ["link.update", ["y"], ["x"]],
        ["link.update", ["y", "z"], ["y"]],
        ["link.update", ["x", "z"], ["y", "z"]],
        ["link.create", undefined, ["x", "z"]],
      ]);
    });

    test("keeps its tags while it is taken down", async () => {
      for (const code of ["a", "b"]) await add(code, "x", "y");
      await add("c", "alone");
      await review("a", "take_down");
      await review("c", "take_down");
      expect(await room.links.tags.rename("x", "new")).toMatchObject({ tag: "new", links: 1 });
      const { change } = await room.links.tags.remove("y");
      expect([await tagsOf("a"), await tagsOf("b")]).toEqual([["x", "y"], ["new"]]);
      expect(await refusal(room.links.tags.rename("alone", "other"))).toBe("Conflict");
      expect(await refusal(room.links.tags.remove("alone"))).toBe("Conflict");
      await review("b", "take_down");
      expect(await undo(change)).toMatchObject({ restored: 0, failed: [["b", "Conflict"]] });
      await review("c", "reinstate");
      await room.links.tags.rename("alone", "other");
      expect(await tagsOf("c")).toEqual(["other"]);
    });
  });

  describe("a rename", () => {
    test("is undone for the links that it changed, in portions, and that is an event", async () => {
      await fill(COUNT, (at) => (at % 2 === 0 ? ["old"] : ["old", "more"]));
      expect(await totalOf("old")).toBe(COUNT);
      const { change } = await room.links.tags.rename("old", "new");
      expect(await totalOf("new")).toBe(COUNT);
      await add("later", "new");
      await room.links.patch("l1", { note: "of another field" });
      room.changed.length = 0;
      expect(await undo(change)).toEqual({ portions: 3, restored: COUNT, failed: [] });
      expect(await totalOf("old")).toBe(COUNT);
      expect(await totalOf("new")).toBe(1);
      expect(await room.links.tags.list()).toEqual([
        { tag: "old", links: COUNT },
        { tag: "more", links: COUNT / 2 },
        { tag: "new", links: 1 },
      ]);
      expect(await tagsOf("later")).toEqual(["new"]);
      expect(await recorded()).toEqual([
        ["tag.restore", "old", { tag: "new" }, { tag: "old", links: 100 }],
        ["tag.restore", "old", { tag: "new" }, { tag: "old", links: 500 }],
        ["tag.restore", "old", { tag: "new" }, { tag: "old", links: 500 }],
        ["tag.rename", "old", { tag: "old", links: COUNT }, { tag: "new" }],
      ]);
      expect(await undo(change)).toMatchObject({ restored: 0, failed: [] });
    });

    test("and the one after it go back one after the other", async () => {
      await fill(3, () => ["a"]);
      const first = await room.links.tags.rename("a", "b");
      const second = await room.links.tags.rename("b", "c");
      expect((await undo(first.change)).failed.map(([, name]) => name)).toEqual(Array(3).fill("Conflict"));
      expect(await undo(second.change)).toMatchObject({ restored: 3 });
      expect(await room.links.tags.list()).toEqual([{ tag: "b", links: 3 }]);
      const third = await room.links.tags.rename("b", "d");
      expect(await undo(third.change)).toMatchObject({ restored: 3 });
    });

    test("onto itself is no change", async () => {
      await add("a", "same");
      expect(await room.links.tags.rename("same", "SAME")).toEqual({
        tag: "same",
        links: 1,
        change: undefined,
      });
    });
  });

  describe("a merge", () => {
    test("goes back, and links that had both tags have them again", async () => {
      await fill(COUNT, (at) => (at % 3 === 0 ? ["x", "y"] : ["x"]));
      await add("other", "y");
      const { change, links } = await room.links.tags.rename("x", "y");
      expect(links).toBe(COUNT + 1);
      expect(await undo(change)).toEqual({ portions: 3, restored: COUNT, failed: [] });
      expect(await tagsOf("l3")).toEqual(["x", "y"]);
      expect(await tagsOf("l4")).toEqual(["x"]);
      expect(await tagsOf("other")).toEqual(["y"]);
      expect(await room.links.tags.list()).toEqual([
        { tag: "x", links: COUNT },
        { tag: "y", links: 368 },
      ]);
    });

    test("leaves links whose tags were changed since, and counts them", async () => {
      await fill(8, () => ["x", "kept"]);
      const { change } = await room.links.tags.rename("x", "y");
      await room.links.patch("l0", { remove_tags: ["y"] });
      await room.links.patch("l1", { add_tags: ["x"] });
      await room.links.remove("l2");
      await room.links.create({ code: "l2", target: `${TARGET}new` });
      await room.links.patch("l3", { code: "renamed", add_tags: ["other"] });
      await room.links.tags.rename("kept", "named");
      const { id } = await room.links.get("l5");
      await room.links.remove("l5");
      await room.links.deleted.restore(COMMAND, id, null);
      expect(await undo(change)).toEqual({
        portions: 1,
        restored: 5,
        failed: [
          ["l0", "Conflict"],
          ["l1", "Conflict"],
          ["l2", "LinkNotFound"],
        ],
      });
      expect(await tagsOf("l0")).toEqual(["named"]);
      expect(await tagsOf("l1")).toEqual(["named", "x", "y"]);
      expect(await tagsOf("l2")).toEqual([]);
      expect(await tagsOf("renamed")).toEqual(["named", "other", "x"]);
      expect(await tagsOf("l5")).toEqual(["named", "x"]);
      expect(await room.links.tags.list()).toEqual([
        { tag: "named", links: 7 },
        { tag: "x", links: 6 },
        { tag: "other", links: 1 },
        { tag: "y", links: 1 },
      ]);
    });
  });

  describe("a deletion", () => {
    test("goes back once by two at once, to links that have room for the tag", async () => {
      await fill(COUNT, () => ["x"]);
      const { change } = await room.links.tags.remove("x");
      const full = Array.from({ length: 16 }, (_, at) => `t${at}`);
      await room.links.patch("l7", { tags: full });
      const both = await Promise.all([undo(change), undo(change), undo(change)]);
      expect(both.reduce((sum, { restored }) => sum + restored, 0)).toBe(COUNT - 1);
      expect(both.flatMap(({ failed }) => failed)).toEqual([["l7", "BadRequest"]]);
      expect((await room.links.tags.list())[0]).toEqual({ tag: "x", links: COUNT - 1 });
      expect(await tagsOf("l7")).toEqual(full.toSorted());
      expect((await recorded()).at(-1)).toEqual(["tag.delete", "x", { tag: "x", links: COUNT }, null]);
    });

    test("and writers of the same links keep the counts", async () => {
      await fill(200, () => ["x"]);
      const { change } = await room.links.tags.remove("x");
      const [undone] = await Promise.all([
        undo(change),
        ...Array.from({ length: 10 }, (_, at) => room.links.patch(`l${at}`, { add_tags: ["x", "z"] })),
        ...Array.from({ length: 5 }, (_, at) => room.links.remove(`l${at + 20}`)),
      ]);
      expect(undone.restored + undone.failed.length).toBe(200);
      const { read } = room.database;
      const rows = await read
        .selectFrom("tags")
        .leftJoin("link_tags", "link_tags.tag_id", "tags.id")
        .select(["tags.tag", "tags.links", (eb) => eb.fn.count<number>("link_tags.link_id").as("n")])
        .groupBy(["tags.tag", "tags.links"])
        .orderBy("tags.tag")
        .execute();
      expect(rows.map(({ tag, links, n }) => [tag, links, Number(n)])).toEqual([
        ["x", 195, 195],
        ["z", 10, 10],
      ]);
    });
  });

  test("a member who may only view a team's links by now changes none of them", async () => {
    const as = (role: TeamRole): Actor => ({ ...EDITOR, teams: new Map([[-2, role]]) });
    await add("ours", "x");
    await room.database.write.updateTable("links").set({ owner_id: -2 }).execute();
    await room.links.by(as("editor")).create({ code: "mine", target: TARGET, tags: ["x"] });
    const { change } = await room.links.by(as("editor")).tags.remove("x");
    expect(await undo(change, as("viewer"))).toEqual({
      portions: 1,
      restored: 1,
      failed: [["ours", "Forbidden"]],
    });
    expect([await tagsOf("ours"), await tagsOf("mine")]).toEqual([[], ["x"]]);
  });

  test("an account reverts own changes only, of links that it reaches", async () => {
    const own = room.links.by(EDITOR);
    await own.create({ code: "mine", target: TARGET, tags: ["x"] });
    await own.create({ code: "given", target: TARGET, tags: ["x"] });
    await add("other", "x");
    const all = await room.links.tags.rename("x", "y");
    expect(await undo(all.change, EDITOR)).toMatchObject({ restored: 0, failed: [] });
    const mine = await own.tags.remove("y");
    expect(mine).toMatchObject({ links: 2 });
    expect(await undo(mine.change)).toMatchObject({ restored: 0, failed: [] });
    await room.database.write.updateTable("links").set({ owner_id: 6 }).where("code", "=", "given").execute();
    expect(await undo(mine.change, EDITOR)).toMatchObject({
      restored: 1,
      failed: [["", "LinkNotFound"]],
    });
    expect(await tagsOf("mine")).toEqual(["y"]);
    expect(await tagsOf("given")).toEqual([]);
    expect(await undo(all.change)).toMatchObject({ restored: 2, failed: [["given", "Conflict"]] });
    expect(await own.tags.list()).toEqual([{ tag: "x", links: 1 }]);
  });
});
