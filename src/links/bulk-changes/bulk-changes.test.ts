import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { forEachDialect } from "../../platform/db/for-each-dialect.test-support.ts";
import { type Actor, COMMAND } from "../../lib/actor.ts";
import { DAY, type LinksRoom, openLinks, refusal, TARGET } from "../links.test-support.ts";
import { parseBulkId } from "../bulk-id.ts";
import type { QueryBatchInput } from "../query-batch/query-batch.ts";

const PORTION = 10;
const COUNT = 22;
const ED: Actor = { name: "ed", via: "panel", accountId: 5, ownOnly: true };
const ADMIN: Actor = { name: "root", via: "panel", accountId: 6, ownOnly: false };

forEachDialect(({ openDb }) => {
  let room: LinksRoom;
  let role: "admin" | "editor" | "user" = "editor";
  beforeAll(async () => {
    const findAccount = async (id: number) => (id === 6 ? { role: "admin" as const } : { role });
    room = await openLinks(await openDb({ poolSize: 8 }), { portion: PORTION, findAccount });
  });
  beforeEach(() => {
    role = "editor";
    return room.clear();
  });
  afterAll(() => room?.database.close());

  const fill = async (actor: Actor) => {
    const links = Array.from({ length: COUNT }, (_, at) => ({
      code: `l${at}`,
      target: TARGET,
      tags: ["old"],
    }));
    expect((await room.links.by(actor).batch.create(links)).failed).toEqual([]);
  };
  const change = async (actor: Actor, request: Partial<QueryBatchInput>) => {
    const done = await room.links
      .by(actor)
      .queryBatch({ filter: {}, action: "update", confirm: "all", ...request });
    return parseBulkId(done.change!);
  };
  const listed = async (actor: Actor) => (await room.links.bulkChanges.page(actor, null, 10)).found;
  const run = () => room.links.bulkChanges.job.run(new AbortController().signal);

  describe("bulk changes", () => {
    test("are listed with who, when and how many, to those who may undo them, page by page", async () => {
      await fill(ED);
      await change(ED, { set: { add_tags: ["new"] } });
      room.clock.time += 1_000;
      await room.links.by(ED).tags.rename("new", "newest");
      room.clock.time += 1_000;
      const id = await change(ADMIN, { action: "delete" });
      const rows = await listed(ADMIN);
      expect(rows.map(({ actor, action, links, subject }) => [actor, action, links, subject])).toEqual([
        ["root", "link.delete", COUNT, "l0"],
        ["ed", "tag.rename", COUNT, "new"],
        ["ed", "link.update", COUNT, "l0"],
      ]);
      expect(JSON.parse(rows[2]!.after!)).toEqual({ tags: ["new", "old"] });
      expect(await listed(ED)).toHaveLength(2);
      expect(await refusal(room.links.bulkChanges.find(ED, id))).toBe("NotFound");
      const { next } = await room.links.bulkChanges.page(ADMIN, null, 2);
      expect((await room.links.bulkChanges.page(ADMIN, next, 2)).found).toEqual([rows[2]!]);
    });

    test("are undone by the job, which goes on where a stopped one ended", async () => {
      await fill(ED);
      const id = await change(ED, { set: { add_tags: ["new"] } });
      await room.links.patch("l9", { remove_tags: ["new"] });
      expect(await room.links.bulkChanges.undo(ED, id)).toMatchObject({
        state: "undoing",
        isUndoable: false,
      });
      // As a process that ends after its first portion.
      await room.links.by(ED).undoBatch(id, 0);
      expect(await room.links.bulkChanges.find(ED, id)).toMatchObject({
        restored: PORTION,
        state: "undoing",
      });
      await run();
      expect(await room.links.bulkChanges.find(ED, id)).toMatchObject({
        state: "undone",
        restored: COUNT - 1,
        failed: 1,
        refusal: expect.stringContaining("l9"),
        undoneBy: "ed",
        isUndoable: true,
      });
      expect((await room.links.get("l8")).tags).toEqual(["old"]);
    });

    test("of others are undone by administrators, and put back what was deleted", async () => {
      await fill(ED);
      const id = await change(ED, { action: "delete" });
      await room.links.bulkChanges.undo(ADMIN, id);
      await run();
      expect((await listed(ADMIN))[0]).toMatchObject({ state: "undone", restored: COUNT, undoneBy: "root" });
      expect((await room.links.get("l9")).ownerId).toBe(5);
      expect(await refusal(room.links.bulkChanges.undo(ADMIN, id))).toBe("Conflict");
    });

    test("stay if the account that undoes them may do so no more", async () => {
      await fill(ED);
      const id = await change(ED, { set: { add_tags: ["new"] } });
      await room.links.bulkChanges.undo(ED, id);
      role = "user";
      await run();
      expect(await room.links.bulkChanges.find(COMMAND, id)).toMatchObject({ state: "done", restored: 0 });
    });

    test("of links that are deleted for good can't be undone, and old ones are removed", async () => {
      await fill(ED);
      const id = await change(ED, { action: "delete" });
      room.clock.time += 31 * DAY;
      expect(await room.links.bulkChanges.find(ED, id)).toMatchObject({ isUndoable: false });
      room.clock.time += 365 * DAY;
      await run();
      expect(await listed(COMMAND)).toEqual([]);
    });
  });

  describe("targets of many links", () => {
    test("are changed by a part of them, and back", async () => {
      await fill(ED);
      await room.links.patch("l1", { target: "https://old.example/a?x=1#end" });
      await room.links.patch("l2", { target: "https://old.example/b" });
      const replaced = await room.links.by(ED).queryBatch({
        filter: {},
        action: "update",
        set: { replace_in_target: { text: "old.example", by: "new.example" } },
        confirm: "all",
      });
      expect(replaced).toMatchObject({ matched: 2, changed: 2 });
      const id = await change(ED, {
        filter: { target: "NEW.example" },
        set: { utm: { source: "mail", term: "" } },
      });
      expect((await room.links.get("l1")).target).toBe("https://new.example/a?x=1&utm_source=mail#end");
      expect((await room.links.get("l3")).target).toBe(TARGET);
      await room.links.bulkChanges.undo(ED, id);
      await run();
      expect((await room.links.get("l1")).target).toBe("https://new.example/a?x=1#end");
    });

    test("stay where the result is no URL", async () => {
      await fill(ED);
      const set = { replace_in_target: { text: "https://", by: "" } };
      const done = await room.links.by(ED).queryBatch({ filter: {}, action: "update", set, confirm: "all" });
      expect(done).toMatchObject({ matched: COUNT, changed: 0, first_error: expect.stringContaining("URL") });
    });
  });

  test("filters find what is not, and what a target contains", async () => {
    await room.links.by(ED).create({ code: "a", target: "https://shop.example/Spring", tags: ["x"] });
    await room.links.by(ED).create({ code: "b", target: "https://blog.example/", title: "spring" });
    await room.links.by(ADMIN).create({ code: "c", target: "https://shop.example/", tags: ["x", "y"] });
    const found = async (filter: QueryBatchInput["filter"]) =>
      (await room.links.queryBatch({ filter, action: "delete", dry_run: true })).matched;
    expect(await found({ target: "spring" })).toBe(1);
    expect(await found({ target: "EXAMPLE/", search: "spring" })).toBe(2);
    expect(await found({ not_target: "SHOP" })).toBe(1);
    expect(await found({ not_tag: "y" })).toBe(2);
    expect(await found({ tag: "x", not_tag: ["y"] })).toBe(1);
    expect(await found({ not_owner: "5" })).toBe(1);
  });

  test("filters by target find letters beyond ASCII as they stand, in any mix of cases", async () => {
    await room.links.by(ED).create({ code: "a", target: "https://shop.example/müller/Über-uns/Größe" });
    await room.links.by(ED).create({ code: "b", target: "https://shop.example/" });
    const found = async (filter: QueryBatchInput["filter"]) =>
      (await room.links.queryBatch({ filter, action: "delete", dry_run: true })).matched;
    for (const target of ["müller/Über-uns/Größe", "MüLLER/Über", "Über", "über-UNS", "GRÖSSE".slice(0, 3)])
      expect([target, await found({ target }), await found({ not_target: target })]).toEqual([target, 1, 1]);
    const set = { replace_in_target: { text: "müller/Über", by: "m/o" } };
    expect(await room.links.queryBatch({ filter: {}, action: "update", set, confirm: "all" })).toMatchObject({
      matched: 1,
      changed: 1,
    });
  });

  test("presets are kept for an account, or for a team", async () => {
    await room.database.write.deleteFrom("presets").execute();
    const { presets } = room.links;
    const content = { tag: ["x"] };
    const saved = await presets.save(ED, { kind: "view", name: "Mine ", content });
    await presets.save(ED, { kind: "view", name: "Mine", content: { search: "y" } });
    expect(await presets.list(ED, "view")).toMatchObject([
      { id: saved.id, name: "Mine", ownerId: 5, content: '{"search":"y"}' },
    ]);
    expect([await presets.list(ED, "utm"), await presets.list(ADMIN, "view")]).toEqual([[], []]);
    expect(await refusal(presets.save(ED, { kind: "view", name: "n", content, owner: "team:press" }))).toBe(
      "Forbidden",
    );
    const team = -7;
    const row = { kind: "utm", owner_id: team, name: "Mail", content: "{}", created_at: 0 } as const;
    await room.database.write.insertInto("presets").values(row).execute();
    const viewer: Actor = { ...ED, teams: new Map([[team, "viewer"]]) };
    const [ofTeam] = await presets.list(viewer, "utm");
    expect(await refusal(presets.remove(viewer, ofTeam!.id))).toBe("Forbidden");
    expect(await refusal(presets.remove(ADMIN, saved.id))).toBe("NotFound");
    await presets.remove({ ...ED, teams: new Map([[team, "editor"]]) }, ofTeam!.id);
    await presets.remove(ED, saved.id);
    expect(await presets.list(viewer, "view")).toEqual([]);
  });
});
