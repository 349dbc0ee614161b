/** Sign-in by OpenID Connect against a real provider (oidc-provider), which is a process of its own. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { Database } from "../../platform/db/database.ts";
import {
  ADMIN_PASSWORD,
  type ApiResponse,
  type AuthHarness,
  Browser,
  createTestFolder,
  startAuth,
} from "../auth.test-support.ts";
import { CLIENT, spawnProvider, type TestProvider } from "./provider.test-support.ts";

const START = "/admin/v1/auth/oidc";
const folder = createTestFolder();
let provider: TestProvider;
let database: Database;
let harness: AuthHarness;

const settings = (values: Record<string, string | null>) =>
  harness.config.change(Object.entries(values), "test");
const locationOf = ({ headers }: ApiResponse): string => headers.get("Location") ?? "";
const pathOf = (url: URL): string => url.pathname + url.search;

/** Where Waymark leads at the end. */
async function signIn(browser = new Browser(harness), start = START): Promise<string> {
  const started = await browser.send("GET", start);
  if (!locationOf(started).startsWith(provider.issuer)) return locationOf(started);
  const back = await provider.follow(locationOf(started));
  return locationOf(await browser.send("GET", pathOf(back)));
}

const userNames = async () =>
  (await harness.auth.users.list({ page: 1, pageSize: 100 })).users.map((user) => user.username);
const me = async (browser: Browser) => (await browser.send("GET", "/admin/v1/auth/me")).json.data;

beforeAll(async () => {
  provider = await spawnProvider(["http://localhost"]);
  database = await folder.open();
  harness = await startAuth(database);
  await harness.auth.resetAdminPassword(ADMIN_PASSWORD, "test");
});
afterAll(async () => {
  await provider.stop();
  await folder.remove();
});
beforeEach(async () => {
  harness.time.now = Date.now();
  await settings({
    "oidc.issuer": provider.issuer,
    "oidc.client_id": CLIENT.id,
    "oidc.client_secret": CLIENT.secret,
    "oidc.role_claim": null,
    "oidc.roles": null,
    "oidc.allowed_domains": null,
    "oidc.allowed_groups": null,
    "oidc.password_sign_in": null,
  });
  await provider.control({ subject: crypto.randomUUID(), claims: {}, tampered: {}, failing: null });
});

describe("a sign-in", () => {
  test("makes an account once, which keeps its name, and leads to the page that was requested", async () => {
    await provider.control({ claims: { preferred_username: "Zoë Straße" } });
    const browser = new Browser(harness);
    expect(await signIn(browser, `${START}?to=%2Flinks%3Fq%3Da`)).toBe(
      "/panel/sign-in?to=%2Flinks%3Fq%3Da&oidc=done",
    );
    expect(await me(browser)).toMatchObject({ username: "zoe-stra-e", role: "user" });
    await provider.control({ claims: { preferred_username: "other" } });
    const again = new Browser(harness);
    expect(await signIn(again)).toBe("/panel/sign-in?oidc=done");
    expect(await me(again)).toMatchObject({ username: "zoe-stra-e" });
    expect(again.cookies.has("waymark_oidc")).toBe(false);
  });

  test("asks with PKCE, state and nonce, and keeps them in a cookie that sites can't send", async () => {
    const started = await harness.request("GET", START);
    expect(started.status).toBe(302);
    const query = Object.fromEntries(new URL(locationOf(started)).searchParams);
    expect(query).toMatchObject({
      client_id: CLIENT.id,
      response_type: "code",
      code_challenge_method: "S256",
      scope: "openid profile email",
      redirect_uri: "http://localhost/admin/v1/auth/oidc/callback",
    });
    for (const name of ["state", "nonce", "code_challenge"]) expect(query[name]).toMatch(/^[\w-]{43}$/);
    const [cookie = ""] = started.headers.getSetCookie();
    for (const part of ["HttpOnly", "Secure", "SameSite=Lax", "Max-Age=600", "Path=/admin/v1/auth"])
      expect(cookie.split("; ")).toContain(part);
  });

  test.each([
    "https://evil.example",
    "//evil.example",
    "/\\evil.example",
    "/\t/evil.example",
    "/..//evil.example",
    "/%2f/evil.example",
    "https:\\\\evil.example",
    "javascript:alert(1)",
  ])("that asks for %j goes on to the panel", async (to) => {
    expect(await signIn(new Browser(harness), `${START}?to=${encodeURIComponent(to)}`)).toBe(
      "/panel/sign-in?oidc=done",
    );
  });

  test("of people with the same or a hostile name makes accounts with names of their own", async () => {
    const preferredNames = ["admin", "../../etc", "\u202egnp", "anna", "anna", "", "CLI"];
    const before = new Set(await userNames());
    for (const preferred_username of preferredNames) {
      await provider.control({
        subject: crypto.randomUUID(),
        claims: { preferred_username, email: "ops@example.com" },
      });
      expect(await signIn()).toBe("/panel/sign-in?oidc=done");
    }
    const made = (await userNames()).filter((name) => !before.has(name));
    expect(made.toSorted()).toEqual(["admin-2", "anna", "anna-2", "cli-2", "etc", "gnp", "ops"]);
  });

  test("of one new person in two tabs at once makes one account", async () => {
    await provider.control({ claims: { preferred_username: "twice" } });
    const ends = await Promise.all([signIn(), signIn(), signIn()]);
    expect(new Set(ends)).toEqual(new Set(["/panel/sign-in?oidc=done"]));
    expect((await userNames()).filter((name) => name.startsWith("twice"))).toEqual(["twice"]);
  });
});

describe("a first sign-in with the e-mail address of an account", () => {
  const email = (proved_at: number | null) => `a${proved_at}@example.com`;
  async function accountWith(proved_at: number | null): Promise<string> {
    const username = `has-mail-${proved_at}`;
    const account = { username, password: "a long password", role: "editor", disabled: false } as const;
    const { id } = await harness.auth.users.create({ ...account, email: email(proved_at) });
    await database.write
      .updateTable("account_mail")
      .set({ proved_at })
      .where("account_id", "=", id)
      .execute();
    return username;
  }

  test("joins it only if both sides have proved the address", async () => {
    const username = await accountWith(1);
    const browser = new Browser(harness);
    await provider.control({ claims: { email: email(1), email_verified: false } });
    await signIn(browser);
    expect(await me(browser)).toMatchObject({ username: "a1", role: "user" });
    await provider.control({ subject: "joins", claims: { email: "A1@Example.com", email_verified: true } });
    await signIn(browser);
    expect(await me(browser)).toMatchObject({ username, role: "editor" });
    await provider.control({ claims: {} });
    await signIn(browser);
    expect(await me(browser)).toMatchObject({ username });
  });

  test("makes another while the account has not proved it", async () => {
    await accountWith(null);
    const browser = new Browser(harness);
    await provider.control({ claims: { email: email(null), email_verified: true } });
    await signIn(browser);
    expect(await me(browser)).toMatchObject({ username: "anull", email: null });
    await provider.control({
      subject: "has mail",
      claims: { email: "own@example.com", email_verified: true, locale: "de-AT" },
    });
    await signIn(browser);
    expect(await me(browser)).toMatchObject({
      email: "own@example.com",
      email_verified: true,
      language: "de",
    });
  });
});

describe("the callback refuses", () => {
  test("another browser, a second use, and what is older than ten minutes", async () => {
    const browser = new Browser(harness);
    const back = pathOf(await provider.follow(locationOf(await browser.send("GET", START))));
    const victim = new Browser(harness);
    await victim.send("GET", START);
    expect(locationOf(await victim.send("GET", back))).toBe("/panel/sign-in?oidc=expired");
    const late = browser.copy();
    harness.time.now += 601_000;
    expect(locationOf(await late.send("GET", back))).toBe("/panel/sign-in?oidc=expired");
    harness.time.now -= 601_000;
    const replay = browser.copy();
    expect(locationOf(await browser.send("GET", back))).toBe("/panel/sign-in?oidc=done");
    expect(locationOf(await replay.send("GET", back))).toBe("/panel/sign-in?oidc=failed");
    expect(locationOf(await harness.request("GET", `${START}/callback`))).toBe("/panel/sign-in?oidc=expired");
  });

  test.each([
    ["another issuer", { iss: "https://evil.example" }],
    ["another audience", { aud: "another client" }],
    ["a token that has expired", { exp: Math.floor(Date.now() / 1000) - 120 }],
    ["a token from the future", { nbf: Math.floor(Date.now() / 1000) + 120 }],
    ["another nonce", { nonce: "of another sign-in" }],
    ["another subject than the user info's", { sub: "somebody else" }],
    ["a signature by a foreign key", { key: "foreign" as const }],
  ])("%s", async (_, tampered) => {
    await provider.control({ tampered: { harmless: true } });
    expect(await signIn()).toBe("/panel/sign-in?oidc=done");
    await provider.control({ tampered });
    const browser = new Browser(harness);
    expect(await signIn(browser)).toBe("/panel/sign-in?oidc=failed");
    expect(await browser.status()).toBe(401);
  });

  test("a person who does not agree", async () => {
    await provider.control({ subject: "" });
    expect(await signIn()).toBe("/panel/sign-in?oidc=denied");
  });

  test("a client whose secret is wrong", async () => {
    await settings({ "oidc.client_secret": "wrong" });
    expect(await signIn()).toBe("/panel/sign-in?oidc=failed");
  });
});

describe("the provider", () => {
  test("is described once an hour, and its rotated key is known at once", async () => {
    await signIn();
    const discoveries = await provider.control({ rotate: true });
    expect(await signIn()).toBe("/panel/sign-in?oidc=done");
    expect(await provider.control({})).toBe(discoveries);
    harness.time.now += 3_600_001;
    await signIn();
    expect(await provider.control({})).toBe(discoveries + 1);
  });

  test("that is down stops neither sessions nor passwords, and is reported", async () => {
    const browser = new Browser(harness);
    await signIn(browser);
    const started = new Browser(harness);
    const back = await provider.follow(locationOf(await started.send("GET", START)));
    await provider.control({ failing: 503 });
    expect(locationOf(await started.send("GET", pathOf(back)))).toBe("/panel/sign-in?oidc=away");
    await settings({ "oidc.issuer": "http://localhost:9" });
    expect(await signIn(new Browser(harness), `${START}?to=/links`)).toBe(
      "/panel/sign-in?to=%2Flinks&oidc=away",
    );
    expect(await browser.status()).toBe(200);
    expect((await browser.refresh()).status).toBe(200);
    expect((await new Browser(harness).login(ADMIN_PASSWORD)).status).toBe(200);
  });

  test("that is not set up has no address", async () => {
    await settings({ "oidc.client_id": null });
    expect((await harness.request("GET", START)).status).toBe(404);
    expect(harness.auth.waysToSignIn()).toEqual({ oidc: null, password: true });
  });
});

describe("who may come, and as what", () => {
  test("verified addresses of the domains only", async () => {
    await settings({ "oidc.allowed_domains": "example.com" });
    for (const [claims, end] of [
      [{ email: "a@example.com", email_verified: true }, "done"],
      [{ email: "a@example.com", email_verified: false }, "unverified"],
      [{ email: "a@example.com" }, "unverified"],
      [{ email: "a@example.com", email_verified: "true" }, "done"],
      [{ email: "a@example.com", email_verified: "yes" }, "unverified"],
      [{ email: "a@sub.example.com", email_verified: true }, "not_allowed"],
      [{ email: "a@evil.test@example.com", email_verified: true }, "unverified"],
    ] as const) {
      await provider.control({ subject: crypto.randomUUID(), claims });
      expect([claims, await signIn()]).toEqual([claims, `/panel/sign-in?oidc=${end}`]);
    }
  });

  test("members of the groups only", async () => {
    await settings({ "oidc.allowed_groups": "links, ops" });
    await provider.control({ claims: { groups: ["staff", "ops"] } });
    expect(await signIn()).toBe("/panel/sign-in?oidc=done");
    await provider.control({ claims: { groups: ["staff"] } });
    expect(await signIn()).toBe("/panel/sign-in?oidc=not_allowed");
  });

  test("a role by claim; taken away it goes, with the sessions, and so does the way in", async () => {
    await settings({ "oidc.role_claim": "realm_access.roles", "oidc.roles": "boss=admin, writer=editor" });
    await provider.control({ claims: { realm_access: { roles: ["writer", "boss"] } } });
    const browser = new Browser(harness);
    await signIn(browser);
    expect(await me(browser)).toMatchObject({ role: "admin" });
    await provider.control({ claims: { realm_access: { roles: ["writer"] } } });
    const lower = new Browser(harness);
    await signIn(lower);
    expect([await browser.status(), (await me(lower))?.["role"]]).toEqual([401, "editor"]);
    await provider.control({ claims: {} });
    const refused = new Browser(harness);
    expect(await signIn(refused)).toBe("/panel/sign-in?oidc=no_role");
    expect([await refused.status(), await lower.status()]).toEqual([401, 401]);
    await settings({ "oidc.roles": "boss=admin, *=user" });
    expect(await signIn(refused)).toBe("/panel/sign-in?oidc=done");
    expect(await me(refused)).toMatchObject({ role: "user" });
  });

  test("an account that is disabled stays out", async () => {
    const browser = new Browser(harness);
    await signIn(browser);
    const { id } = (await me(browser)) as { id: number };
    await harness.auth.users.update(id, { disabled: true });
    expect(await signIn()).toBe("/panel/sign-in?oidc=disabled");
  });
});

test("a sign-out ends the session at the provider, which leads back", async () => {
  const browser = new Browser(harness);
  await signIn(browser);
  const { json } = await browser.send("POST", "/admin/v1/auth/logout");
  const next = new URL(json.data?.["provider_logout_url"] as string);
  expect(next.href.startsWith(`${provider.issuer}/session/end?`)).toBe(true);
  expect(Object.fromEntries(next.searchParams)).toMatchObject({
    post_logout_redirect_uri: "http://localhost/panel/sign-in",
    id_token_hint: expect.stringMatching(/^ey/),
  });
  expect((await fetch(next)).status).toBe(200);
  const known = new Browser(harness);
  await known.login(ADMIN_PASSWORD);
  expect((await known.send("POST", "/admin/v1/auth/logout")).json.data).toEqual({ message: "Signed out" });
});

test("passwords may be off; no password opens an account without one; reset-password turns them on", async () => {
  await provider.control({ claims: { preferred_username: "no.password" } });
  await signIn();
  for (const password of ["", " ", "password"])
    expect(
      (await new Browser(harness, `192.0.2.${password.length + 9}`).login(password, "no.password")).status,
    ).toBe(401);
  await settings({ "oidc.password_sign_in": "false" });
  expect(harness.auth.waysToSignIn()).toEqual({ oidc: "", password: false });
  const refused = await new Browser(harness, "192.0.2.7").login(ADMIN_PASSWORD);
  expect([refused.status, refused.json.message]).toEqual([403, expect.stringContaining("is off")]);
  await harness.auth.resetAdminPassword("another password", "cli");
  expect((await new Browser(harness, "192.0.2.7").login("another password")).status).toBe(200);
  await harness.auth.resetAdminPassword(ADMIN_PASSWORD, "cli");
});

test("passwords stay on while there is no other way", async () => {
  await settings({ "oidc.password_sign_in": "false" });
  await settings({ "oidc.issuer": null });
  expect((await new Browser(harness, "192.0.2.8").login(ADMIN_PASSWORD)).status).toBe(200);
  expect(harness.auth.refusalOfPasswordSignIn("false")).toContain("nobody could sign in");
});
