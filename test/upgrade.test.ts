/**
 * An upgrade: instances of the version before, killed while clicks waited and an upload was unfinished, start under this
 * version and keep everything. They also hold a file stored by a version whose object names had another form.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import {
  createFresh,
  DIALECT_NAMES,
  type DialectName,
  type Fresh,
  SERVER_VARIABLES,
  serverUrl,
} from "../src/db/fresh.test-support.ts";
import { columnDimensionsFrom } from "../src/clicks/rollups/dimension-start.repository.ts";
import { withDatabase } from "./support/database-dump.ts";
import { driveClient, type DriveClient } from "./support/drive.ts";
import { contentOf, LINKS, OLD_PASSWORDS, type OldFacts, unpackInstance } from "./support/old-instance.ts";
import { type Client, signIn } from "./support/session.ts";
import { tusCalls } from "./support/tus-calls.ts";
import { until } from "./support/until.ts";
import { install, type Installation, type RunningWaymark } from "./support/waymark.ts";

const BROWSER = "Mozilla/5.0 (X11; Linux x86_64; rv:132.0) Gecko/20100101 Firefox/132.0";

function tell(name: DialectName): void {
  let fresh: Fresh;
  let databaseUrl: string;
  let installation: Installation;
  let facts: OldFacts;
  let server: RunningWaymark;
  let client: Client;
  let me: DriveClient;
  const startedAt = Date.now();

  beforeAll(async () => {
    fresh = await createFresh(name);
    installation = install(name === "sqlite" ? {} : { WAYMARK__DATABASE__URL: fresh.url });
    databaseUrl = name === "sqlite" ? `sqlite:${join(installation.dataDir, "waymark.db")}` : fresh.url;
    facts = await unpackInstance(name, installation.dataDir, databaseUrl);
    expect((await installation.cli(["migrate", "status"])).exitCode).toBe(1);
    server = await installation.serve();
    client = await signIn(server.url, OLD_PASSWORDS.ada, "ada");
    me = driveClient(server.url, facts.cookies["svc_access"]!);
  });
  afterAll(async () => {
    await installation?.remove();
    await fresh?.drop();
  });

  const data = async (path: string) => (await client.call("GET", path)).body.data;
  const text = async (path: string) => (await client.fetch(path)).text();
  const bytesOf = async (id: number) => (await me.send(`/files/${id}/download`)).bytes();

  test("the schema is complete, and says since when clicks have the dimensions of campaigns", async () => {
    expect(await installation.run(["migrate", "status"])).not.toContain("pending");
    const from = await withDatabase(databaseUrl, ({ read }) => columnDimensionsFrom(read));
    expect(from).toBeWithin(startedAt, Date.now() + 1);
  });

  test("clicks that were counted stay, and those that waited are counted once, as people", async () => {
    const before = facts.answers[LINKS] as { code: string; click_count: number }[];
    const waited = before.filter(({ code, click_count }) => click_count > facts.counted[code]!);
    expect(waited.map(({ code }) => code).sort()).toEqual(["imported/4", "pending", "plain"]);
    const total = (facts.answers["/stats"] as { total_clicks: number }).total_clicks;
    await until(async () => (await data("/stats")).total_clicks >= total);
    const now: Record<string, unknown>[] = await data(LINKS);
    const asPeople = before.map((link) => ({ ...link, human_clicks: link.click_count }));
    expect(now).toMatchObject(asPeople);
  });

  test("lists, reports, accounts and settings answer as before", async () => {
    for (const [path, before] of Object.entries(facts.answers))
      expect({ path, data: await data(path) }).toMatchObject({ path, data: before } as object);
    for (const [path, before] of Object.entries(facts.exports)) expect(await text(path)).toBe(before);
    const health = { headers: { Authorization: `Bearer ${facts.healthToken}` } };
    expect((await fetch(`${server.url}/health`, health)).status).toBe(200);
  });

  test("every link redirects as before", async () => {
    const now = Object.keys(facts.redirects).map(async (code) => {
      const { status, headers } = await fetch(`${server.url}/${code}`, { redirect: "manual" });
      return [code, [status, headers.get("location")]];
    });
    expect(Object.fromEntries(await Promise.all(now))).toEqual(facts.redirects);
  });

  test("the session of a browser goes on", async () => {
    const cookie = Object.entries(facts.cookies)
      .map(([key, value]) => `${key}=${value}`)
      .join("; ");
    const send = (path: string, method: string, headers: Record<string, string> = {}) =>
      fetch(`${server.url}/admin/v1${path}`, { method, headers: { Cookie: cookie, ...headers } });
    expect((await send("/stats", "GET")).status).toBe(200);
    expect((await send("/links/later", "DELETE")).status).toBe(403);
    const proven = { "X-CSRF-Token": facts.cookies["csrf_token"]! };
    expect((await send("/links/later", "DELETE", proven)).status).toBe(200);
    const refreshed = await send("/auth/refresh", "POST", proven);
    expect(refreshed.status).toBe(200);
    expect(refreshed.headers.getSetCookie().join()).toContain("svc_access=");
  });

  test("files keep their bytes, also under the old form of object names, and are scrubbed and backed up", async () => {
    const stored = Object.values(facts.files);
    expect(facts.files.beforeTags.path).toMatch(/\/([0-9a-f]{2})\/([0-9a-f]{2})\/\1\2[0-9a-f]{60}\.\d+$/);
    for (const { id, name: file, size } of stored) expect(await bytesOf(id)).toEqual(contentOf(file, size));
    const blobs = () =>
      withDatabase(databaseUrl, ({ read }) =>
        read.selectFrom("blobs").select(["state", "checked_at"]).execute(),
      );
    await until(async () => (await blobs()).every(({ checked_at }) => checked_at > 0));
    expect((await blobs()).map(({ state }) => state)).toEqual(stored.map(() => "live"));
    const target = join(installation.dataDir, "backups", "made");
    mkdirSync(join(target, ".."), { recursive: true });
    const manifest = JSON.parse(await installation.run(["backup", target, "--json"]));
    const paths = manifest.files.map((file: { path: string }) => file.path);
    for (const { path, name: file, size } of stored) {
      expect(paths).toContain(`files/${path}`);
      expect(new Uint8Array(readFileSync(join(target, "files", path)))).toEqual(contentOf(file, size));
    }
    // Fails if anything is wrong.
    await installation.run(["doctor", "--storage"]);
  });

  test("an unfinished upload resumes where it broke off", async () => {
    const { path, name: file, size, offset } = facts.upload;
    const tus = tusCalls(me);
    expect((await tus.head(path)).headers.get("Upload-Offset")).toBe(String(offset));
    const content = contentOf(file, size);
    expect((await tus.patch(path, offset, content.subarray(offset))).status).toBe(204);
    const { files } = (await me.call("GET", "/folders")).body.data;
    const made = files.find((one: { name: string }) => one.name === file);
    expect(await bytesOf(made.id)).toEqual(content);
  });

  test("shares ask for their passwords and keep their limits", async () => {
    const visit = (code: string, init: RequestInit = {}) =>
      fetch(`${server.url}/${code}`, {
        redirect: "manual",
        ...init,
        headers: { "User-Agent": BROWSER, ...init.headers },
      });
    const { plain, nested } = facts.files;
    const { file: code, folder } = facts.shares;
    expect((await visit(code)).status).toBe(401);
    const body = new URLSearchParams({ password: OLD_PASSWORDS.share });
    const opened = await visit(code, { method: "POST", body });
    const headers = { Cookie: opened.headers.getSetCookie()[0]!.split(";")[0]! };
    for (let download = 2; download <= 3; download++)
      expect(await (await visit(code, { headers })).bytes()).toEqual(contentOf(plain.name, plain.size));
    expect((await visit(code, { headers })).status).toBe(410);
    const inside = await visit(`${folder}?file=${nested.id}`);
    expect(await inside.bytes()).toEqual(contentOf(nested.name, nested.size));
    const listed = (await me.call("GET", "/shares")).body.data;
    expect(listed).toMatchObject([
      { code: folder, kind: "folder", entry: { name: "outer" }, downloads: 1 },
      { code, kind: "file", file_id: plain.id, downloads: 3, max_downloads: 3 },
    ]);
  });

  test("a file with the old form of object names is removed with its bytes", async () => {
    const { id, path } = facts.files.beforeTags;
    const object = join(installation.dataDir, path);
    expect(existsSync(object)).toBe(true);
    expect((await me.call("DELETE", `/files/${id}`)).status).toBe(200);
    await until(() => !existsSync(object));
    expect((await me.send(`/files/${id}/download`)).status).toBe(404);
  });
}

for (const name of DIALECT_NAMES) {
  const isMissing = name !== "sqlite" && serverUrl(name) === undefined;
  if (isMissing) test.skip(`an upgrade with ${name} (${SERVER_VARIABLES[name]} is not set)`, () => {});
  else describe(`an upgrade with ${name}`, () => tell(name));
}
