import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { Database } from "../../platform/db/database.ts";
import { forEachDialect } from "../../platform/db/for-each-dialect.test-support.ts";
import { chunksOf, type DriveHarness, refusal, startDrive } from "../drive.test-support.ts";

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

  const objects = async (): Promise<number> => {
    await at.content.blobs.settled();
    return at.content.stored().length;
  };

  describe("a file", () => {
    test("is stored, found, read, renamed, moved and removed", async () => {
      const before = await objects();
      const folder = await at.folder(me, null, "box");
      const file = await at.upload(me, folder, "n\u0301.txt", "hello");
      expect(file).toMatchObject({
        kind: "file",
        accountId: me,
        parentId: folder,
        name: "\u0144.txt",
        size: 5,
        mimeType: "text/plain",
        sha256: "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824",
        createdAt: at.content.time.now,
      });
      expect(await at.files.find(me, file.id)).toEqual(file);
      expect(await at.read(file)).toBe("hello");
      at.content.time.now += 1_000;
      const moved = await at.files.update(me, file.id, { name: "b", folderId: null });
      expect(moved).toEqual({ ...file, name: "b", parentId: 0, updatedAt: at.content.time.now });
      expect(await at.names(me, null)).toEqual(["box/", "b"]);
      await at.files.remove(me, file.id);
      expect(await refusal(at.files.find(me, file.id))).toBe("FileNotFound");
      expect(await refusal(at.files.remove(me, file.id))).toBe("FileNotFound");
      expect(await objects()).toBe(before);
    });

    test("may be empty", async () => {
      const file = await at.upload(me, null, "empty", "");
      expect(file.size).toBe(0);
      expect(await at.read(file)).toBe("");
    });

    test.each([0, -1, 1.5, Number.NaN, 2 ** 53, 4_711_000_000])("can't be %p", async (id) => {
      expect(await refusal(at.files.find(me, id))).toBe("FileNotFound");
      expect(await refusal(at.files.update(me, id, { name: "x" }))).toBe("FileNotFound");
      expect(await refusal(at.files.remove(me, id))).toBe("FileNotFound");
    });

    test("can't be a folder or go into a missing folder", async () => {
      const folder = await at.folder(me, null, "a");
      expect(await refusal(at.files.find(me, folder))).toBe("FileNotFound");
      expect(await refusal(at.files.remove(me, folder))).toBe("FileNotFound");
      const file = await at.upload(me, null, "file");
      for (const folderId of [0, -1, file.id, 4_711_000_000, 2 ** 60]) {
        expect(await refusal(at.files.update(me, file.id, { folderId }))).toBe("FolderNotFound");
        expect(await refusal(at.uploads.destination(me, folderId))).toBe("FolderNotFound");
      }
    });

    test("of another account is not found", async () => {
      const other = await at.account();
      const theirs = await at.upload(other, null, "theirs");
      const folder = await at.folder(other, null, "folder");
      const mine = await at.upload(me, null, "mine");
      expect(await refusal(at.files.find(me, theirs.id))).toBe("FileNotFound");
      expect(await refusal(at.files.update(me, theirs.id, { name: "x" }))).toBe("FileNotFound");
      expect(await refusal(at.files.remove(me, theirs.id))).toBe("FileNotFound");
      expect(await refusal(at.files.update(me, mine.id, { folderId: folder }))).toBe("FolderNotFound");
      expect(await refusal(at.uploads.destination(me, folder))).toBe("FolderNotFound");
      expect(await refusal(at.upload(me, null, "theirs"))).toBe("no error");
    });
  });

  describe("content", () => {
    test("is stored once and deleted with its last file", async () => {
      const before = await objects();
      const other = await at.account();
      const files = [await at.upload(me, null, "a", "same"), await at.upload(me, null, "b", "same")];
      const third = await at.upload(other, null, "c", "same");
      expect(await objects()).toBe(before + 1);
      for (const { id } of files) await at.files.remove(me, id);
      expect(await at.read(third)).toBe("same");
      await at.files.remove(other, third.id);
      expect(await objects()).toBe(before);
    });

    test("of 100 simultaneous uploads of one name, one succeeds and the others leave nothing", async () => {
      const before = await objects();
      const tries = Array.from({ length: 100 }, (_, i) =>
        refusal(at.upload(me, null, "x", `content ${i % 7}`)),
      );
      const outcomes = await Promise.all(tries);
      expect(outcomes.filter((outcome) => outcome === "no error").length).toBe(1);
      expect(new Set(outcomes)).toEqual(new Set(["no error", "NameConflict"]));
      expect(await objects()).toBe(before + 1);
      expect((await at.files.usage(me)).usedBytes).toBe("content 0".length);
    });

    test("uploaded and deleted concurrently is neither lost nor left over", async () => {
      const before = await objects();
      const kept = new Map<number, string>();
      const work = async (worker: number) => {
        for (let round = 0; round < 6; round++) {
          const text = `shared ${(worker + round) % 3}`;
          const file = await at.upload(me, null, `${worker}-${round}`, text);
          if ((worker + round) % 4 === 0) kept.set(file.id, text);
          else await at.files.remove(me, file.id);
        }
      };
      await Promise.all(Array.from({ length: 8 }, (_, worker) => work(worker)));
      for (const [id, text] of kept) expect(await at.read(await at.files.find(me, id))).toBe(text);
      expect(await objects()).toBe(before + new Set(kept.values()).size);
      for (const id of kept.keys()) await at.files.remove(me, id);
      expect(await objects()).toBe(before);
    });
  });

  describe("an upload", () => {
    test("takes its type from the client, else from its name", async () => {
      const typeOf = async (name: string, mimeType?: string) =>
        (await at.upload(me, null, `${crypto.randomUUID()}${name}`, "x", mimeType)).mimeType;
      expect(await typeOf(".png", "text/plain")).toBe("text/plain");
      expect(await typeOf(".png", "application/octet-stream")).toBe("image/png");
      expect(await typeOf(".PNG")).toBe("image/png");
      expect(await typeOf(".html")).toBe("text/html");
      expect(await typeOf("")).toBe("application/octet-stream");
      expect(await typeOf(".nosuchthing")).toBe("application/octet-stream");
      expect(await typeOf(".txt", "no type")).toBe("text/plain");
      expect(await typeOf(".txt", `${"x".repeat(200)}/y`)).toBe("text/plain");
    });

    test("is refused before its bytes are read where possible", async () => {
      await at.upload(me, null, "taken");
      const destination = await at.uploads.destination(me, null);
      const unread: AsyncIterable<Uint8Array> = {
        [Symbol.asyncIterator]() {
          throw new Error("was read");
        },
      };
      const receive = (name: string) =>
        at.uploads.receive(destination, { name, mimeType: undefined, body: unread });
      expect(await refusal(receive("taken"))).toBe("NameConflict");
      for (const name of ["", "..", "../x", "a\\b", "a\r\nb", "\ud800"])
        expect(await refusal(receive(name))).toBe("InvalidName");
    });

    test("into a folder deleted meanwhile leaves nothing", async () => {
      const before = await objects();
      const folder = await at.folder(me, null, "a");
      const destination = await at.uploads.destination(me, folder);
      const received = await at.uploads.receive(destination, {
        name: "x",
        mimeType: undefined,
        body: chunksOf(Buffer.from("bytes")),
      });
      expect(await objects()).toBe(before + 1);
      await at.folders.remove(me, folder);
      expect(await refusal(at.uploads.keep(received))).toBe("FolderNotFound");
      expect(await objects()).toBe(before);
    });

    test("that is too large for its policy, or breaks off, leaves nothing", async () => {
      const policy = await at.content.policies.create({
        name: `small-${me}`,
        driver_type: "local",
        base_path: "files",
        max_file_size: 100_000,
      });
      const folder = await at.folder(me, null, "a");
      await at.folders.update(me, folder, { policyId: policy.id });
      const before = await objects();
      expect(await refusal(at.upload(me, folder, "x", "x".repeat(100_001)))).toBe("FileTooLargeForPolicy");
      expect(await refusal(at.upload(me, folder, "fits", "x".repeat(100_000)))).toBe("no error");
      const destination = await at.uploads.destination(me, folder);
      expect(() => at.uploads.checkSize(destination, 100_001)).toThrow("100000 bytes");
      at.uploads.checkSize(destination, 100_000);
      const broken = (async function* () {
        yield Buffer.alloc(65_536);
        throw new Error("gone");
      })();
      const receiving = at.uploads.receive(destination, { name: "y", mimeType: undefined, body: broken });
      await expect(receiving).rejects.toThrow("gone");
      expect(await objects()).toBe(before + 1);
      await at.folders.remove(me, folder);
    });
  });

  describe("a quota", () => {
    test("is exact, and deleting frees space", async () => {
      me = await at.account(1_000);
      const file = await at.upload(me, null, "a", "x".repeat(600));
      expect(await at.files.usage(me)).toEqual({ usedBytes: 600, quotaBytes: 1_000 });
      expect(await refusal(at.upload(me, null, "b", "x".repeat(401)))).toBe("FileTooLargeForPolicy");
      expect(await refusal(at.upload(me, null, "c", "x".repeat(400)))).toBe("no error");
      expect(await refusal(at.upload(me, null, "d", "x"))).toBe("FileTooLargeForPolicy");
      expect(await refusal(at.upload(me, null, "empty", ""))).toBe("no error");
      await at.files.remove(me, file.id);
      expect(await refusal(at.upload(me, null, "e", "x".repeat(600)))).toBe("no error");
      expect(await at.files.usage(me)).toEqual({ usedBytes: 1_000, quotaBytes: 1_000 });
    });

    test("stops reading a body that exceeds it", async () => {
      me = await at.account(100_000);
      let read = 0;
      const endless = (async function* () {
        for (;;) {
          read += 65_536;
          yield Buffer.alloc(65_536);
        }
      })();
      const destination = await at.uploads.destination(me, null);
      const receiving = at.uploads.receive(destination, { name: "x", mimeType: undefined, body: endless });
      expect(await refusal(receiving)).toBe("FileTooLargeForPolicy");
      expect(read).toBe(2 * 65_536);
    });

    test("is not exceeded by concurrent uploads", async () => {
      me = await at.account(1_000);
      const before = await objects();
      const tries = Array.from({ length: 20 }, (_, i) =>
        refusal(at.upload(me, null, `${i}`, `${i}`.padEnd(300))),
      );
      const outcomes = await Promise.all(tries);
      expect(outcomes.filter((outcome) => outcome === "no error").length).toBe(3);
      expect((await at.files.usage(me)).usedBytes).toBe(900);
      expect(await objects()).toBe(before + 3);
    });

    test("does not exist for a deleted account", async () => {
      await database.write.deleteFrom("users").where("id", "=", me).execute();
      expect(await refusal(at.upload(me, null, "x"))).toBe("Unauthorized");
    });

    test("does not exist for the built-in administrator", async () => {
      const file = await at.upload(0, null, `admin-${me}`);
      expect((await at.files.usage(0)).quotaBytes).toBe(0);
      await at.files.remove(0, file.id);
    });
  });
});
