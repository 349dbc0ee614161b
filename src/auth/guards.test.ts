/** What the guards accept and refuse. One database is enough: no query differs here. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { SignJWT } from "jose";
import { COMMAND } from "../lib/actor.ts";
import { endpoint } from "../platform/http/endpoint.ts";
import {
  ADMIN_PASSWORD,
  type AuthHarness,
  Browser,
  createTestFolder,
  startAuth,
} from "./auth.test-support.ts";

const folder = createTestFolder();
const UNAUTHORIZED = {
  code: 1001,
  error: "Unauthorized",
  message: "Unauthorized: invalid or missing token",
};
const HEALTH_TOKEN = "health-token-for-tests";

let harness: AuthHarness;
/** The last request to the lasting response. */
let isStillAllowed: () => Promise<boolean>;
const LASTING = endpoint("GET /lasting", {
  access: "editor",
  scope: "analytics:read",
  tag: "probe",
  summary: "",
  handle: ({ c }) => void (isStillAllowed = c.get("isStillAllowed")),
});
let admin: Browser;
let user: Browser;
let editor: Browser;

beforeAll(async () => {
  harness = await startAuth(await folder.open(), { more: async () => [LASTING] });
  await harness.auth.resetAdminPassword(ADMIN_PASSWORD, "test");
  await harness.auth.users.create({
    username: "anna",
    password: "password of anna",
    role: "user",
    disabled: false,
  });
  await harness.auth.users.create({
    username: "edda",
    password: "password of edda",
    role: "editor",
    disabled: false,
  });
  [admin, user, editor] = ["192.0.2.1", "192.0.2.2", "192.0.2.3"].map(
    (peer) => new Browser(harness, peer),
  ) as [Browser, Browser, Browser];
  await editor.login("password of edda", "edda");
  await admin.login(ADMIN_PASSWORD);
  await user.login("password of anna", "anna");
});

beforeEach(() => {
  harness.failures.length = 0;
});

afterAll(() => folder.remove());

const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });

describe("credentials", () => {
  test("a public endpoint needs none", async () => {
    expect((await harness.request("POST", "/admin/v1/probe/public")).status).toBe(200);
  });

  test("each role reaches its own endpoints and those of the roles before it", async () => {
    const reached = async (browser: Browser) => [
      await browser.status("account"),
      await browser.status("editor"),
      await browser.status("admin"),
    ];
    expect(await reached(user)).toEqual([200, 403, 403]);
    expect(await reached(editor)).toEqual([200, 200, 403]);
    expect(await reached(admin)).toEqual([200, 200, 200]);
    const refused = await user.send("GET", "/admin/v1/probe/admin");
    expect([refused.status, refused.json.code, refused.json.error]).toEqual([403, 1003, "Forbidden"]);
  });

  test("a request without any gets 401 with the specified message", async () => {
    for (const access of ["account", "admin"]) {
      const response = await harness.request("GET", `/admin/v1/probe/${access}`);
      expect([response.status, response.json]).toEqual([401, UNAUTHORIZED]);
    }
    expect(harness.failures).toEqual(["none", "none"]);
  });

  test.each([
    "Bearer",
    "Bearer ",
    "Bearer x",
    "bearer a.b.c",
    "Bearer a b",
    `Bearer ${"x".repeat(9000)}`,
    "Bearer e30.e30.",
  ])("the invalid header %# is refused", async (header) => {
    const response = await harness.request("GET", "/admin/v1/probe/account", {
      headers: { Authorization: header },
    });
    expect([response.status, response.json]).toEqual([401, UNAUTHORIZED]);
  });

  test("a bearer header overrides cookies, valid or not", async () => {
    const invalid = await admin.send("GET", "/admin/v1/probe/admin", { headers: bearer("nonsense") });
    expect(invalid.status).toBe(401);
    expect(harness.failures).toEqual(["bearer"]);
    const other = await admin.send("GET", "/admin/v1/probe/account", {
      headers: bearer(user.get("svc_access")),
    });
    expect(other.json.data).toEqual({ account: "anna" });
  });

  test("a header of another scheme is ignored in favour of cookies", async () => {
    const response = await admin.send("GET", "/admin/v1/probe/admin", {
      headers: { Authorization: "Basic eDp5" },
    });
    expect(response.status).toBe(200);
  });

  test("a refresh token is refused as access cookie and as bearer", async () => {
    const token = admin.get("svc_refresh");
    const headers = { Cookie: `svc_access=${token}` };
    expect((await harness.request("GET", "/admin/v1/probe/account", { headers })).status).toBe(401);
    expect((await harness.request("GET", "/admin/v1/probe/account", { headers: bearer(token) })).status).toBe(
      401,
    );
    expect(harness.failures).toEqual(["cookie", "bearer"]);
  });

  test("an access token is refused as refresh cookie", async () => {
    const headers = { Cookie: `svc_refresh=${admin.get("svc_access")}` };
    const response = await harness.request("POST", "/admin/v1/auth/refresh", { headers });
    expect(response.json).toMatchObject({ code: 2002 });
  });

  test("the role in a token is ignored even with a valid signature", async () => {
    const [, payload] = user.get("svc_access").split(".");
    const claims = JSON.parse(Buffer.from(payload!, "base64url").toString());
    const secret = new TextEncoder().encode(harness.config.get("api.jwt_secret"));
    const token = await new SignJWT({ ...claims, role: "admin", sub: "0" })
      .setProtectedHeader({ alg: "HS256" })
      .sign(secret);
    expect((await harness.request("GET", "/admin/v1/probe/admin", { headers: bearer(token) })).status).toBe(
      403,
    );
  });

  test("a planted cookie before the valid one is skipped", async () => {
    const headers = { Cookie: `svc_access=planted; svc_access=${admin.get("svc_access")}` };
    expect((await harness.request("GET", "/admin/v1/probe/admin", { headers })).status).toBe(200);
  });
});

const cookies = (browser: Browser, csrf: string | null) =>
  `svc_access=${browser.get("svc_access")}${csrf === null ? "" : `; csrf_token=${csrf}`}`;
const send = (method: string, cookie: string, header?: string) =>
  harness.request(method, "/admin/v1/probe/account", {
    headers: { Cookie: cookie, ...(header !== undefined && { "X-CSRF-Token": header }) },
  });

describe("CSRF proof", () => {
  test.each(["POST", "PUT", "PATCH", "DELETE"])("%s needs cookie and header", async (method) => {
    const token = admin.get("csrf_token");
    expect((await send(method, cookies(admin, token), token)).status).toBe(200);
    for (const response of [
      await send(method, cookies(admin, token)),
      await send(method, cookies(admin, token), ""),
      await send(method, cookies(admin, token), `${token}x`),
      await send(method, cookies(admin, null), token),
      await send(method, cookies(admin, "planted"), "planted"),
      await send(method, cookies(admin, ""), ""),
      await send(method, cookies(admin, user.get("csrf_token")), user.get("csrf_token")),
    ]) {
      expect([response.status, response.json.code, response.json.error]).toEqual([403, 2003, "CsrfInvalid"]);
    }
    expect(harness.failures).toEqual(Array.from({ length: 7 }, () => "csrf"));
  });

  test("GET and HEAD need neither", async () => {
    expect((await send("GET", cookies(admin, null))).status).toBe(200);
    expect((await send("HEAD", cookies(admin, null))).status).toBe(200);
  });

  test("login, refresh and logout need neither", async () => {
    const browser = admin.copy();
    browser.cookies.delete("csrf_token");
    expect((await browser.login(ADMIN_PASSWORD)).status).toBe(200);
    browser.cookies.delete("csrf_token");
    expect((await browser.refresh()).status).toBe(200);
    browser.cookies.delete("csrf_token");
    expect((await browser.send("POST", "/admin/v1/auth/logout")).status).toBe(200);
  });

  test("an invalid token is 401 before the proof is checked", async () => {
    expect((await send("POST", "svc_access=a.b.c; csrf_token=x", "x")).status).toBe(401);
  });
});

describe("without an administrator's password", () => {
  let empty: AuthHarness;
  beforeAll(async () => {
    empty = await startAuth(await folder.open("empty"));
  });

  test("everything under the admin prefix is 404, including login", async () => {
    expect(empty.auth.isAdminEnabled()).toBe(false);
    const login = await empty.request("POST", "/admin/v1/auth/login", { body: { password: "" } });
    expect([login.status, login.json.code, login.json.error]).toEqual([404, 1004, "NotFound"]);
    expect((await empty.request("GET", "/admin/v1/probe/admin")).status).toBe(404);
    expect((await empty.request("GET", "/admin/anything")).status).toBe(404);
  });

  test("health is 404 until one of the two passwords is set", async () => {
    for (const method of ["GET", "HEAD", "POST", "OPTIONS"])
      expect((await empty.request(method, "/health/probe/admin")).status).toBe(404);
    await empty.config.set("api.health_token", HEALTH_TOKEN, "test");
    expect((await empty.request("GET", "/health/probe/admin")).json).toEqual(UNAUTHORIZED);
    const headers = bearer(HEALTH_TOKEN);
    expect((await empty.request("GET", "/health/probe/admin", { headers })).status).toBe(200);
    expect((await empty.request("GET", "/health/probe/admin", { headers: bearer("") })).status).toBe(401);
  });
});

const get = (headers: Record<string, string>) => harness.request("GET", "/health/probe/admin", { headers });

describe("health", () => {
  test("accepts an administrator's token as bearer and as cookie", async () => {
    expect((await get(bearer(admin.get("svc_access")))).status).toBe(200);
    expect((await get({ Cookie: `svc_access=${admin.get("svc_access")}` })).status).toBe(200);
  });

  test("accepts no other bearer while no health token is set", async () => {
    expect((await get(bearer(""))).json).toEqual(UNAUTHORIZED);
    expect((await get(bearer("undefined"))).json).toEqual(UNAUTHORIZED);
    expect((await get({})).json).toEqual(UNAUTHORIZED);
  });

  test("accepts the health token, which is refused elsewhere", async () => {
    await harness.config.set("api.health_token", HEALTH_TOKEN, "test");
    expect((await get(bearer(HEALTH_TOKEN))).status).toBe(200);
    expect((await get(bearer(`${HEALTH_TOKEN}x`))).json).toEqual(UNAUTHORIZED);
    expect((await get(bearer(admin.get("svc_access")))).status).toBe(200);
    expect((await get({ Cookie: `svc_access=${HEALTH_TOKEN}` })).status).toBe(401);
    const elsewhere = { headers: bearer(HEALTH_TOKEN) };
    expect((await harness.request("GET", "/admin/v1/probe/account", elsewhere)).status).toBe(401);
  });

  test("refuses accounts of the roles user and editor", async () => {
    expect((await get(bearer(user.get("svc_access")))).status).toBe(403);
    expect((await get(bearer(editor.get("svc_access")))).status).toBe(403);
  });
});

describe("a response that lasts learns that", () => {
  const PASSWORD = "password of lisa";
  let id: number;
  let lisa: Browser;
  let peers = 10;

  beforeEach(async () => {
    const account = {
      username: `lisa${peers}`,
      password: PASSWORD,
      role: "editor",
      disabled: false,
    } as const;
    ({ id } = await harness.auth.users.create(account));
    lisa = new Browser(harness, `192.0.2.${peers++}`);
    await lisa.login(PASSWORD, account.username);
    expect((await lisa.send("GET", "/admin/lasting")).status).toBe(200);
    expect(await isStillAllowed()).toBe(true);
  });

  test("its session was signed out", async () => {
    await lisa.send("POST", "/admin/v1/auth/logout");
    expect(await isStillAllowed()).toBe(false);
  });

  test("a refreshed session goes on after its access token", async () => {
    const began = harness.time.now;
    harness.time.now += 3_600_000;
    expect(await isStillAllowed()).toBe(true);
    harness.time.now = began;
  });

  test.each([{ role: "user" }, { role: "admin" }, { disabled: true }] as const)(
    "its account became %j",
    async (change) => {
      await harness.auth.users.update(id, change);
      expect(await isStillAllowed()).toBe(false);
    },
  );

  test("its account joined a team, has another role there, or left it", async () => {
    const { teams } = harness.auth;
    const named = (role: "viewer" | "editor") => [{ account: `lisa${peers - 1}`, role }];
    const team = await teams.create({ name: `team ${peers}`, members: [] }, COMMAND);
    for (const members of [named("viewer"), named("editor"), []]) {
      await lisa.send("GET", "/admin/lasting");
      expect(await isStillAllowed()).toBe(true);
      await teams.update(team.id, { members }, COMMAND);
      expect(await isStillAllowed()).toBe(false);
    }
  });

  test("its sessions ended with the secret that signs them", async () => {
    const former = harness.config.get("api.jwt_secret");
    await harness.config.set("api.jwt_secret", "x".repeat(32), "test");
    expect(await isStillAllowed()).toBe(false);
    await harness.config.set("api.jwt_secret", former, "test");
    expect(await isStillAllowed()).toBe(true);
  });

  test("its role needs a second factor now", async () => {
    await harness.config.set("api.second_factor_roles", "editor", "test");
    expect(await isStillAllowed()).toBe(false);
    await harness.config.set("api.second_factor_roles", "", "test");
    expect(await isStillAllowed()).toBe(true);
  });

  test("its token was revoked or expired", async () => {
    const body = { name: "watcher", scopes: ["analytics:read"], expires_at: "1h" };
    const { data } = (await lisa.send("POST", "/admin/v1/tokens", { body })).json;
    const watch = () =>
      harness.request("GET", "/admin/lasting", { headers: { Authorization: `Bearer ${data!["token"]}` } });
    await watch();
    expect(await isStillAllowed()).toBe(true);
    harness.time.now += 3_600_000;
    expect(await isStillAllowed()).toBe(false);
    harness.time.now -= 3_600_000;
    expect(await isStillAllowed()).toBe(true);
    await lisa.send("DELETE", `/admin/v1/tokens/${data!["id"]}`);
    expect(await isStillAllowed()).toBe(false);
  });
});
