/** Responses of every kind, over TCP, TLS and a unix socket, as the client of the runtime reads them. */
import { afterAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileResponse } from "../../lib/file-response.ts";
import { makeKeyPair } from "../../lib/key-pair.test-support.ts";
import { wholeResponse } from "../../lib/whole-response.ts";
import type { Arrival } from "./arrival.ts";
import { createServerCertificates } from "./server-certificates.ts";
import { startWireServer, type WireOptions, type WireServer } from "./wire-server.ts";

const folder = mkdtempSync(join(tmpdir(), "waymark-wire-"));
const CONTENT = Buffer.from(Array.from({ length: 3_000_000 }, (_, at) => (at * 7 + (at >> 9)) % 251));
const path = join(folder, "file");
writeFileSync(path, CONTENT);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function streamOf(pieces: readonly Uint8Array[], end: "close" | "error" = "close") {
  let at = 0;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        await new Promise((resolve) => setTimeout(resolve, 1));
        const piece = pieces[at++];
        if (piece !== undefined) controller.enqueue(piece);
        else if (end === "close") controller.close();
        else controller.error(new Error("broken"));
      },
    },
    { highWaterMark: 0 },
  );
}

/** One byte a character. */
const PAGE = Buffer.from("<p>é</p>".repeat(400)).toString("latin1");
const LONG_TEXT = "some text é ".repeat(30_000);
const PIECES = [CONTENT.subarray(0, 700_000), CONTENT.subarray(700_000)];
const length = (bytes: number) => ({ headers: { "Content-Length": String(bytes) } });

const RESPONSES: Record<string, (arrival: Arrival) => Response | Promise<Response>> = {
  "/text": () => new Response("some text"),
  "/whole": () => wholeResponse("some text", { headers: { "X-A": "é" } }),
  "/whole-letters": () => wholeResponse("é€", {}),
  "/whole-long": () => wholeResponse(LONG_TEXT, {}),
  "/whole-bytes": () => wholeResponse(CONTENT, {}),
  "/long": () => new Response(new Uint8Array(CONTENT)),
  "/known": () => new Response(streamOf(PIECES), length(CONTENT.length)),
  "/stream": () => new Response(streamOf(PIECES)),
  "/file": (arrival) => {
    const headers = new Headers();
    return fileResponse(arrival, Bun.file(path), 0, { status: 200, headers });
  },
  "/part": (arrival) => {
    const body = Bun.file(path).slice(1_000, 2_000_001);
    return fileResponse(arrival, body, 1_000, { status: 206, headers: new Headers() });
  },
  "/short": () => new Response(streamOf([CONTENT.subarray(0, 99)]), length(100)),
  "/too-long": () => new Response(streamOf([CONTENT.subarray(0, 101)]), length(100)),
  "/broken": () => new Response(streamOf([CONTENT.subarray(0, 99)], "error")),
  "/broken-known": () => new Response(streamOf([CONTENT.subarray(0, 99)], "error"), length(100)),
  "/fails": () => Promise.reject(new Error("no answer")),
  "/throws": () => {
    throw new Error("no answer");
  },
  "/echo": async (arrival) => new Response(await arrival.request().bytes()),
  "/empty": () => new Response(null, { status: 204 }),
  "/fields": (arrival) =>
    Response.json(
      ["cookie", "x-a"].flatMap((name) => [arrival.get(name), arrival.request().headers.get(name)]),
    ),
  "/in-place": (arrival) => arrival.respondInPlace(404, "X-A: b\r\n", "nothing"),
  "/page": (arrival) => arrival.respondInPlace(404, "X-A: page\r\n", PAGE),
  "/gone": (arrival) => arrival.respondInPlace(410, "X-A: gone\r\n", PAGE),
};

const respond: WireOptions["respond"] = (arrival) => RESPONSES[arrival.path]!(arrival);
const explain = () => new Response("failed", { status: 500 });
const servers: WireServer[] = [];
afterAll(() => Promise.all(servers.map((server) => server.stop(true))));

function start(options: Pick<WireOptions, "address" | "tls">): WireServer {
  const server = startWireServer({ ...options, respond, explain });
  servers.push(server);
  return server;
}

const local = { hostname: "127.0.0.1", port: 0, reusePort: false };
const plain = start({ address: local, tls: null });
const unix = join(folder, "socket");
start({ address: { unix }, tls: null });

const tls = Bun.which("openssl") === null ? null : createServerCertificates(makeKeyPair());
const secure = tls === null ? null : start({ address: local, tls });

type Get = (target: string, init?: RequestInit) => Promise<Response>;
const WAYS: [name: string, get: Get | null][] = [
  ["TCP", (target, init) => fetch(`http://127.0.0.1:${plain.port}${target}`, init)],
  ["a unix socket", (target, init) => fetch(`http://localhost${target}`, { ...init, unix })],
  [
    "TLS",
    secure &&
      ((target, init) =>
        fetch(`https://127.0.0.1:${secure.port}${target}`, { ...init, tls: { rejectUnauthorized: false } })),
  ],
];

describe.each(WAYS)("over %s", (_name, get) => {
  const ask = get!;
  test.skipIf(get === null)("what has a length declares it, and arrives as it is", async () => {
    for (const [target, content] of [
      ["/text", Buffer.from("some text")],
      ["/whole", Buffer.from("some text")],
      ["/whole-letters", Buffer.from("é€")],
      ["/whole-long", Buffer.from(LONG_TEXT)],
      ["/whole-bytes", CONTENT],
      ["/long", CONTENT],
      ["/known", CONTENT],
      ["/file", CONTENT],
      ["/part", CONTENT.subarray(1_000, 2_000_001)],
      ["/in-place", Buffer.from("nothing")],
      ["/page", Buffer.from(PAGE, "latin1")],
    ] as const) {
      const head = await ask(target, { method: "HEAD" });
      expect([target, head.headers.get("content-length")]).toEqual([target, String(content.length)]);
      const got = await ask(target);
      expect([target, got.headers.get("content-length")]).toEqual([target, String(content.length)]);
      expect(Buffer.from(await got.bytes()).equals(content)).toBe(true);
    }
  });

  test.skipIf(get === null)("a stream without a length comes in chunks", async () => {
    const got = await ask("/stream");
    expect([got.headers.get("content-length"), got.headers.get("transfer-encoding")]).toEqual([
      null,
      "chunked",
    ]);
    expect(Buffer.from(await got.bytes()).equals(CONTENT)).toBe(true);
  });

  test.skipIf(get === null)("a body comes back as it was sent, with a length and in chunks", async () => {
    const sent = new Uint8Array(CONTENT);
    expect(
      Buffer.from(await (await ask("/echo", { method: "POST", body: sent })).bytes()).equals(CONTENT),
    ).toBe(true);
    const init = { method: "POST", body: streamOf(PIECES), duplex: "half" } as RequestInit;
    expect(Buffer.from(await (await ask("/echo", init)).bytes()).equals(CONTENT)).toBe(true);
  });

  test.skipIf(get === null)("a response that fails on its way can't pass for a whole one", async () => {
    for (const target of ["/short", "/too-long", "/broken", "/broken-known"]) {
      const read = async () => (await ask(target)).bytes();
      await expect(read()).rejects.toThrow();
    }
  });

  test.skipIf(get === null)("a failure to respond is explained, and 204 has no body", async () => {
    for (const target of ["/fails", "/throws"]) {
      const got = await ask(target);
      expect([got.status, await got.text()]).toEqual([500, "failed"]);
    }
    const empty = await ask("/empty");
    expect([empty.status, empty.headers.get("content-length")]).toEqual([204, null]);
  });
});

test("bodies that come with their heads are read in order, however they are cut", async () => {
  const post = (body: string) =>
    `POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  const bodies = ["first", "a".repeat(20_000), "", "last"];
  const text = bodies.map(post).join("");
  const whole = await exchange((socket) => socket.end(text));
  const cut = await exchange((socket) => {
    socket.setNoDelay(true);
    for (let at = 0; at < text.length; at += 997) socket.write(text.slice(at, at + 997));
    socket.end();
  });
  for (const got of [whole, cut]) {
    const found = got.split(/HTTP\/1\.1 200 OK\r\n/).slice(1);
    expect(found.map((one) => one.slice(one.indexOf("\r\n\r\n") + 4))).toEqual(bodies);
  }
});

test("a field is read in place as from the Request, also a repeated one", async () => {
  const got = await exchange((socket) =>
    socket.end("GET /fields HTTP/1.1\r\nHost: a\r\nCookie: a=1\r\nx-a: 1\r\nCOOKIE: b=2\r\nX-A:  2 \r\n\r\n"),
  );
  expect(got.slice(got.indexOf("\r\n\r\n") + 4)).toBe('["a=1; b=2","a=1; b=2","1, 2","1, 2"]');
});

test("a client that stops reading holds up its response only, and gets all of it", async () => {
  const clients = ["/file", "/known", "/long"].map((target) => {
    const pieces: Buffer[] = [];
    const socket: Socket = connect(plain.port, "127.0.0.1");
    const ended = new Promise<void>((resolve) => socket.on("end", () => resolve()));
    socket.on("data", (piece: Buffer) => pieces.push(piece));
    socket.pause();
    socket.write(`GET ${target} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
    return { socket, pieces, ended };
  });
  for (let round = 0; round < 20; round++) {
    expect((await fetch(`http://127.0.0.1:${plain.port}/text`)).status).toBe(200);
  }
  for (const { socket, pieces, ended } of clients) {
    socket.resume();
    await ended;
    const whole = Buffer.concat(pieces);
    expect(whole.subarray(whole.indexOf("\r\n\r\n") + 4).equals(CONTENT)).toBe(true);
  }
});

/** What comes until the server closes. */
function exchange(send: (socket: Socket) => void): Promise<string> {
  const socket = connect(plain.port, "127.0.0.1");
  let text = "";
  socket.on("data", (piece: Buffer) => (text += piece.toString("latin1")));
  socket.on("error", () => undefined);
  send(socket);
  return new Promise((resolve) => socket.on("close", () => resolve(text)));
}

const VISIT = "GET /in-place HTTP/1.1\r\nHost: a\r\n\r\n";

test("a pipeline longer than what is looked at once is handled to its end", async () => {
  const text = await exchange((socket) => {
    socket.write(VISIT.repeat(20_000) + VISIT.replace("Host: a", "Host: a\r\nConnection: close"));
  });
  expect(text.split("HTTP/1.1 404 ").length - 1).toBe(20_001);
});

test("the last responses leave before the connection ends, also to a client that reads late", async () => {
  const text = await exchange((socket) => {
    socket.pause();
    socket.write(VISIT.repeat(100_000) + VISIT.replace("Host: a", "Host: a\r\nConnection: close"), () =>
      socket.resume(),
    );
    setTimeout(() => socket.resume(), 300);
  });
  expect(text.split("HTTP/1.1 404 ").length - 1).toBe(100_001);
});

test("pages and short responses of a pipeline keep their order, also for a client that reads late", async () => {
  const paths = Array.from({ length: 9_000 }, (_, at) =>
    at % 7 === 0 ? "/page" : at % 5 === 0 ? "/gone" : "/in-place",
  );
  const ask = (target: string) => `GET ${target} HTTP/1.1\r\nHost: a\r\n\r\n`;
  const text = await exchange((socket) => {
    socket.pause();
    socket.write(paths.map(ask).join("") + ask("/page").replace("Host: a", "Host: a\r\nConnection: close"));
    setTimeout(() => socket.resume(), 300);
  });
  const responses = text.split("HTTP/1.1 ").slice(1);
  const kinds: Record<string, string> = { page: "/page", gone: "/gone", b: "/in-place" };
  expect(responses.map((one) => kinds[/X-A: (\w+)/.exec(one)![1]!]!)).toEqual([...paths, "/page"]);
  for (const one of responses) {
    const [head, content] = one.split("\r\n\r\n") as [string, string];
    expect(head.startsWith(head.includes("gone") ? "410" : "404")).toBe(true);
    expect(content).toBe(head.includes("X-A: b") ? "nothing" : PAGE);
  }
});

test("the body of a request that nobody reads is dropped, and takes no memory", async () => {
  const before = process.memoryUsage().rss;
  const text = await exchange((socket) => {
    socket.write("POST /text HTTP/1.1\r\nHost: a\r\nContent-Length: 200000000\r\n\r\n");
    socket.write(Buffer.alloc(50_000_000));
  });
  expect(text).toStartWith("HTTP/1.1 200 OK\r\n");
  expect(text).toContain("Connection: close\r\n");
  // The client's own bytes are of this process, too.
  expect(process.memoryUsage().rss - before).toBeLessThan(150_000_000);
});

test("a malformed head has its response when the client has ended its half", async () => {
  const text = await exchange((socket) => socket.end("GET /a b HTTP/1.1\r\nHost: a\r\n\r\n"));
  expect(text).toStartWith("HTTP/1.1 500 ");
});
