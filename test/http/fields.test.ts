/** The syntax of header fields. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { startShared } from "../support/shared-server.ts";
import {
  ask,
  HOST,
  refusal,
  request,
  startOnWire,
  VISIT,
  VISIT_OTHER,
  type WireInstance,
} from "../support/wire-instance.ts";

let here: WireInstance;
beforeAll(async () => {
  here = await startOnWire(await startShared());
});
afterAll(() => here.installation.remove());

test.each([
  ["a blank before the colon", "X-A : b"],
  ["a blank in the name", "X A: b"],
  ["no name", ": b"],
  ["a colon only", ":"],
  ["no colon", "X-A"],
  ["no colon and a value", "X-A b"],
  ["a leading blank", " X-A: b"],
  ["a leading tab", "\tX-A: b"],
  ["a folded value", "X-A: b\r\n c"],
  ["a value folded by a tab", "X-A: b\r\n\tc"],
  ["a fold without a value", "X-A: b\r\n "],
  ["NUL in a value", "X-A: b\0c"],
  ["NUL in a name", "X\0A: b"],
  ["CR in a value", "X-A: b\rc"],
  ["LF in a value", "X-A: b\nc"],
  ["LF and a field in a value", "X-A: b\nContent-Length: 5"],
  ["a control character in a value", "X-A: b\u0001c"],
  ["a control character in a name", "X-A\u0001: b"],
  ["DEL in a name", "X-A\u007f: b"],
  ["a name with an umlaut", "X-ä: b"],
  ["a name with parentheses", "X-(A): b"],
  ["a name with a quote", 'X"A: b'],
  ["a name with a slash", "X/A: b"],
  ["a name with a comma", "X,A: b"],
  ["a name with a bracket", "X[A: b"],
  ["a name with a brace", "X{A}: b"],
  ["a name with an at", "X@A: b"],
  ["a name with a semicolon", "X-A;: b"],
  ["a second request line", "GET / HTTP/1.1"],
  ["a status line", "HTTP/1.1 200 OK"],
  ["a blank before the colon of a coding", "Transfer-Encoding : chunked"],
  ["a blank before the colon of a length", "Content-Length : 3"],
])("%s is refused", async (_what, field) => {
  for (const bytes of [
    request("/a/b", `${field}\r\n`),
    `GET /a/b HTTP/1.1\r\n${field}\r\n${HOST}\r\n`,
    request("/admin/v1/links", `${here.auth}${field}\r\n`),
    `GET /a/b HTTP/1.0\r\n${field}\r\n\r\n`,
  ]) {
    expect(await refusal(here.open(), bytes)).toEqual([400]);
  }
});

test.each([
  ["no blank after the colon", "X-A:b"],
  ["no value", "X-A:"],
  ["a blank value", "X-A: "],
  ["blanks around", "X-A: \t b \t "],
  ["a tab in a value", "X-A: b\tc"],
  ["bytes above ASCII in a value", "X-A: äÿ\u0080"],
  ["a name with an underscore", "X_A: b"],
  ["a name with every mark", "X!#$%&'*+-.^_`|~: b"],
  ["a name that objects have", "__proto__: x\r\nconstructor: y\r\ntoString: z"],
  ["a digit for a name", "1: b"],
  ["a name twice", "X-A: b\r\nX-A: c"],
  ["two cookies", "Cookie: a=b\r\nCookie: c=d"],
  ["no cookie", "Cookie: "],
  ["an upgrade to WebSocket", "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13"],
  [
    "an upgrade to HTTP/2",
    "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQ",
  ],
  ["accepted trailers", "TE: trailers\r\nTrailer: X"],
  ["a range", "Range: bytes=0-1"],
  ["another method", "X-HTTP-Method-Override: DELETE"],
])("%s is fine", async (_what, field) => {
  const wire = here.open();
  for (const bytes of [
    request("/a/b", `${field}\r\n`),
    `GET /a/b HTTP/1.1\r\n${field}\r\n${HOST}\r\n`,
    VISIT,
  ]) {
    wire.send(bytes);
    expect((await wire.answer()).status).toBe(307);
  }
  wire.hangUp();
});

describe("names ignore case", () => {
  test("of Authorization, Content-Length and Connection", async () => {
    const token = here.auth.trim().slice("Authorization: ".length);
    for (const name of ["authorization", "AUTHORIZATION", "aUTHORIZATION"]) {
      const answer = await ask(here.open(), request("/admin/v1/links", `${name}: ${token}\r\n`));
      expect(answer.status).toBe(200);
    }
    const wire = here.open();
    wire.send(`POST /a/b HTTP/1.1\r\nhOST: a\r\ncONTENT-lENGTH: 5\r\n\r\nhello${VISIT_OTHER}`);
    expect((await wire.answer()).status).toBe(405);
    expect((await wire.answer()).headers.get("location")).toContain("other");
    wire.send(request("/a/b", "cONNECTION: CLOSE\r\n"));
    expect((await wire.answer()).status).toBe(307);
    await wire.closed();
    wire.hangUp();
  });
});

test("values reach the application as they are, without the blanks around them", async () => {
  const token = here.auth.trim().slice("Authorization: ".length);
  for (const value of [`\t ${token} \t`, token]) {
    expect((await ask(here.open(), request("/admin/v1/links", `Authorization:${value}\r\n`))).status).toBe(
      200,
    );
  }
  for (const value of [`x${token}`, `${token}x`, "", "Bearer", `"${token}"`]) {
    expect((await ask(here.open(), request("/admin/v1/links", `Authorization: ${value}\r\n`))).status).toBe(
      401,
    );
  }
});

test("two cookies of a browser are one", async () => {
  const token = here.client.token;
  for (const lines of [
    `Cookie: svc_access=${token}\r\nCookie: b=c\r\n`,
    `Cookie: b=c; svc_access=${token}\r\n`,
  ]) {
    expect((await ask(here.open(), request("/admin/v1/links", lines))).status).toBe(200);
  }
});

test("answers have a date, and their fields have no bytes of the request that end lines", async () => {
  const answer = await ask(here.open(), request("/a/b?x=%0d%0aSet-Cookie:%20a=b", "X-A: b\r\n"));
  expect(answer.headers.get("date")).toMatch(/^\w{3}, \d{2} \w{3} \d{4} \d{2}:\d{2}:\d{2} GMT$/);
  expect(answer.headers.has("set-cookie")).toBe(false);
  expect(Math.abs(Date.parse(answer.headers.get("date")!) - Date.now())).toBeLessThan(60_000);
});
