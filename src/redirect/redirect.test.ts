/** The redirect behind a real server, requested in raw bytes, because `fetch` normalizes requests. */
import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { connect } from "node:net";
import { createAutomatedVisitors } from "../lib/automated-visitors.ts";
import { silentLogger } from "../lib/logger.ts";
import type { CachedLink } from "../links/cache/cached-link.ts";
import { testLostParts, testVisitorPages } from "../visitors/pages.test-support.ts";
import { createRedirect } from "./redirect.ts";
import { serveRedirects, testVisitors } from "./redirects.test-support.ts";
import { createSpecials } from "./special.ts";

const NOW = Date.parse("2026-11-20T13:00:00Z");
const NOT_FOUND = {
  status: 404,
  headers: { "content-type": "text/html; charset=utf-8", "cache-control": "public, max-age=60" },
  body: "Not Found",
};
const redirectTo = (location: string) => ({
  status: 307,
  headers: { location, "cache-control": "no-cache, no-store, must-revalidate" },
  body: "",
});

const links = new Map<string, CachedLink | "fails" | "rejects" | "later">();
const clicks: [number, number][] = [];
const classes: boolean[] = [];
const served: [number, string][] = [];
const expired = new Set<string>();
const settings = { defaultUrl: "", passUtm: false };

const NO_LOCKS = { refusal: async () => null, unlock: async () => new Response() };

const redirect = createRedirect({
  ...testLostParts,
  cache: {
    findIn(text, start, end) {
      const found = links.get(text.slice(start, end)) ?? null;
      if (found === "fails") throw new Error("away");
      if (found === "rejects") return Promise.reject(new Error("away"));
      if (found === "later") return Bun.sleep(1).then(() => ({ id: 77, location: "https://later/" }));
      return found;
    },
    knows: (code) => expired.has(code),
  },
  specials: createSpecials({
    visitors: testVisitors,
    uses: { take: async () => false },
    automated: createAutomatedVisitors(),
    locks: NO_LOCKS,
    pages: testVisitorPages,
    fallbacks: { leadsBack: () => false },
    passUtm: () => settings.passUtm,
  }),
  clicks: {
    record(id, at, isAutomated) {
      clicks.push([id, at]);
      classes.push(isAutomated);
    },
  },
  automated: createAutomatedVisitors(),
  locks: NO_LOCKS,
  shares: {
    async respond(id, request) {
      served.push([id, request.method]);
      return new Response("shared", { status: 200, headers: { "content-type": "text/plain" } });
    },
  },
  defaultUrl: () => settings.defaultUrl,
  passUtm: () => settings.passUtm,
  clock: { now: () => NOW },
  logger: silentLogger,
});

const server = serveRedirects(redirect);
afterAll(() => server.stop(true));

beforeEach(() => {
  links.clear();
  clicks.length = 0;
  classes.length = 0;
  served.length = 0;
  settings.defaultUrl = "";
  settings.passUtm = false;
});

/** Sends the bytes and returns the response without common headers. */
async function send(bytes: string) {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const chunks: Buffer[] = [];
  const socket = connect(server.port, "127.0.0.1", () => socket.write(Buffer.from(bytes, "latin1")));
  socket.on("data", (chunk: Buffer) => chunks.push(chunk));
  socket.on("error", reject);
  socket.on("close", () => resolve(Buffer.concat(chunks).toString("latin1")));
  const [head = "", body = ""] = (await promise).split("\r\n\r\n");
  const [first = "", ...lines] = head.split("\r\n");
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(":")).toLowerCase(), line.slice(line.indexOf(":") + 2)]),
  );
  for (const name of ["date", "connection", "content-length"]) delete headers[name];
  return { status: Number(first.split(" ")[1]), headers, body };
}

const ask = (target: string, method = "GET") =>
  send(`${method} ${target} HTTP/1.1\r\nHost: short.test\r\nConnection: close\r\n\r\n`);

describe("a known code", () => {
  test("responds with 307 and counts a click, for GET and HEAD", async () => {
    links.set("a", { id: 5, location: "https://t/x?y=1#z" });
    expect(await ask("/a")).toEqual(redirectTo("https://t/x?y=1#z"));
    expect(await ask("/a", "HEAD")).toEqual(redirectTo("https://t/x?y=1#z"));
    expect(clicks).toEqual([
      [5, NOW],
      [5, NOW],
    ]);
  });

  test("its click has the class of the visitor, also for a share and a late response", async () => {
    links.set("a", { id: 5, location: "https://t/" });
    links.set("s", { id: 6, location: "waymark:file/1" });
    links.set("l", "later");
    const person = "User-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:132.0) Gecko/20100101 Firefox/132.0\r\n";
    const visit = (code: string, headers: string, method = "GET") =>
      send(`${method} /${code} HTTP/1.1\r\nHost: short.test\r\nConnection: close\r\n${headers}\r\n`);
    for (const code of ["a", "s", "l"]) {
      await visit(code, person);
      await visit(code, person, "HEAD");
      await visit(code, "User-Agent: WhatsApp/2.23.20.0\r\n");
      await visit(code, `${person}Sec-Purpose: prefetch;prerender\r\n`);
      await visit(code, "");
      expect(classes.splice(0)).toEqual([false, true, true, true, true]);
    }
  });

  test.each([
    ["/a/b", "a/b"],
    ["/a%2Fb", "a/b"],
    ["/%61%2f%62", "a/b"],
    ["/a/b?q=1", "a/b"],
    ["/a/b?", "a/b"],
    ["http://evil.test/a/b", "a/b"],
    ["/A-z_0.9/x", "A-z_0.9/x"],
    ["/batch", "batch"],
    [`/${"c".repeat(128)}`, "c".repeat(128)],
    [`/${"%63".repeat(128)}`, "c".repeat(128)],
  ])("is found as %s", async (target, code) => {
    links.set(code, { id: 1, location: "https://t/" });
    expect(await ask(target)).toEqual(redirectTo("https://t/"));
  });

  test("is found without a Host, and with an empty one", async () => {
    links.set("a", { id: 1, location: "https://t/" });
    settings.passUtm = true;
    expect(await send("GET /a HTTP/1.0\r\n\r\n")).toEqual(redirectTo("https://t/"));
    const request = "GET /a?utm_source=\xc3\xa9 HTTP/1.1\r\nHost:\r\nConnection: close\r\n\r\n";
    expect(await send(request)).toEqual(redirectTo("https://t/?utm_source=%C3%A9"));
  });

  test("may be looked up asynchronously", async () => {
    links.set("a", "later");
    expect(await ask("/a")).toEqual(redirectTo("https://later/"));
    expect(clicks).toEqual([[77, NOW]]);
  });
});

describe("any other path is 404", () => {
  test.each([
    ["an unknown code", "/nothing"],
    ["a code that is too long", `/${"c".repeat(129)}`],
    ["a code that is too long when decoded", `/${"%63".repeat(129)}`],
    ["a very long path", `/${"c".repeat(9000)}`],
    ["NUL", "/%00"],
    ["CRLF", "/a%0D%0AX-Evil:%201"],
    ["malformed escapes", "/a%"],
    ["malformed escapes", "/a%2"],
    ["malformed escapes", "/%zz"],
    ["a double escape", "/%2561"],
    ["an escaped question mark", "/a%3Fb"],
    ["an escaped hash", "/a%23b"],
    ["a blank", "/a%20b"],
    ["Unicode", "/%C3%A9"],
    ["raw bytes beyond ASCII", "/\xc3\xa9"],
    ["a character that codes exclude", "/a~b"],
    ["a double slash", "//evil.test/a"],
    ["a trailing slash", "/a/"],
    ["the root without a default", "/"],
  ])("%s: %s", async (_, target) => {
    links.set("a", { id: 1, location: "https://t/" });
    expect(await ask(target)).toEqual(NOT_FOUND);
    expect(await ask(target, "HEAD")).toEqual({ ...NOT_FOUND, body: "" });
    expect(clicks).toEqual([]);
  });
});

describe("the root", () => {
  test("redirects to the default URL without a click, with UTM if enabled", async () => {
    settings.defaultUrl = "https://home.test/ü";
    for (const target of ["/", "/?x", "/?utm_source=a"]) {
      expect(await ask(target)).toEqual(redirectTo("https://home.test/%C3%BC"));
    }
    settings.passUtm = true;
    expect(await ask("/?utm_source=a&x")).toEqual(redirectTo("https://home.test/%C3%BC?utm_source=a"));
    expect(clicks).toEqual([]);
  });
});

test("UTM keys are passed to the target if enabled", async () => {
  links.set("a", { id: 1, location: "https://t/?x#f" });
  expect(await ask("/a?utm_source=s")).toEqual(redirectTo("https://t/?x#f"));
  settings.passUtm = true;
  expect(await ask("/a?z=1&utm_source=s%20s")).toEqual(redirectTo("https://t/?x&utm_source=s%20s#f"));
  expect(await ask("/%61?utm_source=s")).toEqual(redirectTo("https://t/?x&utm_source=s#f"));
  expect(await ask(`/a?utm_source=o'neil&utm_term="<>`)).toEqual(
    redirectTo(`https://t/?x&utm_source=o'neil&utm_term="<>#f`),
  );
});

test("a failed lookup is 500, synchronous or not", async () => {
  links.set("a", "fails");
  links.set("b", "rejects");
  const expected = {
    status: 500,
    headers: { "content-type": "text/html; charset=utf-8" },
    body: "Internal Server Error",
  };
  expect(await ask("/a")).toEqual(expected);
  expect(await ask("/b")).toEqual(expected);
  expect(clicks).toEqual([]);
});

test.each(["POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"])("%s is 405", async (method) => {
  links.set("a", { id: 1, location: "https://t/" });
  expect(await ask("/a", method)).toEqual({
    status: 405,
    headers: { allow: "GET, HEAD", "content-type": "text/plain; charset=utf-8" },
    body: "Method Not Allowed",
  });
  expect(clicks).toEqual([]);
});

test.each([
  ["two Hosts", "GET /a HTTP/1.1\r\nHost: a\r\nHost: b\r\n"],
  ["the same Host twice", "GET /a HTTP/1.1\r\nHost: a\r\nHost: a\r\n"],
  ["a Host and an empty one", "GET /a HTTP/1.1\r\nHost: a\r\nHost:\r\n"],
  ["two empty Hosts", "GET /a HTTP/1.1\r\nHost:\r\nHost:\r\n"],
  ["a Host with a path", "GET /a HTTP/1.1\r\nHost: a/b\r\n"],
  ["a Host with a user", "GET /a HTTP/1.1\r\nHost: u@a\r\n"],
  ["no Host in HTTP/1.1", "GET /a HTTP/1.1\r\n"],
  ["CONNECT", "CONNECT evil.test:443 HTTP/1.1\r\nHost: evil.test:443\r\n"],
  ["CONNECT with a path", "CONNECT /a HTTP/1.1\r\nHost: a\r\n"],
])("%s is 400", async (_, head) => {
  links.set("a", { id: 1, location: "https://t/" });
  expect((await send(`${head}Connection: close\r\n\r\n`)).status).toBe(400);
  expect(clicks).toEqual([]);
});

test("responses are counted by status", async () => {
  links.set("a", { id: 1, location: "https://t/" });
  links.set("b", "rejects");
  const before = redirect.counts();
  for (const target of ["/a", "/a", "/x", "/%00", "/", "/b"]) await ask(target);
  await ask("/a", "POST");
  const after = redirect.counts();
  expect(after.found[307] - before.found[307]).toBe(2);
  expect(after.missing - before.missing).toBe(3);
  expect(after.failed - before.failed).toBe(1);
});

describe("a code that serves a share", () => {
  const shared = { status: 200, headers: { "content-type": "text/plain" }, body: "shared" };

  test("is served by the share and counts a click, except on POST", async () => {
    links.set("s/h", { id: 9, location: "waymark:file/12" });
    settings.passUtm = true;
    expect(await ask("/s/h?utm_source=a")).toEqual(shared);
    expect(await ask("/%73/h", "HEAD")).toEqual({ ...shared, body: "" });
    expect(clicks).toEqual([
      [9, NOW],
      [9, NOW],
    ]);
    expect(await ask("/%73/h?x", "POST")).toEqual(shared);
    expect(served).toEqual([
      [9, "GET"],
      [9, "HEAD"],
      [9, "POST"],
    ]);
    expect(clicks.length).toBe(2);
  });

  test("is the only code that accepts POST", async () => {
    links.set("w", { id: 1, location: "https://waymark/" });
    links.set("s/h", { id: 9, location: "waymark:file/12" });
    for (const target of ["/w", "/unknown", "/", "/%00"])
      expect((await ask(target, "POST")).status).toBe(405);
    for (const method of ["PUT", "PATCH", "DELETE", "OPTIONS"]) {
      expect((await ask("/s/h", method)).headers["allow"]).toBe("GET, HEAD, POST");
      expect((await ask("/w", method)).headers["allow"]).toBe("GET, HEAD");
    }
    links.set("b", "rejects");
    expect((await ask("/b", "POST")).status).toBe(500);
    expect(served).toEqual([]);
  });
});
