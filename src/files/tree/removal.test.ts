import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { Database } from "../../platform/db/database.ts";
import { forEachDialect } from "../../platform/db/for-each-dialect.test-support.ts";
import { type DriveHarness, refusal, startDrive } from "../drive.test-support.ts";

forEachDialect((dialect) => {
  let database: Database;
  let at: DriveHarness;
  let me: number;
  beforeAll(async () => {
    database = await dialect.openDb({ poolSize: 8 });
    at = await startDrive(database);
  });
  beforeEach(async () => {
    me = await at.account();
  });
  afterEach(async () => expect(await at.wrongs()).toEqual([]));
  afterAll(() => at?.close());

  const entries = async (): Promise<number> => {
    const query = database.read.selectFrom("entries").select((eb) => eb.fn.countAll<number>().as("n"));
    return Number((await query.executeTakeFirstOrThrow()).n);
  };

  /** A folder with `folders` folders of `files` files with one content. */
  async function fill(root: number, folders: number, files: number): Promise<number[]> {
    const common = { account_id: me, policy_id: null, created_at: 0, updated_at: 0 };
    const folder = { ...common, kind: "folder", blob_id: null, mime_type: null, sha256: null, size: 0 };
    const { blobId, sha256, size } = await at.upload(me, root, "first", "content");
    const insert = (rows: Parameters<typeof database.dialect.insertMany<"entries">>[2]) =>
      database.dialect.insertMany(database.write, "entries", rows);
    await insert(Array.from({ length: folders }, (_, i) => ({ ...folder, parent_id: root, name: `d${i}` })));
    const query = database.read.selectFrom("entries").select("id").where("parent_id", "=", root);
    const made = (await query.where("kind", "=", "folder").execute()).map(({ id }) => id);
    const file = { ...common, kind: "file", blob_id: blobId, mime_type: "a/b", sha256, size };
    await insert(
      made.flatMap((id) =>
        Array.from({ length: files }, (_, i) => ({ ...file, parent_id: id, name: `f${i}` })),
      ),
    );
    const count = folders * files;
    await database.dialect.addToCounters(
      database.write,
      { table: "blobs", key: "id", column: "refs" },
      [blobId],
      [count],
    );
    const usage = { table: "account_usage", key: "account_id", column: "bytes" } as const;
    await database.dialect.addToCounters(database.write, usage, [me], [count * size]);
    return made;
  }

  /** The harness's drive, whose process dies after that many transactions. */
  const dyingAfter = (transactions: number) => {
    let left = transactions;
    return at.on({
      write: (run) => (left-- > 0 ? at.content.changes.write(run) : Promise.reject(new Error("killed"))),
    });
  };

  describe("a folder", () => {
    test("is deleted with its contents", async () => {
      const root = await at.folder(me, null, "a");
      await fill(root, 30, 30);
      const keep = await at.upload(me, null, "keep", "content");
      await at.folders.remove(me, root);
      expect(await entries()).toBe(1);
      expect(await at.files.usage(me)).toMatchObject({ usedBytes: 7 });
      expect(await at.read(keep)).toBe("content");
      await at.files.remove(me, keep.id);
      expect(at.content.stored()).toEqual([]);
    });

    test.each([
      [7, 999],
      [1_200, 2],
      [2_500, 0],
      [1, 2_000],
    ])(
      "of %d folders with %d files each disappears at once and is deleted in portions",
      async (folders, files) => {
        const root = await at.folder(me, null, "a");
        const [inner = 0] = await fill(root, folders, files);
        await at.folder(me, inner, "deeper");
        expect(await entries()).toBe(2 + folders * (files + 1) + 1);
        await at.folders.remove(me, root);
        expect(await entries()).toBe(0);
        expect(await at.files.usage(me)).toMatchObject({ usedBytes: 0 });
        expect(at.content.stored()).toEqual([]);
      },
      60_000,
    );

    test("half deleted by a killed process stays hidden, and the job deletes the rest", async () => {
      const root = await at.folder(me, null, "a");
      const [inner = 0, second = 0] = await fill(root, 3, 600);
      const [file] = (await at.folders.page(me, (await at.folders.find(me, inner)).folder, null, 1)).files;
      const policyId = at.content.policy.id;
      await at.folders.update(me, root, { policyId });
      await expect(dyingAfter(2).folders.remove(me, root)).rejects.toThrow("killed");
      expect(await entries()).toBeGreaterThan(1_000);
      expect(await at.names(me, null)).toEqual([]);
      for (const id of [root, inner, second])
        expect(await refusal(at.folders.find(me, id))).toBe("FolderNotFound");
      expect(await refusal(at.files.find(me, file!.id))).toBe("FileNotFound");
      expect(await refusal(at.files.update(me, file!.id, { folderId: null }))).toBe("FileNotFound");
      expect(await refusal(at.folders.update(me, second, { parentId: null }))).toBe("FolderNotFound");
      expect(await refusal(at.upload(me, second, "x"))).toBe("FolderNotFound");
      expect(await refusal(at.folders.create(me, { name: "a", parentId: null }))).toBe("no error");
      expect(
        (await database.read.selectFrom("entries").select("id").where("policy_id", "=", policyId).execute())
          .length,
      ).toBe(0);
      await Promise.all([at.cleanUp(), at.cleanUp()]);
      expect(await entries()).toBe(1);
      expect(at.content.stored()).toEqual([]);
      await at.folders.remove(me, (await at.folders.page(me, null, null, 1)).folders[0]!.id);
    });

    test("can be deleted and filled concurrently", async () => {
      for (let round = 0; round < 5; round++) {
        const root = await at.folder(me, null, "a");
        const inner = await at.folder(me, root, "b");
        const work = Array.from({ length: 10 }, (_, i) =>
          refusal(at.upload(me, i % 2 ? root : inner, `${i}`)),
        );
        await Bun.sleep(round);
        const [removed, ...outcomes] = await Promise.all([refusal(at.folders.remove(me, root)), ...work]);
        expect(removed).toBe("no error");
        for (const outcome of outcomes) expect(["no error", "FolderNotFound"]).toContain(outcome);
      }
      expect(await entries()).toBe(0);
      expect(at.content.stored()).toEqual([]);
    });
  });

  test("a short link is deleted with the item it shares, and caches are notified", async () => {
    const folder = await at.folder(me, null, "a");
    const file = await at.upload(me, folder, "file");
    const shared = [folder, file.id, file.id];
    const codes = shared.map((_, i) => `share-${me}-${i}`);
    for (const [i, code] of codes.entries()) {
      const link = { code, target: "https://a.test/", created_at: 0, updated_at: 0 };
      const linkId = await database.dialect.insertReturningId(database.write, "links", {
        ...link,
        expires_at: null,
        password_hash: null,
      });
      const share = {
        link_id: linkId,
        entry_id: shared[i]!,
        account_id: me,
        max_downloads: null,
        downloads: 0,
        created_at: 0,
      };
      await database.dialect.insertMany(database.write, "shares", [share]);
    }
    const changed: string[] = [];
    const stop = at.content.changes.subscribe("links", (keys) => void changed.push(...keys));
    await at.folders.remove(me, folder);
    stop();
    expect(changed.sort()).toEqual(codes);
    expect(
      await database.read.selectFrom("links").select("code").where("code", "in", codes).execute(),
    ).toEqual([]);
    expect(await database.read.selectFrom("shares").select("link_id").execute()).toEqual([]);
    const kept = await database.read.selectFrom("deleted_links").select("code").execute();
    expect(kept.map(({ code }) => code).sort()).toEqual(codes);
  });

  test("the tree of a deleted account is deleted, other trees stay", async () => {
    const other = await at.account();
    const kept = await at.upload(other, null, "kept", "content");
    const root = await at.folder(me, null, "a");
    await fill(root, 3, 600);
    await at.upload(me, null, "in the root");
    const begin = (account: number) =>
      at.resumable.create(account, {
        size: 10,
        name: "begun",
        mimeType: undefined,
        folderId: null,
        metadata: "",
      });
    const { upload: theirs } = await begin(other);
    await begin(me);
    await database.write.deleteFrom("users").where("id", "=", me).execute();
    await at.cleanUp();
    expect(await entries()).toBe(1);
    const used = await database.read
      .selectFrom("account_usage")
      .select("account_id")
      .where("account_id", "=", me)
      .execute();
    expect(used).toEqual([]);
    expect(await at.read(kept)).toBe("content");
    await at.jobs.find(({ name }) => name === "uploads-expiry")!.run(new AbortController().signal);
    expect(await database.read.selectFrom("uploads").select("id").execute()).toEqual([{ id: theirs.id }]);
    await at.resumable.terminate(other, theirs.id);
    await at.files.remove(other, kept.id);
    expect(at.content.stored()).toEqual([]);
  });
});
