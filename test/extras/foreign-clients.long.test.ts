/**
 * Programs that others made for YOURLS and Shlink, against our server. Those that a registry has are in the folder
 * FOREIGN_CLIENTS_DIR, Shlink's built web client in SHLINK_WEB_CLIENT_DIR.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { CHROMIUM } from "../support/chromium.ts";
import { sendRaw } from "../support/raw-http.ts";
import { type Client, installWithPassword, signIn } from "../support/session.ts";
import type { Installation, RunningWaymark } from "../support/waymark.ts";

const CLIENTS = process.env["FOREIGN_CLIENTS_DIR"] ?? "";
const WEB_CLIENT = process.env["SHLINK_WEB_CLIENT_DIR"] ?? "";
const NODE = Bun.which("node");

let installation: Installation;
let server: RunningWaymark;
let admin: Client;
let token: string;

beforeAll(async () => {
  installation = await installWithPassword();
  for (const [key, value] of [
    ["analytics.enable_detailed_logging", "true"],
    ["click.flush_interval", "1"],
    ["features.yourls_api", "true"],
    ["features.shlink_api", "true"],
  ])
    await installation.run(["config", "set", key!, value!]);
  server = await installation.serve();
  admin = await signIn(server.url);
  const scopes = ["links:read", "links:write", "analytics:read", "admin"];
  token = (await admin.call("POST", "/tokens", { name: "clients", scopes })).body.data.token;
});
afterAll(() => installation.remove());

/** A test of a client whose files are here. */
const withFile = (name: string, path: string, run: () => Promise<void>): void => {
  if (existsSync(path)) test(name, run);
  else console.log(`skipped: ${name}, there is no ${path === "" ? "folder of it" : path}`);
};

/** Runs a module under Node, and returns what it prints as JSON. */
async function underNode(script: string): Promise<unknown> {
  const child = Bun.spawn([NODE!, "--input-type=module", "-e", script], {
    cwd: CLIENTS,
    stdout: "pipe",
    stderr: "pipe",
  });
  const [out, err] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  if ((await child.exited) !== 0) throw new Error(err);
  return JSON.parse(out.slice(out.lastIndexOf("\n{") + 1));
}

test("ShareX's form gets the bare short URL", async () => {
  // As its YOURLS service sends it: fields in this order, as multipart.
  const fields = {
    signature: token,
    action: "shorturl",
    url: "https://example.com/sharex.png",
    format: "simple",
  };
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  const shown = async () =>
    (await fetch(`${server.url}/yourls-api.php`, { method: "POST", body: form })).text();
  const shortened = await shown();
  expect((await fetch(shortened, { redirect: "manual" })).headers.get("location")).toBe(fields.url);
  expect(await shown()).toBe(shortened);
});

test("a WordPress plugin's requests make a link and read its clicks", async () => {
  // As YOURLS Link Creator sends them: HTTP/1.0, a form, the signature after the fields.
  const send = async (action: string, args: Record<string, string>) => {
    const body = new URLSearchParams({ ...args, signature: token, action, format: "json" }).toString();
    const head = [
      "POST /yourls-api.php HTTP/1.0",
      `Host: ${new URL(server.url).host}`,
      "User-Agent: WordPress/6.8; https://blog.example",
      "Connection: close",
      "Content-Type: application/x-www-form-urlencoded",
      `Content-Length: ${body.length}`,
    ];
    const answer = await sendRaw(server.url, `${head.join("\r\n")}\r\n\r\n${body}`);
    // The plugin takes nothing but 200.
    expect(answer.status).toBe(200);
    return JSON.parse(answer.body);
  };
  const post = { url: "https://blog.example/2026/11/hello/", title: "Hello & goodbye" };
  const made = await send("shorturl", { ...post, keyword: "wp-hello" });
  expect([made.status, made.shorturl]).toEqual(["success", `${server.url}/wp-hello`]);
  const stats = await send("url-stats", { shorturl: made.shorturl });
  expect(stats.link).toMatchObject({ url: post.url, title: post.title, clicks: "0" });
});

test("a plugin that hashes its signature with the time is told what to do", async () => {
  // As Classic YOURLS and Better YOURLS send it.
  const timestamp = "1764394000";
  const signature = new Bun.CryptoHasher("md5").update(timestamp + token).digest("hex");
  const fields = {
    title: "A",
    timestamp,
    signature,
    action: "shorturl",
    url: "https://e.com/",
    format: "json",
  };
  const refused = await fetch(`${server.url}/yourls-api.php`, {
    method: "POST",
    body: new URLSearchParams(fields),
  });
  const { message } = (await refused.json()) as { message: string };
  expect([refused.status, message]).toEqual([403, expect.stringContaining("without timestamp")]);
});

withFile("Shlink's SDK", join(CLIENTS, "node_modules/@shlinkio/shlink-js-sdk"), async () => {
  const story = await underNode(`
    import { ShlinkApiClient } from "@shlinkio/shlink-js-sdk";
    import { FetchHttpClient } from "@shlinkio/shlink-js-sdk/fetch";
    const client = new ShlinkApiClient(new FetchHttpClient(), ${JSON.stringify({ baseUrl: server.url, apiKey: token })});
    const health = await client.health();
    const made = await client.createShortUrl({ longUrl: "https://example.com/sdk", customSlug: "sdk/one", tags: ["sdk"], title: "SDK" });
    const changed = await client.updateShortUrl({ shortCode: "sdk/one" }, { title: "Changed", maxVisits: 9 });
    const listed = await client.listShortUrls({ tags: ["sdk"], orderBy: { field: "dateCreated", dir: "DESC" } });
    await fetch(made.shortUrl, { redirect: "manual" });
    let visits;
    do visits = await client.getShortUrlVisits({ shortCode: "sdk/one" }); while (visits.pagination.totalItems === 0);
    const tagVisits = await client.getTagVisits("sdk", { itemsPerPage: 1 });
    const overview = await client.getVisitsOverview();
    const stats = await client.tagsStats();
    await client.editTag({ oldName: "sdk", newName: "renamed" });
    const tags = await client.listTags();
    await client.deleteTags(["renamed"]);
    const domains = await client.listDomains();
    const rules = await client.getShortUrlRedirectRules({ shortCode: "sdk/one" });
    await client.deleteShortUrl({ shortCode: "sdk/one" });
    const gone = await client.getShortUrl({ shortCode: "sdk/one" }).catch((error) => error);
    const mercure = await client.mercureInfo().catch((error) => error);
    console.log("\\n" + JSON.stringify({ health, made, changed, listed, visits, tagVisits, overview, stats, tags, domains, rules, gone, mercure }));
  `);
  expect(story).toMatchObject({
    health: { status: "pass" },
    made: { shortCode: "sdk/one", shortUrl: `${server.url}/sdk/one`, tags: ["sdk"] },
    changed: { title: "Changed", meta: { maxVisits: 9 } },
    listed: { data: [{ shortCode: "sdk/one" }], pagination: { totalItems: 1 } },
    visits: { data: [{ visitedUrl: `${server.url}/sdk/one` }], pagination: { totalItems: 1 } },
    tagVisits: { pagination: { totalItems: 1 } },
    stats: { data: [{ tag: "sdk", shortUrlsCount: 1 }] },
    tags: { data: ["renamed"] },
    domains: { data: [{ isDefault: true }] },
    rules: { defaultLongUrl: "https://example.com/sdk", redirectRules: [] },
    gone: { status: 404, type: "https://shlink.io/api/error/short-url-not-found" },
    mercure: { status: 501, type: "https://shlink.io/api/error/mercure-not-configured" },
  });
});

withFile(
  "n8n's YOURLS node",
  join(CLIENTS, "node_modules/n8n-nodes-base/dist/nodes/Yourls/Yourls.node.js"),
  async () => {
    // The node as it is published, with what n8n gives it: parameters, credentials and requests.
    const story = await underNode(`
    import { createRequire } from "node:module";
    const require = createRequire(process.cwd() + "/");
    const { Yourls } = require("n8n-nodes-base/dist/nodes/Yourls/Yourls.node.js");
    async function request({ method, uri, qs, body, json }) {
      const response = await fetch(uri + "?" + new URLSearchParams(qs), { method, headers: { accept: "application/json" } });
      const text = await response.text();
      if (!response.ok) throw Object.assign(new Error(response.status + " - " + text), { statusCode: response.status });
      return json ? JSON.parse(text) : text;
    }
    const run = async (parameters) => {
      const context = {
        getInputData: () => [{ json: {} }],
        getNodeParameter: (name) => parameters[name],
        getCredentials: async () => (${JSON.stringify({ signature: token, url: server.url })}),
        getNode: () => ({ name: "YOURLS", type: "n8n-nodes-base.yourls", typeVersion: 1 }),
        continueOnFail: () => parameters.continues ?? false,
        helpers: { request, returnJsonArray: (items) => [items].flat().map((json) => ({ json })) },
      };
      return (await new Yourls().execute.call(context))[0].map(({ json }) => json);
    };
    const made = await run({ resource: "url", operation: "shorten", url: "https://example.com/n8n", additionalFields: { keyword: "n8n-one", title: "n8n" } });
    const expanded = await run({ resource: "url", operation: "expand", shortUrl: made[0].shorturl });
    const stats = await run({ resource: "url", operation: "stats", shortUrl: "n8n-one" });
    const taken = await run({ resource: "url", operation: "shorten", url: "https://example.com/other", additionalFields: { keyword: "n8n-one" }, continues: true });
    console.log("\\n" + JSON.stringify({ made, expanded, stats, taken }));
    process.exit(0);
  `);
    expect(story).toMatchObject({
      made: [{ status: "success", shorturl: `${server.url}/n8n-one` }],
      expanded: [{ longurl: "https://example.com/n8n", title: "n8n" }],
      stats: [{ url: "https://example.com/n8n", clicks: "0" }],
      taken: [{ error: expect.any(String) }],
    });
  },
);

withFile("Shlink's web client", join(WEB_CLIENT, "index.html"), async () => {
  const site = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch({ url }) {
      const file = Bun.file(join(WEB_CLIENT, new URL(url).pathname));
      return (await file.exists())
        ? new Response(file)
        : new Response(Bun.file(join(WEB_CLIENT, "index.html")));
    },
  });
  const browser = await chromium.launch({ executablePath: CHROMIUM!, args: ["--no-sandbox"] });
  try {
    const page = await browser.newPage();
    await page.goto(`${site.url}server/create`);
    await page.getByLabel(/^Name/).fill("Waymark");
    await page.getByLabel(/^URL/).fill(server.url);
    await page.getByLabel(/^API key/).fill(token);
    await page.getByRole("button", { name: "Create server" }).click();
    await page.getByText("Overview").first().waitFor();
    await page.getByPlaceholder("URL to be shortened").first().fill("https://example.com/web-client");
    await page.getByRole("button", { name: "Save" }).first().click();
    await page.getByText("Great!").waitFor();
    const { body } = await admin.call("GET", "/links?search=web-client");
    expect(body.data).toHaveLength(1);
    await page.getByRole("link", { name: "List short URLs" }).first().click();
    await page.getByText("https://example.com/web-client").first().waitFor();
    await page.getByRole("link", { name: "Manage tags" }).first().click();
    await page.getByRole("link", { name: "Manage domains" }).first().click();
    await page.getByText(new URL(server.url).host).first().waitFor();
  } finally {
    await browser.close();
    await site.stop(true);
  }
});
