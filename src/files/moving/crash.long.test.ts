/** `kill -9` at each step of a move of storage. The next run goes on, and in the end nothing is lost or left over. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import type { Database } from "../../platform/db/database.ts";
import { forEachDialect } from "../../platform/db/for-each-dialect.test-support.ts";
import { type DriveHarness, startDrive } from "../drive.test-support.ts";
import { bytesOf, sha256 } from "../storage/driver-contract.test-support.ts";
import { type S3Stub, startS3Stub } from "../storage/s3/stub.test-support.ts";
import type { StoredFile } from "../tree/entry.ts";

const PROGRAM = join(import.meta.dir, "crash-program.test-support.ts");
const DAY_MS = 86_400_000;
const LEASE_MS = 200_000;
const POINTS = [
  "blob.written",
  "blob.after-rename",
  "move.copied",
  "move.compared:3",
  "move.swapped:2",
  "move.joined",
  "blob.dead",
  "blob.object-removed:2",
];
let seed = 70_000;

forEachDialect(
  (dialect) => {
    let database: Database;
    let at: DriveHarness;
    let stub: S3Stub;
    let me: number;
    beforeAll(async () => {
      stub = await startS3Stub();
      database = await dialect.openDb();
      at = await startDrive(database);
      me = await at.account();
    });
    afterAll(async () => {
      await at?.close();
      stub?.close();
    });

    const endpoint = () => `http://127.0.0.1:${stub.port}`;
    const newPolicy = async (driver: "local" | "s3"): Promise<number> => {
      const name = `policy ${++seed}`;
      const keys = { endpoint: endpoint(), bucket: "b", access_key: "a", secret_key: "s" };
      const given = { name, driver_type: driver, base_path: `p${seed}`, ...(driver === "s3" && keys) };
      return (await at.content.policies.create(given)).id;
    };
    const objectsOf = async (policyId: number): Promise<string[]> => {
      const { basePath, driverType } = await at.content.policies.find(policyId);
      const isObject = (name: string) => !name.includes(".waymark-");
      if (driverType === "local") return at.content.storedIn(basePath).filter(isObject);
      return [...stub.objects.keys()].filter((key) => key.startsWith(`${basePath}/`) && isObject(key));
    };

    test.each((["s3", "local"] as const).flatMap((to) => POINTS.map((point) => [to, point] as const)))(
      "to %s, killed at %s",
      async (to, point) => {
        const [from, target] = [await newPolicy(to === "s3" ? "local" : "s3"), await newPolicy(to)];
        const folder = await at.folder(me, null, `from ${from}`);
        const other = await at.folder(me, null, `to ${target}`);
        await at.folders.update(me, folder, { policyId: from });
        await at.folders.update(me, other, { policyId: target });
        const contents = Array.from({ length: 4 }, (_, n) => bytesOf(n === 0 ? 200_000 : 1_000, ++seed));
        const files: StoredFile[] = [];
        for (const bytes of contents) files.push(await at.upload(me, folder, `f${++seed}`, bytes));
        files.push(await at.upload(me, other, `f${++seed}`, contents[1]!));
        const expectWhole = async (): Promise<void> => {
          for (const { id, sha256: hash } of files) {
            const { body } = await at.content.blobs.open((await at.files.find(me, id)).blobId);
            expect(sha256(await new Response(body).bytes())).toBe(hash);
          }
        };
        await at.content.moves.start(from, { to: target, rate: 0 });
        const words = [dialect.url(), at.content.dataDir, point];
        const child = Bun.spawn([process.execPath, PROGRAM, ...words], { stderr: "pipe" });
        const errors = await new Response(child.stderr).text();
        await child.exited;
        expect([errors, child.signalCode]).toEqual(["", "SIGKILL"]);
        await expectWhole();
        // What the killed process held is free, and what it left is old.
        at.content.time.now = Date.now() + LEASE_MS;
        await at.content.runJob("storage-move");
        expect(await at.content.moves.get(from)).toMatchObject({ state: "done", objectsFailed: 0 });
        await expectWhole();
        at.content.time.now = Date.now() + 2 * DAY_MS;
        await at.content.runJob("storage-reaper");
        await at.content.runJob("storage-orphans");
        expect([(await objectsOf(from)).length, (await objectsOf(target)).length]).toEqual([0, 4]);
        await at.content.policies.remove(from);
        at.content.time.now = Date.now();
        expect(await at.wrongs()).toEqual([]);
      },
    );
  },
  ["sqlite", "postgres"],
);
