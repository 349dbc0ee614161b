/** Large answers: whole, ranges, streams, and clients that stop reading or leave. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { startSignedIn } from "../support/session.ts";
import { until } from "../support/until.ts";
import {
  memoryOf,
  openFilesOf,
  request,
  startOnWire,
  TARGET,
  VISIT,
  type WireInstance,
} from "../support/wire-instance.ts";
import type { Wire } from "../support/wire.ts";

const SMALL = Buffer.from(Array.from({ length: 2_000 }, (_, i) => `line ${i}\n`).join(""));
const LARGE = Buffer.alloc(50_000_000);
for (let at = 0; at < LARGE.length; at += 4) LARGE.writeUInt32LE(at, at);
const sha256 = (bytes: Uint8Array) => new Bun.CryptoHasher("sha256").update(bytes).digest("hex");

let here: WireInstance;
let small: string;
let large: string;
let archive: string;
beforeAll(async () => {
  here = await startOnWire(await startSignedIn());
  const folder = await here.me.folder("some");
  const upload = async (name: string, content: Buffer<ArrayBuffer>, where?: string) => {
    const made = await here.me.upload(name, content, { type: "text/plain", ...(where && { folder: where }) });
    return `/files/${made.body.data.id}/download`;
  };
  small = await upload("small.txt", SMALL, String(folder));
  await upload("part.bin", LARGE.subarray(0, 20_000_000), String(folder));
  large = await upload("large.bin", LARGE);
  archive = `/folders/${folder}/archive`;
});
afterAll(() => here.installation.remove());

const get = (path: string, fields = "", method = "GET") => request(path, here.auth + fields, method);
const isServed = async () => {
  const wire = here.open();
  wire.send(VISIT);
  expect((await wire.answer()).headers.get("location")).toBe(TARGET);
  wire.hangUp();
};

describe("ranges on one connection", () => {
  const last = SMALL.length - 1;
  const RANGES: [range: string, status: number, from: number, to: number][] = [
    ["bytes=0-0", 206, 0, 0],
    ["bytes=100-199", 206, 100, 199],
    ["bytes=100-", 206, 100, last],
    ["bytes=-100", 206, last - 99, last],
    ["bytes=0-99999999", 206, 0, last],
    ["bytes=0-1,5-6", 200, 0, last],
    ["bytes=5-2", 200, 0, last],
    ["lines=0-1", 200, 0, last],
    ['bytes=0-1\r\nIf-Range: "other"', 200, 0, last],
  ];

  test("have their length and their bytes, and HEAD has the head of the whole", async () => {
    const wire = here.open();
    for (const [range, status, from, to] of RANGES) {
      for (const method of ["GET", "HEAD"]) {
        wire.send(get(small, `Range: ${range}\r\n`, method));
        const { headers, body, ...answer } = await wire.answer(method);
        const isPart = status === 206 && method === "GET";
        expect([range, answer.status, headers.get("content-length")]).toEqual([
          range,
          isPart ? 206 : 200,
          String(isPart ? to - from + 1 : SMALL.length),
        ]);
        expect(headers.get("content-range")).toBe(isPart ? `bytes ${from}-${to}/${SMALL.length}` : undefined);
        if (method === "GET") expect(body.equals(SMALL.subarray(from, to + 1))).toBe(true);
      }
    }
    wire.hangUp();
  });

  test("that can't be satisfied are 416, and the next request is answered", async () => {
    const wire = here.open();
    for (const range of ["bytes=99999999-", "bytes=-0"]) {
      wire.send(get(small, `Range: ${range}\r\n`));
      const { status, headers } = await wire.answer();
      expect([status, headers.get("content-range")]).toEqual([416, `bytes */${SMALL.length}`]);
    }
    wire.send(VISIT);
    expect((await wire.answer()).status).toBe(307);
    wire.hangUp();
  });

  test("of a large file are exact", async () => {
    for (const [from, to] of [
      [0, 2_000_000],
      [49_000_000, 49_999_999],
      [1_048_575, 3_145_729],
    ] as const) {
      const wire = here.open();
      wire.send(get(large, `Range: bytes=${from}-${to}\r\n`));
      const { status, headers, body } = await wire.answer();
      expect([status, headers.get("content-length")]).toEqual([206, String(to - from + 1)]);
      expect(body.equals(LARGE.subarray(from, to + 1))).toBe(true);
      wire.hangUp();
    }
  });
});

describe("an answer without a body", () => {
  test.each([
    ["204", () => get("/health/live"), "GET", 204],
    ["204 to OPTIONS", () => get("/admin/v1/links", "", "OPTIONS"), "OPTIONS", 204],
    ["304", () => get(small, "If-None-Match: *\r\n"), "GET", 304],
    ["304 of a large file", () => get(large, "If-None-Match: *\r\n"), "GET", 304],
    ["HEAD of a large file", () => get(large, "", "HEAD"), "HEAD", 200],
    ["HEAD of an archive", () => get(archive, "", "HEAD"), "HEAD", 200],
    ["HEAD of an error", () => get("/files/0/download", "", "HEAD"), "HEAD", 404],
    ["HEAD of an export", () => get("/admin/v1/links/export", "", "HEAD"), "HEAD", 200],
  ] as const)("(%s) is followed by the next answer at once", async (_what, bytes, method, status) => {
    const wire = here.open();
    for (let round = 0; round < 3; round++) {
      wire.send(bytes());
      const answer = await wire.answer(method);
      expect(answer.status).toBe(status);
      if (status === 204)
        expect([...answer.headers.keys()].join()).not.toMatch(/content-length|transfer-enc/);
      wire.send(VISIT);
      expect((await wire.answer()).status).toBe(307);
    }
    wire.hangUp();
  });

  test("HEAD says the length that GET has", async () => {
    for (const path of [small, large, archive]) {
      const [head, wire] = [here.open(), here.open()];
      head.send(get(path, "", "HEAD"));
      wire.send(get(path));
      const length = Number((await head.answer("HEAD")).headers.get("content-length"));
      const answer = await wire.answer();
      expect([path, length]).toEqual([path, answer.body.length]);
      expect(Number(answer.headers.get("content-length"))).toBe(length);
      head.hangUp();
      wire.hangUp();
    }
  });
});

test("an archive is whole", async () => {
  const wire = here.open();
  wire.send(get(archive));
  const { body } = await wire.answer();
  expect(body.subarray(0, 4).toString("latin1")).toBe("PK\x03\x04");
  const at = body.indexOf(LARGE.subarray(0, 1_000));
  expect(sha256(body.subarray(at, at + 20_000_000))).toBe(sha256(LARGE.subarray(0, 20_000_000)));
  wire.hangUp();
});

test("an answer of HTTP/1.0 ends with its connection", async () => {
  for (const path of [small, large, archive, "/admin/v1/openapi.json", "/admin/v1/links/export"]) {
    const wire = here.open();
    wire.send(`GET ${path} HTTP/1.0\r\n${here.auth}\r\n`);
    const answer = await wire.answer();
    expect([path, answer.status]).toEqual([path, 200]);
    expect(await wire.closed()).toBe("");
    wire.hangUp();
  }
});

describe("clients that stop reading", () => {
  test("cost no memory, hold up nobody, and get everything in the end", async () => {
    const hashes = Array.from({ length: 5 }, () => new Bun.CryptoHasher("sha256"));
    const before = memoryOf(here.server);
    const open = openFilesOf(here.server);
    const wires = hashes.map(() => here.open());
    for (const wire of wires) {
      wire.send(get(large));
      await wire.shows("\r\n\r\n");
      wire.socket.pause();
    }
    await until(() => openFilesOf(here.server) >= open + wires.length);
    for (let round = 0; round < 50; round++) await isServed();
    expect(memoryOf(here.server) - before).toBeLessThan(100);
    for (const wire of wires) wire.socket.resume();
    for (const [at, wire] of wires.entries()) {
      const { headers, body } = await wire.answer();
      expect(headers.get("content-length")).toBe(String(LARGE.length));
      hashes[at]!.update(body);
      wire.hangUp();
    }
    expect(new Set(hashes.map((hash) => hash.digest("hex")))).toEqual(new Set([sha256(LARGE)]));
    expect(memoryOf(here.server) - before).toBeLessThan(100);
  });

  test("of an archive get everything too", async () => {
    const wire = here.open();
    wire.send(get(archive));
    await wire.shows("\r\n\r\n");
    for (let round = 0; round < 5; round++) {
      wire.socket.pause();
      await isServed();
      wire.socket.resume();
      await wire.receives(wire.received() + 100_000);
    }
    const { headers, body } = await wire.answer();
    expect(body.length).toBe(Number(headers.get("content-length")));
    wire.hangUp();
  });
});

describe("clients that leave in the middle", () => {
  test.each([
    ["a download", () => get(large)],
    ["an archive", () => get(archive)],
  ])("of %s leave nothing open", async (_what, bytes) => {
    const open = openFilesOf(here.server);
    const wires: Wire[] = Array.from({ length: 10 }, () => here.open());
    for (const wire of wires) wire.send(bytes());
    await Promise.all(wires.map((wire, at) => wire.receives(1_000 + at * 200_000)));
    expect(openFilesOf(here.server)).toBeGreaterThan(open);
    for (const wire of wires) wire.hangUp();
    await until(() => openFilesOf(here.server) <= open + 2);
    await isServed();
  });
});

describe("server-sent events", () => {
  test("start at once, and come while the connection is open", async () => {
    const wire = here.open();
    wire.send(get("/admin/v1/analytics/live"));
    await wire.shows("\r\n\r\n");
    await wire.shows("event: clicks");
    await isServed();
    await wire.shows('"a/b"');
    wire.hangUp();
  });

  test("end when the client leaves", async () => {
    const open = openFilesOf(here.server);
    const wires = Array.from({ length: 5 }, () => here.open());
    for (const wire of wires) wire.send(get("/folders/live"));
    for (const wire of wires) await wire.shows("text/event-stream");
    for (const wire of wires) wire.hangUp();
    await until(() => openFilesOf(here.server) <= open + 1);
  });
});

test("nothing was logged as an error", () => {
  expect(here.server.log()).not.toContain('"level":"error"');
});
