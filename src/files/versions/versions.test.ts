/** Former contents of files. After each test the doctor finds nothing, and nothing is stored that nobody has. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { Database } from "../../platform/db/database.ts";
import { forEachDialect } from "../../platform/db/for-each-dialect.test-support.ts";
import { SYSTEM } from "../../lib/actor.ts";
import { chunksOf, type DriveHarness, refusal, startDrive } from "../drive.test-support.ts";
import type { StoredFile } from "../tree/entry.ts";

const DAY_MS = 86_400_000;

forEachDialect((dialect) => {
  let database: Database;
  let at: DriveHarness;
  let me: number;
  beforeAll(async () => {
    database = await dialect.openDb({ poolSize: 8 });
    at = await startDrive(database);
    await at.content.core.config.start();
  });
  beforeEach(async () => {
    me = await at.account();
    await keep({ versions_keep: 10, versions_days: 90 });
  });
  afterEach(async () => expect(await at.wrongs()).toEqual([]));
  afterAll(() => at?.close());

  const keep = (settings: Record<string, number>) =>
    at.content.core.config.setMany(
      Object.entries(settings).map(([key, value]) => [`files.${key}`, String(value)] as const),
      "test",
    );
  const put = async (name: string, text: string, createdBy = "anna"): Promise<StoredFile> => {
    const destination = await at.uploads.replacing(await at.uploads.destination(me, null), name);
    const body = chunksOf(Buffer.from(text));
    const received = await at.uploads.receive(destination, {
      name,
      mimeType: undefined,
      body,
      isNumbered: true,
    });
    return at.uploads.keep(received, { createdBy, isReplacing: true });
  };
  const texts = async (file: StoredFile, owner = me): Promise<string[]> => {
    const found = await at.versions.list(owner, file.id);
    return Promise.all(found.map(async ({ id }) => at.read(await at.versions.fileAt(owner, file.id, id))));
  };
  const newest = async (file: StoredFile, owner = me) => (await at.versions.list(owner, file.id))[0]!;
  const used = async (owner = me) => (await at.files.usage(owner)).usedBytes;
  const objects = async () => {
    await at.content.blobs.settled();
    return at.content.stored().length;
  };
  const runJob = () =>
    at.jobs.find(({ name }) => name === "files-versions")!.run(new AbortController().signal);

  describe("replacing", () => {
    test("keeps the former content with its facts, and id, name and place of the file", async () => {
      const first = await at.upload(me, null, "a.txt", "one", "text/x-old");
      at.content.time.now += 5_000;
      const file = await put("a.txt", "three", "ben");
      expect(file).toMatchObject({
        id: first.id,
        name: "a.txt",
        size: 5,
        versionsBytes: 3,
        createdBy: "ben",
      });
      expect(await at.files.find(me, file.id)).toEqual(file);
      const version = await newest(file);
      expect(version).toMatchObject({
        size: 3,
        sha256: first.sha256,
        mimeType: "text/x-old",
        createdBy: null,
      });
      expect([version.createdAt, version.modifiedAt]).toEqual([first.createdAt, first.modifiedAt]);
      expect(version.replacedAt).toBe(file.createdAt);
      await put("a.txt", "2", "cleo");
      expect(await texts(file)).toEqual(["three", "one"]);
      expect((await newest(file)).createdBy).toBe("ben");
      expect(await used()).toBe(9);
    });

    test("with equal content, and of an empty file, makes none; a content emptied first is kept", async () => {
      const file = await put("a", "");
      await put("a", "one");
      await put("a", "one");
      expect(await texts(file)).toEqual([]);
      await put("a", "");
      await put("a", "");
      expect(await texts(file)).toEqual(["one"]);
      await put("a", "two");
      expect(await texts(file)).toEqual(["one"]);
      expect(await used()).toBe(6);
    });

    test("keeps as many as files.versions_keep, and none with 0 of either setting", async () => {
      await keep({ versions_keep: 2 });
      const before = await objects();
      for (const text of ["1", "22", "333", "4444"]) await put("a", text);
      const file = await put("a", "55555");
      expect(await texts(file)).toEqual(["4444", "333"]);
      expect(await objects()).toBe(before + 3);
      await keep({ versions_keep: 1 });
      await put("a", "6");
      expect(await texts(file)).toEqual(["55555"]);
      await keep({ versions_days: 0 });
      await put("a", "7");
      expect(await texts(file)).toEqual([]);
      await keep({ versions_keep: 0, versions_days: 90 });
      await put("a", "8");
      expect([await texts(file), await used(), await objects()]).toEqual([[], 1, before + 1]);
    });

    test("beyond the quota drops the file's oldest versions, then the former content", async () => {
      me = await at.account(100);
      await at.upload(me, null, "other", "x".repeat(30));
      const file = await put("a", "1".repeat(20));
      await put("a", "2".repeat(20));
      await put("a", "3".repeat(20));
      expect(await used()).toBe(90);
      await put("a", "4".repeat(25));
      expect(await texts(file)).toEqual(["3".repeat(20), "2".repeat(20)]);
      expect(await used()).toBe(95);
      await put("a", "5".repeat(60));
      expect([await texts(file), await used()]).toEqual([[], 90]);
      expect(await refusal(put("a", "6".repeat(71)))).toBe("FileTooLargeForPolicy");
      expect(await at.read(await at.files.find(me, file.id))).toBe("5".repeat(60));
      await put("a", "7".repeat(70));
      expect(await used()).toBe(100);
      expect(await refusal(at.upload(me, null, "b", "1"))).toBe("FileTooLargeForPolicy");
    });

    test("by many writers at once keeps every content, each once", async () => {
      await keep({ versions_keep: 100 });
      const file = await put("a", "first");
      const written = Array.from({ length: 12 }, (_, n) => `content ${n}`);
      await Promise.all(written.map((text) => put("a", text)));
      const all = [await at.read(await at.files.find(me, file.id)), ...(await texts(file))];
      expect(all.toSorted()).toEqual(["first", ...written].toSorted());
    });

    test("that fails makes none and loses none", async () => {
      const file = await put("a", "one");
      const before = await objects();
      const drive = at.on({
        async write(run) {
          await at.content.changes.write(async (tx) => {
            await run(tx);
            throw new Error("the transaction fails");
          });
          throw new Error("not reached");
        },
      });
      const destination = await at.uploads.destination(me, null);
      const incoming = { name: "a", mimeType: undefined, isNumbered: true };
      const received = await at.uploads.receive(destination, {
        ...incoming,
        body: chunksOf(Buffer.from("two")),
      });
      await expect(drive.uploads.keep(received, { isReplacing: true })).rejects.toThrow(
        "the transaction fails",
      );
      async function* cut() {
        yield Buffer.from("par");
        throw new Error("the client left");
      }
      await expect(at.uploads.receive(destination, { ...incoming, body: cut() })).rejects.toThrow(
        "the client left",
      );
      expect([await at.read(await at.files.find(me, file.id)), await texts(file)]).toEqual(["one", []]);
      await at.content.blobs.settled();
      expect(await objects()).toBe(before);
    });
  });

  describe("a version", () => {
    test("is restored as a new content; what was there becomes a version", async () => {
      const file = await put("a", "one");
      await put("a", "two!");
      const { id, modifiedAt } = await newest(file);
      at.content.time.now += 1_000;
      const restored = await at.versions.restore(me, file.id, id, "dora");
      expect(restored).toMatchObject({ size: 3, modifiedAt, createdBy: "dora", versionsBytes: 7 });
      expect(await at.read(restored)).toBe("one");
      expect(await texts(file)).toEqual(["two!", "one"]);
      // The same content again changes nothing.
      expect(await at.versions.restore(me, file.id, id, "dora")).toEqual(restored);
      expect(await used()).toBe(10);
    });

    test("is restored where the quota has room for one of them only", async () => {
      me = await at.account(10);
      const file = await put("a", "1234");
      await put("a", "12345");
      const restored = await at.versions.restore(me, file.id, (await newest(file)).id, "dora");
      expect([await at.read(restored), await texts(file), await used()]).toEqual(["1234", ["12345"], 9]);
    });

    test("is deleted alone; others' and unknown ones are not found", async () => {
      const file = await put("a", "one");
      const other = await put("b", "x");
      await put("a", "two");
      await put("a", "three");
      const { id } = await newest(file);
      for (const call of [at.versions.fileAt, at.versions.remove]) {
        expect(await refusal(call(me, other.id, id))).toBe("NotFound");
        expect(await refusal(call(me, file.id, 2 ** 60))).toBe("NotFound");
        expect(await refusal(call(await at.account(), file.id, id))).toBe("FileNotFound");
      }
      await at.versions.remove(me, file.id, id);
      expect(await refusal(at.versions.restore(me, file.id, id, "x"))).toBe("NotFound");
      expect([await texts(file), await used()]).toEqual([["one"], 9]);
    });

    test("is deleted by the job when it was replaced long ago", async () => {
      const file = await put("a", "one");
      at.content.time.now += 100 * DAY_MS;
      await put("a", "two");
      at.content.time.now += 80 * DAY_MS;
      await put("a", "three");
      at.content.time.now += 10 * DAY_MS;
      await runJob();
      expect([await texts(file), await used()]).toEqual([["two"], 8]);
      await keep({ versions_keep: 0 });
      await runJob();
      expect([await texts(file), await used()]).toEqual([[], 5]);
    });
  });

  describe("versions go along", () => {
    const two = async () => {
      const file = await put("a", "one");
      return put("a", "three").then(() => file);
    };

    test("into the trash and back, and are deleted with the file", async () => {
      const before = await objects();
      const file = await two();
      await at.trash.put(me, { kind: "file", id: file.id });
      expect(await refusal(at.versions.list(me, file.id))).toBe("FileNotFound");
      expect(await used()).toBe(8);
      await at.trash.restore(me, file.id, {});
      expect(await texts(file)).toEqual(["one"]);
      await at.trash.put(me, { kind: "file", id: file.id });
      await at.trash.remove(me, file.id, SYSTEM);
      expect([await used(), await objects()]).toEqual([0, before]);
    });

    test("with folders and accounts that are deleted, and an emptied trash", async () => {
      const before = await objects();
      for (const end of ["folder", "trash", "account"] as const) {
        const file = await two();
        const folder = await at.folder(me, null, end);
        await at.files.update(me, file.id, { folderId: folder });
        if (end === "folder") await at.folders.remove(me, folder);
        else if (end === "trash") {
          await at.trash.put(me, { kind: "folder", id: folder });
          await at.trash.empty(me, SYSTEM);
        } else {
          await database.write.deleteFrom("users").where("id", "=", me).execute();
          await at.cleanUp();
        }
        expect(await objects()).toBe(before);
      }
    });

    test("to another owner, alone, in a folder and in a large one", async () => {
      const other = await at.account(100);
      const file = await two();
      const given = { kind: "file", id: file.id, parentId: null } as const;
      await at.transfers.give({ from: me, to: other }, given, SYSTEM);
      expect([await used(), await used(other), await texts(file, other)]).toEqual([0, 8, ["one"]]);
      const folder = await at.folder(me, null, "f");
      const second = await two();
      await at.files.update(me, second.id, { folderId: folder });
      const place = { kind: "folder", id: folder, parentId: null } as const;
      await at.transfers.give({ from: me, to: other }, place, SYSTEM);
      expect([await used(), await used(other), await texts(second, other)]).toEqual([0, 16, ["one"]]);
      const small = await at.account(7);
      const back = { ...given, name: "b" };
      expect(await refusal(at.transfers.give({ from: other, to: small }, back, SYSTEM))).toBe(
        "FileTooLargeForPolicy",
      );
      expect(await used(small)).toBe(0);
    });

    test("not into copies", async () => {
      const file = await two();
      await at.copies.copy(me, { kind: "file", id: file.id, parentId: null, name: "b" }, SYSTEM);
      const [copy] = (
        await at.folders.page(me, (await at.folders.find(me, null)).folder, null, 10)
      ).files.slice(1);
      expect([copy!.versionsBytes, await at.versions.list(me, copy!.id), await used()]).toEqual([0, [], 13]);
    });
  });
});
