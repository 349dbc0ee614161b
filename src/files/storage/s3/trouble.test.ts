/** Slow, cut, lost, wrong and redirecting responses, which a real server does not send on request. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { systemClock } from "../../../lib/clock.ts";
import type { ErrorName } from "../../../lib/errors.ts";
import {
  bytesOf,
  contentOf,
  expectUnavailable,
  inChunks,
  newId,
  put,
  readAll,
  sha256,
} from "../driver-contract.test-support.ts";
import type { Driver } from "../driver.ts";
import { type StubRequest, type S3Stub, s3Error, startS3Stub } from "./stub.test-support.ts";
import { parseEndpoint, type ResolveHost } from "./endpoint.ts";
import { createS3Driver } from "./s3.ts";

const LARGE = 17 * 1024 * 1024;
const large = bytesOf(LARGE);
const small = bytesOf(200_000);

let stub: S3Stub;
let driver: Driver;
beforeAll(async () => {
  stub = await startS3Stub();
  driver = open();
});
beforeEach(() => stub.behave());
afterAll(() => stub.close());

type Options = { host?: string; resolve?: ResolveHost; patienceMs?: number };

function open({ host = "127.0.0.1", resolve, patienceMs = 1_000 }: Options = {}): Driver {
  return createS3Driver({
    endpoint: parseEndpoint(`http://${host}:${stub.port}`),
    bucket: "bucket",
    credentials: { accessKey: "key", secretKey: "secret", region: "us-east-1" },
    clock: systemClock,
    prefix: "",
    pace: {
      responseMs: patienceMs,
      bytesPerSecond: 1e9,
      completeMs: patienceMs,
      stallMs: patienceMs,
      pauseMs: 1,
    },
    ...(resolve && { resolve }),
  });
}

const isPut = ({ method, query }: StubRequest) => method === "PUT" && !query.has("partNumber");
const isPart = ({ query }: StubRequest) => query.has("partNumber");
const isFirstPart = ({ query }: StubRequest) => query.get("partNumber") === "1";
const isComplete = ({ method, query }: StubRequest) => method === "POST" && query.has("uploadId");
const isBegin = ({ method, query }: StubRequest) => method === "POST" && query.has("uploads");
const isGet = ({ method, key }: StubRequest) => method === "GET" && key !== "";

async function expectStored(bytes: Uint8Array, by = driver): Promise<void> {
  const key = await put(by, bytes);
  expect(sha256(stub.objects.get(key)!.bytes)).toBe(sha256(bytes));
}

/** The upload fails, and nothing of it remains after `abort`. */
async function expectNothing(bytes: Uint8Array, by = driver, name?: ErrorName): Promise<string> {
  const staging = await by.stage(newId());
  const storing = staging.append(inChunks(bytes)).then(() => staging.finish(contentOf(bytes)));
  const { message } = await expectUnavailable(storing, name);
  await staging.abort();
  expect([...stub.objects.keys()]).toEqual([]);
  expect(stub.uploads.size).toBe(0);
  return message;
}

const failureOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => "no failure",
    (error: unknown) => error,
  );

describe("a short failure is retried:", () => {
  const troubles = [
    ["SlowDown", { status: 503, body: s3Error("SlowDown") }],
    ["an internal error", { status: 500, body: s3Error("InternalError") }],
    ["a gateway's page", { status: 502, body: "<html>bad gateway</html>" }],
    ["too many requests", { status: 429 }],
    ["no response", "silence"],
    ["a lost response", "lost"],
  ] as const;

  test.each(troubles)("%s to a small upload", async (_name, trouble) => {
    stub.misbehave(trouble, isPut, 2);
    await expectStored(small, trouble === "silence" ? open({ patienceMs: 200 }) : driver);
  });

  test.each(troubles)("%s to each step of a large upload", async (_name, trouble) => {
    for (const step of [isBegin, isPart, isComplete]) stub.misbehave(trouble, step, 2);
    await expectStored(large, trouble === "silence" ? open({ patienceMs: 1_500 }) : driver);
  });

  test("an error inside a 200 when the parts are combined", async () => {
    stub.misbehave({ status: 200, body: s3Error("InternalError") }, isComplete, 2);
    await expectStored(large);
  });
});

describe("a lasting failure leaves nothing after a bounded number of attempts:", () => {
  test.each([
    ["SlowDown", { status: 503, body: s3Error("SlowDown") }, 4, "overloaded"],
    ["silence", "silence", 4, "in time"],
    ["a full storage", { status: 507, body: s3Error("QuotaExceeded") }, 1, "full"],
    ["a used up quota", { status: 403, body: s3Error("QuotaExceeded") }, 1, "full"],
    ["a refusal", { status: 403, body: s3Error("AccessDenied") }, 1, "keys"],
    ["an error inside a 200", { status: 200, body: s3Error("InternalError") }, 4, "InternalError"],
  ] as const)(
    "%s",
    async (_name, trouble, tries, sentence) => {
      const failure = sentence === "full" ? "InsufficientStorage" : "StorageUnavailable";
      const by = trouble === "silence" ? open({ patienceMs: 1_500 }) : driver;
      stub.misbehave(trouble, isComplete);
      expect(await expectNothing(large, by, failure)).toContain(sentence);
      expect(stub.requests.filter(isComplete).length).toBe(tries);
      // Responses to parts and small uploads have no error in the body.
      if (typeof trouble === "object" && trouble.status === 200) return;
      for (const [step, bytes] of [
        [isPut, small],
        [isBegin, large],
        [isFirstPart, large],
      ] as const) {
        stub.behave();
        stub.misbehave(trouble, step);
        expect(await expectNothing(bytes, by, failure)).toContain(sentence);
        expect(stub.requests.filter(step).length).toBe(tries);
      }
    },
    30_000,
  );

  test("an endpoint that forgets a part", async () => {
    stub.misbehave({ status: 200, headers: { ETag: '"x"' } }, ({ query }) => query.get("partNumber") === "2");
    expect(await expectNothing(large)).toContain("whole file");
  });

  test("something in between that says yes to everything", async () => {
    stub.misbehave({ status: 200, body: "<html>Sign in</html>" }, isPut);
    expect(await expectNothing(small)).toContain("invalid");
  });

  test("a closed port", async () => {
    const nobody = createS3Driver({
      endpoint: parseEndpoint("http://127.0.0.1:1"),
      bucket: "bucket",
      credentials: { accessKey: "key", secretKey: "secret", region: "us-east-1" },
      clock: systemClock,
      prefix: "",
      pace: { pauseMs: 1 },
    });
    const { message } = await expectUnavailable(put(nobody, small));
    expect(message).toContain("nothing accepts connections there");
  });
});

test("a multipart upload that a lost response started twice is found by its id and removed", async () => {
  stub.misbehave("lost", isBegin, 1);
  await expectStored(large);
  const found = (await Array.fromAsync(driver.listStagings(() => true))).flat();
  expect(found.length).toBe(1);
  await driver.removeStaging(found[0]!.id);
  expect(stub.uploads.size).toBe(0);
  expect(stub.objects.size).toBe(1);
});

test("a list of stagings skips one that ends meanwhile", async () => {
  for (const id of [newId(), newId()]) await (await driver.stage(id)).append(inChunks(large));
  const gone = { status: 404, body: s3Error("NoSuchUpload") };
  stub.misbehave(gone, ({ query }) => query.has("max-parts"), 1);
  const found = (await Array.fromAsync(driver.listStagings(() => true))).flat();
  expect(found.length).toBe(1);
  await driver.removeStaging(found[0]!.id);
});

test("a part that fails while the next one arrives leaves no gap", async () => {
  const id = newId();
  const kept = 12_000_000;
  const first = await driver.stage(id);
  await first.append(inChunks(large.subarray(0, kept)));
  await first.suspend();
  const refused = { status: 403, body: s3Error("AccessDenied") };
  stub.misbehave(refused, ({ query }) => query.get("partNumber") === "3", 1);
  const second = await driver.resume(id, kept);
  await second.append(inChunks(large)).catch(() => undefined);
  await expectUnavailable(second.suspend());
  expect([...[...stub.uploads.values()][0]!.parts.keys()]).toContain(4);
  const third = await driver.resume(id, kept);
  expect(third.received).toBe(kept);
  await third.append(inChunks(large.subarray(kept)));
  const key = await third.finish(contentOf(large));
  expect(sha256(stub.objects.get(key)!.bytes)).toBe(sha256(large));
});

test("redirects are not followed", async () => {
  const elsewhere = await startS3Stub();
  const location = `http://127.0.0.1:${elsewhere.port}/bucket/x`;
  for (const status of [301, 302, 303, 307, 308]) {
    stub.behave();
    stub.misbehave({ status, headers: { Location: location } }, () => true);
    const { message } = await expectUnavailable(put(driver, small));
    expect(message).toContain("redirects");
    await expectUnavailable(driver.open("ab/cd/x", { size: 5 }));
    await expectUnavailable(driver.stat("ab/cd/x"));
  }
  expect(elsewhere.requests).toEqual([]);
  elsewhere.close();
});

describe("a read", () => {
  const size = large.length;

  test.each([
    ["cut", 1_000],
    ["stall", 200],
  ] as const)("that suffers a %s continues at the next byte", async (trouble, patienceMs) => {
    const reader = open({ patienceMs });
    const key = await put(driver, large);
    stub.misbehave(trouble, isGet, 3);
    expect(sha256(await readAll(await reader.open(key, { size })))).toBe(sha256(large));
    const range = { start: 1_000_001, end: 9_000_000 };
    stub.misbehave(trouble, isGet, 3);
    const part = await readAll(await reader.open(key, { size, range }));
    expect(sha256(part)).toBe(sha256(large.slice(range.start, range.end + 1)));
  });

  test("may come without its length", async () => {
    const key = await put(driver, large);
    const text = "x".repeat(LARGE);
    const chunked = { status: 200, body: text, headers: { ETag: '"x"', "Transfer-Encoding": "chunked" } };
    stub.misbehave(chunked, isGet, 1);
    stub.requests.length = 0;
    expect(sha256(await readAll(await open().open(key, { size })))).toBe(sha256(Buffer.from(text)));
    expect(stub.requests.filter(isGet).length).toBe(1);
  });

  test("may pause for longer than the stall limit, which still applies afterwards", async () => {
    const key = await put(driver, large);
    stub.misbehave("stall", isGet, 1);
    stub.requests.length = 0;
    const body = (await open({ patienceMs: 100 }).open(key, { size })) as ReadableStream<Uint8Array>;
    const reader = body.getReader();
    const chunks = [(await reader.read()).value!];
    await Bun.sleep(300);
    expect(stub.requests.filter(isGet).length).toBe(1);
    for (let next = await reader.read(); !next.done; next = await reader.read()) chunks.push(next.value);
    expect(sha256(Buffer.concat(chunks))).toBe(sha256(large));
    expect(stub.requests.filter(isGet).length).toBe(2);
  });

  test("that is cut each time fails", async () => {
    const key = await put(driver, large);
    stub.misbehave("cut", isGet);
    expect(await failureOf(readAll(await driver.open(key, { size })))).toBeInstanceOf(Error);
    expect(stub.requests.filter(isGet).length).toBe(6);
  });

  test("never mixes two versions of an object", async () => {
    const key = await put(driver, large);
    stub.misbehave("cut", isGet, 1);
    const body = await driver.open(key, { size });
    stub.objects.set(key, { bytes: new Uint8Array(size), etag: '"other"' });
    expect(await failureOf(readAll(body))).toBeInstanceOf(Error);
  });

  test.each([
    ["ignores the range", { status: 200, body: "x".repeat(100) }],
    [
      "sends another range",
      { status: 206, body: "x".repeat(10), headers: { "Content-Range": "bytes 10-19/100" } },
    ],
    [
      "gives another size",
      { status: 206, body: "x".repeat(10), headers: { "Content-Range": "bytes 0-9/99" } },
    ],
    [
      "sends less",
      {
        status: 206,
        body: "x".repeat(9),
        headers: { "Content-Range": "bytes 0-9/100", "Content-Length": "9" },
      },
    ],
  ])("is refused when the endpoint %s", async (_name, trouble) => {
    const key = await put(driver, bytesOf(100));
    stub.misbehave(trouble, isGet);
    await expectUnavailable(driver.open(key, { size: 100, range: { start: 0, end: 9 } }));
  });

  test("ends with the caller's abort reason", async () => {
    stub.misbehave("silence", isGet);
    const gone = new Error("the client went away");
    const opening = driver.open("ab/cd/x", { size: 5, signal: AbortSignal.abort(gone) });
    expect(await opening.catch((error: unknown) => error)).toBe(gone);
  });
});

test.each([
  ["that does not end", "x".repeat(9 * 1024 * 1024)],
  ["that can't be continued", "<ListBucketResult><IsTruncated>true</IsTruncated></ListBucketResult>"],
])("a list %s is refused", async (_name, body) => {
  stub.misbehave({ status: 200, body }, ({ query }) => query.has("list-type"));
  await expectUnavailable(Array.fromAsync(driver.listObjects()));
});

describe("a name", () => {
  test("is resolved once for each connection, and http goes to the address that was checked", async () => {
    const named = open({ host: "s3.example.test", resolve: async () => ["127.0.0.1"] });
    await put(named, small);
    expect(stub.requests[0]!.headers.host).toBe(`s3.example.test:${stub.port}`);
  });

  test.each([
    [["169.254.169.254"]],
    [["127.0.0.1", "169.254.169.254"]],
    [["::ffff:169.254.169.254"]],
    [["fd00:ec2::254"]],
    [["fe80::1%eth0"]],
  ])("that resolves to %j is not connected to", async (addresses) => {
    const named = open({ host: "s3.example.test", resolve: async () => addresses });
    const { message } = await expectUnavailable(put(named, small));
    expect(message).toBe("The S3 endpoint is not allowed.");
    expect(stub.requests).toEqual([]);
  });

  test("that does not resolve is reported in a sentence", async () => {
    const nowhere = open({ host: "nowhere.test", resolve: () => Promise.reject(new Error("ENOTFOUND")) });
    const { message } = await expectUnavailable(put(nowhere, small));
    expect(message).toContain("DNS has no address");
  });
});
