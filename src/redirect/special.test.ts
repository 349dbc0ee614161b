/** Special links behind the real redirect, with rows as the database gives them. */
import { beforeEach, describe, expect, test } from "bun:test";
import { createAutomatedVisitors } from "../lib/automated-visitors.ts";
import { appError } from "../lib/errors.ts";
import { silentLogger } from "../lib/logger.ts";
import { cacheable, toLocation } from "../links/cache/cached-link.ts";
import { type LinkOptions, NO_OPTIONS, writeOptions } from "../links/link/field-values.ts";
import { testLostParts, testVisitorPages } from "../visitors/pages.test-support.ts";
import { createRedirect } from "./redirect.ts";
import { testVisitors, visit } from "./redirects.test-support.ts";
import { createSpecials } from "./special.ts";

const NOW = Date.parse("2026-11-20T13:00:00Z");
const FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";

let location = "";
let uses = 0;
let limit = 0;
let clicks = 0;
let trouble: Error | null = null;
const settings = { passUtm: false };

const NO_LOCKS = { refusal: async () => null, unlock: async () => new Response() };

const redirect = createRedirect({
  ...testLostParts,
  cache: { findIn: () => ({ id: 7, location }), knows: () => true },
  clicks: { record: () => void clicks++ },
  automated: createAutomatedVisitors(),
  locks: NO_LOCKS,
  specials: createSpecials({
    visitors: testVisitors,
    locks: NO_LOCKS,
    uses: {
      async take() {
        if (trouble !== null) throw trouble;
        return uses < limit && ++uses > 0;
      },
    },
    automated: createAutomatedVisitors(),
    pages: testVisitorPages,
    fallbacks: { leadsBack: () => false },
    passUtm: () => settings.passUtm,
  }),
  defaultUrl: () => "",
  passUtm: () => settings.passUtm,
  clock: { now: () => NOW },
  logger: silentLogger,
});

beforeEach(() => {
  uses = clicks = limit = 0;
  trouble = null;
  settings.passUtm = false;
});

function store(
  options: Partial<LinkOptions>,
  target = "https://example.com/a",
  expires_at: number | null = null,
) {
  const row = {
    id: 7,
    target,
    expires_at,
    locked: false,
    options: writeOptions({ ...NO_OPTIONS, ...options }),
  };
  location = toLocation(cacheable(row, false).target);
}

async function ask(path = "/a", { method = "GET", agent = FIREFOX } = {}) {
  const headers = agent === "" ? {} : { "User-Agent": agent };
  const response = await visit(redirect, `http://go.example${path}`, { method, headers });
  return {
    status: response.status,
    to: response.headers.get("Location"),
    cache: response.headers.get("Cache-Control"),
    body: await response.text(),
  };
}

const NO_STORE = "no-cache, no-store, must-revalidate";
const MISSING = { status: 404, to: null, cache: "public, max-age=60", body: "Not Found" };

test.each([301, 302, 308] as const)("status %d, which no cache may keep", async (redirectStatus) => {
  store({ redirectStatus });
  const before = redirect.counts().found;
  expect(await ask()).toEqual({
    status: redirectStatus,
    to: "https://example.com/a",
    cache: NO_STORE,
    body: "",
  });
  expect(await ask("/a", { method: "HEAD" })).toMatchObject({ status: redirectStatus });
  expect(redirect.counts().found).toEqual({ ...before, [redirectStatus]: before[redirectStatus] + 2 });
  expect(clicks).toBe(2);
});

test.each(["mailto:a@example.com?subject=h%C3%A9", "whatsapp://send?text=hi", "tel:+49301234"])(
  "%s gets what its link forwards, and no UTM pairs",
  async (target) => {
    settings.passUtm = true;
    store({}, target);
    expect(await ask("/a?utm_source=x&body=y")).toMatchObject({ status: 307, to: target });
    store({ forwardQuery: true, startsAt: NOW - 1 }, target);
    const joint = target.includes("?") ? "&" : "?";
    expect(await ask("/a?body=y")).toMatchObject({ status: 307, to: `${target}${joint}body=y` });
    settings.passUtm = false;
  },
);

describe("outside of its time", () => {
  test("a link is not found, and counts nothing", async () => {
    store({ startsAt: NOW + 1 });
    expect(await ask()).toEqual(MISSING);
    store({ redirectStatus: 302 }, "https://example.com/a", NOW);
    expect(await ask()).toEqual(MISSING);
    expect(clicks).toBe(0);
  });

  test("a link leads to its fallback", async () => {
    const fallback = { status: 307, to: "https://example.com/b%C3%BC", cache: NO_STORE, body: "" };
    store({ startsAt: NOW + 1, fallbackUrl: "https://example.com/bü", redirectStatus: 308 });
    expect(await ask()).toEqual(fallback);
    store({ fallbackUrl: "https://example.com/bü" }, "https://example.com/a", NOW);
    expect(await ask()).toEqual(fallback);
    expect(clicks).toBe(0);
  });

  test("its first and last millisecond count", async () => {
    store({ startsAt: NOW, fallbackUrl: "https://example.com/b" }, "https://example.com/a", NOW + 1);
    expect((await ask()).to).toBe("https://example.com/a");
    expect(clicks).toBe(1);
  });
});

describe("max_clicks", () => {
  test("the last one passes, then the fallback or 404", async () => {
    limit = 2;
    store({ maxClicks: 2 });
    expect([(await ask()).to, (await ask()).to]).toEqual(["https://example.com/a", "https://example.com/a"]);
    expect(await ask()).toEqual(MISSING);
    store({ maxClicks: 2, fallbackUrl: "https://example.com/b" });
    expect((await ask()).to).toBe("https://example.com/b");
    expect(clicks).toBe(2);
  });

  test.each([
    ["GET", "curl/8.0"],
    ["GET", "Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)"],
    ["GET", ""],
    ["HEAD", FIREFOX],
  ])("%s by %j gets a page and uses none up", async (method, agent) => {
    limit = 1;
    store({ maxClicks: 1 });
    const page = await ask("/a", { method, agent });
    expect(page).toMatchObject({ status: 200, to: null, cache: "private, no-store" });
    if (method === "GET") expect(page.body).toContain("for people");
    expect(page.body).not.toContain("example.com");
    expect([uses, clicks]).toEqual([0, 1]);
  });

  test("while the database is away the response is 503 and names when to come back", async () => {
    store({ maxClicks: 2, fallbackUrl: "https://example.com/b" });
    trouble = appError("ServiceUnavailable", "The database is away.");
    const before = redirect.counts();
    const ask503 = async (more: Record<string, string> = {}) => {
      const headers = { "User-Agent": FIREFOX, ...more };
      const response = await visit(redirect, "http://go.example/a", { headers });
      expect([
        response.status,
        response.headers.get("Retry-After"),
        response.headers.get("Location"),
      ]).toEqual([503, "5", null]);
      expect(response.headers.get("Cache-Control")).toContain("no-store");
      return response.text();
    };
    expect(await ask503()).toBe("Service Unavailable");
    expect(await ask503({ Accept: "text/html", "Accept-Language": "de" })).toContain('<html lang="de">');
    expect(redirect.counts()).toEqual({ ...before, away: before.away + 2 });
    trouble = new TypeError("a mistake");
    expect((await ask()).status).toBe(500);
    expect(clicks).toBe(0);
  });

  test("a link that is not open shows automated visitors no page", async () => {
    store({ maxClicks: 1, startsAt: NOW + 1 });
    expect(await ask("/a", { agent: "curl/8.0" })).toEqual(MISSING);
  });
});

describe("forward_query", () => {
  const to = async (target: string, path: string) => {
    store({ forwardQuery: true }, target);
    return (await ask(path)).to;
  };

  test("passes all pairs, in their bytes, before the fragment; keys of the target stay its own", async () => {
    expect(await to("https://e.com/a#f", "/a?x=1&y=%20&x=2")).toBe("https://e.com/a?x=1&y=%20&x=2#f");
    expect(await to("https://e.com/a?x=0", "/a?x=1&y=2")).toBe("https://e.com/a?x=0&y=2");
    expect(await to("https://e.com/a?a+b=0", "/a?a%20b=1&%61%20b=2&c=")).toBe("https://e.com/a?a+b=0&c=");
    expect(await to("https://e.com/a?x=0", "/a?x=1")).toBe("https://e.com/a?x=0");
    expect(await to("https://e.com/a", "/a?&&x&")).toBe("https://e.com/a?x");
    expect(await to("https://e.com/a", "/a?")).toBe("https://e.com/a");
    expect(await to("https://e.com/a", `/%61?x=o'neil&y="<>\\^\`{|}`)).toBe(
      `https://e.com/a?x=o'neil&y="<>\\^\`{|}`,
    );
  });

  test("with passing of UTM values each pair goes once", async () => {
    settings.passUtm = true;
    expect(await to("https://e.com/a", "/a?utm_source=n&x=1")).toBe("https://e.com/a?utm_source=n&x=1");
    store({ redirectStatus: 302 }, "https://e.com/a");
    expect((await ask("/a?utm_source=n&x=1")).to).toBe("https://e.com/a?utm_source=n");
  });

  test("hostile queries add no header, and no more than 8 KiB", async () => {
    expect(await to("https://e.com/a", "/a?x=%0d%0aSet-Cookie:%20a=b")).toBe(
      "https://e.com/a?x=%0d%0aSet-Cookie:%20a=b",
    );
    expect(await to("https://e.com/a", `/a?${"x&".repeat(4000)}`)).toHaveLength(15 + 8000);
    expect(await to("https://e.com/a", `/a?${"x&".repeat(8000)}`)).toBe("https://e.com/a");
    expect(await to("https://e.com/a", "/a?%=1&%E0%A4=2")).toBe("https://e.com/a?%=1&%E0%A4=2");
  });
});

test("a target of the longest kind comes back whole", async () => {
  const target = `https://example.com/${'"'.repeat(8000)}`;
  store({ redirectStatus: 302, fallbackUrl: `https://example.com/${"ü".repeat(4000)}` }, target);
  expect(location.length).toBeLessThan(65_535);
  expect((await ask()).to).toBe(target);
});

describe("a card", () => {
  const card = { title: 'A "b" <c>', description: "ü & ö", image: "https://img.example/a.png?b=1&c='" };
  const PREVIEW = "Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)";

  test("is what previews get, escaped, with a click; browsers, crawlers and apps pass", async () => {
    store({ card });
    const { status, to, body } = await ask("/a", { agent: PREVIEW });
    expect([status, to, clicks]).toEqual([200, null, 1]);
    for (const tag of [
      '<meta property="og:title" content="A &quot;b&quot; &lt;c&gt;">',
      '<meta property="og:description" content="ü &amp; ö">',
      '<meta property="og:image" content="https://img.example/a.png?b=1&amp;c=&#39;">',
      '<meta name="twitter:card" content="summary_large_image">',
    ]) {
      expect(body).toContain(tag);
    }
    expect(body).not.toContain("example.com");
    for (const agent of [FIREFOX, "Googlebot/2.1", "curl/8", `${FIREFOX} [Pinterest/iOS]`, ""]) {
      expect(await ask("/a", { agent })).toMatchObject({ status: 307, to: "https://example.com/a" });
    }
  });

  test("is not shown before the start, and takes no use", async () => {
    store({ card, startsAt: NOW + 1 });
    expect(await ask("/a", { agent: PREVIEW })).toEqual(MISSING);
    store({ card, maxClicks: 1 });
    limit = 1;
    expect(await ask("/a", { agent: PREVIEW })).toMatchObject({ status: 200 });
    expect(uses).toBe(0);
  });
});
