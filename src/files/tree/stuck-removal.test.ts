/** Removal of folders and accounts while entries fail for good. */
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import type { Database } from "../../db/database.ts";
import { forEachDialect } from "../../db/for-each-dialect.ts";
import type { Logger } from "../../lib/logger.ts";
import { type DriveHarness, startDrive } from "../drive.test-support.ts";
import { createEntriesRepository } from "./entries.repository.ts";
import { createRemovalRepository } from "./removal.repository.ts";
import { createRemoval } from "./removal.ts";

const HALF_HOUR = 30 * 60_000;

forEachDialect((dialect) => {
  let database: Database;
  let at: DriveHarness;
  let me: number;
  /** Blobs whose release fails. */
  const bad = new Set<number>();
  const logged: string[] = [];
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
      blobs: {
        release: async (tx, ids) => {
          if (ids.some((id) => bad.has(id))) throw new Error("this one fails");
          return at.content.blobs.release(tx, ids);
        },
        discard: at.content.blobs.discard,
      },
      clock: { now: () => at.content.time.now },
      logger: { error: (_: unknown, text: string) => void logged.push(text) } as unknown as Logger,
    });
  const run = (one: ReturnType<typeof removal>) => one.cleanUp(new AbortController().signal);
  const rows = async (account: number) =>
    (
      await database.read.selectFrom("entries").select("name").where("account_id", "=", account).execute()
    ).map(({ name }) => name);

  test("an entry that fails holds up no other, is told once, and goes when it can", async () => {
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
});
