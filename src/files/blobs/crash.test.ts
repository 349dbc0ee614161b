/**
 * `kill -9` at the steps of storing and removing content, in a process of its own. Afterwards nothing is lost that was
 * reported, the doctor finds nothing wrong, and once what the crash left is old, the reaper leaves nothing. The long
 * suite kills at every step, this one at the last before and the first after the content counts.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import type { Database } from "../../platform/db/database.ts";
import { forEachDialect, type TestDialect } from "../../platform/db/for-each-dialect.test-support.ts";
import { type DialectName, isLong } from "../../platform/db/fresh.test-support.ts";
import { type ContentHarness, once, startContent } from "../content.test-support.ts";
import { bytesOf, sha256 } from "../storage/driver-contract.test-support.ts";
import { type S3Stub, startS3Stub } from "../storage/s3/stub.test-support.ts";

const PROGRAM = join(import.meta.dir, "crash-program.test-support.ts");
/** Small local ones are written at the end, large ones as they come; in S3 it is more than a part. */
const SIZES: Record<string, number> = { local: 200_000, "small local": 4_096, s3: 9 * 1024 * 1024 };
const DAY_MS = 86_400_000;
const DIALECTS: readonly DialectName[] = isLong ? ["sqlite", "postgres"] : ["sqlite"];

const UPLOAD_POINTS = [
  "blob.written",
  "blob.before-fsync",
  "blob.after-fsync",
  "blob.after-rename",
  "blob.placed",
  "blob.joined",
  "blob.after-commit",
];
const DELETE_POINTS = ["blob.released", "blob.dead", "blob.object-removed"];
/** Only files are synced and renamed. */
const LOCAL_ONLY = new Set(["blob.after-fsync", "blob.placed"]);
const TOGETHER = 12;
/** Crash points of files that come together: within what they share, and between its parts. */
const TOGETHER_POINTS = [
  "blob.after-fsync:7",
  "blob.after-rename:7",
  `blob.after-rename:${TOGETHER}`,
  "blob.placed:2",
  "blob.joined",
  "blob.after-commit",
];
const FEW = new Set([
  "blob.after-rename",
  "blob.after-rename:7",
  "blob.after-commit",
  "blob.dead",
  "test.suspended",
  "test.finished",
]);

let seed = 1_000;

forEachDialect((dialect) => {
  let database: Database;
  let at: ContentHarness;
  let stub: S3Stub;
  const policyIds: Record<string, number> = {};

  beforeAll(async () => {
    stub = await startS3Stub();
    database = await dialect.openDb();
    at = await startContent(database);
    policyIds["local"] = at.policy.id;
    policyIds["small local"] = at.policy.id;
    const keys = { access_key: "a", secret_key: "b", bucket: "bucket" };
    const endpoint = `http://127.0.0.1:${stub.port}`;
    policyIds["s3"] = (await at.policies.create({ name: "s3", driver_type: "s3", endpoint, ...keys })).id;
  });
  afterAll(async () => {
    await at?.close();
    stub?.close();
  });

  const stored = () => [
    ...at.stored(),
    ...[...stub.objects.keys()].filter((key) => !key.startsWith(".waymark-")),
    ...[...stub.uploads.values()].map(({ key }) => `unfinished ${key}`),
  ];
  const blobs = async () => (await database.read.selectFrom("blobs").select("id").execute()).length;
  const fileIds = async () =>
    (await database.read.selectFrom("entries").select("id").orderBy("id").execute()).map(({ id }) => id);

  async function expectAllTidy(): Promise<void> {
    expect(await at.findings()).toEqual([]);
    for (const id of await fileIds()) await at.files.remove(id);
    at.time.now = Date.now() + 2 * DAY_MS;
    await at.runJob("storage-reaper");
    await at.runJob("storage-orphans");
    at.time.now = Date.now();
    expect(stored()).toEqual([]);
    expect(await blobs()).toBe(0);
    expect(await at.findings()).toEqual([]);
  }

  for (const [kind, size] of Object.entries(SIZES)) {
    // Where the bytes are makes no difference to the database, nor the database to bytes that come in parts.
    if (kind !== "local" && dialect.name !== "sqlite") continue;
    const isWhole = kind === "small local";
    const isFirst = dialect.name === "sqlite";
    const kill = (point: string, ...command: unknown[]) =>
      run(dialect, at, policyIds[kind]!, size, point, ...command);
    const points = (all: readonly string[]) =>
      all.filter((point) => (isLong || FEW.has(point)) && (kind !== "s3" || !LOCAL_ONLY.has(point)));

    describe(kind, () => {
      test.each(isFirst && (isLong || !isWhole) ? points(UPLOAD_POINTS) : [])(
        "killed at %s of an upload",
        async (point) => {
          const bytes = bytesOf(size, ++seed);
          const { reports, killed } = await kill(point, "upload", seed);
          expect([reports, killed]).toEqual([[], true]);
          const kept = await fileIds();
          expect(kept.length).toBe(point === "blob.after-commit" ? 1 : 0);
          for (const id of kept) expect(sha256(await at.files.read(id))).toBe(sha256(bytes));
          // The same content goes on as if nothing had been.
          const again = await at.files.add(bytes, policyIds[kind]!);
          expect(sha256(await at.files.read(again))).toBe(sha256(bytes));
          await expectAllTidy();
        },
      );

      test.each(kind === "local" ? points(UPLOAD_POINTS) : [])(
        "killed at %s of a second upload of the same content",
        async (point) => {
          const bytes = bytesOf(size, ++seed);
          const { reports, killed } = await kill(`${point}:2`, "again", seed);
          expect([reports.length, killed]).toEqual([1, true]);
          const [first] = await fileIds();
          expect(reports).toEqual([`file ${first}`]);
          expect(sha256(await at.files.read(first!))).toBe(sha256(bytes));
          await expectAllTidy();
        },
      );

      if (kind !== "s3") {
        test.each(points(TOGETHER_POINTS))("killed at %s of concurrent uploads", async (point) => {
          const first = (seed += TOGETHER) - TOGETHER;
          const { reports, killed } = await kill(point, "together", first, TOGETHER);
          expect([reports, killed]).toEqual([[], true]);
          const kept = await fileIds();
          expect(kept.length).toBe(point === "blob.after-commit" ? TOGETHER : 0);
          for (const [n, id] of kept.entries()) {
            expect(sha256(await at.files.read(id))).toBe(sha256(bytesOf(size, first + n)));
          }
          const again = bytesOf(size, first + 3);
          expect(sha256(await at.files.read(await at.files.add(again, policyIds[kind]!)))).toBe(
            sha256(again),
          );
          await expectAllTidy();
        });
      }

      if (isWhole) return;
      test.each(points(DELETE_POINTS))("killed at %s of a delete", async (point) => {
        const bytes = bytesOf(size, ++seed);
        const file = await at.files.add(bytes, policyIds[kind]!);
        const { reports, killed } = await kill(point, "delete", file);
        expect([reports, killed]).toEqual([[], true]);
        const kept = await fileIds();
        expect(kept).toEqual(point === "blob.released" ? [file] : []);
        for (const id of kept) expect(sha256(await at.files.read(id))).toBe(sha256(bytes));
        const again = await at.files.add(bytes, policyIds[kind]!);
        await at.runJob("storage-reaper");
        expect(sha256(await at.files.read(again))).toBe(sha256(bytes));
        await expectAllTidy();
      });

      if (!isFirst) return;
      test.each(points(["test.suspended", "test.appended"]))(
        "killed at %s of an interrupted upload",
        async (point) => {
          const id = crypto.randomUUID();
          const bytes = bytesOf(size, ++seed);
          const { reports, killed } = await kill(point, "resume", id, seed);
          expect([reports, killed]).toEqual([[`received ${size / 2}`], true]);
          const upload = await at.blobs.resume(policyIds[kind]!, id, size / 2);
          expect(upload.received).toBeGreaterThanOrEqual(size / 2);
          await upload.append(once(bytes.slice(upload.received)), { maxBytes: 0 });
          const whole = await upload.finish();
          await upload.settle();
          expect(whole.sha256).toBe(sha256(bytes));
          await whole.drop();
          await expectAllTidy();
        },
      );

      test.each(
        points([
          "blob.before-fsync",
          "blob.after-fsync",
          "blob.after-rename",
          "blob.placed",
          "test.finished",
        ]),
      )("killed at %s of the end of a resumed upload", async (point) => {
        const id = crypto.randomUUID();
        const bytes = bytesOf(size, ++seed);
        const { reports, killed } = await kill(point, "finish", id, seed);
        expect([reports, killed]).toEqual([[`received ${size / 2}`], true]);
        const upload = await at.blobs.resume(policyIds[kind]!, id, size / 2);
        await upload.append(once(bytes.slice(upload.received)), { maxBytes: 0 });
        const whole = await upload.finish();
        await upload.settle();
        expect(whole.sha256).toBe(sha256(bytes));
        await whole.drop();
        await expectAllTidy();
      });
    });
  }
}, DIALECTS);

/** Runs the program until it ends or is killed. */
async function run(
  dialect: TestDialect,
  at: ContentHarness,
  policyId: number,
  size: number,
  point: string,
  ...command: unknown[]
) {
  const words = [dialect.url(), at.dataDir, policyId, size, point, ...command].map(String);
  const child = Bun.spawn([process.execPath, PROGRAM, ...words], { stdout: "pipe", stderr: "pipe" });
  const [out, errors] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  await child.exited;
  expect(errors).toBe("");
  return { reports: out.split("\n").filter(Boolean), killed: child.signalCode === "SIGKILL" };
}
