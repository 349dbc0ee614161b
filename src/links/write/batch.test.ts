import { beforeAll, beforeEach, expect, test } from "bun:test";
import { forEachDialect } from "../../platform/db/for-each-dialect.test-support.ts";
import { DAY, type LinksRoom, NOW, openLinks, refusal, TARGET } from "../links.test-support.ts";

const failures = (result: { failed: { code: string; error_code: number }[] }) =>
  result.failed.map(({ code, error_code }) => [code, error_code]);

forEachDialect((dialect) => {
  let room: LinksRoom;
  beforeAll(async () => {
    room = await openLinks(await dialect.openDb({ threads: true }));
  });
  beforeEach(() => room.clear());

  test("invalid items fail with their codes, and valid ones are written", async () => {
    const { links } = room;
    await links.create({ code: "taken", target: TARGET });
    await links.create({ code: "forced", target: TARGET });
    const result = await links.batch.create([
      { code: "z", target: TARGET },
      null,
      "text",
      { code: 5, target: TARGET },
      { code: "bad code", target: TARGET },
      { code: "admin/x", target: TARGET },
      { code: "no-target" },
      { code: "url", target: "nope" },
      { code: "when", target: TARGET, expires_at: "soon" },
      { code: "mask", target: TARGET, password: "[REDACTED]" },
      { code: "taken", target: "http://other.example" },
      { code: "forced", target: "http://other.example", force: true },
      { code: "z", target: "http://second.example", force: true },
      { code: "b", target: TARGET, expires_at: "1d", password: "secret" },
    ]);
    expect(result.success).toEqual(["z", "forced", "b"]);
    expect(failures(result)).toEqual([
      ["", 1000],
      ["text", 1000],
      ["", 1000],
      ["bad code", 3007],
      ["admin/x", 3008],
      ["no-target", 1000],
      ["url", 3002],
      ["when", 3003],
      ["mask", 1000],
      ["taken", 3001],
      ["z", 3001],
    ]);
    for (const { error } of result.failed) expect(error).not.toBeEmpty();
    expect((await links.get("z")).target).toBe(TARGET);
    expect((await links.get("taken")).target).toBe(TARGET);
    expect((await links.get("forced")).target).toBe("http://other.example");
    const made = await links.get("b");
    expect(made.expiresAt).toBe(NOW + DAY);
    expect(await Bun.password.verify("secret", made.passwordHash!)).toBe(true);
    expect(room.changed.at(-1)).toEqual(["b", "forced", "z"]);
  });

  test("a refused item leaves its code free", async () => {
    const { links } = room;
    await links.create({ code: "old", target: TARGET });
    const result = await links.batch.create([
      { code: "new", target: "nope" },
      { code: "new", target: TARGET },
      { code: "old", target: "http://a.example" },
      { code: "old", target: "http://b.example", force: true },
    ]);
    expect(result.success).toEqual(["new", "old"]);
    expect(failures(result)).toEqual([
      ["new", 3002],
      ["old", 3001],
    ]);
    expect((await links.get("old")).target).toBe("http://b.example");
  });

  test("each item without a code gets a random one", async () => {
    const { links } = await openLinks(room.database, { randomCodeLength: () => 1 });
    const result = await links.batch.create(Array.from({ length: 100 }, () => ({ target: TARGET })));
    expect(result.failed).toEqual([]);
    expect(new Set(result.success).size).toBe(100);
    expect(await room.rows("links")).toBe(100);
  });

  test("updates keep absent fields", async () => {
    const { links, clock } = room;
    await links.create({ code: "a", target: TARGET, expires_at: "1d", password: "secret" });
    await links.create({ code: "b", target: TARGET, expires_at: "1d" });
    await room.click("a", 7);
    const { passwordHash } = await links.get("a");
    clock.time = NOW + 1;
    const target = "http://new.example";
    const result = await links.batch.update([
      { code: "a", payload: { target } },
      { code: "b", payload: { target, expires_at: "", password: "set" } },
      { code: "a", payload: { target: "http://again.example" } },
      { code: "nope", payload: { target } },
      { code: "a\0", payload: { target } },
      { code: "b", payload: {} },
      { payload: { target } },
      { code: "b" },
      7,
    ]);
    expect(result.success).toEqual(["a", "b"]);
    expect(failures(result)).toEqual([
      ["a", 3001],
      ["nope", 3000],
      ["a\0", 3000],
      ["b", 1000],
      ["", 1000],
      ["b", 1000],
      ["", 1000],
    ]);
    const kept = {
      target,
      expiresAt: NOW + DAY,
      passwordHash,
      clickCount: 7,
      createdAt: NOW,
      updatedAt: NOW + 1,
    };
    expect(await links.get("a")).toMatchObject(kept);
    const b = await links.get("b");
    expect(b).toMatchObject({ target, expiresAt: null });
    expect(await Bun.password.verify("set", b.passwordHash!)).toBe(true);
  });

  test("updates of many links write what one of them changes, and keep the rest of each", async () => {
    const { links, clock } = room;
    const made = Array.from({ length: 150 }, (_, at) => ({
      code: `m-${at}`,
      target: `${TARGET}${at}`,
      expires_at: "1d",
      title: `Title ${at}`,
      note: "kept",
    }));
    await links.batch.create(made);
    clock.time = NOW + 1;
    const changes: Record<string, object> = {
      "m-3": { expires_at: "" },
      "m-70": { redirect_status: 301 },
      "m-149": { title: "Another title" },
    };
    const items = made.map(({ code, target }) => ({ code, payload: { target, ...changes[code] } }));
    expect((await links.batch.update(items)).success).toHaveLength(150);
    const kept = { note: "kept", expiresAt: NOW + DAY, options: null, updatedAt: NOW + 1 };
    expect(await links.get("m-0")).toMatchObject({ ...kept, target: `${TARGET}0`, title: "Title 0" });
    expect(await links.get("m-3")).toMatchObject({ ...kept, title: "Title 3", expiresAt: null });
    expect(await links.get("m-70")).toMatchObject({
      ...kept,
      title: "Title 70",
      options: '{"redirectStatus":301}',
    });
    expect(await links.get("m-149")).toMatchObject({ ...kept, title: "Another title" });
    // Nothing differs but the tags of one.
    const same = made.map(({ code, target }) => ({
      code,
      payload: { target, ...(code === "m-1" && { add_tags: ["one"] }) },
    }));
    expect((await links.batch.update(same)).success).toHaveLength(150);
    expect(await links.get("m-1")).toMatchObject({ target: `${TARGET}1`, tags: ["one"], title: "Title 1" });
    expect(await links.get("m-2")).toMatchObject({ target: `${TARGET}2`, tags: [], title: "Title 2" });
  });

  test("deletes each existing link once", async () => {
    const { links } = room;
    for (const code of ["a", "b", "c"]) await links.create({ code, target: TARGET });
    const result = await links.batch.remove(["a", "nope", "b", "a", 5, null, "x y"]);
    expect(result.success).toEqual(["a", "b"]);
    expect(failures(result)).toEqual([
      ["nope", 3000],
      ["a", 3001],
      ["", 1000],
      ["", 1000],
      ["x y", 3000],
    ]);
    expect(await refusal(links.get("a"))).toBe("LinkNotFound");
    expect(await room.rows("links")).toBe(1);
    expect(await room.rows("link_clicks")).toBe(1);
  });

  test("5,000 items are accepted, one more is refused", async () => {
    const { links } = room;
    const items = Array.from({ length: 5000 }, (_, at) => ({ code: `n-${at}`, target: `${TARGET}${at}` }));
    const made = await links.batch.create(items);
    expect(made.success).toEqual(items.map((item) => item.code));
    expect(await room.rows("link_clicks")).toBe(5000);
    expect((await links.get("n-4321")).target).toBe(`${TARGET}4321`);

    const updates = items.map(({ code }) => ({ code, payload: { target: "http://all.example" } }));
    expect((await links.batch.update(updates)).success.length).toBe(5000);
    expect((await links.get("n-4999")).target).toBe("http://all.example");
    expect((await links.batch.remove(items.map((item) => item.code))).success.length).toBe(5000);
    expect(await room.rows("links")).toBe(0);

    const tooMany = Array.from({ length: 5001 }, () => null);
    for (const call of [links.batch.create, links.batch.update, links.batch.remove]) {
      expect(await refusal(call(tooMany))).toBe("BatchSizeTooLarge");
    }
  });

  test("an empty batch does nothing", async () => {
    expect(await room.links.batch.create([])).toEqual({ success: [], failed: [] });
    expect(room.changed).toEqual([]);
  });

  test("of two simultaneous batches with the same codes, each code is created once", async () => {
    const other = await openLinks(await dialect.openDb({ threads: true }));
    const items = Array.from({ length: 300 }, (_, at) => ({ code: `both-${at}`, target: TARGET }));
    const results = await Promise.all([
      room.links.batch.create(items),
      other.links.batch.create(items.toReversed()),
    ]);
    expect(results.flatMap((result) => result.success).sort()).toEqual(items.map((item) => item.code).sort());
    expect(results.flatMap((result) => result.failed).every((item) => item.error_code === 3001)).toBe(true);
    expect(await room.rows("links")).toBe(300);
  });
});
