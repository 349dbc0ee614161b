/**
 * Who was here is gone: addresses, user agents and names come in by every door, are deleted or never kept, and then no
 * byte of the database, its files, the data folder, the log and a new backup has them. The sums of clicks stay what they
 * were.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { DIALECT_NAMES, type Fresh, serverUrl } from "../../src/platform/db/fresh.test-support.ts";
import { createMigrated } from "../../src/platform/db/schema-copy.test-support.ts";
import { withDatabase } from "../support/database-dump.ts";
import { driveClient } from "../support/drive.ts";
import { type Client, PASSWORD, signIn } from "../support/session.ts";
import { rewriteTables } from "../support/server-files.ts";
import { stranger } from "../support/stranger.ts";
import { until } from "../support/until.ts";
import { type Installation, install, type RunningWaymark } from "../support/waymark.ts";

const ADDRESS = "198.51.100.77";
const NAME = "planted.zq9";
const EMAIL = "planted@zq9.example";
const DISPLAY_NAME = "Zq9 Person";
const FORMER_NAME = 'Zq9 "Former" Person';
const OUTSIDER = "outside@zq9.example";
const SENDER = "Zoe Zq9sender";
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
      fresh = name === "sqlite" ? null : await createMigrated(name);
      installation = install(fresh === null ? {} : { WAYMARK__DATABASE__URL: fresh.url });
      url = fresh?.url ?? `sqlite:${join(installation.dataDir, "waymark.db")}`;
      await installation.run(["reset-password", "--stdin"], PASSWORD);
      for (const [key, value] of [
        ["analytics.enable_detailed_logging", "true"],
        ["analytics.unique_visitors", "true"],
        ["api.trusted_proxies", '["127.0.0.1"]'],
        ["click.flush_interval", "1"],
        ["features.public_url", "https://go.example"],
        ["features.report_links", "true"],
      ] as const)
        await installation.run(["config", "set", key, value]);
      server = await installation.serve({
        WAYMARK__LOGGING__ACCESS_SAMPLE: "1",
        WAYMARK__SERVER__WORKERS: "2",
        // Nobody is there, so mails stay in the outbox.
        WAYMARK__MAIL__HOST: "127.0.0.1",
        WAYMARK__MAIL__PORT: "1",
        WAYMARK__MAIL__FROM: "waymark@example.com",
      });
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
      const account = {
        username: NAME,
        password: SECRET,
        role: "admin",
        email: EMAIL,
        display_name: FORMER_NAME,
      };
      const { id } = (await admin.call("POST", "/users", account)).body.data;
      await admin.call("POST", "/teams", { name: "press", members: [{ account: NAME, role: "manager" }] });
      const from = { "X-Forwarded-For": ADDRESS, "User-Agent": agentOf("zq9planted") };
      const tryToSignIn = async (password: string) => {
        const headers = { "Content-Type": "application/json", ...from };
        const body = JSON.stringify({ username: NAME, password });
        return (await fetch(`${server.url}/admin/v1/auth/login`, { method: "POST", headers, body })).status;
      };
      expect(await tryToSignIn(SECRET)).toBe(200);
      const identity = { issuer: "https://id.example", subject: "zq9subject", created_at: 0, used_at: 0 };
      await withDatabase(url, ({ write }) =>
        write
          .insertInto("account_identities")
          .values({ ...identity, account_id: id, hash: "0".repeat(64) })
          .execute()
          .then(() =>
            write
              .insertInto("login_failures")
              .values({ account: `factor ${NAME}`, failures: 1, retry_at: 0, updated_at: 1e13 })
              .execute(),
          ),
      );
      const person = await signIn(server.url, SECRET, NAME);
      await person.call("PATCH", "/auth/me", { display_name: DISPLAY_NAME });
      const invited = { username: "invited", email: "invited@example.com", role: "editor", invite: true };
      expect((await person.call("POST", "/users", invited)).status).toBe(201);
      const report = { title: "Weekly", every: "week", at: "08:00", to: [EMAIL] };
      expect((await admin.call("POST", "/analytics/mails", report)).status).toBe(201);
      // The log, which nobody deletes from, has addresses of wrong passwords.
      await put("privacy.addresses", "none");
      expect(await tryToSignIn("wrong password")).toBe(401);
      await put("privacy.addresses", "full");
      expect((await person.call("POST", "/mail/test", { to: OUTSIDER })).status).toBe(201);
      const target = "https://example.com/";
      for (const code of ["kept", "gone"]) await person.call("POST", "/links", { code, target, tags: ["a"] });
      await person.call("PATCH", "/links/kept", { title: "changed", owner: NAME });
      await person.call("DELETE", "/links/gone");
      await person.call("PUT", "/config/links.restore_days", { value: "29" });
      await person.call("POST", "/tokens", { name: "token", scopes: ["links:read"] });
      const drive = driveClient(server.url, admin.token);
      const folder = await drive.folder("shared");
      const listed = { code: "theshare", recipients: [OUTSIDER, EMAIL] };
      expect((await drive.call("POST", `/folders/${folder}/share`, listed)).status).toBe(201);
      const headers = { "User-Agent": agentOf("zq9planted"), Referer: "https://a.example/secret-path" };
      const journal = join(installation.dataDir, "journal");
      let visits = 0;
      // Until both workers have the address in their journal.
      await until(async () => {
        await visit("kept", ADDRESS, { ...headers, Connection: "close" });
        visits += 1;
        return filesWith(journal, [ADDRESS]).length === 2;
      });
      await visit("theshare", ADDRESS, { ...headers, "Sec-Fetch-Dest": "document" });
      await visit("no-such-code", ADDRESS, headers);
      await admin.call("POST", "/links", { code: "held", target });
      await person.call("POST", "/links/held/review", { action: "take_down" });
      await fetch(`${server.url}/kept+`, {
        method: "POST",
        headers: { ...headers, "X-Forwarded-For": ADDRESS },
        body: new URLSearchParams({ reason: "spam" }),
      });
      await drive.call("POST", `/folders/${folder}/drop`, {
        code: "thebox",
        max_bytes: 1_000,
        max_files: 9,
        sender_folders: true,
      });
      const visitor = stranger(from);
      const box = `${server.url}/thebox`;
      expect(
        (await visitor.put(box, { "a.txt": "a" }, SENDER, { Accept: "application/json" }, OUTSIDER)).status,
      ).toBe(201);
      const visitorWithAccount = await stranger(from).put(box, { "c.txt": "c" }, SENDER, {}, EMAIL);
      expect(visitorWithAccount.status).toBeLessThan(400);
      const begun = await visitor.begin(box, "b.txt", 9, SENDER, OUTSIDER);
      expect(begun.status).toBe(201);
      expect((await visitor.append(new URL(begun.headers.get("location")!, box).href, 0, "b")).status).toBe(
        204,
      );
      await visit("kept", "192.0.2.5", { "User-Agent": agentOf("shared") });
      await clicked("kept", visits + 1);

      const needles = [
        ADDRESS,
        "zq9planted",
        "secret-path",
        NAME,
        DISPLAY_NAME,
        'Zq9 \\\\\\"Former',
        EMAIL,
        OUTSIDER,
        SENDER,
        "zq9subject",
        Buffer.from(SENDER).toString("base64").slice(0, -4),
        Buffer.from(OUTSIDER).toString("base64").slice(0, -4),
      ];
      expect(filesWith(journal, [ADDRESS])).toHaveLength(2);
      const places = async (query: string) =>
        (await admin.call("GET", `/privacy/find?${query}`)).body.data.map(
          (one: { location: string }) => one.location,
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
          "links.options",
          "account_identities",
          "login_failures.account",
          "mails.recipient",
          "mails.content",
          "share_recipients.email",
          "report_readers.email",
          "drop_files.sender_email",
        ]),
      );
      const ofRecipient = [
        "mails.recipient",
        "share_recipients.email",
        "drop_files.sender_email",
        "uploads.sender_email",
        "events.after",
      ];
      expect(await places(`address=${OUTSIDER}`)).toEqual(ofRecipient);
      const ofSender = ["drop_files.sender_name", "uploads.sender_name", "events.after", "entries.name"];
      expect(await places(`sender=${encodeURIComponent(SENDER)}`)).toEqual(ofSender);
      for (const bad of ["", "?address=x", `?address=${ADDRESS}&account=${NAME}`])
        expect([bad, (await admin.call("GET", `/privacy/find${bad}`)).status]).toEqual([bad, 400]);
      const exported = await (await admin.fetch(`/privacy/export?address=${ADDRESS}`)).text();
      expect(
        exported
          .trim()
          .split("\n")
          .map((line) => JSON.parse(line).location),
      ).toContain("click_log.ip_address");
      expect(exported).toContain(ADDRESS);
      // What finds nothing later finds all of it now.
      const planted = await rowsWith(url, needles);
      for (const needle of needles)
        expect([needle, planted.some((one) => one.endsWith(needle))]).toEqual([needle, true]);

      const before = [await total(), await browsers()];
      const erased = await admin.call("POST", "/privacy/delete", { address: ADDRESS });
      expect([erased.status, erased.body.data.length > 0]).toEqual([200, true]);
      expect(erased.body).toMatchObject({ processes_missing: 0, not_covered: null });
      expect(filesWith(journal, [ADDRESS])).toEqual([]);
      for (const more of [{ address: OUTSIDER.toUpperCase() }, { sender: SENDER }])
        expect((await admin.call("POST", "/privacy/delete", more)).body.data.length).toBeGreaterThan(0);
      const deleted = await admin.call("POST", "/privacy/delete", { account: NAME, transfer_to: "admin" });
      expect([deleted.status, deleted.body.message]).toEqual([200, deleted.body.message]);
      expect(await places(`address=${ADDRESS}`)).toEqual([]);
      expect(await places(`account=${NAME}`)).toEqual([]);
      expect(await places(`address=${OUTSIDER}`)).toEqual([]);
      expect(await places(`sender=${encodeURIComponent(SENDER)}`)).toEqual([]);
      expect((await admin.call("GET", "/links/held")).body.data.held.by).toBe(`#${id}`);
      expect([await total(), await browsers()]).toEqual(before);
      expect((await admin.call("GET", "/links/kept")).body.data).toMatchObject({
        owner: "admin",
        created_by: `#${id}`,
        click_count: visits + 1,
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
      const folderOfServer = await rewriteTables(name, url);
      if (folderOfServer !== null) expect(filesWith(folderOfServer, needles)).toEqual([]);
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
      for (const key of ["user_agents", "referrers", "campaigns", "locations"])
        await put(`privacy.keep_${key}`, "false");
      await visit("modes?utm_source=zq8source", "192.0.2.9", {
        "User-Agent": agentOf("zq8agent"),
        Referer: path,
      });
      await put("privacy.respect_signals", "true");
      await put("privacy.keep_user_agents", "true");
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
