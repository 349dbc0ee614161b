import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { Database } from "../../platform/db/database.ts";
import { forEachDialect } from "../../platform/db/for-each-dialect.test-support.ts";
import { type DriveHarness, refusal, startDrive } from "../drive.test-support.ts";
import { MOST_LEVELS } from "../tree/entry.ts";

const DAY_MS = 86_400_000;
const ACTOR = { name: "me", via: "api", accountId: 1, ownOnly: true } as const;

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
  afterEach(async () => {
    expect(await at.wrongs()).toEqual([]);
    await database.write.deleteFrom("users").execute();
    await at.cleanUp();
    expect(at.content.stored()).toEqual([]);
  });
  afterAll(() => at?.close());

  const listed = async (account = me): Promise<string[]> =>
    (await at.trash.page(account, { page: 1, pageSize: 100 })).items.map(({ name }) => name);
  const pass = (ms: number): void => void (at.content.time.now += ms);
  const expire = () => at.jobs.find(({ name }) => name === "files-trash")!.run(new AbortController().signal);

  /** The harness's drive, whose process dies after that many transactions. */
  const dyingAfter = (transactions: number) => {
    let left = transactions;
    return at.on({
      write: (run) => (left-- > 0 ? at.content.changes.write(run) : Promise.reject(new Error("killed"))),
    });
  };

  test("a file leaves its folder, keeps its place in the quota, and comes back as it was", async () => {
    const folder = await at.folder(me, null, "a");
    const file = await at.upload(me, folder, "f.txt", "content");
    pass(1_000);
    const trashed = await at.trash.put(me, { kind: "file", id: file.id });
    expect(trashed).toEqual({
      id: file.id,
      kind: "file",
      name: "f.txt",
      parentId: folder,
      size: 7,
      path: [{ id: folder, name: "a" }],
      trashedAt: at.content.time.now,
      expiresAt: at.content.time.now + 30 * DAY_MS,
    });
    expect(await at.names(me, folder)).toEqual([]);
    expect(await at.files.usage(me)).toMatchObject({ usedBytes: 7 });
    expect(await refusal(at.files.find(me, file.id))).toBe("FileNotFound");
    expect(await refusal(at.files.update(me, file.id, { name: "x" }))).toBe("FileNotFound");
    expect(await refusal(at.files.remove(me, file.id))).toBe("FileNotFound");
    expect(await refusal(at.trash.put(me, { kind: "file", id: file.id }))).toBe("FileNotFound");

    pass(1_000);
    expect(await at.trash.restore(me, file.id, {})).toMatchObject({
      id: file.id,
      kind: "file",
      name: "f.txt",
      parentId: folder,
      size: 7,
      path: [{ id: folder, name: "a" }],
    });
    expect(await at.files.find(me, file.id)).toEqual(file);
    expect(await at.read(file)).toBe("content");
    expect(await listed()).toEqual([]);
    expect(await refusal(at.trash.restore(me, file.id, {}))).toBe("NotFound");
  });

  test("a folder with its subtree is one entry of the trash", async () => {
    const outer = await at.folder(me, null, "outer");
    const inner = await at.folder(me, outer, "inner");
    const deep = await at.folder(me, inner, "deep");
    const file = await at.upload(me, deep, "f");
    expect(await at.trash.put(me, { kind: "folder", id: inner })).toMatchObject({
      kind: "folder",
      size: null,
    });
    expect(await listed()).toEqual(["inner"]);
    expect(await at.names(me, outer)).toEqual([]);
    for (const id of [inner, deep]) {
      expect(await refusal(at.folders.find(me, id))).toBe("FolderNotFound");
      expect(await refusal(at.folders.create(me, { name: "n", parentId: id }))).toBe("FolderNotFound");
      expect(await refusal(at.upload(me, id, "n"))).toBe("FolderNotFound");
      expect(await refusal(at.folders.remove(me, id))).toBe("FolderNotFound");
      expect(await refusal(at.trash.put(me, { kind: "folder", id }))).toBe("FolderNotFound");
      expect(await refusal(at.folders.update(me, outer, { parentId: id }))).toBe("FolderNotFound");
    }
    expect(await refusal(at.trash.put(me, { kind: "file", id: file.id }))).toBe("FileNotFound");
    expect(await refusal(at.trash.restore(me, deep, {}))).toBe("NotFound");
    await at.trash.restore(me, inner, {});
    expect((await at.files.find(me, file.id)).parentId).toBe(deep);
  });

  test("an upload that began before ends with FolderNotFound and leaves nothing", async () => {
    const folder = await at.folder(me, null, "a");
    const destination = await at.uploads.destination(me, folder);
    const body = (async function* () {
      yield Buffer.from("some");
      await at.trash.put(me, { kind: "folder", id: folder });
      yield Buffer.from("bytes");
    })();
    const received = await at.uploads.receive(destination, { name: "f", mimeType: undefined, body });
    expect(await refusal(at.uploads.keep(received))).toBe("FolderNotFound");
    expect(at.content.stored()).toEqual([]);
  });

  test("pages go from the newest to the oldest, by cursor and by number", async () => {
    const names: string[] = [];
    for (let n = 0; n < 7; n++) {
      const id = await at.folder(me, null, `n${n}`);
      if (n % 3 === 0) pass(1_000);
      await at.trash.put(me, { kind: "folder", id });
      names.unshift(`n${n}`);
    }
    const other = await at.account();
    expect(await listed(other)).toEqual([]);
    const walked: string[] = [];
    for (let after = null as { at: number; id: number } | null; ; ) {
      const { items, next } = await at.trash.after(me, after, 2);
      walked.push(...items.map(({ name }) => name));
      if (next === null) break;
      after = next;
    }
    expect(walked).toEqual(names);
    const third = await at.trash.page(me, { page: 3, pageSize: 3 });
    expect([third.total, third.items.map(({ name }) => name)]).toEqual([7, names.slice(6)]);
    expect((await at.trash.page(me, { page: 1_000_000_000, pageSize: 100 })).items).toEqual([]);
  });

  describe("putting back", () => {
    test("is refused while the name is taken, and takes another", async () => {
      const first = await at.upload(me, null, "f");
      await at.trash.put(me, { kind: "file", id: first.id });
      const second = await at.upload(me, null, "f");
      await at.trash.put(me, { kind: "file", id: second.id });
      expect(await listed()).toEqual(["f", "f"]);
      await at.trash.restore(me, second.id, {});
      expect(await refusal(at.trash.restore(me, first.id, {}))).toBe("NameConflict");
      expect(await refusal(at.trash.restore(me, first.id, { name: "a/b" }))).toBe("InvalidName");
      expect(await at.trash.restore(me, first.id, { name: "g" })).toMatchObject({ name: "g", path: [] });
      expect(await at.names(me, null)).toEqual(["f", "g"]);
      await at.files.remove(me, first.id);
      await at.files.remove(me, second.id);
    });

    test("needs a folder if the former one is gone or in the trash", async () => {
      const folder = await at.folder(me, null, "a");
      const inner = await at.folder(me, folder, "inner");
      await at.trash.put(me, { kind: "folder", id: inner });
      await at.trash.put(me, { kind: "folder", id: folder });
      expect(await at.trash.after(me, null, 10)).toMatchObject({
        items: [
          { name: "inner", path: null },
          { name: "a", path: [] },
        ],
      });
      expect(await refusal(at.trash.restore(me, inner, {}))).toBe("FolderNotFound");
      expect(await refusal(at.trash.restore(me, inner, { folderId: folder }))).toBe("FolderNotFound");
      expect(await refusal(at.trash.restore(me, folder, { folderId: folder }))).toBe("FolderNotFound");
      const foreign = await at.folder(await at.account(), null, "theirs");
      for (const folderId of [foreign, inner, -1, 0, 1e15])
        expect(await refusal(at.trash.restore(me, inner, { folderId }))).toBe("FolderNotFound");
      await at.trash.remove(me, folder, ACTOR);
      expect(await refusal(at.trash.restore(me, inner, {}))).toBe("FolderNotFound");
      await at.trash.restore(me, inner, { folderId: null });
      expect(await at.names(me, null)).toEqual(["inner/"]);
    });

    test("keeps to the deepest level", async () => {
      const rows = Array.from({ length: MOST_LEVELS - 1 }, (_, level) => level);
      let parent: number | null = null;
      const chain: number[] = [];
      for (const level of rows) chain.push((parent = await at.folder(me, parent, `l${level}`)));
      const two = await at.folder(me, null, "two");
      await at.folder(me, two, "inner");
      await at.trash.put(me, { kind: "folder", id: two });
      expect(await refusal(at.trash.restore(me, two, { folderId: chain.at(-1)! }))).toBe("BadRequest");
      await at.trash.restore(me, two, { folderId: chain.at(-2)! });
      await at.folders.remove(me, chain[0]!);
    }, 240_000);

    test("of what somebody else trashed is refused", async () => {
      const folder = await at.folder(me, null, "a");
      await at.trash.put(me, { kind: "folder", id: folder });
      const other = await at.account();
      expect(await refusal(at.trash.restore(other, folder, {}))).toBe("NotFound");
      expect(await refusal(at.trash.remove(other, folder, ACTOR))).toBe("NotFound");
      expect(await at.trash.empty(other, ACTOR)).toBe(0);
      expect(await listed()).toEqual(["a"]);
    });

    test("twice at once succeeds once", async () => {
      const file = await at.upload(me, null, "f");
      await at.trash.put(me, { kind: "file", id: file.id });
      const outcomes = await Promise.all(
        ["x", "y", "z"].map((name) => refusal(at.trash.restore(me, file.id, { name }))),
      );
      expect(outcomes.sort()).toEqual(["NotFound", "NotFound", "no error"]);
      expect(await at.names(me, null)).toHaveLength(1);
      await at.files.remove(me, file.id);
    });

    test("while the trash is emptied either succeeds whole or finds nothing", async () => {
      const folder = await at.folder(me, null, "a");
      const file = await at.upload(me, folder, "f", "content");
      await at.trash.put(me, { kind: "folder", id: folder });
      const [restored] = await Promise.all([
        refusal(at.trash.restore(me, folder, {})),
        at.trash.empty(me, ACTOR),
      ]);
      if (restored === "no error") {
        expect(await at.read(await at.files.find(me, file.id))).toBe("content");
        await at.folders.remove(me, folder);
      } else {
        expect(restored).toBe("NotFound");
        expect(await at.files.usage(me)).toMatchObject({ usedBytes: 0 });
      }
      expect(at.content.stored()).toEqual([]);
    });
  });

  describe("deleting", () => {
    test("one entry deletes its contents and nothing else", async () => {
      const folder = await at.folder(me, null, "a");
      await at.upload(me, folder, "f", "content");
      const file = await at.upload(me, null, "g", "other");
      await at.trash.put(me, { kind: "folder", id: folder });
      await at.trash.put(me, { kind: "file", id: file.id });
      await at.trash.remove(me, folder, ACTOR);
      expect(await refusal(at.trash.remove(me, folder, ACTOR))).toBe("NotFound");
      expect(await listed()).toEqual(["g"]);
      expect(await at.files.usage(me)).toMatchObject({ usedBytes: 5 });
      await at.trash.remove(me, file.id, ACTOR);
      expect(at.content.stored()).toEqual([]);
    });

    /** Folders with a file each and files, all in the trash. */
    async function fillTrash(folders: number, files: number): Promise<void> {
      const { blobId, sha256, size } = await at.upload(me, null, "first", "content");
      const common = { account_id: me, policy_id: null, created_at: 0, updated_at: 0 };
      const folder = { ...common, kind: "folder", blob_id: null, mime_type: null, sha256: null, size: 0 };
      const file = { ...common, kind: "file", blob_id: blobId, mime_type: "a/b", sha256, size };
      const insert = (rows: Parameters<typeof database.dialect.insertMany<"entries">>[2]) =>
        database.dialect.insertMany(database.write, "entries", rows);
      const rows = [
        ...Array.from({ length: folders }, (_, n) => ({ ...folder, parent_id: -1, name: `d${n}` })),
        ...Array.from({ length: files }, (_, n) => ({ ...file, parent_id: -1, name: `f${n}` })),
      ];
      await insert(rows);
      const made = await database.read
        .selectFrom("entries")
        .select(["id", "kind", "name"])
        .where("account_id", "=", me)
        .where("parent_id", "=", -1)
        .execute();
      await database.dialect.insertMany(
        database.write,
        "trash",
        made.map(({ id, name }) => ({
          entry_id: id,
          account_id: me,
          parent_id: 0,
          name,
          trashed_at: at.content.time.now,
        })),
      );
      const holding = made.filter(({ kind }) => kind === "folder");
      await insert(holding.map(({ id }) => ({ ...file, parent_id: id, name: "inside" })));
      await database.write
        .updateTable("blobs")
        .set({ refs: 1 + files + folders })
        .where("id", "=", blobId)
        .execute();
      await database.write
        .updateTable("account_usage")
        .set({ bytes: (1 + files + folders) * size })
        .where("account_id", "=", me)
        .execute();
    }

    test("everything goes in portions, and a killed process leaves nothing to see or to put back", async () => {
      await fillTrash(1_100, 1_300);
      expect((await at.trash.page(me, { page: 1, pageSize: 1 })).total).toBe(2_400);
      await expect(dyingAfter(3).trash.empty(me, ACTOR)).rejects.toThrow("killed");
      expect(await listed()).toEqual([]);
      expect(await at.trash.empty(me, ACTOR)).toBe(0);
      await expire();
      await at.cleanUp();
      expect(await at.files.usage(me)).toMatchObject({ usedBytes: 7 });
      expect(await at.names(me, null)).toEqual(["first"]);
      const left = database.read.selectFrom("trash").select("entry_id").where("account_id", "=", me);
      expect(await left.execute()).toEqual([]);
      await at.folders.page(me, null, null, 1);
      await at.files.remove(me, (await at.folders.page(me, null, null, 1)).files[0]!.id);
      expect(at.content.stored()).toEqual([]);
    }, 60_000);

    test("by the job what is older than files.trash_days, and nothing younger", async () => {
      const [old, young] = [await at.folder(me, null, "old"), await at.folder(me, null, "young")];
      await at.upload(me, old, "f");
      await at.trash.put(me, { kind: "folder", id: old });
      pass(DAY_MS);
      await at.trash.put(me, { kind: "folder", id: young });
      pass(29 * DAY_MS - 1);
      await expire();
      expect(await listed()).toEqual(["young", "old"]);
      pass(1);
      await expire();
      expect(await listed()).toEqual(["young"]);
      expect(at.content.stored()).toEqual([]);
    });

    test("of the account deletes its trash", async () => {
      const folder = await at.folder(me, null, "a");
      await at.upload(me, folder, "f", "content");
      const file = await at.upload(me, null, "g", "other");
      await at.trash.put(me, { kind: "folder", id: folder });
      await at.trash.put(me, { kind: "file", id: file.id });
      await database.write.deleteFrom("users").where("id", "=", me).execute();
      await at.cleanUp();
      for (const table of ["entries", "trash", "account_usage"] as const) {
        const query = database.read.selectFrom(table).select("account_id").where("account_id", "=", me);
        expect([table, await query.execute()]).toEqual([table, []]);
      }
      expect(at.content.stored()).toEqual([]);
    });
  });
});
