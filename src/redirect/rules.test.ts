/** Rules of links behind the real redirect, and what explains them, on rows of each database. */
import { beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { forEachDialect } from "../platform/db/for-each-dialect.test-support.ts";
import { createAutomatedVisitors } from "../lib/automated-visitors.ts";
import { silentLogger } from "../lib/logger.ts";
import { cacheable, type CachedLink, createLinkFinder, toLocation } from "../links/cache/cached-link.ts";
import { internalTarget } from "../links/link/internal-target.ts";
import { type LinkOptions, NO_OPTIONS, writeOptions } from "../links/link/field-values.ts";
import { NOW, openLinks } from "../links/links.test-support.ts";
import { type Conditions, DAYS, DEVICES, type Rule } from "../links/rules/rule.ts";
import { testLostParts, testVisitorPages } from "../visitors/pages.test-support.ts";
import { createExplain } from "./explain.routes.ts";
import { sharedLink } from "./follow.ts";
import { createRedirect } from "./redirect.ts";
import { visit } from "./redirects.test-support.ts";
import { createSpecials } from "./special.ts";
import { createVisitorFacts, sentIn } from "./visitor-facts.ts";

const TARGET = "https://example.com/";
const AGENTS = {
  mobile:
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1",
  desktop: "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
  tablet:
    "Mozilla/5.0 (Linux; Android 14; SM-X910) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36",
};

/** Links by their codes, or a database that finds them. */
function setUp(find: (code: string) => CachedLink | null) {
  const at = {
    now: NOW,
    address: "192.0.2.7",
    isLocked: false,
    uses: 0,
    passUtm: false,
    gone: [] as number[],
  };
  const clicks: [link: number, rule: number | null][] = [];
  const requested: string[] = [];
  const served = (kind: string) => ({
    async respond(linkId: number, request: Request) {
      requested.push(`${kind} ${linkId} ${request.method}`);
      return new Response(kind);
    },
  });
  const visitors = createVisitorFacts({
    key: "key",
    places: {
      loading: () => null,
      countryOf: (address) => (address.startsWith("192.") ? "DE" : address === "" ? null : "FR"),
    },
  });
  const automated = createAutomatedVisitors();
  const locks = {
    refusal: async () => (at.isLocked ? new Response("form", { status: 401 }) : null),
    unlock: async () => new Response("unlocked"),
  };
  const cache = {
    findIn: (text: string, start: number, end: number) => find(text.slice(start, end)),
    knows: () => false,
  };
  const uses = { take: async () => ++at.uses <= 2, of: async () => at.uses };
  const fallbacks = { leadsBack: () => false };
  const passUtm = () => at.passUtm;
  const redirect = createRedirect({
    ...testLostParts,
    cache,
    clicks: { record: (link) => void clicks.push([link, null]) },
    visits: { record: (link, { rule }) => void clicks.push([link, rule]) },
    automated,
    locks,
    specials: createSpecials({
      locks,
      uses,
      automated,
      pages: testVisitorPages,
      fallbacks,
      visitors: {
        facts: (linkId, one) => visitors.of(sentIn(linkId, one, () => at.address)),
        loading: visitors.loading,
      },
      passUtm,
    }),
    shares: served("share"),
    drops: served("drop"),
    defaultUrl: () => "",
    passUtm,
    clock: { now: () => at.now },
    logger: silentLogger,
  });
  const explain = createExplain({
    visitors,
    fallbacks,
    automated,
    uses,
    shared: (code, now) => sharedLink(cache, code, now),
    servesFiles: async (id) => !at.gone.includes(id),
    enforcesPasswords: () => at.isLocked,
    passUtm,
  });
  return { at, clicks, requested, redirect, explain };
}

const rowOf = (id: number, options: Partial<LinkOptions>, target = TARGET) => ({
  id,
  target,
  expires_at: null,
  locked: true,
  options: writeOptions({ ...NO_OPTIONS, ...options }),
});

describe("one link", () => {
  const links = new Map<string, CachedLink>();
  const room = setUp((code) => links.get(code) ?? null);
  const { at, clicks, requested: services, redirect, explain } = room;
  const store = (rules: Rule[], options: Partial<LinkOptions> = {}, isLocked = false) => {
    const location = toLocation(cacheable(rowOf(7, { rules, ...options }), isLocked).target);
    links.set("a", { id: 7, location });
  };
  beforeEach(() => {
    links.clear();
    links.set("photos", { id: 8, location: internalTarget("folder", 1) });
    links.set("box", { id: 9, location: internalTarget("drop", 1) });
    Object.assign(at, { now: NOW, isLocked: false, uses: 0, passUtm: false });
    clicks.length = services.length = 0;
  });
  const ask = async (path = "/a", agent: keyof typeof AGENTS = "mobile", method = "GET") => {
    const headers = { "User-Agent": AGENTS[agent] };
    const response = await visit(redirect, `http://go.example${path}`, { headers, method });
    return `${response.status} ${response.headers.get("Location") ?? (await response.text())}`;
  };

  test("leads where its first matching rule leads, and the click knows which it was", async () => {
    store([
      { if: { device: "tablet" }, target: "https://t.example/ü" },
      { if: { device: ["mobile", "tablet"], country: "DE" }, target: "https://m.example/?a=1" },
    ]);
    expect(await ask()).toBe("307 https://m.example/?a=1");
    expect(await ask("/a", "tablet")).toBe("307 https://t.example/%C3%BC");
    expect(await ask("/a", "desktop")).toBe("307 https://example.com/");
    expect(clicks).toEqual([
      [7, 1],
      [7, 0],
      [7, null],
    ]);
  });

  test("conditions of any text stay what they are in the cache", async () => {
    store([{ if: { query: { "ü b": '"\\ ' } }, target: "https://q.example/" }]);
    expect(links.get("a")!.location).toMatch(/^[\x21-\x7e]+$/);
    expect(await ask(`/a?${new URLSearchParams({ "ü b": '"\\ ' })}`)).toBe("307 https://q.example/");
    expect(await ask("/a?%C3%BC+b=1")).toBe("307 https://example.com/");
  });

  test("status, query and UTM pairs go with the target of the rule", async () => {
    store([{ if: { percent: 100 }, target: "https://r.example/?x=1" }], {
      redirectStatus: 302,
      forwardQuery: true,
    });
    expect(await ask("/a?x=2&y=3")).toBe("302 https://r.example/?x=1&y=3");
  });

  test("a date, then the password, then the rule, then the limit", async () => {
    const rules: Rule[] = [{ if: { percent: 100 }, target: "https://r.example/" }];
    store(rules, { startsAt: NOW + 1 });
    expect(await ask()).toBe("404 Not Found");
    store(rules, { maxClicks: 2 }, true);
    at.isLocked = true;
    expect(await ask()).toBe("401 form");
    expect([at.uses, clicks.length]).toEqual([0, 0]);
    const requested = { ...rowOf(7, { rules, maxClicks: 2 }), code: "a", shortUrl: "http://go.example/a" };
    const sent = {
      linkId: 7,
      now: NOW,
      userAgent: AGENTS.mobile,
      acceptLanguage: null,
      referrer: null,
      query: "",
      address: () => at.address,
    };
    const said = { status: 401, reason: "password" };
    expect(await explain(requested, sent)).toMatchObject({ ...said, target: "https://r.example/" });
    at.uses = 2;
    expect(await explain(requested, sent)).toMatchObject({ ...said, target: null });
    at.uses = 0;
    at.isLocked = false;
    expect([await ask(), await ask(), await ask()]).toEqual([
      "307 https://r.example/",
      "307 https://r.example/",
      "404 Not Found",
    ]);
    expect(clicks).toEqual([
      [7, 0],
      [7, 0],
    ]);
  });

  test("a timetable makes one code a drop box, then a folder, then a URL", async () => {
    store([
      { if: { before: "2026-11-21T00:00:00.000Z" }, target: "share:box" },
      { if: { before: "2026-11-22T00:00:00.000Z" }, target: "share:photos" },
    ]);
    expect(await ask()).toBe("200 drop");
    expect(await ask("/a", "mobile", "POST")).toBe("200 drop");
    at.now = Date.parse("2026-11-21T00:00:00Z");
    expect(await ask()).toBe("200 share");
    expect(await ask("/a?folder=3")).toBe("200 share");
    expect(await ask("/a", "mobile", "POST")).toBe("200 share");
    at.now = Date.parse("2026-11-22T00:00:00Z");
    expect(await ask()).toBe("307 https://example.com/");
    expect(await ask("/a", "mobile", "POST")).toStartWith("405");
    expect(services).toEqual(["drop 9 GET", "drop 9 POST", "share 8 GET", "share 8 GET", "share 8 POST"]);
    // A step within the share is no click.
    expect(clicks).toEqual([
      [7, 0],
      [7, 1],
      [7, null],
    ]);
  });

  test("a code that serves nothing now, or another link, is not found", async () => {
    for (const code of ["gone", "url", "a"]) {
      links.set("url", { id: 10, location: TARGET });
      store([{ if: { percent: 100 }, target: `share:${code}` }]);
      expect(await ask()).toBe("404 Not Found");
    }
    expect([clicks, services]).toEqual([[], []]);
  });

  test("what explains a code asks whether it still serves files", async () => {
    const photos = { ...rowOf(8, {}, internalTarget("folder", 1)), options: null };
    const direct = { ...photos, code: "photos", shortUrl: "http://go.example/photos" };
    const rules: Rule[] = [{ if: { percent: 100 }, target: "share:photos" }];
    const byRule = { ...rowOf(7, { rules }), code: "a", shortUrl: "http://go.example/a" };
    const acceptLanguage = null;
    const sent = {
      linkId: 7,
      now: NOW,
      userAgent: "",
      acceptLanguage,
      referrer: null,
      query: "",
      address: () => "",
    };
    for (const [gone, status] of [
      [[], 200],
      [[8], 404],
    ] as const) {
      at.gone = [...gone];
      expect(await explain(direct, sent)).toMatchObject({ status, reason: "share" });
      expect(await explain(byRule, sent)).toMatchObject({ status, target: "share:photos" });
    }
    at.gone = [];
  });

  test("a share waits for the password of the link, and its pages take no further use", async () => {
    store([{ if: { percent: 100 }, target: "share:photos" }], { maxClicks: 2 }, true);
    at.isLocked = true;
    expect(await ask()).toBe("401 form");
    expect(await ask("/a", "mobile", "POST")).toBe("200 unlocked");
    at.isLocked = false;
    expect(await ask()).toBe("200 share");
    expect(await ask("/a?file=1")).toBe("200 share");
    expect(await ask("/a?file=2")).toBe("200 share");
    expect(at.uses).toBe(1);
    expect(await ask("/a", "mobile", "POST")).toBe("200 share");
  });
});

/** Mulberry32. */
function randomFrom(seed: number) {
  let state = seed;
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number): number => Math.floor(next() * limit);
  const of = <T>(values: readonly T[]): T => values[below(values.length)]!;
  return { below, of };
}
type Random = ReturnType<typeof randomFrom>;

const EDGES = [
  "2026-03-29T01:00:00Z",
  "2026-10-25T01:00:00Z",
  "2028-02-29T00:00:00Z",
  "2028-02-29T23:00:00Z",
  "2026-12-31T23:00:00Z",
  "2026-11-30T23:00:00Z",
  "2026-04-05T15:00:00Z",
].map((text) => Date.parse(text));
const ZONES = ["Europe/Berlin", "UTC", "Australia/Lord_Howe", "America/Los_Angeles"];
const LANGUAGES = ["de-CH, en;q=0.5", "en-GB", "fr;q=0.2, pt-BR;q=0.9", "", "*"];
const QUERIES = ["", "ref=1", "ref=2&b=x%20y", "b=x+y", "utm_source=a"];
const REFERRERS = ["https://www.news.example/a?b", "http://example.org", "app://x", null];
const ADDRESSES = ["192.0.2.7", "198.51.100.9", "2001:db8:1::5", "unix"];

const timeOf = ({ below }: Random): string =>
  `${String(below(24)).padStart(2, "0")}:${String(15 * below(4)).padStart(2, "0")}`;

function conditionsOf(random: Random): Conditions {
  const { below, of } = random;
  const edge = new Date(of(EDGES) + below(3) - 1).toISOString();
  const [from, to] = [timeOf(random), "24:00"];
  const all: Conditions = {
    device: of(DEVICES),
    os: of(["iOS", "Android", "Linux"]),
    browser: [of(["Safari", "Chrome"]), "Firefox"],
    language: of(["de", "en", "pt", "*", "de-ch"]),
    country: of(["DE", "FR"]),
    referrer: of(["news.example", "example.org"]),
    query: of([{ ref: true }, { ref: "2" }, { b: "x y" }] as const),
    before: edge,
    after: edge,
    hours: { ...(below(2) && { days: [of(DAYS), of(DAYS)] }), from, to: of([to, "03:00"]), zone: of(ZONES) },
    address: of([["192.0.2.0/24"], "2001:db8::/32", "0.0.0.0/0"]),
    percent: below(101),
  };
  if (from === all.hours!.to) delete all.hours;
  const names = Object.keys(all) as (keyof Conditions)[];
  const kept = [of(names), ...(below(3) === 0 ? [of(names)] : [])];
  return Object.fromEntries(kept.filter((name) => all[name] !== undefined).map((name) => [name, all[name]]));
}

forEachDialect((dialect) => {
  const LINKS = 60;
  const VISITS = 40;
  const links = new Map<string, CachedLink>();
  const { at, clicks, redirect, explain } = setUp((code) => links.get(code) ?? null);
  const rows = new Map<string, ReturnType<typeof rowOf>>();

  beforeAll(async () => {
    const database = await dialect.openDb({ threads: true });
    const room = await openLinks(database);
    const random = randomFrom(dialect.name.length);
    const made = Array.from({ length: LINKS }, (_, link) => ({
      code: `l${link}`,
      target: TARGET,
      rules: Array.from({ length: 1 + random.below(8) }, (_none, index) => ({
        if: conditionsOf(random),
        target: `https://r${index}.example/`,
      })).filter((rule) => Object.keys(rule.if).length > 0),
    }));
    expect((await room.links.batch.create(made)).failed).toEqual([]);
    const find = createLinkFinder(database, () => false);
    for (const { code } of made) {
      const found = await find(code);
      links.set(code, { id: found!.id, location: toLocation(found!.target) });
      const { id, options } = await room.links.get(code);
      rows.set(code, { ...rowOf(id, {}), options });
    }
  });

  test("for random rules and visitors, at the edges of clocks, an explanation is what happens", async () => {
    const random = randomFrom(7);
    const { below, of } = random;
    const wrong: unknown[] = [];
    const decided = new Set<number | null>();
    for (const [code, row] of rows) {
      for (let one = 0; one < VISITS; one++) {
        at.now = of(EDGES) + (below(3) - 1) * of([1, 1_000, 1_800_000, 3_600_000]);
        at.address = of(ADDRESSES);
        const [agent, language, referrer] = [of(Object.values(AGENTS)), of(LANGUAGES), of(REFERRERS)];
        const headers = {
          "User-Agent": agent,
          ...(language && { "Accept-Language": language }),
          ...(referrer && { Referer: referrer }),
        };
        const query = of(QUERIES);
        clicks.length = 0;
        const url = `http://go.example/${code}${query && `?${query}`}`;
        const response = await visit(redirect, url, { headers });
        const said = await explain(
          { ...row, code, shortUrl: `http://go.example/${code}` },
          {
            linkId: row.id,
            now: at.now,
            userAgent: agent,
            acceptLanguage: language || null,
            referrer,
            query,
            address: () => at.address,
          },
        );
        const last = said.steps.at(-1);
        const rule = last?.holds ? last.rule : null;
        decided.add(rule);
        const happened = [response.status, response.headers.get("Location"), clicks];
        const expected = [said.status, said.target, [[row.id, rule]]];
        const isConsistent = said.steps.every(
          ({ holds, because }) => because.every((b) => b.holds) === holds,
        );
        if (!Bun.deepEquals(happened, expected) || !isConsistent) wrong.push({ happened, said });
      }
    }
    expect(wrong.slice(0, 3)).toEqual([]);
    // Rules of several places and targets are among them.
    expect(decided.size).toBeGreaterThan(4);
    expect(decided).toContain(null);
  });
});
