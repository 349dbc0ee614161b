/** Addresses of links in answers, with the real program: public_url, the request's host, the command line. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { driveClient } from "./support/drive.ts";
import { sendRaw } from "./support/raw-http.ts";
import { type Client, PASSWORD } from "./support/session.ts";
import { resetSettings, startSharedWorkers } from "./support/shared-server.ts";
import { HTML, stranger, TUS } from "./support/stranger.ts";
import { until } from "./support/until.ts";
import type { Installation, RunningWaymark } from "./support/waymark.ts";

let installation: Installation;
let server: RunningWaymark;
let client: Client;

beforeAll(async () => {
  ({ installation, server, client } = await startSharedWorkers());
});
afterAll(() => resetSettings(client, ["api.trusted_proxies", "features.default_url", "features.public_url"]));

const TARGET = "https://example.com/";
const shortUrl = async (headers: Record<string, string> = {}) =>
  (await client.fetch("/links/way/there", { headers }).then((response) => response.json())).data.short_url;
const publicUrl = (value: string) => client.call("PUT", "/config/features.public_url", { value });

test("every link in an answer has its short_url, which redirects", async () => {
  const made = await client.call("POST", "/links", { code: "way/there", target: TARGET });
  expect(made.body.data.short_url).toBe(`${server.url}/way/there`);
  const visit = await fetch(made.body.data.short_url, { redirect: "manual" });
  expect([visit.status, visit.headers.get("location")]).toEqual([307, TARGET]);
  const put = await client.call("PUT", "/links/way/there", { target: TARGET });
  const list = await client.call("GET", "/links");
  expect([put.body.data.short_url, list.body.data[0].short_url, await shortUrl()]).toEqual(
    Array(3).fill(`${server.url}/way/there`),
  );
});

/** Lines of the log about headers of proxies; each of the two workers may write one. */
const notices = (what: string) =>
  server
    .log()
    .split("\n")
    .filter((line) => line.includes(what));
const findings = async () =>
  (JSON.parse((await installation.cli(["doctor", "--json"])).stdout) as Record<string, string>[]).filter(
    ({ part }) => part === "proxies",
  );

test("what proxies send in vain is in the log once a process, and in doctor", async () => {
  expect(await findings()).toMatchObject([{ verdict: "ok" }]);
  for (let count = 0; count < 20; count++)
    await shortUrl({ "X-Forwarded-For": "203.0.113.9", Connection: "close" });
  const lines = notices("X-Forwarded-For from 127.0.0.1 is ignored");
  expect(lines.length).toBeWithin(1, 3);
  expect(lines[0]).toContain("api.trusted_proxies");
  expect(await findings()).toMatchObject([
    {
      verdict: "warning",
      message: expect.stringContaining("X-Forwarded-For from 127.0.0.1 is ignored"),
      advice: expect.stringContaining("config set api.trusted_proxies 127.0.0.1"),
    },
  ]);
});

test("the Host of the request counts, X-Forwarded-Host only from a trusted proxy", async () => {
  const forwarded = { "X-Forwarded-Host": "go.example", "X-Forwarded-Proto": "https" };
  expect(await shortUrl(forwarded)).toBe(`${server.url.replace("http:", "https:")}/way/there`);
  await client.call("PUT", "/config/api.trusted_proxies", { value: "127.0.0.1" });
  expect(await shortUrl(forwarded)).toBe("https://go.example/way/there");
  // With two proxies, of which both are trusted or the first is not.
  const lists = { "X-Forwarded-Host": "go.example, inner.example", "X-Forwarded-Proto": "HTTPS,http" };
  const by = (addresses: string) => shortUrl({ ...lists, "X-Forwarded-For": addresses });
  expect(await by("203.0.113.9, 127.0.0.1")).toBe("https://go.example/way/there");
  expect(await by("203.0.113.9, 203.0.113.10")).toBe("http://inner.example/way/there");
  expect(await findings()).toMatchObject([{ verdict: "ok" }]);
});

test("below the path of a trusted proxy resumable uploads, drop boxes, WebDAV and sessions follow it, and short links can't", async () => {
  const forwarded = { "X-Forwarded-Prefix": "/go", "X-Forwarded-For": "203.0.113.9" };
  const begun = await fetch(`${server.url}/files/tus`, {
    method: "POST",
    headers: {
      ...forwarded,
      Authorization: `Bearer ${client.token}`,
      "Tus-Resumable": "1.0.0",
      "Upload-Length": "3",
      "Upload-Metadata": `filename ${btoa("a.txt")}`,
    },
  });
  expect(begun.headers.get("location")).toMatch(/^\/go\/files\/tus\/[\da-f-]{36}$/);
  const me = driveClient(server.url, client.token);
  const limits = { max_bytes: 1_000, max_files: 9 };
  const { body } = await me.call("POST", `/folders/${await me.folder("box")}/drop`, limits);
  const box = new URL(body.data.url).pathname;
  const dropped = await fetch(server.url + box, {
    method: "POST",
    headers: { ...forwarded, ...TUS, "Upload-Length": "3", "Upload-Metadata": `filename ${btoa("a.txt")}` },
  });
  const place = dropped.headers.get("location")!;
  expect(place).toMatch(new RegExp(`^/go${box}\\?upload=`));
  const dropCookie = dropped.headers.get("set-cookie")!;
  expect(dropCookie).toContain("; Path=/go/;");
  const known = { ...forwarded, Cookie: dropCookie.replace(/;.*/, "") };
  // As the proxy passes it on.
  const asked = await fetch(server.url + place.slice("/go".length), {
    method: "HEAD",
    headers: { ...known, ...TUS },
  });
  expect([asked.status, asked.headers.get("upload-offset")]).toEqual([200, "0"]);
  const form = await stranger({ ...forwarded, ...HTML }).put(server.url + box, { "b.txt": "b" });
  expect(form.headers.get("location")).toBe(`/go${box}?sent=1`);
  const signedIn = await client.fetch("/auth/login", {
    method: "POST",
    headers: { ...forwarded, "Content-Type": "application/json" },
    body: JSON.stringify({ password: PASSWORD }),
  });
  const paths = signedIn.headers.getSetCookie().map((cookie) => /Path=([^;]*)/.exec(cookie)![1]);
  expect(paths).toEqual(["/go/", "/go/admin/v1/auth", "/go/"]);
  const made = await client.call("POST", "/tokens", { name: "dav", scopes: ["files:read"] });
  const listed = await fetch(`${server.url}//admin/dav//`, {
    method: "PROPFIND",
    headers: { ...forwarded, Depth: "0", Authorization: `Bearer ${made.body.data.token}` },
  });
  expect([listed.status, await listed.text()]).toEqual([
    207,
    expect.stringContaining("<D:href>/go/admin/dav/"),
  ]);
  expect(notices("serves Waymark below a path").length).toBeWithin(1, 3);
  expect(await findings()).toMatchObject([
    { verdict: "warning", advice: expect.stringContaining("features.public_url") },
  ]);
  const refused = await publicUrl("https://example.com/go");
  expect([refused.status, refused.body.message]).toEqual([
    400,
    expect.stringContaining("short links are at the root of a host"),
  ]);
});

test("a percent-encoded host is sent in Punycode, whichever way the target came in", async () => {
  const target = (path: string) => `http://%C3%BC.example/${path}`;
  await client.call("POST", "/links", { code: "way-api", target: target("api") });
  await client.call("POST", "/links/batch", { links: [{ code: "way-many", target: target("many") }] });
  await client.call("POST", "/links", {
    code: "way-rule",
    target: TARGET,
    rules: [{ if: { query: { a: true } }, target: target("rule") }],
  });
  await client.call("POST", "/links", {
    code: "way-fallback",
    target: TARGET,
    expires_at: new Date(Date.now() + 1_000).toISOString(),
    fallback_url: target("fallback"),
  });
  const csv = join(installation.dataDir, "links.csv");
  writeFileSync(csv, `code,target\nway-csv,${target("csv")}\n`);
  await installation.run(["links", "import", csv]);
  await client.call("PUT", "/config/features.default_url", { value: target("") });
  await client.call("POST", "/domains", {
    host: "other.example",
    default_url: target("root"),
    not_found_url: target("lost"),
  });
  const location = async (path: string, headers = {}) =>
    (await fetch(server.url + path, { redirect: "manual", headers })).headers.get("location");
  const on = { Host: "other.example" };
  await until(async () => (await location("/way-fallback")) !== TARGET);
  // Commands are other processes.
  await until(async () => (await location("/way-csv")) !== null);
  expect([
    await location("/way-api"),
    await location("/way-many"),
    await location("/way-rule?a"),
    await location("/way-fallback"),
    await location("/way-csv"),
    await location("/"),
    await location("/", on),
    await location("/none", on),
  ]).toEqual(
    ["api", "many", "rule", "fallback", "csv", "", "root", "lost"].map(
      (path) => `http://xn--tda.example/${path}`,
    ),
  );
});

test("a request without a Host is answered, with the listening address", async () => {
  const head = `Authorization: Bearer ${client.token}\r\nConnection: close\r\n\r\n`;
  for (const request of ["HTTP/1.0\r\n", "HTTP/1.1\r\nHost:\r\n"]) {
    const answer = await sendRaw(server.url, `GET /admin/v1/links/way%2Fthere?domain= ${request}${head}`);
    expect(answer.status).toBe(200);
    expect(JSON.parse(answer.body).data.short_url).toMatch(/^http:\/\/127\.0\.0\.1(?::\d+)?\/way\/there$/);
  }
});

test("public_url applies to links, shares and commands at once, on every worker", async () => {
  expect((await publicUrl("https://go.example/path")).status).toBe(400);
  expect((await publicUrl("HTTPS://Go.Example/")).status).toBe(200);
  const answers = await Promise.all(Array.from({ length: 20 }, () => shortUrl({ Connection: "close" })));
  expect(new Set(answers)).toEqual(new Set(["https://go.example/way/there"]));
  const drive = driveClient(server.url, client.token);
  const file = await drive.upload("paper", "text");
  const share = await drive.call("POST", `/files/${file.body.data.id}/share`, { code: "way-paper" });
  expect(share.body.data).toMatchObject({
    url: "https://go.example/way-paper",
    short_url: "https://go.example/way-paper",
  });
  const added = await installation.run(["links", "add", TARGET, "--code", "way-cli"]);
  expect(added).toMatch(/^SHORT URL +https:\/\/go\.example\/way-cli$/m);
  expect(JSON.parse(await installation.run(["links", "get", "way-cli", "--json"]))).toMatchObject({
    short_url: "https://go.example/way-cli",
  });
  expect((await publicUrl("")).status).toBe(200);
  expect(await shortUrl()).toBe(`${server.url}/way/there`);
  expect(await installation.run(["links", "get", "way-cli"])).toMatch(/^SHORT URL +http:\/\/127\.0\.0\.1/m);
});
