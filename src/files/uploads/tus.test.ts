import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { join } from "node:path";
import type { Database } from "../../platform/db/database.ts";
import { DatabaseError } from "../../platform/db/failures.ts";
import { forEachDialect } from "../../platform/db/for-each-dialect.test-support.ts";
import { createBodyMemory } from "../../platform/http/body-memory.ts";
import { AppError } from "../../lib/errors.ts";
import { chunksOf, type DriveHarness, refusal, startDrive } from "../drive.test-support.ts";
import { type StubRequest, type S3Stub, startS3Stub } from "../storage/s3/stub.test-support.ts";
import type { Upload } from "./tus.service.ts";

const HOUR_MS = 3_600_000;

forEachDialect((dialect) => {
  let database: Database;
  let at: DriveHarness;
  let me: number;
  beforeAll(async () => {
    database = await dialect.openDb({ poolSize: 8 });
    at = await startDrive(database);
  });
  beforeEach(async () => {
    me = await at.account();
  });
  /** After all uploads have expired, nothing is left. */
  afterEach(async () => {
    at.content.time.now += 25 * HOUR_MS;
    await expire();
    expect(await rows()).toBe(0);
    expect(await locks()).toBe(0);
    expect(stagings()).toEqual([]);
    expect(await at.wrongs()).toEqual([]);
  });
  afterAll(() => at?.close());

  const expire = () =>
    at.jobs.find(({ name }) => name === "uploads-expiry")!.run(new AbortController().signal);
  const stagings = () => at.content.stored().filter((name) => name.startsWith("."));
  const count = async (query: { execute(): Promise<unknown[]> }) => (await query.execute()).length;
  const rows = () => count(database.read.selectFrom("uploads").select("id"));
  const locks = () =>
    count(database.read.selectFrom("leases").select("name").where("name", "like", "upload:%"));

  const begin = async (name: string, size: number, folderId: number | null = null): Promise<Upload> =>
    (await at.resumable.create(me, { size, name, mimeType: undefined, folderId, metadata: "" })).upload;
  const chunkOf = (offset: number, body: string | AsyncIterable<Uint8Array>) => ({
    offset,
    length: undefined,
    total: null,
    checksum: null,
    reservation: createBodyMemory().enter(),
    body: () => (typeof body === "string" ? chunksOf(Buffer.from(body)) : body),
  });
  const append = ({ id }: Upload, offset: number, body: string | AsyncIterable<Uint8Array>, accountId = me) =>
    at.resumable.append(accountId, id, chunkOf(offset, body));
  const bucketOn = async (stub: S3Stub): Promise<number> => {
    const endpoint = `http://127.0.0.1:${stub.port}`;
    const rest = { bucket: "bucket", access_key: "key", secret_key: "secret" };
    const name = `bucket ${crypto.randomUUID()}`;
    return (await at.content.policies.create({ name, driver_type: "s3", endpoint, ...rest })).id;
  };
  /** After all uploads have expired, nothing is left in the bucket. Closes it. */
  const expectEmptied = async (stub: S3Stub, policyId: number): Promise<void> => {
    at.content.time.now += 2 * HOUR_MS;
    await expire();
    await at.content.policies.remove(policyId);
    expect([...stub.objects.keys()].filter((key) => !key.startsWith(".waymark"))).toEqual([]);
    stub.close();
  };
  const statusOf = async (call: Promise<unknown>): Promise<unknown> => {
    const error = await call.then(
      () => null,
      (reason: unknown) => reason,
    );
    return error instanceof AppError ? error.details?.["status"] : error;
  };

  test("an upload becomes a file at its last byte", async () => {
    const folder = await at.folder(me, null, "in");
    const upload = await begin("a\u0308.txt", 10, folder);
    expect(upload).toMatchObject({ name: "\u00e4.txt", mimeType: "text/plain", received: 0, size: 10 });
    expect(await append(upload, 0, "hello")).toMatchObject({ upload: { received: 5 }, fileId: null });
    expect(await at.names(me, folder)).toEqual([]);
    expect((await at.files.usage(me)).usedBytes).toBe(0);
    const { fileId } = await append(upload, 5, "world");
    const file = await at.files.find(me, fileId!);
    expect(file).toMatchObject({ name: "\u00e4.txt", parentId: folder, size: 10 });
    expect(await at.read(file)).toBe("helloworld");
    expect((await at.files.usage(me)).usedBytes).toBe(10);
    expect(await at.resumable.find(me, upload.id)).toMatchObject({ received: 10 });
    await at.files.remove(me, file.id);
  });

  test("uploads of another account are not found", async () => {
    const upload = await begin("mine", 10);
    const other = await at.account();
    expect(await refusal(at.resumable.find(other, upload.id))).toBe("FileNotFound");
    expect(await refusal(append(upload, 0, "x", other))).toBe("FileNotFound");
    expect(await refusal(at.resumable.terminate(other, upload.id))).toBe("FileNotFound");
    const folder = await at.folder(other, null, "theirs");
    expect(await refusal(begin("x", 1, folder))).toBe("FolderNotFound");
  });

  test("bytes received before the body broke off are kept, none beyond the size", async () => {
    const upload = await begin("broken", 10);
    async function* breaking() {
      yield Buffer.from("hell");
      throw new Error("gone");
    }
    await expect(append(upload, 0, breaking())).rejects.toThrow("gone");
    expect(await at.resumable.find(me, upload.id)).toMatchObject({ received: 4 });
    expect(await refusal(append(upload, 3, "x"))).toBe("Conflict");
    expect(await refusal(append(upload, 4, "1234567"))).toBe("FileTooLargeForPolicy");
    expect(await at.resumable.find(me, upload.id)).toMatchObject({ received: 4 });
    const { fileId } = await append(upload, 4, "o worl");
    expect(await at.read(await at.files.find(me, fileId!))).toBe("hello worl");
  });

  test("one request at a time may change an upload", async () => {
    const upload = await begin("locked", 4);
    const held = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    async function* slow() {
      yield Buffer.from("ab");
      begun.resolve();
      await held.promise;
      yield Buffer.from("cd");
    }
    const first = append(upload, 0, slow());
    await begun.promise;
    expect(await statusOf(append(upload, 0, "abcd"))).toBe(423);
    expect(await statusOf(at.resumable.terminate(me, upload.id))).toBe(423);
    held.resolve();
    expect((await first).fileId).toBeNumber();
  });

  test("of many requests with the same bytes, one succeeds", async () => {
    const upload = await begin("raced", 4);
    const results = await Promise.allSettled(Array.from({ length: 8 }, () => append(upload, 0, "abcd")));
    const made = results.filter((result) => result.status === "fulfilled" && result.value.fileId !== null);
    expect(made.length).toBe(1);
    for (const result of results) {
      if (result.status === "rejected") expect(result.reason).toMatchObject({ name: "Conflict" });
    }
    expect(await at.names(me, null)).toEqual(["raced"]);
  });

  test("expired uploads respond with 410, then are deleted with their bytes", async () => {
    const upload = await begin("late", 10);
    await append(upload, 0, "hello");
    at.content.time.now += 23 * HOUR_MS;
    await append(upload, 5, "w");
    at.content.time.now += 23 * HOUR_MS;
    await expire();
    expect(await at.resumable.find(me, upload.id)).toMatchObject({ received: 6 });
    expect(stagings().length).toBe(1);
    at.content.time.now += HOUR_MS;
    expect(await statusOf(at.resumable.find(me, upload.id))).toBe(410);
    expect(await statusOf(append(upload, 6, "o"))).toBe(410);
    await expire();
    expect(await refusal(at.resumable.find(me, upload.id))).toBe("FileNotFound");
    expect(stagings()).toEqual([]);
  });

  describe("the account's space", () => {
    test("is not reserved twice by unfinished uploads", async () => {
      me = await at.account(10);
      const upload = await begin("a", 6);
      expect(await refusal(begin("b", 5))).toBe("FileTooLargeForPolicy");
      await begin("c", 4);
      await at.resumable.terminate(me, upload.id);
      await begin("d", 6);
    });

    test("is checked again at the last byte; a refusal leaves nothing", async () => {
      me = await at.account(10);
      const upload = await begin("a", 6);
      await append(upload, 0, "hello");
      await at.upload(me, null, "other", "123456");
      expect(await refusal(append(upload, 5, "!"))).toBe("FileTooLargeForPolicy");
      expect(await refusal(at.resumable.find(me, upload.id))).toBe("FileNotFound");
      expect(stagings()).toEqual([]);
    });
  });

  test("a name taken or a folder deleted before the end ends the upload", async () => {
    const folder = await at.folder(me, null, "going");
    const [homeless, twin] = [await begin("x", 1, folder), await begin("twin", 1)];
    await at.folders.remove(me, folder);
    await at.upload(me, null, "twin");
    expect(await refusal(append(homeless, 0, "x"))).toBe("FolderNotFound");
    expect(await refusal(append(twin, 0, "x"))).toBe("NameConflict");
    expect(await at.names(me, null)).toEqual(["twin"]);
  });

  describe("after a crash", () => {
    test("bytes that were not acknowledged are sent again", async () => {
      const upload = await begin("first", 10);
      const staging = await at.content.blobs.begin(upload.policyId, upload.id);
      await staging.append(chunksOf(Buffer.from("other bytes")), { maxBytes: 0 });
      await staging.suspend();
      const { fileId } = await append(upload, 0, "hello12345");
      expect(await at.read(await at.files.find(me, fileId!))).toBe("hello12345");
    });

    test("bytes that a bucket has beyond the row are not requested again", async () => {
      const stub = await startS3Stub();
      const policyId = await bucketOn(stub);
      const folder = await at.folder(me, null, "far");
      await at.folders.update(me, folder, { policyId });
      /** As if the process had crashed before the row followed. */
      const bring = async ({ id }: Upload, received: number, text: string) => {
        const staging = await at.content.blobs.resume(policyId, id, received);
        await staging.append(chunksOf(Buffer.from(text)), { maxBytes: 0 });
        await staging.suspend();
      };
      const some = await begin("some", 10, folder);
      await append(some, 0, "hel");
      await bring(some, 3, "lo");
      expect(await refusal(append(some, 3, "loworld"))).toBe("Conflict");
      expect(await at.resumable.find(me, some.id)).toMatchObject({ received: 5 });
      const all = await begin("all", 10, folder);
      await append(all, 0, "hel");
      await bring(all, 3, "loworld");
      for (const { fileId } of [await append(some, 5, "world"), await append(all, 3, "loworld")]) {
        const file = await at.files.find(me, fileId!);
        expect(await at.read(file)).toBe("helloworld");
        await at.files.remove(me, file.id);
      }
      await at.folders.remove(me, folder);
      await at.content.blobs.settled();
      await expectEmptied(stub, policyId);
    });

    test.each(["local", "s3"])("an outage at the last byte loses nothing (%s)", async (storage) => {
      const folder = await at.folder(me, null, "outage");
      const stub = storage === "s3" ? await startS3Stub() : null;
      const policyId = stub === null ? null : await bucketOn(stub);
      if (policyId !== null) await at.folders.update(me, folder, { policyId });
      const away = at.on({
        write: (run) =>
          at.content.changes.write(async (tx) => {
            await run(tx);
            throw new DatabaseError("unavailable", new Error("away"));
          }),
      });
      const upload = await begin("kept", 10, folder);
      await append(upload, 0, "hello");
      for (const attempt of [1, 2]) {
        const last = chunkOf(5, attempt === 1 ? "world" : "");
        expect(await refusal(away.resumable.append(me, upload.id, last))).toBe("ServiceUnavailable");
        expect(await at.resumable.find(me, upload.id)).toMatchObject({ received: 5 });
        // The upload keeps its bytes, however old they are.
        at.content.time.now += 50 * HOUR_MS;
        for (const name of ["storage-reaper", "storage-orphans"]) await at.content.runJob(name);
        at.content.time.now -= 50 * HOUR_MS;
      }
      const { fileId } = await append(upload, 5, "");
      const file = await at.files.find(me, fileId!);
      expect(file.sha256).toBe(new Bun.CryptoHasher("sha256").update("helloworld").digest("hex"));
      expect(await at.read(file)).toBe("helloworld");
      expect(await at.resumable.find(me, upload.id)).toMatchObject({ received: 10 });
      expect(stagings()).toEqual([]);
      await at.files.remove(me, file.id);
      await at.folders.remove(me, folder);
      await at.content.blobs.settled();
      if (policyId === null) return;
      await expectEmptied(stub!, policyId);
    });

    test("a bucket that is away at the last byte keeps what it has", async () => {
      const stub = await startS3Stub();
      const policyId = await bucketOn(stub);
      const folder = await at.folder(me, null, "hiccup");
      await at.folders.update(me, folder, { policyId });
      const long = Buffer.alloc(11_000_001, "0123456789");
      const refused = { status: 403 };
      for (const [bytes, first, isAway] of [
        [long, 5_500_000, ({ query }: StubRequest) => query.get("partNumber") === "3"],
        [long, 5_500_000, ({ method, query }: StubRequest) => method === "POST" && query.has("uploadId")],
        [
          long.subarray(0, 10),
          5,
          ({ method, key }: StubRequest) => method === "PUT" && !key.includes("staging"),
        ],
      ] as const) {
        const upload = await begin("kept", bytes.length, folder);
        await append(upload, 0, chunksOf(bytes.subarray(0, first)));
        stub.misbehave(refused, isAway, 1);
        expect(await refusal(append(upload, first, chunksOf(bytes.subarray(first))))).toBe(
          "StorageUnavailable",
        );
        let fileId: number | null = null;
        for (let tries = 0; fileId === null && tries < 3; tries++) {
          const { received } = await at.resumable.find(me, upload.id);
          expect(received).toBeGreaterThanOrEqual(first);
          ({ fileId } = await append(upload, received, chunksOf(bytes.subarray(received))).catch(() => ({
            fileId: null,
          })));
        }
        const file = await at.files.find(me, fileId!);
        expect(file.sha256).toBe(new Bun.CryptoHasher("sha256").update(bytes).digest("hex"));
        expect(await at.read(file)).toBe(bytes.toString());
        await at.files.remove(me, file.id);
      }
      await at.folders.remove(me, folder);
      await at.content.blobs.settled();
      await expectEmptied(stub, policyId);
      expect(stub.uploads.size).toBe(0);
    });

    test("lost bytes are requested again", async () => {
      const upload = await begin("lost", 10);
      await append(upload, 0, "hello");
      rmSync(join(at.content.dataDir, at.content.policy.basePath, stagings()[0]!));
      expect(await refusal(append(upload, 5, "world"))).toBe("Conflict");
      expect(await at.resumable.find(me, upload.id)).toMatchObject({ received: 0 });
      const { fileId } = await append(upload, 0, "helloworld");
      expect(await at.read(await at.files.find(me, fileId!))).toBe("helloworld");
    });
  });

  test("leases of uploads that are gone go, unless somebody holds them", async () => {
    const upload = await begin("f", 3);
    const lease = (id: string, end: number) => ({ name: `upload:${id}`, owner: "", expires_at: end });
    const now = at.content.time.now;
    const made = [
      lease(upload.id, 0),
      lease(crypto.randomUUID(), 0),
      lease(crypto.randomUUID(), now),
      lease("held", now + HOUR_MS),
      { name: "uploads-other", owner: "", expires_at: 0 },
    ];
    await database.dialect.insertIgnore(database.write, "leases", ["name"], made);
    const run = () =>
      at.jobs.find(({ name }) => name === "uploads-leases")!.run(new AbortController().signal);
    await run();
    const left = database.read.selectFrom("leases").select("name").where("name", "like", "upload%");
    expect((await left.orderBy("name").execute()).map(({ name }) => name)).toEqual(
      [`upload:${upload.id}`, "upload:held", "uploads-other"].sort(),
    );
    await database.write.deleteFrom("leases").where("name", "in", ["upload:held", "uploads-other"]).execute();
  });
});
