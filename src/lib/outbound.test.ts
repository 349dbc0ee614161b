import { afterEach, describe, expect, spyOn, test } from "bun:test";
import { createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { createOutbound, OutboundFailure, type OutboundRequest, unchunkedBody } from "./outbound.ts";

const servers: Server[] = [];
const sockets = new Set<Socket>();
afterEach(() => {
  for (const socket of sockets) socket.destroy();
  for (const server of servers.splice(0)) server.close();
});

/** Responds to each connection by its request; returns its port. */
async function serve(response: (socket: Socket, request: string) => void): Promise<number> {
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    socket.on("data", (bytes) => response(socket, bytes.toString("latin1")));
  });
  servers.push(server);
  await new Promise<void>((done) => void server.listen(0, "127.0.0.1", done));
  return (server.address() as AddressInfo).port;
}

const GET = { method: "GET", timeoutMs: 5_000, mostBytes: 10, redirects: 2 } as const;

/** To loopback, whatever the name. */
const local = (port: number, more: object = {}) =>
  createOutbound({ resolve: async () => ["127.0.0.1"], isAllowed: () => true, ports: [port], ...more });

async function failureOf(attempt: Promise<unknown>): Promise<[string, string]> {
  try {
    await attempt;
  } catch (error) {
    if (error instanceof OutboundFailure) return [error.reason, error.message];
    throw error;
  }
  return ["no failure", ""];
}

const refusalOf = async (
  url: string,
  addresses: string[] = ["93.184.215.14"],
  more: Partial<OutboundRequest> = {},
) => (await failureOf(createOutbound({ resolve: async () => addresses })({ ...GET, url, ...more })))[0];

describe("refuses", () => {
  test.each([
    "http://127.0.0.1/",
    "http://2130706433/",
    "http://0x7f.0.0.1/",
    "http://0/",
    "http://10.1.2.3/",
    "http://100.64.0.1/",
    "http://169.254.169.254/latest/meta-data/",
    "http://172.31.0.1/",
    "http://192.168.0.1/",
    "http://198.18.0.1/",
    "http://224.0.0.1/",
    "http://255.255.255.255/",
    "http://[::]/",
    "http://[::1]/",
    "http://[::ffff:127.0.0.1]/",
    "http://[::ffff:a00:1]/",
    "http://[::127.0.0.1]/",
    "http://[64:ff9b::7f00:1]/",
    "http://[64:ff9b:1::a00:1]/",
    "http://[2002:7f00:1::]/",
    "http://[2001:0:a00:1::]/",
    "http://[fc00::1]/",
    "http://[fe80::1]/",
    "http://[fec0::1]/",
    "http://[ff02::1]/",
    "http://[2001:db8::1]/",
  ])("the address %s", async (url) => {
    expect(await refusalOf(url)).toBe("refused");
    const host = new URL(url).hostname.replace(/^\[(.*)\]$/, "$1");
    expect(await refusalOf("http://name.example/", [host])).toBe("refused");
  });

  test("addresses with a zone, in other forms, and beside public ones only if those are asked", async () => {
    for (const address of [
      "fe80::1%eth0",
      "::1%lo",
      "::ffff:7f00:1",
      "::ffff:127.0.0.1%lo",
      "0:0:0:0:0:ffff:a00:1",
    ])
      expect([address, await refusalOf("http://name.example/", [address])]).toEqual([address, "refused"]);
    expect(await refusalOf("http://[fe80::1%25eth0]/")).toBe("refused");
    const seen: string[] = [];
    const port = await serve((socket) => socket.end("HTTP/1.1 204 No Content\r\n\r\n"));
    const outbound = createOutbound({
      resolve: async () => ["10.0.0.1", "127.0.0.1"],
      isAllowed: (address) => (seen.push(address), address === "127.0.0.1"),
      ports: [port],
    });
    expect(await outbound({ ...GET, url: `http://name.example:${port}/` })).toMatchObject({ status: 204 });
    expect(seen).toEqual(["10.0.0.1", "127.0.0.1"]);
  });

  test("ports of other services, other schemes and credentials", async () => {
    for (const url of [
      "http://a.example:22/",
      "https://a.example:6379/",
      "http://a.example:25/",
      "ftp://a.example/",
      "file:///etc/passwd",
      "http://user:secret@a.example/",
      "javascript:1",
      "",
    ]) {
      expect([url, await refusalOf(url)]).toEqual([url, "refused"]);
    }
  });

  test("line breaks in headers", async () => {
    const port = await serve((socket) => socket.end());
    const attempt = local(port)({
      ...GET,
      url: `http://a.example:${port}/`,
      headers: { "X-A": "1\r\nX-B: 2" },
    });
    expect((await failureOf(attempt))[0]).toBe("refused");
  });
});

test("asks the address that it judged, and the name once a hop", async () => {
  const seen: string[] = [];
  const port = await serve((socket, request) => {
    seen.push(request);
    socket.end("HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\n01234567890123456789");
  });
  const resolved: string[] = [];
  const checked: string[] = [];
  const outbound = local(port, {
    // Rebinding: a second response would be another address.
    resolve: async (host: string) => (
      resolved.push(host), resolved.length === 1 ? ["127.0.0.1"] : ["127.9.9.9"]
    ),
    isAllowed: (address: string) => (checked.push(address), address === "127.0.0.1"),
  });
  const response = await outbound({ ...GET, url: `http://Name.example:${port}/ä?b=c#d` });
  expect(response).toMatchObject({ status: 200, body: Buffer.from("0123456789") });
  expect([resolved, checked]).toEqual([["name.example"], ["127.0.0.1"]]);
  expect(seen[0]).toStartWith(
    `GET /%C3%A4?b=c HTTP/1.1\r\nHost: name.example:${port}\r\nConnection: close\r\n`,
  );
});

describe("redirects", () => {
  test("are followed by hand, each judged again, up to a number", async () => {
    let to = "";
    const port = await serve((socket, request) => {
      const [, path] = request.split(" ");
      socket.end(
        path === "/end"
          ? "HTTP/1.1 204 No Content\r\n\r\n"
          : `HTTP/1.1 302 Found\r\nLocation: ${to}\r\nContent-Length: 0\r\n\r\n`,
      );
    });
    const outbound = local(port, { isAllowed: (address: string) => address === "127.0.0.1" });
    const ask = (more: Partial<OutboundRequest> = {}) =>
      outbound({ ...GET, url: `http://a.example:${port}/`, ...more });
    to = "/end";
    expect(await ask()).toMatchObject({ status: 204, url: `http://a.example:${port}/end` });
    expect(await ask({ redirects: 0 })).toMatchObject({ status: 302 });
    expect(await ask({ method: "POST", body: "x" })).toMatchObject({ status: 302 });
    to = "/";
    expect(await failureOf(ask())).toEqual(["failed", "there are too many redirects"]);
    for (const bad of [
      `http://127.0.0.2:${port}/`,
      "http://a.example:22/",
      "file:///etc/passwd",
      "http://[::1]/",
    ]) {
      to = bad;
      expect([bad, (await failureOf(ask()))[0]]).toEqual([bad, "refused"]);
    }
  });
});

test("a redirect to a name that has a private address is refused, and nothing is sent there", async () => {
  const hosts: string[] = [];
  const port = await serve((socket, request) => {
    hosts.push(/Host: (\S+)/.exec(request)![1]!);
    socket.end(`HTTP/1.1 302 Found\r\nLocation: http://inner.example:${port}/\r\nContent-Length: 0\r\n\r\n`);
  });
  const outbound = createOutbound({
    resolve: async (host) => [host === "inner.example" ? "127.0.0.2" : "127.0.0.1"],
    isAllowed: (address) => address === "127.0.0.1",
    ports: [port],
  });
  const attempt = outbound({ ...GET, url: `http://outer.example:${port}/` });
  expect(await failureOf(attempt)).toEqual(["refused", "the address is not public"]);
  expect(hosts).toEqual([`outer.example:${port}`]);
});

describe("bounds", () => {
  const fails = async (response: (socket: Socket) => void, timeoutMs = 5_000) => {
    const port = await serve(response);
    return (await failureOf(local(port)({ ...GET, timeoutMs, url: `http://a.example:${port}/` })))[1];
  };

  test("the time of silent, dripping and endless servers", async () => {
    const drip = (text: string) => (socket: Socket) => {
      socket.write(text);
      const timer = setInterval(() => socket.write("a"), 5);
      socket.once("close", () => clearInterval(timer));
    };
    const late = "there is no answer in time";
    expect(await fails(() => undefined, 100)).toBe(late);
    expect(await fails(drip("HTTP/1.1 200 OK\r\nX: "), 100)).toBe(late);
    expect(await fails(drip("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n"), 5_000)).toBe("");
    const port = await serve(drip("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n"));
    const body = local(port)({ ...GET, timeoutMs: 100, mostBytes: 1e6, url: `http://a.example:${port}/` });
    expect((await failureOf(body))[1]).toBe(late);
    const never = createOutbound({ resolve: () => new Promise(() => undefined) });
    const attempt = never({ ...GET, timeoutMs: 50, url: "http://a.example/" });
    expect((await failureOf(attempt))[1]).toBe(late);
  });

  test("the head, and what is no HTTP", async () => {
    const large = "the head of the answer is too large";
    const line = `X: ${"a".repeat(20_000)}\r\n`;
    expect(await fails((socket) => socket.write(`HTTP/1.1 200 OK\r\n${line}`))).toBe(large);
    expect(await fails((socket) => socket.write(`HTTP/1.1 200 OK\r\n${line}\r\n`))).toBe(large);
    for (const text of [
      "SSH-2.0-OpenSSH\r\n\r\n",
      "HTTP/1.1 2000 OK\r\n\r\n",
      "HTTP/1.1 200 OK\r\nbad\u0001: x\r\n\r\n",
    ]) {
      expect(await fails((socket) => socket.write(text))).toBe("the answer is not HTTP");
    }
    expect(await fails((socket) => socket.end())).toBe("the connection was closed without an answer");
  });

  test("a body without an end is cut, and steps before a response are passed over", async () => {
    const port = await serve((socket) =>
      socket.write(`HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\n\r\n${"b".repeat(100_000)}`),
    );
    const response = await local(port)({ ...GET, url: `http://a.example:${port}/` });
    expect(response.body.toString()).toBe("b".repeat(10));
  });

  test("a body in many packets is not joined anew at each, and is given what time it has once", async () => {
    const packets = 40;
    const port = await serve(async (socket) => {
      socket.write("HTTP/1.1 200 OK\r\n\r\n");
      for (let packet = 0; packet < packets; packet++) {
        await Bun.sleep(2);
        socket.write("a".repeat(1_000));
      }
      socket.end();
    });
    const concat = spyOn(Buffer, "concat");
    const timer = spyOn(globalThis, "setTimeout");
    try {
      const bounds = { mostBytes: 1e6, bodyMs: 4_999 };
      const { body } = await local(port)({ ...GET, ...bounds, url: `http://a.example:${port}/` });
      expect(body.toString()).toBe("a".repeat(packets * 1_000));
      const joined = concat.mock.results.reduce((sum, { value }) => sum + (value as Buffer).length, 0);
      expect(joined).toBeLessThan(packets * 1_000 * 2);
      expect(timer.mock.calls.filter(([, ms]) => ms === bounds.bodyMs)).toHaveLength(1);
    } finally {
      concat.mockRestore();
      timer.mockRestore();
    }
  });
});

test("chunks are joined, as far as they came", () => {
  const joined = (text: string, coding = "chunked") =>
    unchunkedBody({
      headers: new Headers({ "Transfer-Encoding": coding }),
      body: Buffer.from(text),
    }).toString();
  expect(joined("3\r\nabc\r\nA;x=y\r\n0123456789\r\n0\r\n\r\nmore")).toBe("abc0123456789");
  expect(joined("1a\r\nabc")).toBe("abc");
  for (const text of ["", "x", "5", "0\r\n", "-1\r\na", "\r\n"]) expect(joined(text)).toBe("");
  expect(joined("f".repeat(400) + "\r\nabc")).toBe("abc");
  expect(joined("3\r\nabc", "identity")).toBe("3\r\nabc");
});
