import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { forEachDialect } from "../../db/for-each-dialect.ts";
import { type Actor, COMMAND } from "../../lib/actor.ts";
import { type LinksRoom, openLinks, TARGET } from "../links.test-support.ts";

const COUNT = 1_100;
const EDITOR: Actor = { name: "ed", via: "panel", accountId: 5, ownOnly: true };

forEachDialect(({ openDb }) => {
  let room: LinksRoom;
  beforeAll(async () => {
    room = await openLinks(await openDb({ poolSize: 8 }));
  });
  beforeEach(() => room.clear());
  afterAll(() => room?.database.close());

  async function putBack(actor: Actor, deletedAt: string) {
    const answers = [];
    for (let after: number | null = 0; after !== null; ) {
      const answer = await room.links.deleted.restoreRun(actor, Date.parse(deletedAt), after);
      answers.push(answer);
      after = answer.next;
    }
    return {
      portions: answers.length,
      restored: answers.reduce((sum, { restored }) => sum + restored, 0),
      failed: answers.flatMap(({ failed }) => failed.map(({ code, error }) => [code, error.name])),
    };
  }

  test("a deletion by filter is put back in portions, but for codes that are taken", async () => {
    const links = Array.from({ length: COUNT }, (_, at) => ({
      code: `l${at}`,
      target: `${TARGET}${at}`,
      tags: at % 2 === 0 ? ["even"] : ["odd", "old"],
    }));
    expect((await room.links.batch.create(links)).failed).toEqual([]);
    await room.links.patch("l7", { code: "l7/new", keep_old: true });
    await room.links.create({ code: "earlier", target: TARGET });
    await room.links.remove("earlier");
    room.clock.time += 1_000;
    const { id } = await room.links.get("l8");
    const gone = await room.links.queryBatch({ filter: {}, action: "delete", confirm: "all" });
    expect(gone).toMatchObject({ matched: COUNT, changed: COUNT });
    expect(await room.rows("links")).toBe(0);
    await room.links.create({ code: "l9", target: `${TARGET}other` });

    expect(await putBack(EDITOR, gone.deleted_at!)).toEqual({ portions: 1, restored: 0, failed: [] });
    expect(await putBack(COMMAND, gone.deleted_at!)).toEqual({
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
    // Again, nothing is left but the one whose code is taken, and what was deleted at another time.
    expect(await putBack(COMMAND, gone.deleted_at!)).toEqual({
      portions: 1,
      restored: 0,
      failed: [["l9", "LinkAlreadyExists"]],
    });
    const left = await room.links.deleted.page(COMMAND, null, 10);
    expect(left.links.map(({ code }) => code)).toEqual(["l9", "earlier"]);
  });

  test("an editor puts back own links only, and only what it has deleted", async () => {
    const own = room.links.by(EDITOR);
    await own.create({ code: "mine", target: TARGET });
    await room.links.create({ code: "other", target: TARGET });
    const { deleted_at: at } = await room.links.queryBatch({ filter: {}, action: "delete", confirm: "all" });
    expect(await putBack(EDITOR, at!)).toMatchObject({ restored: 0 });
    expect(await putBack(COMMAND, at!)).toMatchObject({ restored: 2 });
    room.clock.time += 1_000;
    const owns = await own.queryBatch({ filter: {}, action: "delete", confirm: "all" });
    expect(await putBack(COMMAND, owns.deleted_at!)).toMatchObject({ restored: 0 });
    expect(await putBack(EDITOR, owns.deleted_at!)).toMatchObject({ restored: 1 });
    expect(await own.get("mine")).toMatchObject({ code: "mine" });
  });
});
