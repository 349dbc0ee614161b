/** The REST API of Shlink: requests as its clients send them. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type Client, installWithPassword, signIn } from "../support/session.ts";
import { until } from "../support/until.ts";
import { dial } from "../support/wire.ts";
import type { Installation, RunningWaymark } from "../support/waymark.ts";

let installation: Installation;
let server: RunningWaymark;
let admin: Client;
let token: string;
let host: string;

const setTo = async (value: boolean) =>
  expect((await admin.call("PUT", "/config/features.shlink_api", { value: String(value) })).status).toBe(200);

async function tokenWith(...scopes: string[]): Promise<string> {
  const { body } = await admin.call("POST", "/tokens", { name: crypto.randomUUID(), scopes });
  return body.data.token;
}

beforeAll(async () => {
  installation = await installWithPassword({ WAYMARK__LOGGING__ACCESS_SAMPLE: "1" });
  await installation.run(["config", "set", "analytics.enable_detailed_logging", "true"]);
  await installation.run(["config", "set", "click.flush_interval", "1"]);
  server = await installation.serve();
  admin = await signIn(server.url);
  host = new URL(server.url).host;
  await setTo(true);
  token = await tokenWith("links:read", "links:write", "analytics:read", "admin");
});
afterAll(() => installation.remove());

// oxlint-disable-next-line no-explicit-any -- tests read answers of many shapes
type Answered = Record<string, any>;

async function ask(method: string, path: string, body?: unknown, key = token, version = "v3") {
  const response = await fetch(`${server.url}/rest/${version}${path}`, {
    method,
    headers: {
      ...(key !== "" && { "X-Api-Key": key }),
      ...(body !== undefined && { "Content-Type": "application/json" }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return {
    status: response.status,
    type: response.headers.get("content-type"),
    body: (text === "" ? null : JSON.parse(text)) as Answered,
  };
}

test("short URLs are made, read, changed, listed and deleted", async () => {
  const longUrl = "https://example.com/shlink";
  const made = await ask("POST", "/short-urls", {
    longUrl,
    customSlug: "s/one",
    title: "One",
    tags: ["a", "b"],
    maxVisits: 5,
    validUntil: "2099-01-01T00:00:00+02:00",
  });
  expect(made).toMatchObject({
    status: 200,
    body: {
      shortCode: "s/one",
      shortUrl: `${server.url}/s/one`,
      longUrl,
      title: "One",
      tags: ["a", "b"],
      meta: { validSince: null, validUntil: "2098-12-31T22:00:00.000Z", maxVisits: 5 },
      visitsSummary: { total: 0, nonBots: 0, bots: 0 },
      domain: null,
      forwardQuery: true,
      hasRedirectRules: false,
    },
  });
  for (const path of ["s/one", "s%2Fone", "s/one?domain=DEFAULT", `s/one?domain=${host}`])
    expect((await ask("GET", `/short-urls/${path}`)).body).toEqual(made.body);
  expect((await ask("GET", "/short-urls/s/one", undefined, token, "v2")).status).toBe(200);
  const changed = await ask("PATCH", "/short-urls/s/one", { title: null, maxVisits: null, tags: ["a"] });
  expect(changed.body).toMatchObject({ title: null, tags: ["a"], meta: { maxVisits: null } });
  expect((await ask("PATCH", "/short-urls/s/one", {})).body["shortCode"]).toBe("s/one");
  for (const name of ["two", "three"])
    await ask("POST", "/short-urls", {
      longUrl: `${longUrl}/${name}`,
      customSlug: `s-${name}`,
      tags: [name],
    });
  const codesIn = async (query: string) => {
    const { body } = await ask("GET", `/short-urls?${query}`);
    return body["shortUrls"].data.map(({ shortCode }: Answered) => shortCode);
  };
  expect(await codesIn("orderBy=shortCode-ASC")).toEqual(["s-three", "s-two", "s/one"]);
  expect(await codesIn("searchTerm=two")).toEqual(["s-two"]);
  expect(await codesIn("tags[]=two&tags[]=a&orderBy=dateCreated-ASC")).toEqual(["s/one", "s-two"]);
  expect(await codesIn("tags[]=two&tags[]=a&tagsMode=all")).toEqual([]);
  const { body: second } = await ask("GET", "/short-urls?page=2&itemsPerPage=2&orderBy=shortCode-ASC");
  expect(second["shortUrls"]).toMatchObject({
    data: [{ shortCode: "s/one" }],
    pagination: { currentPage: 2, pagesCount: 2, itemsPerPage: 2, itemsInCurrentPage: 1, totalItems: 3 },
  });
  expect((await ask("GET", "/short-urls?itemsPerPage=-1")).body["shortUrls"].data).toHaveLength(3);
  expect(await ask("DELETE", "/short-urls/s-two")).toMatchObject({ status: 204, body: null });
  expect(await ask("GET", "/short-urls/s-two")).toMatchObject({
    status: 404,
    type: "application/problem+json",
    body: { type: "https://shlink.io/api/error/short-url-not-found", status: 404, shortCode: "s-two" },
  });
});

test("findIfExists finds what has all that is given", async () => {
  const given = { longUrl: "https://example.com/find", tags: ["f"], findIfExists: true };
  const first = await ask("POST", "/short-urls", given);
  expect((await ask("POST", "/short-urls", given)).body["shortCode"]).toBe(first.body["shortCode"]);
  const other = await ask("POST", "/short-urls", { ...given, tags: ["g"] });
  expect(other.body["shortCode"]).not.toBe(first.body["shortCode"]);
  expect((await ask("POST", "/short-urls", { ...given, customSlug: first.body["shortCode"] })).body).toEqual(
    first.body,
  );
  expect(
    await ask("POST", "/short-urls", {
      ...given,
      longUrl: "https://e.com",
      customSlug: first.body["shortCode"],
    }),
  ).toMatchObject({
    status: 400,
    body: { type: "https://shlink.io/api/error/non-unique-slug" },
  });
});

test("findIfExists compares what is given as it would be stored", async () => {
  const longUrl = "https://example.com/find-stored";
  const given = { longUrl, tags: ["News", " b"], title: " x ", validSince: "", findIfExists: true };
  const first = await ask("POST", "/short-urls", given);
  expect(first.body).toMatchObject({ tags: ["b", "news"], title: "x" });
  for (const other of [{}, { tags: ["B", "news", "NEWS"] }, { longUrl: ` ${longUrl}` }, { maxVisits: null }])
    expect((await ask("POST", "/short-urls", { ...given, ...other })).body).toEqual(first.body);
  expect((await ask("POST", "/short-urls", { ...given, tags: [" "] })).status).toBe(400);
  await ask("DELETE", `/short-urls/${first.body["shortCode"]}`);
});

test("findIfExists finds a link whose target begins many others", async () => {
  const given = { longUrl: "https://home.example/", findIfExists: true };
  const first = await ask("POST", "/short-urls", given);
  const links = Array.from({ length: 101 }, (_, at) => ({
    target: `https://home.example/${at}`,
    code: `h${at}`,
  }));
  expect((await admin.call("POST", "/links/batch", { links })).status).toBe(200);
  expect((await ask("POST", "/short-urls", given)).body["shortCode"]).toBe(first.body["shortCode"]);
  await admin.call("DELETE", "/links/batch", { codes: links.map(({ code }) => code) });
  await ask("DELETE", `/short-urls/${first.body["shortCode"]}`);
});

test("what is wrong is said as Shlink says it", async () => {
  const problemOf = async (...given: Parameters<typeof ask>) => {
    const { status, type, body } = await ask(...given);
    expect(type).toBe("application/problem+json");
    return [status, body["type"].replace("https://shlink.io/api/error/", ""), body["invalidElements"]];
  };
  expect(await problemOf("POST", "/short-urls", { longUrl: "nonsense" })).toEqual([
    400,
    "invalid-data",
    ["longUrl"],
  ]);
  expect(await problemOf("POST", "/short-urls", { longUrl: "https://e.com", maxVisits: -1 })).toEqual([
    400,
    "invalid-data",
    ["maxVisits"],
  ]);
  expect(
    await problemOf("POST", "/short-urls", { longUrl: "https://e.com", customSlug: "rest/v3/x" }),
  ).toEqual([400, "invalid-data", ["customSlug"]]);
  expect(await problemOf("POST", "/short-urls", [])).toEqual([400, "invalid-data", []]);
  expect(await problemOf("GET", "/tags", undefined, "")).toEqual([401, "missing-authentication", undefined]);
  expect(await problemOf("GET", "/tags", undefined, `${token}x`)).toEqual([
    401,
    "invalid-api-key",
    undefined,
  ]);
  const reader = await tokenWith("links:read");
  expect(await problemOf("POST", "/short-urls", { longUrl: "https://e.com" }, reader)).toEqual([
    403,
    "forbidden",
    undefined,
  ]);
  expect(await problemOf("GET", "/nothing")).toEqual([404, "not-found", undefined]);
  expect(await problemOf("GET", "/mercure-info")).toEqual([501, "mercure-not-configured", undefined]);
  expect(await problemOf("DELETE", "/visits/orphan")).toEqual([501, "not-supported", undefined]);
  await ask("POST", "/short-urls", { longUrl: "https://e.com", customSlug: "kept/visits" });
  for (const method of ["DELETE", "PATCH"])
    expect(await problemOf(method, "/short-urls/kept/visits", {})).toEqual([501, "not-supported", undefined]);
  expect(await problemOf("DELETE", "/short-urls/kept/redirect-rules")).toEqual([
    405,
    "method-not-allowed",
    undefined,
  ]);
  expect((await ask("DELETE", "/short-urls/kept%2Fvisits")).status).toBe(204);
  expect(await problemOf("POST", "/tags")).toEqual([405, "method-not-allowed", undefined]);
});

test("tags are counted, renamed and removed", async () => {
  for (const tag of ["t-one", "t-two"])
    await ask("POST", "/short-urls", { longUrl: `https://example.com/${tag}`, customSlug: tag, tags: [tag] });
  expect((await ask("GET", "/tags?searchTerm=t-")).body["tags"].data).toEqual(["t-one", "t-two"]);
  expect((await ask("PUT", "/tags", { oldName: "t-one", newName: "t-two" })).status).toBe(409);
  expect((await ask("PUT", "/tags", { oldName: "t-none", newName: "x" })).status).toBe(404);
  expect((await ask("PUT", "/tags", { oldName: "t-one", newName: "t/three" })).status).toBe(204);
  expect((await ask("GET", "/tags/stats?searchTerm=t/")).body["tags"].data).toEqual([
    { tag: "t/three", shortUrlsCount: 1, visitsSummary: { total: 0, nonBots: 0, bots: 0 } },
  ]);
  expect((await ask("DELETE", "/tags?tags[]=t-two&tags[]=t/three")).status).toBe(204);
  expect((await ask("GET", "/tags?searchTerm=t-")).body["tags"].data).toEqual([]);
});

test("visits are listed newest first, with bots apart", async () => {
  await ask("POST", "/short-urls", { longUrl: "https://example.com/v", customSlug: "v/one", tags: ["v"] });
  const agents = ["Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0", "curl/8.0"];
  for (const agent of agents)
    await fetch(`${server.url}/v/one`, {
      redirect: "manual",
      headers: { "User-Agent": agent, Referer: 'https://r.example/?a=","' },
    });
  const visitsAt = async (path: string) => (await ask("GET", path)).body["visits"];
  await until(async () => (await visitsAt("/short-urls/v/one/visits")).data.length === 2);
  const { data, pagination } = await visitsAt("/short-urls/v/one/visits");
  expect(pagination).toMatchObject({ currentPage: 1, pagesCount: 1, totalItems: 2 });
  expect(data[0]).toMatchObject({
    potentialBot: true,
    userAgent: "curl/8.0",
    visitedUrl: `${server.url}/v/one`,
    visitLocation: null,
  });
  expect(data[1].potentialBot).toBe(false);
  expect(Date.parse(data[0].date)).toBeGreaterThanOrEqual(Date.parse(data[1].date));
  for (const path of [
    "/tags/v/visits",
    `/domains/${host}/visits`,
    "/domains/DEFAULT/visits",
    "/visits/non-orphan",
  ])
    expect([path, (await visitsAt(path)).pagination.totalItems]).toEqual([path, 2]);
  expect((await visitsAt("/short-urls/v/one/visits?excludeBots=true")).data).toHaveLength(1);
  expect((await visitsAt("/short-urls/v/one/visits?page=2&itemsPerPage=1")).data).toEqual([data[1]]);
  expect((await visitsAt("/short-urls/v/one/visits?endDate=2001-01-01T00:00:00%2B02:00")).data).toEqual([]);
  const before = (await visitsAt("/visits")).orphanVisits;
  for (const agent of [...agents, agents[0]!])
    await fetch(`${server.url}/v/nowhere`, { headers: { "User-Agent": agent } });
  await until(async () => (await visitsAt("/visits")).orphanVisits.total === before.total + 3);
  expect(await visitsAt("/visits")).toMatchObject({
    nonOrphanVisits: { total: 2, nonBots: 1, bots: 1 },
    orphanVisits: { nonBots: before.nonBots + 2, bots: before.bots + 1 },
  });
  const orphans = (await visitsAt("/visits/orphan")).data;
  expect(orphans.slice(0, 3).map((visit: Record<string, unknown>) => visit["potentialBot"])).toEqual([
    false,
    false,
    true,
  ]);
  expect(orphans[0]).toMatchObject({ type: "invalid_short_url", visitedUrl: `${server.url}/v/nowhere` });
  const second = await visitsAt("/visits/orphan?itemsPerPage=1&page=2&excludeBots=true");
  expect(second).toMatchObject({ data: [orphans[1]], pagination: { totalItems: before.nonBots + 2 } });
  expect((await visitsAt("/visits/orphan?type=base_url")).data).toEqual([]);
  expect((await ask("GET", "/short-urls/v/one")).body["visitsSummary"]).toEqual({
    total: 2,
    nonBots: 1,
    bots: 1,
  });
  expect((await ask("GET", "/tags/stats?searchTerm=v")).body["tags"].data[0].visitsSummary.total).toBe(2);
  expect((await ask("GET", "/short-urls/none/visits")).status).toBe(404);
});

test("short URLs are ordered by their visits without bots, and left out by tag", async () => {
  const browser = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";
  for (const [code, agents] of [
    ["people", [browser, browser]],
    ["bots", ["curl/8.0", "curl/8.0", "curl/8.0"]],
  ] as const) {
    const customSlug = `by-${code}`;
    const tags = ["by", `by-${code}`];
    await ask("POST", "/short-urls", { longUrl: `https://example.com/${code}`, customSlug, tags });
    for (const agent of agents)
      await fetch(`${server.url}/${customSlug}`, { redirect: "manual", headers: { "User-Agent": agent } });
  }
  const codesIn = async (query: string) => {
    const { body } = await ask("GET", `/short-urls?${query}`);
    return body["shortUrls"].data.map(({ shortCode }: Answered) => shortCode);
  };
  const listed = (order: string) => codesIn(`tags[]=by-people&tags[]=by-bots&orderBy=${order}`);
  await until(async () => (await ask("GET", "/short-urls/by-bots")).body["visitsSummary"].total === 3);
  expect(await listed("visits-DESC")).toEqual(["by-bots", "by-people"]);
  expect(await listed("nonBotVisits-DESC")).toEqual(["by-people", "by-bots"]);
  await until(async () => (await codesIn("tags[]=by&orderBy=nonBotVisits-DESC"))[0] === "by-people");
  expect(await codesIn("tags[]=by&excludeTags[]=by-bots")).toEqual(["by-people"]);
  expect(await codesIn("tags[]=by&excludeTags[]=by-bots&excludeTags[]=by-people")).toEqual([]);
  const refused = await ask("GET", "/short-urls?excludeTags[]=a&excludeTags[]=b&excludeTagsMode=all");
  expect([refused.status, refused.body["invalidElements"]]).toEqual([400, ["excludeTagsMode"]]);
});

test("domains are listed, and lead where they are told", async () => {
  const base = "https://example.com/base";
  const redirects = { baseUrlRedirect: base, regular404Redirect: base, invalidShortUrlRedirect: base };
  expect((await ask("PATCH", "/domains/redirects", { domain: "s.example", ...redirects })).body).toEqual(
    redirects,
  );
  const changed = await ask("PATCH", "/domains/redirects", { domain: "s.example", baseUrlRedirect: null });
  expect(changed.body).toEqual({ ...redirects, baseUrlRedirect: null });
  expect((await ask("PATCH", "/domains/redirects", { domain: host, baseUrlRedirect: base })).status).toBe(
    200,
  );
  const { body } = await ask("GET", "/domains");
  expect(body["domains"].data).toEqual([
    {
      domain: host,
      isDefault: true,
      redirects: { baseUrlRedirect: base, regular404Redirect: null, invalidShortUrlRedirect: null },
    },
    { domain: "s.example", isDefault: false, redirects: changed.body },
  ]);
  const made = await ask("POST", "/short-urls", { longUrl: base, customSlug: "d", domain: "s.example" });
  expect([made.body["domain"], (await ask("GET", "/short-urls/d?domain=s.example")).status]).toEqual([
    "s.example",
    200,
  ]);
  expect((await ask("GET", "/short-urls/d")).status).toBe(404);
  for (const domain of ["bücher.example", "BÜCHER.example"])
    expect((await ask("PATCH", "/domains/redirects", { domain, ...redirects })).body).toEqual(redirects);
  const shared = { longUrl: base, domain: "Bücher.example", findIfExists: true };
  const one = await ask("POST", "/short-urls", shared);
  expect(one.body["domain"]).toBe("xn--bcher-kva.example");
  expect((await ask("POST", "/short-urls", shared)).body).toEqual(one.body);
});

test("rules are not shown as none", async () => {
  await admin.call("POST", "/links", {
    code: "ruled",
    target: "https://example.com/",
    rules: [{ if: { device: ["mobile"] }, target: "https://example.com/ios" }],
  });
  expect((await ask("GET", "/short-urls/ruled")).body["hasRedirectRules"]).toBe(true);
  expect((await ask("GET", "/short-urls/ruled/redirect-rules")).status).toBe(501);
  expect((await ask("GET", "/short-urls/s/one/redirect-rules")).body["redirectRules"]).toEqual([]);
});

test("a browser of another origin may call it, without cookies", async () => {
  const preflight = await fetch(`${server.url}/rest/v3/short-urls`, {
    method: "OPTIONS",
    headers: {
      Origin: "https://app.example",
      "Access-Control-Request-Method": "POST",
      "Access-Control-Request-Headers": "x-api-key,content-type",
    },
  });
  expect([preflight.status, preflight.headers.get("access-control-allow-origin")]).toEqual([204, "*"]);
  expect(preflight.headers.get("access-control-allow-headers")).toContain("X-Api-Key");
  expect(preflight.headers.get("access-control-allow-credentials")).toBeNull();
  const api = await fetch(`${server.url}/admin/v1/links`, { headers: { Origin: "https://app.example" } });
  expect(api.headers.get("access-control-allow-origin")).toBeNull();
  const cookie = await fetch(`${server.url}/rest/v3/tags`, {
    headers: { Cookie: `svc_access=${admin.token}` },
  });
  expect(cookie.status).toBe(401);
});

test("health needs no key, keys are in no log, and paths are reserved only while the setting is on", async () => {
  expect(await ask("GET", "/health", undefined, "")).toMatchObject({
    status: 200,
    type: "application/health+json",
    body: { status: "pass", version: expect.stringMatching(/^4\./) },
  });
  await until(() => server.log().includes("/rest/v3/health"));
  expect(server.log()).not.toContain(token.slice(-20));
  await setTo(false);
  expect((await fetch(`${server.url}/rest/v3/health`)).status).toBe(404);
  expect(
    (await admin.call("POST", "/links", { code: "rest/v3/health", target: "https://e.com/" })).status,
  ).toBe(201);
  await setTo(true);
  expect((await ask("GET", "/health")).status).toBe(200);
});

test("a body is read for a right key only, and parsed if it has no more than 10,000 values", async () => {
  const wire = dial(server.url);
  wire.send(
    `POST /rest/v3/short-urls HTTP/1.1\r\nHost: h\r\nX-Api-Key: ${token}x\r\nContent-Length: 200000\r\n\r\n{`,
  );
  const refusal = await wire.answer();
  expect([refusal.status, JSON.parse(refusal.body.toString())]).toMatchObject([
    401,
    { title: "Invalid API key" },
  ]);
  expect(await wire.closed()).toBe("");
  const { status, body } = await ask("POST", "/short-urls", {
    longUrl: "https://e.com",
    tags: Array(20_000).fill("a"),
  });
  expect([status, body["detail"]]).toEqual([400, "The JSON has more than 10000 values."]);
});
