import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { Database } from "../../platform/db/database.ts";
import { forEachDialect } from "../../platform/db/for-each-dialect.test-support.ts";
import { COMMAND } from "../../lib/actor.ts";
import type { ActorLinks } from "../../links/actor-links.ts";
import { refusal } from "../drive.test-support.ts";
import type { Shareable } from "../serving/served.ts";
import { startShares, type SharesHarness } from "./shares.test-support.ts";

forEachDialect((dialect) => {
  let database: Database;
  let at: SharesHarness;
  let links: ActorLinks;
  let shares: SharesHarness["shares"];
  let me: number;
  let changed: string[];
  beforeAll(async () => {
    database = await dialect.openDb({ poolSize: 8 });
    at = await startShares(database);
    ({ shares, changed } = at);
    links = at.service.by(COMMAND);
  });
  beforeEach(async () => {
    me = await at.account();
    changed.length = 0;
  });
  afterEach(async () => expect(await at.wrongs()).toEqual([]));
  afterAll(() => at?.close());

  const file = async (name = "file", folderId: number | null = null): Promise<Shareable> => ({
    kind: "file",
    id: (await at.upload(me, folderId, name)).id,
  });
  const linkId = async (code: string) => (await links.get(code)).id;
  const none = {};

  describe("a share", () => {
    test("is a link with a row of its own, listed newest first and revoked with its link", async () => {
      const place = await file();
      const code = crypto.randomUUID();
      const first = await shares.create(
        me,
        place,
        { ...none, code, password: "p", expires_at: "1d" },
        COMMAND,
      );
      expect(first).toMatchObject({
        code,
        target: `waymark:file/${place.id}`,
        passwordHash: "hash of p",
        expiresAt: at.content.time.now + 86_400_000,
        maxDownloads: null,
        downloads: 0,
        clickCount: 0,
      });
      await expect(shares.create(me, place, { code }, COMMAND)).rejects.toThrow(/; choose another\.$/);
      const second = await shares.create(me, place, { max_downloads: 2 }, COMMAND);
      expect(second.code).toMatch(/^[A-Za-z0-9]{14}$/);
      expect(changed.toSorted()).toEqual([code, second.code].toSorted());
      const listed = await shares.list(me, place);
      expect(listed.map((share) => [share.code, share.maxDownloads])).toEqual([
        [second.code, 2],
        [code, null],
      ]);
      const id = await linkId(code);
      expect(await shares.find(id)).toMatchObject({ linkId: id, code, entryId: place.id, accountId: me });
      await shares.revoke(me, place, code, COMMAND);
      expect(await refusal(shares.revoke(me, place, code, COMMAND))).toBe("LinkNotFound");
      expect(await refusal(links.get(code))).toBe("LinkNotFound");
      expect(await shares.find(id)).toBeNull();
      await links.remove(second.code);
      expect(await shares.list(me, place)).toEqual([]);
      const deleted = await database.read.selectFrom("deleted_links").select("code").execute();
      expect(deleted.map((row) => row.code).sort()).toEqual([code, second.code].sort());
    });

    test("that was taken down stays as it is until it is put back", async () => {
      const place = await file();
      const code = crypto.randomUUID();
      await shares.create(me, place, { ...none, code }, COMMAND);
      const review = { reason: null, updatedAt: null };
      await at.service.safety.review(COMMAND, code, { ...review, action: "take_down" });
      const owner = { name: "me", via: "api", accountId: me, ownOnly: true } as const;
      expect(await refusal(shares.revoke(me, place, code, owner))).toBe("Conflict");
      expect(await refusal(shares.end(me, code, owner))).toBe("Conflict");
      expect(await shares.list(me, place)).toMatchObject([{ code }]);
      await at.service.safety.review(COMMAND, code, { ...review, action: "reinstate" });
      await shares.end(me, code, owner);
    });

    test("that was taken down stays without its file, as evidence, until an administrator deletes it", async () => {
      const place = await file();
      const [code, other] = [crypto.randomUUID(), crypto.randomUUID()];
      for (const one of [code, other]) await shares.create(me, place, { ...none, code: one }, COMMAND);
      const { id } = await links.get(code);
      await shares.finish(id);
      const review = { reason: "malware", updatedAt: null };
      await at.service.safety.review(COMMAND, code, { ...review, action: "take_down" });
      const before = await links.get(code);
      await at.files.remove(me, place.id);
      expect(await links.get(code)).toEqual(before);
      expect(await refusal(links.get(other))).toBe("LinkNotFound");
      expect(await shares.find(id)).toBeNull();
      await at.service.safety.review(COMMAND, code, { ...review, action: "reinstate" });
      expect(await shares.find(id)).toBeNull();
      await links.remove(code);
      expect(await refusal(links.get(code))).toBe("LinkNotFound");
    });

    test("refuses a used, reserved or malformed code and leaves no link", async () => {
      const place = await file();
      const code = crypto.randomUUID();
      await links.create({ code, target: "https://example.com/" });
      const create = (input: object) => refusal(shares.create(me, place, { ...none, ...input }, COMMAND));
      expect(await create({ code })).toBe("LinkAlreadyExists");
      expect(await create({ code: "admin/x" })).toBe("LinkReservedCode");
      expect(await create({ code: ".well-known/security.txt" })).toBe("LinkReservedCode");
      expect(await create({ code: "a b" })).toBe("LinkInvalidCode");
      expect(await create({ expires_at: "soon" })).toBe("LinkInvalidExpireTime");
      expect(await shares.list(me, place)).toEqual([]);
    });

    test("of one code is created once by simultaneous requests", async () => {
      const place = await file();
      const code = crypto.randomUUID();
      const outcomes = await Promise.all(
        Array.from({ length: 8 }, () => refusal(shares.create(me, place, { ...none, code }, COMMAND))),
      );
      expect(outcomes.toSorted()).toEqual([...Array<string>(7).fill("LinkAlreadyExists"), "no error"]);
      expect((await shares.list(me, place)).length).toBe(1);
    });

    test("is visible to its owner only", async () => {
      const place = await file();
      const { code } = await shares.create(me, place, none, COMMAND);
      const other = await at.account();
      expect(await refusal(shares.create(other, place, none, COMMAND))).toBe("FileNotFound");
      expect(await refusal(shares.list(other, place))).toBe("FileNotFound");
      expect(await refusal(shares.revoke(other, place, code, COMMAND))).toBe("FileNotFound");
      expect(await refusal(shares.create(me, { kind: "folder", id: place.id }, none, COMMAND))).toBe(
        "FolderNotFound",
      );
      expect(await refusal(shares.create(me, { kind: "folder", id: 0 }, none, COMMAND))).toBe(
        "FolderNotFound",
      );
      const mine = await file("another");
      expect(await refusal(shares.revoke(me, mine, code, COMMAND))).toBe("LinkNotFound");
    });

    test("can't be overwritten or updated as a link", async () => {
      const { code } = await shares.create(me, await file(), none, COMMAND);
      const target = "https://example.com/";
      expect(await refusal(links.create({ code, target, force: true }))).toBe("Conflict");
      expect(await refusal(links.update(code, { target }))).toBe("Conflict");
      const batch = await links.batch.update([{ code, payload: { target } }]);
      expect(batch.failed.map((item) => item.code)).toEqual([code]);
    });

    test("is not served after it expires or while its account is disabled", async () => {
      const { code } = await shares.create(me, await file(), { ...none, expires_at: "1h" }, COMMAND);
      const id = await linkId(code);
      const disable = (disabled: number) =>
        database.write.updateTable("users").set({ disabled }).where("id", "=", me).execute();
      await disable(1);
      expect(await shares.find(id)).toBeNull();
      await disable(0);
      expect(await shares.find(id)).not.toBeNull();
      at.content.time.now += 3_600_000;
      expect(await shares.find(id)).toBeNull();
    });

    test("is deleted with its file and with the folder around it", async () => {
      const folder = await at.folder(me, null, "folder");
      const inner = await file("inner", folder);
      const codes = [
        (await shares.create(me, inner, none, COMMAND)).code,
        (await shares.create(me, { kind: "folder", id: folder }, none, COMMAND)).code,
      ];
      const single = await file("single");
      const { code } = await shares.create(me, single, none, COMMAND);
      changed.length = 0;
      await at.files.remove(me, single.id);
      expect(changed).toEqual([code]);
      expect(await refusal(links.get(code))).toBe("LinkNotFound");
      changed.length = 0;
      await at.folders.remove(me, folder);
      expect(changed.toSorted()).toEqual(codes.toSorted());
      for (const gone of codes) expect(await refusal(links.get(gone))).toBe("LinkNotFound");
    });

    test("made while its file is deleted never outlives the file", async () => {
      for (let round = 0; round < 10; round++) {
        const place = await file(`raced ${round}`);
        const code = crypto.randomUUID();
        await Promise.all([
          refusal(shares.create(me, place, { ...none, code }, COMMAND)),
          at.files.remove(me, place.id),
        ]);
        expect(await refusal(links.get(code))).toBe("LinkNotFound");
      }
    });

    test("of a folder serves its contents at any depth, and nothing else", async () => {
      const outer = await at.folder(me, null, "outer");
      const shared = await at.folder(me, outer, "shared");
      const sub = await at.folder(me, shared, "sub");
      const [inside, outside] = [await file("inside", sub), await file("outside", outer)];
      const { code } = await shares.create(me, { kind: "folder", id: shared }, none, COMMAND);
      const share = (await shares.find(await linkId(code)))!;
      const place = await shares.place(share, inside.id);
      expect([place.file.name, ...place.path.map(({ id }) => id)]).toEqual(["inside", shared, sub]);
      expect((await shares.folders(share, sub)).map(({ id }) => id)).toEqual([shared, sub]);
      expect(await refusal(shares.place(share, outside.id))).toBe("FileNotFound");
      for (const id of [outer, 0, inside.id]) {
        expect(await refusal(shares.folders(share, id))).toBe("FolderNotFound");
      }
    });
  });

  test("concurrent downloads are counted exactly up to the limit", async () => {
    const place = await file();
    const { code } = await shares.create(me, place, { max_downloads: 3 }, COMMAND);
    const id = await linkId(code);
    const counted = await Promise.all(Array.from({ length: 12 }, () => shares.count(id)));
    expect(counted.filter(Boolean).length).toBe(3);
    await shares.uncount(id);
    expect([await shares.count(id), await shares.count(id)]).toEqual([true, false]);
    const free = await linkId((await shares.create(me, place, none, COMMAND)).code);
    await shares.uncount(free);
    for (let n = 0; n < 4; n++) expect(await shares.count(free)).toBe(true);
    const downloads = (await shares.list(me, place)).map((share) => share.downloads);
    expect(downloads).toEqual([4, 3]);
  });
});
