/** Resumable uploads with tus-js-client against the real program, on local storage and S3. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Readable } from "node:stream";
import { Upload } from "tus-js-client";
import { driveClient } from "./support/drive.ts";
import { type Client, startSignedIn } from "./support/session.ts";
import { createFolderOn, storagesFor } from "./support/storages.ts";
import type { Installation, RunningWaymark } from "./support/waymark.ts";

const MIB = 1024 * 1024;
const BYTES = Buffer.alloc(21 * MIB, "What is sent twice comes once. ");
const SHA256 = new Bun.CryptoHasher("sha256").update(BYTES).digest("hex");

let installation: Installation;
let server: RunningWaymark;
let client: Client;

beforeAll(async () => {
  ({ installation, server, client } = await startSignedIn());
});
afterAll(() => installation?.remove());

const files = (path: string, init: RequestInit = {}) =>
  fetch(server.url + path, {
    ...init,
    headers: {
      Authorization: `Bearer ${client.token}`,
      "Tus-Resumable": "1.0.0",
      ...(init.headers as Record<string, string>),
    },
  });

const encode = (text: string) => Buffer.from(text).toString("base64");

async function begin(name: string, length: number, more = ""): Promise<string> {
  const answer = await files("/files/tus", {
    method: "POST",
    headers: { "Upload-Length": String(length), "Upload-Metadata": `filename ${encode(name)}${more}` },
  });
  expect(answer.status).toBe(201);
  return answer.headers.get("Location")!;
}

const patch = (
  path: string,
  offset: number,
  body: RequestInit["body"],
  headers: Record<string, string> = {},
  signal: AbortSignal | null = null,
) =>
  files(path, {
    method: "PATCH",
    body: body ?? null,
    signal,
    headers: {
      "Content-Type": "application/offset+octet-stream",
      "Upload-Offset": String(offset),
      ...headers,
    },
  });

const offsetOf = async (path: string) =>
  Number((await files(path, { method: "HEAD" })).headers.get("Upload-Offset"));

async function settledOffset(path: string, least: number): Promise<number> {
  for (;;) {
    const offset = await offsetOf(path);
    if (offset >= least) return offset;
    await Bun.sleep(20);
  }
}

type Options = ConstructorParameters<typeof Upload>[1];

/** Sends with tus-js-client; `control` receives the running upload. */
function send(name: string, options: Options = {}, control?: (upload: Upload, sent: number) => void) {
  const { promise, resolve, reject } = Promise.withResolvers<{ id: string; url: string }>();
  const upload = new Upload(BYTES, {
    endpoint: `${server.url}/files/tus`,
    headers: { Authorization: `Bearer ${client.token}` },
    retryDelays: [0, 200, 500, 1_000, 2_000, 4_000, 8_000, 10_000, 10_000],
    onError: reject,
    onSuccess: ({ lastResponse }) =>
      resolve({ id: lastResponse.getHeader("X-File-Id") ?? "", url: upload.url! }),
    onProgress: (sent) => control?.(upload, sent),
    ...options,
    metadata: { filename: name, filetype: "text/plain", ...options.metadata },
  });
  upload.start();
  return { promise, upload };
}

async function expectStored(id: string, name: string, folderId: number | null): Promise<void> {
  const { data } = (await (await files(`/files/${id}`)).json()) as { data: unknown };
  expect(data).toMatchObject({
    name,
    folder_id: folderId,
    size: BYTES.length,
    sha256: SHA256,
    mime_type: "text/plain",
  });
  const content = new Uint8Array(await (await files(`/files/${id}/download`)).arrayBuffer());
  expect(new Bun.CryptoHasher("sha256").update(content).digest("hex")).toBe(SHA256);
}

async function expectNothingWrong(): Promise<void> {
  const { stdout, exitCode } = await installation.cli(["doctor", "--storage", "--json"]);
  expect({ exitCode, stdout }).toMatchObject({ exitCode: 0 });
}

const storages = storagesFor("tus");

describe.each(storages)("tus-js-client on %s", (storage, policy) => {
  let folder: number | null;
  let metadata: Record<string, string>;
  beforeAll(async () => {
    const me = driveClient(server.url, client.token);
    folder = policy === null ? null : await createFolderOn(me, storage, policy);
    metadata = folder === null ? {} : { folder_id: String(folder) };
  });

  test("uploads at once and in chunks", async () => {
    const once = await send("once.txt", { metadata }).promise;
    await expectStored(once.id, "once.txt", folder);
    const chunked = await send("chunked.txt", { metadata, chunkSize: 3 * MIB }).promise;
    await expectStored(chunked.id, "chunked.txt", folder);
    expect(
      (await files(once.url.slice(server.url.length), { method: "HEAD" })).headers.get("Upload-Offset"),
    ).toBe(String(BYTES.length));
  });

  test("uploads with the creation, and a stream whose size comes last", async () => {
    const early = await send("early.txt", { metadata, chunkSize: 8 * MIB, uploadDataDuringCreation: true })
      .promise;
    await expectStored(early.id, "early.txt", folder);
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    new Upload(Readable.from([BYTES], { objectMode: false }), {
      endpoint: `${server.url}/files/tus`,
      headers: { Authorization: `Bearer ${client.token}` },
      chunkSize: 8 * MIB,
      uploadLengthDeferred: true,
      metadata: { ...metadata, filename: "stream.txt", filetype: "text/plain" },
      onError: reject,
      onSuccess: ({ lastResponse }) => resolve(lastResponse.getHeader("X-File-Id") ?? ""),
    }).start();
    await expectStored(await promise, "stream.txt", folder);
  });

  test("continues after an interrupted connection", async () => {
    let path = "";
    const aborted = Promise.withResolvers<void>();
    const first = send("resumed.txt", { metadata, chunkSize: 8 * MIB }, (upload, sent) => {
      if (sent < 10 * MIB || path !== "") return;
      path = upload.url!.slice(server.url.length);
      void upload.abort().then(aborted.resolve, aborted.reject);
    });
    first.promise.catch(() => undefined);
    await aborted.promise;
    const kept = await settledOffset(path, 8 * MIB);
    expect(kept).toBeLessThan(BYTES.length);
    const { id } = await send("resumed.txt", { metadata, uploadUrl: server.url + path }).promise;
    await expectStored(id, "resumed.txt", folder);
  });

  test("terminates an upload", async () => {
    const path = await begin("ended.txt", 10, folder === null ? "" : `,folder_id ${encode(String(folder))}`);
    expect((await patch(path, 0, "hello")).status).toBe(204);
    await Upload.terminate(server.url + path, { headers: { Authorization: `Bearer ${client.token}` } });
    expect((await files(path, { method: "HEAD" })).status).toBe(404);
    await expectNothingWrong();
  });
});

describe("the protocol", () => {
  test("reports its extensions without login", async () => {
    for (const path of ["/files/tus", "/files/tus/anything"]) {
      const answer = await fetch(server.url + path, { method: "OPTIONS" });
      expect(answer.status).toBe(204);
      expect(Object.fromEntries(answer.headers)).toMatchObject({
        "tus-resumable": "1.0.0",
        "tus-version": "1.0.0",
        "tus-extension":
          "creation,creation-with-upload,creation-defer-length,expiration,checksum,termination",
        "tus-checksum-algorithm": "sha256,sha1,md5",
      });
      expect(answer.headers.get("Tus-Max-Size")).toBeNull();
    }
    expect((await fetch(`${server.url}/files/tus`, { method: "POST" })).status).toBe(401);
  });

  test("reports the offset of an upload", async () => {
    const path = await begin("state", 10, ",empty");
    const answer = await files(path, { method: "HEAD" });
    expect(answer.status).toBe(200);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      "tus-resumable": "1.0.0",
      "cache-control": "no-store",
      "upload-offset": "0",
      "upload-length": "10",
      "upload-metadata": `filename ${encode("state")},empty`,
    });
    const left = Date.parse(answer.headers.get("Upload-Expires")!) - Date.now();
    expect(left).toBeGreaterThan(23 * 3_600_000);
    const more = await patch(path, 0, "hello");
    expect([more.status, more.headers.get("Upload-Offset"), more.headers.get("X-File-Id")]).toEqual([
      204,
      "5",
      null,
    ]);
    expect(await offsetOf(path)).toBe(5);
    const last = await patch(path, 5, "world");
    expect([last.status, last.headers.get("Upload-Offset")]).toEqual([204, "10"]);
    const content = await files(`/files/${last.headers.get("X-File-Id")}/download`);
    expect(await content.text()).toBe("helloworld");
    expect((await patch(path, 10, "")).status).toBe(204);
    expect((await patch(path, 10, "x")).status).toBe(413);
    expect((await files(path, { method: "DELETE" })).status).toBe(204);
    expect((await files(path, { method: "HEAD" })).status).toBe(404);
    expect((await files(`/files/${last.headers.get("X-File-Id")}`)).status).toBe(200);
  });

  test("creates an empty file at once", async () => {
    const answer = await files("/files/tus", {
      method: "POST",
      headers: { "Upload-Length": "0", "Upload-Metadata": `filename ${encode("nothing")}` },
    });
    expect(answer.status).toBe(201);
    expect((await files(`/files/${answer.headers.get("X-File-Id")}`)).status).toBe(200);
    expect(await offsetOf(answer.headers.get("Location")!)).toBe(0);
    expect((await patch(answer.headers.get("Location")!, 0, "")).status).toBe(204);
  });

  test.each([
    ["2001-02-03T04:05:06.5Z", "2001-02-03T04:05:06.500Z"],
    ["981173106", "2001-02-03T04:05:06.000Z"],
    ["yesterday", null],
  ])("keeps the time %p of the content", async (given, expected) => {
    const metadata = `filename ${encode(given)},modified_at ${encode(given)}`;
    const answer = await files("/files/tus", {
      method: "POST",
      headers: { "Upload-Length": "0", "Upload-Metadata": metadata },
    });
    expect(answer.status).toBe(expected === null ? 400 : 201);
    if (expected === null) return expect(await answer.text()).toContain("modified_at must be a time");
    const found = await (await files(`/files/${answer.headers.get("X-File-Id")}`)).json();
    expect(found).toMatchObject({ data: { modified_at: expected } });
  });

  test("refuses an upload that cannot become a file", async () => {
    const taken = await begin("taken", 1);
    expect((await patch(taken, 0, "x")).status).toBe(204);
    const refused = async (headers: Record<string, string>) => {
      const answer = await files("/files/tus", { method: "POST", headers });
      expect(answer.headers.get("Tus-Resumable")).toBe("1.0.0");
      const { code, message } = (await answer.json()) as { code: number; message: string };
      lastMessage = message;
      return [answer.status, code];
    };
    let lastMessage = "";
    const named = (name: string, more = "") => ({
      "Upload-Length": "1",
      "Upload-Metadata": `filename ${encode(name)}${more}`,
    });
    expect(await refused(named("taken"))).toEqual([409, 7010]);
    expect(await refused(named("a/b"))).toEqual([400, 7020]);
    for (const metadata of [{}, { "Upload-Metadata": "name eA==" }, { "Upload-Metadata": "filename" }]) {
      expect(await refused({ "Upload-Length": "1", ...metadata })).toEqual([400, 7020]);
      expect(lastMessage).toBe("Send the file's name in Upload-Metadata, under the key `filename`.");
    }
    expect(await refused(named("x", `,folder_id ${encode("4711")}`))).toEqual([404, 7001]);
    expect(await refused(named("x", `,folder_id ${encode("root")}`))).toEqual([400, 1000]);
    expect(await refused(named("x", `,filename ${encode("y")}`))).toEqual([400, 1000]);
    expect(await refused({ ...named("x"), "Upload-Length": "-1" })).toEqual([400, 1000]);
    expect(await refused({ ...named("x"), "Upload-Length": "1e3" })).toEqual([400, 1000]);
    const part = { ...named("part"), "Upload-Length": "1", "Upload-Concat": "partial" };
    expect(await refused(part)).toEqual([400, 1000]);
    expect(await refused({ "Upload-Metadata": `filename ${encode("x")}` })).toEqual([400, 1000]);
    expect(await refused({ ...named("x"), "Upload-Metadata": "filename b\u00e4se" })).toEqual([400, 1000]);
    const wrongVersion = await files("/files/tus", {
      method: "POST",
      headers: { ...named("x"), "Tus-Resumable": "0.2.2" },
    });
    expect([wrongVersion.status, wrongVersion.headers.get("Tus-Version")]).toEqual([412, "1.0.0"]);
  });

  test("refuses bytes at a wrong offset or beyond the size", async () => {
    const path = await begin("strict", 10);
    expect((await patch(path, 3, "x")).status).toBe(409);
    expect((await patch(path, 0, "x", { "Content-Type": "text/plain" })).status).toBe(415);
    expect((await patch(path, 0, "x", { "Upload-Offset": "one" })).status).toBe(400);
    expect((await patch(path, 0, "x".repeat(11))).status).toBe(413);
    expect(await offsetOf(path)).toBe(0);
    for (const unknown of ["nothing", crypto.randomUUID(), path.slice(-36).toUpperCase()]) {
      expect((await patch(`/files/tus/${unknown}`, 0, "x")).status).toBe(404);
      expect((await files(`/files/tus/${unknown}`, { method: "HEAD" })).status).toBe(404);
      expect((await files(`/files/tus/${unknown}`, { method: "DELETE" })).status).toBe(404);
    }
    expect((await files(path, { method: "DELETE" })).status).toBe(204);
  });

  test.each(["sha1", "sha256", "md5"] as const)("checks %s", async (algorithm) => {
    const path = await begin(`checked by ${algorithm}`, 10);
    const digest = new Bun.CryptoHasher(algorithm).update("hello").digest("base64");
    const headers = { "Upload-Checksum": `${algorithm} ${digest}` };
    expect((await patch(path, 0, "hellO", headers)).status).toBe(460);
    expect(await offsetOf(path)).toBe(0);
    expect((await patch(path, 0, "hello", { "Upload-Checksum": `crc32 ${digest}` })).status).toBe(400);
    expect((await patch(path, 0, "hello", headers)).headers.get("Upload-Offset")).toBe("5");
    const last = await patch(path, 5, "hello", headers);
    expect(await (await files(`/files/${last.headers.get("X-File-Id")}/download`)).text()).toBe("hellohello");
  });

  test("accepts POST for clients that can send only POST", async () => {
    const path = await begin("overridden", 5);
    const override = (method: string, body?: string) =>
      files(path, {
        method: "POST",
        body: body ?? null,
        headers: {
          "X-HTTP-Method-Override": method,
          "Content-Type": "application/offset+octet-stream",
          "Upload-Offset": "0",
        },
      });
    expect((await override("PATCH", "hel")).headers.get("Upload-Offset")).toBe("3");
    expect((await override("PUT")).status).toBe(400);
    expect((await override("DELETE")).status).toBe(204);
    expect((await override("DELETE")).status).toBe(404);
  });

  /** Two requests that send some bytes and never end. Resolves when one is refused. */
  async function hang(path: string, offset: number, bytes: Uint8Array = new Uint8Array(MIB)) {
    const stop = new AbortController();
    const requests = [1, 2].map(() => {
      const body = new ReadableStream<Uint8Array>({
        start: (controller) => controller.enqueue(bytes),
        pull: () => new Promise(() => undefined),
      });
      return patch(path, offset, body, {}, stop.signal).catch(() => null);
    });
    const refused = await Promise.race(requests);
    return { status: refused?.status, end: () => stop.abort() };
  }

  test("lets one request at a time write, and keeps the bytes of a client that disconnected", async () => {
    const path = await begin("slow", 2 * MIB);
    const { status, end } = await hang(path, 0);
    expect(status).toBe(423);
    expect((await files(path, { method: "DELETE" })).status).toBe(423);
    expect((await patch(path, 0, "x")).status).toBe(423);
    end();
    const kept = await settledOffset(path, 1);
    expect((await patch(path, kept, new Uint8Array(2 * MIB - kept))).status).toBe(204);
    await expectNothingWrong();
  });

  async function restart(): Promise<void> {
    const { port } = new URL(server.url);
    await server.kill();
    server = await installation.serve({ WAYMARK__SERVER__PORT: port });
  }

  test("continues when the lock of a killed server expires, whatever bytes the storage has", async () => {
    const [storage, policy] = storages.at(-1)!;
    const me = driveClient(server.url, client.token);
    const folder = await createFolderOn(me, "crash", policy && { ...policy, name: "crash" });
    const place = `,folder_id ${encode(String(folder))}`;
    const path = await begin(`${storage}.txt`, BYTES.length, `,filetype ${encode("text/plain")}${place}`);
    expect((await patch(path, 0, BYTES.subarray(0, 5 * MIB))).status).toBe(204);
    const rest = BYTES.subarray(5 * MIB, 20 * MIB);
    expect((await hang(path, 5 * MIB, rest)).status).toBe(423);
    // Gives the storage time to take some bytes; the test holds without any, too.
    await Bun.sleep(500);
    await restart();
    expect(await offsetOf(path)).toBe(5 * MIB);
    const { id } = await send(`${storage}.txt`, { uploadUrl: server.url + path }).promise;
    await expectStored(id, `${storage}.txt`, folder);
    await expectNothingWrong();
  });

  test("continues by itself after the server was killed", async () => {
    const sent = Promise.withResolvers<void>();
    const { promise } = send("restarted.txt", { chunkSize: 5 * MIB }, (_upload, bytes) => {
      if (bytes > 11 * MIB) sent.resolve();
    });
    await sent.promise;
    await restart();
    const { id, url } = await promise;
    await expectStored(id, "restarted.txt", null);
    expect(await offsetOf(url.slice(server.url.length))).toBe(BYTES.length);
    await expectNothingWrong();
  });
});
