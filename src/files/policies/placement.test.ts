/** Allowed places of policies, from creation to use. files/storage/local/location.test.ts tests the rules. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { join } from "node:path";
import type { Database } from "../../platform/db/database.ts";
import { forEachDialect } from "../../platform/db/for-each-dialect.test-support.ts";
import { type ContentHarness, makeFolder, startContent } from "../content.test-support.ts";
import { bytesOf } from "../storage/driver-contract.test-support.ts";

forEachDialect((dialect) => {
  let database: Database;
  let content: ContentHarness;
  beforeAll(async () => {
    database = await dialect.openDb();
    content = await startContent(database);
  });
  afterAll(() => content?.close());

  const created = async (base_path: string): Promise<number> =>
    (await content.policies.create({ name: base_path, driver_type: "local", base_path })).id;

  test("a policy made before its place was refused keeps working, and the doctor reports it", async () => {
    const outside = makeFolder();
    const ids = [await created("old-1"), await created("old-2")];
    for (const [at, base_path] of [outside, ".restore"].entries()) {
      await database.write.updateTable("policies").set({ base_path }).where("id", "=", ids[at]!).execute();
    }
    await content.changes.write(async (tx) => tx.changed("policies", ids.map(String)));
    expect((await content.policies.misplaced()).map(({ refusal }) => refusal)).toEqual([
      expect.stringContaining("storage.local_roots"),
      expect.stringContaining("'.restore'"),
    ]);
    for (const id of ids) {
      await content.policies.test(id);
      const file = await content.files.add(bytesOf(10), id);
      expect(await content.files.read(file)).toEqual(bytesOf(10));
      await content.files.remove(file);
      await content.policies.remove(id);
    }
    expect(await content.policies.misplaced()).toEqual([]);
    rmSync(outside, { recursive: true });
  });

  test("a policy may lie below a folder that the settings allow", async () => {
    const outside = makeFolder();
    const allowed = await startContent(database, { roots: [outside] });
    const base_path = join(outside, "a");
    const { id } = await allowed.policies.create({ name: "allowed", driver_type: "local", base_path });
    await allowed.policies.test(id);
    expect(await allowed.policies.misplaced()).toEqual([]);
    await allowed.policies.remove(id);
    await allowed.close();
    rmSync(outside, { recursive: true });
  });
});
