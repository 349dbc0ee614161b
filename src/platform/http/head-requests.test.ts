/** HEAD and OPTIONS over a real server: the server drops the bodies. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Server } from "bun";
import { silentLogger } from "../../lib/logger.ts";
import { sendRaw } from "../../../test/support/raw-http.ts";
import { CONNECTION, CORS_OFF } from "./app.test-support.ts";
import { createHttpApp } from "./app.ts";
import { endpoint } from "./endpoint.ts";
import type { Guard } from "./mount.ts";

const pass: ReturnType<Guard> = () => {};
const PLAIN = { access: "public", scope: null, tag: "t", summary: "s" } as const;
let cancelled = 0;
let server: Server<undefined>;

beforeAll(() => {
  const endpoints = [
    endpoint("GET /json", { ...PLAIN, handle: () => ({ n: 1 }) }),
    endpoint("POST /json", { ...PLAIN, handle: () => ({ n: 2 }) }),
    endpoint("GET /stream", { ...PLAIN, handle: () => new Response(endless()) }),
    endpoint("GET /none", { ...PLAIN, handle: () => new Response(null, { status: 204 }) }),
  ];
  const app = createHttpApp({
    tables: [{ prefix: "/x", endpoints, guard: () => pass }],
    gates: [],
    cors: () => CORS_OFF,
    newRequestId: () => "1",
    logger: silentLogger,
  });
  server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: (request) => app.fetch(request, CONNECTION) });
});
afterAll(() => server.stop(true));

function endless(): ReadableStream {
  return new ReadableStream(
    {
      pull: (controller) => controller.enqueue(new Uint8Array(10)),
      cancel: () => void cancelled++,
    },
    { highWaterMark: 0 },
  );
}

const send = (method: string, path: string) =>
  sendRaw(server.url.origin, `${method} ${path} HTTP/1.1\r\nHost: a.example\r\nConnection: close\r\n\r\n`);
const lengthIn = (head: string) => /^content-length: (\d+)/im.exec(head)?.[1];

test.each(["/x/json", "/x/nothing"])("HEAD %s has the headers of GET and no body", async (path) => {
  const get = await send("GET", path);
  const head = await send("HEAD", path);
  expect(get.body.length).toBeGreaterThan(0);
  expect([head.status, head.body]).toEqual([get.status, ""]);
  expect(lengthIn(head.head)).toBe(String(get.body.length));
  expect(head.head).toContain("application/json; charset=utf-8");
  expect(head.head.toLowerCase()).toContain("x-request-id: 1");
});

test("HEAD of a stream sends no length and closes the stream", async () => {
  const { status, head, body } = await send("HEAD", "/x/stream");
  expect([status, body, lengthIn(head)]).toEqual([200, "", undefined]);
  expect(cancelled).toBe(1);
});

test("HEAD of an empty response has no content", async () => {
  expect(await send("HEAD", "/x/none")).toMatchObject({ status: 204, body: "" });
});

test("OPTIONS lists the methods of a path", async () => {
  const { status, head, body } = await send("OPTIONS", "/x/json");
  expect([status, body]).toEqual([204, ""]);
  expect(/^allow: (.*)$/im.exec(head)?.[1]?.trim()).toBe("GET, HEAD, POST, OPTIONS");
  expect((await send("OPTIONS", "/x/nothing")).status).toBe(404);
});
