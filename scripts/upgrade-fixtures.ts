/**
 * Makes test/fixtures/version-0-4/ for test/upgrade.test.ts: instances of an older version, with links, clicks,
 * sessions, files and shares, that were killed while clicks waited in the journal and an upload was unfinished.
 *
 *     bin/bun scripts/upgrade-fixtures.ts FIRST OLD
 *
 * Both are folders with a checkout and its packages: OLD is the version before (d522fe4); FIRST (32d2bff) is from before
 * objects had the tag of their installation in their names, and stores the first file. Needs the servers of
 * scripts/services and pg_dump.
 */
import { cpSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { createFresh, DIALECT_NAMES } from "../src/db/fresh.test-support.ts";
import { dumpDatabase } from "../test/support/database-dump.ts";
import { driveClient, type DriveClient } from "../test/support/drive.ts";
import {
  contentOf,
  LINKS,
  OLD_PASSWORDS,
  type OldFacts,
  type OldFile,
  packInstance,
} from "../test/support/old-instance.ts";
import { type Client, PASSWORD, signIn } from "../test/support/session.ts";
import { tusCalls } from "../test/support/tus-calls.ts";
import { until } from "../test/support/until.ts";
import { install, type Installation, type RunningWaymark, type Settings } from "../test/support/waymark.ts";

const [first, old] = process.argv.slice(2);
if (first === undefined || old === undefined) throw new Error("usage: scripts/upgrade-fixtures.ts FIRST OLD");

const SETTINGS = {
  "analytics.enable_detailed_logging": "true",
  "analytics.log_retention_days": "3650",
  "analytics.hourly_retention_days": "3650",
  "analytics.daily_retention_days": "3650",
  "api.health_token": "health-token-of-the-fixture",
  "api.jwt_secret": "secret-that-signs-only-sessions-of-this-fixture",
  "features.default_url": "https://example.com/root",
};
/** Keeps clicks in the journal until the process is killed. */
const LATE_FLUSH = { "click.flush_interval": "3600", "click.max_clicks_before_flush": "1000000" };
const EARLY_FLUSH = { "click.flush_interval": "1" };

const FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:132.0) Gecko/20100101 Firefox/132.0";
const IPHONE =
  "Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Mobile/15E148 Safari/604.1";
const VISITORS: Record<string, string>[] = [
  { "User-Agent": FIREFOX, Referer: "https://news.example/story" },
  { "User-Agent": IPHONE },
  { "User-Agent": "curl/8.5.0" },
  { "User-Agent": "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)" },
];
const IMPORT = `code,target,expires_at,click_count\n${Array.from(
  { length: 20 },
  (_, at) => `imported/${at},https://example.com/imported?at=${at},,${at * 100}\n`,
).join("")}`;

async function storeFirstFile(installation: Installation): Promise<OldFile> {
  await installation.run(["reset-password", "--stdin"], PASSWORD);
  const server = await installation.serve();
  const me = driveClient(server.url, (await signIn(server.url)).token);
  const file = await store(installation, me, "before tags.bin");
  await server.stop();
  if (!/\/[0-9a-f]{64}\.\d+$/.test(file.path)) throw new Error(`${file.path} is no key of that version`);
  return file;
}

async function store(of: Installation, me: DriveClient, name: string, folder = ""): Promise<OldFile> {
  const content = contentOf(name, 3_000);
  const { status, body } = await me.upload(name, content, { folder });
  if (status !== 201) throw new Error(`the upload answered ${status}: ${body.message}`);
  const sha256 = new Bun.CryptoHasher("sha256").update(content).digest("hex");
  const paths = readdirSync(of.dataDir, { recursive: true, encoding: "utf8" });
  const path = paths.find((one) => one.includes(`/${sha256}`));
  if (path === undefined) throw new Error(`no object of ${name}`);
  return { id: body.data.id, name, size: content.length, sha256, path };
}

type Known = Omit<OldFacts, "answers" | "exports" | "redirects" | "files"> & {
  codes: string[];
  files: Pick<OldFacts["files"], "plain" | "nested">;
};

/** Leaves the instance as a kill does. */
async function fill(installation: Installation): Promise<Known> {
  for (const [key, value] of Object.entries({ ...SETTINGS, ...EARLY_FLUSH }))
    await installation.run(["config", "set", key, value]);
  await installation.run(["links", "import", "-"], IMPORT);
  let server = await installation.serve();
  let client = await signIn(server.url);
  await makeAccounts(client);
  const codes = await makeLinks(client);
  const me = driveClient(server.url, client.token);
  const plain = await store(installation, me, "plain.bin");
  const folder = await me.folder("outer");
  const nested = await store(installation, me, "nested.bin", String(await me.folder("inner", folder)));
  const shares = {
    file: await share(me, `/files/${plain.id}/share`, { password: OLD_PASSWORDS.share, max_downloads: 3 }),
    folder: await share(me, `/folders/${folder}/share`, { code: "shared/folder" }),
  };
  await downloadOnce(server, shares.file, () => me.call("GET", `/files/${plain.id}/share`));
  await visitAll(server, ["plain", "plain", "later", "imported/3", "deleted", "deleted"]);
  await until(async () => (await countsOf(client))["deleted"] === 2 * VISITORS.length);
  await call(client, "DELETE", "/links/deleted");
  await server.stop();

  for (const [key, value] of Object.entries(LATE_FLUSH))
    await installation.run(["config", "set", key, value]);
  server = await installation.serve();
  client = await signIn(server.url);
  const cookies = await signInWithCookies(server);
  const counted = await countsOf(client);
  await visitAll(server, ["plain", "pending", "pending", "pending", "imported/4"]);
  const upload = await beginUpload(driveClient(server.url, client.token));
  await server.kill();
  return {
    madeAt: new Date().toISOString(),
    cookies,
    jwtSecret: SETTINGS["api.jwt_secret"],
    healthToken: SETTINGS["api.health_token"],
    counted,
    codes: [...codes, "imported/3", "imported/19", "deleted", "unknown", ""],
    files: { plain, nested },
    shares,
    upload,
  };
}

async function call(client: Client, method: string, path: string, body?: unknown): Promise<void> {
  const answer = await client.call(method, path, body);
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(answer.body)}`);
}

async function makeAccounts(client: Client): Promise<void> {
  await call(client, "POST", "/users", { username: "ada", password: OLD_PASSWORDS.ada, role: "admin" });
  await call(client, "POST", "/users", { username: "ben", password: "the password of ben", role: "user" });
}

async function makeLinks(client: Client): Promise<string[]> {
  const links = [
    { code: "plain", target: "https://example.com/plain" },
    { code: "later", target: "https://example.com/later?a=b#c", expires_at: "2199-12-31T23:59:59Z" },
    { code: "ended", target: "https://example.com/ended", expires_at: "2020-01-01T00:00:00Z" },
    { code: "locked", target: "https://example.com/locked", password: "stored only" },
    { code: "a/b.c", target: "https://example.com/gr%C3%BC%C3%9Fe" },
    { code: "Case", target: "https://example.com/upper" },
    { code: "case", target: "https://example.com/lower" },
    { code: "pending", target: "https://example.com/pending" },
    { code: "changed", target: "https://example.com/1" },
    { code: "deleted", target: "https://example.com/deleted" },
  ];
  for (const link of links) await call(client, "POST", "/links", link);
  await call(client, "PUT", "/links/changed", { target: "https://example.com/2" });
  return links.map(({ code }) => code);
}

async function share(me: DriveClient, path: string, input: object): Promise<string> {
  const { status, body } = await me.call("POST", path, input);
  if (status !== 201) throw new Error(`${path}: ${JSON.stringify(body)}`);
  return body.data.code;
}

async function downloadOnce(
  { url }: RunningWaymark,
  code: string,
  list: () => ReturnType<DriveClient["call"]>,
): Promise<void> {
  const headers = { "User-Agent": FIREFOX };
  const opened = await fetch(`${url}/${code}`, {
    method: "POST",
    redirect: "manual",
    headers,
    body: new URLSearchParams({ password: OLD_PASSWORDS.share }),
  });
  const cookie = opened.headers.getSetCookie()[0]!.split(";")[0]!;
  await (await fetch(`${url}/${code}`, { headers: { ...headers, Cookie: cookie } })).bytes();
  await until(async () => (await list()).body.data[0].downloads === 1);
}

async function visitAll({ url }: RunningWaymark, codes: readonly string[]): Promise<void> {
  for (const code of codes) {
    for (const headers of VISITORS) await fetch(`${url}/${code}`, { redirect: "manual", headers });
  }
}

async function countsOf(client: Client): Promise<Record<string, number>> {
  const links: { code: string; click_count: number }[] = (await client.call("GET", LINKS)).body.data;
  return Object.fromEntries(links.map(({ code, click_count }) => [code, click_count]));
}

async function signInWithCookies({ url }: RunningWaymark): Promise<Record<string, string>> {
  const answer = await fetch(`${url}/admin/v1/auth/login`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ password: PASSWORD }),
  });
  const pairs = answer.headers.getSetCookie().map((line) => line.split(/[=;]/, 2) as [string, string]);
  return Object.fromEntries(pairs);
}

async function beginUpload(me: DriveClient): Promise<OldFacts["upload"]> {
  const { begin, patch } = tusCalls(me);
  const [name, size, offset] = ["unfinished.bin", 20_000, 8_000] as const;
  const path = (await begin(name, size, null)).headers.get("Location")!;
  const { status } = await patch(path, 0, contentOf(name, size).subarray(0, offset));
  if (status !== 204) throw new Error(`the upload answered ${status}`);
  return { path, name, size, offset };
}

/** What the old version answers after it has counted the clicks that waited. */
async function ask(
  installation: Installation,
  { codes, ...known }: Known & { files: OldFacts["files"] },
): Promise<OldFacts> {
  await installation.run(["config", "set", "click.flush_interval", "1"]);
  let server = await installation.serve();
  await server.stop();
  server = await installation.serve();
  const client = await signIn(server.url);
  const day = (offset: number) =>
    new Date(Date.parse(known.madeAt) + offset * 86_400_000).toISOString().slice(0, 10);
  const range = `start_date=${day(-1)}&end_date=${day(2)}`;
  const answers: OldFacts["answers"] = {};
  for (const path of [
    "/stats",
    LINKS,
    "/links?page_size=100&sort=click_count",
    "/links?search=IMPORTED",
    ...["hour", "day", "week", "month"].map((unit) => `/analytics/trends?group_by=${unit}&${range}`),
    ...["top", "referrers", "geo", "devices"].map((report) => `/analytics/${report}?${range}`),
    ...["plain", "pending"].flatMap((code) => [
      `/links/${code}/analytics?${range}`,
      `/links/${code}/analytics/devices?${range}`,
    ]),
    "/users",
    "/config/features.default_url",
    "/config/api.health_token",
    "/config/click.max_clicks_before_flush/history",
  ]) {
    const answer = await client.call("GET", path);
    if (answer.status !== 200) throw new Error(`${path}: ${JSON.stringify(answer.body)}`);
    answers[path] = answer.body.data;
  }
  const exports: OldFacts["exports"] = {};
  for (const path of ["/links/export", `/analytics/export?${range}`])
    exports[path] = await (await client.fetch(path)).text();
  const redirects: OldFacts["redirects"] = {};
  for (const code of codes) {
    const { status, headers } = await fetch(`${server.url}/${code}`, { redirect: "manual" });
    redirects[code] = [status, headers.get("location")];
  }
  await server.stop();
  return { ...known, answers, exports, redirects };
}

for (const name of DIALECT_NAMES) {
  const fresh = await createFresh(name);
  // The file of SQLite is in the data folder.
  const settings: Settings = name === "sqlite" ? {} : { WAYMARK__DATABASE__URL: fresh.url };
  const [before, instance, killed] = [first, old, old].map((root) =>
    install(settings, join(root, "bin", "waymark")),
  );
  try {
    const beforeTags = await storeFirstFile(before!);
    cpSync(before!.dataDir, instance!.dataDir, { recursive: true, preserveTimestamps: true });
    const known = await fill(instance!);
    cpSync(instance!.dataDir, killed!.dataDir, { recursive: true, preserveTimestamps: true });
    const statements = await dumpDatabase(name, fresh.url);
    const facts = await ask(instance!, { ...known, files: { ...known.files, beforeTags } });
    const bytes = await packInstance(name, { facts, statements, dataDir: killed!.dataDir });
    console.log(`${name}: ${bytes} bytes`);
  } finally {
    for (const made of [before, instance, killed]) await made!.remove();
    await fresh.drop();
  }
}
