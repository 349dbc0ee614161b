/** Uploads of folders and downloads, on a real tree with local storage. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Database, openDatabase } from "../../platform/db/database.ts";
import { migrateUp } from "../../platform/db/migrate.ts";
import { silentLogger } from "../../lib/logger.ts";
import { type DriveHarness, startDrive } from "../drive.test-support.ts";
import type { StoredFile } from "../tree/entry.ts";
import { getFile, targetPath } from "./get.commands.ts";
import { createPut, localTotals, type PutJob } from "./put.ts";

const folder = mkdtempSync(join(tmpdir(), "waymark-test-"));
const source = join(folder, "source");
let database: Database;
let drive: DriveHarness;

beforeAll(async () => {
  const url = `sqlite:${join(folder, "test.db")}`;
  database = await openDatabase({ url, poolSize: 1 }, { threads: false, logger: silentLogger });
  await migrateUp(database, { logger: silentLogger });
  drive = await startDrive(database);
  mkdirSync(join(source, "sub", "empty"), { recursive: true });
  writeFileSync(join(source, "a.txt"), "first");
  utimesSync(join(source, "a.txt"), 0, Date.UTC(1999, 0) / 1000);
  writeFileSync(join(source, "sub", "é ü.txt".normalize("NFD")), "second");
});
afterAll(async () => {
  await drive.content.close();
  await database.close();
  rmSync(folder, { recursive: true, force: true });
});

const run = (accountId: number, more: Partial<PutJob> = {}) =>
  createPut(drive).folder(
    source,
    { accountId, to: ["Up"], replace: false, dryRun: false, follow: false, ...more },
    () => undefined,
  );
const at = async (accountId: number, path: string) => (await drive.lookup.at(accountId, path)) as StoredFile;
const kept = { uploaded: 0, bytes: 0, unchanged: 2, replaced: 0, left_out: 0, failed: 0, notes: [] };

test("a folder is uploaded once; what has the same content is skipped, other content stays or is replaced", async () => {
  const account = await drive.account();
  expect(await run(account, { dryRun: true })).toEqual({ ...kept, uploaded: 2, bytes: 11, unchanged: 0 });
  expect(await drive.names(account, null)).toEqual([]);
  expect(await run(account)).toEqual({ ...kept, uploaded: 2, bytes: 11, unchanged: 0 });
  expect(await drive.read(await at(account, "/Up/sub/é ü.txt"))).toBe("second");
  expect((await at(account, "/Up/a.txt")).modifiedAt).toBe(Date.UTC(1999, 0));
  expect((await at(account, "/Up/sub/empty")).kind as string).toBe("folder");
  expect(await run(account)).toEqual(kept);
  expect(await localTotals(source, false)).toEqual({ files: 2, bytes: 11 });

  const former = await at(account, "/Up/a.txt");
  const own = await drive.upload(account, (await at(account, "/Up")).id, "other", "FIRST");
  await drive.trash.put(account, { kind: "file", id: former.id });
  await drive.files.update(account, own.id, { name: "a.txt" });
  expect(await run(account)).toMatchObject({ unchanged: 1, failed: 1, notes: [{ failed: true }] });
  expect(await drive.read(await at(account, "/Up/a.txt"))).toBe("FIRST");
  expect(await run(account, { replace: true })).toMatchObject({ uploaded: 1, replaced: 1, failed: 0 });
  expect(await drive.read(await at(account, "/Up/a.txt"))).toBe("first");
  expect((await at(account, "/Up/a.txt")).id).toBe(own.id);
});

test("what can't be uploaded is told, and the rest follows", async () => {
  const bad = [join(source, "line\nbreak"), join(source, "link"), join(source, "sub", "loop")] as const;
  writeFileSync(bad[0], "x");
  symlinkSync(join(source, "a.txt"), bad[1]);
  symlinkSync("..", bad[2]);
  try {
    const account = await drive.account();
    const report = await run(account);
    expect(report).toMatchObject({ uploaded: 2, left_out: 2, failed: 1 });
    expect(report.notes.map(({ path }) => path).toSorted()).toEqual([...bad].toSorted());
    expect(await run(account, { follow: true })).toMatchObject({ uploaded: 1, unchanged: 2, left_out: 1 });
    expect(await drive.read(await at(account, "/Up/link"))).toBe("first");
  } finally {
    for (const path of bad) rmSync(path);
  }
});

test("two runs at once upload each file once", async () => {
  const account = await drive.account();
  const reports = await Promise.all([run(account), run(account)]);
  const sum = (key: "uploaded" | "unchanged" | "failed") => reports[0][key] + reports[1][key];
  expect([sum("uploaded"), sum("unchanged"), sum("failed")]).toEqual([2, 2, 0]);
});

test("the quota holds as for other uploads, and what fits is stored", async () => {
  const account = await drive.account(5);
  const report = await run(account);
  expect(report).toMatchObject({ uploaded: 1, failed: 1 });
  expect(report.notes[0]!.reason).toContain("quota");
});

test("a download continues after its partial file, and overwrites nothing unless forced", async () => {
  const account = await drive.account();
  const content = Buffer.alloc(1_000_000, "waymark ");
  const file = await drive.upload(account, null, "big.bin", content);
  const path = join(folder, "big.bin");
  const partial = `${path}.${file.sha256.slice(0, 12)}.part`;
  const steps: number[] = [];
  const get = (force = false) =>
    getFile(drive.content.blobs, file, { path, force, onProgress: (done) => void steps.push(done) });
  writeFileSync(partial, content.subarray(0, 999_990));
  await get();
  expect(steps).toEqual([content.length]);
  expect(readFileSync(path).equals(content)).toBe(true);
  expect(existsSync(partial)).toBe(false);

  writeFileSync(path, "mine");
  expect(get()).rejects.toMatchObject({ name: "Conflict" });
  await get().catch(() => undefined);
  expect(targetPath(folder, "big.bin", false)).rejects.toMatchObject({ name: "Conflict" });
  expect(readFileSync(path, "utf8")).toBe("mine");
  writeFileSync(partial, "something else that is no part of it");
  expect(await get(true).catch((error: Error) => error.name)).toBe("StorageUnavailable");
  expect(readFileSync(path, "utf8")).toBe("mine");
  await drive.files.update(account, file.id, { modifiedAt: Date.UTC(2001, 1, 3) });
  Object.assign(file, await drive.files.find(account, file.id));
  await get(true);
  expect(statSync(path).mtimeMs).toBe(Date.UTC(2001, 1, 3));
  expect(readFileSync(path).equals(content)).toBe(true);
  expect(readdirSync(folder).filter((name) => name.endsWith(".part"))).toEqual([]);
});
