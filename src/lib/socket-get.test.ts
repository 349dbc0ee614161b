import { afterEach, expect, test } from "bun:test";
import { socketGet } from "./socket-get.ts";
import { until } from "../../test/support/until.ts";

type Peer = { sent: number; isClosed: boolean; asked: string };

const stops: (() => void)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

/** Answers each connection with these bytes, piece by piece, then acts as `then` says. */
function serve(pieces: readonly (string | Uint8Array)[], then: "close" | "stay" = "stay") {
  const peer: Peer = { sent: 0, isClosed: false, asked: "" };
  const left: Uint8Array[] = pieces.map((piece) => Buffer.from(piece as string));
  const send = (socket: Bun.Socket): void => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) {
      const written = Math.max(socket.write(next), 0);
      peer.sent += written;
      if (written < next.byteLength) {
        left.unshift(next.subarray(written));
        return;
      }
    }
    if (then === "close") socket.end();
  };
  const server = Bun.listen({
    hostname: "127.0.0.1",
    port: 0,
    socket: {
      data(socket, bytes) {
        peer.asked += bytes.toString("latin1");
        if (peer.asked.endsWith("\r\n\r\n")) send(socket);
      },
      drain: send,
      close: () => void (peer.isClosed = true),
    },
  });
  stops.push(() => server.stop(true));
  return { peer, url: new URL(`http://127.0.0.1:${server.port}/bucket/key?a=b`) };
}

const get = (url: URL, signal = new AbortController().signal) =>
  socketGet({ url, headers: { Host: url.host, Range: "bytes=0-9" }, signal });

const failureOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => "no failure",
    (error: unknown) => error,
  );

const OK = "HTTP/1.1 200 OK\r\n";
const bytes = new Uint8Array(20_000_000);
for (let at = 0; at < bytes.length; at += 50_000) crypto.getRandomValues(bytes.subarray(at, at + 50_000));

test("sends target and headers, and returns status, headers and body", async () => {
  const answer =
    'HTTP/1.1 206 Partial Content\r\nContent-Length: 5\r\nETag: "x"\r\nx-two: 1\r\nX-Two:2\r\n\r\nhello';
  const { peer, url } = serve([...answer]);
  const response = (await get(url))!;
  expect(response.status).toBe(206);
  expect(response.headers.get("etag")).toBe('"x"');
  expect(response.headers.get("x-two")).toBe("1, 2");
  expect(await response.text()).toBe("hello");
  expect(peer.asked).toBe(`GET /bucket/key?a=b HTTP/1.1\r\nHost: ${url.host}\r\nRange: bytes=0-9\r\n\r\n`);
  await until(() => peer.isClosed);
});

test.each(["close", "stay"] as const)(
  "a large body is complete if the server will %s afterwards",
  async (then) => {
    const { url } = serve([`${OK}Content-Length: ${bytes.length}\r\n\r\n`, bytes], then);
    const hasher = new Bun.CryptoHasher("sha256");
    for await (const chunk of (await get(url))!.body as unknown as AsyncIterable<Uint8Array>) {
      hasher.update(chunk);
      await Bun.sleep(1);
    }
    expect(hasher.digest("hex")).toBe(new Bun.CryptoHasher("sha256").update(bytes).digest("hex"));
  },
);

test("an empty body ends", async () => {
  const { url } = serve([`${OK}Content-Length: 0\r\n\r\n`]);
  expect(await (await get(url))!.text()).toBe("");
});

test.each([
  ["another status", "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"],
  ["a redirect", "HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1/\r\nContent-Length: 0\r\n\r\n"],
  ["a provisional answer", `HTTP/1.1 100 Continue\r\n\r\n${OK}Content-Length: 0\r\n\r\n`],
  ["chunks", `${OK}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n`],
  ["chunks and a length", `${OK}Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n`],
  ["no length", `${OK}\r\nhello`],
  ["two lengths", `${OK}Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello`],
  ["an invalid length", `${OK}Content-Length: -5\r\n\r\nhello`],
  ["a header without a name", `${OK}: x\r\nContent-Length: 5\r\n\r\nhello`],
  ["a line without a colon", `${OK}Content-Length: 5\r\nhello there\r\n\r\nhello`],
  ["another protocol", "SSH-2.0-OpenSSH\r\n\r\n"],
  ["a head without end", `${OK}X: ${"x".repeat(20_000)}`],
])("null for %s", async (_name, answer) => {
  const { peer, url } = serve([answer]);
  expect(await get(url)).toBeNull();
  await until(() => peer.isClosed);
});

test("null without a server or without its answer", async () => {
  expect(await get(serve([OK], "close").url)).toBeNull();
  expect(await get(new URL("http://127.0.0.1:1/"))).toBeNull();
});

test.each([
  ["shorter", "hell"],
  ["longer", "hello, too"],
])("a body %s than its length fails", async (_name, body) => {
  const { url } = serve([`${OK}Content-Length: 5\r\n\r\n`, body], "close");
  expect(await failureOf((await get(url))!.bytes())).toBeInstanceOf(Error);
});

test("the signal aborts the request with its reason", async () => {
  const { peer, url } = serve([]);
  const gone = new Error("gone");
  expect(await failureOf(get(url, AbortSignal.abort(gone)))).toBe(gone);
  const controller = new AbortController();
  const answer = failureOf(get(url, controller.signal));
  await until(() => peer.asked !== "");
  controller.abort(gone);
  expect(await answer).toBe(gone);
  await until(() => peer.isClosed);
});

test("the signal aborts the body with its reason", async () => {
  const { peer, url } = serve([`${OK}Content-Length: 10\r\n\r\n`, "hello"]);
  const controller = new AbortController();
  const reader = (await get(url, controller.signal))!.body!.getReader();
  expect(Buffer.from((await reader.read()).value!).toString()).toBe("hello");
  const gone = new Error("gone");
  setTimeout(() => controller.abort(gone), 10);
  expect(await failureOf(reader.read())).toBe(gone);
  await until(() => peer.isClosed);
});

test("a slow reader stops the sender, and cancelling closes the connection", async () => {
  const { peer, url } = serve([`${OK}Content-Length: ${bytes.length}\r\n\r\n`, bytes]);
  const reader = (await get(url))!.body!.getReader();
  const first = (await reader.read()).value!;
  await Bun.sleep(200);
  const waiting = peer.sent;
  await Bun.sleep(200);
  expect(peer.sent).toBe(waiting);
  expect(first.byteLength).toBeLessThanOrEqual(512 * 1024);
  expect(waiting).toBeLessThan(bytes.length);
  await reader.cancel();
  await until(() => peer.isClosed);
});
