/**
 * Clients that read late or never, send on after the last response, or leave: what the server holds for them, and how
 * long.
 */
import { afterAll, expect, test } from "bun:test";
import { connect, type Socket } from "node:net";
import { until } from "../../../test/support/until.ts";
import type { Arrival } from "./arrival.ts";
import { shareBytes, sharedResponse } from "../../lib/shared-bytes.ts";
import { Connection } from "./connection.ts";
import { createInflow } from "./inflow.ts";
import { createOutbox } from "./outbox.ts";
import { startWireServer, type WireOptions, type WireServer } from "./wire-server.ts";

type Controller = ReadableStreamDefaultController<Uint8Array>;
/** As a cache keeps them. */
const agents: string[] = [];
/** Paths of responses that take a while. */
const order: string[] = [];
let onFirst: (() => void) | null = null;
let cancelled = 0;
let responded = 0;

const streamOf = (source: UnderlyingDefaultSource<Uint8Array>) =>
  new Response(new ReadableStream(source, { highWaterMark: 0 }));

const SHARED = shareBytes(new Uint8Array(2 * 1024 * 1024).fill(120));

const WHOLE = "w".repeat(16 * 1024 * 1024);

const RESPONSES: Record<string, (arrival: Arrival) => Response | Promise<Response>> = {
  "/short": (arrival) => arrival.respondInPlace(404, "", "nothing"),
  "/distant": (arrival) => arrival.respondInPlace(307, `Location: /${"d".repeat(8_000)}\r\n`),
  "/slow": (arrival) => {
    order.push(arrival.path);
    onFirst?.();
    onFirst = null;
    const end = performance.now() + 0.2;
    while (performance.now() < end);
    return arrival.respondInPlace(404, "");
  },
  "/other": (arrival) => {
    order.push(arrival.path);
    return arrival.respondInPlace(404, "");
  },
  "/agent": (arrival) => {
    agents.push(arrival.get("user-agent")!);
    return arrival.respondInPlace(404, "");
  },
  "/pieces": async (arrival) => {
    let count = 0;
    let bytes = 0;
    for await (const piece of arrival.request().body!) {
      count++;
      bytes += piece.length;
    }
    return Response.json({ count, bytes });
  },
  "/silent": () =>
    streamOf({
      start: (to: Controller) => to.enqueue(Buffer.from("x")),
      cancel: () => void cancelled++,
    }),
  "/whole": () => new Response(WHOLE),
  "/shared": (arrival) => sharedResponse(arrival.request(), SHARED, {}),
  "/later": () => {
    let left = 3;
    return streamOf({
      async pull(to: Controller) {
        await Bun.sleep(1);
        if (left-- > 0) to.enqueue(Buffer.from("part"));
        else to.close();
      },
    });
  },
};

const servers: WireServer[] = [];
afterAll(() => Promise.all(servers.map((server) => server.stop(true))));

function start(options: Partial<WireOptions> = {}): WireServer {
  const server = startWireServer({
    address: { hostname: "127.0.0.1", port: 0, reusePort: false },
    tls: null,
    respond(arrival) {
      responded++;
      return RESPONSES[arrival.path]!(arrival);
    },
    explain: () => new Response("failed", { status: 500 }),
    ...options,
  });
  servers.push(server);
  return server;
}
const server = start();

/** The client's half stays open until it is ended. */
function open(to = server) {
  const socket: Socket = connect({ port: to.port, host: "127.0.0.1", allowHalfOpen: true });
  const seen = { text: "", error: "", hasEnded: false };
  socket.setNoDelay(true);
  socket.on("data", (piece: Buffer) => (seen.text += piece.toString("latin1")));
  socket.on("end", () => (seen.hasEnded = true));
  socket.on("error", ({ message }) => (seen.error = message));
  return { socket, seen };
}

const ask = (target: string, fields = "", version = "HTTP/1.1") =>
  `GET ${target} ${version}\r\nHost: a\r\n${fields}\r\n`;
const responsesIn = (text: string): number => text.split("HTTP/1.1 ").length - 1;

test.each(["/short", "/later"])(
  "a client that sends on after the last response (%s) is read to its end, and the connection is not reset",
  async (target) => {
    const { socket, seen } = open();
    socket.write(ask(target, "Connection: close\r\n"));
    await until(() => seen.hasEnded);
    for (let at = 0; at < 100; at++) {
      await new Promise<void>((resolve) => socket.write(ask("/short").repeat(50), () => resolve()));
      await new Promise(setImmediate);
    }
    expect([responsesIn(seen.text), seen.error]).toEqual([1, ""]);
    const closed = new Promise((resolve) => socket.on("close", resolve));
    socket.end();
    await closed;
    expect(seen.error).toBe("");
  },
);

test("a stop does not wait for a client that has read its last responses late", async () => {
  const stopped = start();
  const { socket, seen } = open(stopped);
  socket.pause();
  const before = responded;
  socket.write(ask("/distant").repeat(3_000));
  await until(() => responded > before);
  const stopping = stopped.stop().then(() => true);
  socket.resume();
  await until(() => seen.hasEnded);
  socket.end();
  expect(await Promise.race([stopping, Bun.sleep(30_000).then(() => false)])).toBe(true);
});

test("responses to a client that does not read are made as it takes them", async () => {
  const { socket, seen } = open();
  socket.pause();
  const before = responded;
  socket.write(ask("/distant").repeat(4_000));
  await until(() => responded > before);
  for (let round = 0; round < 20; round++) await fetch(`http://127.0.0.1:${server.port}/short`);
  // What the system takes is a few megabytes of 32.
  expect(responded - before).toBeLessThan(2_500);
  socket.resume();
  await until(() => responsesIn(seen.text) === 4_000);
  socket.destroy();
});

test("a part of a head that something keeps does not keep what came with it", async () => {
  const padding = ask("/short", `X-A: ${"a".repeat(14_000)}\r\n`).repeat(7);
  const { socket, seen } = open();
  Bun.gc(true);
  const before = process.memoryUsage().rss;
  for (let round = 0; round < 3_000; round++) {
    const agent = `User-Agent: Agent/${round}\r\n`;
    await new Promise<void>((resolve) => socket.write(ask("/agent", agent) + padding, () => resolve()));
    while (agents.length <= round) await new Promise(setImmediate);
    seen.text = "";
  }
  Bun.gc(true);
  expect(agents.at(-1)).toBe("Agent/2999");
  expect(process.memoryUsage().rss - before).toBeLessThan(150_000_000);
  socket.destroy();
});

test("a small rest does not keep the bytes that it came with", () => {
  const inflow = createInflow({ pause: () => {}, resume: () => {} });
  inflow.hold(Buffer.alloc(500_000, "a").subarray(499_990));
  const held = inflow.take()!;
  expect([held.toString(), held.buffer.byteLength]).toEqual(["a".repeat(10), 10]);
});

test("tiny chunks that come together are read together", async () => {
  const { socket, seen } = open();
  const head = ask("/pieces", "Transfer-Encoding: chunked\r\n").replace("GET", "POST");
  socket.write(`${head}${"1\r\na\r\n".repeat(50_000)}0\r\n\r\n`);
  await until(() => seen.text.includes("}"));
  const { count, bytes } = JSON.parse(seen.text.slice(seen.text.indexOf("{")));
  expect(bytes).toBe(50_000);
  expect(count).toBeLessThan(500);
  socket.destroy();
});

test("a long pipeline gives way to others", async () => {
  const [busy, other] = [open(), open()];
  await Promise.all(
    [busy, other].map(({ socket }) => new Promise((resolve) => socket.once("connect", resolve))),
  );
  order.length = 0;
  // The first response of the pipeline makes the other request.
  onFirst = () => void other.socket.write(ask("/other"));
  busy.socket.write(ask("/slow").repeat(400));
  await until(() => order.length === 401);
  const at = order.indexOf("/other");
  expect(at).toBeGreaterThan(0);
  expect(at).toBeLessThan(400);
  await until(() => responsesIn(busy.seen.text) === 400);
  busy.socket.destroy();
  other.socket.destroy();
});

test("a client that ends its half behind a long pipeline gets all responses", async () => {
  const { socket, seen } = open();
  socket.end(ask("/slow").repeat(400));
  await until(() => seen.hasEnded);
  expect(responsesIn(seen.text)).toBe(400);
});

test("the stream of a response is cancelled when its connection breaks, also while it is silent", async () => {
  const { socket, seen } = open();
  socket.write(ask("/silent"));
  await until(() => seen.text.includes("x\r\n"));
  socket.resetAndDestroy();
  await until(() => cancelled === 1);
});

test("a socket that accepts nothing any more is reported as broken, whatever is written", () => {
  let broken = 0;
  const outbox = createOutbox(
    { fd: 0, write: () => -1 },
    () => void broken++,
    () => {},
  );
  outbox.send(Buffer.from("bytes"));
  expect([broken, outbox.isEmpty()]).toEqual([1, false]);
  outbox.drain();
  expect(broken).toBe(2);
  const other = createOutbox(
    { fd: 0, write: () => -1 },
    () => void broken++,
    () => {},
  );
  other.sendText("text");
  expect([broken, other.isEmpty()]).toEqual([3, false]);
});

test("an idle connection that is closed is cut when its client does not end it: over TLS the socket waits", () => {
  let second = 0;
  const nothing = () => {};
  const calls = { write: () => 0, pause: nothing, resume: nothing, shutdown: nothing, terminate: nothing };
  const socket = { fd: 0, remoteAddress: "", ...calls, end: nothing };
  const connection = new Connection(socket, {
    scheme: "https",
    isUnix: false,
    isLeaving: () => true,
    isStopping: () => true,
    now: () => second,
    respond: () => new Response(),
    refuse: () => new Response(),
    waits: nothing,
    unread: nothing,
    requested: nothing,
    begun: nothing,
    done: nothing,
    closed: nothing,
  });
  connection.close();
  expect(connection.deadlines.isOver()).toBe(false);
  second = 3;
  expect(connection.deadlines.isOver()).toBe(true);
});

test("HTTP/1.0 learns that a stream without a length ends with the connection", async () => {
  const { socket, seen } = open();
  socket.write(ask("/later", "Connection: keep-alive\r\n", "HTTP/1.0"));
  await until(() => seen.hasEnded);
  expect(seen.text).toContain("\r\nConnection: close\r\n");
  expect(seen.text).toEndWith("\r\n\r\npartpartpart");
  socket.destroy();
});

test("many clients that ask for shared bytes and do not read hold no copies", async () => {
  const before = process.memoryUsage.rss();
  const from = responded;
  const clients = Array.from({ length: 150 }, () => open());
  for (const { socket } of clients) {
    socket.pause();
    socket.write("GET /shared HTTP/1.1\r\nHost: h\r\n\r\n");
  }
  await until(() => responded === from + clients.length);
  await Bun.sleep(200);
  expect((process.memoryUsage.rss() - before) / 1024 / 1024).toBeLessThan(100);
  const [first] = clients;
  first!.socket.resume();
  await until(() => first!.seen.text.length > SHARED.bytes.length);
  const head = first!.seen.text.slice(0, first!.seen.text.indexOf("\r\n\r\n") + 4);
  expect(head).toMatch(/content-length: 2097152\r\n/i);
  expect(first!.seen.text.length - head.length).toBe(SHARED.bytes.length);
  for (const { socket } of clients) socket.destroy();
});

test("clients that do not read hold a bounded amount of responses together, and others get theirs", async () => {
  const from = responded;
  const bounded = start({ mostUnread: 64 * 1024 * 1024 });
  const clients = Array.from({ length: 20 }, () => open(bounded));
  let closed = 0;
  for (const { socket } of clients) {
    socket.on("close", () => closed++);
    socket.pause();
    socket.write(ask("/whole"));
  }
  await until(() => responded === from + clients.length);
  const other = open(bounded);
  other.socket.write(ask("/short"));
  await until(() => other.seen.text.includes("nothing"));
  for (const { socket } of clients) socket.resume();
  const whole = () => clients.filter(({ seen }) => seen.text.length > WHOLE.length).length;
  await until(() => whole() + closed === clients.length);
  expect(closed).toBeGreaterThan(5);
  expect(whole()).toBeGreaterThan(0);
  for (const { socket } of [...clients, other]) socket.destroy();
});
