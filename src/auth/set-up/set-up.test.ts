/** The set-up by its one-time address on every database: what it writes, and what ends the address. */
import { beforeAll, beforeEach, expect, test } from "bun:test";
import type { Database } from "../../platform/db/database.ts";
import { forEachDialect } from "../../platform/db/for-each-dialect.test-support.ts";
import {
  ADMIN_PASSWORD,
  type ApiResponse,
  type AuthHarness,
  Browser,
  startAuth,
} from "../auth.test-support.ts";

const HOUR = 3_600_000;
const CHOICE = {
  password: ADMIN_PASSWORD,
  public_url: "",
  click_details: false,
  click_addresses: true,
  link_passwords: true,
};

forEachDialect((dialect) => {
  let database: Database;
  let harness: AuthHarness;
  let peers = 0;

  beforeAll(async () => {
    database = await dialect.openDb();
    harness = await startAuth(database);
  });

  beforeEach(async () => {
    harness.time.now += 2 * HOUR;
    await database.write.deleteFrom("settings").where("key", "=", "api.admin_token").execute();
    await harness.config.reload();
  });

  const open = async (): Promise<string> => (await harness.auth.openSetUp())!;
  /** From an address without earlier attempts. */
  const ask = (path: string, body: object, on = harness): Promise<ApiResponse> =>
    on.request("POST", `/panel/v1/set-up${path}`, { body, peer: `2001:db8:${(++peers).toString(16)}::1` });
  const complete = (secret: string, more: object = {}, on = harness) =>
    ask("", { ...CHOICE, ...more, secret }, on);
  const isValid = async (secret: string) => (await ask("/check", { secret })).status === 200;
  const rows = () =>
    database.read.selectFrom("login_failures").selectAll().where("account", "like", "set-up %").execute();

  test("sets the password and the settings, signs in and records who did it", async () => {
    const secret = await open();
    expect(secret).toMatch(/^[\w-]{22}$/);
    expect((await ask("/check", { secret })).json.data).toEqual({
      expires_at: new Date(harness.time.now + HOUR).toISOString(),
      public_url: "",
      click_details: false,
      click_addresses: true,
    });
    const more = { public_url: "https://go.example.com", click_details: true, click_addresses: false };
    const response = await complete(secret, more);
    expect(response.json.data).toEqual({ message: "Signed in", expires_in: 900, role: "admin" });
    const cookies = response.headers.getSetCookie().map((cookie) => cookie.split(";")[0]!);
    const probe = await harness.request("GET", "/admin/v1/probe/admin", {
      headers: { Cookie: cookies.join("; ") },
    });
    expect(probe.status).toBe(200);
    expect((await new Browser(harness).login(ADMIN_PASSWORD)).status).toBe(200);
    expect(harness.config.get("features.public_url")).toBe("https://go.example.com");
    expect(harness.config.get("analytics.enable_ip_logging")).toBe(false);
    // In force from the next start on.
    expect(harness.config.getOne("analytics.enable_detailed_logging")).toMatchObject({
      pendingValue: "true",
    });
    const events = await database.read.selectFrom("events").selectAll().execute();
    const said = events.map(({ action, subject, actor, via }) => [action, subject, actor, via].join(" "));
    expect(said).toContain("setting.update api.admin_token admin panel");
    expect(said).toContain("sign_in.success admin admin panel");
    expect(JSON.stringify([events, await rows()])).not.toContain(secret);
    for (const key of [
      "features.public_url",
      "analytics.enable_detailed_logging",
      "analytics.enable_ip_logging",
    ])
      await harness.config.reset(key, "test");
  });

  test("an address works once, and not after an hour", async () => {
    const late = await open();
    harness.time.now += HOUR - 1;
    expect(await isValid(late)).toBe(true);
    const secret = await open();
    harness.time.now += 1;
    expect((await complete(late)).status).toBe(404);
    expect((await complete(secret)).status).toBe(200);
    const again = await complete(secret, { password: "another password" });
    expect([again.status, again.json.message]).toEqual([404, "A password is set already. Sign in."]);
    expect(await harness.auth.openSetUp()).toBeNull();
    expect((await new Browser(harness).login(ADMIN_PASSWORD)).status).toBe(200);
  });

  test("of two at once, on processes that know of no password, one wins", async () => {
    const [mine, theirs] = [await open(), await open()];
    const other = await startAuth(database);
    other.time.now = harness.time.now;
    const passwords = ["password of one", "password of two", "password of three"];
    const responses = await Promise.all([
      complete(mine, { password: passwords[0] }),
      complete(mine, { password: passwords[1] }, other),
      complete(theirs, { password: passwords[2] }, other),
    ]);
    const won = responses.findIndex(({ status }) => status === 200);
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(1);
    for (const { status } of responses.filter((_, at) => at !== won)) expect([404, 409]).toContain(status);
    expect(await rows()).toEqual([]);
    await harness.config.reload();
    expect((await new Browser(harness).login(passwords[won]!)).status).toBe(200);
  });

  test("wrong tries of strangers end no address", async () => {
    const secret = await open();
    for (let tries = 1; tries <= 20; tries++) expect(await isValid(`wrong ${tries}`)).toBe(false);
    expect((await complete("wrong")).status).toBe(404);
    expect((await complete(secret)).status).toBe(200);
  });

  test("reset-password in another process ends it before that is noticed", async () => {
    const secret = await open();
    const other = await startAuth(database);
    await other.auth.resetAdminPassword("password of the command", "cli");
    expect(harness.config.get("api.admin_token")).toBe("");
    expect((await complete(secret)).status).toBe(404);
    await harness.config.reload();
    expect((await new Browser(harness).login("password of the command")).status).toBe(200);
  });

  test("a password that was set without ending it stays", async () => {
    const secret = await open();
    const other = await startAuth(database);
    await other.config.setAdminPasswordHash(`$argon2id$v=19$m=19456,t=2,p=1$${"a".repeat(20)}$b`, "cli");
    expect((await complete(secret)).status).toBe(409);
    expect(await isValid(secret)).toBe(true);
    await harness.config.reload();
    expect(await isValid(secret)).toBe(false);
  });

  test("sixteen starts keep their addresses, the oldest goes first", async () => {
    const secrets: string[] = [];
    for (let start = 0; start < 17; start++) {
      harness.time.now += 1;
      secrets.push(await open());
    }
    expect(await rows()).toHaveLength(16);
    expect([await isValid(secrets[0]!), await isValid(secrets[1]!)]).toEqual([false, true]);
  });

  test("what is refused uses nothing up and names the field", async () => {
    const secret = await open();
    const refused = async (more: object) => (await complete(secret, more)).json;
    expect(await refused({ password: "short" })).toMatchObject({ details: [{ field: "password" }] });
    expect(await refused({ public_url: "no address" })).toMatchObject({ details: [{ field: "public_url" }] });
    expect(await refused({ click_details: "yes" })).toMatchObject({ details: [{ field: "click_details" }] });
    const body = { ...CHOICE, secret };
    const foreign = { "Sec-Fetch-Site": "cross-site", Origin: "https://evil.example" };
    const form = { "Content-Type": "text/plain" };
    for (const [headers, status] of [
      [foreign, 403],
      [form, 400],
    ] as const) {
      expect((await harness.request("POST", "/panel/v1/set-up", { body, headers })).status).toBe(status);
    }
    expect(harness.config.get("api.admin_token")).toBe("");
    expect(await isValid(secret)).toBe(true);
  });

  test("an address of the network has five tries at once", async () => {
    const peer = "203.0.113.9";
    const statuses: number[] = [];
    for (let tries = 0; tries < 6; tries++) {
      const response = await harness.request("POST", "/panel/v1/set-up/check", {
        body: { secret: "x" },
        peer,
      });
      statuses.push(response.status);
    }
    expect(statuses).toEqual([404, 404, 404, 404, 404, 429]);
  });
});
