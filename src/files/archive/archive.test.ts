import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Database } from "../../db/database.ts";
import { forEachDialect } from "../../db/for-each-dialect.ts";
import { type DriveHarness, startDrive } from "../drive.test-support.ts";
import { readArchive, readEntries } from "./archive.test-support.ts";

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
    const answer = await at.answerArchive(folder!, {
      method: "GET",
      signal: new AbortController().signal,
      relay: async (pieces) =>
        new ReadableStream({
          async pull(controller) {
            const { done, value } = await pieces.next();
            if (done) controller.close();
            else controller.enqueue(value.slice());
          },
        }),
    });
    const bytes = await answer.bytes();
    expect(bytes.length).toBe(Number(answer.headers.get("content-length")));
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
      at.content.time.now += 3_600_000;
      await at.files.update(mine, file.id, { name: "b" });
      await at.folders.update(mine, inner, { name: "other" });
      const found = readEntries(await archiveOf(mine, root));
      expect(found.map(([name, , , time]) => [name, time])).toEqual([
        ["b", began],
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
  });
});
