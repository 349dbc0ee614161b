import { afterAll, beforeAll, expect, test } from "bun:test";
import { type Database, openDatabase } from "../../platform/db/database.ts";
import { createFresh, type Fresh } from "../../platform/db/fresh.test-support.ts";
import { migrateUp } from "../../platform/db/migrate.ts";
import { silentLogger } from "../../lib/logger.ts";
import { type DriveHarness, startDrive } from "../drive.test-support.ts";
import { contentsView, LARGEST_PAGE, viewWhole, wholeText } from "./listing.ts";

let fresh: Fresh;
let database: Database;
let at: DriveHarness;
beforeAll(async () => {
  fresh = await createFresh("sqlite");
  database = await openDatabase({ url: fresh.url, poolSize: 1 }, { threads: false, logger: silentLogger });
  await migrateUp(database, { logger: silentLogger });
  at = await startDrive(database);
});
afterAll(async () => {
  await at?.close();
  await database?.close();
  await fresh?.drop();
});

async function fill(parentId: number, folders: number, files: number): Promise<void> {
  const { blobId, sha256, size } = await at.upload(0, parentId, "z");
  const common = { account_id: 0, parent_id: parentId, policy_id: null, created_at: 0, updated_at: 0 };
  const nameAt = (prefix: string, i: number) => `${prefix}${String(i).padStart(5, "0")} "\u00e9"`;
  const folderRows = Array.from({ length: folders }, (_, i) => ({
    ...common,
    kind: "folder",
    name: nameAt("d", i),
    blob_id: null,
    mime_type: null,
    sha256: null,
    size: 0,
  }));
  const fileRows = Array.from({ length: files }, (_, i) => ({
    ...common,
    kind: "file",
    name: nameAt("f", i),
    blob_id: blobId,
    mime_type: "a/b",
    sha256,
    size,
  }));
  await database.dialect.insertMany(database.write, "entries", folderRows);
  await database.dialect.insertMany(database.write, "entries", fileRows);
}

test.each([
  [0, 0],
  [0, 2_500],
  [2_500, 0],
  [LARGEST_PAGE, 0],
  [LARGEST_PAGE, LARGEST_PAGE],
  [1_500, 1_700],
  [LARGEST_PAGE - 1, 1],
])("%d folders and %d files give the same text in pages as at once", async (folders, files) => {
  const id = await at.folder(0, null, `${folders} and ${files}`);
  await fill(id, folders, files);
  const listing = { ...(await at.folders.find(0, id)), owner: "admin" };
  const first = await at.folders.page(0, listing.folder, null, LARGEST_PAGE);
  const pieces = await Array.fromAsync(wholeText(at.folders, 0, listing, first));
  const { code, message, data } = JSON.parse(pieces.join(""));
  expect([code, message]).toEqual([0, "OK"]);
  expect(contentsView.parse(data)).toEqual(data);
  expect(data.path).toEqual([{ id, name: `${folders} and ${files}` }]);
  expect(data.folders.length).toBe(folders);
  expect(data.files.length).toBe(files + 1);
  for (const list of [data.folders, data.files] as { name: string }[][]) {
    const names = list.map(({ name }) => name);
    expect(names).toEqual(names.toSorted());
    expect(new Set(names).size).toBe(names.length);
  }
  if (first.next === null) expect(data).toEqual(JSON.parse(JSON.stringify(viewWhole(listing, first))));
  else expect(pieces.length).toBe(Math.ceil((folders + files + 1) / LARGEST_PAGE) + 1);
});

test("names that JSON must escape are preserved", async () => {
  const id = await at.folder(0, null, 'quo"te \u2028 <script>');
  const listing = { ...(await at.folders.find(0, id)), owner: "admin" };
  const first = await at.folders.page(0, listing.folder, null, LARGEST_PAGE);
  const { data } = JSON.parse((await Array.fromAsync(wholeText(at.folders, 0, listing, first))).join(""));
  expect(data.folder.name).toBe('quo"te \u2028 <script>');
});
