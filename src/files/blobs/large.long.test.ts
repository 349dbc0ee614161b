/** Uploads that pass through blocks, the hash thread and, on most disks, by the system's cache. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Database } from "../../platform/db/database.ts";
import { forEachDialect, WITHOUT_MYSQL } from "../../platform/db/for-each-dialect.test-support.ts";
import type { StoredBytes } from "./service.ts";
import { type ContentHarness, keepOne, startContent } from "../content.test-support.ts";
import { bytesOf, readAll, sha256 } from "../storage/driver-contract.test-support.ts";

const MIB = 1024 * 1024;
const SIZE = 20 * MIB + 4_321;

async function* pieces(bytes: Uint8Array, length: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += length) yield bytes.slice(at, at + length);
}

async function* cutOff(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield* pieces(bytes, 65_000);
  throw new Error("cut off");
}

forEachDialect((dialect) => {
  let database: Database;
  let at: ContentHarness;
  beforeAll(async () => {
    database = await dialect.openDb();
    at = await startContent(database);
  });
  afterAll(() => at?.close());

  async function expectStored(stored: StoredBytes, bytes: Uint8Array): Promise<void> {
    expect(stored).toMatchObject({ sha256: sha256(bytes), size: bytes.length });
    const id = await keepOne(at.blobs, stored, (commit) => database.transaction(commit));
    const { body } = await at.blobs.open(id);
    expect(sha256(await readAll(body))).toBe(sha256(bytes));
  }

  test.each([7_777, 65_536, 3 * MIB])(
    "in concurrent pieces of %d bytes equal what was sent",
    async (length) => {
      const files = Array.from({ length: 6 }, (_, i) => bytesOf(SIZE + i, length + i));
      const stored = await Promise.all(
        files.map((bytes) => at.blobs.store(pieces(bytes, length), at.policy.id, { maxBytes: 0 })),
      );
      for (const [i, bytes] of files.entries()) await expectStored(stored[i]!, bytes);
    },
  );

  test("continue from any byte after a failed source, with the hash of the whole", async () => {
    const bytes = bytesOf(SIZE, 99);
    const { id: policyId } = at.policy;
    const id = await at.blobs.newUploadId();
    const cut = 9 * MIB + 123;
    const first = await at.blobs.begin(policyId, id);
    const append = first.append(cutOff(bytes.subarray(0, cut)), { maxBytes: 0 });
    expect(append).rejects.toThrow("cut off");
    await append.catch(() => undefined);
    expect(first.received).toBe(cut);
    await first.suspend();
    const second = await at.blobs.resume(policyId, id, cut);
    await second.append(pieces(bytes.subarray(cut), 65_536), { maxBytes: SIZE });
    await expectStored(await second.finish(), bytes);
  });

  test("leave nothing when they are too large or their source fails", async () => {
    const bytes = bytesOf(SIZE, 7);
    const before = at.stored();
    for (let i = 0; i < 30; i++) {
      const failing = i % 2 === 0 ? cutOff(bytes.subarray(0, 3 * MIB)) : pieces(bytes, 65_536);
      const store = at.blobs.store(failing, at.policy.id, { maxBytes: 10 * MIB });
      expect(await store.catch((error: Error) => error.message)).toMatch(/cut off|larger than/);
    }
    expect(at.stored()).toEqual(before);
    await expectStored(await at.blobs.store(pieces(bytes, 65_536), at.policy.id, { maxBytes: 0 }), bytes);
  });
}, WITHOUT_MYSQL);
