/** Sessions over HTTP on every database: sign-in, refresh, sign-out, and what ends a session. */
import { beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { Database } from "../platform/db/database.ts";
import { forEachDialect } from "../platform/db/for-each-dialect.test-support.ts";
import {
  ADMIN_PASSWORD,
  type ApiResponse,
  type AuthHarness,
  Browser,
  startAuth,
} from "./auth.test-support.ts";

const MINUTE = 60_000;
const DAY = 86_400_000;

forEachDialect((dialect) => {
  let database: Database;
  let harness: AuthHarness;
  let browser: Browser;

  beforeAll(async () => {
    database = await dialect.openDb();
    harness = await startAuth(database);
    await harness.auth.resetAdminPassword(ADMIN_PASSWORD, "test");
  });

  beforeEach(() => {
    // Every limit has recovered by then.
    harness.time.now += 2 * DAY;
    browser = new Browser(harness);
  });

  describe("signing in", () => {
    test("sets the three cookies of the session and returns lifetime and role", async () => {
      const response = await browser.login(ADMIN_PASSWORD);
      expect(response.status).toBe(200);
      expect(response.json).toEqual({
        code: 0,
        message: "OK",
        data: { message: "Signed in", expires_in: 900, role: "admin" },
      });
      expect(response.headers.getSetCookie().map((cookie) => cookie.replace(/=[^;]+/, "=…"))).toEqual([
        "svc_access=…; Path=/; Max-Age=900; HttpOnly; Secure; SameSite=Lax",
        "svc_refresh=…; Path=/admin/v1/auth; Max-Age=604800; HttpOnly; Secure; SameSite=Lax",
        "csrf_token=…; Path=/; Max-Age=604800; Secure; SameSite=Lax",
      ]);
      expect(response.text).not.toContain(browser.get("svc_access"));
      expect(await browser.status("admin")).toBe(200);
    });

    test("verify returns the remaining lifetime of the access token", async () => {
      await browser.login(ADMIN_PASSWORD);
      harness.time.now += 5 * MINUTE;
      const response = await browser.send("GET", "/admin/v1/auth/verify");
      expect(response.json.data).toEqual({ message: "Token is valid", expires_in: 600, role: "admin" });
    });

    test("follows the lifetimes and the cookie settings", async () => {
      await harness.config.set("api.access_token_minutes", "5", "test");
      await harness.config.set("api.cookie_domain", "example.com", "test");
      const response = await browser.login(ADMIN_PASSWORD);
      expect(response.json.data).toMatchObject({ expires_in: 300 });
      expect(response.headers.getSetCookie()[0]).toContain("; Domain=example.com; Max-Age=300;");
      await harness.config.reset("api.access_token_minutes", "test");
      await harness.config.reset("api.cookie_domain", "test");
    });

    test("the access token is also valid as bearer, without a CSRF proof", async () => {
      await browser.login(ADMIN_PASSWORD);
      const headers = { Authorization: `Bearer ${browser.get("svc_access")}` };
      expect((await harness.request("POST", "/admin/v1/probe/admin", { headers })).status).toBe(200);
    });
  });

  describe("refreshing", () => {
    beforeEach(() => browser.login(ADMIN_PASSWORD));

    test("replaces the refresh token and extends the session", async () => {
      const before = browser.get("svc_refresh");
      for (let days = 0; days < 10; days += 5) {
        harness.time.now += 5 * DAY;
        expect(await browser.status()).toBe(401);
        const response = await browser.refresh();
        expect(response.json.data).toEqual({ message: "Refreshed", expires_in: 900, role: "admin" });
        expect(await browser.status()).toBe(200);
      }
      expect(browser.get("svc_refresh")).not.toBe(before);
    });

    test("an unused session expires", async () => {
      harness.time.now += 7 * DAY;
      expect((await browser.refresh()).json).toMatchObject({ code: 2002, error: "TokenInvalid" });
    });

    test("two tabs that refresh at once both stay signed in", async () => {
      const tab = browser.copy();
      const [first, second] = await Promise.all([browser.refresh(), tab.refresh()]);
      expect([first.status, second.status]).toEqual([200, 200]);
      expect([await browser.status(), await tab.status()]).toEqual([200, 200]);
      harness.time.now += MINUTE;
      expect((await tab.refresh()).status).toBe(200);
    });

    test("a refresh with the replaced token within ten seconds does not break the new pair", async () => {
      const late = browser.copy();
      await browser.refresh();
      harness.time.now += 10_000;
      expect((await late.refresh()).status).toBe(200);
      harness.time.now += MINUTE;
      expect((await browser.refresh()).status).toBe(200);
    });

    test("a later use of the replaced token ends the session for both holders", async () => {
      const thief = browser.copy();
      await browser.refresh();
      harness.time.now += 10_001;
      expect((await thief.refresh()).json).toMatchObject({ code: 2002 });
      expect(await browser.status()).toBe(401);
      expect((await browser.refresh()).json).toMatchObject({ code: 2002 });
    });

    test("a token two rotations old is refused at once", async () => {
      const thief = browser.copy();
      await browser.refresh();
      await browser.refresh();
      expect((await thief.refresh()).status).toBe(401);
      expect(await browser.status()).toBe(401);
    });

    test("is limited per session, beyond what two tabs need", async () => {
      const tab = browser.copy();
      for (let minute = 0; minute < 30; minute++) {
        const responses = await Promise.all([browser.refresh(), tab.refresh()]);
        expect(responses.map(({ status }) => status)).toEqual([200, 200]);
        tab.cookies.set("svc_refresh", browser.get("svc_refresh"));
        harness.time.now += MINUTE;
      }
      const statuses: number[] = [];
      for (let n = 0; n < 20; n++) statuses.push((await browser.refresh()).status);
      expect(new Set(statuses)).toEqual(new Set([200]));
      const refused = await browser.refresh();
      expect(refused.json).toMatchObject({ code: 2004, error: "RateLimitExceeded" });
      expect([refused.status, refused.headers.get("Retry-After")]).toEqual([429, "1"]);
      expect(await browser.status()).toBe(200);
      const other = new Browser(harness);
      await other.login(ADMIN_PASSWORD);
      expect((await other.refresh()).status).toBe(200);
      harness.time.now += 1000;
      expect((await browser.refresh()).status).toBe(200);
    });

    test("without a valid token is limited per address, without effect on sessions there", async () => {
      const junk = () =>
        harness.request("POST", "/admin/v1/auth/refresh", { headers: { Cookie: "svc_refresh=junk" } });
      const statuses: number[] = [];
      for (let n = 0; n < 21; n++) statuses.push((await junk()).status);
      expect(statuses).toEqual([...Array<number>(20).fill(401), 429]);
      expect((await browser.refresh()).status).toBe(200);
    });

    test("ignores a stale second cookie of the same name", async () => {
      const stale = browser.get("svc_refresh");
      await browser.refresh();
      harness.time.now += MINUTE;
      const cookies = `svc_refresh=junk; svc_refresh=${stale}; svc_refresh=${browser.get("svc_refresh")}`;
      const response = await harness.request("POST", "/admin/v1/auth/refresh", {
        headers: { Cookie: cookies },
      });
      expect(response.status).toBe(200);
      expect(await browser.status()).toBe(200);
    });

    test.each(["", "svc_refresh=", "svc_refresh=a.b.c", "svc_access=x"])("refuses %p", async (cookies) => {
      const response = await harness.request("POST", "/admin/v1/auth/refresh", {
        headers: { Cookie: cookies },
      });
      expect(response.status).toBe(401);
      expect(response.json).toMatchObject({ code: 2002, error: "TokenInvalid" });
      expect(response.headers.getSetCookie()).toEqual([]);
    });
  });

  describe("signing out", () => {
    test("clears the cookies and ends the session, so a copied access token is refused", async () => {
      await browser.login(ADMIN_PASSWORD);
      const kept = browser.copy();
      const response = await browser.send("POST", "/admin/v1/auth/logout");
      expect(response.json.data).toEqual({ message: "Signed out" });
      expect([...browser.cookies.keys()]).toEqual([]);
      expect(await kept.status()).toBe(401);
      expect((await kept.refresh()).json).toMatchObject({ code: 2002 });
    });

    test("everywhere ends all sessions of the account and of no other, on other processes too", async () => {
      const password = "password of otto";
      await harness.auth.users.create({ username: "otto", password, role: "user", disabled: false });
      const [mine, elsewhere, others] = [browser, new Browser(harness), new Browser(harness)];
      for (const one of [mine, elsewhere]) await one.login(password, "otto");
      await others.login(ADMIN_PASSWORD);
      const node = await startAuth(database);
      node.time.now = harness.time.now;
      const stolen = mine.copy();
      expect((await mine.send("POST", "/admin/v1/auth/logout?sessions=all")).status).toBe(200);
      expect([...mine.cookies.keys()]).toEqual([]);
      expect([await elsewhere.status(), await stolen.status(), await others.status()]).toEqual([
        401, 401, 200,
      ]);
      const access = elsewhere.get("svc_access");
      const headers = { Authorization: `Bearer ${access}` };
      expect((await node.request("GET", "/admin/v1/probe/account", { headers })).status).toBe(401);
      // An ended session ends no others.
      await mine.login(password, "otto");
      await stolen.send("POST", "/admin/v1/auth/logout?sessions=all");
      expect(await mine.status()).toBe(200);
      expect((await mine.send("POST", "/admin/v1/auth/logout?sessions=some")).status).toBe(400);
    });

    test("works with an expired access token and without a session", async () => {
      await browser.login(ADMIN_PASSWORD);
      harness.time.now += 20 * MINUTE;
      const kept = browser.copy();
      expect((await browser.send("POST", "/admin/v1/auth/logout")).status).toBe(200);
      expect((await kept.refresh()).status).toBe(401);
      expect((await browser.send("POST", "/admin/v1/auth/logout")).status).toBe(200);
    });

    test("clears the cookies of an ended session, and nothing without cookies", async () => {
      const logout = (cookies: string) =>
        harness.request("POST", "/admin/v1/auth/logout", { headers: { Cookie: cookies } });
      for (const cookies of ["", "csrf_token=x; waymark_device=y; other=z"]) {
        const response = await logout(cookies);
        expect([response.status, response.headers.getSetCookie()]).toEqual([200, []]);
      }
      await browser.login(ADMIN_PASSWORD);
      const held = browser.copy();
      await browser.send("POST", "/admin/v1/auth/logout");
      expect((await held.send("POST", "/admin/v1/auth/logout")).status).toBe(200);
      expect([...held.cookies.keys()]).toEqual([]);
    });

    test("ends only this session", async () => {
      const other = new Browser(harness);
      await browser.login(ADMIN_PASSWORD);
      await other.login(ADMIN_PASSWORD);
      await browser.send("POST", "/admin/v1/auth/logout");
      expect(await other.status()).toBe(200);
    });
  });

  describe("the device cookie", () => {
    const set = ({ headers }: ApiResponse) => headers.getSetCookie().map((cookie) => cookie.split("=")[0]);
    const FIXED = ["svc_access", "svc_refresh", "csrf_token"];
    const DEVICE = ["waymark_device"];

    test("is never set by login, refresh, logout or a password change", async () => {
      const body = { current_password: ADMIN_PASSWORD, new_password: ADMIN_PASSWORD };
      for (let round = 0; round < 2; round++) {
        expect(set(await browser.login(ADMIN_PASSWORD))).toEqual(FIXED);
        expect(set(await browser.refresh())).toEqual(FIXED);
        expect(set(await browser.send("PUT", "/admin/v1/auth/password", { body }))).toEqual(FIXED);
        if (round === 0) expect(set(await browser.send("GET", "/admin/v1/auth/me"))).toEqual(DEVICE);
        expect(set(await browser.send("POST", "/admin/v1/auth/logout"))).toEqual(FIXED);
        harness.time.now += MINUTE;
      }
      expect([...browser.cookies.keys()]).toEqual(DEVICE);
    });

    test.each(["me", "verify"])(
      "is set by %s unless the browser has a valid one of the account",
      async (name) => {
        const path = `/admin/v1/auth/${name}`;
        await browser.login(ADMIN_PASSWORD);
        const headers = { Authorization: `Bearer ${browser.get("svc_access")}` };
        expect(set(await harness.request("GET", path, { headers }))).toEqual([]);
        const first = await browser.send("GET", path);
        expect(first.headers.getSetCookie().map((cookie) => cookie.replace(/=[^;]+/, "=…"))).toEqual([
          "waymark_device=…; Path=/admin/v1/auth; Max-Age=31536000; HttpOnly; Secure; SameSite=Lax",
        ]);
        expect(set(await browser.send("GET", path))).toEqual([]);
        const password = "password of a user";
        const username = `device-${name}`;
        await harness.auth.users.create({ username, password, role: "user", disabled: false });
        await browser.login(password, username);
        expect(set(await browser.send("GET", path))).toEqual(DEVICE);
        expect(set(await browser.send("GET", path))).toEqual([]);
        for (const value of ["junk", browser.get("svc_refresh")]) {
          browser.cookies.set("waymark_device", value);
          expect(set(await browser.send("GET", path))).toEqual(DEVICE);
        }
      },
    );
  });

  describe("sessions end", () => {
    beforeEach(() => browser.login(ADMIN_PASSWORD));

    test("when the account changes its password, except the new session", async () => {
      const other = browser.copy();
      const old = browser.get("svc_access");
      const response = await browser.send("PUT", "/admin/v1/auth/password", {
        body: { current_password: ADMIN_PASSWORD, new_password: "another fine password" },
      });
      expect(response.json.data).toEqual({ message: "Password changed", expires_in: 900, role: "admin" });
      expect(await browser.status()).toBe(200);
      expect(await other.status()).toBe(401);
      expect(browser.get("svc_access")).not.toBe(old);
      harness.time.now += MINUTE;
      expect((await new Browser(harness).login(ADMIN_PASSWORD)).status).toBe(401);
      expect((await new Browser(harness).login("another fine password")).status).toBe(200);
      await harness.auth.resetAdminPassword(ADMIN_PASSWORD, "test");
    });

    test("when the administrator's password is reset", async () => {
      expect(await browser.status()).toBe(200);
      await harness.auth.resetAdminPassword(ADMIN_PASSWORD, "test");
      expect(await browser.status()).toBe(401);
      expect((await browser.refresh()).status).toBe(401);
    });

    test("when the signing secret changes", async () => {
      expect(await browser.status()).toBe(200);
      await harness.config.runActionAndSave("api.jwt_secret", "generate_token", "test");
      expect(await browser.status()).toBe(401);
      expect((await browser.refresh()).status).toBe(401);
      await browser.login(ADMIN_PASSWORD);
      expect(await browser.status()).toBe(200);
    });
  });

  test("a login that checks the old password during a change gets no session", async () => {
    const slow = Promise.withResolvers<void>();
    const reached = Promise.withResolvers<void>();
    const second = await startAuth(await dialect.openDb(), {
      passwords: {
        hashPassword: () => Promise.reject(new Error("not used")),
        verifyPassword: async () => {
          reached.resolve();
          await slow.promise;
          return true;
        },
        refuseWhenFull: () => {},
      },
    });
    const login = new Browser(second).login(ADMIN_PASSWORD);
    await reached.promise;
    await harness.auth.resetAdminPassword("the password after", "test");
    slow.resolve();
    expect((await login).json).toMatchObject({ code: 2000 });
    await harness.auth.resetAdminPassword(ADMIN_PASSWORD, "test");
  });

  test("a session that another process ends is refused here", async () => {
    await browser.login(ADMIN_PASSWORD);
    expect(await browser.status()).toBe(200);
    const other = await startAuth(await dialect.openDb());
    other.time.now = harness.time.now;
    await harness.changes.poll();
    await new Browser(other).send("POST", "/admin/v1/auth/logout", {
      headers: { Cookie: `svc_refresh=${browser.get("svc_refresh")}` },
    });
    await harness.changes.poll();
    expect(await browser.status()).toBe(401);
  });

  test("ended sessions are removed after a day", async () => {
    await harness.auth.cleanUp();
    const ended = new Browser(harness);
    await browser.login(ADMIN_PASSWORD);
    await ended.login(ADMIN_PASSWORD);
    await ended.send("POST", "/admin/v1/auth/logout");
    expect(await harness.auth.cleanUp()).toBe(0);
    harness.time.now += DAY + 1;
    expect(await harness.auth.cleanUp()).toBe(1);
    expect((await browser.refresh()).status).toBe(200);
  });
});
