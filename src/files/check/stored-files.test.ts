import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import type { Database } from "../../platform/db/database.ts";
import { forEachDialect } from "../../platform/db/for-each-dialect.test-support.ts";
import { type ContentHarness, startContent } from "../content.test-support.ts";
import { bytesOf } from "../storage/driver-contract.test-support.ts";
import { createStoredFiles } from "./stored-files.ts";

forEachDialect((dialect) => {
  let database: Database;
  let content: ContentHarness;
  beforeAll(async () => {
    database = await dialect.openDb();
    content = await startContent(database);
  });
  afterAll(() => content?.close());

  test("reports the location of every policy by its name and the marker", async () => {
    await content.policies.create({ name: "in", driver_type: "local", base_path: "x/y" });
    const keys = { access_key: "a", secret_key: "b" };
    const s3 = {
      name: "away",
      driver_type: "s3",
      endpoint: "http://127.0.0.1:1",
      bucket: "c",
      ...keys,
    } as const;
    await content.policies.create(s3);
    const stored = createStoredFiles(database, { dataDir: content.dataDir });
    expect((await stored.locations()).map(({ name, folder, basePath }) => [name, folder, basePath])).toEqual([
      ["local", join(content.dataDir, "files"), "files"],
      ["in", join(content.dataDir, "x", "y"), "x/y"],
      ["away", null, ""],
    ]);
    for (const { marker } of await stored.locations()) expect(marker).toBe(content.marker);
  });

  test("lists each held object with its state and whether it is still expected", async () => {
    const ids = [1, 2, 3].map((size) => content.files.add(bytesOf(size), content.policy.id));
    const [kept, deleted, damaged] = await Promise.all(ids);
    const blobs = await Promise.all([kept!, deleted!, damaged!].map((id) => content.files.blobOf(id)));
    await content.files.remove(deleted!);
    const set = { state: "damaged", retired: 1 };
    await database.write.updateTable("blobs").set(set).where("id", "=", blobs[2]!).execute();
    const stored = createStoredFiles(database, { dataDir: content.dataDir });
    const found = (await Array.fromAsync(stored.objects())).flat();
    expect(new Map(found.map(({ id, size, state }) => [id, [size, state]]))).toEqual(
      new Map([
        [blobs[0]!, [1, "live"]],
        [blobs[2]!, [3, "damaged"]],
      ]),
    );
    expect(await Promise.all(blobs.map(stored.isLive))).toEqual([true, false, false]);
  });
});
