import { parseBulkId } from "../bulk-id.ts";
import { beforeAll, beforeEach, expect, test } from "bun:test";
import { forEachDialect } from "../../platform/db/for-each-dialect.test-support.ts";
import { type Actor, COMMAND } from "../../lib/actor.ts";
import { validated } from "../../lib/validated.ts";
import { DAY, type LinksRoom, NOW, openLinks, refusal, TARGET } from "../links.test-support.ts";
import { keyOf } from "../link/key.ts";
import { linkQueryOf } from "../list/query.ts";
import { bulkCursorText, bulkPlaceOf, queryBatchSchema } from "./query-batch.ts";

const EDITOR: Actor = { name: "ed", via: "api", accountId: 5, ownOnly: true };
const ADMIN: Actor = { name: "admin", via: "panel", accountId: 0, ownOnly: false };

const PORTION = 10;

forEachDialect((dialect) => {
  let room: LinksRoom;
  beforeAll(async () => {
    room = await openLinks(await dialect.openDb({ threads: true }), { portion: PORTION });
  });
  beforeEach(() => room.clear());

  const run = async (input: object, links: Pick<LinksRoom["links"], "queryBatch"> = room.links) =>
    links.queryBatch(validated(queryBatchSchema, input, "The body"));
  const fill = async (count: number, tags: (at: number) => string[]) => {
    const items = Array.from({ length: count }, (_, at) => ({
      code: `l${at}`,
      target: `${TARGET}${at}`,
      tags: tags(at),
    }));
    expect((await room.links.batch.create(items)).failed).toEqual([]);
  };

  const found = async (tag: string) =>
    (await room.links.list(linkQueryOf({ tag: [tag], sort: "code" }, NOW))).links.map(({ code }) => code);

  test("what a filter finds is counted, changed and deleted, over several portions", async () => {
    await fill(26, (at) => (at % 13 === 0 ? ["old"] : ["old", "new"]));
    const filter = { tag: ["OLD", "new"] };
    expect(await run({ filter, action: "delete", dry_run: true })).toEqual({ matched: 24, changed: 0 });
    expect(await room.rows("links")).toBe(26);
    const set = { target: "https://b.example/", expires_at: "1d", add_tags: ["x"], remove_tags: ["new"] };
    const done = await run({ filter, action: "update", set });
    expect(done).toEqual({ matched: 24, changed: 24, change: expect.any(String) });
    expect(await run({ filter, action: "update", set, dry_run: true })).toMatchObject({ matched: 0 });
    expect(await room.links.get("l1")).toMatchObject({
      target: "https://b.example/",
      expiresAt: NOW + DAY,
      tags: ["old", "x"],
    });
    expect(await room.links.get("l0")).toMatchObject({ target: `${TARGET}0`, tags: ["old"] });
    expect(await run({ filter: { search: "B.EXAMPLE" }, action: "delete" })).toMatchObject({ changed: 24 });
    expect(await room.rows("links")).toBe(2);
    expect(await room.links.tags.list()).toEqual([{ tag: "old", links: 2 }]);
  });

  test("every link only with confirm, and only where the actor reaches it", async () => {
    await fill(3, () => []);
    const own = room.links.by(EDITOR);
    await own.create({ code: "mine", target: TARGET });
    const everything = { filter: {}, action: "delete" };
    expect(await refusal(run(everything))).toBe("BadRequest");
    expect(
      await refusal(run({ ...everything, filter: { tag: "", only_active: false, search: "", domain: "*" } })),
    ).toBe("BadRequest");
    expect(await refusal(run({ ...everything, confirm: "yes" }))).toBe("BadRequest");
    expect(await refusal(own.queryBatch({ filter: {}, action: "delete" }))).toBe("BadRequest");
    expect(await run({ ...everything, dry_run: true })).toMatchObject({ matched: 4 });
    expect(await own.queryBatch({ filter: {}, action: "delete", confirm: "all" })).toMatchObject({
      changed: 1,
    });
    expect(await run({ ...everything, confirm: "all" })).toMatchObject({ matched: 3, changed: 3 });
  });

  test("an owner narrows the filter, and shows an editor nobody else's links", async () => {
    const own = room.links.by(EDITOR);
    await own.create({ code: "mine", target: TARGET });
    await room.links
      .by({ ...EDITOR, accountId: 0, ownOnly: false })
      .create({ code: "admins", target: TARGET });
    const count = (owner: number) => run({ filter: { owner }, action: "delete", dry_run: true });
    expect(await count(5)).toMatchObject({ matched: 1 });
    expect(await count(6)).toMatchObject({ matched: 0 });
    for (const owner of [1, 6]) {
      const filter = { owner };
      expect(await own.queryBatch({ filter, action: "delete", dry_run: true })).toMatchObject({ matched: 0 });
      expect(await own.queryBatch({ filter, action: "delete" })).toMatchObject({ matched: 0, changed: 0 });
    }
    expect(await room.rows("links")).toBe(2);
    expect(await own.queryBatch({ filter: { owner: 5 }, action: "delete" })).toMatchObject({ changed: 1 });
    expect(await room.links.get("admins")).toMatchObject({ code: "admins" });
  });

  test("in several calls it is one change, whatever is made meanwhile", async () => {
    await fill(26, () => ["x"]);
    const request = { filter: { tag: "x" }, action: "update", set: { remove_tags: ["x"] }, limit: 12 };
    const calls = [await run(request)];
    expect(calls[0]).toMatchObject({ matched: 12, changed: 12 });
    room.clock.time += 60_000;
    await room.links.create({ code: "later", target: TARGET, tags: ["x"] });
    for (let { next } = calls[0]!; next !== undefined; next = calls.at(-1)!.next) {
      calls.push(await run({ ...request, cursor: next }));
    }
    expect(calls.map(({ changed }) => changed)).toEqual([12, 12, 2]);
    expect(new Set(calls.map(({ change }) => change)).size).toBe(1);
    expect(await room.links.tags.list()).toEqual([{ tag: "x", links: 1 }]);
    const { restored } = await room.links.undoBatch(parseBulkId(calls[2]!.change!), 0);
    expect(restored).toBe(PORTION);
  });

  test("a cursor that is not of an own change of the last day goes on as a change of its own", async () => {
    await fill(4, () => ["x"]);
    const request = { filter: { tag: "x" }, action: "update", set: { title: "t" }, limit: 1 };
    const { next: cursor, change } = await run(request);
    const others = await run({ ...request, cursor }, room.links.by({ ...EDITOR, ownOnly: false }));
    expect(others).toMatchObject({ changed: 1, change: expect.any(String) });
    expect(others.change).not.toBe(change);
    const old = { ...bulkPlaceOf(cursor)!, at: NOW - 60_000 };
    const dated = await run({ ...request, set: { title: "u" }, cursor: bulkCursorText(old) });
    expect(parseBulkId(dated.change!).at).toBe(NOW);
    room.clock.time += 2 * DAY;
    const afterDays = await run({ ...request, set: { title: "v" }, cursor });
    expect(parseBulkId(afterDays.change!).at).toBe(room.clock.time);
    expect(await refusal(run({ ...request, cursor: "W10" }))).toBe("BadRequest");
  });

  test("named links are changed and deleted, on whatever domain, and no other", async () => {
    await fill(60, (at) => (at < 3 ? ["few"] : []));
    const { id, host } = await room.links.domainService.create({ host: "other.example" }, COMMAND);
    await room.links.create({ code: "l1", domain: host, target: TARGET });
    const key = keyOf(id, "l1");
    const codes = [
      { code: "l1", domain: host },
      { code: "l2", domain: null },
      "l3",
      "l3",
      "gone",
      "no code!",
    ];
    const set = { add_tags: ["x"] };
    const input = { filter: { codes }, action: "update", set };
    expect(await run({ ...input, dry_run: true })).toEqual({ matched: 3, changed: 0 });
    const { change } = await run(input);
    expect(await found("x")).toEqual(["l2", "l3", key]);
    expect((await room.links.undoBatch(parseBulkId(change!), 0)).restored).toBe(3);
    expect(await found("x")).toEqual([]);

    expect(await run({ ...input, filter: { codes, domain: "" } })).toMatchObject({ matched: 2 });
    // A plain code is of the filter's domain, with "*" of every one.
    const ofBoth = (domain?: string) => run({ ...input, filter: { codes: ["l1"], domain }, dry_run: true });
    expect((await Promise.all([undefined, host, "*"].map(ofBoth))).map(({ matched }) => matched)).toEqual([
      1, 1, 2,
    ]);
    expect(await run({ ...input, filter: { codes, tag: "few" } })).toMatchObject({ matched: 1 });
    expect(await room.links.by(EDITOR).queryBatch({ filter: { codes }, action: "delete" })).toMatchObject({
      matched: 0,
    });
    // More than one statement names.
    const many = Array.from({ length: 1_200 }, (_, at) => `l${at + 10}`);
    expect(await run({ filter: { codes: many }, action: "delete" })).toMatchObject({ changed: 50 });
    expect(await room.rows("links")).toBe(11);
    const parts = await run({ filter: { codes: many }, action: "delete", limit: 1 });
    expect(parts).toEqual({ matched: 0, changed: 0 });
    await run({ filter: { codes: [codes[0]!] }, action: "delete" });
    await room.links.domainService.remove(id, COMMAND);
  });

  test("calls that name a change are parts of it, and a repeated one changes nothing twice", async () => {
    await fill(9, () => ["x"]);
    const part = (from: number, to: number, more: object = {}) => {
      const codes = Array.from({ length: to - from }, (_, at) => `l${from + at}`);
      return run({ filter: { codes }, action: "update", set: { add_tags: ["y"] }, ...more });
    };
    const { change } = await part(0, 1);
    room.clock.time += 60_000;
    const second = await part(1, 6, { change });
    expect(second).toEqual({ matched: 5, changed: 5, change });
    const { updatedAt } = await room.links.get("l3");
    room.clock.time += 60_000;
    await room.links.patch("l4", { remove_tags: ["y"] });
    expect(await part(1, 6, { change })).toEqual(second);
    expect((await room.links.get("l3")).updatedAt).toBe(updatedAt);
    expect((await room.links.get("l4")).tags).toEqual(["x"]);
    const removed = await run({ filter: { codes: ["l6", "l7"] }, action: "delete", change });
    expect(removed).toEqual({ matched: 2, changed: 2, change });
    const counted = { filter: { codes: ["l0"] }, action: "delete", change, dry_run: true };
    expect(await run(counted)).toEqual({ matched: 1, changed: 8 });
    expect(await run(counted, room.links.by(ADMIN))).toEqual({ matched: 1, changed: 0 });
    const other = await run({ filter: { codes: ["l8"] }, action: "delete", change }, room.links.by(ADMIN));
    expect(other.change).not.toBe(change);

    const undone = await room.links.undoBatch(parseBulkId(change!), 0);
    expect([undone.restored, undone.failed.map(({ code }) => code)]).toEqual([7, ["l4"]]);
    expect(await found("x")).toEqual(["l0", "l1", "l2", "l3", "l4", "l5", "l6", "l7"]);
    expect(await found("y")).toEqual([]);
  });

  test("links that are so already are found and stay, and a change of none has no name", async () => {
    await fill(26, (at) => (at < 20 ? ["x"] : []));
    const { updatedAt } = await room.links.get("l3");
    room.clock.time += 60_000;
    const request = { filter: { search: "l" }, action: "update", set: { add_tags: ["x"] } };
    const done = await run(request);
    expect(done).toEqual({ matched: 26, changed: 6, change: expect.any(String) });
    const kept = await room.links.get("l3");
    expect([kept.updatedAt, (await room.links.get("l23")).updatedAt]).toEqual([updatedAt, NOW + 60_000]);
    expect(await run(request)).toEqual({ matched: 26, changed: 0 });
    expect(await room.events.countOfBulk({ actor: "cli", ...parseBulkId(done.change!) })).toBe(6);
    // Calls go on after one that changed nothing, as one change.
    const newest = room.database.read.selectFrom("links").select("code").orderBy("id", "desc").limit(2);
    for (const { code } of await newest.execute()) await room.links.patch(code, { remove_tags: ["x"] });
    const calls = [await run({ ...request, limit: 24 })];
    for (let { next } = calls[0]!; next !== undefined; next = calls.at(-1)!.next)
      calls.push(await run({ ...request, limit: 1, cursor: next }));
    const changed = calls.filter(({ change }) => change !== undefined);
    expect(calls.reduce((sum, { matched }) => sum + matched, 0)).toBe(26);
    expect([changed.length, new Set(changed.map(({ change }) => change)).size]).toEqual([2, 1]);
    const { host } = await room.links.domainService.create({ host: "moved.example" }, COMMAND);
    const moving = { filter: { codes: ["l1"] }, action: "update", set: { domain: host } };
    expect(await run(moving)).toMatchObject({ matched: 1, changed: 1 });
  });

  test("a link that has left the filter once it is locked stays", async () => {
    await fill(2, () => ["x"]);
    const { writer, removed } = late(room);
    expect(await writer).toMatchObject({ matched: 1, changed: 1 });
    expect(removed).toEqual(["l1"]);
    expect((await room.links.get("l0")).tags).toEqual(["y"]);
  });

  /** Runs with a writer that changes the first link after the portion was read. */
  function late({ links, database }: LinksRoom) {
    const removed: string[] = [];
    const start = async () => {
      const { createQueryBatch } = await import("./query-batch.ts");
      const { createLinkListRepository } = await import("../list/repository.ts");
      const { createLinkList } = await import("../list/list.ts");
      const repository = createLinkListRepository(database);
      const batch = createQueryBatch({
        repository,
        links: room.repository,
        rule: { targetSchemes: () => [] },
        list: createLinkList(repository),
        writer: {
          update: () => Promise.reject(new Error("unused")),
          async remove(codes, { still }) {
            await links.update("l0", { target: TARGET, tags: ["y"] });
            const kept = await database.transaction((db) => still!(db, codes));
            removed.push(...kept);
            return room.links.batch.remove([...kept]).then(({ success }) => success);
          },
        },
        domains: { filterOf: () => null, key: (code) => code, list: () => [] },
        owners: {
          idOf: async () => 0,
          reachedBy: async () => 0,
          newOwner: async () => undefined,
          idsOf: async () => new Map(),
          resolved: async (query) => query,
        },
        loops: { refusal: async () => null },
        events: room.events,
        hashPassword: async (plain) => plain,
        clock: room.clock,
        actor: { name: "cli", via: "cli", accountId: null, ownOnly: false },
      });
      return batch({ filter: { tag: ["x"] }, action: "delete" });
    };
    return { writer: start(), removed };
  }

  test("writers of the same links do not disturb it", async () => {
    await fill(120, () => ["x"]);
    const [result] = await Promise.all([
      run({ filter: { tag: "x" }, action: "delete" }),
      ...Array.from({ length: 20 }, (_, at) =>
        room.links.update(`l${at * 5}`, { target: TARGET, tags: ["kept"] }).catch(() => undefined),
      ),
      room.links.create({ code: "later", target: TARGET, tags: ["x"] }),
    ]);
    const left = await room.rows("links");
    expect(result.changed).toBe(121 - left);
    for (const { tag, links } of await room.links.tags.list()) {
      expect(["kept", "x"]).toContain(tag);
      expect(links).toBeLessThanOrEqual(20);
    }
  });

  test.each([
    ["an unknown condition", { filter: { serach: "x" }, action: "delete" }],
    ["no filter", { action: "delete", confirm: "all" }],
    ["an unknown action", { filter: { search: "x" }, action: "drop" }],
    ["an update of nothing", { filter: { search: "x" }, action: "update" }],
    ["an empty update", { filter: { search: "x" }, action: "update", set: {} }],
    ["an unknown field", { filter: { search: "x" }, action: "update", set: { code: "a" } }],
    ["a set for a deletion", { filter: { search: "x" }, action: "delete", set: { target: TARGET } }],
    ["17 tags", { filter: { search: "x" }, action: "update", set: { tags: Array(17).fill("x") } }],
    ["no code at all", { filter: { codes: [] }, action: "delete" }],
    ["5001 codes", { filter: { codes: Array(5001).fill("l0") }, action: "delete" }],
    ["an unknown host", { filter: { codes: [{ code: "l0", domain: "no.example" }] }, action: "delete" }],
    ["what is no change", { filter: { codes: ["l0"] }, action: "delete", change: "W10" }],
    ["two states", { filter: { only_active: true, only_expired: true }, action: "delete" }],
  ])("%s is refused", async (_name, input) => {
    await fill(1, () => []);
    expect(await refusal(run(input))).toBe("BadRequest");
    expect(await room.rows("links")).toBe(1);
  });
});
