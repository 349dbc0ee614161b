/** Requests on other domains, with the real caches' interface and Bun's URLs. */
import { afterAll, beforeEach, expect, test } from "bun:test";
import { silentLogger } from "../lib/logger.ts";
import type { CachedLink } from "../links/cache/cached-link.ts";
import { createDomainRegistry } from "../links/domains/registry.ts";
import type { Domain } from "../links/domains/domain.ts";
import { keyOf } from "../links/link/key.ts";
import { sendRaw } from "../../test/support/raw-http.ts";
import { testLostParts } from "../visitors/pages.test-support.ts";
import { createRedirect } from "./redirect.ts";
import { serveRedirects } from "./redirects.test-support.ts";

const NOW = Date.parse("2026-11-20T13:00:00Z");
const NOT_FOUND = [404, null, "public, max-age=60"];
const to = (location: string) => [307, location, "no-cache, no-store, must-revalidate"];

const made = { createdAt: NOW, updatedAt: NOW };
const none = { ignoreCase: false, defaultUrl: null, notFoundUrl: null, expiredUrl: null };
const FULL = {
  ignoreCase: false,
  defaultUrl: "https://root.test/",
  notFoundUrl: "https://unknown.test/é",
  expiredUrl: "https://old.test/",
};
let stored: Domain[] = [];
const domains = createDomainRegistry({ list: async () => stored });

const links = new Map<string, CachedLink>();
const expired = new Set<string>();
const shares: string[] = [];

const redirect = createRedirect({
  ...testLostParts,
  locks: { unlock: async () => new Response() },
  cache: {
    findIn: (text, start, end) => links.get(text.slice(start, end)) ?? null,
    knows: (key) => links.has(key) || expired.has(key),
  },
  clicks: { record: () => {} },
  automated: { includes: () => false },
  specials: {
    follow: () => null,
    shareAt: async () => null,
    away: () => new Response(null, { status: 503 }),
  },
  shares: {
    respond: async (_, { url }) => {
      shares.push(url);
      return new Response("shared");
    },
  },
  domains,
  defaultUrl: () => "https://default.test/",
  passUtm: () => true,
  clock: { now: () => NOW },
  logger: silentLogger,
});

const server = serveRedirects(redirect);
afterAll(() => server.stop(true));

beforeEach(async () => {
  stored = [
    { id: 1, host: "full.test", ...FULL, ...made },
    { id: 12, host: "xn--bcher-kva.test", ...none, ...made },
    { id: 3, host: "known.test", ...none, notFoundUrl: FULL.notFoundUrl, ...made },
  ];
  await domains.load();
  links.clear();
  expired.clear();
  shares.length = 0;
});

async function ask(host: string | null, path: string, method = "GET") {
  const head = host === null ? " HTTP/1.0\r\n" : ` HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n`;
  const response = await sendRaw(`http://127.0.0.1:${server.port}`, `${method} ${path}${head}\r\n`);
  const header = (name: string) =>
    new RegExp(`^${name}: (.*)$`, "im").exec(response.head)?.[1]!.trim() ?? null;
  return [response.status, header("location"), header("cache-control")];
}
const link = (domain: number, code: string, location = `https://t${domain}.test/`) =>
  links.set(keyOf(domain, code), { id: domain + 1, location });

test("a code leads where the link of the request's domain does", async () => {
  for (const id of [0, 1, 12]) link(id, "a/b");
  for (const host of ["full.test", "FULL.test", "full.test:8080", "full.test.", "Full.Test.:1"]) {
    expect(await ask(host, "/a/b?utm_source=x")).toEqual(to("https://t1.test/?utm_source=x"));
    expect(await ask(host, "/a%2Fb", "HEAD")).toEqual(to("https://t1.test/"));
  }
  expect(await ask("xn--bcher-kva.test", "/a/b")).toEqual(to("https://t12.test/"));
  for (const host of ["other.test", "a.full.test", "[::1]:80", "127.0.0.1", "", null]) {
    expect(await ask(host, "/a/b")).toEqual(to("https://t0.test/"));
  }
});

test("the root leads to the domain's default_url, else it is an unknown code", async () => {
  expect(await ask("full.test", "/?utm_source=x")).toEqual(to("https://root.test/?utm_source=x"));
  expect(await ask("known.test", "/")).toEqual(to("https://unknown.test/%C3%A9"));
  expect(await ask("xn--bcher-kva.test", "/")).toEqual(NOT_FOUND);
  expect(await ask("other.test", "/")).toEqual(to("https://default.test/"));
});

test("an unknown code leads to not_found_url, else it is 404", async () => {
  link(0, "a");
  for (const path of ["/a", "/~", "/a%00", `/${"c".repeat(200)}`, "/%7F%11%7Fa"]) {
    expect(await ask("full.test", path)).toEqual(to("https://unknown.test/%C3%A9"));
    expect(await ask("known.test", path)).toEqual(to("https://unknown.test/%C3%A9"));
    expect(await ask("xn--bcher-kva.test", path)).toEqual(NOT_FOUND);
  }
  link(1, "b");
  expect(await ask("other.test", "/%7F%11%7Fb")).toEqual(NOT_FOUND);
});

test("an expired link leads to expired_url, else it is as unknown", async () => {
  for (const id of [1, 3, 12]) expired.add(keyOf(id, "old"));
  expect(await ask("full.test", "/old")).toEqual(to("https://old.test/"));
  expect(await ask("known.test", "/old")).toEqual(to("https://unknown.test/%C3%A9"));
  expect(await ask("xn--bcher-kva.test", "/old")).toEqual(NOT_FOUND);
});

test("a path that speaks for the whole site leads nowhere else, unless a link has it", async () => {
  const codes = [".well-known/acme-challenge/x", "apple-app-site-association", "sitemap.xml"];
  for (const code of codes) {
    expect(await ask("full.test", `/${code}`)).toEqual(NOT_FOUND);
    expect(await ask("full.test", `/%${code.charCodeAt(0).toString(16)}${code.slice(1)}`)).toEqual(NOT_FOUND);
    expired.add(keyOf(1, code));
    expect(await ask("full.test", `/${code}`)).toEqual(NOT_FOUND);
    expired.clear();
    link(1, code);
    expect(await ask("full.test", `/${code}`)).toEqual(to("https://t1.test/"));
  }
});

test("a share is served on the default domain only", async () => {
  link(0, "paper", "waymark:file/1");
  expect((await ask("other.test", "/paper"))[0]).toBe(200);
  expect(await ask("full.test", "/paper")).toEqual(to("https://unknown.test/%C3%A9"));
  expect((await ask("other.test", "/paper", "POST"))[0]).toBe(200);
  expect((await ask("full.test", "/paper", "POST"))[0]).toBe(405);
  expect(shares.length).toBe(2);
});

test("a changed registry applies to the next request", async () => {
  link(0, "a");
  link(1, "a");
  stored = [{ id: 1, host: "new.test", ...none, ...made }];
  await domains.load();
  expect(await ask("new.test", "/a")).toEqual(to("https://t1.test/"));
  expect(await ask("full.test", "/a")).toEqual(to("https://t0.test/"));
  stored = [];
  await domains.load();
  expect(await ask("new.test", "/a")).toEqual(to("https://t0.test/"));
});
