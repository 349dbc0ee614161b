import { afterAll, expect, test } from "bun:test";
import { createOutbound } from "../../../lib/outbound.ts";
import { createCompare, silenceOf } from "./commands.ts";

const respondingServer = (to: (path: string) => string) =>
  Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: ({ url }) => new Response(null, { status: 302, headers: { Location: to(new URL(url).pathname) } }),
  });
const here = respondingServer(() => "https://example.com/same");
const there = respondingServer((path) =>
  path === "/two" ? "https://example.com/other" : "https://example.com/same",
);
afterAll(() => Promise.all([here, there].map((server) => server.stop(true))));

const comparing = (against: string) =>
  createCompare({
    here: here.url.href,
    against,
    rate: 1_000,
    exactStatus: false,
    outbound: createOutbound({ isAllowed: () => true, ports: null }),
  });

test("codes that lead elsewhere are reported, in their order", async () => {
  const found = await comparing(there.url.href)(["one", "two"], () => {});
  expect(found.map(({ code }) => code)).toEqual(["two"]);
  expect(silenceOf(found)).toBeNull();
});

test("a service that serves no code is reported at once", async () => {
  // Nothing listens on the discard port.
  const found = await comparing("http://127.0.0.1:9")(["one", "two"], () => {});
  expect(found).toHaveLength(2);
  expect(silenceOf(found)).toContain("The other service answers no code: ");
});
