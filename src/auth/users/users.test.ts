/** Accounts over HTTP, on every database. */
import { beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { forEachDialect } from "../../platform/db/for-each-dialect.test-support.ts";
import {
  ADMIN_PASSWORD,
  type ApiResponse,
  type AuthHarness,
  Browser,
  startAuth,
} from "../auth.test-support.ts";

const USERS = "/admin/v1/users";
const PASSWORD = "a password of eight and more";

const expectRefused = (response: ApiResponse, status: number, code: number) =>
  expect([response.status, response.json.code]).toEqual([status, code]);

forEachDialect((dialect) => {
  let harness: AuthHarness;
  let admin: Browser;
  let created = 0;

  const create = async (fields: Record<string, unknown> = {}) => {
    const username = `user-${++created}`;
    const response = await admin.send("POST", USERS, { body: { username, password: PASSWORD, ...fields } });
    return { username, id: Number(response.json.data?.["id"]), response };
  };
  const signedIn = async () => {
    const { username, id } = await create();
    const browser = new Browser(harness, `198.51.100.${created % 250}`);
    await browser.login(PASSWORD, username);
    const patch = (body: unknown) => admin.send("PATCH", `${USERS}/${id}`, { body });
    return { username, id, browser, patch };
  };

  beforeAll(async () => {
    harness = await startAuth(await dialect.openDb());
    await harness.auth.resetAdminPassword(ADMIN_PASSWORD, "test");
    admin = new Browser(harness, "192.0.2.200");
  });

  beforeEach(async () => {
    harness.time.now += 60_000;
    await admin.login(ADMIN_PASSWORD);
  });

  describe("creating", () => {
    test("responds with 201 and the account and never with a password", async () => {
      const { response, username, id } = await create({ username: "Anna.B@example-1.com" });
      expect(username).toBeDefined();
      expect(response.status).toBe(201);
      const created_at = new Date(harness.time.now).toISOString();
      expect(response.json.data).toEqual({
        id,
        username: "anna.b@example-1.com",
        display_name: null,
        role: "user",
        disabled: false,
        quota_bytes: 0,
        email: null,
        email_verified: false,
        language: "en",
        created_at,
        updated_at: created_at,
      });
      expect((await admin.send("GET", `${USERS}/${id}`)).json.data).toEqual(response.json.data!);
      expect((await admin.send("GET", `${USERS}/${id}`)).text).not.toContain("argon2");
    });

    test("a display name has any script, is found, and stays when it is not sent", async () => {
      const { id, response, username } = await create({ display_name: "Mía Ünal 美亜" });
      expect(response.json.data).toMatchObject({ display_name: "Mía Ünal 美亜" });
      const listed = await admin.send("GET", `${USERS}?search=${encodeURIComponent("ünal")}`);
      expect(listed.json.data).toMatchObject([{ username, display_name: "Mía Ünal 美亜" }]);
      const change = (body: object) => admin.send("PATCH", `${USERS}/${id}`, { body });
      expect((await change({ role: "editor" })).json.data).toMatchObject({ display_name: "Mía Ünal 美亜" });
      for (const name of ["", " Mia", "Mi\u202ea", "Mi\na", "x".repeat(101)])
        expectRefused(await change({ display_name: name }), 400, 1000);
      expect((await change({ display_name: null })).json.data).toMatchObject({ display_name: null });
    });

    test("people are called by their display names, the built-in administrator too", async () => {
      const rename = (browser: Browser, name: string | null) =>
        browser.send("PATCH", "/admin/v1/auth/me", { body: { display_name: name } });
      const { username, browser } = await signedIn();
      expect((await rename(browser, "Mia")).status).toBe(200);
      expect((await rename(admin, "The Press Team")).status).toBe(200);
      const named = async (names: string) =>
        (await browser.send("GET", `/admin/v1/people?names=${names}`)).json.data;
      expect(await named(`${username},admin,nobody`)).toEqual([
        { username, display_name: "Mia" },
        { username: "admin", display_name: "The Press Team" },
      ] as never);
      expect((await admin.send("GET", "/admin/v1/auth/me")).json.data).toMatchObject({
        display_name: "The Press Team",
      });
      await rename(admin, null);
      expect(await named("admin")).toEqual([] as never);
      // Only who chooses members may search.
      expectRefused(await browser.send("GET", "/admin/v1/people?search=mia"), 403, 1003);
      expect((await admin.send("GET", "/admin/v1/people?search=mia")).json.data).toEqual([
        { username, display_name: "Mia" },
      ] as never);
    });

    test("a username is taken in upper or lower case, and admin always", async () => {
      const { username } = await create();
      expectRefused((await create({ username: username.toUpperCase() })).response, 409, 1009);
      expectRefused((await create({ username: "admin" })).response, 409, 1009);
      expectRefused((await create({ username: "ADMIN" })).response, 409, 1009);
    });

    test.each([
      { username: "" },
      { username: "a b" },
      { username: "a\0b" },
      { username: "admin\0" },
      { username: "ä" },
      { username: "a/b" },
      { username: "a\r\nb" },
      { username: "x".repeat(65) },
      { username: 5 },
      { username: null },
      { password: "seven77" },
      { password: "x".repeat(1025) },
      { password: "ä".repeat(513) },
      { password: "half \ud800 character" },
      { password: null },
      { role: "root" },
      { disabled: "yes" },
      { quota_bytes: -1 },
      { quota_bytes: 1.5 },
      { quota_bytes: null },
    ])("refuses the wrong field %# and creates nothing", async (fields) => {
      const before = (await admin.send("GET", USERS)).json.pagination?.["total"];
      expectRefused((await create(fields)).response, 400, 1000);
      expect((await admin.send("GET", USERS)).json.pagination?.["total"]).toBe(before!);
    });

    test("accepts the longest name and password", async () => {
      const username = "x".repeat(64);
      const password = "ä".repeat(512);
      await create({ username, password });
      expect((await new Browser(harness).login(password, username)).status).toBe(200);
    });

    test("one of several parallel requests with the same name succeeds", async () => {
      const responses = await Promise.all(["race", "RACE", "Race"].map((username) => create({ username })));
      expect(responses.map(({ response }) => response.status).sort()).toEqual([201, 409, 409]);
    });
  });

  describe("an account", () => {
    test("signs in with its name in any case and reads itself", async () => {
      const { username, id } = await create();
      const browser = new Browser(harness);
      const login = await browser.login(PASSWORD, username.toUpperCase());
      expect(login.json.data).toEqual({ message: "Signed in", expires_in: 900, role: "user" });
      const me = (await browser.send("GET", "/admin/v1/auth/me")).json.data;
      expect(me).toMatchObject({ id, username, role: "user", disabled: false });
      expect((await browser.send("GET", USERS)).status).toBe(403);
      expect((await browser.send("PATCH", `${USERS}/${id}`, { body: { role: "admin" } })).status).toBe(403);
    });

    test("changes its password with the current one only", async () => {
      const { username } = await create();
      const browser = new Browser(harness);
      const other = new Browser(harness, "192.0.2.77");
      await browser.login(PASSWORD, username);
      await other.login(PASSWORD, username);
      const change = (current_password: string, new_password: string) =>
        browser.send("PUT", "/admin/v1/auth/password", { body: { current_password, new_password } });
      expectRefused(await change("not the current one", "a new password"), 401, 2000);
      expectRefused(await change(PASSWORD, "short"), 400, 1000);
      expect(await other.status()).toBe(200);
      expect((await change(PASSWORD, "a new password")).status).toBe(200);
      expect([await browser.status(), await other.status()]).toEqual([200, 401]);
      expect((await other.login(PASSWORD, username)).status).toBe(401);
      expect((await other.login("a new password", username)).status).toBe(200);
    });

    test("with the role admin has the rights of the built-in administrator", async () => {
      const { username } = await create({ role: "admin" });
      const browser = new Browser(harness);
      await browser.login(PASSWORD, username);
      expect((await browser.send("GET", USERS)).status).toBe(200);
    });
  });

  describe("changing", () => {
    test.each([{ password: "another password" }, { role: "admin" }, { disabled: true }])(
      "%p ends the account's sessions at once",
      async (change) => {
        const { browser, patch } = await signedIn();
        expect(await browser.status()).toBe(200);
        expect((await patch(change)).status).toBe(200);
        expect(await browser.status()).toBe(401);
        expectRefused(await browser.refresh(), 401, 2002);
        expect(await admin.status("admin")).toBe(200);
      },
    );

    test.each([{}, { role: "user" }, { disabled: false }, { username: "renamed" }])(
      "%p keeps the account's sessions",
      async (change) => {
        const { browser, patch } = await signedIn();
        expect((await patch(change)).status).toBe(200);
        expect(await browser.status()).toBe(200);
      },
    );

    test("a disabled account can't sign in until it is enabled", async () => {
      const { username, browser, patch } = await signedIn();
      await patch({ disabled: true });
      expectRefused(await browser.login(PASSWORD, username), 401, 2000);
      await patch({ disabled: false });
      expect((await browser.login(PASSWORD, username)).status).toBe(200);
    });

    test("refuses taken names, wrong values and the built-in administrator", async () => {
      const { id, patch } = await signedIn();
      const { username: taken } = await create();
      expectRefused(await patch({ username: taken }), 409, 1009);
      for (const username of ["Admin", "cli", "System"]) {
        expectRefused(await patch({ username }), 409, 1009);
      }
      expectRefused(await patch({ username: "a b" }), 400, 1000);
      expectRefused(await patch({ password: "short" }), 400, 1000);
      expectRefused(await patch({ role: null }), 400, 1000);
      expectRefused(await patch("[]"), 400, 1000);
      expectRefused(await admin.send("PATCH", `${USERS}/0`, { body: { disabled: true } }), 403, 1003);
      expect((await admin.send("GET", `${USERS}/${id}`)).json.data).toMatchObject({ role: "user" });
    });
  });

  test("the quota is stored, changed and kept by other changes", async () => {
    const { response, id } = await create({ quota_bytes: 5_000_000_000 });
    expect(response.json.data).toMatchObject({ quota_bytes: 5_000_000_000 });
    const patch = async (body: object) => (await admin.send("PATCH", `${USERS}/${id}`, { body })).json.data;
    expect(await patch({ disabled: false })).toMatchObject({ quota_bytes: 5_000_000_000 });
    expect(await patch({ quota_bytes: 7 })).toMatchObject({ quota_bytes: 7 });
    expect(await patch({ quota_bytes: 0 })).toMatchObject({ quota_bytes: 0 });
  });

  test("deleting ends the sessions and frees the name", async () => {
    const { username, id } = await create();
    const browser = new Browser(harness);
    await browser.login(PASSWORD, username);
    const response = await admin.send("DELETE", `${USERS}/${id}`);
    expect(response.json.data).toEqual({ message: "Account deleted" });
    expect(await browser.status()).toBe(401);
    expectRefused(await browser.refresh(), 401, 2002);
    expectRefused(await browser.login(PASSWORD, username), 401, 2000);
    expectRefused(await admin.send("DELETE", `${USERS}/${id}`), 404, 1004);
    expectRefused(await admin.send("DELETE", `${USERS}/0`), 403, 1003);
    expect((await create({ username })).response.status).toBe(201);
  });

  test.each(["999999", "x", "-1", "1.5", "01", "9007199254740993", "99999999999999999999", "%00", "1%20"])(
    "the unknown id %s is 404",
    async (id) => {
      expectRefused(await admin.send("GET", `${USERS}/${id}`), 404, 1004);
      expectRefused(await admin.send("PATCH", `${USERS}/${id}`, { body: {} }), 404, 1004);
      expectRefused(await admin.send("DELETE", `${USERS}/${id}`), 404, 1004);
    },
  );

  test("the built-in administrator is account 0", async () => {
    const view = {
      id: 0,
      username: "admin",
      display_name: null,
      role: "admin",
      disabled: false,
      quota_bytes: 0,
      email: null,
      email_verified: false,
      language: "en",
      created_at: null,
      updated_at: null,
    };
    expect((await admin.send("GET", `${USERS}/0`)).json.data).toEqual(view);
    const me = await admin.send("GET", "/admin/v1/auth/me");
    expect(me.json.data).toEqual({ ...view, second_factor: "off", has_password: true });
  });

  test("lists by username, in pages", async () => {
    for (const username of ["zz-3", "zz-1", "zz-2"]) await create({ username });
    const all = await admin.send("GET", `${USERS}?page_size=100`);
    const names = (all.json.data as unknown as { username: string }[]).map(({ username }) => username);
    expect(names.slice(-3)).toEqual(["zz-1", "zz-2", "zz-3"]);
    const total = all.json.pagination?.["total"] ?? 0;
    const last = await admin.send("GET", `${USERS}?page=${total}&page_size=1`);
    expect(last.json.data).toMatchObject([{ username: "zz-3" }]);
    expect(last.json.pagination).toEqual({ page: total, page_size: 1, total, total_pages: total });
    const clamped = await admin.send("GET", `${USERS}?page=0&page_size=1000`);
    expect(clamped.json.pagination).toMatchObject({ page: 1, page_size: 100 });
    expectRefused(await admin.send("GET", `${USERS}?page=x`), 400, 1000);
    expect((await admin.send("GET", `${USERS}?page=99999999999999999999`)).json.data).toEqual([] as never);
  });
});
