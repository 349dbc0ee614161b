/** A server that behaves as Shlink's OpenAPI document of version 3 describes; a real one is in the long suite. */
import { afterAll, beforeEach, expect, test } from "bun:test";
import { createOutbound } from "../../../lib/outbound.ts";
import type { SourceInput } from "./reader.ts";
import { shlink } from "./shlink.ts";

const KEY = "5c2b0f6e-key";

type Visit = {
  date: string;
  referer: string;
  userAgent: string;
  potentialBot: boolean;
  visitLocation: unknown;
};
type ShortUrl = Record<string, unknown> & { shortCode: string; domain: string | null };

let urls: ShortUrl[] = [];
let visits: Record<string, Visit[]> = {};
let rules: Record<string, unknown[]> = {};
let fail: (path: string) => Response | null = () => null;
/** Called before a response about visits. */
let beforeVisits = () => {};

const pageOf = (all: readonly unknown[], query: URLSearchParams) => {
  const size = Number(query.get("itemsPerPage") ?? 10);
  const page = Number(query.get("page") ?? 1);
  if (page > Math.max(1, Math.ceil(all.length / size))) throw new Error(`Page ${page} does not exist.`);
  const data = all.slice((page - 1) * size, page * size);
  return {
    data,
    pagination: {
      currentPage: page,
      pagesCount: Math.ceil(all.length / size),
      itemsPerPage: size,
      itemsInCurrentPage: data.length,
      totalItems: all.length,
    },
  };
};

const server = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  error: () => Response.json({ status: 500 }, { status: 500 }),
  fetch(request) {
    const { pathname, searchParams: query } = new URL(request.url);
    const failure = fail(pathname);
    if (failure) return failure;
    if (request.headers.get("x-api-key") !== KEY) return Response.json({ status: 401 }, { status: 401 });
    if (pathname === "/rest/v3/short-urls") {
      // With MySQL, Shlink gives those of one date in another order for each page.
      const isByCode = query.get("orderBy") === "shortCode-ASC";
      const all = urls.toSorted((a, b) => (a.shortCode < b.shortCode ? -1 : 1));
      if (!isByCode && Number(query.get("page")) % 2 === 0) all.reverse();
      return Response.json({ shortUrls: pageOf(all, query) });
    }
    const [, code, what] = /^\/rest\/v3\/short-urls\/([^/]+)\/([a-z-]+)$/.exec(pathname) ?? [];
    const name = `${query.get("domain") ?? ""}/${decodeURIComponent(code ?? "")}`;
    if (what === "visits" && visits[name]) {
      beforeVisits();
      return Response.json({ visits: pageOf(visits[name], query) });
    }
    if (what === "redirect-rules" && rules[name])
      return Response.json({ defaultLongUrl: "https://example.com", redirectRules: rules[name] });
    return Response.json({ status: 404 }, { status: 404 });
  },
});
afterAll(() => server.stop(true));

beforeEach(() => {
  [urls, visits, rules] = [[], {}, {}];
  fail = () => null;
  beforeVisits = () => {};
});

const input = (more: Partial<SourceInput> = {}): SourceInput => ({
  source: server.url.origin,
  key: KEY,
  map: {},
  signal: new AbortController().signal,
  outbound: createOutbound({ isAllowed: () => true, ports: null }),
  ...more,
});

const url = (shortCode: string, more: Record<string, unknown> = {}): ShortUrl => ({
  shortCode,
  shortUrl: `https://s.test/${shortCode}`,
  longUrl: `https://example.com/${shortCode}`,
  dateCreated: "2024-05-01T10:20:30+02:00",
  tags: [],
  meta: { validSince: null, validUntil: null, maxVisits: null },
  domain: null,
  title: null,
  crawlable: false,
  forwardQuery: true,
  hasRedirectRules: false,
  visitsSummary: { total: visits[`/${shortCode}`]?.length ?? 0, nonBots: 0, bots: 0 },
  ...more,
});

const visit = (at: number): Visit => ({
  date: new Date(1_700_000_000_000 + at * 1_000).toISOString(),
  referer: at % 2 === 0 ? "https://news.example/" : "",
  userAgent: "Mozilla/5.0",
  potentialBot: at % 3 === 0,
  visitLocation: at % 2 === 0 ? { countryCode: "DE", cityName: "Berlin" } : null,
});

test("imports every field of a short URL, and lists what it has no place for", async () => {
  urls = [
    url("a-full", {
      tags: ["b,c", "A", "x".repeat(65)],
      title: "A title",
      domain: "other.test",
      crawlable: true,
      forwardQuery: false,
      hasRedirectRules: true,
      meta: { validSince: "2024-01-01T00:00:00+01:00", validUntil: "2030-01-01T00:00:00Z", maxVisits: 7 },
      visitsSummary: { total: 3, nonBots: 3, bots: 0 },
    }),
    { ...url("broken"), longUrl: 5 } as never,
  ];
  const condition = (type: string, matchValue: string | null, matchKey: string | null = null) => ({
    type,
    matchKey,
    matchValue,
  });
  rules["other.test/a-full"] = [
    {
      priority: 1,
      longUrl: "https://a.test/",
      conditions: [condition("device", "android"), condition("language", "pt_BR")],
    },
    {
      priority: 2,
      longUrl: "https://b.test/",
      conditions: [condition("query-param", "bar", "foo"), condition("any-value-query-param", null, "q")],
    },
    {
      priority: 3,
      longUrl: "https://c.test/",
      conditions: [condition("ip-address", "11.22.*.*"), condition("device", "mobile")],
    },
    { priority: 4, longUrl: "https://d.test/", conditions: [condition("geolocation-city-name", "Paris")] },
    {
      priority: 5,
      longUrl: "https://e.test/",
      conditions: [condition("language", "de"), condition("language", "en")],
    },
    { priority: 6, longUrl: "https://f.test/", conditions: [condition("device", "__proto__")] },
  ];
  const source = await shlink.open(input());
  expect(source.size).toEqual({ links: 2 });
  const [full, broken, ...none] = await Array.fromAsync(source.links(0));
  expect(none).toEqual([]);
  expect(full).toEqual({
    position: 1,
    cells: {
      code: "a-full",
      target: "https://example.com/a-full",
      created_at: "2024-05-01T10:20:30+02:00",
      domain: "other.test",
      title: "A title",
      tags: '"b,c",a',
      starts_at: "2024-01-01T00:00:00+01:00",
      expires_at: "2030-01-01T00:00:00Z",
      max_clicks: "7",
      forward_query: "",
      click_count: "3",
      rules: JSON.stringify([
        { if: { os: "Android", language: "pt-BR" }, target: "https://a.test/" },
        { if: { query: { foo: "bar", q: true } }, target: "https://b.test/" },
        { if: { address: "11.22.0.0/16", device: ["mobile", "tablet"] }, target: "https://c.test/" },
      ]),
    },
    lost: [
      "Shlink lets search engines index it; Waymark does not.",
      "Rule 4 has a condition that Waymark can't have beside the others: geolocation-city-name.",
      "Rule 5 has a condition that Waymark can't have beside the others: language.",
      "Rule 6 has a condition that Waymark can't have beside the others: device.",
      "Tags of more than 64 characters are left out.",
    ],
  });
  expect(broken).toEqual({
    position: 2,
    code: "broken",
    problem: "The short URL is not as Shlink's API describes it.",
  });
});

test("reads visits from the oldest on, also when new ones arrive, and goes on after any position", async () => {
  visits = { "/a": Array.from({ length: 1_203 }, (_, at) => visit(at)).toReversed(), "/b": [visit(1)] };
  urls = [...Array.from({ length: 98 }, (_, at) => url(`${at}`)), url("a"), url("b")];
  let requests = 0;
  beforeVisits = () => {
    if (++requests === 2) visits["/a"]!.unshift(visit(1_203));
  };
  const source = await shlink.open(input());
  const codes = await Array.fromAsync(source.links(0), (one) => ("cells" in one ? one.cells["code"] : ""));
  expect(codes).toEqual(urls.map(({ shortCode }) => shortCode).toSorted());
  expect(await Array.fromAsync(source.links(100))).toEqual([]);
  const all = await Array.fromAsync(source.visits!(0));
  const places = all.map(({ position }) => position);
  expect(places).toEqual(places.toSorted((a, b) => a - b));
  const times = all.flatMap((one) => ("at" in one && one.code === "a" ? [one.at] : []));
  expect(times).toEqual(Array.from({ length: 1_204 }, (_, at) => 1_700_000_000_000 + at * 1_000));
  expect(all.at(-1)).toMatchObject({ code: "b", automated: false, country: null, referrer: null });
  for (const at of [0, 1, 499, 500, 703, 1_203]) {
    const rest = await Array.fromAsync(source.visits!(places[at]!));
    expect(rest).toEqual(all.slice(at + 1));
  }
  const { "/a": _, ...left } = visits;
  visits = left;
  expect((await Array.fromAsync(source.visits!(0)))[0]).toMatchObject({
    code: "a",
    problem: "Its link was deleted while it was read.",
  });
});

test("explains what to do when the server can't be reached, and tries again after a passing failure", async () => {
  await expect(shlink.open(input({ key: null }))).rejects.toThrow("shlink api-key:generate");
  await expect(shlink.open(input({ key: "wrong" }))).rejects.toThrow("refuses the key (401)");
  await expect(shlink.open(input({ source: `${server.url.origin}/other` }))).rejects.toThrow(
    "has no API of Shlink",
  );
  await expect(shlink.open(input({ outbound: createOutbound() }))).rejects.toThrow("can't be asked");
  fail = () => new Response("<html>");
  await expect(shlink.open(input())).rejects.toThrow("does not answer with JSON");
  fail = () => new Response("[".repeat(1_000));
  await expect(shlink.open(input())).rejects.toThrow("does not answer with JSON");
  fail = () => new Response("x".repeat(3 * 1024 * 1024));
  await expect(shlink.open(input())).rejects.toThrow("more than 2 MiB");
  fail = () => Response.redirect("https://elsewhere.test/", 302);
  await expect(shlink.open(input())).rejects.toThrow("which leads to https://elsewhere.test/");
  let failures = 0;
  fail = () => (++failures === 1 ? new Response("", { status: 503 }) : null);
  urls = [url("a")];
  expect((await shlink.open(input())).size).toEqual({ links: 1 });
});

test("ends with a server whose pages are empty", async () => {
  fail = () => Response.json({ shortUrls: { data: [], pagination: { totalItems: 1_000_000 } } });
  const { links } = await shlink.open(input());
  await expect(Array.fromAsync(links(0))).rejects.toThrow("lack some of them");
});
