/** Folders of the server that may be written: what is done in the tree is done on the disk, and nothing is lost. */
import { afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import type { Database } from "../../platform/db/database.ts";
import type { Db } from "../../platform/db/dialect.ts";
import { forEachDialect } from "../../platform/db/for-each-dialect.test-support.ts";
import { createBodyMemory } from "../../platform/http/body-memory.ts";
import { SYSTEM } from "../../lib/actor.ts";
import { appError } from "../../lib/errors.ts";
import { beforeFirstWrite } from "../../lib/first-write.ts";
import { until } from "../../../test/support/until.ts";
import { readEntries } from "../archive/archive.test-support.ts";
import { createPut } from "../commands/put.ts";
import { chunksOf, type DriveHarness, refusal } from "../drive.test-support.ts";
import { HIDDEN } from "../storage/disk.ts";
import type { Entry, Folder, StoredFile } from "../tree/entry.ts";
import { linkPhotos } from "./linked.test-support.ts";

forEachDialect((dialect) => {
  let database: Database;
  let photos: Awaited<ReturnType<typeof linkPhotos>>;
  let drive: DriveHarness;
  let outside: string;
  let root: string;
  let policyId: number;
  let account: number;
  let linked: Folder;

  beforeAll(async () => {
    database = await dialect.openDb();
  });
  beforeEach(async () => {
    photos = await linkPhotos(database, { quotaBytes: 1_000, isReadOnly: false });
    ({ drive, outside, root, policyId, account, linked } = photos);
    await photos.scan();
  });
  afterEach(() => photos.close());

  /** Folders of other tests are gone. */
  const findings = async () =>
    (await drive.content.findings()).filter(({ problem }) => problem !== "storage_unavailable");
  const later = (): void => void (drive.content.time.now += 10_000);
  const names = (id = linked.id) => (later(), drive.names(account, id));
  const entry = async (path: string): Promise<Entry> => (await drive.lookup.at(account, `/Photos/${path}`))!;
  const file = async (path: string) => (await entry(path)) as StoredFile;
  const text = (path: string): string => readFileSync(join(root, path), "utf8");
  /** What nobody sees. */
  const hidden = (): string[] => (existsSync(join(root, HIDDEN)) ? readdirSync(join(root, HIDDEN)) : []);
  const shown = () =>
    readdirSync(root, { recursive: true, encoding: "utf8" }).filter((one) => !one.startsWith("."));
  const inTrash = async () => (await drive.trash.page(account, { page: 1, pageSize: 100 })).items;
  const put = async (name: string, bytes: string, folderId = linked.id, isReplacing = true) => {
    const destination = await drive.uploads.destination(account, folderId);
    const given = { name, mimeType: undefined, body: chunksOf(Buffer.from(bytes)), isNumbered: isReplacing };
    return drive.uploads.keep(await drive.uploads.receive(destination, given), { isReplacing });
  };

  test("an upload lies in the folder, with its hash, its time and its sizes, and counts in no quota", async () => {
    const made = await put("new.txt", "x".repeat(5_000), linked.id, false);
    expect(text("new.txt")).toBe("x".repeat(5_000));
    expect(statSync(join(root, "new.txt")).mode & 0o400).toBe(0o400);
    expect(made.sha256).toBe(new Bun.CryptoHasher("sha256").update("x".repeat(5_000)).digest("hex"));
    expect(await names()).toEqual(["2026/", "a.txt", "new.txt"]);
    expect(await file("new.txt")).toMatchObject({ id: made.id, blobId: made.blobId });
    expect(await drive.read(made)).toBe("x".repeat(5_000));
    expect(await drive.files.usage(account)).toMatchObject({ usedBytes: 0 });
    expect(hidden()).toEqual([]);
    expect(await refusal(put("new.txt", "again", linked.id, false))).toBe("NameConflict");
    const at = 1_700_000_000_000;
    const destination = await drive.uploads.destination(account, linked.id);
    const given = { name: "old.txt", mimeType: undefined, body: chunksOf(Buffer.from("old")) };
    const received = await drive.uploads.receive(destination, given);
    await drive.uploads.keep({ ...received, modifiedAt: at });
    expect(statSync(join(root, "old.txt")).mtimeMs).toBe(at);
    expect((await file("old.txt")).modifiedAt).toBe(at);
  });

  test("uploads in several requests count in no quota either", async () => {
    const begin = async (size: number | null, folderId: number | null, metadata = "") =>
      (await drive.resumable.create(account, { size, name: "big", mimeType: undefined, folderId, metadata }))
        .upload;
    const rest = { offset: 0, length: undefined, checksum: null, reservation: createBodyMemory().enter() };
    const bytes = Buffer.alloc(5_000, "x");
    const append = (id: string) =>
      drive.resumable.append(account, id, { ...rest, total: 5_000, body: () => chunksOf(bytes) });
    const [known, deferred] = [await begin(5_000, linked.id), await begin(null, linked.id)];
    await begin(900, null);
    expect(await refusal(begin(200, null))).toBe("FileTooLargeForPolicy");
    await append(known.id);
    expect(text("big")).toHaveLength(5_000);
    expect(await refusal(append(deferred.id))).toBe("NameConflict");
    await append((await begin(5_000, linked.id, `replace ${btoa("true")}`)).id);
    expect(await drive.files.usage(account)).toMatchObject({ usedBytes: 0 });
  });

  test("files with the same content are not put there again", async () => {
    const top = join(outside, "source");
    mkdirSync(top);
    writeFileSync(join(top, "a.txt"), "first");
    const job = { accountId: account, to: ["Photos"], replace: true, dryRun: false, follow: false };
    const run = () => createPut(drive).folder(top, job, () => {});
    expect(await run()).toMatchObject({ unchanged: 1, uploaded: 0 });
    writeFileSync(join(root, "a.txt"), "other");
    expect(await run()).toMatchObject({ unchanged: 0, replaced: 1 });
    expect(text("a.txt")).toBe("first");
    expect(await run()).toMatchObject({ unchanged: 1, replaced: 0 });
  });

  test("a name that somebody else has taken meanwhile is not overwritten", async () => {
    const destination = await drive.uploads.destination(account, linked.id);
    const given = { name: "b.txt", mimeType: undefined, body: chunksOf(Buffer.from("mine")) };
    const received = await drive.uploads.receive(destination, given);
    writeFileSync(join(root, "b.txt"), "theirs");
    expect(await refusal(drive.uploads.keep(received))).toBe("NameConflict");
    await drive.content.blobs.settled();
    expect(text("b.txt")).toBe("theirs");
    expect(hidden()).toEqual([]);
    expect(await names()).toEqual(["2026/", "a.txt", "b.txt"]);
  });

  test("what is replaced goes to the trash and comes back, and the file keeps its id", async () => {
    const before = await file("a.txt");
    const after = await put("a.txt", "second");
    expect(after.id).toBe(before.id);
    expect([text("a.txt"), await drive.read(after)]).toEqual(["second", "second"]);
    const [former] = await inTrash();
    expect(former).toMatchObject({ name: "a.txt", size: 5 });
    expect(hidden()).toHaveLength(1);
    await drive.trash.restore(account, former!.id, { name: "former.txt" });
    expect(text("former.txt")).toBe("first");
    expect(await names()).toEqual(["2026/", "a.txt", "former.txt"]);
    expect(await drive.read(await file("former.txt"))).toBe("first");
    await put("empty", "");
    await put("empty", "full");
    expect(await inTrash()).toEqual([]);
    for (const name of ["a.txt", "empty"]) await put(name, text(name));
    expect([await inTrash(), hidden()]).toEqual([[], []]);
    expect(await findings()).toEqual([]);
  });

  test("a file that somebody changed meanwhile is not replaced", async () => {
    const destination = await drive.uploads.destination(account, linked.id);
    const given = {
      name: "a.txt",
      mimeType: undefined,
      body: chunksOf(Buffer.from("mine")),
      isNumbered: true,
    };
    const received = await drive.uploads.receive(destination, given);
    writeFileSync(join(root, "a.txt"), "theirs, just now");
    expect(await refusal(drive.uploads.keep(received, { isReplacing: true }))).toBe("StorageUnavailable");
    expect(text("a.txt")).toBe("theirs, just now");
    expect(await inTrash()).toEqual([]);
  });

  test("a request that knows the former content does not replace a file that changed outside", async () => {
    const known = await file("a.txt");
    const expectKnown = async (tx: unknown): Promise<void> => {
      const { size, diskTime } = await drive.files.locked(account, known.id, tx as Db);
      if (size !== known.size || diskTime !== known.diskTime) throw appError("PreconditionFailed", "changed");
    };
    const replace = async (bytes: string) => {
      const former = await drive.files.find(account, known.id);
      const destination = await drive.uploads.destination(account, former.parentId);
      const given = { name: former.name, mimeType: undefined, body: chunksOf(Buffer.from(bytes)) };
      const { mimeType, stored } = await drive.uploads.receive(destination, { ...given, isNumbered: true });
      await drive.files.replace({ accountId: account, id: known.id, mimeType }, stored);
    };
    writeFileSync(join(root, "a.txt"), "changed outside");
    expect(await refusal(beforeFirstWrite(expectKnown, () => replace("mine")).result)).toBe(
      "PreconditionFailed",
    );
    expect(text("a.txt")).toBe("changed outside");
    expect((await file("a.txt")).size).toBe("changed outside".length);
    // Whoever opens the folder meanwhile shares the look that such a request began.
    later();
    writeFileSync(join(root, "new.txt"), "new");
    const looks = beforeFirstWrite(expectKnown, () => Promise.all([1, 2].map(() => names()))).result;
    expect(await looks).toEqual([1, 2].map(() => ["2026/", "a.txt", "new.txt"]));
  });

  test("folders are made, and entries renamed and moved, with their ids", async () => {
    const folder = await drive.folders.create(account, { name: "New", parentId: linked.id });
    expect(statSync(join(root, "New")).isDirectory()).toBe(true);
    expect(await refusal(drive.folders.create(account, { name: "New", parentId: linked.id }))).toBe(
      "NameConflict",
    );
    const beach = await file("2026/summer/beach.jpg");
    await drive.files.update(account, beach.id, { name: "sea.jpg", folderId: folder.id });
    expect(text("New/sea.jpg")).toBe("picture");
    const year = await entry("2026");
    await drive.folders.update(account, year.id, { name: "Year", parentId: folder.id });
    expect(shown().toSorted()).toEqual(["New", "New/Year", "New/Year/summer", "New/sea.jpg", "a.txt"]);
    for (const one of await drive.linked.places(policyId)) await drive.linked.scan(one);
    expect((await file("New/sea.jpg")).id).toBe(beach.id);
    expect((await entry("New/Year")).id).toBe(year.id);
    writeFileSync(join(root, "New", "taken"), "taken");
    expect(await refusal(drive.files.update(account, beach.id, { name: "taken" }))).toBe("NameConflict");
    expect(text("New/taken")).toBe("taken");
    const a = await file("a.txt");
    expect(await refusal(drive.files.update(account, a.id, { folderId: null }))).toBe("Forbidden");
    const own = await drive.upload(account, null, "own.txt");
    expect(await refusal(drive.files.update(account, own.id, { folderId: linked.id }))).toBe("Forbidden");
    expect(await refusal(drive.folders.update(account, folder.id, { parentId: year.id }))).toBe(
      "FolderCycle",
    );
  });

  test("a file that was renamed has the time of its disk, in lists, search and archives", async () => {
    const at = 1_700_000_000_000;
    const { id } = await file("a.txt");
    await drive.files.update(account, id, { name: "renamed.txt" });
    writeFileSync(join(root, "renamed.txt"), "second text");
    utimesSync(join(root, "renamed.txt"), at / 1000, at / 1000);
    await names();
    expect((await file("renamed.txt")).modifiedAt).toBe(at);
    const { entries } = await drive.search.page(account, "renamed", null, 10);
    expect(entries).toMatchObject([{ id, modifiedAt: at }]);
    const { folder } = await drive.folders.find(account, linked.id);
    const times = readEntries(await drive.archive(folder!)).map(([name, , , time]) => [name, time]);
    expect(times).toContainEqual(["renamed.txt", at / 1000]);
  });

  test("a name that the disk writes in another way stays where only the folder changes", async () => {
    writeFileSync(join(root, "back\\slash"), "odd");
    await names();
    const odd = await file("back_slash");
    await drive.files.update(account, odd.id, { folderId: (await entry("2026")).id });
    expect(text("2026/back\\slash")).toBe("odd");
    await drive.trash.put(account, { kind: "file", id: odd.id });
    await drive.trash.restore(account, odd.id, {});
    expect(text("2026/back\\slash")).toBe("odd");
    await drive.files.update(account, odd.id, { name: "even" });
    expect(text("2026/even")).toBe("odd");
    expect(await drive.read(await file("2026/even"))).toBe("odd");
  });

  test("the trash holds files and folders, gives them back, and empties", async () => {
    const year = await entry("2026");
    const beach = await file("2026/summer/beach.jpg");
    await drive.trash.put(account, { kind: "folder", id: year.id });
    expect(await names()).toEqual(["a.txt"]);
    expect(shown()).toEqual(["a.txt"]);
    await drive.trash.restore(account, year.id, {});
    expect((await file("2026/summer/beach.jpg")).id).toBe(beach.id);
    expect(await drive.read(await file("2026/summer/beach.jpg"))).toBe("picture");
    await drive.trash.put(account, { kind: "folder", id: year.id });
    await drive.trash.put(account, { kind: "file", id: (await file("a.txt")).id });
    mkdirSync(join(root, "2026"));
    await names();
    expect(await refusal(drive.trash.restore(account, year.id, {}))).toBe("NameConflict");
    expect(await refusal(drive.trash.restore(account, year.id, { folderId: null }))).toBe("Forbidden");
    expect(hidden()).toHaveLength(2);
    expect(await drive.trash.empty(account, SYSTEM)).toBe(2);
    await until(() => hidden().length === 0);
    expect(shown()).toEqual(["2026"]);
    expect(await drive.files.usage(account)).toMatchObject({ usedBytes: 0 });
    expect(await findings()).toEqual([]);
  });

  test("what is deleted for good goes at once, a large folder in portions", async () => {
    for (let n = 0; n < 1_200; n++) writeFileSync(join(root, "2026", `file ${n}`), "");
    symlinkSync(outside, join(root, "2026", "out"));
    writeFileSync(join(outside, "kept"), "kept");
    await names((await entry("2026")).id);
    await drive.folders.remove(account, (await entry("2026")).id);
    await drive.files.remove(account, (await file("a.txt")).id);
    expect(shown()).toEqual([]);
    await until(() => hidden().length === 0);
    expect(readFileSync(join(outside, "kept"), "utf8")).toBe("kept");
    expect(await names()).toEqual([]);
  });

  test("a disk that is away, or another folder in its place, is not written", async () => {
    const a = await file("a.txt");
    renameSync(root, `${root}-away`);
    const tries = {
      upload: () => put("new", "new"),
      folder: () => drive.folders.create(account, { name: "New", parentId: linked.id }),
      rename: () => drive.files.update(account, a.id, { name: "b.txt" }),
      trash: () => drive.trash.put(account, { kind: "file", id: a.id }),
      delete: () => drive.files.remove(account, a.id),
    };
    const all = async () => {
      for (const [what, attempt] of Object.entries(tries))
        expect([what, await refusal(attempt())]).toEqual([what, "StorageUnavailable"]);
    };
    await all();
    mkdirSync(root);
    later();
    await all();
    expect(shown()).toEqual([]);
    rmSync(root, { recursive: true });
    renameSync(`${root}-away`, root);
    expect(await names()).toEqual(["2026/", "a.txt"]);
    expect(await drive.files.find(account, a.id)).toEqual(a);
  });

  test("links that are put in the way lead nowhere", async () => {
    const beach = await file("2026/summer/beach.jpg");
    const summer = await entry("2026/summer");
    mkdirSync(join(outside, "elsewhere"));
    writeFileSync(join(outside, "elsewhere", "beach.jpg"), "secret!");
    renameSync(join(root, "2026", "summer"), join(outside, "summer"));
    symlinkSync(join(outside, "elsewhere"), join(root, "2026", "summer"));
    expect(await refusal(drive.files.remove(account, beach.id))).toBe("StorageUnavailable");
    expect(await refusal(put("x", "x", summer.id))).not.toBe("no error");
    rmSync(join(root, "2026", "summer"));
    renameSync(join(outside, "summer"), join(root, "2026", "summer"));
    await names((await entry("2026")).id);
    rmSync(join(root, HIDDEN), { recursive: true, force: true });
    symlinkSync(join(outside, "elsewhere"), join(root, HIDDEN));
    expect(await refusal(put("y", "y"))).toBe("StorageUnavailable");
    expect(await refusal(drive.trash.put(account, { kind: "file", id: (await file("a.txt")).id }))).toBe(
      "StorageUnavailable",
    );
    expect(readdirSync(join(outside, "elsewhere"))).toEqual(["beach.jpg"]);
    rmSync(join(root, HIDDEN));
  });

  test("an account that is deleted, and a policy that becomes read-only, leave every byte", async () => {
    const runAll = async () => {
      for (const { run } of [...drive.jobs, ...drive.content.jobs]) await run(new AbortController().signal);
    };
    await drive.trash.put(account, { kind: "file", id: (await file("a.txt")).id });
    await drive.content.policies.update(policyId, { read_only: true });
    expect(await refusal(put("b", "b"))).toBe("Forbidden");
    expect(await refusal(drive.trash.put(account, { kind: "folder", id: (await entry("2026")).id }))).toBe(
      "Forbidden",
    );
    drive.content.time.now += 400 * 86_400_000;
    await runAll();
    expect(await inTrash()).toEqual([]);
    expect(hidden()).toHaveLength(1);
    await drive.content.policies.update(policyId, { read_only: false });
    await database.write.deleteFrom("users").where("id", "=", account).execute();
    await runAll();
    expect(hidden()).toHaveLength(1);
    expect(text("2026/summer/beach.jpg")).toBe("picture");
    await drive.content.policies.remove(policyId);
  });

  describe("a process that dies before the rows are written loses nothing", () => {
    /** The disk has changed, the rows have not. */
    const dying = () =>
      drive.on({
        write: (run) =>
          drive.content.changes.write(async (tx) => {
            await run(tx);
            throw new Error("killed");
          }),
      });
    const bytesOf = (folder: string): string[] =>
      readdirSync(folder, { recursive: true, encoding: "utf8" })
        .filter((name) => statSync(join(folder, name)).isFile())
        .map((name) => readFileSync(join(folder, name), "utf8"))
        .toSorted();
    const killed = async (attempt: Promise<unknown>) =>
      expect(
        await attempt.then(
          () => "done",
          (error: Error) => error.message,
        ),
      ).toBe("killed");

    test("rename, move, trash, replace", async () => {
      const a = await file("a.txt");
      const beach = await file("2026/summer/beach.jpg");
      await killed(dying().files.update(account, a.id, { name: "b.txt" }));
      expect(await names()).toEqual(["2026/", "b.txt"]);
      await killed(dying().files.update(account, beach.id, { folderId: linked.id }));
      expect(await names()).toEqual(["2026/", "b.txt", "beach.jpg"]);
      await killed(dying().trash.put(account, { kind: "file", id: (await file("b.txt")).id }));
      await killed(dying().folders.create(account, { name: "Made", parentId: linked.id }));
      expect(bytesOf(root)).toEqual(["first", "picture"]);
      const other = dying();
      const destination = await drive.uploads.destination(account, linked.id);
      const body = chunksOf(Buffer.from("second"));
      const given = { name: "beach.jpg", mimeType: undefined, body, isNumbered: true };
      const received = await drive.uploads.receive(destination, given);
      await killed(other.uploads.keep(received, { isReplacing: true }));
      await drive.content.blobs.settled();
      expect(bytesOf(root)).toEqual(["first", "picture", "second"]);
      expect(await names()).toEqual(["2026/", "Made/", "beach.jpg"]);
      expect(await drive.read(await file("beach.jpg"))).toBe("second");
    });
  });

  test("left-overs of uploads go, and times of others are kept", async () => {
    const destination = await drive.uploads.destination(account, linked.id);
    const given = { name: "b.txt", mimeType: undefined, body: chunksOf(Buffer.from("mine")) };
    await drive.uploads.receive(destination, given);
    expect(hidden()).toHaveLength(1);
    utimesSync(join(root, "a.txt"), 1, 1);
    drive.content.time.now += 10 * 86_400_000;
    for (const { run } of drive.content.jobs) await run(new AbortController().signal);
    expect(hidden()).toEqual([]);
    expect(statSync(join(root, "a.txt")).mtimeMs).toBe(1_000);
  });
});
