import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "bun:test";
import { forEachDialect } from "../../platform/db/for-each-dialect.test-support.ts";
import type { Actor } from "../../lib/actor.ts";
import { refusal } from "../drive.test-support.ts";
import { ITEMS } from "../shares/share.ts";
import { startShares, type SharesHarness } from "../shares/shares.test-support.ts";

forEachDialect((dialect) => {
  let at: SharesHarness;
  let me: number;
  let actor: Actor;
  beforeAll(async () => {
    at = await startShares(await dialect.openDb({ poolSize: 8 }));
  });
  beforeEach(async () => {
    me = await at.account();
    actor = at.actor(me);
  });
  afterEach(async () => {
    expect(await at.mismatches()).toEqual([]);
    expect(await at.wrongs()).toEqual([]);
  });
  afterAll(() => at?.close());

  const upload = async (name: string, folder: number | null = null) => (await at.upload(me, folder, name)).id;
  const make = async (...ids: number[]) => (await at.shares.createOfItems(me, ids, {}, actor)).code;
  const find = async (code: string) => (await at.shares.find((await at.repository.linkWith(code))!.linkId))!;
  const names = async (code: string) =>
    (await at.shares.itemsByCode(me, code)).map(({ name }) => name).toSorted();
  const only = (filter: object) => at.shares.page({ accountId: me, ...filter }, { page: 1, pageSize: 9 });

  test("several items are one share; what is removed leaves it, and the last one ends it", async () => {
    const folder = await at.folder(me, null, "folder");
    const [one, two, inside] = [await upload("one"), await upload("two"), await upload("inside", folder)];
    const code = await make(one, two, folder);
    expect(await names(code)).toEqual(["folder", "one", "two"]);
    const share = await find(code);
    expect(share).toMatchObject({ kind: "items", entryId: ITEMS, accountId: me, rootFile: null });
    expect((await at.shares.place(share, two)).path.map(({ id }) => id)).toEqual([ITEMS]);
    expect((await at.shares.place(share, inside)).path.map(({ id }) => id)).toEqual([ITEMS, folder]);
    expect((await at.shares.folders(share, ITEMS)).map(({ id }) => id)).toEqual([ITEMS]);
    expect(await refusal(at.shares.place(share, await upload("other")))).toBe("FileNotFound");
    expect(await refusal(at.shares.folders(share, await at.folder(me, null, "elsewhere")))).toBe(
      "FolderNotFound",
    );

    expect((await only({ kind: "items" })).shares).toMatchObject([
      { code, kind: "items", items: 3, entry: { name: expect.any(String) }, inTrash: false },
    ]);
    for (const kind of ["file", "folder", "drop"] as const) expect((await only({ kind })).total).toBe(0);
    expect((await only({ search: "two" })).total).toBe(1);
    expect((await only({ search: "inside" })).total).toBe(0);
    expect(await at.shares.list(me, { kind: "file", id: one })).toEqual([]);

    await at.files.remove(me, one);
    expect(await names(code)).toEqual(["folder", "two"]);
    await at.folders.remove(me, folder);
    expect(await names(code)).toEqual(["two"]);
    expect((await find(code)).kind).toBe("items");
    await at.files.remove(me, two);
    expect(await at.repository.linkWith(code)).toBeNull();
  });

  test("items are changed, brought back and no one else's", async () => {
    const [one, two, three] = [await upload("1"), await upload("2"), await upload("3")];
    const code = await make(one, two);
    const patch = (change: object) => at.changes.patch(me, code, change, actor);
    expect(await patch({ items: [{ file_id: three }, { file_id: two }, { file_id: two }] })).toMatchObject({
      kind: "items",
      items: 2,
    });
    expect(await names(code)).toEqual(["2", "3"]);
    expect(await patch({ file_id: one })).toMatchObject({ kind: "file", items: null });
    const linkId = (await at.repository.linkWith(code))!.linkId;
    const { items: events } = { items: await at.history(linkId) };
    expect(events[0]!.after).toMatchObject({ target: "waymark:items/0", items: [one, two] });
    expect(events[1]).toMatchObject({ before: { items: [one, two] }, after: { items: [two, three] } });
    expect(events[2]!.before).toMatchObject({ items: [two, three] });

    await at.files.remove(me, three);
    const ids = await at.eventIds(linkId);
    const revert = (nth: number) =>
      at.changes.revertLink(me, code, { eventId: ids[nth]!, state: "after" }, { actor, mayShare() {} });
    expect(await revert(1)).toMatchObject({ kind: "items", items: 1 });
    expect(await names(code)).toEqual(["2"]);

    const other = await at.account();
    const theirs = (await at.upload(other, null, "theirs")).id;
    expect(await refusal(patch({ items: [{ file_id: theirs }] }))).toBe("FileNotFound");
    expect(await refusal(patch({ items: [{ file_id: one }], add: true }))).toBe("BadRequest");
    expect(await refusal(patch({ items: [{ file_id: one }], file_id: one }))).toBe("BadRequest");
    expect(await refusal(make(one, theirs))).toBe("FileNotFound");
  });
});
