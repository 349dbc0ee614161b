/** Loops of fallback_url end, whatever made them: a visitor follows random links behind the real redirect. */
import { beforeEach, expect, test } from "bun:test";
import { silentLogger } from "../lib/logger.ts";
import { cacheable, type CachedLink, toLocation } from "../links/cache/cached-link.ts";
import { codeBelow } from "../links/fallback/loops.ts";
import { type LinkOptions, NO_OPTIONS, writeOptions } from "../links/link/field-values.ts";
import { testLostParts, testVisitorPages } from "../visitors/pages.test-support.ts";
import { createFallbacks } from "./fallbacks.ts";
import { createRedirect } from "./redirect.ts";
import { arrivalAt, testVisitors, visit } from "./redirects.test-support.ts";
import { createSpecials } from "./special.ts";

const NOW = Date.parse("2026-11-20T13:00:00Z");
const OWN = "http://own.example";
const NO_LOCKS = { refusal: async () => null, unlock: async () => new Response() };

type Stored = { id: number; location: string; expires_at: number | null; usesLeft: boolean };
const links = new Map<string, Stored>();
let isAway = false;
let ids = 0;

function find(key: string): CachedLink | null | Promise<CachedLink | null> {
  if (isAway) return Promise.reject(new Error("away"));
  const link = links.get(key);
  return link === undefined || (link.expires_at !== null && link.expires_at <= NOW) ? null : link;
}

const other = {
  documents: new Set<string>(),
  prefix: "~1~",
  id: 1,
  ignoreCase: false,
  defaultUrl: null,
  notFoundUrl: null,
  expiredUrl: null,
};
const domains = {
  of: (host: string | null) => (host === "other.example" ? other : undefined),
  ignoresCase: () => false,
  keyBelow: (url: string) => {
    const code = codeBelow("http://other.example", url);
    return code === null ? null : `${other.prefix}${code}`;
  },
};

const redirect = createRedirect({
  ...testLostParts,
  cache: { findIn: (text, start, end) => find(text.slice(start, end)), knows: () => false },
  clicks: { record: () => {} },
  automated: { includes: () => false },
  locks: NO_LOCKS,
  domains,
  specials: createSpecials({
    visitors: testVisitors,
    locks: NO_LOCKS,
    uses: { take: async (id) => [...links.values()].some((link) => link.id === id && link.usesLeft) },
    automated: { includes: () => false },
    pages: testVisitorPages,
    fallbacks: createFallbacks({ find, domains, publicUrl: () => "https://public.example" }),
    passUtm: () => false,
  }),
  defaultUrl: () => "",
  passUtm: () => false,
  clock: { now: () => NOW },
  logger: silentLogger,
});

beforeEach(() => {
  links.clear();
  isAway = false;
});

type Given = Partial<LinkOptions> & { target: string; expired?: boolean; usesLeft?: boolean };

function store(key: string, { target, expired = false, usesLeft = true, ...options }: Given): void {
  const id = ++ids;
  const row = {
    id,
    target,
    expires_at: expired ? NOW : null,
    locked: false,
    options: Object.keys(options).length === 0 ? null : writeOptions({ ...NO_OPTIONS, ...options }),
  };
  const cached = cacheable(row, false);
  links.set(key, { id, location: toLocation(cached.target), expires_at: cached.expires_at, usesLeft });
}

/** Where a browser comes out: the last address, or the status of a page; null after 30 steps. */
async function browse(from: string): Promise<string | number | null> {
  let at = from;
  for (let steps = 0; steps < 30; steps++) {
    // Public and own address reach the same server.
    const url = at.replace("https://public.example", OWN);
    if (!/^http:\/\/(?:own|other)\.example\//.test(url)) return at;
    const response = await visit(redirect, url);
    const to = response.headers.get("Location");
    if (to === null) return response.status;
    at = to;
  }
  return null;
}

const AWAY = "https://example.com/";

test("two links that are over lead to each other: 404, by any address of this server", async () => {
  for (const [address, key] of [
    [`${OWN}/b`, "b"],
    ["https://public.example/b", "b"],
    ["http://other.example/b", "~1~b"],
  ] as const) {
    links.clear();
    store("a", { target: AWAY, expired: true, fallbackUrl: address });
    store(key, { target: AWAY, expired: true, fallbackUrl: `${OWN}/a` });
    expect([address, await browse(`${OWN}/a`)]).toEqual([address, 404]);
  }
});

test("a fallback leads through short links that end elsewhere", async () => {
  store("a", { target: AWAY, expired: true, fallbackUrl: `${OWN}/b` });
  store("b", { target: "http://other.example/c" });
  store("~1~c", { target: AWAY, startsAt: NOW + 1, fallbackUrl: "https://public.example/d" });
  store("d", { target: `${AWAY}end`, maxClicks: 5 });
  expect(await browse(`${OWN}/a`)).toBe(`${AWAY}end`);
  store("b", { target: `${OWN}/nobody` });
  expect(await browse(`${OWN}/a`)).toBe(404);
});

test("a loop ends while a part of it is open, and leads on when that changes", async () => {
  store("a", { target: AWAY, expired: true, fallbackUrl: `${OWN}/b` });
  store("b", { target: `${OWN}/a` });
  expect(await browse(`${OWN}/b`)).toBe(404);
  store("b", { target: `${AWAY}new` });
  expect(await browse(`${OWN}/a`)).toBe(`${AWAY}new`);
});

test("links whose uses are gone lead to each other: 404", async () => {
  store("a", { target: AWAY, maxClicks: 1, usesLeft: false, fallbackUrl: `${OWN}/b` });
  store("b", { target: AWAY, maxClicks: 1, usesLeft: false, fallbackUrl: `${OWN}/a` });
  expect(await browse(`${OWN}/a`)).toBe(404);
});

test("a path of more than 16 links counts as a loop", async () => {
  const chain = (length: number) => {
    links.clear();
    store("l0", { target: AWAY, expired: true, fallbackUrl: `${OWN}/l1` });
    for (let at = 1; at < length; at++) store(`l${at}`, { target: `${OWN}/l${at + 1}` });
    store(`l${length}`, { target: AWAY });
  };
  chain(16);
  expect(await browse(`${OWN}/l0`)).toBe(AWAY);
  chain(17);
  expect(await browse(`${OWN}/l0`)).toBe(404);
});

test("without the database a fallback is followed", async () => {
  store("a", { target: AWAY, expired: true, fallbackUrl: `${OWN}/b` });
  const { id, location } = links.get("a")!;
  isAway = true;
  const fallbacks = createFallbacks({ find, domains, publicUrl: () => "" });
  expect(location).toContain("/b");
  expect(await fallbacks.leadsBack(id, `${OWN}/b`, { request: arrivalAt(`${OWN}/a`), now: NOW })).toBe(false);
});

test("no visitor is in an endless loop in 2,000 random networks of links", async () => {
  let seed = 7;
  const random = (below: number) => (seed = (seed * 48_271) % 2_147_483_647) % below;
  let loops = 0;
  let ends = 0;
  for (let net = 0; net < 2_000; net++) {
    links.clear();
    const keys = ["a", "b", "c", "~1~d", "e"];
    const addressOf = (key: string) =>
      key.startsWith("~")
        ? `http://other.example/${key.slice(3)}`
        : `${random(2) ? OWN : "https://public.example"}/${key}`;
    const any = () => (random(5) === 0 ? AWAY : addressOf(keys[random(keys.length)]!));
    for (const key of keys) {
      store(key, {
        // Targets alone may form a loop, which the specification allows.
        target: AWAY,
        expired: random(2) === 0,
        usesLeft: random(2) === 0,
        ...(random(4) > 0 && { fallbackUrl: any() }),
        ...(random(3) === 0 && { maxClicks: 1 }),
      });
      if (random(4) === 0) store(key, { target: addressOf(keys[0]!) });
    }
    store("a", { target: AWAY, expired: random(2) === 0, fallbackUrl: any() });
    for (const key of keys) {
      const end = await browse(addressOf(key));
      expect([net, key, end]).not.toEqual([net, key, null]);
      if (end === 404) loops++;
      else ends++;
    }
  }
  expect(Math.min(loops, ends)).toBeGreaterThan(500);
});
