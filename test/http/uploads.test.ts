/** Large requests: read, refused before they are read, stopped and given up. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { FORM_TYPE, fileHead, formOf } from "../support/drive.ts";
import { startShared } from "../support/shared-server.ts";
import { until } from "../support/until.ts";
import {
  codeIn,
  openFilesOf,
  post,
  request,
  startOnWire,
  storedBytes,
  TARGET,
  VISIT,
  type WireInstance,
} from "../support/wire-instance.ts";

const CONTENT = "0123456789abcde\n".repeat(320 * 1024);
let forms = 0;
/** With a name that no other has. */
const newForm = () => formOf([fileHead(`${String(++forms).padStart(6, "0")}.txt`), CONTENT]);
const FORM = newForm();
const SHA256 = new Bun.CryptoHasher("sha256").update(CONTENT).digest("hex");
const LENGTH = `Content-Length: ${FORM.length}\r\n`;
const TYPE = `Content-Type: ${FORM_TYPE}\r\n`;

let here: WireInstance;
beforeAll(async () => {
  here = await startOnWire(await startShared());
});
afterAll(() => here.installation.remove());

const upload = (framing: string, auth = here.auth) => request("/files/upload", auth + TYPE + framing, "POST");
const storedHash = ({ body }: { body: Buffer }): string => JSON.parse(body.toString()).data?.sha256;

function* pieces(form: Buffer, size: number): Generator<Buffer> {
  for (let at = 0; at < form.length; at += size) yield form.subarray(at, at + size);
}

describe("an upload of 5 MB", () => {
  test("with a length is stored, and the connection lives on", async () => {
    const wire = here.open();
    for (let round = 0; round < 2; round++) {
      wire.send(upload(LENGTH), newForm());
      const answer = await wire.answer();
      expect([answer.status, storedHash(answer)]).toEqual([201, SHA256]);
      wire.send(VISIT);
      expect((await wire.answer()).headers.get("location")).toBe(TARGET);
    }
    wire.hangUp();
  });

  test.each([1_000, 65_536, 1_000_003])("in chunks of %d bytes is stored", async (size) => {
    const wire = here.open();
    wire.send(upload("Transfer-Encoding: chunked\r\n"));
    for (const piece of pieces(newForm(), size)) wire.send(`${piece.length.toString(16)}\r\n`, piece, "\r\n");
    wire.send("0\r\n\r\n");
    const answer = await wire.answer();
    expect([answer.status, storedHash(answer)]).toEqual([201, SHA256]);
    wire.send(VISIT);
    expect((await wire.answer()).status).toBe(307);
    wire.hangUp();
  });

  test("that pauses in the middle holds up nobody, and is stored", async () => {
    const wires = Array.from({ length: 4 }, () => here.open());
    const rests = wires.map((wire) => {
      const form = newForm();
      wire.send(upload(LENGTH), form.subarray(0, 3_000_000));
      return form.subarray(3_000_000);
    });
    const visitor = here.open();
    for (let round = 0; round < 50; round++) {
      visitor.send(VISIT);
      expect((await visitor.answer()).status).toBe(307);
    }
    visitor.hangUp();
    for (const [at, wire] of wires.entries()) {
      wire.send(rests[at]!);
      expect(storedHash(await wire.answer())).toBe(SHA256);
      wire.hangUp();
    }
  });
});

describe("a client that leaves in the middle of its upload", () => {
  const total = async () => (await here.me.call("GET", "/folders")).body.data.files.length;

  test.each(["a length", "chunks"])("announced by %s, leaves nothing", async (how) => {
    const before = await total();
    const [bytes, open] = [storedBytes(here.installation), openFilesOf(here.server)];
    const wires = Array.from({ length: 10 }, () => here.open());
    for (const [at, wire] of wires.entries()) {
      const sent = FORM.subarray(0, 100_000 + at * 300_000);
      if (how === "chunks")
        wire.send(upload("Transfer-Encoding: chunked\r\n"), `${FORM.length.toString(16)}\r\n`, sent);
      else wire.send(upload(LENGTH), sent);
    }
    await until(
      () => openFilesOf(here.server) >= open + wires.length && storedBytes(here.installation) > bytes,
    );
    for (const wire of wires.slice(5)) wire.hangUp();
    for (const wire of wires.slice(0, 5)) wire.end();
    await until(() => openFilesOf(here.server) <= open + 2);
    for (const wire of wires) wire.hangUp();
    expect(await total()).toBe(before);
    await until(() => storedBytes(here.installation) === bytes);
    const wire = here.open();
    wire.send(VISIT);
    expect((await wire.answer()).status).toBe(307);
    wire.hangUp();
  });
});

describe("a refused request of 20 MB", () => {
  const body = Buffer.alloc(20_000_000, 0x20);
  const framing = `Content-Length: ${body.length}\r\n`;
  const CASES: [what: string, bytes: () => string, status: number][] = [
    ["an upload by a stranger", () => upload(framing, ""), 401],
    ["JSON of a stranger", () => post("", framing, ""), 401],
    ["JSON above its limit", () => post(here.auth, framing, ""), 413],
    ["a body for a code", () => request("/a/b", framing, "POST"), 405],
    ["a body for no address", () => request("/admin/v1/nothing", here.auth + framing, "POST"), 404],
    ["an upload without a form", () => request("/files/upload", here.auth + framing, "POST"), 400],
  ];

  test.each(CASES)("(%s) is answered while the client sends", async (_what, bytes, status) => {
    const wire = here.open();
    wire.send(bytes(), body);
    expect((await wire.answer()).status).toBe(status);
    wire.hangUp();
  });

  test.each(CASES)("(%s) is answered before the body comes", async (_what, bytes, status) => {
    const wire = here.open();
    wire.send(bytes());
    expect((await wire.answer()).status).toBe(status);
    wire.hangUp();
  });

  test("in chunks is answered", async () => {
    const chunk = Buffer.concat([Buffer.from("100000\r\n"), body.subarray(0, 0x100000), Buffer.from("\r\n")]);
    const chunked = "Transfer-Encoding: chunked\r\n";
    for (const [bytes, status] of [
      [upload(chunked, ""), 401],
      [post(here.auth, chunked, ""), 413],
      [request("/a/b", chunked, "POST"), 405],
    ] as const) {
      const wire = here.open();
      wire.send(bytes, ...Array.from({ length: 19 }, () => chunk));
      const answer = await wire.answer();
      expect(answer.status).toBe(status);
      if (status === 413) expect(codeIn(answer)).toBe(1013);
      wire.hangUp();
    }
  });
});

test("nothing was logged as an error", () => {
  expect(here.server.log()).not.toContain('"level":"error"');
});
