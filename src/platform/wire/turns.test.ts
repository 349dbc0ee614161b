/** Many requests that come at once on one connection: the event loop serves others between their responses. */
import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { dial } from "../../../test/support/wire.ts";
import { fileResponse } from "../../lib/file-response.ts";
import { sharedResponse, shareBytes } from "../../lib/shared-bytes.ts";
import type { Arrival } from "./arrival.ts";
import { startWireServer } from "./wire-server.ts";

const folder = mkdtempSync(join(tmpdir(), "waymark-turns-"));
const path = join(folder, "file");
writeFileSync(path, "a file");

const SHARED = shareBytes(new Uint8Array(1024).fill(120));
const inPlace = (arrival: Arrival) => arrival.respondInPlace(404, "", "nothing");
const KINDS: Record<string, (arrival: Arrival) => Response | Promise<Response>> = {
  "/shared": (arrival) => sharedResponse(arrival.request(), SHARED, {}),
  "/json": async () => Response.json({ some: "JSON" }),
  "/text": () => new Response("some text"),
  "/empty": () => new Response(null, { status: 204 }),
  "/failed": () => Promise.reject(new Error("no answer")),
  "/redirect": async () => new Response(null, { status: 307, headers: { Location: "/" } }),
  "/late-in-place": (arrival) => Promise.resolve(inPlace(arrival)),
  "/file": (arrival) => fileResponse(arrival, Bun.file(path), 0, { status: 200, headers: new Headers() }),
};

let sinceTurn = 0;
let mostInTurn = 0;
const server = startWireServer({
  address: { hostname: "127.0.0.1", port: 0, reusePort: false },
  tls: null,
  respond(arrival) {
    mostInTurn = Math.max(mostInTurn, ++sinceTurn);
    return KINDS[arrival.path]!(arrival);
  },
  explain: () => new Response("failed", { status: 500 }),
});
let isOver = false;
(function turn() {
  sinceTurn = 0;
  if (!isOver) setImmediate(turn);
})();
afterAll(async () => {
  isOver = true;
  await server.stop(true);
  rmSync(folder, { recursive: true, force: true });
});

const COUNT = 50;
const kinds = Object.keys(KINDS).flatMap((kind) => ["GET", "HEAD", "POST"].map((method) => [method, kind]));

test.each(kinds)("%s %s: others come in between", async (method, kind) => {
  const wire = dial(`http://127.0.0.1:${server.port}`);
  const body = method === "POST" ? "Content-Length: 2\r\n\r\n{}" : "\r\n";
  mostInTurn = 0;
  wire.send(`${method} ${kind} HTTP/1.1\r\nHost: a\r\n${body}`.repeat(COUNT));
  for (let at = 0; at < COUNT; at++) await wire.answer(method);
  wire.hangUp();
  // One is the last of its turn, one the first of the next.
  expect(mostInTurn).toBeLessThanOrEqual(2);
});
