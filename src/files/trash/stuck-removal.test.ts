/** Removal of folders, accounts and the trash while entries fail for good. */
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import type { Database } from "../../platform/db/database.ts";
import { forEachDialect } from "../../platform/db/for-each-dialect.test-support.ts";
import { SYSTEM } from "../../lib/actor.ts";
import type { Logger } from "../../lib/logger.ts";
import { type DriveHarness, startDrive } from "../drive.test-support.ts";
import { createTrashRepository } from "./repository.ts";
import { createTrash } from "./service.ts";
import { createPathsRepository } from "../tree/paths.repository.ts";
import { createEntriesRepository } from "../tree/entries.repository.ts";
import { createRemovalRepository } from "../tree/removal.repository.ts";
import { createVersionsRepository } from "../versions/repository.ts";
import { createRemoval } from "../tree/removal.ts";

const HALF_HOUR = 30 * 60_000;

forEachDialect((dialect) => {
  let database: Database;
  let at: DriveHarness;
  let me: number;
  /** Blobs whose release fails. */
  const bad = new Set<number>();
  const logged: string[] = [];
  const logger = { error: (_: unknown, text: string) => void logged.push(text) } as unknown as Logger;
  beforeAll(async () => {
    database = await dialect.openDb({ poolSize: 8 });
    at = await startDrive(database);
  });
  beforeEach(async () => {
    me = await at.account();
    bad.clear();
    logged.length = 0;
  });
  afterAll(() => at?.close());

  const removal = () =>
    createRemoval({
      tree: at.tree,
      entries: createEntriesRepository(database),
      removal: createRemovalRepository({ database, record: async () => {} }),
      versions: createVersionsRepository(database),
      blobs: {
        ...at.content.blobs,
        release: async (tx, ids) => {
          if (ids.some((id) => bad.has(id))) throw new Error("this one fails");
          return at.content.blobs.release(tx, ids);
        },
      },
      onDisk: at.onDisk,
      clock: { now: () => at.content.time.now },
      logger,
    });
  const run = (one: ReturnType<typeof removal>) => one.cleanUp(new AbortController().signal);
  const rows = async (account: number) =>
    (
      await database.read.selectFrom("entries").select("name").where("account_id", "=", account).execute()
    ).map(({ name }) => name);

  test("an entry that fails blocks no other, is logged once, and is deleted when it can be", async () => {
    const folder = await at.folder(me, null, "a");
    const inner = await at.folder(me, folder, "inner");
    for (let n = 0; n < 12; n++) await at.upload(me, n % 2 === 0 ? folder : inner, `f${n}`, `content ${n}`);
    const stuck = await at.upload(me, inner, "stuck", "stuck");
    const other = await at.account();
    await at.upload(other, null, "theirs", "other content");
    bad.add(stuck.blobId);
    for (const id of [me, other]) await database.write.deleteFrom("users").where("id", "=", id).execute();

    const own = removal();
    await run(own);
    expect([await rows(me), await rows(other)]).toEqual([["stuck"], []]);
    expect(await at.wrongs()).toEqual([]);
    expect(at.content.stored()).toHaveLength(1);
    for (let n = 0; n < 3; n++) {
      at.content.time.now += HALF_HOUR * 2 ** n;
      await run(own);
    }
    expect(logged).toEqual(["an entry can't be removed; it will be tried again, less and less often"]);
    bad.clear();
    await run(own);
    expect(await rows(me)).toEqual(["stuck"]);
    at.content.time.now += HALF_HOUR * 8;
    await run(own);
    expect(await rows(me)).toEqual([]);
    expect(at.content.stored()).toEqual([]);
    await run(own);
    const usage = database.read.selectFrom("account_usage").select("account_id").where("account_id", "=", me);
    expect(await usage.execute()).toEqual([]);
  }, 60_000);

  test("a file that fails blocks no other when the trash is emptied", async () => {
    const files = await Promise.all([0, 1, 2, 3, 4].map((n) => at.upload(me, null, `t${n}`, `trash ${n}`)));
    for (const { id } of files) await at.trash.put(me, { kind: "file", id });
    bad.add(files[2]!.blobId);
    const repository = createTrashRepository(database);
    const trash = createTrash({
      tree: at.tree,
      entries: createEntriesRepository(database),
      paths: createPathsRepository(database),
      removal: removal(),
      repository,
      onDisk: at.onDisk,
      clock: { now: () => at.content.time.now },
      logger,
      trashDays: () => 30,
    });
    expect(await trash.empty(me, SYSTEM)).toBe(5);
    expect(await rows(me)).toEqual([String(files[2]!.id)]);
    expect(logged).toEqual(["an entry of the trash can't be deleted; it will be tried again"]);
    bad.clear();
    await trash.cleanUp(new AbortController().signal);
    expect(await rows(me)).toHaveLength(1);
    at.content.time.now += HALF_HOUR;
    await trash.cleanUp(new AbortController().signal);
    expect(await rows(me)).toEqual([]);
    expect(at.content.stored()).toEqual([]);
  });
});
