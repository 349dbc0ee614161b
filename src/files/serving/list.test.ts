import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { forEachDialect } from "../../platform/db/for-each-dialect.test-support.ts";
import type { Actor } from "../../lib/actor.ts";
import { cursorText } from "../../lib/cursor.ts";
import type { Shareable, ShareOrder } from "./served.ts";
import { createEntryShares } from "./service.ts";
import { startShares, type SharesHarness } from "../shares/shares.test-support.ts";

const LIMITS = { max_bytes: 1_000, max_files: 3, max_file_size: 10 };

forEachDialect((dialect) => {
  let at: SharesHarness;
  let me: number;
  let actor: Actor;
  let ignoresCase = false;
  beforeAll(async () => {
    at = await startShares(await dialect.openDb({ poolSize: 8 }), { ignoresCase: () => ignoresCase });
  });
  beforeEach(async () => {
    me = await at.account();
    actor = at.actor(me);
  });
  afterAll(() => at?.close());

  const share = async (place: Shareable, account = me) =>
    (await at.shares.create(account, place, {}, at.actor(account))).code;
  const page = (accountId: number | null, number: number, pageSize: number) =>
    at.shares.page({ accountId }, { page: number, pageSize });
  const codes = (shares: readonly { code: string }[]) => shares.map(({ code }) => code);

  test("an account's shares and drop boxes are listed newest first, in pages and by cursor", async () => {
    const folder = await at.folder(me, null, "inbox");
    const file = (await at.upload(me, folder, "2.txt")).id;
    const made: string[] = [];
    for (let n = 0; n < 7; n++) {
      made.push(await share(n % 2 === 0 ? { kind: "file", id: file } : { kind: "folder", id: folder }));
    }
    await at.changes.patch(me, made[6]!, { drop: { folder_id: folder, ...LIMITS } }, actor);
    const other = await at.account();
    const foreign = await share({ kind: "file", id: (await at.upload(other, null, "x")).id }, other);
    const newest = made.toReversed();
    const whole = await page(me, 1, 100);
    expect([codes(whole.shares), whole.total]).toEqual([newest, 7]);
    expect(whole.shares[0]).toMatchObject({
      kind: "drop",
      entry: { id: folder, name: "inbox" },
      drop: { maxBytes: 1_000, maxFiles: 3, maxFileSize: 10, isTwoWay: false, bytes: 0, files: 0 },
      inTrash: false,
    });
    expect(whole.shares[1]).toMatchObject({
      kind: "folder",
      entry: { id: folder, name: "inbox" },
      drop: null,
    });
    expect(whole.shares[2]).toMatchObject({ kind: "file", entry: { id: file, name: "2.txt" } });
    const pages = [await page(me, 1, 3), await page(me, 2, 3), await page(me, 3, 3), await page(me, 4, 3)];
    expect(pages.map(({ shares }) => codes(shares))).toEqual([
      newest.slice(0, 3),
      newest.slice(3, 6),
      newest.slice(6),
      [],
    ]);
    const seen: string[] = [];
    for (let after: string | null = "", rounds = 0; after !== null; rounds++) {
      const { shares, next }: Awaited<ReturnType<typeof at.shares.after>> = await at.shares.after(
        { accountId: me },
        after,
        3,
      );
      seen.push(...codes(shares));
      after = next;
      if (rounds > 5) throw new Error("the list does not end");
    }
    expect(seen).toEqual(newest);
    const all = await page(null, 1, 100);
    expect(codes(all.shares).slice(0, 8)).toEqual([foreign, ...newest]);
    expect(all.shares[0]!.owner).toMatchObject({ id: other, username: expect.stringMatching(/^user/) });
    expect(codes(await at.shares.list(me, { kind: "folder", id: folder }))).toEqual(
      [5, 3, 1].map((n) => made[n]!),
    );
  });

  test("codes are found in any case where case is ignored", async () => {
    const folder = { kind: "folder", id: await at.folder(me, null, "any case") } as const;
    ignoresCase = true;
    try {
      const capitals = async () => (await share(folder)).toUpperCase();
      const code = await capitals();
      expect(await at.shares.get(me, code)).toMatchObject({ code: code.toLowerCase() });
      await at.shares.revoke(me, folder, code, actor);
      await at.shares.end(me, await capitals(), actor);
      const boxes = createEntryShares(at.parts, { isDrop: true });
      const box = await capitals();
      await at.changes.patch(me, box, { drop: { folder_id: folder.id, ...LIMITS } }, actor);
      expect(await boxes.linkOf(folder, box)).toBeGreaterThan(0);
      await boxes.end(me, folder, box, actor);
      expect((await page(me, 1, 10)).total).toBe(0);
    } finally {
      ignoresCase = false;
    }
  });

  test("what lies in the trash is named as before, and said to be there", async () => {
    const outer = await at.folder(me, null, "outer");
    const inner = await at.folder(me, outer, "inner");
    const file = (await at.upload(me, inner, "deep.txt")).id;
    const single = (await at.upload(me, null, "single.txt")).id;
    const [deep, around, alone] = [
      await share({ kind: "file", id: file }),
      await share({ kind: "folder", id: outer }),
      await share({ kind: "file", id: single }),
    ];
    const shown = async () =>
      (await page(me, 1, 10)).shares.map(({ code, entry, inTrash }) => [code, entry!.name, inTrash]);
    await at.trash.put(me, { kind: "folder", id: outer });
    expect(await shown()).toEqual([
      [alone, "single.txt", false],
      [around, "outer", true],
      [deep, "deep.txt", true],
    ]);
    await at.trash.put(me, { kind: "file", id: single });
    expect((await shown())[0]).toEqual([alone, "single.txt", true]);
  });

  test("a list is searched, narrowed by kind and state, and sorted", async () => {
    const folder = await at.folder(me, null, "Äpfel 100%");
    const made = async (name: string, input: { max_downloads?: number; title?: string }) => {
      const file = (await at.upload(me, null, name)).id;
      const { title = null } = input;
      const { code } = await at.shares.create(
        me,
        { kind: "file", id: file },
        { ...input, title, expires_at: "1h" },
        actor,
      );
      return { code, file };
    };
    const used = await made("used.txt", { max_downloads: 1 });
    const lost = await made("lost.txt", { title: "Minutes of May" });
    const [whole, box] = [
      await share({ kind: "folder", id: folder }),
      await share({ kind: "folder", id: folder }),
    ];
    await at.changes.patch(me, box, { drop: { folder_id: folder, ...LIMITS } }, actor);
    const ids = await at.database.read.selectFrom("links").select(["id", "code"]).execute();
    const idOf = (code: string) => ids.find((link) => link.code === code)!.id;
    expect(await at.shares.count(idOf(used.code))).toBe(true);
    const { write } = at.database;
    const blob = await write.selectFrom("entries").select("blob_id").where("id", "=", lost.file).execute();
    await write.updateTable("blobs").set({ state: "damaged" }).where("id", "=", blob[0]!.blob_id).execute();
    const found = async (filter: object, order?: Parameters<typeof at.shares.page>[2]) => {
      const { shares, total } = await at.shares.page(
        { accountId: me, ...filter },
        { page: 1, pageSize: 9 },
        order,
      );
      expect(total).toBe(shares.length);
      return codes(shares);
    };
    expect(await found({ search: "MINUTES" })).toEqual([lost.code]);
    expect(await found({ search: "Äpfel 100%" })).toEqual([box, whole]);
    expect(await found({ search: "100_" })).toEqual([]);
    expect(await found({ search: used.code })).toEqual([used.code]);
    expect(await found({ kind: "drop" })).toEqual([box]);
    expect(await found({ kind: "folder" })).toEqual([whole]);
    expect(await found({ kind: "file" })).toEqual([lost.code, used.code]);
    expect(await found({ state: "damaged" })).toEqual([lost.code]);
    expect(await found({ state: "used_up" })).toEqual([used.code]);
    expect(await found({ state: "active" })).toEqual([box, whole]);
    expect((await at.shares.page({ accountId: me }, { page: 1, pageSize: 9 })).shares[2]!.isDamaged).toBe(
      true,
    );
    await write.updateTable("shares").set({ files: 3 }).where("link_id", "=", idOf(box)).execute();
    expect(await found({ state: "used_up" })).toEqual([box, used.code]);
    at.time.now += 3_600_000;
    expect(await found({ state: "expired" })).toEqual([used.code]);
    expect(await found({ state: "active", kind: "file" })).toEqual([]);

    const click = (code: string, clicks: number, automated: number) =>
      write.updateTable("link_clicks").set({ clicks, automated }).where("link_id", "=", idOf(code)).execute();
    await click(whole, 7, 5);
    const sorted = (by: ShareOrder["by"], isDescending: boolean) => found({}, { by, isDescending });
    expect(await sorted("created_at", false)).toEqual([used.code, lost.code, whole, box]);
    expect((await sorted("click_count", true))[0]).toBe(whole);
    expect(await sorted("click_count", false)).toEqual([box, lost.code, used.code, whole]);
    await click(lost.code, 3, 0);
    expect(await sorted("click_count", true)).toEqual([whole, lost.code, box, used.code]);
    expect(await sorted("human_clicks", true)).toEqual([lost.code, whole, box, used.code]);
    expect(await sorted("expires_at", false)).toEqual([lost.code, used.code, box, whole]);
    const byCode = [used.code, lost.code, whole, box].toSorted((a, b) => (a < b ? -1 : 1));
    expect(await sorted("code", true)).toEqual(byCode.toReversed());
    const { shares, next } = await at.shares.after({ accountId: me, kind: "file" }, "", 1);
    expect([codes(shares), next]).toEqual([[lost.code], cursorText({ id: idOf(lost.code) })]);
  });

  test("what serves entries is found by them, by what is in them, and by folders around them", async () => {
    const folder = await at.folder(me, null, "outer");
    const inner = await at.folder(me, folder, "inner");
    const [deep, beside] = [
      (await at.upload(me, inner, "deep")).id,
      (await at.upload(me, folder, "beside")).id,
    ];
    const ofFolder = await share({ kind: "folder", id: folder });
    const ofDeep = await share({ kind: "file", id: deep });
    const several = await at.shares.createOfItems(me, [deep, beside], { expires_at: "1h" }, actor);
    const found = async (id: number, around: boolean, within: number | null = null) => {
      const filter = { accountId: me, within, entries: { ids: [id], around } };
      return codes((await at.shares.page(filter, { page: 1, pageSize: 9 })).shares);
    };
    expect(await found(folder, false)).toEqual([several.code, ofDeep, ofFolder]);
    expect(await found(inner, false)).toEqual([several.code, ofDeep]);
    expect(await found(deep, false)).toEqual([several.code, ofDeep]);
    expect(await found(deep, true)).toEqual([several.code, ofDeep, ofFolder]);
    expect(await found(beside, false)).toEqual([several.code]);
    expect(await found(deep, true, inner)).toEqual([ofDeep]);
    expect(await found(deep, true, folder)).toEqual([several.code, ofDeep, ofFolder]);
    const marks = async (parentId: number) =>
      (await at.shares.marks(me, parentId)).toSorted((a, b) => a.id - b.id);
    expect(await marks(folder)).toEqual([{ id: beside, shares: 1, drops: 0 }]);
    expect(await marks(inner)).toEqual([{ id: deep, shares: 2, drops: 0 }]);
    at.time.now += 3_600_000;
    expect(await marks(folder)).toEqual([]);
    await at.changes.patch(me, ofFolder, { drop: { folder_id: folder, ...LIMITS } }, actor);
    expect(await marks(0)).toEqual([{ id: folder, shares: 0, drops: 1 }]);
  });
});
