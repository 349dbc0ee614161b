/** The API of YOURLS: requests as its clients send them. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Client, startSignedIn } from "../support/session.ts";
import { until } from "../support/until.ts";
import type { Installation, RunningWaymark } from "../support/waymark.ts";

let installation: Installation;
let server: RunningWaymark;
let admin: Client;
let token: string;

const tokenWith = async (...scopes: string[]): Promise<string> => {
  const { body } = await admin.call("POST", "/tokens", { name: crypto.randomUUID(), scopes });
  return body.data.token;
};
const setTo = async (value: boolean) =>
  expect((await admin.call("PUT", "/config/features.yourls_api", { value: String(value) })).status).toBe(200);

beforeAll(async () => {
  const started = await startSignedIn({
    WAYMARK__LOGGING__ACCESS_SAMPLE: "1",
    WAYMARK__LOGGING__LEVEL: "debug",
  });
  ({ installation, server, client: admin } = started);
  await setTo(true);
  token = await tokenWith("links:read", "links:write");
});
afterAll(() => installation.remove());

type Fields = Record<string, string>;
// oxlint-disable-next-line no-explicit-any -- tests read answers of many shapes
type Answered = Record<string, any>;
const ask = (fields: Fields, init: RequestInit = {}) =>
  fetch(`${server.url}/yourls-api.php?${new URLSearchParams(fields)}`, init);
const askJson = async (fields: Fields, init?: RequestInit) => {
  const response = await ask({ signature: token, format: "json", ...fields }, init);
  return { status: response.status, body: (await response.json()) as Answered };
};

test("a URL is shortened, expanded and counted", async () => {
  const url = "https://example.com/yourls?a=1&b=2";
  const made = await askJson({ action: "shorturl", url, keyword: "y-one", title: "One" });
  expect([made.status, made.body]).toMatchObject([
    200,
    {
      status: "success",
      code: "",
      statusCode: "200",
      title: "One",
      shorturl: `${server.url}/y-one`,
      url: {
        keyword: "y-one",
        url,
        title: "One",
        date: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/),
      },
    },
  ]);
  expect((await fetch(`${server.url}/y-one`, { redirect: "manual" })).headers.get("location")).toBe(url);
  for (const shorturl of ["y-one", `${server.url}/y-one`]) {
    const { body } = await askJson({ action: "expand", shorturl });
    expect(body).toEqual({
      keyword: "y-one",
      shorturl: `${server.url}/y-one`,
      longurl: url,
      title: "One",
      message: "success",
      statusCode: "200",
    });
  }
  const stats = await askJson({ action: "url-stats", shorturl: "y-one" });
  expect(stats.body["link"]).toMatchObject({ shorturl: `${server.url}/y-one`, url, title: "One" });
  expect(stats.body["link"].clicks).toMatch(/^\d+$/);
});

test("what is wrong is said as YOURLS says it", async () => {
  expect(await askJson({ action: "shorturl" })).toMatchObject({
    status: 400,
    body: { status: "fail", code: "error:nourl", message: "Missing or malformed URL" },
  });
  expect(await askJson({ action: "shorturl", url: "javascript:alert(1)" })).toMatchObject({
    status: 400,
    body: { code: "error:nourl" },
  });
  await askJson({ action: "shorturl", url: "example.com/no-scheme", keyword: "y-taken" });
  expect((await askJson({ action: "expand", shorturl: "y-taken" })).body["longurl"]).toBe(
    "http://example.com/no-scheme",
  );
  expect(
    await askJson({ action: "shorturl", url: "https://example.com/", keyword: "y-taken" }),
  ).toMatchObject({
    status: 400,
    body: { status: "fail", code: "error:keyword" },
  });
  expect(
    await askJson({ action: "shorturl", url: "https://example.com/", keyword: "yourls-api.php" }),
  ).toMatchObject({
    status: 400,
    body: { code: "error:keyword" },
  });
  for (const shorturl of ["y-none", "<b>", "", "https://elsewhere.example/y-taken"]) {
    expect(await askJson({ action: "expand", shorturl })).toMatchObject({
      status: 404,
      body: { errorCode: "404", message: "Error: short URL not found" },
    });
    expect(await askJson({ action: "url-stats", shorturl })).toMatchObject({
      status: 404,
      body: { statusCode: "404" },
    });
  }
  expect(await askJson({ action: "nonsense" })).toMatchObject({ status: 400, body: { errorCode: "400" } });
});

test("a URL that has a link is answered with that link", async () => {
  const url = "https://example.com/twice";
  const first = await askJson({ action: "shorturl", url });
  const again = await askJson({ action: "shorturl", url });
  expect(again).toMatchObject({
    status: 200,
    body: { status: "fail", code: "error:url", shorturl: first.body["shorturl"], url: { url, clicks: "0" } },
  });
  const response = await ask({ action: "shorturl", url, format: "simple", signature: token });
  expect(await response.text()).toBe(first.body["shorturl"]);
});

test("links are listed by filter, limit and start, with the sums", async () => {
  const reader = await tokenWith("links:read");
  for (const keyword of ["y-l1", "y-l2", "y-l3"])
    await askJson({ action: "shorturl", url: `https://example.com/${keyword}`, keyword });
  const last = await askJson({ action: "stats", filter: "last", limit: "2", start: "1", signature: reader });
  expect(Object.values(last.body["links"]).map((row) => (row as Answered)["shorturl"])).toEqual([
    `${server.url}/y-l2`,
    `${server.url}/y-l1`,
  ]);
  expect(Object.keys(last.body["links"])).toEqual(["link_1", "link_2"]);
  const sums = await askJson({ action: "db-stats" });
  expect(sums.body["db-stats"]).toEqual(last.body["stats"]);
  expect(sums.body["db-stats"].total_links).toBeGreaterThanOrEqual(3);
  for (const filter of ["top", "bottom", "rand", ""])
    expect(Object.keys((await askJson({ action: "stats", filter, limit: "2" })).body["links"])).toHaveLength(
      2,
    );
  expect((await askJson({ action: "stats", filter: "top", limit: "0" })).body["links"]).toBeUndefined();
  // A token that reads makes nothing.
  const refused = await askJson({ action: "shorturl", url: "https://example.com/", signature: reader });
  expect([refused.status, refused.body["message"]]).toEqual([403, expect.stringContaining("links:write")]);
});

describe("formats and methods", () => {
  const url = "https://example.com/?q=a&r=<b>";
  beforeAll(() => askJson({ action: "shorturl", url, keyword: "y-form", title: `Ü "<&>'` }));
  const given = () => ({ action: "expand", shorturl: "y-form", signature: token });

  test("XML is the default", async () => {
    const response = await ask(given());
    expect(response.headers.get("content-type")).toBe("application/xml; charset=utf-8");
    const text = await response.text();
    expect(text).toStartWith('<?xml version="1.0" encoding="UTF-8"?>\n<root><keyword>y-form</keyword>');
    expect(text).toContain("<title>Ü &#34;&#60;&#38;&#62;&#39;</title>");
  });

  test("simple is the bare URL", async () => {
    const response = await ask({ ...given(), format: "simple" });
    const { target } = (await admin.call("GET", "/links/y-form")).body.data;
    expect([response.headers.get("content-type"), await response.text()]).toEqual([
      "text/plain; charset=utf-8",
      target,
    ]);
    expect(await (await ask({ ...given(), action: "stats", format: "simple" })).text()).toContain(
      "Need either",
    );
  });

  test("jsonp takes names of functions only", async () => {
    const response = await ask({ ...given(), format: "jsonp", callback: "a.b" });
    expect([response.headers.get("content-type"), await response.text()]).toEqual([
      "application/javascript; charset=utf-8",
      expect.stringMatching(/^\/\*\*\/a\.b\(\{.*\}\)$/),
    ]);
    for (const callback of ["alert(1)//", "a.", "1", "a b", "x".repeat(200)]) {
      const refused = await ask({ ...given(), format: "jsonp", callback });
      expect([refused.status, await refused.text()]).toEqual([400, expect.not.stringContaining(callback)]);
    }
  });

  test("forms of both kinds work, and win over the query", async () => {
    const form = new FormData();
    for (const [name, value] of Object.entries({ ...given(), format: "simple" })) form.set(name, value);
    for (const body of [form, new URLSearchParams({ ...given(), format: "simple" })]) {
      const response = await ask({ format: "json", shorturl: "other" }, { method: "POST", body });
      expect(await response.text()).toStartWith("https://example.com/");
    }
    const broken = await ask(given(), {
      method: "POST",
      headers: { "Content-Type": "multipart/form-data; boundary=x" },
      body: "nonsense",
    });
    expect(broken.status).toBe(400);
    const long = new URLSearchParams({ ...given(), title: "x".repeat(100_000) });
    expect((await ask({}, { method: "POST", body: long })).status).toBe(413);
    expect((await ask(given(), { method: "DELETE" })).status).toBe(405);
  });
});

test("a domain makes and reads its own links", async () => {
  await admin.call("POST", "/domains", { host: "y.example" });
  const onDomain = (fields: Fields) => askJson(fields, { headers: { Host: "y.example" } });
  const made = await onDomain({ action: "shorturl", url: "https://example.com/d", keyword: "y-d" });
  expect(made.body["shorturl"]).toEndWith("://y.example/y-d");
  const { shorturl } = made.body as { shorturl: string };
  expect((await onDomain({ action: "expand", shorturl: "y-d" })).status).toBe(200);
  expect((await askJson({ action: "expand", shorturl })).status).toBe(200);
  expect((await askJson({ action: "expand", shorturl: "y-d" })).status).toBe(404);
});

test("whoever has no token is told what to send, and tokens are in no log", async () => {
  const wrong = await askJson({ action: "version", signature: `${token}x` });
  expect([wrong.status, wrong.body["message"]]).toEqual([403, expect.stringContaining("API token")]);
  expect(await askJson({ action: "version" })).toMatchObject({ status: 200, body: { version: "1.10.4" } });
  const cases: [Fields, RegExp][] = [
    [{ signature: "" }, /send an API token as signature/],
    [{ signature: "", username: "a", password: token }, /no username and password/],
    [{ timestamp: "1700000000", signature: token, hash: "md5" }, /without timestamp/],
  ];
  for (const [fields, said] of cases) {
    const refused = await askJson({ action: "version", ...fields });
    expect([refused.status, refused.body["errorCode"], refused.body["message"]]).toEqual([
      403,
      "403",
      expect.stringMatching(said),
    ]);
  }
  const secret = token.slice(-20);
  await until(() => server.log().includes("/yourls-api.php"));
  expect(server.log()).not.toContain(secret);
  for (const name of readdirSync(installation.dataDir, { recursive: true }) as string[]) {
    const path = join(installation.dataDir, name);
    const bytes = (await Bun.file(path).exists()) ? readFileSync(path) : Buffer.alloc(0);
    expect([name, bytes.includes(secret)]).toEqual([name, false]);
  }
});

test("the path is reserved only while the setting is on", async () => {
  await setTo(false);
  expect((await ask({ action: "version", signature: token })).status).toBe(404);
  expect((await fetch(`${server.url}//yourls-api.php?action=version`)).status).toBe(404);
  const code = "yourls-api.php";
  expect((await admin.call("POST", "/links", { code, target: "https://example.com/own" })).status).toBe(201);
  expect((await fetch(`${server.url}/${code}?action=version`, { redirect: "manual" })).status).toBe(307);
  await setTo(true);
  expect((await ask({ action: "version", signature: token })).status).toBe(200);
  expect((await admin.call("GET", `/links/available?code=${code}`)).body.data.available).toBe(false);
  await setTo(false);
  expect((await fetch(`${server.url}/${code}`, { redirect: "manual" })).status).toBe(307);
});
