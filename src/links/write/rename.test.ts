import { beforeAll, beforeEach, expect, test } from "bun:test";
import { forEachDialect } from "../../platform/db/for-each-dialect.test-support.ts";
import { COMMAND } from "../../lib/actor.ts";
import { AppError } from "../../lib/errors.ts";
import type { Database } from "../../platform/db/database.ts";
import { createLinkScan } from "../cache/scan.repository.ts";
import { createLinkCsv } from "../csv/service.ts";
import { type LinksRoom, openLinks, refusal, TARGET } from "../links.test-support.ts";

forEachDialect((dialect) => {
  let room: LinksRoom;
  let other: LinksRoom;
  let database: Database;
  beforeAll(async () => {
    database = await dialect.openDb({ threads: true });
    room = await openLinks(database);
    other = await openLinks(await dialect.openDb({ threads: true }));
  });
  beforeEach(() => room.clear());

  const found = async (code: string) => {
    database.refreshLookups();
    return (await database.findLink(code))?.target ?? null;
  };
  const aliases = async () => {
    const rows = await database.read.selectFrom("link_aliases").select("code").orderBy("code").execute();
    return rows.map(({ code }) => code);
  };
  const rename = (from: string, code: string, keep_old = false) => room.links.patch(from, { code, keep_old });

  test("a change in part keeps what is not named, and null clears", async () => {
    await room.links.create({
      code: "a",
      target: TARGET,
      expires_at: "1d",
      password: "secret",
      title: "t",
      note: "n",
    });
    const patched = await room.links.patch("a", { note: null, max_clicks: 3 });
    expect(patched).toMatchObject({ target: TARGET, title: "t", note: null, options: '{"maxClicks":3}' });
    expect([patched.expiresAt, patched.passwordHash].includes(null)).toBe(false);
    expect(await room.links.patch("a", { expires_at: null, password: null, title: null })).toMatchObject({
      expiresAt: null,
      passwordHash: null,
      title: null,
      options: '{"maxClicks":3}',
    });
    expect(await room.links.get("a")).toMatchObject({ target: TARGET, title: null });
    expect(await refusal(room.links.patch("b", {}))).toBe("LinkNotFound");
  });

  test("counts go along with a rename, and the old code is free", async () => {
    await room.links.create({ code: "a", target: TARGET });
    await room.click("a", 5);
    room.changed.length = 0;
    const { id } = (await room.repository.find("a"))!;
    expect(await rename("a", "b/c")).toMatchObject({ code: "b/c", clickCount: 5 });
    expect((await room.repository.find("b/c"))!.id).toBe(id);
    expect(room.changed).toEqual([["a", "b/c"]]);
    expect([await found("a"), await found("b/c"), await aliases()]).toEqual([null, TARGET, []]);
    await room.links.create({ code: "a", target: "http://new.example" });
    expect(await found("a")).toBe("http://new.example");
  });

  test("an alias leads to its link, is announced with it and goes with it", async () => {
    await room.links.create({ code: "a", target: TARGET });
    await rename("a", "b", true);
    await rename("b", "c", true);
    expect([await found("a"), await found("b"), await found("c")]).toEqual([TARGET, TARGET, TARGET]);
    room.changed.length = 0;
    await room.links.update("c", { target: "http://new.example" });
    await room.links.create({ code: "c", target: TARGET, force: true });
    expect(await found("a")).toBe(TARGET);
    await room.links.remove("c");
    expect(room.changed).toEqual([
      ["a", "b", "c"],
      ["a", "b", "c"],
      ["a", "b", "c"],
    ]);
    expect([await found("a"), await aliases()]).toEqual([null, []]);
    await room.links.create({ code: "a", target: TARGET });
  });

  test("the caches' readers know aliases", async () => {
    await room.links.create({ code: "a", target: TARGET, redirect_status: 302 });
    await rename("a", "b", true);
    const scan = createLinkScan(database);
    const codes = [];
    for await (const text of scan.aliases()) codes.push(text);
    expect(codes).toEqual(["a"]);
    expect((await scan.some(["a", "b", "c"])).map(({ code }) => code).sort()).toEqual(["a", "b"]);
  });

  test("no other link can take an alias as its code", async () => {
    await room.links.create({ code: "a", target: TARGET });
    await rename("a", "b", true);
    expect(await refusal(room.links.create({ code: "a", target: TARGET }))).toBe("LinkAlreadyExists");
    expect(await refusal(room.links.create({ code: "a", target: TARGET, force: true }))).toBe(
      "LinkAlreadyExists",
    );
    expect((await room.links.batch.create([{ code: "a", target: TARGET }])).failed[0]!.error_code).toBe(3001);
    await room.links.create({ code: "x", target: TARGET });
    expect(await refusal(rename("x", "a"))).toBe("LinkAlreadyExists");
    expect(await refusal(room.links.get("a"))).toBe("LinkNotFound");
    expect(await found("x")).toBe(TARGET);
  });

  test("an import takes no alias as a code, and announces the aliases of links that it overwrites", async () => {
    await room.links.create({ code: "a", target: TARGET });
    await rename("a", "b", true);
    const { import: importLinks } = createLinkCsv({
      database,
      changes: room.changes,
      events: room.events,
      clock: room.clock,
      hashPassword: async () => "",
      routePrefixes: () => [],
      domains: room.links.domains,
    });
    const file = Buffer.from("code,target\na,http://c.example\nb,http://d.example\n");
    const run = async (mode: "skip" | "overwrite" | "error") => {
      const { success_count, skipped_count, failed_count } = await importLinks(file, {
        mode,
        actor: COMMAND,
      });
      return [success_count, skipped_count, failed_count];
    };
    expect(await run("skip")).toEqual([0, 2, 0]);
    expect(await run("error")).toEqual([0, 0, 2]);
    room.changed.length = 0;
    expect(await run("overwrite")).toEqual([1, 0, 1]);
    expect(room.changed).toEqual([["a", "b"]]);
    expect(await found("a")).toBe("http://d.example");
  });

  test("a rename onto an own alias takes it back; a circle leaves one code each", async () => {
    await room.links.create({ code: "a", target: TARGET });
    await rename("a", "b", true);
    await rename("b", "c", true);
    await rename("c", "a", true);
    expect(await aliases()).toEqual(["b", "c"]);
    expect([await found("a"), await found("b"), await found("c")]).toEqual([TARGET, TARGET, TARGET]);
    await rename("a", "b");
    expect([await aliases(), await found("a"), await found("b")]).toEqual([["c"], null, TARGET]);
    expect(await rename("b", "b", true)).toMatchObject({ code: "b" });
    expect(await aliases()).toEqual(["c"]);
  });

  test.each([
    ["LinkInvalidCode", "a//b"],
    ["LinkInvalidCode", ""],
    ["LinkReservedCode", "admin/x"],
    ["LinkReservedCode", "export"],
    ["LinkAlreadyExists", "taken"],
  ])("%s for the new code %j, and nothing changes", async (name, code) => {
    await room.links.create({ code: "taken", target: TARGET });
    await room.links.create({ code: "a", target: TARGET, title: "t" });
    expect(await refusal(room.links.patch("a", { code, title: "u" }))).toBe(name);
    expect((await room.links.get("a")).title).toBe("t");
  });

  const outcome = (call: Promise<unknown>) =>
    call.then(
      () => "done",
      (error: unknown) => (error instanceof AppError ? error.name : String(error)),
    );

  test("of two renames onto one code at once, one wins", async () => {
    for (let round = 0; round < 5; round++) {
      const [a, b, to] = [`a${round}`, `b${round}`, `to${round}`];
      await room.links.create({ code: a, target: TARGET });
      await room.links.create({ code: b, target: TARGET });
      const outcomes = await Promise.all([
        outcome(room.links.patch(a, { code: to, keep_old: true })),
        outcome(other.links.patch(b, { code: to, keep_old: true })),
      ]);
      expect(outcomes.sort()).toEqual(["LinkAlreadyExists", "done"]);
    }
  });

  test("two links that swap codes at once stay as they are", async () => {
    await room.links.create({ code: "a", target: "http://a.example" });
    await room.links.create({ code: "b", target: "http://b.example" });
    const outcomes = await Promise.all([
      outcome(room.links.patch("a", { code: "b" })),
      outcome(other.links.patch("b", { code: "a" })),
    ]);
    expect(outcomes).toEqual(["LinkAlreadyExists", "LinkAlreadyExists"]);
    expect([await found("a"), await found("b")]).toEqual(["http://a.example", "http://b.example"]);
  });

  test("creates beside a rename never make a code both a link and an alias", async () => {
    for (let round = 0; round < 10; round++) {
      await room.links.create({ code: `a${round}`, target: TARGET });
      await Promise.all([
        outcome(room.links.patch(`a${round}`, { code: `b${round}`, keep_old: true })),
        outcome(other.links.create({ code: `a${round}`, target: "http://thief.example" })),
        outcome(other.links.create({ code: `b${round}`, target: "http://thief.example" })),
      ]);
    }
    const both = await database.read
      .selectFrom("links")
      .innerJoin("link_aliases", "link_aliases.code", "links.code")
      .select("links.code")
      .execute();
    expect(both).toEqual([]);
  });

  test("whether a code is available, and why not", async () => {
    await room.links.create({ code: "a", target: TARGET });
    await rename("a", "b", true);
    const recorded = async (code: string) => {
      const { available, reason } = await room.links.available(code);
      return reason ?? available;
    };
    expect(
      await Promise.all(["c", "b", "a", "admin", "batch", "available", "x//y", "", "ä"].map(recorded)),
    ).toEqual([true, "taken", "alias", "reserved", "reserved", true, "invalid", "invalid", "invalid"]);
  });
});
