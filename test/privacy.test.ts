/**
 * Who was here is gone: addresses, user agents and names come in by every door, are deleted or never kept, and then no
 * byte of the database, the data folder, the log and a new backup has them. The sums of clicks stay what they were.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { createFresh, DIALECT_NAMES, type Fresh, serverUrl } from "../src/db/fresh.test-support.ts";
import { withDatabase } from "./support/database-dump.ts";
import { driveClient } from "./support/drive.ts";
import { type Client, PASSWORD, signIn } from "./support/session.ts";
import { until } from "./support/until.ts";
import { type Installation, install, type RunningWaymark } from "./support/waymark.ts";

const ADDRESS = "198.51.100.77";
const NAME = "planted.zq9";
const EMAIL = "planted@zq9.example";
const SECRET = "a long password";
const agentOf = (mark: string) =>
  `Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36 ${mark}/1`;

/** Every file below a folder, by its bytes. */
function filesWith(folder: string, needles: readonly string[]): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" }).flatMap((name) => {
    const path = join(folder, name);
    if (!statSync(path).isFile()) return [];
    const bytes = readFileSync(path);
    return needles.filter((needle) => bytes.includes(needle)).map((needle) => `${name}: ${needle}`);
  });
}

/** Every value of every table. */
const rowsWith = (url: string, needles: readonly string[]): Promise<string[]> =>
  withDatabase(url, async ({ read }) => {
    const found: string[] = [];
    for (const { name } of await read.introspection.getTables()) {
      // Indexes of texts on SQLite, whose file is searched anyway.
      if (/^(entry_names|link_texts)/.test(name)) continue;
      const rows = await read
        .selectFrom(name as "links")
        .selectAll()
        .execute();
      for (const row of rows) {
        const text = JSON.stringify(row);
        for (const needle of needles) if (text.includes(needle)) found.push(`${name}: ${needle}`);
      }
    }
    return [...new Set(found)];
  });

for (const name of DIALECT_NAMES) {
  const isThere = name === "sqlite" || serverUrl(name) !== undefined;
  describe.skipIf(!isThere)(name, () => {
    let fresh: Fresh | null = null;
    let url: string;
    let installation: Installation;
    let server: RunningWaymark;
    let admin: Client;

    beforeAll(async () => {
      fresh = name === "sqlite" ? null : await createFresh(name);
      installation = install(fresh === null ? {} : { WAYMARK__DATABASE__URL: fresh.url });
      url = fresh?.url ?? `sqlite:${join(installation.dataDir, "waymark.db")}`;
      await installation.run(["reset-password", "--stdin"], PASSWORD);
      for (const [key, value] of [
        ["analytics.enable_detailed_logging", "true"],
        ["api.trusted_proxies", '["127.0.0.1"]'],
        ["click.flush_interval", "1"],
      ] as const)
        await installation.run(["config", "set", key, value]);
      server = await installation.serve({ WAYMARK__LOGGING__ACCESS_SAMPLE: "1" });
      admin = await signIn(server.url);
    }, 60_000);
    afterAll(async () => {
      await installation?.remove();
      await fresh?.drop();
    });

    const visit = (code: string, address: string, headers: Record<string, string>, method = "GET") =>
      fetch(`${server.url}/${code}`, {
        method,
        redirect: "manual",
        headers: { "X-Forwarded-For": address, ...headers },
      });
    const total = async () => (await admin.call("GET", "/analytics/trends?preset=7d")).body.data;
    const browsers = async () => (await admin.call("GET", "/analytics/report?by=browser&preset=7d")).body;
    const put = (key: string, value: string) => admin.call("PUT", `/config/${key}`, { value });
    const clicked = (code: string, clicks: number) =>
      until(async () => (await admin.call("GET", `/links/${code}`)).body.data.click_count === clicks);

    test("a person who came in by every door leaves no byte behind, and the sums stay", async () => {
      const account = { username: NAME, password: SECRET, role: "admin", email: EMAIL };
      const { id } = (await admin.call("POST", "/users", account)).body.data;
      await admin.call("POST", "/teams", { name: "press", members: [{ account: NAME, role: "manager" }] });
      // The log, which nobody deletes from, has addresses of wrong passwords.
      await put("privacy.addresses", "none");
      const wrong = { username: NAME, password: "wrong password" };
      const from = { "X-Forwarded-For": ADDRESS, "User-Agent": agentOf("zq9planted") };
      await fetch(`${server.url}/admin/v1/auth/login`, {
        method: "POST",
        headers: { "Content-Type": "application/json", ...from },
        body: JSON.stringify(wrong),
      });
      await put("privacy.addresses", "full");
      const response = await fetch(`${server.url}/admin/v1/auth/login`, {
        method: "POST",
        headers: { "Content-Type": "application/json", ...from },
        body: JSON.stringify({ username: NAME, password: SECRET }),
      });
      expect(response.status).toBe(200);
      const person = await signIn(server.url, SECRET, NAME);
      const target = "https://example.com/";
      for (const code of ["kept", "gone"]) await person.call("POST", "/links", { code, target, tags: ["a"] });
      await person.call("PATCH", "/links/kept", { title: "changed", owner: NAME });
      await person.call("DELETE", "/links/gone");
      await person.call("PUT", "/config/links.restore_days", { value: "29" });
      await person.call("POST", "/tokens", { name: "token", scopes: ["links:read"] });
      const drive = driveClient(server.url, admin.token);
      const folder = await drive.folder("shared");
      await drive.call("POST", `/folders/${folder}/share`, { code: "theshare" });
      const headers = { "User-Agent": agentOf("zq9planted"), Referer: "https://a.example/secret-path" };
      for (let at = 0; at < 5; at++) await visit("kept", ADDRESS, headers);
      await visit("theshare", ADDRESS, { ...headers, "Sec-Fetch-Dest": "document" });
      await visit("no-such-code", ADDRESS, headers);
      await visit("kept", "192.0.2.5", { "User-Agent": agentOf("shared") });
      await clicked("kept", 6);

      const needles = [ADDRESS, "zq9planted", "secret-path", NAME, EMAIL];
      const places = async (query: string) =>
        (await admin.call("GET", `/privacy/find?${query}`)).body.data.map(
          (one: { place: string }) => one.place,
        );
      expect(await places(`address=${ADDRESS}`)).toEqual(
        expect.arrayContaining(["sessions.address", "click_log.ip_address"]),
      );
      expect(await places(`account=${NAME}`)).toEqual(
        expect.arrayContaining([
          "users",
          "sessions",
          "events.actor",
          "events.after",
          "links.created_by",
          "deleted_links.deleted_by",
        ]),
      );
      const exported = await (await admin.fetch(`/privacy/export?address=${ADDRESS}`)).text();
      expect(
        exported
          .trim()
          .split("\n")
          .map((line) => JSON.parse(line).place),
      ).toContain("click_log.ip_address");
      expect(exported).toContain(ADDRESS);
      // What finds nothing later finds all of it now.
      const planted = await rowsWith(url, needles);
      for (const needle of needles)
        expect([needle, planted.some((one) => one.endsWith(needle))]).toEqual([needle, true]);

      const before = [await total(), await browsers()];
      const erased = await admin.call("POST", "/privacy/delete", { address: ADDRESS });
      expect([erased.status, erased.body.data.length > 0]).toEqual([200, true]);
      const deleted = await admin.call("POST", "/privacy/delete", { account: NAME, transfer_to: "admin" });
      expect([deleted.status, deleted.body.message]).toEqual([200, deleted.body.message]);
      expect(await places(`address=${ADDRESS}`)).toEqual([]);
      expect(await places(`account=${NAME}`)).toEqual([]);
      expect([await total(), await browsers()]).toEqual(before);
      expect((await admin.call("GET", "/links/kept")).body.data).toMatchObject({
        owner: "admin",
        created_by: `#${id}`,
        click_count: 6,
      });
      await server.stop();
      await installation.run(["analytics", "rebuild"]);
      const byCommand = ["privacy", "find", "--json"];
      expect(JSON.parse(await installation.run([...byCommand, "--address", ADDRESS]))).toEqual([]);
      const other = ["--address", "192.0.2.5"];
      expect(await installation.run(["privacy", "export", ...other])).toContain("click_log.ip_address");
      expect(JSON.parse(await installation.run(["privacy", "delete", "--json", ...other]))).toHaveLength(1);
      expect(JSON.parse(await installation.run([...byCommand, ...other]))).toEqual([]);
      const backup = `${installation.dataDir}-backup`;
      await installation.run(["backup", backup]);
      expect(await rowsWith(url, needles)).toEqual([]);
      expect(filesWith(installation.dataDir, needles)).toEqual([]);
      expect(filesWith(backup, needles)).toEqual([]);
      rmSync(backup, { recursive: true });
      expect(needles.filter((needle) => server.log().includes(needle))).toEqual([]);
      server = await installation.serve();
      admin = await signIn(server.url);
      expect([await total(), await browsers()]).toEqual(before);
    }, 120_000);

    test("what the modes don't keep is nowhere, without a deletion", async () => {
      const path = "https://b.example/other-path";
      await admin.call("POST", "/links", { code: "modes", target: "https://example.com/" });
      await put("privacy.addresses", "none");
      await visit("modes", "198.51.100.81", { "User-Agent": agentOf("named") });
      await clicked("modes", 1);
      await put("privacy.addresses", "truncated");
      await visit("modes", "203.0.113.91", { "User-Agent": agentOf("named") });
      await clicked("modes", 2);
      for (const key of ["agents", "referrers", "campaigns", "places"])
        await put(`privacy.keep_${key}`, "false");
      await visit("modes?utm_source=zq8source", "192.0.2.9", {
        "User-Agent": agentOf("zq8agent"),
        Referer: path,
      });
      await put("privacy.respect_signals", "true");
      await put("privacy.keep_agents", "true");
      await visit("modes", "198.51.100.82", { "User-Agent": agentOf("zq7agent"), "Sec-GPC": "1" });
      await visit("modes", "198.51.100.83", { "User-Agent": agentOf("zq6agent"), DNT: "1" });
      await clicked("modes", 5);
      await server.stop();
      const needles = [
        "198.51.100.8",
        "203.0.113.91",
        "192.0.2.9",
        "zq8source",
        "zq8agent",
        "zq7agent",
        "zq6agent",
        "other-path",
      ];
      expect(await rowsWith(url, needles)).toEqual([]);
      expect(filesWith(installation.dataDir, needles)).toEqual([]);
      expect(needles.filter((needle) => server.log().includes(needle))).toEqual([]);
      expect(await rowsWith(url, ["203.0.113.0", "named"])).toEqual(
        expect.arrayContaining(["click_log: 203.0.113.0", "user_agents: named"]),
      );
      const [drops] = await withDatabase(url, ({ read }) =>
        read.selectFrom("detail_drops").selectAll().where("reason", "=", "signal").execute(),
      );
      expect(drops!.clicks).toBe(2);
    }, 60_000);
  });
}
