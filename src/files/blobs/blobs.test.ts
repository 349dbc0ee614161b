import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Database } from "../../platform/db/database.ts";
import { DatabaseError } from "../../platform/db/failures.ts";
import { forEachDialect } from "../../platform/db/for-each-dialect.test-support.ts";
import { AppError } from "../../lib/errors.ts";
import { type ContentHarness, keepOne, once, startContent } from "../content.test-support.ts";
import { createBlobsRepository } from "./repository.ts";
import { bytesOf, inChunks, sha256 } from "../storage/driver-contract.test-support.ts";

const failure = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => "no failure",
    (error: unknown) => (error instanceof AppError ? error.name : (error as Error).message),
  );

let seed = 0;
const newBytes = (size = 1_000): Uint8Array => bytesOf(size, ++seed);

forEachDialect((dialect) => {
  let database: Database;
  let at: ContentHarness;
  let policyId: number;
  beforeAll(async () => {
    database = await dialect.openDb();
    at = await startContent(database);
    policyId = at.policy.id;
  });
  beforeEach(() => {
    at.time.now = Date.now();
  });
  afterAll(() => at?.close());

  const rows = () => database.read.selectFrom("blobs").selectAll().orderBy("id").execute();
  const store = (bytes: Uint8Array) => at.blobs.store(once(bytes), policyId, { maxBytes: 0 });

  describe("content", () => {
    test("is stored once per policy and removed with its last file", async () => {
      const bytes = newBytes();
      const first = await at.files.add(bytes, policyId);
      const second = await at.files.add(bytes, policyId);
      await at.blobs.settled();
      expect(await at.files.blobOf(first)).toBe(await at.files.blobOf(second));
      expect(at.stored().length).toBe(1);
      expect((await rows())[0]).toMatchObject({ refs: 2, size: 1_000, sha256: sha256(bytes), state: "live" });
      await at.files.remove(first);
      expect(sha256(await at.files.read(second))).toBe(sha256(bytes));
      await at.files.remove(second);
      expect(at.stored()).toEqual([]);
      expect(await rows()).toEqual([]);
    });

    test("that a file holds is distinguished from removed content", async () => {
      const { liveOf } = createBlobsRepository(database);
      const file = await at.files.add(newBytes(), policyId);
      const blob = await at.files.blobOf(file);
      expect(await liveOf([blob, blob + 1_000_000])).toEqual(new Set([blob]));
      await at.files.remove(file);
      expect(await liveOf([blob])).toEqual(new Set());
    });

    test("may be empty", async () => {
      const file = await at.files.add(new Uint8Array(), policyId);
      expect(await at.files.read(file)).toEqual(new Uint8Array());
      await at.files.remove(file);
      expect(at.stored()).toEqual([]);
    });

    test("stored again after its last file's removal is another object", async () => {
      const bytes = newBytes();
      const first = await at.files.add(bytes, policyId);
      const [before] = at.stored();
      await at.files.remove(first);
      const second = await at.files.add(bytes, policyId);
      expect(at.stored()).not.toEqual([before!]);
      await at.files.remove(second);
    });

    test("of concurrent uploads is one blob with the right count", async () => {
      const bytes = newBytes();
      const files = await Promise.all(Array.from({ length: 12 }, () => at.files.add(bytes, policyId)));
      await at.blobs.settled();
      expect(at.stored().length).toBe(1);
      expect((await rows()).map(({ refs }) => refs)).toEqual([12]);
      await Promise.all(files.map((file) => at.files.remove(file)));
      expect(at.stored()).toEqual([]);
    });

    test("of many files is released in one transaction", async () => {
      const [one, two] = [newBytes(), newBytes()];
      const files = [one, two, one, one].map((bytes) => at.files.add(bytes, policyId));
      const ids = await Promise.all(files);
      await at.files.remove(...ids.slice(0, 3));
      await at.blobs.settled();
      expect((await rows()).map(({ refs }) => refs)).toEqual([1]);
      await at.files.remove(ids[3]!);
      expect(at.stored()).toEqual([]);
    });

    test("in two policies is two blobs", async () => {
      const other = await at.policies.create({ name: "other", driver_type: "local" });
      const bytes = newBytes();
      const [a, b] = [await at.files.add(bytes, policyId), await at.files.add(bytes, other.id)];
      expect(await at.files.blobOf(a)).not.toBe(await at.files.blobOf(b));
      await at.files.remove(a);
      expect(sha256(await at.files.read(b))).toBe(sha256(bytes));
      await at.files.remove(b);
      await at.policies.remove(other.id);
    });
  });

  describe("an upload that fails leaves nothing:", () => {
    const expectNothing = async () => {
      expect(at.stored()).toEqual([]);
      expect(await rows()).toEqual([]);
      expect(await at.findings()).toEqual([]);
    };

    test("the source fails", async () => {
      const storing = at.blobs.store(inChunks(newBytes(300_000), 200_000), policyId, { maxBytes: 0 });
      expect(await failure(storing)).toBe("the source failed");
      await expectNothing();
    });

    test("too many bytes, while as many as allowed are stored", async () => {
      const limited = (size: number) => at.blobs.store(once(newBytes(size)), policyId, { maxBytes: 100_000 });
      expect(await failure(limited(100_001))).toBe("FileTooLargeForPolicy");
      await (await limited(100_000)).drop();
      await expectNothing();
    });

    test("the client leaves", async () => {
      const signal = AbortSignal.abort(new Error("gone"));
      expect(await failure(at.blobs.store(once(newBytes()), policyId, { maxBytes: 0, signal }))).toBe("gone");
      await expectNothing();
    });

    test("an unknown policy", async () => {
      expect(await failure(at.blobs.store(once(newBytes()), 999_999, { maxBytes: 0 }))).toBe(
        "PolicyNotFound",
      );
      await expectNothing();
    });

    test("the transaction fails, before and after the blob's row is written", async () => {
      const bytes = newBytes();
      for (const late of [false, true]) {
        const stored = await store(bytes);
        const keeping = keepOne(at.blobs, stored, (commit) =>
          database.transaction(async (tx) => {
            if (late) await commit(tx);
            throw new Error("no");
          }),
        );
        expect(await failure(keeping)).toBe("no");
        await expectNothing();
      }
    });
  });

  test("a lost response loses no bytes after the commit, and leaves bytes for the reaper before it", async () => {
    const bytes = newBytes();
    const lost = new DatabaseError("unavailable", new Error("the connection broke"));
    const committed = await store(bytes);
    const keeping = keepOne(at.blobs, committed, async (commit) => {
      const file = await database.transaction(async (tx) => {
        const blobId = await commit(tx);
        return database.dialect.insertReturningId(tx, "entries", {
          account_id: 1,
          parent_id: 0,
          kind: "file",
          name: "response lost",
          policy_id: null,
          blob_id: blobId,
          mime_type: "text/plain",
          sha256: sha256(bytes),
          size: bytes.length,
          created_at: 0,
          updated_at: 0,
        });
      });
      expect(file).toBeGreaterThan(0);
      throw lost;
    });
    expect(await failure(keeping)).toBe("ServiceUnavailable");
    const { id } = await database.read
      .selectFrom("entries")
      .select("id")
      .where("name", "=", "response lost")
      .executeTakeFirstOrThrow();
    expect(sha256(await at.files.read(id))).toBe(sha256(bytes));
    await at.files.remove(id);

    const rolledBack = await store(bytes);
    expect(await failure(keepOne(at.blobs, rolledBack, () => Promise.reject(lost)))).toBe(
      "ServiceUnavailable",
    );
    expect(at.stored().length).toBe(1);
    await at.runJob("storage-orphans");
    expect(at.stored().length).toBe(1);
    at.time.now += 2 * 3_600_000;
    await at.runJob("storage-orphans");
    expect(at.stored()).toEqual([]);
    expect(await at.findings()).toEqual([]);
  });

  describe("what a crash leaves", () => {
    test("dead rows, with or without their object, are removed", async () => {
      const files = [await at.files.add(newBytes(), policyId), await at.files.add(newBytes(), policyId)];
      const ids = await Promise.all(files.map((file) => at.files.blobOf(file)));
      await database.transaction(async (tx) => {
        await tx.deleteFrom("entries").where("id", "in", files).execute();
        await at.blobs.release(tx, ids);
      });
      rmSync(join(at.dataDir, "files", at.stored()[0]!));
      expect(await failure(at.blobs.open(ids[0]!))).toBe("FileNotFound");
      expect(await at.findings()).toEqual([]);
      await at.runJob("storage-reaper");
      expect(at.stored()).toEqual([]);
      expect(await rows()).toEqual([]);
    });

    test("abandoned stagings are removed, except those of resumable uploads", async () => {
      const [forgotten, known] = [await at.blobs.newUploadId(), await at.blobs.newUploadId()];
      for (const id of [forgotten, known]) {
        const upload = await at.blobs.begin(policyId, id);
        await upload.append(once(newBytes()), { maxBytes: 0 });
        await upload.suspend();
      }
      await database.dialect.insertMany(database.write, "uploads", [uploadRow(known, policyId)]);
      await at.runJob("storage-reaper");
      expect(at.stored().length).toBe(2);
      at.time.now += 2 * 3_600_000;
      expect(await at.findings()).toMatchObject([{ problem: "stale_staging", fixed: false }]);
      await at.runJob("storage-reaper");
      expect(at.stored()).toEqual([`.staging/${known}`]);
      await database.write.deleteFrom("uploads").execute();
      await at.blobs.forgetUpload(policyId, known);
      expect(at.stored()).toEqual([]);
    });
  });

  describe("an interrupted upload", () => {
    test("continues, is hashed as a whole and keeps its limits", async () => {
      const bytes = newBytes(900_000);
      const id = crypto.randomUUID();
      const elsewhere = await startContent(database, { dataDir: at.dataDir });
      let upload = await at.blobs.begin(policyId, id);
      // Hashed here, here again, in another process, and here after that.
      for (const [by, until] of [
        [at, 1],
        [at, 300_000],
        [elsewhere, 600_000],
        [at, 900_000],
      ] as const) {
        if (until > 1) upload = await by.blobs.resume(policyId, id, upload.received);
        await upload.append(once(bytes.slice(upload.received, until)), { maxBytes: 900_000 });
        await upload.suspend();
        expect(upload.received).toBe(until);
      }
      upload = await at.blobs.resume(policyId, id, upload.received);
      expect(await failure(upload.append(once(new Uint8Array(1)), { maxBytes: 900_000 }))).toBe(
        "FileTooLargeForPolicy",
      );
      const stored = await upload.finish();
      expect(stored).toMatchObject({ sha256: sha256(bytes), size: 900_000 });
      await stored.drop();
      await upload.settle();
      expect(at.stored()).toEqual([]);
    });

    test("leaves nothing when aborted, and reports lost bytes", async () => {
      const id = crypto.randomUUID();
      const upload = await at.blobs.begin(policyId, id);
      await upload.append(once(newBytes()), { maxBytes: 0 });
      await upload.abort();
      expect(at.stored()).toEqual([]);
      expect(await failure(at.blobs.resume(policyId, id, 1_000))).toBe("StorageUnavailable");
    });
  });

  describe("the scrub", () => {
    const MONTH = 31 * 24 * 3_600_000;
    const state = async (blobId: number) =>
      (
        await database.read
          .selectFrom("blobs")
          .select("state")
          .where("id", "=", blobId)
          .executeTakeFirstOrThrow()
      ).state;

    test("finds silent damage, serves and joins no damaged blob, and accepts a repaired one", async () => {
      const bytes = newBytes();
      const file = await at.files.add(bytes, policyId);
      const blob = await at.files.blobOf(file);
      const path = join(at.dataDir, "files", at.stored()[0]!);
      const flipped = bytes.slice();
      flipped[500]! ^= 1;
      writeFileSync(path, flipped);
      await at.runJob("storage-scrub");
      expect(await state(blob)).toBe("live");
      at.time.now += MONTH;
      await at.runJob("storage-scrub");
      expect(await state(blob)).toBe("damaged");
      expect(await failure(at.blobs.open(blob))).toBe("StorageUnavailable");
      expect(await at.findings()).toMatchObject([{ problem: "damaged_blob", fixed: false }]);

      const again = await at.files.add(bytes, policyId);
      expect(await at.files.blobOf(again)).not.toBe(blob);
      expect(sha256(await at.files.read(again))).toBe(sha256(bytes));
      await at.files.remove(again);

      writeFileSync(path, bytes);
      at.time.now += MONTH;
      await at.runJob("storage-scrub");
      expect(await state(blob)).toBe("live");
      expect(sha256(await at.files.read(file))).toBe(sha256(bytes));
      await at.files.remove(file);
    });

    test("reports a missing object, but not when its whole location is missing", async () => {
      const file = await at.files.add(newBytes(), policyId);
      const blob = await at.files.blobOf(file);
      const path = join(at.dataDir, "files", at.stored()[0]!);
      const marker = join(at.dataDir, "files", at.marker);
      const [object, mark] = [await Bun.file(path).bytes(), await Bun.file(marker).bytes()];
      rmSync(path);
      rmSync(marker);
      at.time.now += MONTH;
      await at.runJob("storage-scrub");
      expect(await state(blob)).toBe("live");
      writeFileSync(marker, mark);
      at.time.now += MONTH;
      await at.runJob("storage-scrub");
      expect(await state(blob)).toBe("damaged");
      writeFileSync(path, object);
      expect(await at.findings(true)).toMatchObject([{ problem: "damaged_blob", fixed: true }]);
      await at.files.remove(file);
      expect(at.stored()).toEqual([]);
    });

    test("stops at its budget and continues there in the next run", async () => {
      const small = await startContent(database, {
        dataDir: at.dataDir,
        scrub: { bytesPerRun: 2_500, bytesPerSecond: 1e9 },
      });
      const files = await Promise.all([1, 2, 3, 4, 5].map(() => at.files.add(newBytes(), policyId)));
      small.time.now = at.time.now + MONTH;
      const left = async () => (await rows()).filter(({ checked_at }) => checked_at < small.time.now).length;
      await small.runJob("storage-scrub");
      expect(await left()).toBe(2);
      await small.runJob("storage-scrub");
      expect(await left()).toBe(0);
      await at.files.remove(...files);
    });
  });
});

const uploadRow = (id: string, policyId: number) => ({
  id,
  account_id: 1,
  folder_id: 0,
  name: "x",
  mime_type: "text/plain",
  metadata: "",
  size: null,
  received: 1_000,
  policy_id: policyId,
  created_at: 0,
  expires_at: 0,
});
