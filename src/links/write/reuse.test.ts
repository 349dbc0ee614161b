import { beforeAll, beforeEach, expect, test } from "bun:test";
import { forEachDialect } from "../../platform/db/for-each-dialect.test-support.ts";
import { COMMAND } from "../../lib/actor.ts";
import { type LinksRoom, openLinks, refusal, TARGET } from "../links.test-support.ts";

const editor = (accountId: number) => ({
  name: `editor${accountId}`,
  via: "api" as const,
  accountId,
  ownOnly: true,
});

forEachDialect((dialect) => {
  let room: LinksRoom;
  /** As in another process. */
  let other: LinksRoom;
  beforeAll(async () => {
    const database = await dialect.openDb({ threads: true });
    [room, other] = [await openLinks(database), await openLinks(database)];
  });
  beforeEach(async () => {
    await room.clear();
    await room.database.write.deleteFrom("domains").execute();
    await Promise.all([room.links.domains.load(), other.links.domains.load()]);
  });

  const reuse = (target = TARGET, more = {}) => room.links.create({ target, reuse: true, ...more });

  test("the link with the target and nothing else set is the outcome", async () => {
    const made = await room.links.create({ code: "a", target: TARGET });
    expect(await reuse()).toMatchObject({ id: made.id, code: "a", isReused: true });
    expect(await reuse(` ${TARGET} `)).toMatchObject({ id: made.id });
    const another = await reuse(`${TARGET}x`);
    expect(another.isReused).toBeUndefined();
    expect(await reuse(`${TARGET}x`)).toMatchObject({ id: another.id, isReused: true });
    expect(await room.rows("links")).toBe(2);
  });

  test("links with anything set are not", async () => {
    for (const set of [
      { title: "t" },
      { note: "n" },
      { tags: ["t"] },
      { expires_at: "7d" },
      { password: "secret" },
      { redirect_status: 301 },
      { rules: [{ if: { device: "mobile" }, target: TARGET }] },
    ] as const) {
      await room.links.create({ target: TARGET, ...set } as never);
    }
    const bare = await reuse();
    expect(bare.isReused).toBeUndefined();
    await room.links.patch(bare.code, { title: "set later" });
    expect((await reuse()).isReused).toBeUndefined();
    await room.links.patch(bare.code, { title: null, target: `${TARGET}moved` });
    expect(await reuse(`${TARGET}moved`)).toMatchObject({ id: bare.id });
  });

  test("each domain has its own, also after a move and a restore", async () => {
    await room.links.domainService.create({ host: "go.example" }, COMMAND);
    await other.links.domains.load();
    const here = await reuse();
    const there = await reuse(TARGET, { domain: "go.example" });
    expect(there.id).not.toBe(here.id);
    expect(await reuse(TARGET, { domain: "go.example" })).toMatchObject({ id: there.id });
    await room.links.remove(here.code);
    await room.links.patch(there.code, { domain: "" });
    expect(await reuse()).toMatchObject({ id: there.id });
    expect((await reuse(TARGET, { domain: "go.example" })).isReused).toBeUndefined();
    await room.links.remove((await reuse()).code);
    await room.links.deleted.restore(COMMAND, there.id, null);
    expect(await reuse()).toMatchObject({ id: there.id });
  });

  test("only links that the caller may change, and of the owner that is given", async () => {
    const [eve, bob] = [room.links.by(editor(7)), room.links.by(editor(8))];
    const own = await eve.create({ target: TARGET, reuse: true });
    expect((await bob.create({ target: TARGET, reuse: true })).isReused).toBeUndefined();
    expect(await eve.create({ target: TARGET, reuse: true })).toMatchObject({ id: own.id, isReused: true });
    expect((await reuse()).isReused).toBe(true);
    const team = { ...editor(9), teams: new Map([[7, "editor" as const]]) };
    expect(await room.links.by(team).create({ target: TARGET, reuse: true })).toMatchObject({ id: own.id });
    const viewer = { ...editor(10), teams: new Map([[7, "viewer" as const]]) };
    expect((await room.links.by(viewer).create({ target: TARGET, reuse: true })).isReused).toBeUndefined();
  });

  test("other fields are refused", async () => {
    for (const more of [
      { code: "a" },
      { title: "t" },
      { tags: ["t"] },
      { force: true },
      { expires_at: "7d" },
    ])
      expect(await refusal(reuse(TARGET, more))).toBe("BadRequest");
    expect(await reuse(TARGET, { title: "", tags: [], code: null })).toMatchObject({ target: TARGET });
  });

  test("several creates at once give one link, on two nodes too", async () => {
    const made = await Promise.all(
      Array.from({ length: 24 }, (_, at) =>
        (at % 2 === 0 ? room : other).links.create({ target: `${TARGET}${at % 3}`, reuse: true }),
      ),
    );
    expect(new Set(made.map(({ id }) => id)).size).toBe(3);
    expect(await room.rows("links")).toBe(3);
    expect(made.filter(({ isReused }) => !isReused)).toHaveLength(3);
  });

  test("items of a batch that ask for it share a link, two batches at once too", async () => {
    await room.links.create({ code: "known", target: `${TARGET}0` });
    const items = Array.from({ length: 1_200 }, (_, at) => ({
      target: `${TARGET}${at % 400}`,
      reuse: true,
    }));
    const [first, second] = await Promise.all([
      room.links.batch.create([...items, { code: "new", target: `${TARGET}0` }]),
      other.links.batch.create(items),
    ]);
    expect(first.failed).toEqual([]);
    expect(first.success).toHaveLength(1_201);
    expect(first.success.slice(0, 1_200)).toEqual(second.success);
    expect(first.success[400]).toBe("known");
    expect(await room.rows("links")).toBe(401);
  });
});
