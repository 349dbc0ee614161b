/** Answers that come late or out of the ordinary: behind other requests, after the end of the client's half, to odd requests. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { FORM_TYPE } from "../support/drive.ts";
import { startShared } from "../support/shared-server.ts";
import {
  ask,
  codeIn,
  HOST,
  OTHER,
  post,
  request,
  startOnWire,
  TARGET,
  VISIT,
  VISIT_OTHER,
  type WireInstance,
  WRONG_LINK,
  WRONG_LINK_CODE,
} from "../support/wire-instance.ts";

let here: WireInstance;
let file: string;
let large: string;
beforeAll(async () => {
  here = await startOnWire(await startShared());
  const upload = async (name: string, content: string) =>
    `/files/${(await here.me.upload(name, content)).body.data.id}/download`;
  file = await upload("small.txt", "x".repeat(100_000));
  large = await upload("large.txt", "0123456789abcde\n".repeat(200_000));
});
afterAll(() => here.installation.remove());

const LENGTH = `Content-Length: ${WRONG_LINK.length}\r\n`;
const CHUNKED = "Transfer-Encoding: chunked\r\n";
const SIZE = WRONG_LINK.length.toString(16);

describe("requests in one write behind a slow one", () => {
  test("are answered in order behind a list of the API", async () => {
    const wire = here.open();
    wire.send(request("/admin/v1/links", here.auth) + VISIT + request("/nothing") + VISIT_OTHER);
    expect((await wire.answer()).status).toBe(200);
    expect((await wire.answer()).headers.get("location")).toBe(TARGET);
    expect((await wire.answer()).status).toBe(404);
    expect((await wire.answer()).headers.get("location")).toBe(OTHER);
    wire.hangUp();
  });

  test("are answered in order behind a body of JSON", async () => {
    const wire = here.open();
    wire.send((post(here.auth, LENGTH, WRONG_LINK) + VISIT).repeat(5));
    for (let round = 0; round < 5; round++) {
      expect(codeIn(await wire.answer())).toBe(WRONG_LINK_CODE);
      expect((await wire.answer()).status).toBe(307);
    }
    wire.hangUp();
  });

  test("are answered in order behind a body in chunks", async () => {
    const wire = here.open();
    wire.send((post(here.auth, CHUNKED, `${SIZE}\r\n${WRONG_LINK}\r\n0\r\n\r\n`) + VISIT).repeat(5));
    for (let round = 0; round < 5; round++) {
      expect(codeIn(await wire.answer())).toBe(WRONG_LINK_CODE);
      expect((await wire.answer()).status).toBe(307);
    }
    wire.hangUp();
  });

  test.each(["file", "large file"])("are answered in order behind a %s", async (which) => {
    const wire = here.open();
    wire.send((request(which === "file" ? file : large, here.auth) + VISIT).repeat(3));
    for (let round = 0; round < 3; round++) {
      expect((await wire.answer()).body.length).toBe(which === "file" ? 100_000 : 3_200_000);
      expect((await wire.answer()).status).toBe(307);
    }
    wire.hangUp();
  });

  test("300 of all kinds are answered in order", async () => {
    const kinds = [
      [VISIT, 307],
      [request("/admin/v1/links?page_size=1", here.auth), 200],
      [request("/nothing"), 404],
      [request(file, `${here.auth}Range: bytes=0-9\r\n`), 206],
      [post(here.auth, LENGTH, WRONG_LINK), 400],
      [request("/admin/v1/links"), 401],
    ] as const;
    const wire = here.open();
    wire.send(Array.from({ length: 50 }, () => kinds.map(([bytes]) => bytes).join("")).join(""));
    for (let round = 0; round < 50; round++)
      for (const [, status] of kinds) expect((await wire.answer()).status).toBe(status);
    wire.hangUp();
  });
});

describe("a client that ends its half after the request", () => {
  test("gets its answer, however late that is (100 times)", async () => {
    const wires = Array.from({ length: 100 }, () => here.open());
    for (const [at, wire] of wires.entries()) {
      wire.send(at % 2 === 0 ? request("/admin/v1/links", here.auth) : post(here.auth, LENGTH, WRONG_LINK));
      wire.end();
    }
    for (const [at, wire] of wires.entries()) {
      expect((await wire.answer()).status).toBe(at % 2 === 0 ? 200 : 400);
      wire.hangUp();
    }
  });

  test("gets a folder as a whole archive", async () => {
    const folder = await here.me.call("POST", "/folders", { name: "archived", parent_id: null });
    const { id } = folder.body.data;
    await here.me.upload("a.txt", "a", { folder: String(id) });
    const wire = here.open();
    wire.send(request(`/folders/${id}/archive`, here.auth));
    wire.end();
    expect((await wire.answer()).status).toBe(200);
    wire.hangUp();
  });

  test("gets a whole file", async () => {
    const wire = here.open();
    wire.send(request(large, here.auth));
    wire.end();
    expect((await wire.answer()).body.length).toBe(3_200_000);
    wire.hangUp();
  });
});

describe("chunks", () => {
  test.each([
    ["a trailer", `${SIZE}\r\n${WRONG_LINK}\r\n0\r\nX-T: y\r\n\r\n`],
    ["two trailers", `${SIZE}\r\n${WRONG_LINK}\r\n0\r\nX-T: y\r\nX-U: z\r\n\r\n`],
    [
      "a trailer that must not count",
      `${SIZE}\r\n${WRONG_LINK}\r\n0\r\nContent-Length: 5\r\nHost: b\r\n\r\n`,
    ],
    ["blanks around an extension", `${SIZE} ; x = y\r\n${WRONG_LINK}\r\n0\r\n\r\n`],
    ["a blank in a quoted extension", `${SIZE};x="y z"\r\n${WRONG_LINK}\r\n0\r\n\r\n`],
  ])("with %s are read, and the connection lives on", async (_what, body) => {
    const wire = here.open();
    wire.send(post(here.auth, CHUNKED, body));
    expect(codeIn(await wire.answer())).toBe(WRONG_LINK_CODE);
    wire.send(VISIT);
    expect((await wire.answer()).status).toBe(307);
    wire.hangUp();
  });

  test("are not a whole body before the last CRLF", async () => {
    const wire = here.open();
    wire.send(post(here.auth, CHUNKED, `${SIZE}\r\n${WRONG_LINK}\r\n0\r\n`));
    const before = here.open();
    before.send(request("/admin/v1/links", here.auth));
    await before.answer();
    before.hangUp();
    expect(wire.received()).toBe(0);
    wire.send("\r\n");
    expect(codeIn(await wire.answer())).toBe(WRONG_LINK_CODE);
    wire.hangUp();
  });

  test("that break after the answer get no second answer", async () => {
    for (const bytes of [post("", CHUNKED, "zz\r\n"), request("/a/b", CHUNKED, "POST")]) {
      const wire = here.open();
      wire.send(bytes);
      expect([401, 405]).toContain((await wire.answer()).status);
      wire.send("zz\r\n\r\n");
      expect(await wire.closed()).toBe("");
      wire.hangUp();
    }
  });
});

describe("100 Continue", () => {
  test("is sent whatever the case of the expectation", async () => {
    const wire = here.open();
    wire.send(post(here.auth, `Expect: 100-Continue\r\n${LENGTH}`, ""));
    expect((await wire.answer()).status).toBe(100);
    wire.hangUp();
  });

  test("is not sent to HTTP/1.0", async () => {
    const bytes = post(here.auth, `Expect: 100-continue\r\n${LENGTH}`, WRONG_LINK).replace(
      "HTTP/1.1",
      "HTTP/1.0",
    );
    expect(codeIn(await ask(here.open(), bytes))).toBe(WRONG_LINK_CODE);
  });

  test("is not sent before a refusal, so that the client keeps its body", async () => {
    const huge = "Expect: 100-continue\r\nContent-Length: 30000000\r\n";
    for (const [bytes, status] of [
      [post("", huge, ""), 401],
      [post(here.auth, huge, ""), 413],
      [request("/files/upload", `Content-Type: ${FORM_TYPE}\r\n${huge}`, "POST"), 401],
      [request("/a/b", huge, "POST"), 405],
    ] as const) {
      expect((await ask(here.open(), bytes)).status).toBe(status);
    }
  });

  test("is not sent to a request without a body", async () => {
    expect((await ask(here.open(), request("/a/b", "Expect: 100-continue\r\n"))).status).toBe(307);
  });
});

describe("request lines", () => {
  test.each(["GETX", "BREW", "get", "FOO_BAR"])("the unknown method %s gets an answer", async (method) => {
    expect([400, 405, 501]).toContain((await ask(here.open(), request("/a/b", "", method))).status);
  });

  test("an empty line before a request is skipped", async () => {
    const wire = here.open();
    wire.send(`\r\n${VISIT}\r\n${VISIT_OTHER}`);
    expect((await wire.answer()).headers.get("location")).toBe(TARGET);
    expect((await wire.answer()).headers.get("location")).toBe(OTHER);
    wire.hangUp();
  });

  test("OPTIONS * is answered", async () => {
    expect([200, 204]).toContain((await ask(here.open(), request("*", "", "OPTIONS"))).status);
  });

  test("malformed lines are 400, not 505", async () => {
    for (const target of ["/a b", "/a/b\u0001", "/a/b\0"]) {
      expect((await ask(here.open(), request(target))).status).toBe(400);
    }
  });
});

describe("HTTP/1.0", () => {
  test("keeps the connection when the client asks for it", async () => {
    const wire = here.open();
    for (let round = 0; round < 2; round++) {
      wire.send("GET /a/b HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
      expect((await wire.answer()).headers.get("connection")?.toLowerCase()).toBe("keep-alive");
    }
    wire.hangUp();
  });
});

describe("refusals", () => {
  test("of a malformed request say their length", async () => {
    const answer = await ask(here.open(), `GET /a/b HTTP/1.1\r\n${HOST}X A: b\r\n\r\n`);
    expect(answer.headers.has("content-length")).toBe(true);
  });

  test("of an invalid Host", async () => {
    for (const host of ["a,b", "a:b", "a:99999", "[::1", "[]", "a%2fb", "ä"]) {
      expect([host, (await ask(here.open(), `GET /a/b HTTP/1.1\r\nHost: ${host}\r\n\r\n`)).status]).toEqual([
        host,
        400,
      ]);
    }
  });

  test("of an absolute form with an invalid host", async () => {
    for (const target of ["http:///a/b", "http://[::1/a/b"]) {
      expect([target, (await ask(here.open(), request(target))).status]).toEqual([target, 400]);
    }
  });

  test("of a body that is too large end the connection, when the client has sent it or not", async () => {
    const wire = here.open();
    wire.send(request("/a/b", "Content-Length: 20000000\r\n", "POST"));
    expect((await wire.answer()).status).toBe(405);
    const closed = await Promise.race([wire.closed().then(() => true), Bun.sleep(20_000).then(() => false)]);
    expect(closed).toBe(true);
    wire.hangUp();
  });

  test("of 20 MB reach a client that reads only after it has sent everything", async () => {
    for (const [bytes, status] of [
      [post("", "Content-Length: 20000000\r\n", ""), 401],
      [post(here.auth, "Content-Length: 20000000\r\n", ""), 413],
      [request("/a/b", "Content-Length: 20000000\r\n", "POST"), 405],
    ] as const) {
      const wire = here.open();
      wire.socket.pause();
      wire.send(bytes);
      await new Promise<void>((resolve) =>
        wire.socket.write(Buffer.alloc(20_000_000, 0x20), () => resolve()),
      );
      wire.socket.resume();
      expect((await wire.answer()).status).toBe(status);
      wire.hangUp();
    }
  });
});
