/** Attempts at receivers that are hostile, over real sockets. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { createServer, type Server, type Socket } from "node:net";
import { createOutbound } from "../../lib/outbound.ts";
import { createAttempt, retryAfter } from "./attempt.ts";
import { newSecret, type Delivery } from "./webhook.ts";

/** Without end. */
const flood = (text: string) => (socket: Socket) => {
  const more = () => void (socket.writable && socket.write(text, () => setImmediate(more)));
  more();
};
const HOUR = 3_600_000;
const DELIVERY: Delivery = {
  id: 1,
  webhookId: 1,
  eventId: null,
  event: "webhook.test",
  state: "sending",
  attempts: 1,
  tries: [],
  createdAt: 0,
  dueAt: 0,
  deliveredAt: null,
};

/** By path. */
const REPLIES: Record<string, (socket: Socket) => void> = {
  "/silent": () => {},
  "/slow": (socket) => void setInterval(() => socket.write("H"), 10).unref(),
  "/slow-body": (socket) => void socket.write("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n"),
  "/endless": (socket) => {
    socket.write("HTTP/1.1 200 OK\r\n\r\n");
    flood("x".repeat(65_536))(socket);
  },
  "/continues": flood("HTTP/1.1 100 Continue\r\n\r\n".repeat(2_000)),
  "/hints": (socket) =>
    void socket.write("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 204 No\r\n\r\n"),
  "/huge-head": (socket) => void socket.write(`HTTP/1.1 200 OK\r\nX: ${"x".repeat(100_000)}`),
  "/closes": (socket) => void socket.end(),
  "/resets": (socket) => void socket.resetAndDestroy(),
  "/no-http": (socket) => void socket.end("220 mail.example.com ESMTP\r\n\r\n"),
  "/moved": (socket) => void socket.end("HTTP/1.1 307 Moved\r\nLocation: /endless\r\n\r\n"),
  "/explains": (socket) =>
    void socket.end(
      "HTTP/1.1 422 No\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nNo\u0000 such \r\n5\r\nevent\r\n0\r\n\r\n",
    ),
  "/gone": (socket) => void socket.end("HTTP/1.1 410 Gone\r\n\r\n"),
  "/later": (socket) => void socket.end("HTTP/1.1 503 No\r\nRetry-After: 31536000\r\n\r\n"),
};

let server: Server;
let port = 0;
const sockets = new Set<Socket>();

beforeAll(async () => {
  server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.once("data", (head) => REPLIES[/^POST (\S+)/.exec(String(head))?.[1] ?? ""]?.(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  port = (server.address() as { port: number }).port;
});
afterAll(() => {
  for (const socket of sockets) socket.destroy();
  server.close();
});

const attempt = (url: string, deps: Parameters<typeof createOutbound>[0] = { isAllowed: () => true }) =>
  createAttempt({
    outbound: createOutbound({ ports: null, ...deps }),
    instance: "0",
    now: Date.now,
    timeoutMs: 300,
  })({ webhook: { url }, delivery: DELIVERY, event: null }, [newSecret()]);

test("the beginning of a response is kept, without what would hide or fill the log", async () => {
  const at = (path: string) => attempt(`http://127.0.0.1:${port}${path}`);
  expect(await at("/explains")).toMatchObject({ status: 422, response: "No  such event" });
  expect((await at("/endless")).response).toBe("x".repeat(400));
  expect(await at("/slow-body")).toMatchObject({ status: 200, error: null, response: null });
});

test.each([
  ["/silent", null, "There is no answer in time."],
  ["/slow", null, "There is no answer in time."],
  ["/slow-body", 200, null],
  ["/endless", 200, null],
  ["/continues", null, "The head of the answer is too large."],
  ["/hints", 204, null],
  ["/huge-head", null, "The head of the answer is too large."],
  ["/closes", null, "The connection was closed without an answer."],
  ["/resets", null, "The connection was closed without an answer."],
  ["/no-http", null, "The answer is not HTTP."],
  ["/moved", 307, "The response is 307; redirects are not followed."],
  ["/gone", 410, "The response is 410."],
])("a receiver that responds with %s", async (path, status, error) => {
  const made = await attempt(`http://127.0.0.1:${port}${path}`);
  if (path === "/resets") expect(made.error).toMatch(/^The connection (failed|was closed)/);
  else expect(made.error).toBe(error);
  expect([made.status, made.isGone]).toEqual([status, path === "/gone"]);
});

test("Retry-After of a year counts as a day", async () => {
  expect((await attempt(`http://127.0.0.1:${port}/later`)).retryAfterMs).toBe(24 * HOUR);
  expect(retryAfter("120", 0)).toBe(120_000);
  expect(retryAfter("Thu, 01 Jan 1970 01:00:00 GMT", 0)).toBe(HOUR);
  for (const nothing of [null, "", "soon", "-5", "Thu, 01 Jan 1960 00:00:00 GMT", "9".repeat(400)])
    expect(retryAfter(nothing, 0)).toBe(0);
});

test("an address that turns private between two looks is refused at the second attempt", async () => {
  const results = [["93.184.215.14"], ["127.0.0.1"]];
  const checked: string[] = [];
  const resolve = async () => results.shift() ?? [];
  const isAllowed = (address: string) => {
    checked.push(address);
    return false;
  };
  const url = `http://turns.example:${port}/gone`;
  for (let n = 0; n < 2; n++)
    expect((await attempt(url, { resolve, isAllowed })).error).toBe("The address is not public.");
  expect(checked).toEqual(["93.184.215.14", "127.0.0.1"]);
  expect((await attempt(url, { resolve: async () => ["127.0.0.1"] })).error).toBe(
    "The address is not public.",
  );
});
