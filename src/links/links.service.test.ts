import { beforeAll, beforeEach, expect, test } from "bun:test";
import { PLAIN, UNOWNED } from "./link/link.ts";
import { createLinkRepository } from "./write/repository.ts";
import { forEachDialect } from "../platform/db/for-each-dialect.test-support.ts";
import { DAY, type LinksRoom, NOW, openLinks, refusal, TARGET } from "./links.test-support.ts";

forEachDialect((dialect) => {
  let room: LinksRoom;
  beforeAll(async () => {
    room = await openLinks(await dialect.openDb({ threads: true }));
  });
  beforeEach(() => room.clear());

  test("a link is created, read, changed and deleted, and each change is announced", async () => {
    const { links, changed } = room;
    const created = await links.create({ code: "a/b", target: TARGET, expires_at: "1d" });
    const shown = { code: "a/b", target: TARGET, createdAt: NOW, expiresAt: NOW + DAY, clickCount: 0 };
    expect(created).toMatchObject({ ...shown, passwordHash: null });
    expect(await links.get("a/b")).toMatchObject(shown);
    expect(await links.update("a/b", { target: "http://b.example" })).toMatchObject({
      ...shown,
      target: "http://b.example",
    });
    await links.remove("a/b");
    expect(await refusal(links.get("a/b"))).toBe("LinkNotFound");
    expect(changed).toEqual([["a/b"], ["a/b"], ["a/b"]]);
    expect(await room.rows("link_clicks")).toBe(0);
  });

  test("codes are case-sensitive", async () => {
    const { links } = room;
    await links.create({ code: "Abc", target: "http://upper.example" });
    await links.create({ code: "abc", target: "http://lower.example" });
    expect((await links.get("Abc")).target).toBe("http://upper.example");
    expect((await links.get("abc")).target).toBe("http://lower.example");
    expect(await refusal(links.get("ABC"))).toBe("LinkNotFound");
  });

  test("a target is returned unchanged", async () => {
    const targets = [
      `https://example.com/${"x".repeat(8000)}`,
      "https://example.com/ünïcode/日本/😀?q=%20'\"\\!%_#a",
    ];
    for (const target of targets) {
      const { code } = await room.links.create({ target });
      expect((await room.links.get(code)).target).toBe(target);
    }
  });

  test("an existing code is refused and its link unchanged", async () => {
    const { links, changed } = room;
    await links.create({ code: "a", target: TARGET });
    expect(await refusal(links.create({ code: "a", target: "http://other.example" }))).toBe(
      "LinkAlreadyExists",
    );
    expect((await links.get("a")).target).toBe(TARGET);
    expect(changed).toEqual([["a"]]);
  });

  test("force overwrites and keeps id, creation time and clicks", async () => {
    const { links, clock } = room;
    await links.create({ code: "a", target: TARGET, expires_at: "1d", password: "secret" });
    await room.click("a", 41);
    const before = await links.get("a");
    clock.time = NOW + DAY;
    const forced = await links.create({ code: "a", target: "http://other.example", force: true });
    const expected = {
      createdAt: NOW,
      clickCount: 41,
      automatedClicks: 0,
      expiresAt: null,
      passwordHash: null,
      updatedAt: NOW + DAY,
    };
    expect(forced).toMatchObject(expected);
    expect(await links.get("a")).toMatchObject({
      ...expected,
      id: before.id,
      target: "http://other.example",
    });
  });

  test("a link older than the reservation of its code can be changed and removed", async () => {
    const { links, repository, database } = room;
    const old = { ...PLAIN, ...UNOWNED, code: "batch", target: TARGET, createdAt: NOW, updatedAt: NOW };
    await repository.insertMany(database.write, [{ ...old, clickCount: 3, automatedClicks: 1 }]);
    expect(await refusal(links.create({ code: "batch", target: TARGET, force: true }))).toBe(
      "LinkReservedCode",
    );
    expect(await links.update("batch", { target: "http://b.example" })).toMatchObject({ clickCount: 3 });
    await links.remove("batch");
    expect(await room.rows("links")).toBe(0);
  });

  test("a deleted link leaves its code and id for its clicks; force keeps the link's id", async () => {
    const { links, clock, database } = room;
    const known = () =>
      database.read
        .selectFrom("deleted_links")
        .select(["link_id", "code", "deleted_at"])
        .orderBy("link_id")
        .execute();
    await links.create({ code: "a", target: TARGET });
    const { id: first } = await links.get("a");
    await links.create({ code: "a", target: TARGET, force: true });
    expect([(await links.get("a")).id, await known()]).toEqual([first, []]);
    await links.remove("a");
    clock.time = NOW + DAY;
    await links.create({ code: "a", target: TARGET });
    await links.create({ code: "A", target: TARGET });
    const [again, upper] = [(await links.get("a")).id, (await links.get("A")).id];
    await links.batch.remove(["A", "nope", "a", "a"]);
    expect(await known()).toEqual([
      { link_id: first, code: "a", deleted_at: NOW },
      { link_id: again, code: "a", deleted_at: NOW + DAY },
      { link_id: upper, code: "A", deleted_at: NOW + DAY },
    ]);
    expect(await refusal(links.remove("a"))).toBe("LinkNotFound");
    expect(await room.rows("deleted_links")).toBe(3);
  });

  test("force on a new code creates it", async () => {
    expect(await room.links.create({ code: "new", target: TARGET, force: true })).toMatchObject({
      code: "new",
    });
    expect(await room.rows("link_clicks")).toBe(1);
  });

  test("an update keeps absent fields and clears empty ones", async () => {
    const { links } = room;
    await links.create({ code: "a", target: TARGET, expires_at: "1d", password: "secret" });
    await room.click("a", 3);
    const { passwordHash } = await links.get("a");
    const kept = await links.update("a", { target: TARGET, expires_at: null, password: null });
    expect(kept).toMatchObject({ expiresAt: NOW + DAY, passwordHash, clickCount: 3 });
    const cleared = await links.update("a", { target: TARGET, expires_at: "", password: "" });
    expect(cleared).toMatchObject({ expiresAt: null, passwordHash: null, createdAt: NOW });
  });

  test("passwords are hashed, even those that look like a hash", async () => {
    const { links } = room;
    const plain = "$argon2id$v=19$m=8,t=1,p=1$c2FsdHNhbHQ$aGFzaA";
    const created = await links.create({ code: "a", target: TARGET, password: plain });
    expect(created.passwordHash).toStartWith("$argon2id$");
    expect(await Bun.password.verify(plain, created.passwordHash!)).toBe(true);
    const updated = await links.update("a", { target: TARGET, password: "other" });
    expect(await Bun.password.verify("other", updated.passwordHash!)).toBe(true);
    expect((await links.get("a")).passwordHash).toBe(updated.passwordHash);
  });

  test("unknown codes are not found, whatever their characters", async () => {
    for (const code of ["nope", "", "a\0b", "ä", "a b", "x".repeat(500)]) {
      expect(await refusal(room.links.get(code))).toBe("LinkNotFound");
      expect(await refusal(room.links.update(code, { target: TARGET }))).toBe("LinkNotFound");
      expect(await refusal(room.links.remove(code))).toBe("LinkNotFound");
    }
  });

  test("a refused create changes nothing", async () => {
    const { links } = room;
    expect(await refusal(links.create({ code: "admin", target: TARGET }))).toBe("LinkReservedCode");
    expect(await refusal(links.create({ code: "a//b", target: TARGET }))).toBe("LinkInvalidCode");
    expect(await refusal(links.create({ target: "ftp://a.example" }))).toBe("LinkInvalidUrl");
    expect(await refusal(links.create({ target: TARGET, expires_at: "x" }))).toBe("LinkInvalidExpireTime");
    expect(await room.rows("links")).toBe(0);
    expect(room.changed).toEqual([]);
  });

  test("a random code that is taken or reserved is replaced", async () => {
    // The source yields "A", "B" … The first four codes of length 1 are taken.
    let next = 0;
    const { links } = await openLinks(room.database, {
      randomCodeLength: () => 1,
      randomBytes: (count) => Uint8Array.from({ length: count }, () => next++ % 62),
      routePrefixes: () => ["/E"],
    });
    for (const code of ["A", "B", "C", "D"]) await links.create({ code, target: TARGET });
    expect((await links.create({ target: TARGET })).code).toBe("F");
    expect(await room.rows("links")).toBe(5);
  });

  test("of two simultaneous creations of one code, exactly one succeeds", async () => {
    const other = await openLinks(await dialect.openDb({ threads: true }));
    for (let round = 0; round < 10; round++) {
      const code = `race-${round}`;
      const outcomes = await Promise.all(
        [room, other, room, other].map(({ links }, at) =>
          refusal(links.create({ code, target: `${TARGET}${at}` })),
        ),
      );
      expect(outcomes.sort()).toEqual([
        "LinkAlreadyExists",
        "LinkAlreadyExists",
        "LinkAlreadyExists",
        "no error",
      ]);
    }
    expect(await room.rows("links")).toBe(10);
    expect(await room.rows("link_clicks")).toBe(10);
  });

  test("two simultaneous forced creations of one code both succeed and make one link", async () => {
    const other = await openLinks(await dialect.openDb({ threads: true }));
    for (let round = 0; round < 5; round++) {
      const create = ({ links }: LinksRoom, at: number) =>
        links.create({ code: `force-${round}`, target: `${TARGET}${at}`, force: true });
      const made = await Promise.all([room, other].map(create));
      expect(made.map((link) => link.target)).toEqual([`${TARGET}0`, `${TARGET}1`]);
    }
    expect(await room.rows("links")).toBe(5);
  });

  test("statistics count links, active links and clicks", async () => {
    const { links, clock } = room;
    expect(await links.stats()).toEqual({
      totalLinks: 0,
      totalClicks: 0,
      automatedClicks: 0,
      importedClicks: 0,
      activeLinks: 0,
    });
    await links.create({ code: "a", target: TARGET });
    await links.create({ code: "b", target: TARGET, expires_at: "1d" });
    await links.create({ code: "c", target: TARGET, expires_at: "2001-01-01T00:00:00Z" });
    await room.click("a", 5_000_000_000);
    await room.click("c", 2);
    expect(await links.stats()).toMatchObject({ totalLinks: 3, totalClicks: 5_000_000_002, activeLinks: 2 });
    clock.time = NOW + DAY;
    expect(await links.stats()).toMatchObject({ activeLinks: 1 });
  });

  test("statistics read no link and no click: a row more that nobody reported is not seen", async () => {
    const { links, database } = room;
    await links.create({ code: "a", target: TARGET });
    await room.click("a", 3, 1);
    await database.write.updateTable("link_clicks").set({ clicks: 7, automated: 7 }).execute();
    expect(await links.stats()).toMatchObject({ totalClicks: 3, automatedClicks: 1 });
    await database.write.deleteFrom("links").execute();
    expect(await links.stats()).toMatchObject({ totalLinks: 1 });
    expect(await links.total()).toBe(1);
  });

  test("many expired links are counted once a minute", async () => {
    const { database, clock } = room;
    const repository = createLinkRepository(database, { mostCounted: 2 });
    const expire = (code: string) =>
      room.links.create({ code, target: TARGET, expires_at: "2001-01-01T00:00:00Z" });
    const active = async () => (await repository.stats(clock.now())).activeLinks;
    await room.links.create({ code: "lasting", target: TARGET });
    for (const code of ["a", "b"]) await expire(code);
    expect(await active()).toBe(1);
    for (const code of ["c", "d"]) await expire(code);
    expect(await active()).toBe(1);
    await expire("e");
    // Of six links, four are known as expired.
    expect(await active()).toBe(2);
    clock.time += 60_000;
    expect(await active()).toBe(1);
  });
});
