/** Whose request it is: the address of the connection, on a server for IPv4 and IPv6. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { installWithPassword, signIn } from "../support/session.ts";
import type { Installation, RunningWaymark } from "../support/waymark.ts";
import { dial } from "../support/wire.ts";
import { ask, HOST, prepare, VISIT } from "../support/wire-instance.ts";

let installation: Installation;
let server: RunningWaymark;
let port: string;

beforeAll(async () => {
  installation = await installWithPassword({ WAYMARK__SERVER__HOST: "::" });
  await prepare(installation);
  server = await installation.serve();
  ({ port } = new URL(server.url));
});
afterAll(() => installation.remove());

let attempts = 0;
/** A wrong password, each time of an account of its own: accounts have limits too. */
function attempt(fields: string): string {
  const body = JSON.stringify({ username: `nobody-${++attempts}`, password: "wrong password" });
  const framing = `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`;
  return `POST /admin/v1/auth/login HTTP/1.1\r\n${HOST}${fields}${framing}\r\n${body}`;
}

/** The statuses of a flood of wrong passwords, which the server limits by address. */
async function flood(
  place: string,
  fields: (at: number) => string,
  { from, count = 12 }: { from?: string; count?: number } = {},
): Promise<Set<number>> {
  const wires = Array.from({ length: count }, () => dial(place, { ...(from !== undefined && { from }) }));
  for (const [at, wire] of wires.entries()) wire.send(attempt(fields(at)));
  const statuses = await Promise.all(wires.map(async (wire) => (await wire.answer()).status));
  for (const wire of wires) wire.hangUp();
  return new Set(statuses);
}

const forwarded = (at: number) => `X-Forwarded-For: 198.51.100.${at}\r\n`;

test("clients of both families are served", async () => {
  for (const host of ["127.0.0.1", "[::1]"]) {
    expect((await ask(dial(`http://${host}:${port}`), VISIT)).status).toBe(307);
  }
});

test("an IPv4 client is known by its IPv4 address, and not by another one", async () => {
  const client = await signIn(`http://127.0.0.1:${port}`);
  const set = await client.call("PUT", "/config/api.trusted_proxies", { value: "127.0.0.1" });
  expect(set.status).toBe(200);
  // Each attempt is of another client behind the trusted proxy.
  expect(await flood(`http://127.0.0.1:${port}`, forwarded, { count: 8 })).not.toContain(429);
  expect(await flood(`http://127.0.0.1:${port}`, forwarded, { from: "127.0.0.2" })).toContain(429);
  expect(await flood(`http://[::1]:${port}`, forwarded)).toContain(429);
});

test("an IPv6 client is known by its address", async () => {
  const client = await signIn(`http://127.0.0.1:${port}`);
  await client.call("PUT", "/config/api.trusted_proxies", { value: "::1" });
  expect(await flood(`http://[::1]:${port}`, (at) => forwarded(at + 100), { count: 8 })).not.toContain(429);
  expect(
    await flood(`http://127.0.0.1:${port}`, (at) => forwarded(at + 100), { from: "127.0.0.3" }),
  ).toContain(429);
});

test("two clients on one machine with addresses of their own are limited apart", async () => {
  expect(await flood(`http://127.0.0.1:${port}`, () => "", { from: "127.0.0.4" })).toContain(429);
  const wire = dial(`http://127.0.0.1:${port}`, { from: "127.0.0.5" });
  wire.send(attempt(""));
  expect((await wire.answer()).status).toBe(401);
  wire.hangUp();
});
