import { afterEach, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { until } from "../../test/support/until.ts";
import { findListeningSocket } from "./listening-socket.ts";

const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).toReversed()) await cleanUp();
});

function serve(): number {
  const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response("served") });
  cleanUps.push(() => server.stop(true));
  return server.port!;
}

type Client = { socket: Socket; text: string; isClosed: boolean };

async function open(port: number, send = ""): Promise<Client> {
  const client: Client = { socket: connect(port, "127.0.0.1"), text: "", isClosed: false };
  cleanUps.push(() => client.socket.destroy());
  client.socket.setEncoding("latin1");
  client.socket.on("data", (data) => (client.text += String(data)));
  client.socket.on("close", () => (client.isClosed = true));
  client.socket.on("error", () => {});
  await new Promise((resolve) => client.socket.once("connect", resolve));
  client.socket.write(send);
  return client;
}

const GET = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";

describe.skipIf(process.platform !== "linux")("the listening socket", () => {
  test("is found by its port or as a unix socket", () => {
    const [first, second] = [serve(), serve()];
    expect(findListeningSocket(first)!.descriptor).not.toBe(findListeningSocket(second)!.descriptor);
    expect(findListeningSocket(1)).toBeNull();
    const folder = mkdtempSync(join(tmpdir(), "waymark-socket-"));
    const server = Bun.serve({ unix: join(folder, "s"), fetch: () => new Response() });
    cleanUps.push(
      () => rmSync(folder, { recursive: true }),
      () => server.stop(true),
    );
    expect(findListeningSocket(0)).not.toBeNull();
  });

  test("leaves connections waiting, and accepts them after the pause", async () => {
    const port = serve();
    const socket = findListeningSocket(port)!;
    const before = await open(port, GET);
    await until(() => before.text.includes("served"));
    socket.pause();
    const late = await open(port, GET);
    // An accepted connection is still served.
    before.text = "";
    before.socket.write(GET);
    await until(() => before.text.includes("served"));
    expect(late.text).toBe("");
    socket.resume();
    await until(() => late.text.includes("served"));
  });

  test("refuses the given number of connections with an answer", async () => {
    const port = serve();
    const socket = findListeningSocket(port)!;
    socket.pause();
    const clients = await Promise.all([open(port, GET), open(port, GET), open(port, GET)]);
    await until(() => socket.refuse(1, Buffer.from("no")) === 1);
    await until(() => clients.filter(({ text, isClosed }) => text === "no" && isClosed).length === 1);
    await until(() => {
      socket.refuse(2, null);
      return clients.every(({ isClosed }) => isClosed);
    });
    expect(clients.map(({ text }) => text).toSorted()).toEqual(["", "", "no"]);
    expect(socket.refuse(2, null)).toBe(0);
  });

  test("ends only connections that have sent nothing", async () => {
    const [port, otherPort] = [serve(), serve()];
    const socket = findListeningSocket(port)!;
    const silent = await open(port);
    const partial = await open(port, "GET / HT");
    const used = await open(port, GET);
    const other = await open(otherPort);
    await until(() => used.text.includes("served"));
    socket.endSilent(0, 1000, 3_600_000);
    await until(() => {
      socket.endSilent(0, 1000, 1);
      return silent.isClosed;
    });
    partial.socket.write("TP/1.1\r\nHost: a\r\n\r\n");
    other.socket.write(GET);
    used.text = "";
    used.socket.write(GET);
    for (const client of [partial, other, used]) await until(() => client.text.includes("served"));
  });
});
