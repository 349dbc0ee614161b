/** What ended processes left of uploads goes at once; what others need stays. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { Processes } from "../../platform/cluster/processes.ts";
import type { Database } from "../../platform/db/database.ts";
import { forEachDialect } from "../../platform/db/for-each-dialect.test-support.ts";
import { type ContentHarness, once, startContent } from "../content.test-support.ts";
import { bytesOf, sha256 } from "../storage/driver-contract.test-support.ts";
import { newOwnStagingId, newStagingId, processOfStaging, tagOfStaging } from "../storage/object-key.ts";
import { type S3Stub, startS3Stub } from "../storage/s3/stub.test-support.ts";

const DAY_MS = 24 * 3_600_000;
const BYTES = 6 * 1024 * 1024;

test("an id names its process, unless it is of a resumable upload", () => {
  const number = "0123456f-89ab-4cde-8f01-23456789abcd";
  for (let n = 0; n < 100; n++) {
    const id = newOwnStagingId(0x12345, number);
    expect(id).toMatch(/^[\da-f]{8}-0123-8456-[89ab][\da-f]{3}-12345[\da-f]{7}$/);
    expect([tagOfStaging(id), processOfStaging(id)]).toEqual([0x12345, "0123456"]);
    expect(processOfStaging(newStagingId(0x12345))).toBe(null);
  }
});

forEachDialect((dialect) => {
  let database: Database;
  let at: ContentHarness;
  let stub: S3Stub;
  let policyId = 0;
  const state = { running: new Set<string>(), ended: new Set<string>() };
  const processOf = (number: string): Processes => ({
    number: async () => number,
    look: async () => state,
    forget: async (ended) => {
      for (const one of ended) state.ended.delete(one);
    },
  });
  const number = crypto.randomUUID();

  beforeAll(async () => {
    stub = await startS3Stub();
    database = await dialect.openDb();
    at = await startContent(database, { processes: processOf(number) });
  });
  afterAll(async () => {
    await at?.close();
    stub?.close();
  });
  beforeEach(() => {
    state.running = new Set([number]);
    state.ended = new Set();
  });

  const hanging: { end(): void; storing: Promise<unknown> }[] = [];
  afterEach(async () => {
    for (const { end, storing } of hanging.splice(0)) {
      end();
      await storing;
    }
  });

  /** An upload of another process that waits for its client; resolves when it has stored bytes. */
  async function hang(process: string): Promise<void> {
    const other = await startContent(database, { dataDir: at.dataDir, processes: processOf(process) });
    const stuck = Promise.withResolvers<void>();
    const ended = Promise.withResolvers<void>();
    async function* source() {
      yield* once(bytesOf(BYTES, 7));
      yield* once(bytesOf(BYTES, 8));
      stuck.resolve();
      await ended.promise;
      throw new Error("the client left");
    }
    const storing = other.blobs.store(source(), policyId, { maxBytes: 0 }).catch(() => {});
    hanging.push({ end: ended.resolve, storing });
    await stuck.promise;
  }
  const run = () => at.runJob("storage-left-overs");

  for (const kind of ["local", "s3"]) {
    describe(kind, () => {
      const stagedIds = () =>
        kind === "local"
          ? at.stored().flatMap((name) => (name.startsWith(".staging/") ? name.slice(9) : []))
          : [...stub.uploads.values()].map(({ key }) => key.split("/").at(-1)!);

      beforeAll(async () => {
        policyId = at.policy.id;
        if (kind === "local") return;
        const keys = { access_key: "a", secret_key: "b", bucket: "bucket" };
        const endpoint = `http://127.0.0.1:${stub.port}`;
        policyId = (await at.policies.create({ name: "s3", driver_type: "s3", endpoint, ...keys })).id;
      });

      test("bytes of an ended process go; those of others and of resumable uploads stay", async () => {
        const [dead, alive, unknown] = [crypto.randomUUID(), crypto.randomUUID(), crypto.randomUUID()];
        for (const one of [dead, alive, unknown]) await hang(one);
        const resumable = await at.blobs.newUploadId();
        const upload = await at.blobs.begin(policyId, resumable);
        await upload.append(once(bytesOf(BYTES, 9)), { maxBytes: 0 });
        await upload.suspend();
        const row = { ...UPLOAD, id: resumable, policy_id: policyId };
        await database.dialect.insertMany(database.write, "uploads", [row]);
        const keyed = (process: string) =>
          stagedIds().find((id) => processOfStaging(id) === process.slice(0, 7));
        await run();
        expect(new Set(stagedIds()).size).toBe(4);

        state.running.add(alive);
        state.ended.add(dead);
        expect(await at.findings()).toMatchObject([
          { problem: "stale_staging", message: expect.stringContaining(keyed(dead)!) },
        ]);
        await run();
        expect(new Set(stagedIds())).toEqual(new Set([keyed(alive)!, keyed(unknown)!, resumable]));
        expect(state.ended.size).toBe(0);
        expect(await at.findings()).toEqual([]);
        const { countedAt, ...total } = await at.staged();
        expect(countedAt).toBe(at.time.now);
        expect(total).toMatchObject({ abandonedObjects: 1 });
        expect(total.bytes).toBeGreaterThan(BYTES);
        expect(total.abandonedBytes).toBeGreaterThan(0);
        expect(total.abandonedBytes).toBeLessThan(total.bytes);

        const resumed = await at.blobs.resume(policyId, resumable, BYTES);
        await resumed.append(once(bytesOf(BYTES, 10)), { maxBytes: 0 });
        const stored = await resumed.finish();
        const whole = Buffer.concat([bytesOf(BYTES, 9), bytesOf(BYTES, 10)]);
        expect(stored).toMatchObject({ size: 2 * BYTES, sha256: sha256(whole) });
        await stored.drop();
        await resumed.settle();
        await database.write.deleteFrom("uploads").execute();
        state.running.clear();
        for (const one of [alive, unknown]) state.ended.add(one);
        await run();
        expect(stagedIds()).toEqual([]);
        expect(await at.staged()).toMatchObject({ objects: 0, bytes: 0, abandonedBytes: 0 });
      });

      test("an upload of a process that was taken for dead fails in words, and the next one succeeds", async () => {
        async function* source() {
          yield* once(bytesOf(2 * BYTES, 3));
          state.ended.add(number);
          state.running.clear();
          await run();
          expect(stagedIds()).toEqual([]);
          yield* once(bytesOf(2 * BYTES, 4));
        }
        const before = at.stored();
        const storing = at.blobs.store(source(), policyId, { maxBytes: 0 });
        const error: unknown = await storing.catch((thrown: unknown) => thrown);
        expect(error).toMatchObject({ name: "StorageUnavailable" });
        expect(at.stored()).toEqual(before);
        expect(stub.uploads.size).toBe(0);
        const stored = await at.blobs.store(once(bytesOf(2 * BYTES, 5)), policyId, { maxBytes: 0 });
        expect(stored.sha256).toBe(sha256(bytesOf(2 * BYTES, 5)));
        await stored.drop();
      });

      test.each([
        ["ended", 3],
        ["held its bytes for longer than any other", 40],
      ])("an object that waits for its row stays until its process has %s", async (_, days) => {
        const { objectKey } = await at.blobs.store(once(bytesOf(100, days)), policyId, { maxBytes: 0 });
        const isThere = () => [...at.stored(), ...stub.objects.keys()].some((key) => key.endsWith(objectKey));
        const age = async (by: number) => {
          at.time.now += by * DAY_MS;
          await at.runJob("storage-orphans");
        };
        await age(2);
        expect(await at.findings(true)).toEqual([]);
        expect(isThere()).toBe(true);
        if (days === 3) state.running.clear();
        await age(days - 2);
        expect(isThere()).toBe(false);
        at.time.now = Date.now();
      });
    });
  }

  test("an ended process is remembered until its left-overs are gone from every storage", async () => {
    const dead = crypto.randomUUID();
    await hang(dead);
    state.ended.add(dead);
    const refused = { status: 403, body: "" };
    stub.misbehave(refused, ({ query }) => query.has("uploads"), 1);
    await run();
    expect(state.ended.has(dead)).toBe(true);
    expect(stub.uploads.size).toBe(1);
    await run();
    expect(state.ended.has(dead)).toBe(false);
    expect(stub.uploads.size).toBe(0);
  });

  test("digits that a running process shares with an ended one protect its bytes", async () => {
    const dead = crypto.randomUUID();
    await hang(dead);
    state.ended.add(dead);
    state.running.add(dead.slice(0, 7) + crypto.randomUUID().slice(7));
    await run();
    expect(stub.uploads.size).toBe(1);
    state.ended.add(dead);
    state.running.clear();
    await run();
    expect(stub.uploads.size).toBe(0);
  });
});

const UPLOAD = {
  account_id: 0,
  folder_id: 0,
  name: "resumable",
  mime_type: "text/plain",
  metadata: "",
  size: 2 * BYTES,
  received: BYTES,
  created_at: 0,
  expires_at: 0,
};
