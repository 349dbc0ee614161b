/** The core of HTTP over TLS and on a unix socket. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FORM_TYPE, fileHead, formOf } from "../support/drive.ts";
import { dial, type Place } from "../support/wire.ts";
import {
  ask,
  codeIn,
  HOST,
  OTHER,
  post,
  prepare,
  refusal,
  request,
  TARGET,
  VISIT,
  VISIT_OTHER,
  WRONG_LINK,
  WRONG_LINK_CODE,
} from "../support/wire-instance.ts";
import type { Installation, RunningWaymark } from "../support/waymark.ts";
import { installWithPassword, PASSWORD } from "../support/session.ts";

const folder = mkdtempSync(join(tmpdir(), "waymark-wire-"));
afterAll(() => rmSync(folder, { recursive: true }));
const [cert, key, socket] = ["cert.pem", "key.pem", "waymark.sock"].map((name) => join(folder, name));

function makeCertificate(): void {
  const made = Bun.spawnSync(
    "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost"
      .split(" ")
      .concat(["-keyout", key!, "-out", cert!]),
  );
  expect(made.exitCode).toBe(0);
}

describe.each([
  ["TLS", { WAYMARK__SERVER__TLS_CERT: cert!, WAYMARK__SERVER__TLS_KEY: key! }],
  ["a unix socket", { WAYMARK__SERVER__UNIX_SOCKET: socket! }],
])("over %s", (name, settings) => {
  let installation: Installation;
  let server: RunningWaymark;
  let place: Place;
  let auth: string;
  const open = () => dial(place);

  beforeAll(async () => {
    if (name === "TLS") makeCertificate();
    installation = await installWithPassword(settings);
    await prepare(installation);
    server = await installation.serve();
    place = server.url;
    const body = JSON.stringify({ password: PASSWORD });
    const fields = `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`;
    const login = await ask(open(), request("/admin/v1/auth/login", fields, "POST") + body);
    auth = `Authorization: Bearer ${/svc_access=([^;]+)/.exec(login.head)![1]}\r\n`;
  });
  afterAll(() => installation.remove());

  test("requests of all kinds are answered on one connection", async () => {
    const wire = open();
    for (let round = 0; round < 3; round++) {
      for (const [bytes, status] of [
        [VISIT, 307],
        [request("/nothing"), 404],
        [request("/admin/v1/links"), 401],
        [request("/admin/v1/links", auth), 200],
        [request("/a/b", "Content-Length: 0\r\n", "POST"), 405],
      ] as const) {
        wire.send(bytes);
        expect((await wire.answer()).status).toBe(status);
      }
      wire.send(request("/nothing", "", "HEAD") + VISIT);
      expect((await wire.answer("HEAD")).headers.get("content-length")).toBe("9");
      expect((await wire.answer()).headers.get("location")).toBe(TARGET);
    }
    wire.hangUp();
  });

  test("a thousand requests in one write are answered in order", async () => {
    const wire = open();
    wire.send((VISIT + VISIT_OTHER).repeat(500));
    for (let round = 0; round < 500; round++) {
      expect((await wire.answer()).headers.get("location")).toBe(TARGET);
      expect((await wire.answer()).headers.get("location")).toBe(OTHER);
    }
    wire.hangUp();
  });

  test("a request a byte at a time, and cut at any byte", async () => {
    const wire = open();
    await wire.dribble(VISIT);
    expect((await wire.answer()).status).toBe(307);
    for (let at = 1; at < VISIT.length; at++) {
      await wire.dribble([VISIT.slice(0, at), VISIT.slice(at)]);
      expect((await wire.answer()).status).toBe(307);
    }
    wire.hangUp();
  });

  test("Connection: close and HTTP/1.0 end the connection", async () => {
    for (const bytes of [request("/a/b", "Connection: close\r\n"), "GET /a/b HTTP/1.0\r\n\r\n"]) {
      const wire = open();
      wire.send(bytes + VISIT_OTHER);
      expect((await wire.answer()).headers.get("location")).toBe(TARGET);
      expect(await wire.closed()).toBe("");
      wire.hangUp();
    }
  });

  test("a client that ends its half gets its answer", async () => {
    const wire = open();
    wire.send(VISIT + VISIT_OTHER);
    wire.end();
    expect((await wire.answer()).headers.get("location")).toBe(TARGET);
    expect((await wire.answer()).headers.get("location")).toBe(OTHER);
    await wire.closed();
    wire.hangUp();
  });

  test.each([
    ["no Host", "GET /a/b HTTP/1.1\r\n\r\n"],
    ["a blank before a colon", request("/a/b", "X-A : b\r\n")],
    ["a folded field", request("/a/b", "X-A: b\r\n c\r\n")],
    ["LF in a field", request("/a/b", "X-A: b\nc\r\n")],
    ["two lengths", request("/a/b", "Content-Length: 2\r\nContent-Length: 3\r\n", "POST")],
    ["a signed length", request("/a/b", "Content-Length: +2\r\n", "POST")],
    ["a length and chunks", request("/a/b", "Content-Length: 2\r\nTransfer-Encoding: chunked\r\n", "POST")],
    ["two codings", request("/a/b", "Transfer-Encoding: chunked, chunked\r\n", "POST")],
    ["no request", "\0\r\n\r\n"],
  ])("%s is refused, and nothing after it is run", async (_what, bytes) => {
    expect(await refusal(open(), bytes)).toEqual([400]);
  });

  test("two Hosts are refused", async () => {
    const answer = await ask(open(), `GET /a/b HTTP/1.1\r\n${HOST}Host: b.example\r\n\r\n`);
    expect([answer.status, codeIn(answer)]).toEqual([400, 1000]);
  });

  test("bodies with a length, in chunks and after 100 Continue are read", async () => {
    const wire = open();
    const length = `Content-Length: ${WRONG_LINK.length}\r\n`;
    wire.send(post(auth, length, WRONG_LINK));
    expect(codeIn(await wire.answer())).toBe(WRONG_LINK_CODE);
    const chunks = `${WRONG_LINK.length.toString(16)}\r\n${WRONG_LINK}\r\n0\r\n\r\n`;
    await wire.dribble([post(auth, "Transfer-Encoding: chunked\r\n", ""), ...chunks]);
    expect(codeIn(await wire.answer())).toBe(WRONG_LINK_CODE);
    wire.send(post(auth, `Expect: 100-continue\r\n${length}`, ""));
    expect((await wire.answer()).status).toBe(100);
    wire.send(WRONG_LINK);
    expect(codeIn(await wire.answer())).toBe(WRONG_LINK_CODE);
    wire.hangUp();
  });

  test("a refused body of 20 MB is answered", async () => {
    const framing = "Content-Length: 20000000\r\n";
    for (const [bytes, status] of [
      [post("", framing, ""), 401],
      [post(auth, framing, ""), 413],
      [request("/a/b", framing, "POST"), 405],
    ] as const) {
      const wire = open();
      wire.send(bytes, Buffer.alloc(20_000_000, 0x20));
      expect((await wire.answer()).status).toBe(status);
      wire.hangUp();
    }
  });

  test("files are stored and sent, whole, in parts, to a client that pauses, and in an archive", async () => {
    const content = Buffer.from("0123456789abcde\n".repeat(500_000));
    const form = formOf([fileHead("large.txt"), content.toString()]);
    const wire = open();
    const fields = `${auth}Content-Type: ${FORM_TYPE}\r\nContent-Length: ${form.length}\r\n`;
    wire.send(request("/files/upload", fields, "POST"), form);
    const { id } = JSON.parse((await wire.answer()).body.toString()).data;
    wire.hangUp();
    for (const [range, from, to] of [
      ["", 0, content.length],
      ["Range: bytes=5-5000004\r\n", 5, 5_000_005],
      ["Range: bytes=-10\r\n", content.length - 10, content.length],
    ] as const) {
      const reader = open();
      reader.send(request(`/files/${id}/download`, auth + range));
      await reader.shows("\r\n\r\n");
      reader.socket.pause();
      expect((await ask(open(), VISIT)).status).toBe(307);
      reader.socket.resume();
      expect((await reader.answer()).body.equals(content.subarray(from, to))).toBe(true);
      reader.hangUp();
    }
    const head = await ask(open(), request(`/files/${id}/download`, auth, "HEAD"), "HEAD");
    expect(head.headers.get("content-length")).toBe(String(content.length));
  });

  test("server-sent events start at once", async () => {
    const wire = open();
    wire.send(request("/admin/v1/analytics/live", auth));
    await wire.shows("event: clicks");
    wire.hangUp();
  });

  test("a stop completes what is under way", async () => {
    const wire = open();
    wire.send(post(auth, `Content-Length: ${WRONG_LINK.length}\r\n`, WRONG_LINK.slice(0, 5)));
    expect((await ask(open(), VISIT)).status).toBe(307);
    const stopped = server.stop();
    while (!server.log().includes('"stopping')) await Bun.sleep(10);
    wire.send(WRONG_LINK.slice(5));
    expect(codeIn(await wire.answer())).toBe(WRONG_LINK_CODE);
    wire.hangUp();
    expect(await stopped).toBe(0);
    expect(server.log()).not.toContain('"level":"error"');
  });
});
