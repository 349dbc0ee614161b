/** Paths that no link has as its code, behind the real redirect and what explains it. */
import { beforeEach, describe, expect, test } from "bun:test";
import { AppError } from "../lib/errors.ts";
import { silentLogger } from "../lib/logger.ts";
import { cacheable, type CachedLink, toLocation } from "../links/cache/cached-link.ts";
import type { Domain } from "../links/domains/domain.ts";
import { createDomainRegistry } from "../links/domains/registry.ts";
import { codeOf, keyOf } from "../links/link/key.ts";
import { type LinkOptions, NO_OPTIONS, writeOptions } from "../links/link/field-values.ts";
import { testLostParts, testVisitorPages } from "../visitors/pages.test-support.ts";
import { createExplain, createPathSearch } from "./explain.routes.ts";
import { createRedirect } from "./redirect.ts";
import { arrivalAt, testVisitors, visit } from "./redirects.test-support.ts";
import { createSpecials } from "./special.ts";
import { createVisitorFacts } from "./visitor-facts.ts";

const NOW = Date.parse("2026-11-20T13:00:00Z");
const LOST = "404 null";
const REFUSED = "400 null";

type Row = {
  id: number;
  code: string;
  target: string;
  options: string | null;
  expires_at: number | null;
  locked: boolean;
};

const rows = new Map<string, Row>();
const settings = {
  tails: false,
  ignoresCase: false,
  isLocked: false,
  mayUse: true,
  notFoundUrl: null as string | null,
};
let looked: string[] = [];
let isLate = false;

const domain: Domain = {
  id: 1,
  host: "other.test",
  ignoreCase: true,
  defaultUrl: null,
  notFoundUrl: null,
  expiredUrl: "https://over.test/",
  createdAt: NOW,
  updatedAt: NOW,
};
const domains = createDomainRegistry({
  list: async () => [{ ...domain, notFoundUrl: settings.notFoundUrl }],
  ignoresCase: () => settings.ignoresCase,
});
await domains.load();

const cache = {
  findIn(text: string, start: number, end: number): CachedLink | null | Promise<CachedLink | null> {
    const key = text.slice(start, end);
    looked.push(codeOf(key));
    const row = rows.get(key);
    const cached = row && cacheable(row, settings.isLocked);
    const isOver = cached?.expires_at && cached.expires_at <= NOW;
    const link = cached && !isOver ? { id: cached.id, location: toLocation(cached.target) } : null;
    return isLate ? Promise.resolve(link) : link;
  },
  knows: (key: string) => rows.has(key),
};
const unlocked: unknown[] = [];
const locks = {
  refusal: async () => new Response("form", { status: 401 }),
  async unlock(_: number, at: unknown) {
    unlocked.push(at);
    return new Response("unlocked");
  },
};
const automated = { includes: () => false };
const fallbacks = { leadsBack: () => false };

const redirect = createRedirect({
  ...testLostParts,
  cache,
  domains,
  clicks: { record: () => {} },
  automated,
  locks,
  specials: createSpecials({
    visitors: testVisitors,
    locks,
    uses: { take: async () => settings.mayUse },
    automated,
    pages: testVisitorPages,
    fallbacks,
    passUtm: () => true,
  }),
  defaultUrl: () => "",
  passUtm: () => true,
  forgivesTails: () => settings.tails,
  clock: { now: () => NOW },
  logger: silentLogger,
});

const search = createPathSearch({
  links: {
    domains,
    findByAnyCode: async (key) => rows.get(key) ?? null,
    by: () => ({ get: () => Promise.reject(new Error("not answer")), find: async () => null }),
  },
  forgivesTails: () => settings.tails,
  now: () => NOW,
});
const explain = createExplain({
  visitors: createVisitorFacts({ key: "key", places: { loading: () => null, countryOf: () => null } }),
  fallbacks,
  automated,
  uses: { of: async () => (settings.mayUse ? 0 : 1) },
  shared: async () => null,
  servesFiles: async () => true,
  enforcesPasswords: () => settings.isLocked,
  passUtm: () => true,
});

function store(
  code: string,
  options: Partial<LinkOptions> = {},
  { target = `https://to.test/${code}`, on = 0, expiresAt = null as number | null } = {},
) {
  const key = keyOf(on, code);
  const text = writeOptions({ ...NO_OPTIONS, ...options });
  rows.set(key, { id: rows.size + 1, code: key, target, options: text, expires_at: expiresAt, locked: true });
}

async function ask(path: string, host = "go.test", init = {}): Promise<string> {
  const url = `http://${host}${path}`;
  // The server refuses paths that two servers could read differently (wire/read-head.ts).
  if (isRefused(url)) return REFUSED;
  const response = await visit(redirect, url, init);
  return `${response.status} ${response.headers.get("Location")}`;
}

function isRefused(url: string): boolean {
  try {
    return arrivalAt(url) === null;
  } catch {
    return true;
  }
}

async function explained(typed: string, host?: string) {
  const sent = {
    linkId: 1,
    now: NOW,
    userAgent: "",
    acceptLanguage: null,
    referrer: null,
    query: "",
    address: () => "",
  };
  try {
    const { key, beyond, found_by: by } = await search(typed, host);
    const row = rows.get(key)!;
    const link = { ...row, code: codeOf(key), shortUrl: "http://go.test/", beyond };
    const routed = domains.of(host ?? null);
    const { target, status, reason } = await explain({ ...link, domain: routed }, sent);
    return { text: `${status} ${target}`, by, reason };
  } catch (error) {
    if (error instanceof AppError && error.name === "LinkNotFound")
      return { text: LOST, by: null, reason: null };
    throw error;
  }
}

beforeEach(() => {
  rows.clear();
  looked = [];
  isLate = false;
  unlocked.length = 0;
  Object.assign(settings, { tails: false, ignoresCase: false, isLocked: false, mayUse: true });
});

describe("forward_path", () => {
  const forwardPath = true;

  test("what follows the code goes to the target's path, before query and fragment", async () => {
    store("docs", { forwardPath }, { target: "https://e.test/d?v=1#top" });
    expect(await ask("/docs/some/path?q=1")).toBe("307 https://e.test/d/some/path?v=1#top");
    expect(await ask("/docs")).toBe("307 https://e.test/d?v=1#top");
    expect(await ask("/docs/")).toBe("307 https://e.test/d/?v=1#top");
    expect(await ask("/docs//a///b")).toBe("307 https://e.test/d/a/b?v=1#top");
    expect(await ask("/docs/a%20b/%C3%BC!(x)'+")).toBe("307 https://e.test/d/a%20b/%C3%BC!(x)'+?v=1#top");
    expect(await ask("/do%63s/x")).toBe("307 https://e.test/d/x?v=1#top");
    expect(await ask("/docs/x?utm_source=n")).toBe("307 https://e.test/d/x?v=1&utm_source=n#top");
    expect(await ask("/docsx/y")).toBe(LOST);
    store("mail", { forwardPath }, { target: "mailto:a@e.test" });
    expect(await ask("/mail/x")).toBe("307 mailto:a@e.test");
    for (const target of ["https://e.test", "https://e.test/"]) {
      store("r", { forwardPath, forwardQuery: true, redirectStatus: 302 }, { target });
      expect(await ask("/r/x?q=1")).toBe("302 https://e.test/x?q=1");
    }
  });

  test("the longest code with it wins, and a code that exists wins over it", async () => {
    store("a", { forwardPath });
    store("a/b", {});
    store("a/b/c", { forwardPath });
    expect(await ask("/a/b/c/d")).toBe("307 https://to.test/a/b/c/d");
    expect(await ask("/a/b/x")).toBe("307 https://to.test/a/b/x");
    expect(await ask("/a/b")).toBe("307 https://to.test/a/b");
    expect(await ask("/a/c")).toBe("307 https://to.test/a/c");
    store("a/gone", {}, { expiresAt: NOW });
    expect(await ask("/a/gone")).toBe(LOST);
    store("a/b/c", { forwardPath }, { expiresAt: NOW });
    expect(await ask("/a/b/c/d")).toBe(LOST);
    store("old", { forwardPath }, { on: 1, expiresAt: NOW });
    expect(await ask("/old/x", "other.test")).toBe("307 https://over.test/");
    isLate = true;
    expect(await ask("/a/b/x")).toBe("307 https://to.test/a/b/x");
  });

  test("a rule's target gets the path too, and the password form leads back to it", async () => {
    const rules = [{ if: { query: { x: true as const } }, target: "https://rule.test/r" }];
    store("a", { forwardPath, rules });
    expect(await ask("/a/p?x=1")).toBe("307 https://rule.test/r/p");
    settings.isLocked = true;
    expect(await ask("/a/p")).toBe("401 null");
    await visit(redirect, "http://go.test/a/p", { method: "POST" });
    expect(unlocked).toEqual([{ code: "a", beyond: "/p" }]);
  });

  test("what could lead above the target's path leads nowhere", async () => {
    store("a", { forwardPath }, { target: "https://e.test/base" });
    for (const rest of [
      "%2e%2e%2fx",
      "x%2f%2e%2e%2fy",
      "x/..%2fy",
      "x%5c..%5cy",
      "..%5cx",
      "%252e%252e%252fx",
      "..;a/x",
      "x/..;/y",
      "%2fevil.test",
      "%5cevil.test",
      "..%00/x",
      ".%2e%2fx",
      `%${"25".repeat(9)}2e`,
    ]) {
      expect([rest, LOST, REFUSED]).toContain(await ask(`/a/${rest}`));
    }
    // The address itself leads above the code.
    for (const path of ["/a/../x", "/a/%2e%2e/x", "/a/x/../../y"])
      expect([LOST, REFUSED]).toContain(await ask(path));
    expect(await ask("/a/group%2Fproject/...")).toBe("307 https://e.test/base/group%2Fproject/...");
  });

  test("10,000 random paths never leave host and path", async () => {
    store("a", { forwardPath }, { target: "https://e.test/base/?q#f" });
    const parts =
      "/ // . .. ... %2e %2E. %2f %5c \\ ; a ~ %25 2e 2f : @ evil.test %00 %09 ? # & %c3%bc ..; http:".split(
        " ",
      );
    const random = randomFrom(41);
    let forwarded = 0;
    for (let at = 0; at < 10_000; at++) {
      const rest = Array.from({ length: 1 + random(8) }, () => parts[random(parts.length)]).join("");
      const [status, location] = (await ask(`/a/${rest.replaceAll("#", "")}`)).split(" ");
      if (status !== "307") continue;
      forwarded++;
      for (let read = location!, times = 0; times < 6; times++) {
        const url = new URL(read.replaceAll("\\", "/").replaceAll(/;[^/?#]*/g, ""));
        expect([rest, url.origin, url.pathname.startsWith("/base")]).toEqual([rest, "https://e.test", true]);
        expect([rest, url.pathname.includes("/../")]).toEqual([rest, false]);
        read = read.replaceAll(/%([0-9a-f]{2})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
        if (/[\s\0-\x1f]/.test(read)) break;
      }
    }
    expect(forwarded).toBeGreaterThan(1_000);
  });
});

describe("forgive_tails", () => {
  const TAILS = [
    ..." .,;:!*_~>/)]}\"'»«”“’‘›‹」』】）］｝＂＇〉》．，；：！？＊＿～＞／。、\u3000\u00a0\t\u200b\u200f\u2060\ufeff",
    "?",
    ".)",
    "/).",
    "&utm_source=x",
    "/&fbclid=a%2Fb.c&d=e",
    "&amp;a=b",
  ];

  test("what is left behind an address is no part of it, raw or encoded", async () => {
    store("a_b");
    settings.tails = true;
    for (const tail of TAILS) {
      const raw = new URL(`http://x/a_b${tail.replaceAll("?", "%3F")}`).pathname;
      const encoded = `/a_b${encodeURIComponent(tail)}`;
      for (const path of [raw, encoded]) {
        expect([tail, await ask(path)]).toEqual([tail, "307 https://to.test/a_b"]);
      }
      expect([tail, (await explained(`a_b${tail}`)).by]).toEqual([tail, "tail"]);
    }
    expect(await ask("/a_b.?utm_source=x")).toBe("307 https://to.test/a_b?utm_source=x");
  });

  test("nothing else is", async () => {
    store("a");
    settings.tails = true;
    for (const tail of [
      "x",
      "-",
      "=",
      "@",
      "$",
      "(",
      "[",
      "{",
      "<",
      "`",
      "|",
      "^",
      "&",
      "&x",
      "&=x",
      "%e2%80",
      "é",
      ".x",
      "1",
    ])
      expect([tail, await ask(`/a${encodeURI(tail).replaceAll("%25", "%")}`)]).toEqual([tail, LOST]);
    expect(await ask("/a.+")).toBe(LOST);
    expect(await ask(`/a${".".repeat(3_000)}`)).toBe(LOST);
    settings.tails = false;
    expect(await ask("/a.")).toBe(LOST);
  });

  test("a code that exists wins, even an expired one; a known code pays nothing, an unknown one a look", async () => {
    settings.tails = true;
    store("a");
    store("a.");
    store("b");
    store("b.", {}, { expiresAt: NOW });
    expect(await ask("/a.")).toBe("307 https://to.test/a.");
    expect(await ask("/b.")).toBe(LOST);
    looked = [];
    await ask("/a");
    expect(looked).toEqual(["a"]);
    looked = [];
    expect(await ask("/none.")).toBe(LOST);
    expect(looked).toEqual(["none.", "none"]);
    looked = [];
    expect(await ask("/none")).toBe(LOST);
    expect(looked).toEqual(["none"]);
  });

  test("a link with forward_path takes what follows it first", async () => {
    settings.tails = true;
    store("a", { forwardPath: true });
    store("a/b");
    expect(await ask("/a/b.")).toBe("307 https://to.test/a/b.");
    expect(await ask("/a.")).toBe("307 https://to.test/a");
  });
});

describe("ignored case", () => {
  test("codes are found in any case where the domain ignores it", async () => {
    store("ab/c");
    store("ab/c", {}, { on: 1, target: "https://other.test/x" });
    expect(await ask("/AB/c")).toBe(LOST);
    expect(await ask("/Ab/C", "other.test")).toBe("307 https://other.test/x");
    settings.ignoresCase = true;
    for (const path of ["/AB/c", "/ab/C?x", "/%41B%2Fc", "/ab/c"])
      expect(await ask(path)).toBe("307 https://to.test/ab/c");
    expect(await explained("AB/c")).toMatchObject({ by: "case" });
  });

  test("a code that is not yet stored in lower case is found as it was written", async () => {
    settings.ignoresCase = true;
    store("Ab");
    expect(await ask("/Ab")).toBe("307 https://to.test/Ab");
    expect(await ask("/ab")).toBe(LOST);
    store("ab");
    expect(await ask("/Ab")).toBe("307 https://to.test/ab");
  });
});

test("a domain leads elsewhere where a link leads nowhere, and what explains it says so", async () => {
  const on = domain.id;
  const held = (state: "waiting" | "refused" | "taken_down") => ({
    held: { state, at: 1, by: "a", reason: "b" },
  });
  store("over", {}, { on, expiresAt: NOW });
  store("over-there", { fallbackUrl: "https://fall.test/" }, { on, expiresAt: NOW });
  store("later", { startsAt: NOW + 1 }, { on });
  store("used", { maxClicks: 1 }, { on });
  for (const state of ["waiting", "refused", "taken_down"] as const) store(state, held(state), { on });
  store("robots.txt", {}, { on, expiresAt: NOW });
  settings.mayUse = false;
  const lead = async (code: string) => {
    const there = await ask(`/${code}`, domain.host);
    const said = await explained(code, domain.host);
    expect([code, said.text]).toEqual([code, there]);
    return [there, said.reason];
  };
  for (const notFoundUrl of [null, "https://nothing.test/"]) {
    settings.notFoundUrl = notFoundUrl;
    await domains.load();
    const none = notFoundUrl === null ? LOST : `307 ${notFoundUrl}`;
    expect(await lead("over")).toEqual(["307 https://over.test/", "expired"]);
    expect(await lead("over-there")).toEqual(["307 https://fall.test/", "expired"]);
    expect(await lead("later")).toEqual([none, "not_started"]);
    expect(await lead("used")).toEqual([none, "used_up"]);
    expect(await lead("waiting")).toEqual([none, "waiting"]);
    expect(await lead("refused")).toEqual([none, "refused"]);
    expect(await lead("taken_down")).toEqual(["410 null", "taken_down"]);
    expect(await lead("robots.txt")).toEqual([LOST, "expired"]);
  }
  settings.notFoundUrl = null;
  await domains.load();
});

test("the redirect and what explains it agree on random links and paths", async () => {
  const random = randomFrom(7);
  const pieces = ["a", "B", "b", "/", "/", ".", "_", ")", "%2F", "%41", "é", "&x=1", "-", "//", "%2e"];
  const text = (most: number) =>
    Array.from({ length: 1 + random(most) }, () => pieces[random(pieces.length)]).join("");
  const found = new Map<string | null, number>();
  for (let round = 0; round < 300; round++) {
    rows.clear();
    settings.tails = random(2) === 0;
    settings.ignoresCase = random(2) === 0;
    for (let links = 0; links < 6; links++) {
      const code =
        text(3)
          .replaceAll(/[^a-zA-Z._/-]/g, "")
          .replaceAll(/\/{2,}/g, "/")
          .replaceAll(/(?<=^|\/)\.{1,2}(?=\/|$)/g, "c")
          .replaceAll(/^\/+|\/+$/g, "") || "a";
      const on = random(2);
      const stored = on === 1 || settings.ignoresCase ? code.toLowerCase() : code;
      const expiresAt = random(5) === 0 ? NOW : null;
      store(
        stored,
        { forwardPath: random(2) === 0, redirectStatus: random(2) === 0 ? 307 : 302 },
        { on, expiresAt },
      );
    }
    for (let paths = 0; paths < 20; paths++) {
      const typed = text(5);
      isLate = random(2) === 0;
      const host = random(2) === 0 ? undefined : "other.test";
      const answer = await ask(new URL(`http://x/${typed}`).pathname, host);
      if (answer === REFUSED) continue;
      const { text: expected, by } = await explained(typed, host);
      expect([typed, answer]).toEqual([typed, expected]);
      found.set(by, (found.get(by) ?? 0) + 1);
    }
  }
  for (const by of ["code", "case", "path", "tail", null]) expect(found.get(by) ?? 0).toBeGreaterThan(20);
});

/** Whole numbers below a limit, always the same ones (mulberry32). */
function randomFrom(seed: number) {
  let state = seed;
  return (limit: number): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
  };
}
