/** Every refusal of an endpoint is a sentence that names it and says what to do, and nothing secret. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer as createHttpServer } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { type AddressInfo, createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "../../../lib/clock.ts";
import type { AppError } from "../../../lib/errors.ts";
import { parseEndpoint } from "./endpoint.ts";
import { createS3Driver } from "./s3.ts";
import { type S3Stub, s3Error, startS3Stub } from "./stub.test-support.ts";

const SECRETS = ["key-of-the-test", "secret-of-the-test"] as const;

const claimAt = async (endpoint: string): Promise<AppError> => {
  const driver = createS3Driver({
    endpoint: parseEndpoint(endpoint),
    bucket: "bucket",
    credentials: { accessKey: SECRETS[0], secretKey: SECRETS[1], region: "us-east-1" },
    clock: systemClock,
    prefix: "",
    pace: { responseMs: 300, pauseMs: 1 },
  });
  const error = await driver.claim("x", true).then(
    () => null,
    (thrown: AppError) => thrown,
  );
  for (const secret of SECRETS) expect(error!.message).not.toContain(secret);
  return error!;
};

describe("a response", () => {
  let stub: S3Stub;
  beforeAll(async () => {
    stub = await startS3Stub();
  });
  afterEach(() => stub.behave());
  afterAll(() => stub.close());

  const refusalOf = async (status: number, body = "", headers: Record<string, string> = {}) => {
    stub.misbehave({ status, body, headers }, () => true);
    return claimAt(`http://127.0.0.1:${stub.port}`);
  };
  const withSecrets = (code: string) =>
    s3Error(code)
      .replace("told to", SECRETS[1])
      .replace("</Error>", `<AWSAccessKeyId>${SECRETS[0]}</AWSAccessKeyId></Error>`);

  test.each([
    [403, "AccessDenied", "allow them GetObject"],
    [403, "InvalidAccessKeyId", "set access_key and secret_key"],
    [403, "SignatureDoesNotMatch", "set access_key and secret_key"],
    [403, "RequestTimeTooSkewed", "synchronize both"],
    [400, "ExpiredToken", "set access_key and secret_key"],
    [403, "InvalidToken", "set access_key and secret_key"],
    [403, "AccountProblem", "Ask its operator"],
    [403, "AllAccessDisabled", "Ask its operator"],
    [404, "NoSuchBucket", "create it"],
    [400, "InvalidBucketName", "existing one"],
    [400, "AuthorizationHeaderMalformed", "set the policy's region"],
    [400, "IllegalLocationConstraintException", "set the policy's region"],
    [301, "PermanentRedirect", "set the policy's region"],
    [500, "InternalError", "Try again later"],
    [501, "NotImplemented", "Use another one"],
    [405, "MethodNotAllowed", "Check the policy's endpoint"],
    [403, "InvalidObjectState", "Restore it"],
    [400, "SomethingNew", "documentation"],
  ])("%p %s", async (status, code, advice) => {
    const { name, message } = await refusalOf(status, withSecrets(code));
    expect([name, message]).toEqual(["StorageUnavailable", expect.stringContaining(advice)]);
    expect(message).toContain(code);
    expect(message).toEndWith(".");
  });

  test.each([
    [503, "SlowDown"],
    [503, "ServiceUnavailable"],
    [429, "TooManyRequests"],
  ])("%p %s is an overload", async (status, code) => {
    expect((await refusalOf(status, withSecrets(code))).message).toContain("overloaded");
  });

  test.each([
    [507, "QuotaExceeded"],
    [403, "QuotaExceeded"],
    [400, "XMinioStorageFull"],
    [507, "Unknown"],
  ])("%p %s is a full storage", async (status, code) => {
    expect((await refusalOf(status, withSecrets(code))).name).toBe("InsufficientStorage");
  });

  test.each([
    [403, "allow them GetObject"],
    [301, "use the endpoint of the bucket's own region"],
    [429, "overloaded"],
    [400, "Check that the policy's endpoint is an S3 server"],
  ])("%p without a text is named by its status", async (status, advice) => {
    expect((await refusalOf(status)).message).toContain(advice);
    stub.behave();
    expect((await refusalOf(status, "<html>A page</html>")).message).toContain(advice);
  });

  test("the bucket's region is named if the endpoint says it, and nothing else from there is", async () => {
    const header = { "x-amz-bucket-region": "eu-central-1" };
    expect((await refusalOf(301, "", header)).message).toContain("that of the bucket, eu-central-1");
    stub.behave();
    const text = (region: string) =>
      s3Error("AuthorizationHeaderMalformed").replace("</Error>", `<Region>${region}</Region></Error>`);
    expect((await refusalOf(400, text("eu-west-1"))).message).toContain("that of the bucket, eu-west-1");
    stub.behave();
    expect((await refusalOf(400, text("&lt;b&gt;"))).message).toContain("that of the bucket (Auth");
    stub.behave();
    expect((await refusalOf(400, s3Error("<b>what</b>"))).message).toContain("invalid response");
  });
});

describe("no response:", () => {
  const folder = mkdtempSync(join(tmpdir(), "waymark-s3-"));
  const servers: Server[] = [];
  afterAll(() => {
    for (const server of servers) server.close();
    rmSync(folder, { recursive: true });
  });
  async function portOf(server: Server): Promise<number> {
    const listening = Promise.withResolvers<void>();
    server.listen(0, "127.0.0.1", listening.resolve);
    await listening.promise;
    servers.push(server);
    return (server.address() as AddressInfo).port;
  }

  test("each reason has its own sentence", async () => {
    const [key, cert] = [join(folder, "key.pem"), join(folder, "cert.pem")];
    const made = `openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=s3.test -keyout ${key} -out ${cert}`;
    Bun.spawnSync(made.split(" "), { stderr: "ignore" });
    const tls = createTlsServer({ key: readFileSync(key), cert: readFileSync(cert) });
    const plain = createHttpServer((_, response) => void response.end());
    const cutting = createServer((socket) => void socket.destroy());
    const silent = createServer(() => {});
    const ports = await Promise.all([tls, plain, cutting, silent].map(portOf));
    const [ofTls, ofPlain, ofCutting, ofSilent] = ports;
    for (const [endpoint, advice] of [
      [`https://127.0.0.1:${ofTls}`, "certificate of the S3 endpoint is not trusted"],
      [`https://127.0.0.1:${ofPlain}`, "begins with http://"],
      [`http://127.0.0.1:${ofTls}`, "begins with https://"],
      [`http://127.0.0.1:${ofCutting}`, "closes connections"],
      [`http://127.0.0.1:${ofSilent}`, "in time"],
      ["http://127.0.0.1:1", "nothing accepts connections there"],
      ["https://s3.invalid", "DNS has no address"],
    ] as const)
      expect([endpoint, (await claimAt(endpoint)).message]).toEqual([
        endpoint,
        expect.stringContaining(advice),
      ]);
  });
});
