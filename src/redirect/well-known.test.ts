import { afterAll, beforeEach, expect, test } from "bun:test";
import { silentLogger } from "../lib/logger.ts";
import type { CachedLink } from "../links/cache/cached-link.ts";
import { createDomainRegistry } from "../links/domains/registry.ts";
import { testLostParts } from "../visitors/pages.test-support.ts";
import { createRedirect } from "./redirect.ts";
import { serveRedirects } from "./redirects.test-support.ts";
import { createWellKnown } from "./well-known.ts";

const URLS = { defaultUrl: null, notFoundUrl: "https://unknown.test/", expiredUrl: null };
const TIMES = { createdAt: 0, updatedAt: 0, ignoreCase: false };
const domains = createDomainRegistry({
  list: async () => [{ id: 3, host: "go.example", ...URLS, ...TIMES, wellKnown: [{ name: "a.json" }] }],
});
await domains.load();

const links = new Map<string, CachedLink>();
let stored: { name: string; type: string; text: string } | null | Error = null;
const misses: string[] = [];

const redirect = createRedirect({
  ...testLostParts,
  wellKnown: createWellKnown({
    setting: () => '[{"name":"b","type":"text/plain","text":"default"}]',
    async find(domainId, name) {
      if (stored instanceof Error) throw stored;
      return domainId === 3 && name === "a.json" ? stored : null;
    },
  }),
  missed: (key) => void misses.push(key),
  locks: { unlock: async () => new Response() },
  cache: {
    findIn: (text, start, end) => links.get(text.slice(start, end)) ?? null,
    knows: (key) => links.has(key),
  },
  clicks: { record: () => {} },
  automated: { includes: () => false },
  specials: {
    follow: () => null,
    shareAt: async () => null,
    away: () => new Response(null, { status: 503 }),
  },
  domains,
  defaultUrl: () => "",
  passUtm: () => false,
  clock: { now: () => 0 },
  logger: silentLogger,
});

const server = serveRedirects(redirect);
afterAll(() => server.stop(true));
beforeEach(() => {
  links.clear();
  stored = { name: "a.json", type: "application/json", text: "{}" };
});

async function ask(host: string, name: string, method = "GET") {
  const url = `http://127.0.0.1:${server.port}/.well-known/${name}`;
  const response = await fetch(url, { method, headers: { Host: host }, redirect: "manual" });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

test("each host answers with its own documents, sandboxed", async () => {
  const own = await ask("go.example", "a.json?x=1");
  expect([own.status, own.text, own.headers.get("content-type")]).toEqual([200, "{}", "application/json"]);
  expect(own.headers.get("content-security-policy")).toBe("default-src 'none'; sandbox");
  expect(own.headers.get("x-content-type-options")).toBe("nosniff");
  expect(await ask("other.example", "b")).toMatchObject({ status: 200, text: "default" });
  expect(await ask("go.example", "a.json", "HEAD")).toMatchObject({ status: 200, text: "" });
  for (const [host, name] of [
    ["go.example", "b"],
    ["other.example", "a.json"],
    ["other.example", "b/c"],
    ["go.example", "acme-challenge/token"],
  ] as const) {
    expect((await ask(host, name)).status).toBe(404);
  }
  expect(misses).toEqual([]);
});

test("a link with the code comes first; a document that went is missing, and a failure is one", async () => {
  links.set(".well-known/b", { id: 7, location: "https://example.com/" });
  expect((await ask("other.example", "b")).status).toBe(307);
  stored = null;
  expect((await ask("go.example", "a.json")).status).toBe(404);
  stored = new Error("away");
  expect((await ask("go.example", "a.json")).status).toBe(500);
});
