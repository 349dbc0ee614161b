import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Database } from "../../platform/db/database.ts";
import { forEachDialect } from "../../platform/db/for-each-dialect.test-support.ts";
import { type DriveHarness, refusal, startDrive } from "../drive.test-support.ts";
import type { StoredFile } from "../tree/entry.ts";
import { readArchive, readEntries } from "./archive.test-support.ts";
import { createArchiveRepository } from "./repository.ts";
import { createArchives } from "./service.ts";

forEachDialect(({ openDb }) => {
  let database: Database;
  let at: DriveHarness;
  beforeAll(async () => {
    database = await openDb();
    at = await startDrive(database);
  });
  afterAll(() => at?.close());

  async function archiveOf(accountId: number, folderId: number) {
    const { folder } = await at.folders.find(accountId, folderId);
    const signal = new AbortController().signal;
    const response = await at.respondWithArchive(folder!, {
      method: "GET",
      signal,
      relay: async (pieces) =>
        new ReadableStream({
          async pull(controller) {
            const { done, value } = await pieces.next();
            if (done) controller.close();
            else controller.enqueue(value.slice());
          },
        }),
    });
    const bytes = await response.bytes();
    const head = await at.respondWithArchive(folder!, {
      method: "HEAD",
      signal,
      relay: () => Promise.reject(),
    });
    expect(bytes.length).toBe(Number(head.headers.get("content-length")));
    return bytes;
  }

  describe("an archive", () => {
    test("holds files, folders in folders and empty ones, of its account only", async () => {
      const [mine, other] = [await at.account(), await at.account()];
      const root = await at.folder(mine, null, "root");
      await at.upload(mine, null, "beside", "not in it");
      await at.upload(other, await at.folder(other, null, "root"), "foreign", "not in it");
      const inner = await at.folder(mine, root, "inner");
      await at.folder(mine, root, "empty");
      const deep = await at.folder(mine, inner, "deep");
      await at.upload(mine, root, "b.txt", "second");
      await at.upload(mine, root, "a.txt", "first");
      await at.upload(mine, deep, "naïve 文.txt", "below");
      await at.upload(mine, inner, "nothing", "");
      expect(readArchive(await archiveOf(mine, root))).toEqual([
        ["a.txt", 5, "first"],
        ["b.txt", 6, "second"],
        ["empty/", 0, ""],
        ["inner/", 0, ""],
        ["inner/nothing", 0, ""],
        ["inner/deep/", 0, ""],
        ["inner/deep/naïve 文.txt", 5, "below"],
      ]);
    });

    test("has the time of each file's content and of each folder's change", async () => {
      const mine = await at.account();
      const root = await at.folder(mine, null, "times");
      const inner = await at.folder(mine, root, "inner");
      const file = await at.upload(mine, root, "a", "text");
      const began = Math.floor(file.createdAt / 1000);
      const sent = await at.upload(mine, root, "sent", "text");
      await at.files.update(mine, sent.id, { modifiedAt: 981_173_106_000 });
      at.content.time.now += 3_600_000;
      await at.files.update(mine, file.id, { name: "b" });
      await at.folders.update(mine, inner, { name: "other" });
      const found = readEntries(await archiveOf(mine, root));
      expect(found.map(([name, , , time]) => [name, time])).toEqual([
        ["b", began],
        ["sent", 981_173_106],
        ["other/", Math.floor(at.content.time.now / 1000)],
      ]);
    });

    test("holds more files than a page, in folders of any size", async () => {
      const mine = await at.account();
      const root = await at.folder(mine, null, "many");
      const first = await at.upload(mine, root, "000000", "same");
      const folders = [root];
      for (let i = 0; i < 5; i++) folders.push(await at.folder(mine, root, `folder ${i}`));
      const rows = folders.flatMap((parent_id, n) =>
        Array.from({ length: [1_234, 2_499, 0, 5_001, 3, 2_500][n]! }, (_, i) => ({
          account_id: mine,
          parent_id,
          kind: "file",
          name: `file ${i}`,
          policy_id: null,
          blob_id: first.blobId,
          mime_type: "text/plain",
          sha256: first.sha256,
          size: first.size,
          created_at: 1_700_000_000_000,
          updated_at: 0,
        })),
      );
      await database.dialect.insertMany(database.write, "entries", rows);
      const found = readArchive(await archiveOf(mine, root));
      expect(found.length).toBe(1 + rows.length + 5);
      expect(new Set(found.map(([name]) => name)).size).toBe(found.length);
      const counts = folders.map(
        (_, n) => found.filter(([name]) => n > 0 && name.startsWith(`folder ${n - 1}/file`)).length,
      );
      expect(counts).toEqual([0, 2_499, 0, 5_001, 3, 2_500]);
      expect(found.every(([name, , text]) => name.endsWith("/") || text === "same")).toBe(true);
    });

    /** The tree of an account whose folders a test changes while it is read. */
    async function changing(change: (round: number) => Promise<unknown>) {
      const mine = await at.account();
      const root = await at.folder(mine, null, "root");
      const [from, to] = [await at.folder(mine, root, "z from"), await at.folder(mine, root, "a to")];
      const file = await at.upload(mine, from, "file", "moved");
      const repository = createArchiveRepository(database);
      let rounds = 0;
      const archives = createArchives({
        ...at.treeParts,
        repository: {
          ...repository,
          async children(...query) {
            const found = await repository.children(...query);
            // After the root was read.
            if (query[1].includes(root)) await change(rounds++);
            return found;
          },
        },
        dataDir: at.content.dataDir,
      });
      const { folder } = await at.folders.find(mine, root);
      return { mine, root, from, to, file, make: () => archives.make(folder!, new AbortController().signal) };
    }

    test("is read again when something moved meanwhile, and refused if that does not end", async () => {
      let moving: { mine: number; root: number; file: StoredFile } | undefined;
      let most = 1;
      const tree = await changing(async (round) => {
        if (round >= most) return;
        const { mine, root, file } = moving!;
        // Into a folder that was read.
        await at.files.update(mine, file.id, { folderId: round % 2 === 0 ? root : tree.from });
      });
      moving = tree;
      const archive = await tree.make();
      const bytes = Buffer.concat(await Array.fromAsync(archive.pieces(), (piece) => Buffer.from(piece)));
      await archive.close();
      expect(readArchive(bytes).map(([name]) => name)).toEqual(["file", "a to/", "z from/"]);
      await at.files.update(tree.mine, tree.file.id, { folderId: tree.from });
      most = Number.POSITIVE_INFINITY;
      expect(await refusal(tree.make())).toBe("ServiceUnavailable");
    });

    test("is refused if its folder is removed meanwhile, and cut if one inside it is", async () => {
      let gone = (): unknown => undefined;
      const tree = await changing(async () => gone());
      gone = () => at.folders.remove(tree.mine, tree.from);
      const archive = await tree.make();
      expect(await refusal(Array.fromAsync(archive.pieces()))).toBe("FolderNotFound");
      await archive.close();
      gone = () => at.folders.remove(tree.mine, tree.root);
      expect(await refusal(tree.make())).toBe("FolderNotFound");
    });

    test("has what was trashed meanwhile", async () => {
      const mine = await at.account();
      const root = await at.folder(mine, null, "trashed");
      const inner = await at.folder(mine, root, "inner");
      await at.upload(mine, inner, "file", "still here");
      const archives = createArchives({
        ...at.treeParts,
        repository: createArchiveRepository(database),
        dataDir: at.content.dataDir,
      });
      const { folder } = await at.folders.find(mine, root);
      const archive = await archives.make(folder!, new AbortController().signal);
      await at.trash.put(mine, { kind: "folder", id: inner });
      const bytes = Buffer.concat(await Array.fromAsync(archive.pieces(), (piece) => Buffer.from(piece)));
      await archive.close();
      expect(readArchive(bytes)).toEqual([
        ["inner/", 0, ""],
        ["inner/file", 10, "still here"],
      ]);
    });
  });
});
