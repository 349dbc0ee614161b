/** Clients that begin something and never complete it: how long they are kept, and who goes when there is no room. */
import { afterEach, expect, test } from "bun:test";
import { connect, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { until } from "../../../test/support/until.ts";
import { makeKeyPair } from "../../lib/key-pair.test-support.ts";
import { createServerCertificates, type ServerCertificates } from "./server-certificates.ts";
import { type WireOptions, startWireServer, type WireServer } from "./wire-server.ts";

const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).toReversed()) await cleanUp();
});

function serve(options: Partial<WireOptions> = {}): WireServer {
  const server = startWireServer({
    address: { hostname: "127.0.0.1", port: 0, reusePort: false },
    tls: null,
    secondMs: 10,
    async respond(arrival) {
      if (arrival.path !== "/busy") return arrival.respondInPlace(404, "", "nothing");
      return new Response(new ReadableStream({ start: (to) => to.enqueue(Buffer.from("x")) }));
    },
    explain: () => new Response("failed", { status: 500 }),
    ...options,
  });
  cleanUps.push(() => server.stop(true));
  return server;
}

type Client = { socket: Socket; text: string; isClosed: boolean };

function watch(socket: Socket): Client {
  const client = { socket, text: "", isClosed: false };
  cleanUps.push(() => socket.destroy());
  socket.on("data", (piece: Buffer) => (client.text += piece.toString("latin1")));
  for (const event of ["end", "close"]) socket.on(event, () => (client.isClosed = true));
  socket.on("error", () => {});
  return client;
}

const open = ({ port }: WireServer, from = "127.0.0.1"): Client =>
  watch(connect({ port, host: "127.0.0.1", localAddress: from, allowHalfOpen: true }));

function openTls({ port }: WireServer): Client {
  return watch(connectTls({ port, host: "127.0.0.1", rejectUnauthorized: false }));
}

const ask = (target: string, fields = "", method = "GET"): string =>
  `${method} ${target} HTTP/1.1\r\nHost: a\r\n${fields}\r\n`;

async function send(client: Client, text: string): Promise<void> {
  const before = client.text;
  client.socket.write(text);
  await until(() => client.text !== before);
}

/** Nothing goes on here, for two minutes. */
async function idle(server: WireServer): Promise<Client> {
  const client = open(server);
  await send(client, ask("/"));
  return client;
}

const certificate = (): ServerCertificates => createServerCertificates(makeKeyPair());

test("an unfinished handshake ends long before an idle connection", async () => {
  const server = serve({ tls: certificate() });
  const kept = openTls(server);
  await send(kept, ask("/"));
  const unfinished = open(server);
  unfinished.socket.write(Buffer.from([22, 3, 1, 2, 0, 1]));
  await until(() => unfinished.isClosed);
  expect(kept.isClosed).toBe(false);
  await send(kept, ask("/"));
});

test.each([
  ["nothing", ""],
  ["a part of a head", "GET / HTTP/1.1\r\nHost: a\r\n"],
])("a client that has sent %s is cut long before an idle connection", async (_what, text) => {
  const server = serve();
  const kept = await idle(server);
  const unfinished = open(server);
  unfinished.socket.write(text);
  await until(() => unfinished.isClosed);
  expect(kept.isClosed).toBe(false);
});

test.each([
  ["empty lines", "", "\r\n"],
  ["a head", "GET / HTTP/1.1\r\n", "A: b\r\n"],
  ["a body that is dropped", ask("/", "Content-Length: 200000\r\n", "POST"), "x"],
])("a client that sends %s a little at a time is cut in spite of its traffic", async (_what, first, more) => {
  const client = open(serve());
  client.socket.write(first);
  const timer = setInterval(() => client.socket.write(more), 5);
  cleanUps.push(() => clearInterval(timer));
  await until(() => client.isClosed);
});

test("a body that is dropped and comes in time leaves the connection as it was", async () => {
  const client = open(serve({ secondMs: 1_000 }));
  await send(client, ask("/", "Content-Length: 4\r\n", "POST"));
  client.socket.write("body");
  await send(client, ask("/"));
  expect(client.text.match(/404/g)).toHaveLength(2);
});

test("the end of a client during an earlier body is known when the next one begins", async () => {
  const { promise: opened, resolve: openGate } = Promise.withResolvers<void>();
  const respond: WireOptions["respond"] = async (arrival) => {
    const text = await arrival.request().text();
    if (arrival.path === "/first") await opened;
    return new Response(text);
  };
  const server = serve({ respond });
  const client = open(server);
  const first = `${ask("/first", "Content-Length: 3\r\n", "POST")}one`;
  client.socket.end(`${first}${ask("/next", "Content-Length: 10\r\n", "POST")}part`);
  // The server has seen the end when it has responded to others that came after it.
  for (let round = 0; round < 5; round++) await send(open(server), ask("/"));
  openGate();
  await until(() => client.isClosed);
  expect(client.text).toContain("one");
  expect(client.text).toContain("HTTP/1.1 500");
});

/** Room for five. */
const few = () => {
  const seen = { ended: 0 };
  return { seen, limit: { isFull: (count: number) => count >= 5, ended: () => void seen.ended++ } };
};

test("at the limit the oldest unfinished head of the client with the most goes, and the newcomer is served", async () => {
  const { limit, seen } = few();
  const server = serve({ limit, secondMs: 60_000 });
  const partial = async (from: string) => {
    const client = open(server, from);
    await new Promise((resolve) => client.socket.write("GET / HTTP/1.1\r\n", resolve));
    return client;
  };
  const others = [await partial("127.0.0.2"), await idle(server)];
  const most = [await partial("127.0.0.1"), await partial("127.0.0.1"), await partial("127.0.0.1")];
  const newcomer = open(server, "127.0.0.3");
  await send(newcomer, ask("/"));
  await until(() => most[0]!.isClosed);
  expect([...others, ...most.slice(1)].map(({ isClosed }) => isClosed)).toEqual([false, false, false, false]);
  expect(seen.ended).toBe(1);
  await send(most[1]!, "Host: a\r\n\r\n");
});

test("at the limit without unfinished heads an idle connection goes", async () => {
  const { limit } = few();
  const server = serve({ limit, secondMs: 60_000 });
  const clients = [await idle(server)];
  for (let count = 0; count < 4; count++) clients.push(open(server));
  for (const client of clients.slice(1)) await send(client, ask("/busy"));
  const refused = open(server);
  await until(() => clients[0]!.isClosed);
  await send(open(server), ask("/"));
  expect(refused.text).not.toContain("404");
  expect(clients.filter(({ isClosed }) => isClosed)).toHaveLength(1);
});

test("at the limit newcomers are refused while all others are busy", async () => {
  const { limit, seen } = few();
  const server = serve({ limit, secondMs: 60_000 });
  const busy = Array.from({ length: 5 }, () => open(server));
  for (const client of busy) await send(client, ask("/busy"));
  const refused = open(server);
  refused.socket.write(ask("/"));
  await until(() => refused.text.includes("\r\n\r\n"));
  expect(refused.text).toStartWith("HTTP/1.1 503 Service Unavailable\r\n");
  expect(refused.text).toMatch(/\r\nRetry-After: 1\r\n/i);
  expect(seen.ended).toBe(1);
  expect(busy.some(({ isClosed }) => isClosed)).toBe(false);
  busy[0]!.socket.resetAndDestroy();
  refused.socket.destroy();
  await until(async () => {
    const next = open(server);
    await send(next, ask("/"));
    return next.text.includes("404");
  });
});

test("unfinished handshakes leave room for a newcomer", async () => {
  const { limit } = few();
  const server = serve({ limit, tls: certificate(), secondMs: 60_000 });
  const unfinished = Array.from({ length: 12 }, () => open(server));
  await Promise.all(
    unfinished.map(({ socket }) => new Promise((resolve) => socket.write(Buffer.from([22, 3, 1]), resolve))),
  );
  const newcomer = openTls(server);
  await send(newcomer, ask("/"));
  expect(newcomer.text).toContain("404");
});
