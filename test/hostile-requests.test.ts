/** Malformed and abusive requests to the real program: every refusal is clear and changes nothing. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { sendRaw } from "./support/raw-http.ts";
import { type Client } from "./support/session.ts";
import { startShared } from "./support/shared-server.ts";
import type { Installation, RunningWaymark } from "./support/waymark.ts";

let installation: Installation;
let server: RunningWaymark;
let client: Client;

beforeAll(async () => {
  ({ installation, server, client } = await startShared());
  await client.call("POST", "/links", { code: "hostile/b", target: "https://example.com/" });
});
afterAll(() => installation.remove());

const get = (target: string, more = "") =>
  sendRaw(server.url, `GET ${target} HTTP/1.1\r\nHost: x.example\r\n${more}\r\n`);

describe("heads", () => {
  test.each([
    ["two Host headers", "GET /hostile/b HTTP/1.1\r\nHost: a.example\r\nHost: b.example\r\n\r\n"],
    ["no Host", "GET /hostile/b HTTP/1.1\r\n\r\n"],
    ["a blank in Host", "GET /hostile/b HTTP/1.1\r\nHost: a b\r\n\r\n"],
    ["CONNECT", "CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\n"],
    [
      "both lengths",
      "POST /admin/v1/links HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    ],
    [
      "two lengths",
      "POST /admin/v1/links HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}",
    ],
    ["a folded header", "GET /hostile/b HTTP/1.1\r\nHost: a\r\nX-A: b\r\n c\r\n\r\n"],
    ["no HTTP at all", "\u0016\u0003\u0001\u0002\u0000hello\r\n\r\n"],
  ])("%s is refused", async (_what, bytes) => {
    const { status, text } = await sendRaw(server.url, bytes);
    expect([0, 400]).toContain(status);
    expect(text).not.toContain("307");
    expect(text).not.toContain("Location");
  });

  test("a head over 16 KB is refused", async () => {
    const { status } = await get("/hostile/b", `X-Long: ${"x".repeat(20_000)}\r\n`);
    expect([0, 431]).toContain(status);
  });

  // That they are linear, test/tidy-expressions.test.ts proves.
  test("Connection and Authorization of the largest size are read to their end", async () => {
    const blanks = " ".repeat(15_500);
    const tabs = "\t".repeat(15_500);
    const lists = [
      `a${blanks}a`,
      `a${tabs}a`,
      ",".repeat(15_500),
      "a,".repeat(7_700),
      `"${"\\\\".repeat(7_000)}`,
    ];
    for (const list of lists) {
      const answer = await get("/hostile/b", `Connection: ${list}, close\r\n`);
      expect([list.slice(0, 3), answer.status]).toEqual([list.slice(0, 3), 307]);
      expect(answer.text.toLowerCase()).toContain("connection: close");
      const refused = await get(
        "/admin/v1/links",
        `Authorization: Bearer ${list} x y\r\nConnection: close\r\n`,
      );
      expect([list.slice(0, 3), refused.status]).toEqual([list.slice(0, 3), 401]);
    }
  });

  test("an absolute-form target is resolved to its path", async () => {
    expect((await get("http://x.example/hostile/b")).status).toBe(307);
    expect((await get("http://evil.example/admin/v1/links")).status).toBe(401);
  });

  test("HTTP/1.0 without a Host still redirects", async () => {
    const { status } = await sendRaw(server.url, "GET /hostile/b HTTP/1.0\r\n\r\n");
    expect(status).toBe(307);
  });
});

describe("targets", () => {
  test.each([
    ["/hostile/b?x", 307],
    ["/hostile%2Fb", 307],
    ["/%68ostile/b", 307],
    ["/a%252Fb", 404],
    ["/hostile/b/", 404],
    ["//hostile/b", 404],
    ["/%", 404],
    ["/%zz", 404],
    ["/%00", 404],
    ["/a%0d%0aSet-Cookie:x=1", 404],
    ["/A/B", 404],
    [`/${"a".repeat(129)}`, 404],
    [`/${"%61".repeat(5_000)}`, 404],
  ])("%s answers %d", async (target, status) => {
    const answer = await get(target);
    expect(answer.status).toBe(status);
    expect(answer.head).not.toMatch(/^set-cookie/im);
  });

  test.each(["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"])("%s on a code is 405", async (method) => {
    const { status, head } = await sendRaw(
      server.url,
      `${method} /hostile/b HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n`,
    );
    expect(status).toBe(405);
    expect(head).toMatch(/^allow: get, head/im);
  });

  test("a 404 and a 307 have their headers, also on HEAD", async () => {
    const missing = await get("/nothing");
    expect(missing.head).toMatch(/^content-type: text\/html; charset=utf-8$/im);
    expect(missing.head).toMatch(/^cache-control: public, max-age=60$/im);
    expect(missing.body).toBe("Not Found");
    const head = await sendRaw(server.url, "HEAD /hostile/b HTTP/1.1\r\nHost: a\r\n\r\n");
    expect(head.status).toBe(307);
    expect(head.head).toMatch(/^location: https:\/\/example.com\/$/im);
    expect(head.head).toMatch(/^cache-control: no-cache, no-store, must-revalidate$/im);
  });
});

describe("bodies", () => {
  const post = (body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) =>
    client.fetch("/links", { method: "POST", body, headers });
  const count = async () => (await client.call("GET", "/stats")).body.data.total_links;

  test.each([
    ["nothing", "", 400, 1000],
    ["broken JSON", '{"target":', 400, 1000],
    ["an array", "[]", 400, 1000],
    ["null", "null", 400, 1000],
    ["a number for a target", '{"target":5}', 400, 1000],
    ["no target", '{"code":"x"}', 400, 1000],
    ["a list for a code", '{"target":"https://a.example","code":["x"]}', 400, 1000],
    ["deep nesting", `{"target":${"[".repeat(100_000)}${"]".repeat(100_000)}}`, 400, 1000],
    ["a NUL in the target", '{"target":"https://a.example/\\u0000"}', 400, 3002],
    ["CRLF in the target", '{"target":"https://a.example/\\r\\nSet-Cookie: a=b"}', 400, 3002],
    ["a script", '{"target":"javascript:alert(1)"}', 400, 3002],
    ["a password in the target", '{"target":"https://u:p@a.example/"}', 400, 3002],
    ["a NUL in the code", '{"code":"x\\u0000","target":"https://a.example"}', 400, 3007],
    ["CRLF in the code", '{"code":"x\\r\\n","target":"https://a.example"}', 400, 3007],
    ["dots", '{"code":"a/../b","target":"https://a.example"}', 400, 3007],
    ["a reserved code", '{"code":"admin/x","target":"https://a.example"}', 400, 3008],
    ["the files' path", '{"code":"files","target":"https://a.example"}', 400, 3008],
    ["a wrong expiry", '{"target":"https://a.example","expires_at":"2026-02-30T00:00:00Z"}', 400, 3003],
    ["the mask as a password", '{"target":"https://a.example","password":"[REDACTED]"}', 400, 1000],
    ["too much", `{"target":"https://a.example","x":"${"y".repeat(2 * 1024 * 1024)}"}`, 413, 1013],
  ])("%s is refused", async (_what, body, status, code) => {
    const before = await count();
    const answer = await post(body);
    const envelope = await answer.json();
    expect([answer.status, envelope.code]).toEqual([status, code]);
    expect(envelope).not.toHaveProperty("data");
    expect(answer.headers.get("content-type")).toBe("application/json; charset=utf-8");
    expect(answer.headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
    expect(await count()).toBe(before);
  });

  test("invalid UTF-8 is refused", async () => {
    const answer = await post(new Uint8Array([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d]));
    expect(answer.status).toBe(400);
  });

  test("an endless body is cut off at the size limit and not stored", async () => {
    const chunk = new Uint8Array(64 * 1024).fill(0x20);
    const endless = new ReadableStream({ pull: (controller) => controller.enqueue(chunk) });
    const init = { method: "POST", body: endless, duplex: "half" } as RequestInit;
    const outcome = await client.fetch("/links", init).then(
      (answer) => answer.status,
      () => "cut",
    );
    expect([413, "cut"]).toContain(outcome);
    expect((await get("/hostile/b")).status).toBe(307);
  });

  test("a client that disconnects half-way leaves nothing", async () => {
    const before = await count();
    const head = `POST /admin/v1/links HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${client.token}\r\nContent-Length: 500\r\n\r\n`;
    await sendRaw(server.url, `${head}{"code":"half","target":"https://a.example"}`, { end: true });
    expect(await count()).toBe(before);
  });
});

test("after all of these requests the server works", async () => {
  expect((await client.call("GET", "/links/hostile/b")).body.data.target).toBe("https://example.com/");
  expect(server.log()).not.toContain('"level":"error"');
});
