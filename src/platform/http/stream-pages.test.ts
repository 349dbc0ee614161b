import { afterAll, beforeEach, expect, test } from "bun:test";
import { connect, type Socket } from "node:net";
import { streamPages } from "./stream-pages.ts";
import { until } from "../../../test/support/until.ts";

const PAGE = "x".repeat(30_000);
const MANY = 10_000;

let made = 0;
let closed = 0;
let failures: string[] = [];
let pages: () => AsyncGenerator<string, void> = numbered;
let stallMs = 60_000;

/** Numbered pages, failing at one of them. */
async function* numbered(count = MANY, failAt = Infinity): AsyncGenerator<string, void> {
  try {
    for (let page = 1; page <= count; page++) {
      await new Promise(setImmediate);
      if (page === failAt) throw new Error(`page ${page} failed`);
      made++;
      yield PAGE;
    }
  } finally {
    closed++;
  }
}

const onFailure = (error: unknown) => failures.push((error as Error).message);

const server = Bun.serve({
  port: 0,
  development: false,
  async fetch(request) {
    server.timeout(request, 0);
    const cut = () => server.timeout(request, 1);
    try {
      return new Response(await streamPages(pages(), { onFailure, cut, stallMs }));
    } catch (error) {
      return new Response((error as Error).message, { status: 500 });
    }
  },
});
afterAll(() => server.stop(true));

beforeEach(() => {
  made = 0;
  closed = 0;
  failures = [];
  pages = numbered;
  stallMs = 60_000;
});

function ask(): Socket {
  const socket = connect(server.port!, "localhost").on("error", () => undefined);
  socket.write("GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
  return socket;
}

/** All bytes until the connection ended. */
async function wholeResponse(): Promise<string> {
  const chunks: Buffer[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  ask()
    .on("data", (chunk: Buffer) => chunks.push(chunk))
    .on("close", () => resolve());
  await promise;
  return Buffer.concat(chunks).toString("latin1");
}

test("a complete text ends with the end mark", async () => {
  pages = () => numbered(5);
  const response = await wholeResponse();
  expect(response).toMatch(/\r\nTransfer-Encoding: chunked\r\n/i);
  expect(response.endsWith("\r\n0\r\n\r\n")).toBe(true);
  expect(response.match(/x/g)).toHaveLength(5 * PAGE.length);
  expect(failures).toEqual([]);
});

test("a text of one page is chunked too", async () => {
  pages = async function* () {
    yield "short";
  };
  const response = await wholeResponse();
  expect(response).toMatch(/\r\nTransfer-Encoding: chunked\r\n/i);
  expect(response).not.toMatch(/content-length/i);
  expect(response).toEndWith("\r\n5\r\nshort\r\n0\r\n\r\n");
});

test("a second page that fails at once leaves the first an incomplete text", async () => {
  pages = async function* () {
    yield "short";
    throw new Error("at once");
  };
  const response = await wholeResponse();
  expect(response).toEndWith("\r\n5\r\nshort\r\n");
  expect(response).not.toMatch(/content-length/i);
});

test.each([2, 3, 7])("a text whose page %d fails ends without the end mark", async (page) => {
  pages = () => numbered(MANY, page);
  const response = await wholeResponse();
  expect(response).toStartWith("HTTP/1.1 200");
  expect(response).toContain(PAGE);
  expect(response).not.toContain("\r\n0\r\n");
  expect(response).not.toMatch(/content-length/i);
  expect(failures).toEqual([`page ${page} failed`]);
});

test("a failure of the first page can still be reported with an error", async () => {
  pages = () => numbered(MANY, 1);
  expect(await wholeResponse()).toMatch(/^HTTP\/1.1 500 [^]*page 1 failed$/);
});

test("pages are made only as the client reads them", async () => {
  const socket = ask().pause();
  await until(() => made > 0);
  let before = -1;
  for (; before !== made; await Bun.sleep(50)) before = made;
  expect(made).toBeLessThan(1000);
  socket.destroy();
  await until(() => closed === 1);
  expect(failures).toEqual([]);
});

test("no page is made after the client disconnects", async () => {
  const socket = ask();
  socket.once("data", () => socket.destroy());
  await until(() => closed === 1);
  expect(made).toBeLessThan(MANY);
  expect(failures).toEqual([]);
});

test("a client that stops reading is cut off", async () => {
  stallMs = 50;
  ask().pause();
  await until(() => closed === 1);
  expect(failures).toEqual(["The client read nothing for 0.05 seconds."]);
  // The server checks its timeouts every few seconds.
  await until(() => server.pendingRequests === 0);
});

test("a failure of abandoned pages is reported and leaves no unhandled rejection", async () => {
  stallMs = 50;
  const close = async () => {
    throw new Error("can't be closed");
  };
  pages = async function* () {
    try {
      for (;;) {
        await new Promise(setImmediate);
        yield PAGE;
      }
    } finally {
      await close();
    }
  };
  ask().pause();
  await until(() => failures.length === 2);
  expect(failures).toEqual(["The client read nothing for 0.05 seconds.", "can't be closed"]);
  const socket = ask();
  socket.once("data", () => socket.destroy());
  await until(() => failures.length === 3);
  expect(failures.at(-1)).toBe("can't be closed");
});
