import { beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { forEachDialect } from "../../platform/db/for-each-dialect.test-support.ts";
import type { Actor } from "../../lib/actor.ts";
import { linkQueryOf } from "../list/query.ts";
import { type LinksRoom, NOW, openLinks, refusal, TARGET } from "../links.test-support.ts";

const EDITOR: Actor = { name: "ed", via: "api", accountId: 5, ownOnly: true };

forEachDialect((dialect) => {
  let room: LinksRoom;
  beforeAll(async () => {
    room = await openLinks(await dialect.openDb({ threads: true }));
  });
  beforeEach(() => room.clear());

  const add = (code: string, ...tags: string[]) => room.links.create({ code, target: TARGET, tags });
  const tagsOf = async (code: string) => (await room.links.get(code)).tags;

  /** Checks the counts against the rows. */
  async function counts(): Promise<Record<string, number>> {
    const listed = await room.links.tags.list();
    const { read } = room.database;
    const rows = await read
      .selectFrom("tags")
      .leftJoin("link_tags", "link_tags.tag_id", "tags.id")
      .select(["tags.tag", "tags.links", (eb) => eb.fn.count<number>("link_tags.link_id").as("n")])
      .groupBy(["tags.tag", "tags.links"])
      .execute();
    expect(rows.filter(({ links, n }) => links !== Number(n) || links === 0)).toEqual([]);
    const owned = await read
      .selectFrom("link_tags")
      .innerJoin("links", "links.id", "link_tags.link_id")
      .select(["links.owner_id", "link_tags.tag_id", (eb) => eb.fn.countAll<number>().as("links")])
      .where("links.owner_id", "is not", null)
      .groupBy(["links.owner_id", "link_tags.tag_id"])
      .orderBy("links.owner_id")
      .orderBy("link_tags.tag_id")
      .execute();
    const kept = await read
      .selectFrom("owner_tags")
      .select(["owner_id", "tag_id", "links"])
      .orderBy("owner_id")
      .orderBy("tag_id")
      .execute();
    expect(kept).toEqual(owned.map((row) => ({ ...row, owner_id: row.owner_id!, links: Number(row.links) })));
    const counted = Object.fromEntries(listed.map(({ tag, links }) => [tag, links]));
    expect(counted).toEqual(Object.fromEntries(rows.map(({ tag, links }) => [tag, links])));
    return counted;
  }

  const found = async (...tag: string[]) => {
    const page = await room.links.list(linkQueryOf({ tag, sort: "code" }, NOW));
    expect(page.total).toBe(page.links.length);
    return page.links.map(({ code }) => code);
  };

  test("tags are kept in lower case and NFC, once, and counted", async () => {
    await add("a", " News ", "NEWS", "Cafe\u0301", 'a,b "c"', "שלום");
    expect(await tagsOf("a")).toEqual(['a,b "c"', "café", "news", "שלום"]);
    await add("b", "news");
    expect(await counts()).toEqual({ news: 2, café: 1, 'a,b "c"': 1, שלום: 1 });
    expect(await found("NEWS")).toEqual(["a", "b"]);
    expect(await found("news", 'A,B "c"', "cafe\u0301")).toEqual(["a"]);
    expect(await found("new")).toEqual([]);
  });

  test("names that differ in accents, width or blanks inside are different tags", async () => {
    await add("a", "cafe", "café", "a b", "ab", "ａｂ", "ß", "ss");
    expect(Object.keys(await counts())).toHaveLength(7);
    expect(await found("cafe", "café", "ab", "ａｂ", "ß", "ss")).toEqual(["a"]);
  });

  test("an update keeps, replaces or clears them; an overwrite sets them", async () => {
    await add("a", "x", "y");
    await room.links.update("a", { target: TARGET });
    expect(await tagsOf("a")).toEqual(["x", "y"]);
    await room.links.update("a", { target: TARGET, tags: ["y", "z"] });
    expect(await counts()).toEqual({ y: 1, z: 1 });
    await room.links.create({ code: "a", target: TARGET, force: true, tags: ["z", "w"] });
    expect(await counts()).toEqual({ w: 1, z: 1 });
    await room.links.update("a", { target: TARGET, tags: [] });
    expect(await counts()).toEqual({});
    await room.links.update("a", { target: TARGET, tags: ["x"] });
    await room.links.update("a", { target: TARGET, tags: null });
    expect(await counts()).toEqual({});
    await room.links.create({ code: "a", target: TARGET, force: true });
    expect(await tagsOf("a")).toEqual([]);
  });

  test("a batch sets, adds and removes tags; more than 16 fail alone", async () => {
    const many = Array.from({ length: 16 }, (_, at) => `t${at}`);
    const made = await room.links.batch.create([
      { code: "a", target: TARGET, tags: many },
      { code: "b", target: TARGET, tags: ["t1", "B"] },
      { code: "c", target: TARGET, tags: [...many, "one more"] },
      { code: "d", target: TARGET, tags: [""] },
    ]);
    expect(made.success).toEqual(["a", "b"]);
    const changed = await room.links.batch.update([
      { code: "a", payload: { target: TARGET, add_tags: ["new"] } },
      { code: "b", payload: { target: TARGET, add_tags: ["new", "t1"], remove_tags: ["b", "nothing"] } },
    ]);
    expect(changed.success).toEqual(["b"]);
    expect(changed.failed).toMatchObject([{ code: "a", error_code: 1000 }]);
    expect(await tagsOf("b")).toEqual(["new", "t1"]);
    expect(await counts()).toMatchObject({ t0: 1, t1: 2, new: 1 });
    await room.links.batch.update([
      { code: "a", payload: { target: TARGET, remove_tags: ["T0"], add_tags: ["z"] } },
    ]);
    expect(await tagsOf("a")).toHaveLength(16);
    await room.links.batch.remove(["a", "b"]);
    expect(await counts()).toEqual({});
  });

  test("deleting a link takes its tags from the counts", async () => {
    await add("a", "x", "y");
    await add("b", "x");
    await room.links.remove("a");
    expect(await counts()).toEqual({ x: 1 });
    await room.links.remove("b");
    expect(await counts()).toEqual({});
  });

  test("counts hold while links with the same tags come and go at once", async () => {
    const turn = async (at: number) => {
      const owner = at % 3 === 0 ? room.links : room.links.by(EDITOR);
      for (let round = 0; round < 4; round++) {
        const tags = ["shared", `own${at}`, at % 2 === 0 ? "a" : "b"];
        await owner.create({ code: `l${at}-${round}`, target: TARGET, tags });
        if (round > 0) await room.links.remove(`l${at}-${round - 1}`);
      }
      await room.links.update(`l${at}-3`, {
        target: TARGET,
        tags: at % 2 === 0 ? ["b", "end"] : ["a", "end"],
      });
    };
    await Promise.all(Array.from({ length: 6 }, (_, at) => turn(at)));
    expect(await counts()).toEqual({ a: 3, b: 3, end: 6 });
  });

  describe("all tags", () => {
    test("are listed with the most used first", async () => {
      await add("a", "b", "c");
      await add("d", "c", "a");
      expect(await room.links.tags.list()).toEqual([
        { tag: "c", links: 2 },
        { tag: "a", links: 1 },
        { tag: "b", links: 1 },
      ]);
    });

    test("a tag gets a new name, and filters know it at once", async () => {
      await add("a", "old");
      expect(await found("old")).toEqual(["a"]);
      expect(await room.links.tags.rename("OLD", "New")).toMatchObject({ tag: "new", links: 1 });
      expect(await found("old")).toEqual([]);
      expect(await found("new")).toEqual(["a"]);
      expect(await room.links.tags.rename("new", "NEW")).toMatchObject({ tag: "new", links: 1 });
      expect(await refusal(room.links.tags.rename("old", "x"))).toBe("NotFound");
      expect(await refusal(room.links.tags.rename("new", " "))).toBe("BadRequest");
      expect(await counts()).toEqual({ new: 1 });
    });

    test("a rename onto another tag merges them, also more than one portion", async () => {
      const items = Array.from({ length: 1100 }, (_, at) => ({
        code: `l${at}`,
        target: TARGET,
        tags: at % 3 === 0 ? ["x", "y"] : ["x"],
      }));
      await room.links.batch.create(items);
      expect((await room.links.list(linkQueryOf({ tag: ["y"] }, NOW))).total).toBe(367);
      expect(await room.links.tags.rename("x", "y")).toMatchObject({ tag: "y", links: 1100 });
      expect(await counts()).toEqual({ y: 1100 });
      expect((await room.links.list(linkQueryOf({ tag: ["y"] }, NOW))).total).toBe(1100);
      expect(await tagsOf("l0")).toEqual(["y"]);
    });

    test("a merge and writers of the same links keep the counts", async () => {
      const own = room.links.by(EDITOR);
      const makers = [room.links, own];
      await Promise.all(
        Array.from({ length: 20 }, (_, at) =>
          makers[at % 2]!.create({ code: `l${at}`, target: TARGET, tags: ["x"] }),
        ),
      );
      await Promise.all([
        room.links.tags.rename("x", "y").catch(() => undefined),
        own.create({ code: "new", target: TARGET, tags: ["y", "x"] }),
        ...Array.from({ length: 10 }, (_, at) =>
          room.links.update(`l${at}`, { target: TARGET, tags: ["x", "z"] }),
        ),
        ...Array.from({ length: 5 }, (_, at) => room.links.remove(`l${at + 10}`)),
      ]);
      expect(await counts()).toMatchObject({ z: 10 });
    });

    test("a removed tag is gone from all links", async () => {
      await add("a", "x", "y");
      await add("b", "x");
      expect(await room.links.tags.remove("x")).toMatchObject({ tag: "x", links: 2 });
      expect(await counts()).toEqual({ y: 1 });
      expect(await refusal(room.links.tags.remove("x"))).toBe("NotFound");
    });

    test("the counts of an owner follow every kind of change", async () => {
      const own = room.links.by(EDITOR);
      const listed = async () => {
        await counts();
        return Object.fromEntries((await own.tags.list()).map(({ tag, links }) => [tag, links]));
      };
      await own.batch.create(["a", "b", "c"].map((code) => ({ code, target: TARGET, tags: ["x", "y"] })));
      await add("other", "x");
      expect(await listed()).toEqual({ x: 3, y: 3 });
      await room.links.create({ code: "a", target: TARGET, force: true, tags: ["z"] });
      await room.links.update("b", { target: TARGET, tags: ["x"] });
      expect(await listed()).toEqual({ x: 2, y: 1, z: 1 });
      const { id } = await room.links.get("c");
      await room.links.remove("c");
      expect(await listed()).toEqual({ x: 1, z: 1 });
      await room.links.deleted.restore(EDITOR, id, null);
      expect(await listed()).toEqual({ x: 2, y: 1, z: 1 });
      await room.links.tags.rename("x", "y");
      expect(await listed()).toEqual({ y: 2, z: 1 });
      await room.links.tags.rename("y", "w");
      expect(await listed()).toEqual({ w: 2, z: 1 });
      await own.tags.remove("w");
      expect(await listed()).toEqual({ z: 1 });
      await own.batch.remove(["a", "b", "c"]);
      expect(await listed()).toEqual({});
    });

    test("renaming, merging and removing one is an event with the number of links", async () => {
      await room.links.batch.create(
        Array.from({ length: 600 }, (_, at) => ({ code: `l${at}`, target: TARGET, tags: ["x"] })),
      );
      await add("other", "y");
      await room.links.tags.rename("x", "z");
      await room.links.tags.rename("z", "y");
      await room.links.by(EDITOR).create({ code: "own", target: TARGET, tags: ["y"] });
      await room.links.by(EDITOR).tags.remove("y");
      await room.links.tags.remove("y");
      await room.links.tags.remove("y").catch(() => {});
      const { events } = await room.events.page({}, null, 10_000);
      const recorded = events
        .filter(({ action }) => action.startsWith("tag."))
        .map(({ action, subject, actor, before, after }) => [
          action,
          subject,
          actor,
          JSON.parse(before!),
          after === null ? null : JSON.parse(after),
        ]);
      expect(recorded.toReversed()).toEqual([
        ["tag.rename", "x", "cli", { tag: "x", links: 600 }, { tag: "z" }],
        ["tag.rename", "z", "cli", { tag: "z", links: 600 }, { tag: "y" }],
        ["tag.delete", "y", "ed", { tag: "y", links: 1 }, null],
        ["tag.delete", "y", "cli", { tag: "y", links: 601 }, null],
      ]);
    });

    test("an editor sees and changes tags of own links only", async () => {
      const own = room.links.by(EDITOR);
      await add("a", "x", "y");
      await own.create({ code: "mine", target: TARGET, tags: ["x", "m"] });
      expect(await own.tags.list()).toEqual([
        { tag: "m", links: 1 },
        { tag: "x", links: 1 },
      ]);
      expect(await refusal(own.tags.rename("y", "z"))).toBe("NotFound");
      expect(await refusal(own.tags.remove("y"))).toBe("NotFound");
      expect(await own.tags.rename("x", "z")).toMatchObject({ tag: "z", links: 1 });
      expect(await tagsOf("a")).toEqual(["x", "y"]);
      expect(await tagsOf("mine")).toEqual(["m", "z"]);
      await add("b", "m");
      await own.tags.remove("m");
      expect(await counts()).toEqual({ x: 1, y: 1, z: 1, m: 1 });
    });
  });

  test.each([
    ["empty", ""],
    ["blank", " \t"],
    ["65 characters", "x".repeat(65)],
    ["a line end", "a\nb"],
    ["a NUL", "a\0b"],
    ["a bidirectional control", "a\u202eb"],
    ["nothing visible", "\u200b\u2060"],
    ["half a character", "\ud800"],
    ["a dot", "."],
    ["two dots", ".."],
  ])("refuses a tag of %s", async (_name, tag) => {
    expect(await refusal(add("a", "fine", tag))).toBe("BadRequest");
    expect(await room.rows("links")).toBe(0);
  });

  test("64 characters beyond the first plane fit", async () => {
    const tag = "😀".repeat(64);
    await add("a", tag);
    expect(await found(tag)).toEqual(["a"]);
    expect(await refusal(add("b", `${tag}x`))).toBe("BadRequest");
  });
});
