import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { until } from "../../test/support/until.ts";
import { withKnownLength } from "./known-length.ts";
import { streamPages } from "./stream-pages.ts";

const PAGE = Buffer.from("0123456789".repeat(20_000));
const PAGES = 20;
const LENGTH = PAGE.length * PAGES;

let made = 0;
let closed = 0;
let failures: string[] = [];
const onFailure = (error: unknown) => failures.push((error as Error).message);

async function* numbered(count: number, failAt: number): AsyncGenerator<Uint8Array, void> {
  try {
    for (let page = 0; page < count; page++) {
      await new Promise(setImmediate);
      if (page === failAt) throw new Error(`page ${page} failed`);
      made++;
      yield PAGE;
    }
  } finally {
    closed++;
  }
}

const answerOf = async (request: Request, server: Bun.Server<undefined>): Promise<Response> => {
  const { pathname, searchParams } = new URL(request.url, "http://localhost");
  if (pathname === "/small") return new Response("small");
  const number = (name: string, other: number) => Number(searchParams.get(name) ?? other);
  const pages = numbered(number("pages", PAGES), number("failAt", -1));
  const cut = () => server.timeout(request, 1);
  const isPart = pathname === "/part";
  const body = request.method === "HEAD" ? null : await streamPages(pages, { onFailure, cut, restMs: 0 });
  return new Response(body, {
    status: isPart ? 206 : 200,
    headers: [
      ...(pathname === "/unknown" ? [] : [["Content-Length", String(LENGTH)] as [string, string]]),
      ...(isPart ? [["Content-Range", `bytes 0-${LENGTH - 1}/${LENGTH * 2}`] as [string, string]] : []),
      ["Set-Cookie", "a=1"],
      ["Set-Cookie", "b=2"],
      ["X-Text", "ü"],
    ],
  });
};

const serve = (at: { hostname: string } | { unix: string }) =>
  Bun.serve({
    ...({ port: 0, ...at } as { port: number; hostname: string }),
    development: false,
    fetch: withKnownLength<Bun.Server<undefined>>(answerOf),
  });
const server = serve({ hostname: "127.0.0.1" });
afterAll(() => server.stop(true));

beforeEach(() => {
  made = 0;
  closed = 0;
  failures = [];
});

type Client = { socket: Socket; bytes(): Buffer; isClosed(): boolean };

function open(port = server.port!, host = "127.0.0.1"): Client {
  return client(connect(port, host));
}

function client(socket: Socket): Client {
  const chunks: Buffer[] = [];
  let isClosed = false;
  socket.on("data", (chunk: Buffer) => void chunks.push(chunk));
  socket.on("close", () => (isClosed = true)).on("error", () => undefined);
  return { socket, bytes: () => Buffer.concat(chunks), isClosed: () => isClosed };
}

const get = (path: string, method = "GET") => `${method} ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`;

/** All bytes until the connection ended. */
async function all(path: string, from = open(), pipelined = "") {
  from.socket.write(get(path) + pipelined);
  await until(from.isClosed);
  return parsed(from.bytes());
}

function parsed(bytes: Buffer) {
  const end = bytes.indexOf("\r\n\r\n") + 4;
  return { head: bytes.toString("latin1", 0, end).toLowerCase(), body: bytes.subarray(end) };
}

const isExact = (body: Buffer): boolean =>
  body.length === LENGTH && body.equals(Buffer.concat(Array.from({ length: PAGES }, () => PAGE)));

describe.skipIf(process.platform !== "linux")("a stream of known length", () => {
  test("has it, is not chunked, is exact and ends its connection", async () => {
    const { head, body } = await all("/");
    expect(head).toStartWith("http/1.1 200 ok\r\n");
    expect(head).toContain(`\r\ncontent-length: ${LENGTH}\r\n`);
    expect(head).toContain("\r\nconnection: close\r\n");
    expect(head).toContain("\r\nset-cookie: a=1\r\n");
    expect(head).toContain("\r\nset-cookie: b=2\r\n");
    expect(head).toContain("\r\nx-text: \xfc\r\n");
    expect(head).toMatch(/\r\ndate: \w{3}, /);
    expect(head).not.toContain("transfer-encoding");
    expect(isExact(body)).toBe(true);
    expect([closed, failures]).toEqual([1, []]);
  });

  test("keeps the status and the headers of a part", async () => {
    const { head, body } = await all("/part");
    expect(head).toStartWith("http/1.1 206 partial content\r\n");
    expect(head).toContain(`\r\ncontent-range: bytes 0-${LENGTH - 1}/${LENGTH * 2}\r\n`);
    expect(isExact(body)).toBe(true);
  });

  test("comes after other answers of its connection, and new connections are served as before", async () => {
    const kept = open();
    for (let round = 1; round <= 3; round++) {
      kept.socket.write(get("/small"));
      await until(() => kept.bytes().toString().split("small").length === round + 1);
    }
    const before = kept.bytes().length;
    kept.socket.write(get("/"));
    await until(kept.isClosed);
    const { head, body } = parsed(kept.bytes().subarray(before));
    expect(head).toContain(`content-length: ${LENGTH}`);
    expect(isExact(body)).toBe(true);
    expect(await (await fetch(`${server.url.origin}/small`)).text()).toBe("small");
  });

  test("never mixes with pipelined answers", async () => {
    const piped = open();
    piped.socket.write(get("/small") + get("/"));
    await until(
      () => closed === 1 && (piped.isClosed() || piped.bytes().toString().endsWith("\r\n0\r\n\r\n")),
    );
    piped.socket.destroy();
    const second = piped.bytes().indexOf("HTTP/1.1", 1);
    expect(piped.bytes().toString("latin1", 0, second)).toEndWith("\r\n\r\nsmall");
    const { head, body } = parsed(piped.bytes().subarray(second));
    if (head.includes("content-length")) expect(isExact(body)).toBe(true);
    else expect(head).toContain("transfer-encoding: chunked");
    // The runtime closes a connection with a request behind one that is not answered.
    expect((await all("/", open(), get("/small"))).body.includes("HTTP")).toBe(false);
  });

  test("is cut by a failure, and by another length than it said", async () => {
    for (const query of ["failAt=3", "pages=3", `pages=${PAGES + 1}`]) {
      const { head, body } = await all(`/?${query}`);
      expect(head).toContain(`content-length: ${LENGTH}`);
      if (query === `pages=${PAGES + 1}`) expect(body.length).toBe(LENGTH);
      else expect(body.length).toBe(3 * PAGE.length);
    }
    expect(failures).toEqual(["page 3 failed"]);
    expect(closed).toBe(3);
  });

  test("waits for a client that does not read, and ends when it leaves", async () => {
    const descriptors = () => readdirSync("/proc/self/fd").length;
    const before = descriptors();
    const idle = open();
    idle.socket.pause();
    idle.socket.write(get("/?pages=1000000"));
    let last = -1;
    await until(async () => {
      const isStill = made > 0 && made === last;
      last = made;
      await Bun.sleep(100);
      return isStill;
    });
    // What the system buffers on both sides.
    expect(made * PAGE.length).toBeLessThan(32 * 2 ** 20);
    idle.socket.destroy();
    await until(() => closed === 1 && server.pendingRequests === 0 && descriptors() <= before);
  });

  test("ends with the server", async () => {
    const other = serve({ hostname: "127.0.0.1" });
    const slow = open(other.port!);
    slow.socket.once("data", () => slow.socket.pause());
    slow.socket.write(get("/?pages=1000000"));
    await until(() => made > 0);
    await other.stop(true);
    slow.socket.resume();
    await until(() => slow.isClosed() && closed === 1);
  });

  test("is found among the connections of both families", async () => {
    const both = serve({ hostname: "::" });
    for (const host of ["::1", "127.0.0.1"]) {
      const { head, body } = await all("/", open(both.port!, host));
      expect(head).toContain(`content-length: ${LENGTH}`);
      expect(isExact(body)).toBe(true);
    }
    await both.stop(true);
  });
});

test("a stream of unknown length, HEAD, and an answer on a unix socket go the runtime's way", async () => {
  const unknown = await fetch(`${server.url.origin}/unknown`);
  expect(unknown.headers.get("transfer-encoding")).toBe("chunked");
  expect(isExact(Buffer.from(await unknown.arrayBuffer()))).toBe(true);
  const asked = open();
  asked.socket.write(get("/", "HEAD"));
  await until(() => asked.bytes().toString().endsWith("\r\n\r\n"));
  asked.socket.write(get("/small"));
  await until(() => asked.bytes().toString().endsWith("small"));
  expect(asked.bytes().toString()).toContain(`ontent-length: ${LENGTH}\r\n`);
  asked.socket.destroy();
  const folder = mkdtempSync(join(tmpdir(), "waymark-known-"));
  const path = join(folder, "s");
  const local = serve({ unix: path });
  const answer = await fetch("http://localhost/", { unix: path });
  expect(answer.headers.get("transfer-encoding")).toBe("chunked");
  expect(isExact(Buffer.from(await answer.arrayBuffer()))).toBe(true);
  await local.stop(true);
  rmSync(folder, { recursive: true });
});
