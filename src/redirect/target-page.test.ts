import { beforeEach, expect, test } from "bun:test";
import { createAutomatedVisitors } from "../lib/automated-visitors.ts";
import { appError } from "../lib/errors.ts";
import { silentLogger } from "../lib/logger.ts";
import { cacheable, toLocation } from "../links/cache/cached-link.ts";
import { type LinkOptions, NO_OPTIONS, writeOptions } from "../links/link/field-values.ts";
import { testLostParts, testVisitorPages } from "../visitors/pages.test-support.ts";
import { createRedirect } from "./redirect.ts";
import { serveRedirects, testVisitors, visit } from "./redirects.test-support.ts";
import { createSpecials } from "./special.ts";

const NOW = Date.parse("2026-11-20T13:00:00Z");
const TARGET = 'https://example.com/?a=1&b="<x>';
const NO_LOCKS = { refusal: async () => null, unlock: async () => new Response() };

const state = {
  link: null as ReturnType<typeof linkOf> | null,
  reports: true,
  tries: 0,
  clicks: 0,
  finds: 0,
};
const reported: unknown[] = [];

const linkOf = (options: Partial<LinkOptions>, more: object = {}) => ({
  id: 7,
  code: "a/b",
  target: TARGET,
  options: writeOptions({ ...NO_OPTIONS, ...options }),
  expiresAt: null as number | null,
  passwordHash: null as string | null,
  ...more,
});

const redirect = createRedirect({
  ...testLostParts,
  cache: {
    findIn: () => {
      const { link } = state;
      if (link === null) return null;
      const row = { id: 7, target: link.target, expires_at: null, locked: false, options: link.options };
      return { id: 7, location: toLocation(cacheable(row, false).target) };
    },
    knows: () => false,
  },
  clicks: { record: () => void state.clicks++ },
  automated: createAutomatedVisitors(),
  locks: NO_LOCKS,
  specials: createSpecials({
    visitors: testVisitors,
    locks: NO_LOCKS,
    uses: { take: async () => true },
    automated: createAutomatedVisitors(),
    pages: testVisitorPages,
    fallbacks: { leadsBack: () => false },
    passUtm: () => false,
  }),
  targets: {
    ...testLostParts.targets,
    async find(key) {
      state.finds++;
      return key === "a/b" ? state.link : null;
    },
    async report(_, report) {
      reported.push(report);
      return reported.length < 2;
    },
    takesReports: () => state.reports,
    guards: {
      clientAddress: (peer) => peer,
      takeTry() {
        if (++state.tries > 3)
          throw appError("RateLimitExceeded", "Wait.", { details: { retryAfterSeconds: 2 } });
      },
    },
  },
  defaultUrl: () => "",
  passUtm: () => false,
  clock: { now: () => NOW },
  logger: silentLogger,
});

beforeEach(() => {
  Object.assign(state, { link: linkOf({}), reports: true, tries: 0, clicks: 0, finds: 0 });
  reported.length = 0;
});

const ask = async (path = "/a/b+", headers = {}) => {
  const response = await visit(redirect, `http://go.example${path}`, { headers });
  return {
    status: response.status,
    body: await response.text(),
    policy: response.headers.get("content-security-policy"),
  };
};

test("the page names the target, escaped, without a click", async () => {
  for (const path of ["/a/b+", "/a%2Fb+", "/a/b+?utm_source=x"]) {
    const { status, body, policy } = await ask(path);
    expect(status).toBe(200);
    expect(body).toContain("https://example.com/?a=1&amp;b=&quot;&lt;x&gt;");
    expect(body).toContain('href="/a/b"');
    expect(body).toContain("<form");
    expect(policy).toContain("form-action 'self'");
  }
  state.reports = false;
  expect((await ask()).body).not.toContain("<form");
  expect(state.clicks).toBe(0);
});

test("links with a password or a limit, and those that are over, show nothing", async () => {
  for (const link of [
    null,
    linkOf({ maxClicks: 1 }),
    linkOf({ startsAt: NOW + 1 }),
    linkOf({}, { passwordHash: "$argon2" }),
    linkOf({}, { expiresAt: NOW }),
    linkOf({ held: { state: "waiting", at: 0, by: "ed", reason: null } }),
    linkOf({ held: { state: "refused", at: 0, by: "ed", reason: null } }),
  ]) {
    state.link = link;
    expect(await ask()).toMatchObject({ status: 404, body: "Not Found" });
  }
  for (const path of ["/+", "/++", `/${"a".repeat(200)}+`, "/%2B"]) {
    expect(await ask(path)).toMatchObject({ status: 404, body: "Not Found" });
  }
});

test("a code that no link has costs no query", async () => {
  state.link = null;
  for (const path of ["/x1+", "/x2%2B", "/a/b+"]) expect((await ask(path)).status).toBe(404);
  expect(state.finds).toBe(0);
});

test("a link that was taken down is gone, with and without the plus, and shows the reason to nobody", async () => {
  state.link = linkOf({ held: { state: "taken_down", at: 0, by: "root", reason: "secret" } });
  for (const path of ["/a/b", "/a/b+"]) {
    expect(await ask(path)).toMatchObject({ status: 410, body: "Gone" });
    const page = await ask(path, { "Sec-Fetch-Dest": "document" });
    expect(page.status).toBe(410);
    expect(page.body).toContain("This link was taken down");
    expect(page.body).not.toContain("secret");
  }
  const server = serveRedirects(redirect);
  for (const method of ["POST", "PATCH"]) {
    const sent = await fetch(`http://127.0.0.1:${server.port}/a/b`, { method, body: "x" });
    expect([sent.status, await sent.text()]).toEqual([410, "Gone"]);
  }
  server.stop(true);
  state.link = linkOf({ held: { state: "waiting", at: 0, by: "ed", reason: null } });
  const page = await ask("/a/b", { "Sec-Fetch-Dest": "document" });
  expect([page.status, page.body.includes("waiting for approval"), state.clicks]).toEqual([404, true, 0]);
});

test("a report is bounded, throttled by address, and refused while reports are off", async () => {
  const server = serveRedirects(redirect);
  const send = async (body: BodyInit) => {
    const response = await fetch(`http://127.0.0.1:${server.port}/a/b+`, { method: "POST", body });
    return { status: response.status, body: await response.text() };
  };
  const form = new URLSearchParams({ reason: "<script>", details: ` a\u0000\u202e${"b".repeat(2000)}` });
  expect((await send(form)).body).toContain("Thank you");
  expect(reported).toEqual([{ reason: "other", details: `a ${"b".repeat(998)}` }]);
  expect((await send(new URLSearchParams({ reason: "spam" }))).body).toContain("enough reports");
  expect(reported[1]).toEqual({ reason: "spam", details: null });
  expect((await send("x".repeat(20_000))).status).toBe(400);
  expect((await send(form)).status).toBe(429);
  state.reports = false;
  expect((await send(form)).status).toBe(405);
  expect(reported.length).toBe(2);
  server.stop(true);
});
