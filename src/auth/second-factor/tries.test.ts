/** Codes are counted by account, over sessions and processes, on every database; browsers that gave one count apart. */
import { beforeAll, beforeEach, expect, test } from "bun:test";
import type { Database } from "../../platform/db/database.ts";
import { forEachDialect } from "../../platform/db/for-each-dialect.test-support.ts";
import type { Account } from "../account.ts";
import {
  ADMIN_PASSWORD,
  type ApiResponse,
  type AuthHarness,
  Browser,
  startAuth,
} from "../auth.test-support.ts";
import { accountWith, SECRET, sessionOf } from "./factors.test-support.ts";
import { codeAt } from "./totp.test-support.ts";

const ACCOUNT = "/admin/v1/account";
const LOGIN = "/admin/v1/auth/login";
const TOO_MANY = "Too many wrong codes for this account. Try again in 1 s.";

forEachDialect((dialect) => {
  let database: Database;
  let harness: AuthHarness;
  let other: AuthHarness;
  let account: Account;
  let peers = 0;

  beforeAll(async () => {
    database = await dialect.openDb();
    harness = await startAuth(database);
    await harness.auth.resetAdminPassword(ADMIN_PASSWORD, "test");
    other = await startAuth(database);
  });
  beforeEach(async () => {
    harness.time.now += 3_600_000;
    other.time.now = harness.time.now;
    account = await accountWith(database, harness, { app: true });
  });

  const peer = () => `2001:db8:${(++peers).toString(16)}::1`;
  const wrong = () => codeAt(SECRET, harness.time.now, 9);
  const right = () => codeAt(SECRET, harness.time.now);
  const send = (at: AuthHarness, token: string, route: string, body: object): Promise<ApiResponse> => {
    const [method, path] = route.split(" ") as [string, string];
    const headers = { Authorization: `Bearer ${token}` };
    return at.request(method, path, { body, headers, peer: peer() });
  };
  const logIn = (at: AuthHarness, proof: object) => {
    const body = { username: account.username, password: ADMIN_PASSWORD, ...proof };
    return at.request("POST", LOGIN, { body, peer: peer() });
  };
  const fresh = () => sessionOf(harness, account, "oidc");

  /** Each from a session of its own. */
  const WAYS: ((at: AuthHarness, code: string) => Promise<ApiResponse>)[] = [
    (at, totp) => logIn(at, { totp }),
    (at, code) => logIn(at, { recovery_code: code }),
    async (at, totp) => send(at, await fresh(), `POST ${ACCOUNT}/second-factor`, { totp }),
    async (at, code) => send(at, await fresh(), `POST ${ACCOUNT}/second-factor`, { recovery_code: code }),
    async (at, totp) =>
      send(at, await fresh(), `POST ${ACCOUNT}/totp/recovery-codes`, { password: ADMIN_PASSWORD, totp }),
    async (at, code) => send(at, await fresh(), `DELETE ${ACCOUNT}/totp`, { code }),
    async (at, totp) =>
      send(at, await fresh(), "PUT /admin/v1/auth/password", {
        current_password: ADMIN_PASSWORD,
        new_password: "another password",
        totp,
      }),
  ];

  test("five wrong ones in any way make all others wait", async () => {
    for (const [nth, way] of WAYS.slice(0, 5).entries()) {
      const { status } = await way(nth % 2 === 0 ? harness : other, wrong());
      expect([nth, status]).toEqual([nth, 401]);
    }
    for (const [nth, way] of WAYS.entries()) {
      const { status, json } = await way(nth % 2 === 0 ? harness : other, right());
      expect([nth, status, json.message]).toEqual([nth, 429, TOO_MANY]);
    }
    harness.time.now += 1_000;
    expect((await logIn(harness, { totp: right() })).status).toBe(200);
  });

  test("first codes of an app that is set up are counted so too", async () => {
    account = await accountWith(database, harness, {});
    const begins = await sessionOf(harness, account, "password");
    const begun = await send(harness, begins, `POST ${ACCOUNT}/totp`, { password: ADMIN_PASSWORD });
    const secret = String(begun.json.data!["secret"]);
    const confirm = (at: AuthHarness, token: string, code: string) =>
      send(at, token, `POST ${ACCOUNT}/totp/confirm`, { code });
    for (let nth = 0; nth < 5; nth++) {
      const { status } = await confirm(nth % 2 === 0 ? harness : other, await fresh(), wrong());
      expect([nth, status]).toEqual([nth, 400]);
    }
    expect((await confirm(other, begins, codeAt(secret, harness.time.now))).json.message).toBe(TOO_MANY);
    other.time.now += 1_000;
    expect((await confirm(other, begins, codeAt(secret, harness.time.now))).status).toBe(200);
  });

  async function flood(): Promise<void> {
    other.time.now = harness.time.now;
    for (let nth = 0; nth < 5; nth++) await logIn(other, { totp: wrong() });
    expect((await logIn(harness, { totp: right() })).status).toBe(429);
  }
  async function known(totp: string): Promise<Browser> {
    const browser = new Browser(harness, peer());
    const body = { username: account.username, password: ADMIN_PASSWORD, totp };
    expect((await browser.send("POST", LOGIN, { body })).status).toBe(200);
    await browser.send("GET", "/admin/v1/auth/me");
    return browser;
  }

  test("a browser that gave one before is not locked out by others, nor are its later sessions", async () => {
    const browser = await known(codeAt(SECRET, harness.time.now, -1));
    await browser.send("POST", "/admin/v1/auth/logout");
    await flood();
    const body = { username: account.username, password: ADMIN_PASSWORD, totp: right() };
    expect((await browser.send("POST", LOGIN, { body })).status).toBe(200);
    // A sign-in by OpenID Connect in that browser.
    const { data } = (await browser.send("GET", `${ACCOUNT}/sessions`)).json;
    const [{ id }] = data as unknown as [{ id: string }];
    const later = await sessionOf(harness, account, "oidc", id);
    harness.time.now += 60_000;
    await flood();
    const confirmed = await send(harness, later, `POST ${ACCOUNT}/second-factor`, { totp: right() });
    expect(confirmed.status).toBe(200);
  });

  test("a browser that is known by a session without a code has no tries of its own", async () => {
    const browser = new Browser(harness, peer());
    browser.cookies.set("svc_access", await fresh());
    await browser.send("GET", "/admin/v1/auth/me");
    browser.get("waymark_device");
    browser.cookies.delete("svc_access");
    await flood();
    const body = { username: account.username, password: ADMIN_PASSWORD, totp: right() };
    expect((await browser.send("POST", LOGIN, { body })).status).toBe(429);
    harness.time.now += 1_000;
    // Once it has given one, it counts apart.
    expect((await browser.send("POST", LOGIN, { body })).status).toBe(200);
    const before = browser.get("waymark_device");
    await browser.send("GET", "/admin/v1/auth/me");
    expect(browser.get("waymark_device")).not.toBe(before);
    await browser.send("POST", "/admin/v1/auth/logout");
    harness.time.now += 60_000;
    await flood();
    const again = { ...body, totp: right() };
    expect((await browser.send("POST", LOGIN, { body: again })).status).toBe(200);
  });
});
