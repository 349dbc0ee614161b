/** Copies of files and folders, on every database. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { forEachDialect } from "../../platform/db/for-each-dialect.test-support.ts";
import type { Database } from "../../platform/db/database.ts";
import { COMMAND } from "../../lib/actor.ts";
import { silentLogger } from "../../lib/logger.ts";
import { createEvents } from "../../platform/events/events.service.ts";
import { type DriveHarness, refusal, startDrive } from "../drive.test-support.ts";
import { createCopiesRepository } from "./copies.repository.ts";
import { createCopies, type CopyRequest } from "./copies.ts";
import { createEntriesRepository } from "./entries.repository.ts";
import { createRemovalRepository } from "./removal.repository.ts";
import { createTransfersRepository } from "./transfers.repository.ts";

forEachDialect((dialect) => {
  let database: Database;
  let at: DriveHarness;
  beforeAll(async () => {
    database = await dialect.openDb();
    at = await startDrive(database);
  });
  afterAll(() => at.close());

  /** Fails when `steps` transactions have run, if that many are given. */
  function copiesOf({
    steps = Number.POSITIVE_INFINITY,
    portion = 5,
    most = 1_000,
    between = async () => {},
  } = {}) {
    const clock = { now: () => at.content.time.now };
    let done = 0;
    const change: DriveHarness["tree"]["change"] = async (...given) => {
      if (done++ >= steps) throw new Error("killed");
      const result = await at.tree.change(...given);
      await between();
      return result;
    };
    const { add: record } = createEvents({ database, clock });
    return createCopies({
      tree: { ...at.tree, change },
      entries: createEntriesRepository(database),
      repository: createCopiesRepository(database),
      transfers: createTransfersRepository(database),
      removal: createRemovalRepository({ database, record }),
      blobs: at.content.blobs,
      record,
      clock,
      logger: silentLogger,
      portion,
      most,
    });
  }
  const folderCopy = (id: number, more: Partial<CopyRequest> = {}) => ({
    kind: "folder" as const,
    id,
    ...more,
  });
  const used = async (owner: number) => (await at.files.usage(owner)).usedBytes;

  /** `files` in each folder of three levels, 12 bytes each. */
  async function deep(owner: number, files: number): Promise<number> {
    const top = await at.folder(owner, null, "project");
    for (let parent = top, level = 0; level < 3; level++) {
      for (let i = 0; i < files; i++)
        await at.upload(owner, parent, `${level}-${i}`, `${level}-${i}`.padEnd(12));
      await at.folder(owner, parent, "empty");
      parent = await at.folder(owner, parent, "inner");
    }
    return top;
  }
  async function everything(owner: number, id: number): Promise<string[]> {
    const { folder } = await at.folders.find(owner, id);
    const { folders, files } = await at.folders.page(owner, folder, null, 1_000);
    const below = await Promise.all(folders.map((one) => everything(owner, one.id)));
    const contents = await Promise.all(files.map(async (one) => `${one.name}=${await at.read(one)}`));
    return [...contents, ...folders.flatMap(({ name }, i) => [`${name}/`, ...below[i]!])];
  }

  test("a file keeps its content, its time and its type, and gets a free name", async () => {
    const anna = await at.account(30);
    const file = await at.upload(anna, null, "a.txt", "0123456789");
    await at.files.update(anna, file.id, { modifiedAt: 1_000 });
    const copies = copiesOf();
    const id = await copies.copy(anna, { kind: "file", id: file.id }, COMMAND);
    const copy = await at.files.find(anna, id);
    expect(copy).toMatchObject({ name: "a (2).txt", modifiedAt: 1_000, blobId: file.blobId, size: 10 });
    const folder = await at.folder(anna, null, "f");
    const named = { kind: "file" as const, id: file.id, parentId: folder, name: "b" };
    await copies.copy(anna, named, COMMAND);
    expect(await at.names(anna, folder)).toEqual(["b"]);
    expect(await refusal(copies.copy(anna, { ...named, name: "c" }, COMMAND))).toBe("FileTooLargeForPolicy");
    expect(await refusal(copies.copy(anna, named, COMMAND))).toMatch(/NameConflict/);
    expect(await refusal(copies.copy(anna, { ...named, name: "a/b" }, COMMAND))).toBe("InvalidName");
    expect(await refusal(copies.copy(anna, { ...named, parentId: 99_999_999 }, COMMAND))).toBe(
      "FolderNotFound",
    );
    await at.files.remove(anna, file.id);
    expect(await at.read(copy)).toBe("0123456789");
    expect(await used(anna)).toBe(20);
    expect(await at.wrongs()).toEqual([]);
  });

  test.each([1, 7])("a folder with %p files on each level is copied whole", async (files) => {
    const anna = await at.account();
    const id = await deep(anna, files);
    const whole = await everything(anna, id);
    const copy = await copiesOf().copy(anna, folderCopy(id), COMMAND);
    expect(await everything(anna, copy)).toEqual(whole);
    expect(await everything(anna, id)).toEqual(whole);
    expect(await at.names(anna, null)).toEqual(["project/", "project (2)/"]);
    expect(await used(anna)).toBe(2 * 3 * files * 12);
    const bare = await copiesOf().copy(anna, folderCopy(id, { name: "bare", isDeep: false }), COMMAND);
    expect(await at.names(anna, bare)).toEqual([]);
    expect(await at.wrongs()).toEqual([]);
  });

  test("the quota, the number of entries and the levels are checked first, and no folder goes into itself", async () => {
    const anna = await at.account(3 * 2 * 12 + 71);
    const id = await deep(anna, 2);
    const inner = (await at.lookup.at(anna, "/project/inner"))!.id;
    expect(await refusal(copiesOf().copy(anna, folderCopy(id), COMMAND))).toBe("FileTooLargeForPolicy");
    for (const parentId of [id, inner])
      expect(await refusal(copiesOf().copy(anna, folderCopy(id, { parentId }), COMMAND))).toBe("FolderCycle");
    expect(await refusal(copiesOf({ most: 12 }).copy(anna, folderCopy(id), COMMAND))).toBe("BadRequest");
    expect(
      await copiesOf({ most: 9 }).copy(anna, folderCopy(inner, { parentId: null }), COMMAND),
    ).toBeNumber();
    expect(await at.names(anna, null)).toEqual(["inner/", "project/"]);
    expect(await at.wrongs()).toEqual([]);
  });

  test("a copy that was cut off is in no tree and keeps its room, until a job completes it", async () => {
    const anna = await at.account(505);
    const id = await deep(anna, 7);
    const whole = await everything(anna, id);
    for (const steps of [1, 3, 4]) {
      const name = `copy ${steps}`;
      const broken = copiesOf({ steps }).copy(anna, folderCopy(id, { name }), COMMAND);
      await expect(broken).rejects.toThrow("killed");
      expect(await at.names(anna, null)).toEqual(["project/"]);
      expect(await used(anna)).toBe(2 * 252);
      expect(await at.wrongs()).toEqual([]);
      expect(await refusal(at.upload(anna, null, "too.much", "12"))).toBe("FileTooLargeForPolicy");
      // Somebody has taken the name meanwhile.
      const other = await at.folder(anna, null, name);
      await copiesOf().finishAll();
      const copy = (await at.lookup.at(anna, `/${name} (2)`))!;
      expect(await everything(anna, copy.id)).toEqual(whole);
      for (const one of [other, copy.id]) await at.folders.remove(anna, one);
      expect(await at.wrongs()).toEqual([]);
    }
    expect(await used(anna)).toBe(252);
  });

  test("a copy that can't be completed is removed, with what it had", async () => {
    const anna = await at.account();
    const id = await deep(anna, 7);
    await expect(copiesOf({ steps: 3 }).copy(anna, folderCopy(id), COMMAND)).rejects.toThrow("killed");
    await database.write.deleteFrom("users").where("id", "=", anna).execute();
    await copiesOf().finishAll();
    await at.cleanUp();
    expect(await database.read.selectFrom("copies").selectAll().execute()).toEqual([]);
    expect(await database.read.selectFrom("copy_items").selectAll().execute()).toEqual([]);
    expect(
      await database.read.selectFrom("entries").select("id").where("account_id", "=", anna).execute(),
    ).toEqual([]);
    expect(await at.wrongs()).toEqual([]);
  });

  test("others work in the folder while it is copied", async () => {
    const anna = await at.account();
    const id = await deep(anna, 7);
    const whole = await everything(anna, id);
    const files = (await at.folders.page(anna, (await at.folders.find(anna, id)).folder, null, 100)).files;
    const inner = (await at.lookup.at(anna, "/project/inner"))!;
    let turn = 0;
    const work = [
      () => at.files.update(anna, files[6]!.id, { folderId: inner.id, name: "moved down" }),
      () => at.upload(anna, inner.id, "new", "new"),
      () => at.folders.update(anna, inner.id, { parentId: null, name: "elsewhere" }),
      () => at.folders.remove(anna, inner.id),
    ];
    let seen: string[] = [];
    const between = async () => {
      await work[turn++]?.();
      seen = seen.concat(await at.names(anna, null));
    };
    const copy = await copiesOf({ between }).copy(anna, folderCopy(id, { name: "copy" }), COMMAND);
    const got = await everything(anna, copy);
    expect(turn).toBeGreaterThan(4);
    expect(seen.slice(0, -3)).not.toContain("copy/");
    expect(whole).toEqual(expect.arrayContaining(got));
    expect(got).toEqual(
      expect.arrayContaining(whole.filter((one) => one.startsWith("0-") || one.endsWith("/"))),
    );
    expect(await at.wrongs()).toEqual([]);
  });

  test("two processes complete a copy together", async () => {
    const anna = await at.account();
    const id = await deep(anna, 7);
    await expect(copiesOf({ steps: 1 }).copy(anna, folderCopy(id), COMMAND)).rejects.toThrow("killed");
    await Promise.all([copiesOf().finishAll(), copiesOf().finishAll()]);
    expect(await at.names(anna, null)).toEqual(["project/", "project (2)/"]);
    expect(await used(anna)).toBe(504);
    expect(await at.wrongs()).toEqual([]);
  });

  test("properties that WebDAV clients have stored go along", async () => {
    const anna = await at.account();
    const id = await deep(anna, 2);
    const file = (await at.lookup.at(anna, "/project/inner/1-1"))!;
    const rows = [id, file.id].map((one) => ({ id: one, content: `["of ${one}"]` }));
    await database.dialect.insertMany(database.write, "dav_properties", rows);
    const copy = await copiesOf({ portion: 3 }).copy(anna, folderCopy(id, { name: "copy" }), COMMAND);
    const copied = (await at.lookup.at(anna, "/copy/inner/1-1"))!;
    const found = database.read.selectFrom("dav_properties").selectAll().where("id", "in", [copy, copied.id]);
    expect(await found.orderBy("id").execute()).toEqual([
      { id: copy, content: `["of ${id}"]` },
      { id: copied.id, content: `["of ${file.id}"]` },
    ]);
  });
});
