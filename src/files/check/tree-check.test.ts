import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Database } from "../../platform/db/database.ts";
import { forEachDialect } from "../../platform/db/for-each-dialect.test-support.ts";
import { type DriveHarness, startDrive } from "../drive.test-support.ts";

forEachDialect((dialect) => {
  let database: Database;
  let at: DriveHarness;
  let me: number;
  let outer: number;
  let inner: number;
  beforeAll(async () => {
    database = await dialect.openDb();
    at = await startDrive(database);
    me = await at.account();
    outer = await at.folder(me, null, "outer");
    inner = await at.folder(me, outer, "inner");
    await at.upload(me, inner, "file");
  });
  afterAll(() => at?.close());

  const problems = async (fix = false) =>
    (await at.content.findings(fix)).map(({ problem, fixed }) => (fixed ? `${problem}, fixed` : problem));
  const put = (id: number, values: { parent_id?: number; account_id?: number }) =>
    database.write.updateTable("entries").set(values).where("id", "=", id).execute();

  describe("the doctor", () => {
    test("finds no problem in a tree, even in one being removed", async () => {
      expect(await problems()).toEqual([]);
      const gone = await at.folder(me, null, "gone");
      const inGone = await at.folder(me, gone, "in gone");
      await at.upload(me, inGone, "file");
      await database.write
        .updateTable("entries")
        .set({ account_id: -1, parent_id: me, name: String(gone) })
        .where("id", "=", gone)
        .execute();
      expect(await problems()).toEqual([]);
      await at.cleanUp();
      expect(await problems()).toEqual([]);
    });

    test("finds folders inside themselves", async () => {
      await put(outer, { parent_id: inner });
      expect(await problems()).toEqual(["folder_cycle", "folder_cycle"]);
      await put(outer, { parent_id: outer });
      expect(await problems()).toEqual(["folder_cycle", "folder_cycle"]);
      await put(outer, { parent_id: 0 });
    });

    test("finds entries whose parent is missing, a file or another account's", async () => {
      const { id: file } = await at.upload(me, outer, "in outer");
      const other = await at.account();
      const theirs = await at.folder(other, null, "theirs");
      for (const parent of [4_711_000, file, theirs]) {
        await put(inner, { parent_id: parent });
        expect(await problems()).toEqual(["lost_entry"]);
      }
      await put(inner, { parent_id: outer });
      expect(await problems()).toEqual([]);
    });

    test("finds wrong sums and corrects them", async () => {
      await database.write
        .updateTable("account_usage")
        .set({ bytes: 1 })
        .where("account_id", "=", me)
        .execute();
      expect(await problems()).toEqual(["wrong_usage"]);
      expect(await problems(true)).toEqual(["wrong_usage, fixed"]);
      expect(await problems()).toEqual([]);
      expect((await at.files.usage(me)).usedBytes).toBe("file".length + "in outer".length);
    });
  });
});
