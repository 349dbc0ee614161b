import { afterAll, describe, expect, test } from "bun:test";
import { systemClock } from "../../../lib/clock.ts";
import { bytesOf, driverContract, put, sha256 } from "../driver-contract.test-support.ts";
import { createS3Client } from "./client.ts";
import { parseEndpoint } from "./endpoint.ts";
import { listMultipartUploads } from "./multipart-uploads.ts";
import { createS3Driver } from "./s3.ts";

/** A real S3 server: see scripts/services. */
const url = process.env["WAYMARK_TEST_S3_URL"];
const bucket = process.env["WAYMARK_TEST_S3_BUCKET"] ?? "";
const accessKey = process.env["WAYMARK_TEST_S3_ACCESS_KEY"] ?? "";
const secretKey = process.env["WAYMARK_TEST_S3_SECRET_KEY"] ?? "";

const prefixes: string[] = [];
const newPrefix = (name: string): string => {
  const prefix = `test/${crypto.randomUUID()}/${name}`;
  prefixes.push(prefix);
  return prefix;
};

function openDriver(prefix: string) {
  const settings = {
    endpoint: parseEndpoint(url!),
    bucket,
    credentials: { accessKey, secretKey, region: "us-east-1" },
    clock: systemClock,
  };
  return { driver: createS3Driver({ ...settings, prefix }), client: createS3Client(settings) };
}

/** Another client, to inspect and change objects. */
const other = new Bun.S3Client({
  ...(url !== undefined && { endpoint: url }),
  bucket,
  accessKeyId: accessKey,
  secretAccessKey: secretKey,
});

async function namesBelow(prefix: string): Promise<string[]> {
  const names: string[] = [];
  let startAfter: string | undefined;
  for (;;) {
    const page = await other.list({ prefix: `${prefix}/`, ...(startAfter !== undefined && { startAfter }) });
    names.push(...(page.contents ?? []).map(({ key }) => key.slice(prefix.length + 1)));
    if (!page.isTruncated) break;
    startAfter = page.contents?.at(-1)?.key;
  }
  for await (const uploads of listMultipartUploads(openDriver(prefix).client, `${prefix}/`)) {
    names.push(...uploads.map(({ key }) => `unfinished:${key.slice(prefix.length + 1)}`));
  }
  return names.sort();
}

const when = url === undefined ? describe.skip : describe;

when(`an S3 server${url === undefined ? " (WAYMARK_TEST_S3_URL is not set)" : ""}`, () => {
  afterAll(async () => {
    for (const prefix of prefixes) {
      for (const name of await namesBelow(prefix)) await other.delete(`${prefix}/${name}`);
    }
  });

  for (const name of ["plain", "with space/ü+(&)'"]) {
    driverContract(`s3, prefix '${name}'`, async () => {
      const prefix = newPrefix(name);
      return {
        driver: openDriver(prefix).driver,
        reopen: async () => openDriver(prefix).driver,
        allNames: () => namesBelow(prefix),
        overwrite: async (key, bytes) => {
          await other.write(`${prefix}/${key}`, bytes);
        },
        largeBytes: 9 * 1024 * 1024 + 1,
        close: async () => {},
      };
    });
  }

  test("a presigned URL serves the object with its type and name, and nothing else", async () => {
    const { driver } = openDriver(newPrefix("presigned"));
    const bytes = bytesOf(5_000);
    const key = await put(driver, bytes);
    const expected = {
      contentType: "text/x-test",
      contentDisposition: `attachment; filename="a b.txt"; filename*=UTF-8''%C3%BC`,
      expiresSeconds: 60,
    };
    const address = (await driver.presign(key, expected))!;
    const response = await fetch(address);
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe(expected.contentType);
    expect(response.headers.get("content-disposition")).toBe(expected.contentDisposition);
    expect(sha256(await response.bytes())).toBe(sha256(bytes));
    expect(address).not.toContain(secretKey);
    expect((await fetch(address, { method: "PUT", body: "x" })).status).toBe(403);
    expect((await fetch(address.replace("a%20b", "a%20c"))).status).toBe(403);
  });

  test("the server refuses bytes that differ from the signed ones", async () => {
    const { client } = openDriver(newPrefix("signed"));
    const body = { bytes: new Uint8Array(10), sha256: sha256(bytesOf(10)) };
    const key = `${newPrefix("wrong")}/x`;
    const sending = client.head({ method: "PUT", key, body });
    expect(
      await sending.then(
        () => "taken",
        (error: Error) => error.name,
      ),
    ).toBe("StorageUnavailable");
    expect(await other.exists(key)).toBe(false);
  });

  test.each([
    [
      "another secret",
      { secretKey: "wrong" },
      /^The S3 endpoint refuses the policy's keys: .+ \(SignatureDoesNotMatch\)\.$/,
    ],
    [
      "another key",
      { accessKey: "wrong" },
      /^The S3 endpoint does not know the policy's keys: .+ \(InvalidAccessKeyId\)\.$/,
    ],
    [
      "no such bucket",
      { bucket: "waymark-no-such-bucket" },
      /^The policy's bucket does not exist: .+ \(NoSuchBucket\)\.$/,
    ],
  ])("%s is reported in a sentence", async (_name, wrong, sentence) => {
    const driver = createS3Driver({
      endpoint: parseEndpoint(url!),
      bucket,
      clock: systemClock,
      prefix: newPrefix("refused"),
      ...wrong,
      credentials: { accessKey, secretKey, region: "us-east-1", ...wrong },
    });
    const staging = await driver.stage(crypto.randomUUID());
    const failing = staging.finish({ sha256: "", generation: 1 });
    expect(
      await failing.then(
        () => "",
        (error: Error) => error.message,
      ),
    ).toMatch(sentence);
    expect(
      await driver.claim("x", true).then(
        () => "",
        (error: Error) => error.message,
      ),
    ).toMatch(sentence);
  });
});
