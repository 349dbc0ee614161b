/** What port 80 responds: proofs of orders, redirects of our hosts, and nothing to others. */
import { afterAll, beforeEach, expect, test } from "bun:test";
import { startWireServer } from "../../platform/wire/wire-server.ts";
import { createOurHosts } from "./our-hosts.ts";
import { createPlainResponder } from "./plain-responder.ts";

const DOMAINS = ["two.example.org", "localhost", "10.0.0.1"];
const settings = { publicUrl: "https://go.example.com", port: 8443 };
let proofs: Record<string, string> = {};
let later: Record<string, string> = {};
let refreshed = 0;
beforeEach(() => {
  Object.assign(settings, { publicUrl: "https://go.example.com" });
  proofs = { "go.example.com": "token-1.thumb" };
  later = {};
  refreshed = 0;
});

const ours = createOurHosts({
  publicUrl: () => settings.publicUrl,
  domains: () => DOMAINS,
  isDomain: (host) => DOMAINS.includes(host),
  port: settings.port,
});
const server = startWireServer({
  address: { hostname: "127.0.0.1", port: 0, reusePort: false },
  tls: null,
  respond: createPlainResponder({
    ...ours,
    proofOf: (host) => proofs[host] ?? null,
    refresh: async () => {
      refreshed++;
      Object.assign(proofs, later);
    },
  }),
  explain: () => new Response(null, { status: 500 }),
});
afterAll(() => server.stop(true));

const get = async (host: string, path = "/") => {
  const url = `http://127.0.0.1:${server.port}${path}`;
  const response = await fetch(url, { headers: { Host: host }, redirect: "manual" });
  return [response.status, response.headers.get("location") ?? (await response.text())];
};

test("our hosts are redirected to the same address by HTTPS", async () => {
  expect(await get("go.example.com", "/a/b?x=1")).toEqual([308, "https://go.example.com/a/b?x=1"]);
  expect(await get("TWO.example.org.:80", "/")).toEqual([308, "https://two.example.org/"]);
  settings.publicUrl = "https://go.example.com:9443";
  expect(await get("go.example.com")).toEqual([308, "https://go.example.com:9443/"]);
  settings.publicUrl = "";
  expect(await get("two.example.org")).toEqual([308, "https://two.example.org:8443/"]);
});

test.each(["evil.test", "10.0.0.1", "localhost", "go.example.com.evil.test", ""])(
  "%p is not ours, and is led nowhere",
  async (host) => {
    expect((await get(host, "/.well-known/acme-challenge/token-1"))[0]).toBe(421);
    expect((await get(host, "/"))[0]).toBe(421);
  },
);

test("the proof of a host is given there only, also when another node has just begun the order", async () => {
  const place = "/.well-known/acme-challenge/";
  expect(await get("go.example.com", `${place}token-1`)).toEqual([200, "token-1.thumb"]);
  expect(refreshed).toBe(0);
  expect((await get("two.example.org", `${place}token-1`))[0]).toBe(308);
  later = { "two.example.org": "token-2.thumb" };
  expect(await get("two.example.org", `${place}token-2`)).toEqual([200, "token-2.thumb"]);
  expect(refreshed).toBe(2);
  later = { "new.example.net": "token-3.thumb" };
  expect(await get("new.example.net", `${place}token-3`)).toEqual([200, "token-3.thumb"]);
  expect((await get("go.example.com", `${place}../${"x".repeat(300)}`))[0]).toBe(308);
  expect((await get("go.example.com", `${place}token`))[0]).toBe(308);
});
