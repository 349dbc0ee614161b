import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { renameSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { mkdirSync } from "node:fs";
import { type Database, openDatabase } from "../../platform/db/database.ts";
import { forEachDialect } from "../../platform/db/for-each-dialect.test-support.ts";
import { migrateUp } from "../../platform/db/migrate.ts";
import { silentLogger } from "../../lib/logger.ts";
import { type ContentHarness, once, startContent } from "../content.test-support.ts";
import type { StorageProblem } from "./storage-report.ts";
import { bytesOf, sha256 } from "../storage/driver-contract.test-support.ts";

const HOUR_MS = 3_600_000;

forEachDialect((dialect) => {
  let database: Database;
  let at: ContentHarness;
  let seed = 0;

  beforeAll(async () => {
    database = await dialect.openDb();
    at = await startContent(database);
  });
  beforeEach(() => {
    at.time.now = Date.now();
  });
  afterAll(() => at?.close());

  const bytesFor = () => bytesOf(1_000, ++seed);
  const add = (bytes = bytesFor(), name?: string) => at.files.add(bytes, at.policy.id, name);
  const pathOf = (name: string) => join(at.dataDir, "files", name);
  const objectOf = async (file: number): Promise<string> => {
    const id = await at.files.blobOf(file);
    const query = database.read.selectFrom("blobs").select("object_key").where("id", "=", id);
    return pathOf((await query.executeTakeFirstOrThrow()).object_key);
  };
  const setBlob = (id: number, values: Record<string, unknown>) =>
    database.write.updateTable("blobs").set(values).where("id", "=", id).execute();

  /** Found without and with a fix, and not afterwards. */
  async function expectFixed(problem: StorageProblem, text: string, fixed = true): Promise<void> {
    for (const fix of [false, true]) {
      const findings = await at.findings(fix);
      expect(findings).toMatchObject([{ problem, fixed: fix && fixed }]);
      expect(findings[0]!.message).toContain(text);
    }
  }

  async function expectClean(): Promise<void> {
    expect(await at.findings()).toEqual([]);
    const ids = (await database.read.selectFrom("entries").select("id").execute()).map(({ id }) => id);
    if (ids.length > 0) await at.files.remove(...ids);
    expect(at.stored()).toEqual([]);
    expect(await at.findings()).toEqual([]);
  }

  test("reports its progress", async () => {
    await at.files.addTogether([bytesFor(), bytesFor(), bytesFor()], at.policy.id);
    const steps: string[] = [];
    const onProgress = (...step: [string, number, number]) => void steps.push(step.join(" "));
    await Array.fromAsync(at.checkStorage({ fix: false, onProgress }));
    expect(steps).toEqual(["folders 0 0", "objects 3 3", "contents 3 3"]);
    await expectClean();
  });

  test("finds no problem in a correct storage, even during changes", async () => {
    await add();
    await add(new Uint8Array());
    const upload = await at.blobs.begin(at.policy.id, crypto.randomUUID());
    await upload.append(once(bytesFor()), { maxBytes: 0 });
    const unkept = await at.blobs.store(once(bytesFor()), at.policy.id, { maxBytes: 0 });
    expect(await at.findings()).toEqual([]);
    await upload.abort();
    await unkept.drop();
    await expectClean();
  });

  test("wrong counts are corrected", async () => {
    const bytes = bytesFor();
    const file = await add(bytes);
    await add(bytes);
    const blob = await at.files.blobOf(file);
    for (const refs of [1, 3, 0]) {
      await setBlob(blob, { refs });
      await expectFixed("wrong_refs", `Blob ${blob} counts ${refs} files, but 2 use it.`);
    }
    await expectClean();
  });

  test("a blob without holders is deleted with its object", async () => {
    const file = await add();
    const blob = await at.files.blobOf(file);
    await database.write.deleteFrom("entries").where("id", "=", file).execute();
    await expectFixed("unheld_blob", `Blob ${blob} counts 1 files, but 0 use it.`);
    expect(at.stored()).toEqual([]);
    await expectClean();
  });

  test("a dead blob held by files is reported", async () => {
    const file = await add();
    const blob = await at.files.blobOf(file);
    await setBlob(blob, { state: "dead", retired: 5 });
    const problems = (await at.findings()).map(({ problem }) => problem);
    expect(problems.sort()).toEqual(["dead_blob_in_use", "odd_file"]);
    await setBlob(blob, { state: "live", retired: 0 });
    await expectClean();
  });

  test("files that do not match their content are reported", async () => {
    const file = await add(bytesFor(), "odd one");
    const was = await database.read
      .selectFrom("entries")
      .select(["size", "sha256"])
      .where("id", "=", file)
      .executeTakeFirstOrThrow();
    const set = (values: Record<string, unknown>) =>
      database.write.updateTable("entries").set(values).where("id", "=", file).execute();
    for (const wrong of [{ size: 999 }, { sha256: "0".repeat(64) }, { sha256: null }]) {
      await set(wrong);
      await expectFixed("odd_file", `File 'odd one' (${file} of account 1)`, false);
      await set(was);
    }
    await expectClean();
  });

  test("the files of a lost object are named, and its content can be stored again", async () => {
    const bytes = bytesFor();
    const file = await add(bytes, "the lost one");
    const path = await objectOf(file);
    renameSync(path, `${path}.away`);
    await expectFixed("missing_object", `'the lost one' (file ${file} of account 1)`, false);
    expect(await at.findings()).toMatchObject([{ problem: "damaged_blob", fixed: false }]);
    const again = await add(bytes);
    expect(await at.files.blobOf(again)).not.toBe(await at.files.blobOf(file));
    // The same content is stored again. The lost file gets it.
    expect(await at.findings(true)).toMatchObject([{ problem: "damaged_blob", fixed: true }]);
    expect(await at.files.blobOf(again)).toBe(await at.files.blobOf(file));
    expect(sha256(await at.files.read(file))).toBe(sha256(bytes));
    rmSync(`${path}.away`);
    await expectClean();
  });

  test("an object of another size is damaged until it is restored", async () => {
    const bytes = bytesFor();
    const file = await add(bytes);
    const path = await objectOf(file);
    truncateSync(path, 999);
    await expectFixed("wrong_size", "has 999 bytes instead of 1000", false);
    writeFileSync(path, bytes);
    expect(await at.findings(true)).toMatchObject([{ problem: "damaged_blob", fixed: true }]);
    expect(sha256(await at.files.read(file))).toBe(sha256(bytes));
    await expectClean();
  });

  test("old objects without a blob are deleted, foreign objects stay", async () => {
    const stored = await at.blobs.store(once(bytesFor()), at.policy.id, { maxBytes: 0 });
    const [key = ""] = at.stored();
    await stored.drop();
    const anothers = key.replace(/-\d+$/, "-12345");
    const foreign = ["notes.txt", "ab/cd/notes.txt", "ab/cd/0000.1", anothers];
    mkdirSync(dirname(pathOf(key)), { recursive: true });
    mkdirSync(pathOf("ab/cd"), { recursive: true });
    for (const name of [key, ...foreign]) writeFileSync(pathOf(name), "x");
    expect(await at.findings()).toEqual([]);
    at.time.now += 2 * HOUR_MS;
    await expectFixed("orphan_object", key);
    expect(at.stored()).toEqual([...foreign].sort());
    for (const name of foreign) rmSync(pathOf(name));
    await expectClean();
  });

  test("two installations in one place keep each other's objects and stagings", async () => {
    const bytes = bytesFor();
    const file = await add(bytes);
    const [object] = at.stored();
    const upload = await at.blobs.begin(at.policy.id, await at.blobs.newUploadId());
    await upload.append(once(bytesFor()), { maxBytes: 0 });
    await upload.suspend();
    const otherDb = await openOther();
    const other = await startContent(otherDb, { dataDir: at.dataDir });
    const same = await other.files.add(bytes, other.policy.id);
    expect(at.stored().length).toBe(3);
    other.time.now += 48 * HOUR_MS;
    expect(await other.findings(true)).toEqual([]);
    for (const { name } of other.jobs) await other.runJob(name);
    expect(at.stored().length).toBe(3);
    await other.files.remove(same);
    expect(at.stored()).toContain(object!);
    expect(at.stored().length).toBe(2);
    expect(sha256(await at.files.read(file))).toBe(sha256(bytes));
    await upload.abort();
    await otherDb.close();
    rmSync(join(at.dataDir, "other.db"));
    await expectClean();

    async function openOther(): Promise<Database> {
      const url = `sqlite:${join(at.dataDir, "other.db")}`;
      const opened = await openDatabase({ url, poolSize: 1 }, { threads: false, logger: silentLogger });
      await migrateUp(opened, { logger: silentLogger });
      return opened;
    }
  });

  test("an object that a blob of another policy uses is no orphan", async () => {
    const other = await at.policies.create({ name: "same place", driver_type: "local", base_path: "files" });
    const file = await at.files.add(bytesFor(), other.id);
    at.time.now += 48 * HOUR_MS;
    expect(await at.findings(true)).toEqual([]);
    await at.runJob("storage-orphans");
    expect(await at.findings()).toEqual([]);
    await at.files.remove(file);
    await at.policies.remove(other.id);
    await expectClean();
  });

  describe("a changed location", () => {
    test("is reported and left unchanged when its disk is not mounted", async () => {
      const file = await add();
      renameSync(pathOf(""), join(at.dataDir, "unmounted"));
      const elsewhere = await startContent(database, { dataDir: at.dataDir });
      for (const fix of [false, true]) {
        expect(await elsewhere.findings(fix)).toMatchObject([
          { problem: "storage_unavailable", fixed: false },
        ]);
      }
      await elsewhere.runJob("storage-reaper");
      expect(await elsewhere.files.add(bytesFor(), at.policy.id).catch((error: Error) => error.name)).toBe(
        "StorageUnavailable",
      );
      rmSync(pathOf(""), { recursive: true });
      renameSync(join(at.dataDir, "unmounted"), pathOf(""));
      expect((await at.files.read(file)).length).toBe(1_000);
      await expectClean();
    });

    test("gets a new marker when the files are there", async () => {
      await add();
      rmSync(pathOf(at.marker));
      expect(await at.findings()).toMatchObject([{ problem: "storage_unavailable" }]);
      expect(await at.findings(true)).toEqual([]);
      await expectClean();
    });
  });

  test("thousands of blobs and objects are compared page by page", async () => {
    const rows = Array.from({ length: 1_100 }, (_, n) => {
      const hash = sha256(bytesOf(8, n + 10_000));
      return { hash, key: `${hash.slice(0, 2)}/${hash.slice(2, 4)}/${hash}.${n}` };
    });
    const blob = ({ hash, key }: (typeof rows)[number], n: number) => ({
      policy_id: at.policy.id,
      sha256: hash,
      generation: n,
      retired: 0,
      size: 8,
      refs: 0,
      state: "live",
      object_key: key,
      checked_at: 0,
      created_at: 0,
    });
    await database.dialect.insertMany(database.write, "blobs", rows.map(blob));
    for (const [n, { key }] of rows.entries()) {
      mkdirSync(dirname(pathOf(key)), { recursive: true });
      if (n !== 1_034) writeFileSync(pathOf(key), bytesOf(8, n + 10_000));
    }
    const findings = await at.findings();
    expect(findings.filter(({ problem }) => problem === "unheld_blob").length).toBe(1_100);
    expect(findings.filter(({ problem }) => problem === "missing_object").length).toBe(1);
    await at.findings(true);
    await expectClean();
  });
});
