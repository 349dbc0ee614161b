/** Bodies sent to the real program that would block the event loop or fill the memory are refused before they end. */
import { afterAll, afterEach, beforeAll, expect, test } from "bun:test";
import { connect, type Socket } from "node:net";
import { type Client, startSignedIn } from "./support/session.ts";
import { until } from "./support/until.ts";
import type { Installation, RunningWaymark } from "./support/waymark.ts";

const MIB = 1024 * 1024;

let installation: Installation;
let server: RunningWaymark;
let client: Client;
const open: Sender[] = [];

beforeAll(async () => {
  // A server of its own: sign-ins of other files use up the tries of this address.
  ({ installation, server, client } = await startSignedIn());
});
afterAll(() => installation.remove());
afterEach(() => {
  for (const sender of open.splice(0)) sender.socket.destroy();
});

type Sender = { socket: Socket; answer(): string; isClosed(): boolean };

/** Announces a body of `length` bytes and sends only `body`. */
function send(path: string, length: number, body: string): Sender {
  const { hostname, port } = new URL(server.url);
  const socket = connect({ host: hostname, port: Number(port) });
  let text = "";
  let isClosed = false;
  socket.setEncoding("latin1");
  socket.on("data", (data) => (text += String(data)));
  socket.on("close", () => (isClosed = true));
  socket.on("error", () => {});
  const authorization = `Authorization: Bearer ${client.token}\r\n`;
  socket.write(
    `POST /admin/v1${path} HTTP/1.1\r\nHost: ${hostname}:${port}\r\n${authorization}Content-Type: application/json\r\nContent-Length: ${length}\r\n\r\n${body}`,
  );
  const sender = { socket, answer: () => text, isClosed: () => isClosed };
  open.push(sender);
  return sender;
}

const answered = async (sender: Sender): Promise<string> => {
  await until(() => sender.answer().includes("}"));
  return sender.answer();
};

test("a refusal is sent before the body ends and does not wait for the rest", async () => {
  const cases: [path: string, length: number, body: string, status: number, sentence: string][] = [
    ["/auth/login", 2 * MIB, "", 413, "64 KiB"],
    ["/auth/refresh", 2 * MIB, "", 413, "64 KiB"],
    ["/links", 2 * MIB, "[".repeat(100), 400, "64 levels"],
    ["/links", 2 * MIB, `{"a":[${"{},".repeat(10_000)}`, 400, "10000 values"],
    ["/links", 2 * MIB, `{"a":"${"\\t".repeat(100_001)}`, 400, "100000 escapes"],
    ["/links/batch", 16 * MIB, '{"links":['.padEnd(100, "["), 400, "64 levels"],
    ["/links/batch", 16 * MIB, "[".repeat(100), 400, "64 levels"],
    ["/links/batch", 16 * MIB, `{"links":[${"{},".repeat(5_001)}`, 400, "BatchSizeTooLarge"],
  ];
  const senders = cases.map(([path, length, body]) => send(path, length, body));
  for (const [index, [path, , , status, sentence]] of cases.entries()) {
    const answer = await answered(senders[index]!);
    expect([path, answer.slice(0, 13), answer]).toEqual([
      path,
      `HTTP/1.1 ${status} `,
      expect.stringContaining(sentence),
    ]);
  }
  await until(() => senders.every((sender) => sender.isClosed()));
});

test("a batch of the largest count and size is accepted, and one invalid item fails alone", async () => {
  const links = Array.from({ length: 5_000 }, (_, n) => ({
    code: `full-${n}`,
    target: `https://example.com/${"x".repeat(3_200)}`,
  }));
  links[7]!.target = "x".repeat(70_000);
  const body = JSON.stringify({ links });
  expect(body.length).toBeWithin(15 * MIB, 16 * MIB);
  const { status, body: answer } = await client.call("POST", "/links/batch", { links });
  expect(status).toBe(200);
  expect(answer.data.success).toHaveLength(4_999);
  expect(answer.data.failed).toEqual([
    { code: "full-7", error: "An item can have at most 64 KiB and 4000 values.", error_code: 1000 },
  ]);
});

test("unfinished bodies share one bound, and a broken-off body frees its part", async () => {
  const text = `{"target":"https://example.com/","x":"${"y".repeat(2 * MIB - 100)}`;
  const many = Array.from({ length: 60 }, () => send("/links", 2 * MIB, text));
  await until(() => many.some((sender) => sender.answer().includes("503")));
  const refused = many.filter((sender) => sender.answer() !== "");
  for (const sender of refused) {
    expect(sender.answer()).toMatch(/^HTTP\/1\.1 503 /);
    expect(sender.answer()).toMatch(/^retry-after: 1\r$/im);
  }
  // Short bodies and logins pass.
  expect((await client.call("POST", "/links", { target: "https://example.com/" })).status).toBe(201);
  for (const sender of many) sender.socket.destroy();
  const large = { target: "https://example.com/", x: "y".repeat(MIB) };
  await until(async () => (await client.call("POST", "/links", large)).status === 201);
});
