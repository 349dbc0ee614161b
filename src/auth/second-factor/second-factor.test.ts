/** The second factor over HTTP on every database, with codes of an independent generator. */
import { beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { Database } from "../../platform/db/database.ts";
import { forEachDialect } from "../../platform/db/for-each-dialect.test-support.ts";
import { viewOfEvent } from "../../platform/events/event.ts";
import { COMMAND } from "../../lib/actor.ts";
import {
  ADMIN_PASSWORD,
  type ApiResponse,
  type AuthHarness,
  Browser,
  startAuth,
} from "../auth.test-support.ts";
import { codeAt } from "./totp.test-support.ts";

const TOTP = "/admin/v1/account/totp";
const LOGIN = "/admin/v1/auth/login";
const HOUR_MS = 3_600_000;

test("the generator of these tests has the codes of RFC 6238, appendix B", () => {
  const secret = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";
  expect([59, 1111111109, 20000000000].map((at) => codeAt(secret, at * 1000, 0, 8))).toEqual([
    "94287082",
    "07081804",
    "65353130",
  ]);
});

forEachDialect((dialect) => {
  let database: Database;
  let harness: AuthHarness;
  let name: string;
  let browser: Browser;
  let names = 0;

  beforeAll(async () => {
    database = await dialect.openDb();
    harness = await startAuth(database);
    await harness.auth.resetAdminPassword(ADMIN_PASSWORD, "test");
  });
  beforeEach(async () => {
    harness.time.now += HOUR_MS;
    name = `account${++names}`;
    const account = { username: name, password: ADMIN_PASSWORD, role: "editor", disabled: false } as const;
    await harness.auth.users.create(account);
    browser = new Browser(harness, `192.0.2.${names}`);
    await browser.login(ADMIN_PASSWORD, name);
  });

  const begin = (password = ADMIN_PASSWORD) => browser.send("POST", TOTP, { body: { password } });
  const now = () => harness.time.now;
  const later = () => (harness.time.now += 60_000);
  const fieldOf = ({ json }: ApiResponse) => (json as { details?: { field: string }[] }).details?.[0]?.field;

  async function enrol(): Promise<{ secret: string; codes: string[] }> {
    const secret = String((await begin()).json.data!["secret"]);
    const body = { code: codeAt(secret, now()) };
    const { json } = await browser.send("POST", `${TOTP}/confirm`, { body });
    later();
    return { secret, codes: json.data!["recovery_codes"] as string[] };
  }
  /** From a browser of its own. */
  const login = (proof: object, peer = "198.51.100.1", at = harness): Promise<ApiResponse> =>
    new Browser(at, peer).send("POST", LOGIN, {
      body: { username: name, password: ADMIN_PASSWORD, ...proof },
    });

  test("an app is set up with the password and confirmed by a code", async () => {
    expect((await begin("wrong password")).status).toBe(401);
    const begun = await begin();
    expect(begun.status).toBe(201);
    const { secret, uri } = begun.json.data as { secret: string; uri: string };
    expect(secret).toMatch(/^[A-Z2-7]{32}$/);
    expect(uri).toStartWith(`otpauth://totp/Waymark:${name}?`);
    expect(new URL(uri).searchParams.get("secret")).toBe(secret);
    expect((await login({})).status).toBe(200);

    const confirm = (code: string) => browser.send("POST", `${TOTP}/confirm`, { body: { code } });
    const wrong = await confirm(codeAt(secret, now(), 5));
    expect([wrong.status, fieldOf(wrong)]).toEqual([400, "code"]);
    later();
    const confirmed = await confirm(
      ` ${codeAt(secret, now(), -1).slice(0, 3)} ${codeAt(secret, now(), -1).slice(3)}`,
    );
    expect(confirmed.status).toBe(200);
    const codes = confirmed.json.data!["recovery_codes"] as string[];
    expect(new Set(codes).size).toBe(10);
    expect((await browser.send("GET", TOTP)).json.data).toEqual({
      enabled: true,
      enabled_at: new Date(now()).toISOString(),
      recovery_codes_left: 10,
    });
    expect([(await confirm(codeAt(secret, now()))).status, (await begin()).status]).toEqual([409, 409]);
    expect((await browser.send("GET", "/admin/v1/auth/me")).json.data).toMatchObject({ second_factor: "on" });
  });

  test("a sign-in without a code names the field, and takes each code once", async () => {
    const { secret } = await enrol();
    const demanded = await login({});
    expect([demanded.status, demanded.json.code, fieldOf(demanded)]).toEqual([401, 2000, "totp"]);
    expect((await login({ password: "wrong password", totp: codeAt(secret, now()) })).status).toBe(401);
    for (const steps of [-2, 2]) {
      expect(fieldOf(await login({ totp: codeAt(secret, now(), steps) }))).toBe("totp");
    }
    later();
    expect((await login({ totp: codeAt(secret, now(), -1) })).status).toBe(200);
    expect((await login({ totp: codeAt(secret, now()) })).status).toBe(200);
    later();
    // That of the step before was accepted as the next one then.
    expect((await login({ totp: codeAt(secret, now(), -2) })).status).toBe(401);
    expect((await login({ totp: codeAt(secret, now(), 1) })).status).toBe(200);
    expect((await login({ totp: codeAt(secret, now(), 1) })).status).toBe(401);
    expect((await login({ totp: codeAt(secret, now()) })).status).toBe(401);
  });

  test("of sign-ins with one code at the same time, through two processes, one passes", async () => {
    const { secret, codes } = await enrol();
    const other = await startAuth(database);
    other.time.now = now();
    for (const proof of [{ totp: codeAt(secret, now()) }, { recovery_code: codes[3]! }]) {
      const responses = await Promise.all(
        [1, 2, 3, 4].map((at) => login(proof, `203.0.113.${at}`, at % 2 === 0 ? other : harness)),
      );
      // 429: lost the race for the delay.
      const refused = expect.stringMatching(/^4(?:01|29)$/);
      const statuses = responses.map(({ status }) => String(status)).toSorted();
      expect(statuses).toEqual(["200", refused, refused, refused]);
      harness.time.now += HOUR_MS;
      other.time.now = now();
    }
  });

  test("a recovery code takes the place of a code once; new ones end the old ones", async () => {
    const { codes } = await enrol();
    const typed = codes[0]!.toUpperCase().replaceAll("-", " ");
    expect((await login({ recovery_code: typed })).status).toBe(200);
    const again = await login({ recovery_code: codes[0]! });
    expect([again.status, fieldOf(again)]).toEqual([401, "recovery_code"]);
    expect((await browser.send("GET", TOTP)).json.data).toMatchObject({ recovery_codes_left: 9 });
    const path = `${TOTP}/recovery-codes`;
    expect((await browser.send("POST", path, { body: { password: "wrong password" } })).status).toBe(401);
    const renewed = await browser.send("POST", path, { body: { password: ADMIN_PASSWORD } });
    const [fresh] = renewed.json.data!["recovery_codes"] as string[];
    expect((await login({ recovery_code: codes[1]! })).status).toBe(401);
    expect((await login({ recovery_code: fresh! })).status).toBe(200);
  });

  test("wrong codes wait longer and longer, whatever the password; a right one ends that", async () => {
    const { secret } = await enrol();
    const wrong = codeAt(secret, now(), 9);
    for (let turn = 0; turn < 5; turn++) {
      expect((await login({ totp: wrong }, `203.0.113.${turn}`)).status).toBe(401);
    }
    const refused = await login({ totp: codeAt(secret, now()) }, "203.0.113.9");
    expect([refused.status, refused.json.message]).toEqual([
      429,
      "Too many wrong codes for this account. Try again in 1 s.",
    ]);
    // The browser that is known has a delay of its own.
    expect((await browser.send("DELETE", TOTP, { body: { code: wrong } })).status).toBe(401);
    later();
    expect((await login({ totp: codeAt(secret, now()) })).status).toBe(200);
    later();
    expect((await login({ totp: wrong }, "203.0.113.8")).status).toBe(401);
    expect((await login({ totp: codeAt(secret, now()) }, "203.0.113.7")).status).toBe(200);
  });

  test("neither secret nor codes are stored as such or shown by events", async () => {
    const { secret, codes } = await enrol();
    await login({ recovery_code: codes[0]! });
    await login({ totp: codeAt(secret, now(), 7) });
    const { read } = database;
    const stored = JSON.stringify([
      await read.selectFrom("authenticators").selectAll().execute(),
      await read.selectFrom("recovery_codes").selectAll().execute(),
      await read.selectFrom("events").selectAll().execute(),
    ]);
    for (const text of [secret, ...codes]) expect(stored).not.toContain(text);
    const { events } = await harness.events.page({ subject: name }, null, 10);
    expect(
      events
        .map(viewOfEvent)
        .map(({ action, after }) => [
          action,
          (after as { signed_in_by?: string } | null)?.signed_in_by ?? "",
        ]),
    ).toEqual([
      ["sign_in.failure", ""],
      ["sign_in.success", "recovery_code"],
      ["totp.enable", ""],
      ["sign_in.success", ""],
      ["account.create", ""],
    ]);
  });

  test("is removed with the password or a code, by its account alone", async () => {
    const { secret } = await enrol();
    const remove = (body: object) => browser.send("DELETE", TOTP, { body });
    expect((await remove({})).status).toBe(400);
    expect((await remove({ password: "wrong password" })).status).toBe(401);
    expect((await remove({ code: codeAt(secret, now(), 5) })).status).toBe(401);
    later();
    expect((await remove({ code: codeAt(secret, now()) })).status).toBe(200);
    expect((await login({})).status).toBe(200);
    expect((await remove({ password: ADMIN_PASSWORD })).status).toBe(404);
    later();
    await enrol();
    expect((await remove({ password: ADMIN_PASSWORD })).status).toBe(200);
    expect((await login({})).status).toBe(200);
  });

  describe("locked out", () => {
    test("an administrator removes it, which ends the sessions", async () => {
      await enrol();
      const admin = new Browser(harness, "203.0.113.77");
      await admin.login(ADMIN_PASSWORD);
      const { id } = await harness.auth.users.getByUsername(name);
      const listed = await admin.send("GET", `/admin/v1/users?search=${name}`);
      expect(listed.json.data).toMatchObject([{ username: name, second_factor: true }]);
      const reset = () => admin.send("DELETE", `/admin/v1/users/${id}/second-factor`);
      expect((await reset()).status).toBe(200);
      expect(await browser.status()).toBe(401);
      expect((await login({})).status).toBe(200);
      expect((await reset()).status).toBe(404);
      expect((await admin.send("DELETE", "/admin/v1/users/0/second-factor")).status).toBe(403);
    });

    test("a deleted account leaves nothing", async () => {
      await enrol();
      const { id } = await harness.auth.users.getByUsername(name);
      await harness.auth.users.remove(id, COMMAND);
      for (const table of ["authenticators", "recovery_codes"] as const) {
        const rows = database.read.selectFrom(table).select("account_id").where("account_id", "=", id);
        expect(await rows.execute()).toEqual([]);
      }
    });
  });

  test("a role that needs it lets sessions set it up before anything else, and tokens go on", async () => {
    const { json } = await browser.send("POST", "/admin/v1/tokens", {
      body: { name: "t", scopes: ["files:read"] },
    });
    const bearer = { Authorization: `Bearer ${json.data!["token"]}` };
    const set = (roles: string) => harness.config.set("api.second_factor_roles", roles, "test");
    const me = async () => (await browser.send("GET", "/admin/v1/auth/me")).json.data!["second_factor"];
    await set("admin");
    expect([await browser.status(), await me()]).toEqual([200, "off"]);
    await set("editor");
    const refused = await browser.send("GET", "/admin/v1/probe/account");
    expect([refused.status, fieldOf(refused), await me()]).toEqual([403, "second_factor", "required"]);
    expect((await harness.request("GET", "/admin/v1/probe/account", { headers: bearer })).status).toBe(200);
    const { secret } = await enrol();
    expect([await browser.status(), await me()]).toEqual([200, "on"]);
    await browser.send("DELETE", TOTP, { body: { code: codeAt(secret, now()) } });
    expect(await browser.status()).toBe(403);
    await harness.config.reset("api.second_factor_roles", "test");
    expect(await browser.status()).toBe(200);
  });
});
