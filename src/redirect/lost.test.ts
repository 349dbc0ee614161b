/** Codes that lead nowhere, for browsers and for everyone else, in raw bytes. */
import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { silentLogger } from "../lib/logger.ts";
import { cacheable, toLocation } from "../links/cache/cached-link.ts";
import { createDomainRegistry } from "../links/domains/registry.ts";
import { NO_OPTIONS, writeOptions } from "../links/link/field-values.ts";
import { createVisitorPages } from "../visitors/look.ts";
import { createIdentity } from "../visitors/identity.ts";
import { createLostPages } from "../visitors/lost-pages.ts";
import { createSiteFiles } from "../visitors/site-files.ts";
import { testLostParts, testVisitorPages } from "../visitors/pages.test-support.ts";
import { sendRaw } from "../../test/support/raw-http.ts";
import { createRedirect } from "./redirect.ts";
import { serveRedirects, testVisitors } from "./redirects.test-support.ts";
import { createSpecials } from "./special.ts";

const NOW = Date.parse("2026-11-20T13:00:00Z");
const PLAIN =
  "HTTP/1.1 404 Not Found\r\nContent-Type: text/html; charset=utf-8\r\nCache-Control: public, max-age=60\r\nContent-Length: 9";
const NAVIGATION =
  "Sec-Fetch-Dest: document\r\nSec-Fetch-Mode: navigate\r\nAccept: text/html\r\nAccept-Language: de-CH, en;q=0.5\r\n";

const settings = { defaultUrl: "", name: "Acme", color: "#1757c2", logo: "" };
const links = new Map<string, string>();
const expired = new Set<string>();
const missed: string[] = [];
const clicks: number[] = [];
const domains = createDomainRegistry({
  list: async () => [
    {
      id: 1,
      host: "own.test",
      ignoreCase: false,
      defaultUrl: null,
      notFoundUrl: "https://lost.test/",
      expiredUrl: null,
      createdAt: 0,
      updatedAt: 0,
    },
    {
      id: 2,
      host: "bare.test",
      ignoreCase: false,
      defaultUrl: null,
      notFoundUrl: null,
      expiredUrl: null,
      createdAt: 0,
      updatedAt: 0,
    },
    {
      id: 3,
      host: "full.test",
      ignoreCase: false,
      defaultUrl: "https://root.test/",
      notFoundUrl: null,
      expiredUrl: "https://old.test/",
      createdAt: 0,
      updatedAt: 0,
    },
  ],
});
await domains.load();

const NO_LOCKS = { refusal: async () => null, unlock: async () => new Response() };
const automated = { includes: () => false };
const identity = createIdentity({
  get: (key) =>
    ({
      "features.instance_name": settings.name,
      "features.accent_color": settings.color,
      "features.logo": settings.logo,
      "privacy.imprint_url": "",
      "privacy.notice_url": "",
    })[key],
});
const redirect = createRedirect({
  ...testLostParts,
  cache: {
    findIn: (text, start, end) => {
      const location = links.get(text.slice(start, end));
      return location === undefined ? null : { id: 7, location };
    },
    knows: (key) => expired.has(key),
  },
  clicks: { record: (id) => void clicks.push(id) },
  automated,
  locks: NO_LOCKS,
  specials: createSpecials({
    visitors: testVisitors,
    locks: NO_LOCKS,
    uses: { take: async () => false },
    automated,
    pages: testVisitorPages,
    fallbacks: { leadsBack: () => false },
    passUtm: () => false,
  }),
  domains,
  pages: createLostPages(createVisitorPages(identity)),
  files: createSiteFiles(identity),
  missed: (key, { method }) => missed.push(`${method} ${key}`),
  defaultUrl: () => settings.defaultUrl,
  passUtm: () => false,
  clock: { now: () => NOW },
  logger: silentLogger,
});
const server = serveRedirects(redirect);
afterAll(() => server.stop(true));
beforeEach(() => {
  missed.length = 0;
  Object.assign(settings, { defaultUrl: "", name: "Acme", color: "#1757c2", logo: "" });
  links.clear();
  expired.clear();
  clicks.length = 0;
});

async function ask(path: string, { headers = "", method = "GET", host = "short.test" } = {}) {
  const head = `${method} ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n${headers}\r\n`;
  const response = await sendRaw(`http://127.0.0.1:${server.port}`, head);
  const fields = response.head.replace(/\r\n(?:Date|Connection): [^\r]*/gi, "");
  const header = (name: string) =>
    new RegExp(`^${name}: (.*)$`, "im").exec(response.head)?.[1]!.trim() ?? null;
  return { status: response.status, fields, header, body: Buffer.from(response.body, "latin1").toString() };
}
const navigate = (path: string, more: { method?: string; host?: string } = {}) =>
  ask(path, { ...more, headers: NAVIGATION });

type Closing = { startsAt?: number; maxClicks?: number; expiresAt?: number; isLocked?: boolean };

function close(code: string, { startsAt, maxClicks, expiresAt, isLocked = false }: Closing) {
  const options = { ...NO_OPTIONS, startsAt: startsAt ?? null, maxClicks: maxClicks ?? null };
  const row = {
    id: 7,
    target: "https://secret.test/",
    expires_at: expiresAt ?? null,
    locked: isLocked,
    options: writeOptions(options),
  };
  links.set(code, toLocation(cacheable(row, true).target));
}

test("codes without a link are counted as missing, unlike expired ones, paths of the site and other paths", async () => {
  expired.add("old");
  for (const path of ["/sprnig", "/a/b?x", "/old", "/robots.txt", "/.well-known/x", "/a b", "/"])
    await ask(path);
  await ask("/sprnig", { method: "HEAD" });
  await navigate("/sprnig");
  expect(missed).toEqual(["GET sprnig", "GET a/b", "HEAD sprnig", "GET sprnig"]);
});

describe("a browser's navigation", () => {
  test.each([
    ["the root", "/", "Ein Dienst für Kurzlinks"],
    ["an unknown code", "/nothing", "Dieser Link führt nirgendwohin"],
    ["what can't be a code", "/%00", "Dieser Link führt nirgendwohin"],
    ["an expired code", "/old", "Dieser Link ist abgelaufen"],
    ["a used-up code", "/used", "Dieser Link ist verbraucht"],
    ["a code that has not started, as unknown", "/later", "Dieser Link führt nirgendwohin"],
  ])("gets a page for %s", async (_, path, title) => {
    expired.add("old");
    close("used", { maxClicks: 1 });
    close("later", { startsAt: NOW + 1 });
    for (const method of ["GET", "HEAD"]) {
      const response = await navigate(path, { method });
      expect([response.status, response.header("cache-control"), response.header("content-type")]).toEqual([
        404,
        "public, max-age=60",
        "text/html; charset=utf-8",
      ]);
      expect([response.header("vary"), response.header("cdn-cache-control")]).toEqual([
        "Sec-Fetch-Dest, Accept-Language",
        "no-store",
      ]);
      expect(response.header("content-security-policy")).toContain("default-src 'none'; style-src 'sha256-");
      if (method === "HEAD") {
        expect([response.body, Number(response.header("content-length")) > 1000]).toEqual(["", true]);
        continue;
      }
      for (const part of ["Not Found", '<html lang="de">', `<h1>${title}</h1>`, "Acme", "--accent:#1757c2"]) {
        expect(response.body).toContain(part);
      }
      expect(response.body).not.toContain("secret.test");
    }
    expect(clicks).toEqual([]);
  });

  test("learns nothing of a link that has not started by sending its form", async () => {
    close("later", { startsAt: NOW + 1, isLocked: true });
    expect((await navigate("/later", { method: "POST" })).body).toContain("Dieser Link führt nirgendwohin");
    close("later", { startsAt: NOW + 1, isLocked: true, expiresAt: NOW });
    expect((await navigate("/later", { method: "POST" })).body).toContain("Dieser Link ist abgelaufen");
  });

  test("sees changed settings at once", async () => {
    expect((await navigate("/x")).body).toContain("· Acme</title>");
    settings.name = "<Söhne>";
    expect((await navigate("/x")).body).toContain("· &lt;Söhne&gt;</title>");
    settings.color = "#0a7d4f";
    expect((await navigate("/x")).body).toContain("--accent:#0a7d4f");
  });

  test("goes where links, the default URL and domains lead, as before", async () => {
    links.set("a", "https://t.test/");
    settings.defaultUrl = "https://home.test/";
    expired.add("\u007f3\u007fold");
    const where = async (path: string, host = "short.test") =>
      (await navigate(path, { host })).header("location");
    expect(
      await Promise.all([where("/a"), where("/"), where("/x", "own.test"), where("/", "own.test")]),
    ).toEqual(["https://t.test/", "https://home.test/", "https://lost.test/", "https://lost.test/"]);
    expect(await where("/", "full.test")).toBe("https://root.test/");
    expect((await navigate("/x", { host: "full.test" })).body).toContain("Not Found");
    expect((await navigate("/", { host: "bare.test" })).body).toContain("Ein Dienst für Kurzlinks");
  });
});

test("everyone else gets the bytes of the specification", async () => {
  expired.add("old");
  close("used", { maxClicks: 1 });
  for (const path of ["/", "/nothing", "/%00", "/old", "/used"]) {
    for (const headers of [
      "",
      "Accept: text/html\r\nAccept-Language: de\r\nUser-Agent: Mozilla/5.0 Firefox/140.0\r\n",
      "Sec-Fetch-Dest: empty\r\n",
      "Sec-Fetch-Dest: image\r\nAccept-Language: de\r\n",
      "Sec-Fetch-Dest: Document\r\n",
      "Sec-Fetch-Dest: document, document\r\n",
    ]) {
      const response = await ask(path, { headers });
      expect([response.fields, response.body]).toEqual([PLAIN, "Not Found"]);
      expect((await ask(path, { headers, method: "HEAD" })).fields).toBe(PLAIN);
    }
  }
});

describe("/favicon.ico and /robots.txt", () => {
  const FILES = { "/favicon.ico": "image/png", "/robots.txt": "text/plain; charset=utf-8" };

  test("are served on every domain, without a click", async () => {
    for (const [path, type] of Object.entries(FILES)) {
      for (const host of ["short.test", "own.test", "bare.test"]) {
        for (const method of ["GET", "HEAD"]) {
          for (const target of [path, `${path}?v=1`]) {
            const response = await ask(target, { host, method });
            expect([
              response.status,
              response.header("content-type"),
              response.header("cache-control"),
            ]).toEqual([200, type, "public, max-age=3600"]);
            expect([response.body.length > 0, Number(response.header("content-length")) > 0]).toEqual([
              method === "GET",
              true,
            ]);
          }
        }
      }
    }
    expect(clicks).toEqual([]);
  });

  test("belong to a link that has the code, also when it has expired", async () => {
    links.set("robots.txt", "https://t.test/robots");
    expired.add("favicon.ico");
    expect((await ask("/robots.txt")).header("location")).toBe("https://t.test/robots");
    expect(clicks).toEqual([7]);
    expect((await ask("/favicon.ico")).body).toBe("Not Found");
    expect((await ask("/robots.txt", { host: "bare.test" })).header("content-type")).toContain("text/plain");
  });

  test("are only these two paths", async () => {
    for (const path of [
      "/favicon.icon",
      "/robots.txt/a",
      "/a/robots.txt",
      "/Robots.txt",
      "/robots.tx",
      "/favicon",
    ]) {
      expect((await ask(path)).body).toBe("Not Found");
    }
  });

  test("robots.txt keeps crawlers out and lets previews in", async () => {
    const [previews, others] = (await ask("/robots.txt")).body.split("\n\n");
    expect(others).toBe("User-agent: *\nDisallow: /\n");
    expect(previews).toContain("User-agent: Slackbot\n");
    expect(previews).toEndWith("\nAllow: /");
  });

  test("the icon has the accent colour", async () => {
    const bytes = async () =>
      new Uint8Array(await (await fetch(`http://127.0.0.1:${server.port}/favicon.ico`)).arrayBuffer());
    const before = await bytes();
    expect(Buffer.from(before).toString("latin1", 1, 4)).toBe("PNG");
    settings.color = "#ffd400";
    expect(await bytes()).not.toEqual(before);
    settings.color = "#1757c2";
    expect(await bytes()).toEqual(before);
  });
});
