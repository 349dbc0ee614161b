/** Resumable uploads whose size follows their start. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "bun:test";
import type { Database } from "../../platform/db/database.ts";
import { DatabaseError } from "../../platform/db/failures.ts";
import { forEachDialect } from "../../platform/db/for-each-dialect.test-support.ts";
import { createBodyMemory } from "../../platform/http/body-memory.ts";
import { chunksOf, type DriveHarness, refusal, startDrive } from "../drive.test-support.ts";
import { startS3Stub } from "../storage/s3/stub.test-support.ts";
import type { Upload } from "./tus.service.ts";

const DAY_MS = 24 * 3_600_000;

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
    at.content.time.now += DAY_MS;
    for (const job of at.jobs) await job.run(new AbortController().signal);
    expect(await database.read.selectFrom("uploads").select("id").execute()).toEqual([]);
    expect(stagings()).toEqual([]);
    expect(await at.wrongs()).toEqual([]);
  });
  afterAll(() => at?.close());

  const stagings = () => at.content.stored().filter((name) => name.startsWith("."));
  const begin = async (name: string, folderId: number | null = null): Promise<Upload> =>
    (await at.resumable.create(me, { size: null, name, mimeType: undefined, folderId, metadata: "" })).upload;
  /** `isCounted`: with a Content-Length. */
  const chunk = (offset: number, text: string, total: number | null = null, isCounted = true) => ({
    offset,
    total,
    length: isCounted ? text.length : undefined,
    checksum: null,
    reservation: createBodyMemory().enter(),
    body: () => chunksOf(Buffer.from(text)),
  });
  const append = ({ id }: Upload, ...given: Parameters<typeof chunk>) =>
    at.resumable.append(me, id, chunk(...given));

  test("becomes a file when its size is known and all bytes are there, in any order", async () => {
    for (const [name, steps] of Object.entries({
      "with the last bytes": [
        [0, "hello"],
        [5, "world", 10],
      ],
      "after the last bytes": [
        [0, "hello"],
        [5, "world"],
        [10, "", 10],
      ],
      "with the first bytes": [
        [0, "hello", 10],
        [5, "world"],
      ],
      "said twice": [
        [0, "hello", 10],
        [5, "world", 10],
      ],
      "all at once": [[0, "helloworld", 10]],
    } as Record<string, Parameters<typeof chunk>[]>)) {
      const upload = await begin(name);
      expect(upload).toMatchObject({ size: null, received: 0 });
      for (const step of steps.slice(0, -1)) expect((await append(upload, ...step)).fileId).toBeNull();
      const { fileId, upload: whole } = await append(upload, ...steps.at(-1)!);
      expect([name, whole.size, whole.received]).toEqual([name, 10, 10]);
      const file = await at.files.find(me, fileId!);
      expect([file.size, await at.read(file)]).toEqual([10, "helloworld"]);
      // Said once more, the file is not made once more.
      expect((await append(upload, 10, "", 10)).fileId).toBeNull();
      expect(await at.resumable.find(me, upload.id)).toMatchObject({ size: 10, received: 10 });
    }
    expect((await at.names(me, null)).length).toBe(5);
    const { fileId } = await append(await begin("empty"), 0, "", 0);
    expect((await at.files.find(me, fileId!)).size).toBe(0);
  });

  test("has one size, which is not less than its bytes", async () => {
    const upload = await begin("changing");
    await append(upload, 0, "hello");
    await expect(append(upload, 5, "", 4)).rejects.toMatchObject({
      name: "BadRequest",
      message: "Upload-Length is less than the 5 bytes that the upload has already.",
    });
    await append(upload, 5, "w", 10);
    expect(await refusal(append(upload, 6, "o", 11))).toBe("BadRequest");
    expect(await refusal(append(upload, 6, "orldorld"))).toBe("FileTooLargeForPolicy");
    expect(await at.resumable.find(me, upload.id)).toMatchObject({ size: 10, received: 6 });
  });

  test("keeps within the account's quota, and leaves nothing beyond it", async () => {
    me = await at.account(10);
    const first = await begin("first");
    await append(first, 0, "123456");
    const second = await begin("second");
    await expect(append(second, 0, "12345")).rejects.toThrow("The file is larger than what is left for it.");
    for (const isCounted of [true, false]) {
      expect(await refusal(append(second, 0, "12345", null, isCounted))).toBe("FileTooLargeForPolicy");
    }
    // Without a length the bytes had to be read, so the upload has ended.
    expect(await refusal(at.resumable.find(me, second.id))).toBe("FileNotFound");
    expect(stagings().length).toBe(1);
    expect(await refusal(append(first, 6, "", 11))).toBe("FileTooLargeForPolicy");
    const third = await begin("third");
    await append(third, 0, "1");
    expect(await refusal(append(first, 6, "", 10))).toBe("FileTooLargeForPolicy");
    expect((await append(first, 6, "789", 9)).fileId).toBeNumber();
    expect(await refusal(append(third, 1, "2"))).toBe("FileTooLargeForPolicy");
    expect((await append(third, 1, "", 1)).fileId).toBeNumber();
    expect((await at.files.usage(me)).usedBytes).toBe(10);
    // Who has no room left may begin none.
    expect(await refusal(at.upload(me, null, "more", "x"))).toBe("FileTooLargeForPolicy");
  });

  test("keeps within the largest file of the storage policy", async () => {
    const policy = await at.content.policies.create({
      name: `small ${crypto.randomUUID()}`,
      driver_type: "local",
      base_path: `small-${crypto.randomUUID()}`,
      max_file_size: 8,
    });
    const folder = await at.folder(me, null, "small");
    await at.folders.update(me, folder, { policyId: policy.id });
    const upload = await begin("large", folder);
    await at.folders.update(me, folder, { policyId: null });
    expect(await refusal(at.content.policies.remove(policy.id))).toBe("PolicyInUse");
    await at.folders.update(me, folder, { policyId: policy.id });
    await append(upload, 0, "1234");
    expect(await refusal(append(upload, 4, "", 9))).toBe("FileTooLargeForPolicy");
    expect(await refusal(append(upload, 4, "56789", null, false))).toBe("FileTooLargeForPolicy");
    const exact = await begin("exact", folder);
    expect((await append(exact, 0, "12345678", 8)).fileId).toBeNumber();
    expect(await at.names(me, folder)).toEqual(["exact"]);
  });

  test.each(["local", "s3"])("outlives an outage when its size is known (%s)", async (storage) => {
    const folder = await at.folder(me, null, "outage");
    const stub = storage === "s3" ? await startS3Stub() : null;
    let policyId: number | null = null;
    if (stub !== null) {
      const endpoint = `http://127.0.0.1:${stub.port}`;
      const rest = { bucket: "bucket", access_key: "key", secret_key: "secret" };
      const name = `bucket ${crypto.randomUUID()}`;
      policyId = (await at.content.policies.create({ name, driver_type: "s3", endpoint, ...rest })).id;
      await at.folders.update(me, folder, { policyId });
    }
    const away = at.on({
      write: (run) =>
        at.content.changes.write(async (tx) => {
          await run(tx);
          throw new DatabaseError("unavailable", new Error("away"));
        }),
    });
    const upload = await begin("kept", folder);
    const text = storage.padEnd(10, "!");
    await append(upload, 0, text);
    const last = away.resumable.append(me, upload.id, chunk(10, "", 10));
    expect(await refusal(last)).toBe("ServiceUnavailable");
    // The upload keeps its bytes, the object of the attempt goes.
    at.content.time.now += 2 * DAY_MS;
    for (const name of ["storage-reaper", "storage-orphans"]) await at.content.runJob(name);
    at.content.time.now -= 2 * DAY_MS;
    // A row with all bytes and a size would mean that the file was made.
    expect(await at.resumable.find(me, upload.id)).toMatchObject({ size: null, received: 10 });
    const { fileId } = await append(upload, 10, "", 10);
    expect(await at.read(await at.files.find(me, fileId!))).toBe(text);

    // A process crashed before the row followed the bytes, and the client then declares a smaller size.
    const ahead = await begin("ahead", folder);
    await append(ahead, 0, "hel");
    const staging = await at.content.blobs.resume(ahead.policyId, ahead.id, 3);
    await staging.append(chunksOf(Buffer.from("lo world")), { maxBytes: 0 });
    await staging.suspend();
    let made: number | null = null;
    for (let tries = 0; made === null && tries < 3; tries++) {
      const { received } = await at.resumable.find(me, ahead.id);
      made = await append(ahead, received, "hello".slice(received), 5).then(
        ({ fileId: id }) => id,
        () => null,
      );
    }
    expect(await at.read(await at.files.find(me, made!))).toBe("hello");
    if (stub === null) return;
    for (const id of [fileId!, made!]) await at.files.remove(me, id);
    await at.folders.remove(me, folder);
    await at.content.blobs.settled();
    at.content.time.now += DAY_MS;
    for (const job of at.jobs) await job.run(new AbortController().signal);
    await at.content.policies.remove(policyId!);
    expect([...stub.objects.keys()].filter((key) => !key.startsWith(".waymark"))).toEqual([]);
    stub.close();
  });
});
