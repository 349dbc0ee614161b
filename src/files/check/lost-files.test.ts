import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { existsSync, renameSync, rmSync, truncateSync } from "node:fs";
import { join } from "node:path";
import type { Database } from "../../platform/db/database.ts";
import { forEachDialect } from "../../platform/db/for-each-dialect.test-support.ts";
import { type DriveHarness, refusal, startDrive } from "../drive.test-support.ts";
import type { StoredFile } from "../tree/entry.ts";
import { type StorageFinding, storageReport } from "./storage-report.ts";

forEachDialect((dialect) => {
  let database: Database;
  let at: DriveHarness;
  let me: number;
  beforeAll(async () => {
    database = await dialect.openDb({ poolSize: 8 });
  });
  beforeEach(async () => {
    await at?.close();
    await database.write.deleteFrom("users").execute();
    for (const table of ["trash", "entries", "blobs", "account_usage"] as const)
      await database.write.deleteFrom(table).execute();
    at = await startDrive(database);
    me = await at.account();
  });
  afterAll(() => at?.close());

  async function objectOf({ blobId }: StoredFile): Promise<string> {
    const query = database.read.selectFrom("blobs").select("object_key").where("id", "=", blobId);
    return join(at.content.dataDir, "files", (await query.executeTakeFirstOrThrow()).object_key);
  }
  const lose = async (...files: StoredFile[]) => {
    for (const file of files) rmSync(await objectOf(file));
  };
  const check = (options: { fix?: boolean; isAllLost?: boolean } = {}): Promise<StorageFinding[]> =>
    Array.fromAsync(
      at.content.checkStorage({
        fix: true,
        toTrash: (owner, id, blobId) => at.trash.put(owner, { kind: "file", id }, blobId),
        ...options,
      }),
    );
  const problems = (findings: readonly StorageFinding[]) => findings.map(({ problem }) => problem);
  const failures = (findings: readonly StorageFinding[]) =>
    findings.filter((found) => storageReport(found).verdict === "failure");
  const trashed = async () =>
    (await at.trash.page(me, { page: 1, pageSize: 100 })).items.map(({ name }) => name).sort();

  test("files whose content is missing go to the trash with a report, the others stay", async () => {
    const folder = await at.folder(me, null, "a");
    const lost = await at.upload(me, folder, "lost.txt", "gone");
    const twin = await at.upload(me, null, "twin.txt", "gone");
    await at.upload(me, folder, "kept.txt", "one");
    await at
      .upload(me, null, "cut.txt", "another")
      .then(async (file) => truncateSync(await objectOf(file), 3));
    await at.upload(me, null, "last.txt", "third");
    await lose(lost);
    const findings = await check();
    expect(findings.filter(({ fixed }) => fixed)).toEqual([
      {
        problem: "lost_content",
        message: `The content of '/a/lost.txt' (file ${lost.id} of account ${me}, 4 bytes) is lost.`,
        fixed: true,
      },
      {
        problem: "lost_content",
        message: `The content of '/twin.txt' (file ${twin.id} of account ${me}, 4 bytes) is lost.`,
        fixed: true,
      },
    ]);
    expect(problems(failures(findings))).toEqual(["wrong_size"]);
    expect(await trashed()).toEqual(["lost.txt", "twin.txt"]);
    expect(await at.names(me, null)).toEqual(["a/", "cut.txt", "last.txt"]);
    expect(await at.names(me, folder)).toEqual(["kept.txt"]);
  });

  test("nothing is left to mend afterwards, and the same content is stored anew", async () => {
    for (const name of ["one", "two"]) await at.upload(me, null, name);
    const lost = await at.upload(me, null, "lost", "gone");
    await lose(lost);
    expect(failures(await check())).toEqual([]);
    for (const fix of [false, true]) {
      const again = await check({ fix });
      expect(problems(again)).toEqual(["trashed_content"]);
      expect(failures(again)).toEqual([]);
    }
    const anew = await at.upload(me, null, "lost", "gone");
    expect(anew.blobId).not.toBe(lost.blobId);
    expect(await at.read(anew)).toBe("gone");
    // The one in the trash has its content again.
    expect(await check()).toMatchObject([{ problem: "damaged_blob", fixed: true }]);
    await at.trash.restore(me, lost.id, { name: "back" });
    expect(await at.read(await at.files.find(me, lost.id))).toBe("gone");
    expect(await check()).toEqual([]);
  });

  test("files in a folder of the trash stay there", async () => {
    for (const name of ["one", "two"]) await at.upload(me, null, name);
    const folder = await at.folder(me, null, "a");
    const lost = await at.upload(me, folder, "lost", "gone");
    await at.trash.put(me, { kind: "folder", id: folder });
    await lose(lost);
    expect(problems(await check())).toEqual(["trashed_content"]);
    expect(await trashed()).toEqual(["a"]);
  });

  test("nothing moves when most of a storage is missing, unless --fix=all confirms it", async () => {
    const files = [];
    for (const name of ["a", "b", "c"]) files.push(await at.upload(me, null, name));
    await lose(files[0]!, files[1]!);
    const refused = await check();
    expect(problems(refused)).toEqual(["unlikely_loss", "damaged_blob", "damaged_blob"]);
    expect(refused[0]!.message).toContain("2 of 3 contents");
    expect(failures(refused).length).toBe(3);
    expect(await trashed()).toEqual([]);
    expect(failures(await check({ isAllLost: true }))).toEqual([]);
    expect(await trashed()).toEqual(["a", "b"]);
  });

  test("nothing moves without the marker of the storage, or if it can't be written", async () => {
    for (const name of ["one", "two"]) await at.upload(me, null, name);
    const lost = await at.upload(me, null, "lost", "gone");
    await lose(lost);
    expect(problems(await check({ fix: false }))).toEqual(["missing_object"]);
    await database.write
      .updateTable("blobs")
      .set({ state: "damaged", retired: 5 })
      .where("id", "=", lost.blobId)
      .execute();
    const folder = join(at.content.dataDir, "files");
    renameSync(folder, `${folder}.away`);
    expect(problems(failures(await check()))).toEqual(["storage_unavailable", "damaged_blob"]);
    rmSync(folder, { recursive: true, force: true });
    renameSync(`${folder}.away`, folder);
    const staging = join(folder, ".staging");
    expect(existsSync(staging)).toBe(true);
    renameSync(staging, `${staging}.away`);
    await Bun.write(staging, "in the way");
    expect(problems(failures(await check()))).toEqual([
      "storage_unavailable",
      "unlikely_loss",
      "damaged_blob",
    ]);
    rmSync(staging);
    renameSync(`${staging}.away`, staging);
    expect(await trashed()).toEqual([]);
  });

  test("a file that has other content by now stays", async () => {
    const file = await at.upload(me, null, "f", "content");
    expect(await refusal(at.trash.put(me, { kind: "file", id: file.id }, file.blobId + 1))).toBe(
      "FileNotFound",
    );
    expect(await trashed()).toEqual([]);
  });
});
