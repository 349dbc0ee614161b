import { afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import {
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
import { forEachDialect } from "../../platform/db/for-each-dialect.test-support.ts";
import { readArchive } from "../archive/archive.test-support.ts";
import { type DriveHarness, refusal } from "../drive.test-support.ts";
import type { Entry, Folder, StoredFile } from "../tree/entry.ts";
import { linkPhotos } from "./linked.test-support.ts";

const SECOND = 1_000;
const REFUSED = { name: "Forbidden" };

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
    photos = await linkPhotos(database, { quotaBytes: 10, isReadOnly: true });
    ({ drive, outside, root, policyId, account, linked } = photos);
  });
  afterEach(() => photos.close());

  const later = (): void => void (drive.content.time.now += 10 * SECOND);
  const names = (id: number) => (later(), drive.names(account, id));
  const scan = () => photos.scan();
  async function entry(...path: string[]) {
    const found = await drive.lookup.at(account, `/Photos/${path.join("/")}`);
    return found!;
  }
  const file = async (...path: string[]) => (await entry(...path)) as StoredFile;

  test("a folder shows what lies on the server, folder by folder as they are opened", async () => {
    expect(await names(linked.id)).toEqual(["2026/", "a.txt"]);
    const year = await entry("2026");
    expect(await names(year.id)).toEqual(["summer/"]);
    expect(await drive.read(await file("a.txt"))).toBe("first");
    await scan();
    expect(await drive.read(await file("2026", "summer", "beach.jpg"))).toBe("picture");
    expect((await file("2026", "summer", "beach.jpg")).mimeType).toBe("image/jpeg");
    const [place] = await drive.linked.places(policyId);
    expect(place).toMatchObject({ files: 2, trouble: null, scannedAt: drive.content.time.now });
  });

  test("counts in no quota, and passes every check", async () => {
    writeFileSync(join(root, "large"), "x".repeat(1_000));
    await scan();
    expect(await drive.files.usage(account)).toEqual({ usedBytes: 0, quotaBytes: 10 });
    expect(await drive.content.findings()).toEqual([]);
  });

  test("changes outside are seen when the folder is opened", async () => {
    const before = await file("a.txt");
    writeFileSync(join(root, "a.txt"), "second text");
    writeFileSync(join(root, "b.txt"), "new");
    rmSync(join(root, "2026"), { recursive: true });
    expect(await names(linked.id)).toEqual(["a.txt", "b.txt"]);
    const after = await file("a.txt");
    expect(after).toMatchObject({ id: before.id, size: 11, sha256: "" });
    expect(after.blobId).not.toBe(before.blobId);
    expect(await drive.read(after)).toBe("second text");
    expect(await refusal(drive.read(before))).toBe("FileNotFound");
  });

  test("a file is looked at before it is shown, and never sent as what it was", async () => {
    const known = await file("a.txt");
    writeFileSync(join(root, "a.txt"), "other");
    utimesSync(join(root, "a.txt"), 1, 1);
    expect(await refusal(drive.read(known))).toBe("StorageUnavailable");
    later();
    const current = await drive.files.find(account, known.id);
    expect(current.diskTime).toBe(1_000_000);
    expect(await drive.read(current)).toBe("other");
    rmSync(join(root, "a.txt"));
    later();
    expect(await refusal(drive.files.find(account, known.id))).toBe("FileNotFound");
  });

  test("an archive has the folder as it is now", async () => {
    const archive = async (items?: Entry[]) =>
      readArchive(await drive.archive((later(), linked), items)).map(([name, , content]) => [name, content]);
    await scan();
    const [known, gone] = [await file("a.txt"), await file("2026", "summer", "beach.jpg")];
    writeFileSync(join(root, "a.txt"), "second text");
    writeFileSync(join(root, "2026", "summer", "sea.jpg"), "new");
    rmSync(join(root, "2026", "summer", "beach.jpg"));
    expect(await archive([known, gone])).toEqual([["a.txt", "second text"]]);
    writeFileSync(join(root, "a.txt"), "third");
    expect(await archive()).toEqual([
      ["a.txt", "third"],
      ["2026/", ""],
      ["2026/summer/", ""],
      ["2026/summer/sea.jpg", "new"],
    ]);
    renameSync(root, `${root}-away`);
    expect(await refusal(archive())).toBe("StorageUnavailable");
  });

  test("a file that changes while it is read is cut", async () => {
    const large = join(root, "large");
    writeFileSync(large, Buffer.alloc(3 * 1024 * 1024, "a"));
    await names(linked.id);
    const { body } = await drive.content.blobs.open((await file("large")).blobId);
    const reader = (body as ReadableStream<Uint8Array>).getReader();
    expect((await reader.read()).value?.[0]).toBe(97);
    writeFileSync(large, Buffer.alloc(3 * 1024 * 1024, "b"));
    const rest = async () => {
      for (let { done } = await reader.read(); !done; ) ({ done } = await reader.read());
    };
    expect(await refusal(rest())).toBe("StorageUnavailable");
  });

  test("links lead nowhere, neither listed nor put in the way of a known file", async () => {
    writeFileSync(join(outside, "secret"), "secret");
    symlinkSync(join(outside, "secret"), join(root, "link"));
    symlinkSync(outside, join(root, "up"));
    expect(await names(linked.id)).toEqual(["2026/", "a.txt"]);
    await scan();
    const beach = await file("2026", "summer", "beach.jpg");
    mkdirSync(join(outside, "summer"));
    writeFileSync(join(outside, "summer", "beach.jpg"), "SECRET!");
    rmSync(join(root, "2026", "summer"), { recursive: true });
    symlinkSync(join(outside, "summer"), join(root, "2026", "summer"));
    expect(await refusal(drive.read(beach))).toBe("StorageUnavailable");
    const a = await file("a.txt");
    rmSync(join(root, "a.txt"));
    symlinkSync(join(outside, "secret"), join(root, "a.txt"));
    expect(await refusal(drive.read(a))).toBe("StorageUnavailable");
    renameSync(root, `${root}2`);
    symlinkSync(`${root}2`, root);
    expect(await refusal(names(linked.id))).toBe("StorageUnavailable");
  });

  test("hostile names are shown as allowed ones, and stay apart", async () => {
    const hostile = [
      "tab\there",
      "back\\slash",
      " blank ",
      "e\u0301.txt",
      "é.txt",
      "A.TXT",
      "a.TXT",
      "rtl\u202egpj.exe",
    ];
    for (const name of hostile) writeFileSync(join(root, name), name);
    writeFileSync(Buffer.concat([Buffer.from(`${root}/raw`), Buffer.from([0xff, 0xfe])]), "raw");
    const shown = await names(linked.id);
    expect(shown).toContain("A.TXT");
    expect(shown).toContain("a.TXT");
    expect(shown.filter((name) => name.startsWith("é"))).toEqual(["é (2).txt", "é.txt"]);
    expect(shown).toHaveLength(2 + hostile.length + 1);
    const read = async (name: string) => drive.read(await file(name));
    expect(await read("é.txt")).toBe("é.txt");
    expect(await read("é (2).txt")).toBe("e\u0301.txt");
    expect(await read("back_slash")).toBe("back\\slash");
    expect(await read("raw\ufffd\ufffd")).toBe("raw");
    await scan();
    expect(await names(linked.id)).toEqual(shown);
  });

  test("nothing is changed on the server, whatever is tried", async () => {
    const a = await file("a.txt");
    const year = await entry("2026");
    const tries = {
      upload: () => drive.upload(account, linked.id, "new.txt"),
      folder: () => drive.folders.create(account, { name: "New", parentId: linked.id }),
      rename: () => drive.files.update(account, a.id, { name: "b.txt" }),
      move: () => drive.files.update(account, a.id, { folderId: null }),
      moveFolder: () => drive.folders.update(account, year.id, { parentId: null }),
      delete: () => drive.files.remove(account, a.id),
      deleteFolder: () => drive.folders.remove(account, year.id),
      trash: () => drive.trash.put(account, { kind: "file", id: a.id }),
      policy: () => drive.folders.update(account, year.id, { policyId }),
    };
    for (const [what, attempt] of Object.entries(tries))
      expect([what, await refusal(attempt())]).toEqual([what, REFUSED.name]);
    expect(await names(linked.id)).toEqual(["2026/", "a.txt"]);
  });

  test("the folder that shows it can be renamed, trashed and deleted, and the files stay", async () => {
    await scan();
    await drive.folders.update(account, linked.id, { name: "Pictures" });
    await drive.trash.put(account, { kind: "folder", id: linked.id });
    writeFileSync(join(root, "b.txt"), "new");
    await scan();
    expect((await drive.linked.places(policyId))[0]!.trouble).toContain("trash");
    rmSync(join(root, "b.txt"));
    await drive.trash.restore(account, linked.id, {});
    expect(await names(linked.id)).toEqual(["2026/", "a.txt"]);
    expect(await refusal(drive.content.policies.remove(policyId))).toBe("PolicyInUse");
    await drive.folders.remove(account, linked.id);
    expect(await drive.content.findings()).toEqual([]);
    await drive.content.policies.remove(policyId);
    expect(await Bun.file(join(root, "2026", "summer", "beach.jpg")).text()).toBe("picture");
  });

  test("expiry, a deleted account and the deletion of the policy leave every byte", async () => {
    const bytes = () =>
      readdirSync(root, { recursive: true, encoding: "utf8" })
        .toSorted()
        .map((name) => {
          const found = statSync(join(root, name));
          return [name, found.mtimeMs, found.isFile() ? readFileSync(join(root, name), "utf8") : null];
        });
    const before = bytes();
    const runAll = async () => {
      for (const { run } of [...drive.jobs, ...drive.content.jobs]) await run(new AbortController().signal);
    };
    await scan();
    await drive.trash.put(account, { kind: "folder", id: linked.id });
    drive.content.time.now += 400 * 86_400_000;
    await runAll();
    expect(await drive.linked.places(policyId)).toEqual([]);
    await drive.linked.link(policyId, { accountId: account, parentId: null, name: "Photos" });
    await scan();
    expect((await drive.linked.places(policyId))[0]!.files).toBe(2);
    await database.write.deleteFrom("users").where("id", "=", account).execute();
    await runAll();
    expect(await drive.linked.places(policyId)).toEqual([]);
    await drive.content.policies.remove(policyId);
    await runAll();
    expect(bytes()).toEqual(before);
  });

  test("a folder that is away is told as that, and nothing in it as deleted", async () => {
    await scan();
    const a = await file("a.txt");
    renameSync(root, `${root}-away`);
    expect(await refusal(names(linked.id))).toBe("StorageUnavailable");
    expect(await refusal(drive.read(a))).toBe("StorageUnavailable");
    expect(await refusal(drive.linked.expectCurrent(a))).toBe("StorageUnavailable");
    expect(await drive.files.find(account, a.id)).toEqual(a);
    // An empty mount point.
    mkdirSync(root);
    expect(await refusal(names(linked.id))).toBe("StorageUnavailable");
    await scan();
    expect((await drive.linked.places(policyId))[0]!.trouble).toContain("not available");
    rmSync(root, { recursive: true });
    renameSync(`${root}-away`, root);
    expect(await names(linked.id)).toEqual(["2026/", "a.txt"]);
    expect(await drive.read(a)).toBe("first");
    expect(await drive.files.find(account, a.id)).toEqual(a);
  });

  test("the hash is made when it is asked for, and goes with the content", async () => {
    const a = await file("a.txt");
    const hashed = await drive.linked.withSha256(a, new AbortController().signal);
    expect(hashed.sha256).toBe(new Bun.CryptoHasher("sha256").update("first").digest("hex"));
    expect((await file("a.txt")).sha256).toBe(hashed.sha256);
    writeFileSync(join(root, "a.txt"), "second text");
    await names(linked.id);
    expect((await file("a.txt")).sha256).toBe("");
  });

  test("many files and folders come in portions, and two looks at once add none twice", async () => {
    for (let n = 0; n < 2_100; n++) writeFileSync(join(root, `file ${n}`), "");
    for (let n = 0; n < 30; n++) mkdirSync(join(root, `folder ${n}`));
    const [place] = await drive.linked.places(policyId);
    await Promise.all([drive.linked.scan(place!), drive.linked.scan(place!)]);
    const { folder } = await drive.folders.find(account, linked.id);
    const page = await drive.folders.page(account, folder, null, 5_000);
    expect([page.folders.length, page.files.length]).toEqual([31, 2_101]);
    for (let n = 0; n < 2_000; n++) rmSync(join(root, `file ${n}`));
    await scan();
    expect((await drive.linked.places(policyId))[0]).toMatchObject({ files: 102, trouble: null });
  });

  describe("a linked policy", () => {
    const create = (given: object) =>
      drive.content.policies.create({
        name: crypto.randomUUID(),
        driver_type: "linked",
        base_path: root,
        ...given,
      } as never);

    test("lies below the allowed folders, named without links", async () => {
      symlinkSync(root, join(outside, "way"));
      for (const base_path of [
        "/etc",
        "photos",
        join(outside, "way"),
        join(outside, "none"),
        `${root}/../photos`,
        "/",
      ])
        expect([base_path, await refusal(create({ base_path }))]).toEqual([base_path, "BadRequest"]);
    });

    test("and stored content do not lie in one another", async () => {
      const storage = { driver_type: "local", base_path: join(root, "2026") };
      expect(await refusal(create(storage))).toBe("BadRequest");
      await create({ driver_type: "local", base_path: join(outside, "stored", "content") });
      mkdirSync(join(outside, "stored"), { recursive: true });
      expect(await refusal(create({ base_path: join(outside, "stored") }))).toBe("BadRequest");
      expect(await refusal(create({ base_path: drive.content.dataDir }))).toBe("BadRequest");
    });

    test("is no storage for folders", async () => {
      const id = await drive.folder(account, null, "Own");
      expect(await refusal(drive.folders.update(account, id, { policyId }))).toBe("BadRequest");
      expect(
        await refusal(
          drive.linked.link(drive.content.policy.id, { accountId: account, parentId: null, name: "x" }),
        ),
      ).toBe("BadRequest");
    });
  });
});
