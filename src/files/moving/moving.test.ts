import { afterAll, beforeAll, expect, test } from "bun:test";
import { rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Database } from "../../platform/db/database.ts";
import { until } from "../../../test/support/until.ts";
import { forEachDialect } from "../../platform/db/for-each-dialect.test-support.ts";
import { createBlobsRepository } from "../blobs/repository.ts";
import { type DriveHarness, refusal, startDrive } from "../drive.test-support.ts";
import { bytesOf, sha256 } from "../storage/driver-contract.test-support.ts";
import { type S3Stub, startS3Stub } from "../storage/s3/stub.test-support.ts";
import type { StoredFile } from "../tree/entry.ts";

let seed = 5_000;
const newBytes = (size = 500): Uint8Array => bytesOf(size, ++seed);

forEachDialect((dialect) => {
  let database: Database;
  let at: DriveHarness;
  let stub: S3Stub;
  let me: number;
  let policies = 0;

  const newPolicy = async (driver: "local" | "s3", fields: object = {}): Promise<number> => {
    const keys = { endpoint: `http://127.0.0.1:${stub.port}`, bucket: "b", access_key: "a", secret_key: "s" };
    const name = `policy ${++policies}`;
    const given = { name, driver_type: driver, ...(driver === "s3" && keys), base_path: `p${policies}` };
    return (await at.content.policies.create({ ...given, ...fields })).id;
  };
  /** A folder whose uploads go to the policy. */
  async function folderIn(policyId: number): Promise<number> {
    const id = await at.folder(me, null, `folder ${crypto.randomUUID()}`);
    await at.folders.update(me, id, { policyId });
    return id;
  }
  const fill = async (
    folder: number,
    contents: readonly Uint8Array[],
    account = me,
  ): Promise<StoredFile[]> => {
    const files: StoredFile[] = [];
    for (const bytes of contents) files.push(await at.upload(account, folder, crypto.randomUUID(), bytes));
    return files;
  };
  const run = () => at.content.runJob("storage-move");
  const start = (from: number, to: number, rate = 0) => at.content.moves.start(from, { to, rate });
  const readOf = async (file: StoredFile): Promise<string> => {
    const { blobId } = await at.files.find(file.accountId, file.id);
    return sha256(await new Response((await at.content.blobs.open(blobId)).body).bytes());
  };
  const expectWhole = async (files: readonly StoredFile[]): Promise<void> => {
    for (const file of files) expect(await readOf(file)).toBe(file.sha256);
  };
  const blobRow = (file: StoredFile) =>
    database.read
      .selectFrom("entries")
      .innerJoin("blobs", "blobs.id", "entries.blob_id")
      .selectAll("blobs")
      .where("entries.id", "=", file.id)
      .executeTakeFirstOrThrow();
  const pathOf = async (file: StoredFile): Promise<string> => {
    const { policy_id: policyId, object_key: key } = await blobRow(file);
    const { basePath } = await at.content.policies.find(policyId);
    return join(at.content.dataDir, basePath, key);
  };

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

  test.each([
    ["local", "s3"],
    ["s3", "local"],
    ["local", "local"],
    ["s3", "s3"],
  ] as const)("all content moves from %s to %s, and the old policy can be deleted", async (one, other) => {
    const [from, to] = [await newPolicy(one), await newPolicy(other)];
    const folder = await folderIn(from);
    const files = await fill(folder, [newBytes(), newBytes(0), newBytes(200_000), newBytes()]);
    const copy = await at.upload(await at.account(), null, "elsewhere", "not in the policy");
    expect(await at.content.moves.preview(from, to)).toEqual({ objects: 4, bytes: 201_000 });
    expect(await start(from, to)).toMatchObject({ state: "running", objectsDone: 0, objectsLeft: 4 });
    await run();
    expect(await at.content.moves.get(from)).toMatchObject({
      state: "done",
      to,
      objectsDone: 4,
      objectsLeft: 0,
      objectsFailed: 0,
      bytesDone: 201_000,
      bytesLeft: 0,
      failed: [],
      secondsLeft: null,
    });
    await expectWhole([...files, copy]);
    expect(await at.content.policies.usage(from)).toMatchObject({ blobs: 0, obstacle: null });
    expect(await at.content.policies.usage(to)).toMatchObject({ blobs: 4, bytes: 201_000 });
    expect((await at.folders.find(me, folder)).folder?.policyId).toBe(to);
    await at.content.policies.remove(from);
    expect(await at.wrongs()).toEqual([]);
  });

  test("new uploads go to the new policy while it runs, and the default follows at the end", async () => {
    const was = await at.content.policies.defaultPolicy();
    const [from, to] = [await newPolicy("local", { is_default: true }), await newPolicy("local")];
    await at.upload(me, null, "before", newBytes());
    await start(from, to);
    const file = await at.upload(me, null, "while", newBytes());
    expect((await blobRow(file)).policy_id).toBe(to);
    await at.content.moves.stop(from);
    const late = await at.upload(me, null, "stopped", newBytes());
    expect((await blobRow(late)).policy_id).toBe(from);
    await start(from, to);
    await run();
    expect((await blobRow(late)).policy_id).toBe(to);
    expect((await at.content.policies.defaultPolicy()).id).toBe(to);
    await at.content.policies.update(was.id, { is_default: true });
    const { rows } = await actions(database, from);
    expect(rows).toEqual(["policy.move_start", "policy.move_stop", "policy.move_start", "policy.move_done"]);
  });

  test("equal content of the new policy is joined, with files of several accounts", async () => {
    const [from, to] = [await newPolicy("local"), await newPolicy("local")];
    const [old, target] = [await folderIn(from), await folderIn(to)];
    const bytes = newBytes();
    const files = await fill(old, [bytes, bytes, newBytes()]);
    const [twin] = await fill(target, [bytes]);
    await start(from, to);
    await run();
    expect(await at.content.moves.get(from)).toMatchObject({ state: "done", objectsDone: 2 });
    expect((await blobRow(files[0]!)).id).toBe((await blobRow(twin!)).id);
    expect((await blobRow(twin!)).refs).toBe(3);
    await expectWhole([...files, twin!]);
    expect(await at.wrongs()).toEqual([]);
  });

  test("versions move too, and join", async () => {
    const [from, to] = [await newPolicy("local"), await newPolicy("local")];
    const [old, target] = [await folderIn(from), await folderIn(to)];
    const shared = newBytes();
    const [file, former, equal] = await fill(old, [newBytes(), newBytes(), shared]);
    const [twin] = await fill(target, [shared]);
    const facts = { mime_type: "a/b", modified_at: 0, created_at: 0, replaced_at: 0 };
    const rows = [former!, equal!].map(({ blobId, size, sha256: hash }) => ({
      entry_id: file!.id,
      blob_id: blobId,
      size,
      sha256: hash,
      ...facts,
    }));
    await database.write.insertInto("file_versions").values(rows).execute();
    // The versions have the contents of the two other files, which go.
    await database.transaction(async (tx) => {
      await at.content.blobs.retain(
        tx,
        rows.map((row) => row.blob_id),
      );
    });
    for (const one of [former!, equal!]) await at.files.remove(me, one.id);
    await start(from, to);
    await run();
    expect(await at.content.moves.get(from)).toMatchObject({ state: "done", objectsDone: 3 });
    const found = await database.read
      .selectFrom("file_versions")
      .innerJoin("blobs", "blobs.id", "file_versions.blob_id")
      .select(["blobs.id", "blobs.policy_id", "blobs.state"])
      .where("entry_id", "=", file!.id)
      .execute();
    expect(found.map(({ policy_id, state }) => [policy_id, state])).toEqual([
      [to, "live"],
      [to, "live"],
    ]);
    expect(found.map(({ id }) => id)).toContain((await blobRow(twin!)).id);
    expect((await blobRow(twin!)).refs).toBe(2);
    await database.write.deleteFrom("file_versions").execute();
    await at.content.findings(true);
  });

  test("damaged and missing objects are listed and stay, and a new start tries them again", async () => {
    const [from, to] = [await newPolicy("local"), await newPolicy("s3")];
    const files = await fill(await folderIn(from), [newBytes(), newBytes(), newBytes(700), newBytes()]);
    const [damaged, missing, short] = [
      await pathOf(files[0]!),
      await pathOf(files[1]!),
      await pathOf(files[2]!),
    ];
    const whole = await Bun.file(damaged).bytes();
    writeFileSync(damaged, newBytes(500));
    rmSync(missing);
    truncateSync(short, 100);
    await start(from, to);
    await run();
    const ended = await at.content.moves.get(from);
    expect(ended).toMatchObject({ state: "done", objectsDone: 1, objectsLeft: 0, objectsFailed: 3 });
    const reasonOf = (file: StoredFile) => ended.failed.find((one) => one.sha256 === file.sha256);
    expect(reasonOf(files[0]!)?.reason).toContain("damaged");
    expect(reasonOf(files[1]!)?.reason).toContain("missing");
    expect(reasonOf(files[2]!)?.reason).toContain("damaged");
    expect(reasonOf(files[1]!)?.files[0]).toContain(files[1]!.name);
    await expectWhole([files[3]!]);
    expect(await refusal(at.content.policies.remove(from))).toBe("PolicyInUse");
    writeFileSync(damaged, whole);
    await start(from, to);
    await run();
    expect(await at.content.moves.get(from)).toMatchObject({ objectsDone: 1, objectsFailed: 2 });
    await expectWhole([files[0]!, files[3]!]);
    await at.files.remove(me, files[1]!.id);
    await at.files.remove(me, files[2]!.id);
    expect(await at.wrongs()).toEqual([]);
  });

  test("a swap that loses to a deletion removes its own copy, and the rate can change meanwhile", async () => {
    const [from, to] = [await newPolicy("s3"), await newPolicy("local")];
    const folder = await folderIn(from);
    const files = await fill(folder, [newBytes(), newBytes(), newBytes()]);
    const { object_key: key } = await blobRow(files[0]!);
    await start(from, to, 50);
    const running = run();
    // The copies are read, and wait.
    await until(() => stub.requests.some((one) => one.method === "GET" && one.key.endsWith(key)));
    await at.files.remove(me, files[0]!.id);
    await start(from, to);
    await running;
    expect(await at.content.moves.get(from)).toMatchObject({ state: "done", objectsLeft: 0 });
    await expectWhole(files.slice(1));
    expect(at.content.storedIn(`p${policies}`)).toHaveLength(2);
    expect(await at.wrongs()).toEqual([]);
  });

  test("old objects stay for downloads that began before, and content is found where it went", async () => {
    const [from, to] = [await newPolicy("local"), await newPolicy("s3")];
    const [file] = await fill(await folderIn(from), [newBytes()]);
    const before = (await createBlobsRepository(database).find(file!.blobId))!;
    await start(from, to);
    await run();
    // The object of the row that was read before is gone.
    const { body } = await at.content.blobs.openFound(before);
    expect(sha256(await new Response(body).bytes())).toBe(file!.sha256);
  });

  test("a download that is cut after its content moved goes on at the new storage", async () => {
    const [from, to] = [await newPolicy("s3"), await newPolicy("local")];
    const [file] = await fill(await folderIn(from), [newBytes(3_000_000)]);
    const { object_key: key } = await blobRow(file!);
    stub.misbehave("cut", (one) => one.method === "GET" && one.key.endsWith(key), 1);
    const { body } = await at.content.blobs.open(file!.blobId);
    const reader = (body as ReadableStream<Uint8Array>).getReader();
    const chunks = [(await reader.read()).value!.slice()];
    await start(from, to);
    await run();
    expect([...stub.objects.keys()].filter((one) => one.endsWith(key))).toEqual([]);
    for (let next = await reader.read(); !next.done; next = await reader.read())
      chunks.push(next.value.slice());
    expect(sha256(Buffer.concat(chunks))).toBe(file!.sha256);
  });

  test.each([
    ["is full", 507, "XMinioStorageFull", "full"],
    ["refuses its keys", 403, "SignatureDoesNotMatch", "keys"],
  ])("a move whose target %s waits, says why, and goes on", async (_, status, word, said) => {
    const [from, to] = [await newPolicy("local"), await newPolicy("s3")];
    const files = await fill(await folderIn(from), [newBytes(), newBytes()]);
    await start(from, to);
    const trouble = { status, body: `<Error><Code>${word}</Code></Error>` };
    stub.misbehave(trouble, ({ method, key }) => method === "PUT" && !key.includes(".waymark"), 2);
    const running = run();
    await until(async () => (await at.content.moves.get(from)).trouble?.includes(said) === true);
    await running;
    expect(await at.content.moves.get(from)).toMatchObject({ state: "done", objectsDone: 2, trouble: null });
    await expectWhole(files);
  });

  test("what can't be is refused", async () => {
    const [a, b, c] = [await newPolicy("local"), await newPolicy("local"), await newPolicy("local")];
    expect(await refusal(start(a, a))).toBe("BadRequest");
    expect(await refusal(start(a, 99_999))).toBe("PolicyNotFound");
    expect(await refusal(at.content.moves.get(a))).toBe("NotFound");
    await start(a, b);
    expect(await refusal(start(a, c))).toBe("Conflict");
    expect(await refusal(start(b, c))).toBe("Conflict");
    expect(await refusal(start(c, a))).toBe("Conflict");
    expect(await refusal(at.content.policies.remove(b))).toBe("PolicyInUse");
    expect(await start(a, b, 10)).toMatchObject({ rate: 10 });
    await at.content.moves.stop(a);
    expect(await at.content.moves.stop(a)).toMatchObject({ state: "stopped" });
    const broken = await newPolicy("s3", { endpoint: "http://127.0.0.1:9" });
    expect(await refusal(start(c, broken))).toBe("StorageUnavailable");
  });
});

async function actions(database: Database, policyId: number) {
  const policy = await database.read
    .selectFrom("policies")
    .select("name")
    .where("id", "=", policyId)
    .executeTakeFirstOrThrow();
  const query = database.read.selectFrom("events").select("action").where("subject", "=", policy.name);
  const found = await query.where("action", "like", "policy.move%").orderBy("id").execute();
  return { rows: found.map(({ action }) => action) };
}
