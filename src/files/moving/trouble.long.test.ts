/** A move to a disk that is really full, which needs the right to mount one, and one whose secret key was changed. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { until } from "../../../test/support/until.ts";
import { createSecretBox } from "../../lib/secret-box.ts";
import type { Database } from "../../platform/db/database.ts";
import { forEachDialect } from "../../platform/db/for-each-dialect.test-support.ts";
import { startContent } from "../content.test-support.ts";
import { type DriveHarness, startDrive } from "../drive.test-support.ts";
import { bytesOf, sha256 } from "../storage/driver-contract.test-support.ts";
import { type S3Stub, startS3Stub } from "../storage/s3/stub.test-support.ts";
import type { StoredFile } from "../tree/entry.ts";

const MIB = 1024 * 1024;
const FILES = 6;
const root = realpathSync(mkdtempSync(join(tmpdir(), "waymark-full-")));
const disk = join(root, "disk");
mkdirSync(disk);
const mount = (options: string): boolean =>
  process.getuid?.() === 0 &&
  Bun.spawnSync(["mount", "-t", "tmpfs", "-o", options, "waymark-test", disk], { stderr: "ignore" }).success;
const isMounted = mount("size=4m");

afterAll(() => {
  if (isMounted) Bun.spawnSync(["umount", disk]);
  rmSync(root, { recursive: true, force: true });
});

forEachDialect((dialect) => {
  let database: Database;
  let at: DriveHarness;
  let stub: S3Stub;
  let seed = 0;

  beforeAll(async () => {
    stub = await startS3Stub();
    database = await dialect.openDb();
    at = await startDrive(database, { roots: [disk] });
  });
  afterAll(async () => {
    await at?.close();
    stub?.close();
  });

  const policy = async (given: object): Promise<number> => {
    const name = crypto.randomUUID();
    return (await at.content.policies.create({ name, driver_type: "local", base_path: name, ...given })).id;
  };
  const files = async (policyId: number, size: number): Promise<StoredFile[]> => {
    const me = await at.account();
    const folder = await at.folder(me, null, "folder");
    await at.folders.update(me, folder, { policyId });
    const made = [];
    for (let n = 0; n < FILES; n++) made.push(await at.upload(me, folder, `${n}`, bytesOf(size, ++seed)));
    return made;
  };
  const expectWhole = async (some: readonly StoredFile[]): Promise<void> => {
    for (const { accountId, id, sha256: known } of some) {
      const { blobId } = await at.files.find(accountId, id);
      expect(sha256(await new Response((await at.content.blobs.open(blobId)).body).bytes())).toBe(known);
    }
  };

  test.skipIf(!isMounted)(
    "a full disk: the move waits, and goes on when there is room",
    async () => {
      const from = await policy({});
      const made = await files(from, MIB);
      const folder = join(disk, crypto.randomUUID());
      const to = await policy({ base_path: folder });
      await at.content.moves.start(from, { to, rate: 0 });
      const running = at.content.runJob("storage-move");
      await until(async () => (await at.content.moves.get(from)).trouble?.includes("full") === true);
      await expectWhole(made);
      mount("remount,size=32m");
      await running;
      expect(await at.content.moves.get(from)).toMatchObject({
        state: "done",
        objectsDone: FILES,
        trouble: null,
      });
      await expectWhole(made);
      expect(await at.wrongs()).toEqual([]);
      // For the next database: a disk can't get smaller than what it holds.
      rmSync(folder, { recursive: true });
      mount("remount,size=4m");
    },
    120_000,
  );

  test("another secret key: the move waits and says so, and the right one ends it", async () => {
    const from = await policy({});
    const made = await files(from, 1_000);
    const keys = { endpoint: `http://127.0.0.1:${stub.port}`, bucket: "b", access_key: "a", secret_key: "s" };
    const to = await policy({ driver_type: "s3", ...keys });
    await at.content.moves.start(from, { to, rate: 0 });
    const box = createSecretBox(() => new Uint8Array(32).fill(8));
    const other = await startContent(database, { box, dataDir: at.content.dataDir });
    const stop = new AbortController();
    const running = other.jobs.find(({ name }) => name === "storage-move")!.run(stop.signal);
    await until(async () => (await at.content.moves.get(from)).trouble?.includes("secret key") === true);
    stop.abort();
    await running.catch(() => undefined);
    expect(await at.content.moves.get(from)).toMatchObject({ state: "running", objectsDone: 0 });
    await expectWhole(made);
    await at.content.runJob("storage-move");
    expect(await at.content.moves.get(from)).toMatchObject({
      state: "done",
      objectsDone: FILES,
      trouble: null,
    });
    await expectWhole(made);
  }, 120_000);
});
