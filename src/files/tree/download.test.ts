/** Downloads of content in S3: relayed, or by a presigned address. test/downloads.test.ts tests the HTTP side. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Database } from "../../platform/db/database.ts";
import { openDatabase } from "../../platform/db/database.ts";
import { createFresh, type Fresh } from "../../platform/db/fresh.test-support.ts";
import { migrateUp } from "../../platform/db/migrate.ts";
import { silentLogger } from "../../lib/logger.ts";
import { type DriveHarness, refusal, startDrive } from "../drive.test-support.ts";
import { contentTag, type StoredFile } from "./entry.ts";
import { type S3Stub, startS3Stub } from "../storage/s3/stub.test-support.ts";

let fresh: Fresh;
let database: Database;
let at: DriveHarness;
let stub: S3Stub;
let policyId: number;
let file: StoredFile;
const content = "0123456789".repeat(50_000);

beforeAll(async () => {
  fresh = await createFresh("sqlite");
  database = await openDatabase({ url: fresh.url, poolSize: 1 }, { threads: false, logger: silentLogger });
  await migrateUp(database, { logger: silentLogger });
  stub = await startS3Stub();
  at = await startDrive(database);
  ({ id: policyId } = await at.content.policies.create({
    name: "s3",
    driver_type: "s3",
    endpoint: `http://127.0.0.1:${stub.port}`,
    bucket: "bucket",
    access_key: "key",
    secret_key: "secret",
  }));
  const folder = await at.folder(0, null, "in s3");
  await at.folders.update(0, folder, { policyId });
  file = await at.upload(0, folder, "naïve.txt", content);
});
afterAll(async () => {
  await at?.close();
  stub?.close();
  await database?.close();
  await fresh?.drop();
});

let relayed = 0;
const get = (headers: Record<string, string> = {}, method = "GET", which = file) =>
  at.download(which, {
    method,
    header: (name) => headers[name],
    inline: false,
    signal: new AbortController().signal,
    source: {},
    async relay(stream) {
      relayed++;
      return stream;
    },
  });

describe("relayed", () => {
  test("whole and in ranges", async () => {
    relayed = 0;
    expect(await (await get()).text()).toBe(content);
    const part = await get({ Range: "bytes=5-14" });
    expect([part.status, part.headers.get("Content-Range"), await part.text()]).toEqual([
      206,
      "bytes 5-14/500000",
      "5678901234",
    ]);
    expect(relayed).toBe(0);
  });

  test("as a stream from 1 MiB on; what is shorter is gathered, so it has a length", async () => {
    relayed = 0;
    const bytes = "x".repeat(1024 * 1024 + 1);
    const long = await at.upload(0, file.parentId, "long", bytes);
    expect((await (await get({}, "GET", long)).text()).length).toBe(bytes.length);
    expect(relayed).toBe(1);
    expect((await (await get({ Range: "bytes=1-" }, "GET", long)).text()).length).toBe(bytes.length - 1);
    expect(relayed).toBe(1);
    await at.files.remove(0, long.id);
  });

  test("HEAD reads at most one byte from the storage, 304 none", async () => {
    stub.requests.length = 0;
    const head = await get({}, "HEAD");
    expect([head.status, head.headers.get("Content-Length"), head.body]).toEqual([200, "500000", null]);
    expect(stub.requests.map(({ headers }) => headers.range)).toEqual(["bytes=0-0"]);
    expect((await get({ "If-None-Match": contentTag(file) })).status).toBe(304);
    expect((await get({ Range: "bytes=500000-" })).status).toBe(416);
    expect(stub.requests.length).toBe(1);
  });

  test("a download that breaks off fails and does not end normally", async () => {
    let isCut = true;
    stub.misbehave("cut", ({ method }) => isCut && method === "GET");
    const outcome = await get()
      .then((response) => response.text())
      .then(
        () => "whole",
        () => "failed",
      );
    expect(outcome).toBe("failed");
    isCut = false;
  });

  test("from a storage that is unavailable or has lost the object", async () => {
    let isAway = true;
    stub.misbehave({ status: 403 }, () => isAway);
    expect(await refusal(get())).toBe("StorageUnavailable");
    expect(await refusal(get({}, "HEAD"))).toBe("StorageUnavailable");
    isAway = false;
  });
});

test("by a presigned address, when the policy has that", async () => {
  await at.content.policies.update(policyId, { download: "redirect" });
  stub.requests.length = 0;
  const response = await get({ Range: "bytes=0-1" });
  expect([response.status, stub.requests.length]).toEqual([302, 0]);
  const address = new URL(response.headers.get("Location")!);
  expect(address.origin).toBe(`http://127.0.0.1:${stub.port}`);
  expect(address.searchParams.get("response-content-type")).toBe("text/plain; charset=utf-8");
  expect(address.searchParams.get("response-content-disposition")).toBe(
    `attachment; filename="na_ve.txt"; filename*=UTF-8''na%C3%AFve.txt`,
  );
  expect(Number(address.searchParams.get("X-Amz-Expires"))).toBeGreaterThan(0);
  expect(response.headers.get("Cache-Control")).toBe("private, no-store");
  const head = await get({}, "HEAD");
  expect([head.status, head.headers.get("Content-Length")]).toEqual([200, "500000"]);
  await at.content.policies.update(policyId, { download: "relay" });
});
