import { expect, test } from "bun:test";
import { silentLogger } from "../../lib/logger.ts";
import { CONNECTION, CORS_OFF } from "./app.test-support.ts";
import { createHttpApp } from "./app.ts";
import { endpoint } from "./endpoint.ts";

const ROWS = Array.from({ length: 50 }, (_, at) => ({ code: `campaign/${at}`, title: "é" }));
const TEXT = JSON.stringify({ code: 0, message: "OK", data: ROWS });

const entry = (method: "GET" | "POST", path: string, data: unknown) =>
  endpoint(`${method} ${path}`, {
    access: "public",
    scope: null,
    tag: "t",
    summary: "s",
    handle: () => data,
  });

const app = createHttpApp({
  tables: [
    {
      prefix: "/x",
      endpoints: [entry("GET", "/many", ROWS), entry("GET", "/one", ROWS[0]), entry("POST", "/many", ROWS)],
      guard: () => () => {},
    },
  ],
  gates: [],
  cors: () => ({ ...CORS_OFF, enabled: true, allowedOrigins: ["https://a.example"] }),
  newRequestId: () => "1",
  logger: silentLogger,
});

const ask = (path: string, accepted?: string, method = "GET") => {
  const headers = { ...(accepted && { "Accept-Encoding": accepted }) };
  return app.fetch(new Request(`http://localhost/x${path}`, { method, headers }), CONNECTION);
};
/** CORS varies by origin. */
const VARIES = "Accept-Encoding, Origin";

test("a long read is compressed for clients that accept gzip", async () => {
  for (const accepted of ["gzip", "br, GZIP;q=0.5", "deflate, gzip ; q=1.0"]) {
    const response = await ask("/many", accepted);
    expect([accepted, response.headers.get("Content-Encoding")]).toEqual([accepted, "gzip"]);
    expect(response.headers.get("Vary")).toBe(VARIES);
    expect(response.headers.get("Content-Type")).toBe("application/json; charset=utf-8");
    const bytes = await response.bytes();
    expect(bytes.length).toBeLessThan(TEXT.length / 4);
    expect(Buffer.from(Bun.gunzipSync(bytes)).toString()).toBe(TEXT);
  }
});

test("others get it plain, distinguished for caches, beside the Vary of CORS", async () => {
  for (const accepted of [undefined, "br", "gzip;q=0", "gzip; q=0.000", "xgzip"]) {
    const response = await ask("/many", accepted);
    expect([accepted, response.headers.get("Content-Encoding")]).toEqual([accepted, null]);
    expect(response.headers.get("Vary")).toBe(VARIES);
    expect(await response.text()).toBe(TEXT);
  }
});

test("short responses and those to writes, which may contain a secret, stay plain", async () => {
  for (const [path, method] of [
    ["/one", "GET"],
    ["/many", "POST"],
  ] as const) {
    const { headers } = await ask(path, "gzip", method);
    expect([method, headers.get("Content-Encoding"), headers.get("Vary")]).toEqual([method, null, "Origin"]);
  }
});

test("HEAD has the length of GET", async () => {
  const [head, get] = [await ask("/many", "gzip", "HEAD"), await ask("/many", "gzip")];
  expect(head.headers.get("Content-Encoding")).toBe("gzip");
  expect((await head.bytes()).length).toBe((await get.bytes()).length);
});
