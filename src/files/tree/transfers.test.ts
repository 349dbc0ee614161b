/** Files and folders get another owner, on every database. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { forEachDialect } from "../../platform/db/for-each-dialect.test-support.ts";
import type { Database } from "../../platform/db/database.ts";
import { COMMAND } from "../../lib/actor.ts";
import { ownerOfTeam } from "../../lib/owner.ts";
import { silentLogger } from "../../lib/logger.ts";
import { createEvents } from "../../platform/events/events.service.ts";
import { type DriveHarness, refusal, startDrive } from "../drive.test-support.ts";
import { createEntriesRepository } from "./entries.repository.ts";
import { createOwnersRepository } from "./owners.repository.ts";
import { createTransfersRepository } from "./transfers.repository.ts";
import { createTransfers } from "./transfers.ts";

forEachDialect((dialect) => {
  let database: Database;
  let at: DriveHarness;
  let transfers: DriveHarness["transfers"];

  beforeAll(async () => {
    database = await dialect.openDb();
    at = await startDrive(database);
    const clock = { now: () => at.content.time.now };
    transfers = createTransfers({
      tree: at.tree,
      entries: createEntriesRepository(database),
      owners: createOwnersRepository(database),
      repository: createTransfersRepository(database),
      record: createEvents({ database, clock }).add,
      clock,
      logger: silentLogger,
      portion: 5,
    });
  });
  afterAll(() => at.close());

  const team = async (quota_bytes = 0): Promise<number> => {
    const name = crypto.randomUUID();
    const row = { name, quota_bytes, created_at: 0, updated_at: 0 };
    return ownerOfTeam(await database.dialect.insertReturningId(database.write, "teams", row));
  };
  const used = async (owner: number) => (await at.files.usage(owner)).usedBytes;
  const give = (
    from: number,
    to: number,
    id: number,
    more: { kind?: "file"; name?: string; parentId?: number } = {},
  ) => transfers.give({ from, to }, { kind: "folder", id, parentId: null, ...more }, COMMAND);
  /** `files` in each folder of three levels. Returns the outermost. */
  async function deep(owner: number, name: string, files: number): Promise<number> {
    const top = await at.folder(owner, null, name);
    for (let parent = top, level = 0; level < 3; level++) {
      for (let i = 0; i < files; i++) await at.upload(owner, parent, `${level}-${i}`, "12345");
      const inner = await at.folder(owner, parent, "inner");
      await at.folder(owner, parent, "other");
      parent = inner;
    }
    return top;
  }
  async function everything(owner: number, id: number | null): Promise<string[]> {
    const { folder } = await at.folders.find(owner, id);
    const { folders, files } = await at.folders.page(owner, folder, null, 1_000);
    const below = await Promise.all(folders.map((one) => everything(owner, one.id)));
    return [
      ...files.map(({ name }) => name),
      ...folders.flatMap(({ name }, i) => [`${name}/`, ...below[i]!]),
    ];
  }

  describe.each([
    ["a small folder", 0],
    ["a folder that moves in portions", 7],
  ])("%s", (_, files) => {
    test("moves with all in it, and both quotas are exact", async () => {
      const [anna, press] = [await at.account(), await team()];
      const id = await deep(anna, "campaign", files);
      const whole = await everything(anna, id);
      await give(anna, press, id);
      expect(await everything(press, id)).toEqual(whole);
      expect([await at.names(anna, null), await at.names(press, null)]).toEqual([[], ["campaign/"]]);
      expect([await used(anna), await used(press)]).toEqual([0, 3 * files * 5]);
      expect(await refusal(at.folders.find(anna, id))).toBe("FolderNotFound");
      const place = await at.folder(anna, null, "back here");
      await give(press, anna, id, { parentId: place, name: "again" });
      expect(await at.names(anna, place)).toEqual(["again/"]);
      expect([await used(anna), await used(press)]).toEqual([3 * files * 5, 0]);
      expect(await at.wrongs()).toEqual([]);
    });

    test("is refused over the quota, under a taken name and into another one's folder", async () => {
      const [anna, press] = [await at.account(), await team(4)];
      const id = await deep(anna, "campaign", files);
      if (files > 0) expect(await refusal(give(anna, press, id))).toBe("FileTooLargeForPolicy");
      await at.folder(press, null, "taken");
      expect(await refusal(give(anna, press, id, { name: "taken" }))).toMatch(/NameConflict|FileTooLarge/);
      expect(await refusal(give(anna, press, id, { parentId: id }))).toBe("FolderNotFound");
      expect(await refusal(give(press, anna, id))).toBe("FolderNotFound");
      expect(await at.names(anna, null)).toEqual(["campaign/"]);
    });
  });

  test("a file moves alone, and uploads into a moved folder go on in its new tree", async () => {
    const [anna, press] = [await at.account(), await team(20)];
    const file = await at.upload(anna, null, "a.txt", "12345");
    await give(anna, press, file.id, { kind: "file", name: "b.txt" });
    expect(await at.names(press, null)).toEqual(["b.txt"]);
    expect([await used(anna), await used(press)]).toEqual([0, 5]);
    const id = await at.folder(anna, null, "inbox");
    const upload = { size: 5, name: "c.txt", mimeType: undefined, folderId: id, metadata: "" };
    const begun = await at.resumable.create(anna, upload);
    await give(anna, press, id);
    expect((await at.resumable.find(press, begun.upload.id)).accountId).toBe(press);
    expect(await refusal(at.resumable.find(anna, begun.upload.id))).toBe("FileNotFound");
    expect(await at.wrongs()).toEqual([]);
  });

  test("a folder whose transfer was cut off is in no tree, keeps its room, and arrives under a free name", async () => {
    const [anna, press] = [await at.account(), await team(106)];
    const id = await deep(anna, "campaign", 7);
    // The portions fail from now on.
    const tree = { ...at.tree, changeBoth: once(at.tree.changeBoth) };
    const broken = createTransfers({
      tree,
      entries: createEntriesRepository(database),
      owners: createOwnersRepository(database),
      repository: createTransfersRepository(database),
      record: async () => {},
      clock: { now: () => at.content.time.now },
      logger: silentLogger,
      portion: 5,
    });
    const given = { kind: "folder" as const, id, parentId: null };
    await expect(broken.give({ from: anna, to: press }, given, COMMAND)).rejects.toThrow("killed");
    expect([await at.names(anna, null), await at.names(press, null)]).toEqual([[], []]);
    expect([await used(anna), await used(press)]).toEqual([105, 105]);
    expect(await at.wrongs()).toEqual([]);
    expect(await refusal(at.upload(press, null, "too.much", "12"))).toBe("FileTooLargeForPolicy");
    const second = await deep(anna, "second", 7);
    expect(await refusal(give(anna, press, second))).toMatch(/Conflict|FileTooLarge/);
    await at.cleanUp();
    await at.folder(press, null, "campaign");
    await transfers.finishAll();
    expect(await at.names(press, null)).toEqual(["campaign/", "campaign (2)/"]);
    expect([await used(anna), await used(press)]).toEqual([105, 105]);
    expect((await everything(press, id)).length).toBe(27);
    expect(await at.wrongs()).toEqual([]);
  });

  test("all of an owner arrives in a folder of its name, with the trash, and nothing is lost on the way", async () => {
    const [anna, press] = [await at.account(), await team(63)];
    for (let i = 0; i < 12; i++) await at.upload(anna, null, `f${i}`, "12345");
    const folder = await at.folder(anna, null, "inner");
    const gone = await at.upload(anna, folder, "gone", "123");
    await at.trash.put(anna, { kind: "file", id: gone.id });
    await at.folder(press, null, "anna");
    const all = (to: number) => database.transaction((tx) => transfers.giveAll({ db: tx }, anna, to, "anna"));
    expect(await refusal(all(await team(62)))).toBe("Conflict");
    await all(press);
    await database.write.deleteFrom("users").where("id", "=", anna).execute();
    await at.cleanUp();
    await transfers.finishAll();
    await at.cleanUp();
    expect(await at.names(press, null)).toEqual(["anna/", "anna (2)/"]);
    const { folders } = await at.folders.page(press, null, null, 10);
    const arrived = folders.find(({ name }) => name === "anna (2)")!.id;
    expect((await at.names(press, arrived)).length).toBe(13);
    expect(await used(press)).toBe(63);
    const [trashed] = (await at.trash.page(press, { page: 1, pageSize: 10 })).items;
    expect(trashed).toMatchObject({ name: "gone", path: [{ name: "anna (2)" }, { name: "inner" }] });
    await at.trash.restore(press, gone.id, {});
    expect(await at.names(press, folder)).toEqual(["gone"]);
    const rows = database.read.selectFrom("account_usage").selectAll().where("account_id", "=", anna);
    expect(await rows.execute()).toEqual([]);
    expect(await at.wrongs()).toEqual([]);
  });
});

/** The first call only. */
function once<F extends (...given: never[]) => Promise<unknown>>(run: F): F {
  let calls = 0;
  return ((...given: Parameters<F>) => {
    if (calls++ > 0) throw new Error("killed");
    return run(...given);
  }) as unknown as F;
}
