/** Which certificate a client gets, and that none is cut off when one is replaced. */
import { afterEach, expect, test } from "bun:test";
import { connect, type TLSSocket } from "node:tls";
import { makeKeyPair } from "../../lib/key-pair.test-support.ts";
import { createServerCertificates, type ServerCertificates } from "./server-certificates.ts";
import { startWireServer, type WireServer } from "./wire-server.ts";

const servers: WireServer[] = [];
afterEach(() => Promise.all(servers.splice(0).map((server) => server.stop(true))));

function serve(tls: ServerCertificates): WireServer {
  const server = startWireServer({
    address: { hostname: "127.0.0.1", port: 0, reusePort: false },
    tls,
    respond: (arrival) => arrival.respondInPlace(200, "", arrival.path),
    explain: () => new Response(null, { status: 500 }),
  });
  servers.push(server);
  return server;
}

/** Resolves with an open connection, or its error. */
const open = ({ port }: WireServer, host?: string): Promise<TLSSocket> => {
  const { promise, resolve, reject } = Promise.withResolvers<TLSSocket>();
  const named = host === undefined ? {} : { servername: host };
  const socket = connect({ port, host: "127.0.0.1", rejectUnauthorized: false, ...named }, () =>
    resolve(socket),
  );
  socket.on("error", reject);
  return promise;
};

/** The name in the certificate that a client gets. */
async function nameFor(server: WireServer, host?: string): Promise<unknown> {
  const socket = await open(server, host);
  const { subject } = socket.getPeerCertificate();
  socket.destroy();
  return subject.CN;
}

async function ask(socket: TLSSocket, path: string): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  socket.once("data", (bytes) => resolve(String(bytes)));
  socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`);
  return promise;
}

test("a client gets the certificate of its host, others the common one, and none without one", async () => {
  const certificates = createServerCertificates(null);
  const server = serve(certificates);
  await expect(open(server, "one.test")).rejects.toThrow();
  certificates.set("one.test", makeKeyPair("one.test"));
  expect(await nameFor(server, "ONE.test")).toBe("one.test");
  await expect(open(server, "two.test")).rejects.toThrow();
  await expect(open(server)).rejects.toThrow();
  certificates.setCommon(makeKeyPair("common.test"));
  certificates.set("two.test", makeKeyPair("two.test"));
  expect([await nameFor(server, "one.test"), await nameFor(server, "two.test")]).toEqual([
    "one.test",
    "two.test",
  ]);
  expect([await nameFor(server), await nameFor(server, "three.test")]).toEqual([
    "common.test",
    "common.test",
  ]);
  certificates.set("two.test", null);
  expect(await nameFor(server, "two.test")).toBe("common.test");
});

test("no request is lost while certificates are replaced, and open connections stay", async () => {
  const certificates = createServerCertificates(makeKeyPair("common.test"));
  const server = serve(certificates);
  const pairs = ["old.test", "new.test"].map((name) => makeKeyPair(name));
  const kept = await open(server, "go.test");
  let isOver = false;
  const requests = Array.from({ length: 4 }, async (_, at) => {
    let count = 0;
    for (; !isOver; count++) {
      const socket = await open(server, at % 2 === 0 ? "go.test" : undefined);
      expect(await ask(socket, `/${count}`)).toContain(`/${count}`);
      socket.destroy();
    }
    return count;
  });
  for (let turn = 0; turn < 40; turn++) {
    certificates.set("go.test", pairs[turn % 2]!);
    certificates.setCommon(pairs[turn % 2]!);
    Bun.gc(true);
    expect(await ask(kept, "/kept")).toContain("/kept");
  }
  isOver = true;
  expect(Math.min(...(await Promise.all(requests)))).toBeGreaterThan(0);
  expect([await nameFor(server), await nameFor(server, "go.test")]).toEqual(["new.test", "new.test"]);
  kept.destroy();
});
