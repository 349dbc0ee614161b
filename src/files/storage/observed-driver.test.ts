/** Every operation reports its end once. It fails only if the storage does. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { systemClock } from "../../lib/clock.ts";
import {
  bytesOf,
  contentOf,
  driverContract,
  expectUnavailable,
  inChunks,
  newId,
  put,
  readAll,
} from "./driver-contract.test-support.ts";
import { type DriverMetrics, type OperationEnd, STORAGE_OPERATIONS } from "./metrics.ts";
import { observeDriver } from "./observed-driver.ts";
import type { Driver } from "./driver.ts";
import { namesIn } from "../content.test-support.ts";
import { createLocalDriver } from "./local/local.ts";
import { type S3Stub, s3Error, startS3Stub } from "./s3/stub.test-support.ts";
import { parseEndpoint } from "./s3/endpoint.ts";
import { createS3Driver } from "./s3/s3.ts";

const folder = realpathSync(mkdtempSync(join(tmpdir(), "waymark-observed-")));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const bytes = bytesOf(300_000);
let reported: string[] = [];
let times: number[] = [];
beforeEach(() => {
  reported = [];
  times = [];
});

const observed = (driver: Driver, type: "local" | "s3" = "local"): Driver =>
  observeDriver(
    driver,
    Object.fromEntries(
      STORAGE_OPERATIONS.map((operation) => [operation, report(type, operation)]),
    ) as DriverMetrics,
  );
const report =
  (type: string, operation: string): OperationEnd =>
  (outcome, seconds) => {
    reported.push(`${type} ${operation} ${outcome}`);
    times.push(seconds);
  };
const local = (name: string) =>
  observed(createLocalDriver({ folder: join(folder, name), checkRealPath: async () => {} }));

driverContract("an observed one", async () => ({
  driver: local("contract"),
  reopen: async () => local("contract"),
  allNames: async () => namesIn(join(folder, "contract")),
  overwrite: async (key, other) => {
    mkdirSync(dirname(join(folder, "contract", key)), { recursive: true });
    writeFileSync(join(folder, "contract", key), other);
  },
  largeBytes: 3_000_001,
  close: async () => {},
}));

describe("an observed driver", () => {
  test("each operation of a working storage reports success", async () => {
    const driver = local("works");
    await driver.claim(newId(), true);
    const id = newId();
    const begun = await driver.stage(id);
    await begun.append(inChunks(bytes.slice(0, 1000)));
    await begun.suspend();
    const staging = await driver.resume(id, 1000);
    await staging.append(inChunks(bytes.slice(1000)));
    await Array.fromAsync(staging.read());
    const key = await staging.finish(contentOf(bytes));
    await readAll(await driver.open(key, { size: bytes.length }));
    await driver.stat(key);
    await Array.fromAsync(driver.listObjects());
    await driver.remove(key);
    await driver.removeStaging(id);
    const operations =
      "claim write suspend resume write read finish read stat list list delete delete_staging";
    expect(reported).toEqual(operations.split(" ").map((operation) => `local ${operation} success`));
    expect(times.every((seconds) => seconds >= 0 && seconds < 60)).toBe(true);
  });

  test("each operation of a broken storage reports a failure", async () => {
    const path = join(folder, "broken");
    // A file in place of the folder.
    writeFileSync(path, "");
    const driver = local("broken");
    const id = newId();
    const staging = await driver.stage(id);
    const all: [string, () => Promise<unknown>][] = [
      ["claim", () => driver.claim(newId(), true)],
      ["write", () => staging.append(inChunks(bytes))],
      ["suspend", () => staging.suspend()],
      ["resume", () => driver.resume(id, 1)],
      ["read", () => Array.fromAsync(staging.read())],
      ["finish", () => staging.finish(contentOf(bytes))],
      ["read", () => driver.open("aa/aa/no-such-object", { size: 1 })],
      ["list", () => Array.fromAsync(driver.listObjects())],
    ];
    for (const [operation, run] of all) {
      reported = [];
      await expectUnavailable(run());
      expect(reported).toEqual([`local ${operation} failed`]);
    }
  });

  test("a client that leaves is not a failure of the storage", async () => {
    const driver = local("left");
    const staging = await driver.stage(newId());
    await expect(staging.append(inChunks(bytes, 1000))).rejects.toThrow("the source failed");
    await staging.abort();
    expect(reported).toEqual(["local write success"]);
    expect(namesIn(join(folder, "left"))).toEqual([]);
  });
});

describe("a stream's read", () => {
  let stub: S3Stub;
  let driver: Driver;
  let key: string;
  beforeAll(async () => {
    stub = await startS3Stub();
    driver = observed(
      createS3Driver({
        endpoint: parseEndpoint(`http://127.0.0.1:${stub.port}`),
        bucket: "bucket",
        credentials: { accessKey: "key", secretKey: "secret", region: "us-east-1" },
        clock: systemClock,
        prefix: "",
        pace: { responseMs: 1000, bytesPerSecond: 1e9, completeMs: 1000, stallMs: 1000, pauseMs: 1 },
      }),
      "s3",
    );
  });
  beforeEach(async () => {
    stub.behave();
    key = await put(driver, bytes);
    reported = [];
  });
  afterAll(() => stub.close());
  const open = async () =>
    (await driver.open(key, { size: bytes.length })) as unknown as ReadableStream<Uint8Array>;

  test("lasts until the end", async () => {
    const body = await open();
    expect(reported).toEqual([]);
    expect(await readAll(body)).toEqual(bytes);
    expect(reported).toEqual(["s3 read success"]);
  });

  test("lasts until the consumer cancels", async () => {
    // A body that arrived whole would have ended.
    stub.misbehave("stall", ({ method }) => method === "GET");
    const reader = (await open()).getReader();
    await reader.read();
    expect(reported).toEqual([]);
    await reader.cancel();
    expect(reported).toEqual(["s3 read success"]);
  });

  test("lasts until the signal aborts", async () => {
    const ending = new AbortController();
    const body = await driver.open(key, { size: bytes.length, signal: ending.signal });
    const reader = (body as ReadableStream<Uint8Array>).getReader();
    ending.abort(new Error("the client left"));
    while (reported.length === 0) await reader.read().catch(() => undefined);
    expect(reported).toEqual(["s3 read success"]);
  });

  test("lasts until the storage fails", async () => {
    stub.misbehave("cut", ({ method }) => method === "GET");
    await expect(open().then(readAll)).rejects.toThrow();
    expect(reported).toEqual(["s3 read failed"]);
  });

  test("a refused request is a failure", async () => {
    stub.misbehave({ status: 403, body: s3Error("AccessDenied") }, () => true);
    await expect(driver.stat(key)).rejects.toThrow();
    await expect(driver.remove(key)).rejects.toThrow();
    await expect(driver.removeStaging(newId())).rejects.toThrow();
    await expect(Array.fromAsync(driver.listStagings(() => true))).rejects.toThrow();
    const operations = ["stat", "delete", "delete_staging", "list"];
    expect(reported).toEqual(operations.map((operation) => `s3 ${operation} failed`));
  });
});
