/** The first line of a request: methods, targets, versions, lengths. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { startShared } from "../support/shared-server.ts";
import {
  ask,
  HOST,
  refusal,
  request,
  startOnWire,
  TARGET,
  VISIT,
  type WireInstance,
} from "../support/wire-instance.ts";

let here: WireInstance;
beforeAll(async () => {
  here = await startOnWire(await startShared());
});
afterAll(() => here.installation.remove());

const refused = (bytes: string) => refusal(here.open(), bytes);
const status = async (bytes: string, method = "GET") => (await ask(here.open(), bytes, method)).status;

test("a malformed head has the standing fields of the API", async () => {
  for (const target of ["/admin/v1/links/./f1", "/a b"]) {
    const { status: given, headers } = await ask(here.open(), request(target), "GET");
    const standing = ["x-content-type-options", "referrer-policy", "cache-control"].map((name) =>
      headers.get(name),
    );
    expect([given, ...standing]).toEqual([400, "nosniff", "no-referrer", "no-store"]);
    expect(headers.get("x-request-id")).toMatch(/^[\da-f-]{36}$/);
  }
});

describe("a method", () => {
  test.each(["POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND", "PURGE", "SEARCH", "COPY"])(
    "%s on a code is 405 with Allow, and the connection lives on",
    async (method) => {
      const wire = here.open();
      wire.send(request("/a/b", "Content-Length: 0\r\n", method), VISIT);
      const answer = await wire.answer();
      expect([answer.status, answer.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
      expect((await wire.answer()).status).toBe(307);
      wire.hangUp();
    },
  );

  test.each(["GETX", "BREW", "FOO-BAR", "G", "get", "Get", "PRI", "A".repeat(100)])(
    "%s is not known and does nothing",
    async (method) => {
      for (const target of ["/a/b", "/admin/v1/links"]) {
        const wire = here.open();
        wire.send(request(target, "Connection: close\r\n", method));
        const text = await wire.closed();
        expect(text === "" || /^HTTP\/1\.1 (400|405|501) /.test(text)).toBe(true);
        wire.hangUp();
      }
    },
  );

  test.each(["G\0T", "GÄT", "(GET)", '"GET"', "GET:", "", "GET\t", " GET", "FOO!\u007f"])(
    "%j is malformed",
    async (method) => {
      expect(
        (await refused(request("/a/b", "", method))).filter((one) => ![400, 501, 505].includes(one)),
      ).toEqual([]);
    },
  );

  test.each(["*/*", "text/html"])(
    "HEAD has the headers of GET and no body, for a client that accepts %s",
    async (accept) => {
      const fields = `${here.auth}Accept: ${accept}\r\n`;
      for (const target of [
        "/a/b",
        "/nothing",
        "/",
        "/admin/v1/config/schema",
        "/health/ready",
        "/panel/",
        "/robots.txt",
        "/favicon.ico",
        "/admin/v1/openapi.json",
        "/admin/v1/docs",
        "/admin/v1/config/nothing",
      ]) {
        const wire = here.open();
        const answers = [];
        for (const method of ["GET", "HEAD", "GET"]) {
          wire.send(request(target, fields, method));
          answers.push(await wire.answer(method));
        }
        wire.hangUp();
        const [get, head, again] = answers;
        const lasting = (one = get!) =>
          [...one.headers].filter(([name]) => !["date", "x-request-id"].includes(name)).sort();
        expect([target, head!.status, again!.status]).toEqual([target, get!.status, get!.status]);
        expect([target, lasting(head)]).toEqual([target, lasting(get)]);
      }
    },
  );
});

describe("a target", () => {
  test.each([
    ["/a/b?x=1", 307],
    ["/a/b?", 307],
    ["/a%2Fb", 307],
    ["/%61/b", 307],
    ["/a%2eb", 404],
    ["/a/b?x\\y/../z", 307],
    ["/a/.b", 404],
    ["/a/...", 404],
    ["/a%5Cb", 404],
    ["/%2F%61%2Fb", 404],
    ["/a/b?ä", 307],
    ["/a/b?<>{}|^`\"'", 307],
    ["/a/b/", 404],
    ["//a/b", 404],
    ["/a//b", 404],
    ["/A/B", 404],
    ["/%zz", 404],
    ["/%00", 404],
    ["/a%0d%0aX:1", 404],
    ["/ä", 404],
    ["/a/b\u0080", 404],
    ["/admin/v1/links/a%2Fb", 401],
    ["/%61dmin/v1/links", 404],
    ["/admin%2Fv1/links", 404],
  ])("%j answers %d", async (target, expected) => {
    expect(await status(request(target))).toBe(expected);
  });

  test.each([
    ["http://wire.example/a/b", 307],
    ["HTTP://WIRE.EXAMPLE/a/b", 307],
    ["https://wire.example/a/b", 307],
    ["http://elsewhere.example:99/a/b?x", 307],
    ["http://[::1]/a/b", 307],
    ["http://wire.example", 404],
    ["http://wire.example?x", 404],
    ["http://elsewhere.example/admin/v1/links", 401],
  ])("in absolute form, %s answers %d", async (target, expected) => {
    expect(await status(request(target))).toBe(expected);
  });

  // A program in front that reads another path would let pass what it has to keep out.
  test.each([
    "/x\\..\\admin\\v1/links",
    "/a\\b",
    "/a/b\\",
    "/a/b#fragment",
    "/a/b?x#y",
    "/#",
    "/..",
    "/.",
    "/./a/b",
    "/a/b/.",
    "/x/../a/b",
    "/a/./b?x",
    "/%2e/a/b",
    "/x/%2E%2e/a/b",
    "/x/.%2e/a/b",
    "/x%2F..%2Fa/b",
    "/x/..%2fa/b",
    "/admin/v1/../v1/links",
    "/panel/../admin/v1/links",
    "/admin/v1/links/..%2f..%2f..%2fx",
    "http://wire.example/x/../a/b",
    "http://wire.example\\a\\b",
    "http://wire.example/a/b#x",
    "http://wire.example#x",
    "http://user:password@wire.example/a/b",
    "http://user@wire.example/a/b",
  ])("%j is refused, because another program may read another path", async (target) => {
    for (const method of ["GET", "POST"]) expect(await refused(request(target, "", method))).toEqual([400]);
  });

  test.each(["*", "a/b", "?x", "example.com:443", "", ".", "\\a\\b", "ftp://wire.example/a/b", "http:a/b"])(
    "%j is refused",
    async (target) => {
      for (const method of ["GET", "POST"]) expect(await refused(request(target, "", method))).toEqual([400]);
    },
  );

  test.each(["/a/b x", "/a /b", "/a/b\t", "/a/b\u0001", "/a/b\0", "/a/b?\u0001", "/a/b\rx", "/a/b\nx"])(
    "%j with a blank or a control character is refused",
    async (target) => {
      const [first, ...others] = await refused(request(target));
      expect([400, 505]).toContain(first!);
      expect(others).toEqual([]);
    },
  );

  test("of CONNECT is refused", async () => {
    for (const target of ["example.com:443", "/a/b", "*"]) {
      const bytes = `CONNECT ${target} HTTP/1.1\r\nHost: example.com:443\r\n\r\n`;
      expect([400, 405, 501]).toContain(await status(bytes));
    }
  });
});

describe("a version", () => {
  test.each([
    "HTTP/2.0",
    "HTTP/1.2",
    "HTTP/0.9",
    "HTTP/3",
    "http/1.1",
    "HTTP/1.10",
    "HTTP/1.1x",
    "HTTPS/1.1",
    "FTP/1.1",
  ])("%s is refused", async (version) => {
    const [first, ...others] = await refused(`GET /a/b ${version}\r\n${HOST}\r\n`);
    expect([400, 505]).toContain(first!);
    expect(others).toEqual([]);
  });

  test("may not be left out", async () => {
    for (const line of ["GET /a/b", "GET", "GET ", "GET /a/bHTTP/1.1"]) {
      const [first, ...others] = await refused(`${line}\r\n${HOST}\r\n`);
      expect([400, 505]).toContain(first!);
      expect(others).toEqual([]);
    }
  });

  test("1.0 needs no Host, and its connection ends with the answer", async () => {
    const wire = here.open();
    wire.send("GET /a/b HTTP/1.0\r\n\r\n");
    const answer = await wire.answer();
    expect([answer.status, answer.headers.get("location")]).toEqual([307, TARGET]);
    expect(await wire.closed()).toBe("");
    wire.hangUp();
  });
});

describe("bytes that are no request", () => {
  test.each([
    "\u0016\u0003\u0001\u0002\0hello\r\n\r\n",
    "SSH-2.0-x\r\n\r\n",
    "\0\r\n\r\n",
    "\u00ff\u00fe\r\n\r\n",
  ])("%j", async (bytes) => {
    expect(await refused(bytes)).toEqual([400]);
  });

  test("lines that end with LF or CR alone", async () => {
    const whole = request("/a/b", "X-A: b\r\n");
    for (const bytes of [
      whole.replaceAll("\r\n", "\n"),
      whole.replaceAll("\r\n", "\r"),
      whole.replace("\r\n", "\n"),
      whole.replace("\r\n", "\r"),
      whole.replaceAll("\r\n", "\r\r\n"),
    ]) {
      const [first, ...others] = await refused(bytes);
      expect([400, 505]).toContain(first!);
      expect(others).toEqual([]);
    }
  });
});

describe("length", () => {
  const long = "x".repeat(17_000);

  test.each([
    ["target", request(`/${long}`)],
    ["query", request(`/a/b?${long}`)],
    ["value", request("/a/b", `X-Long: ${long}\r\n`)],
    ["name", request("/a/b", `${long}: x\r\n`)],
    ["cookie", request("/a/b", `Cookie: ${"x=y; ".repeat(4_000)}\r\n`)],
    ["field of a request with a body", request("/a/b", `X: ${long}\r\nContent-Length: 2\r\n`, "POST")],
  ])("a %s above 16 KB is refused", async (_what, bytes) => {
    const [first, ...others] = await refused(bytes);
    expect([414, 431]).toContain(first!);
    expect(others).toEqual([]);
  });

  test.each([
    ["target", request(`/${"x".repeat(12_000)}`), 404],
    ["query", request(`/a/b?${"x".repeat(12_000)}`), 307],
    ["value", request("/a/b", `X-Long: ${"x".repeat(12_000)}\r\n`), 307],
    ["cookie", request("/a/b", `Cookie: ${"x=y; ".repeat(2_400)}\r\n`), 307],
  ])("a %s of 12 KB is fine", async (_what, bytes, expected) => {
    expect(await status(bytes)).toBe(expected);
  });

  test("a head without an end is refused before the client has sent a megabyte", async () => {
    const wire = here.open();
    wire.send(`GET /a/b HTTP/1.1\r\n${HOST}`);
    for (let sent = 0; sent < 64 && !wire.isClosed(); sent++) {
      await wire.dribble([`X-${sent}: ${"x".repeat(16_000)}\r\n`]);
    }
    const text = await wire.closed();
    expect(text === "" || /^HTTP\/1\.1 4(00|14|31) /.test(text)).toBe(true);
    wire.hangUp();
  });

  test("100 fields are fine, 1,000 are refused", async () => {
    const fields = (count: number) => Array.from({ length: count }, (_, i) => `H${i}: v\r\n`).join("");
    expect(await status(request("/a/b", fields(100)))).toBe(307);
    const [first, ...others] = await refused(request("/a/b", fields(1_000)));
    expect([400, 431]).toContain(first!);
    expect(others).toEqual([]);
  });
});
