/** Sign-in by OpenID Connect of roles that need a second factor: the provider's, or Waymark's own. */
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import {
  ADMIN_PASSWORD,
  type ApiResponse,
  type AuthHarness,
  Browser,
  createTestFolder,
  type QueuedMail,
  startAuth,
} from "../auth.test-support.ts";
import { createAuthenticator } from "../passkeys/authenticator.test-support.ts";
import { codeAt } from "../second-factor/totp.test-support.ts";
import { CLIENT, spawnProvider, type TestProvider } from "./provider.test-support.ts";

const START = "/admin/v1/auth/oidc";
const folder = createTestFolder();
let provider: TestProvider;
let harness: AuthHarness;

const settings = (values: Record<string, string>) => harness.config.change(Object.entries(values), "test");
const locationOf = ({ headers }: ApiResponse): string => headers.get("Location") ?? "";
const me = async (browser: Browser) => (await browser.send("GET", "/admin/v1/auth/me")).json.data;

async function signIn(browser: Browser): Promise<void> {
  const { pathname, search } = await provider.follow(locationOf(await browser.send("GET", START)));
  await browser.send("GET", pathname + search);
}

beforeAll(async () => {
  provider = await spawnProvider(["http://localhost"]);
  harness = await startAuth(await folder.open());
  await harness.auth.resetAdminPassword(ADMIN_PASSWORD, "test");
  await settings({
    "oidc.issuer": provider.issuer,
    "oidc.client_id": CLIENT.id,
    "oidc.client_secret": CLIENT.secret,
    "api.second_factor_roles": "user",
  });
});
afterAll(async () => {
  await provider.stop();
  await folder.remove();
});
beforeEach(async () => {
  harness.time.now = Date.now();
  await provider.control({ subject: crypto.randomUUID(), claims: {}, tampered: {} });
});

const TOTP = "/admin/v1/account/totp";
const fieldOf = ({ json }: ApiResponse) => (json as { details?: { field: string }[] }).details?.[0]?.field;
const post = (browser: Browser, path: string, body: object) => browser.send("POST", path, { body });
const prove = (browser: Browser, totp: string) => post(browser, "/admin/v1/account/second-factor", { totp });

test("a role that needs a second factor is content with one that the provider has verified", async () => {
  for (const claims of [{ amr: ["pwd", "otp"] }, { amr: "mfa" }, { acr: "phr" }]) {
    await provider.control({ tampered: claims });
    const browser = new Browser(harness);
    await signIn(browser);
    expect([await browser.status(), await me(browser)]).toMatchObject([200, { second_factor: "on" }]);
    expect((await prove(browser, "000000")).status).toBe(409);
    const [session] = (await browser.send("GET", "/admin/v1/account/sessions")).json.data as never as [
      object,
    ];
    expect(session).toMatchObject({ signed_in_by: "oidc_mfa" });
  }
});

test("a role that needs a second factor else has the account set one up in a fresh session, and asks for it at each sign-in", async () => {
  await provider.control({ tampered: { amr: ["pwd"], acr: "1" } });
  const browser = new Browser(harness);
  await signIn(browser);
  expect(await browser.status()).toBe(403);
  expect(await me(browser)).toMatchObject({ second_factor: "required", has_password: false });
  harness.time.now += 599_000;
  const { secret } = (await post(browser, TOTP, {})).json.data as { secret: string };
  const noAddress = () => browser.send("PUT", "/admin/v1/account/email", { body: { email: null } });
  await settings({ "api.second_factor_roles": "admin" });
  expect((await noAddress()).status).toBe(200);
  harness.time.now += 1_000;
  expect(fieldOf(await post(browser, TOTP, {}))).toBe("sign_in");
  expect(fieldOf(await noAddress())).toBe("sign_in");
  await settings({ "api.second_factor_roles": "user" });
  const confirmed = await post(browser, `${TOTP}/confirm`, { code: codeAt(secret, harness.time.now) });
  const [recovery] = confirmed.json.data!["recovery_codes"] as string[];
  expect(await browser.status()).toBe(200);

  harness.time.now = Date.now() + 700_000;
  const again = new Browser(harness);
  await signIn(again);
  expect([await again.status(), await me(again)]).toMatchObject([403, { second_factor: "unconfirmed" }]);
  // Nothing else opens the session: no passkey is added, no code renewed without a code.
  expect(fieldOf(await post(again, "/admin/v1/account/passkeys/options", {}))).toBe("second_factor");
  expect(fieldOf(await post(again, `${TOTP}/recovery-codes`, { totp: "000000" }))).toBe("totp");
  expect((await prove(again, "000000")).status).toBe(401);
  harness.time.now += 5_000;
  expect((await prove(again, codeAt(secret, harness.time.now))).status).toBe(200);
  expect([await again.status(), await me(again)]).toMatchObject([200, { second_factor: "on" }]);
  const third = new Browser(harness, "192.0.2.44");
  await signIn(third);
  const body = { recovery_code: recovery };
  expect((await post(third, "/admin/v1/account/second-factor", body)).status).toBe(200);
  expect(await third.status()).toBe(200);
});

test("a role that needs a second factor takes a passkey in the place of a code, and lets nobody add another one before", async () => {
  const authenticator = createAuthenticator("http://localhost");
  const browser = new Browser(harness, "192.0.2.45");
  await signIn(browser);
  const options = await post(browser, "/admin/v1/account/passkeys/options", {});
  const made = authenticator.create(options.json.data as never);
  expect((await post(browser, "/admin/v1/account/passkeys", { credential: made })).status).toBe(201);
  expect(await browser.status()).toBe(200);
  const again = new Browser(harness, "192.0.2.46");
  await signIn(again);
  expect(await again.status()).toBe(403);
  expect(fieldOf(await post(again, "/admin/v1/account/passkeys/options", {}))).toBe("second_factor");
  const requestOptions = (await post(again, "/admin/v1/auth/passkey/options", {})).json.data as never;
  const passkey = authenticator.get(requestOptions);
  const admin = new Browser(harness, "192.0.2.47");
  await admin.login(ADMIN_PASSWORD);
  expect((await post(admin, "/admin/v1/account/second-factor", { passkey })).status).toBe(409);
  expect((await post(again, "/admin/v1/account/second-factor", { passkey })).status).toBe(200);
  expect(await again.status()).toBe(200);
  await settings({ "oidc.password_sign_in": "false" });
  expect((await post(again, "/admin/v1/auth/passkey", { credential: passkey })).status).toBe(403);
});

test("a sign-in from a browser that the account has not used sends a mail", async () => {
  const mails: QueuedMail[] = [];
  const mailing = await startAuth(await folder.open(), { mails });
  mailing.time.now = Date.now();
  await provider.control({ claims: { email: "anna@example.com", email_verified: true } });
  const browser = new Browser(mailing);
  for (const count of [0, 1]) {
    // The one that made the account is not reported; then the browser forgets, or has the cookie of `GET /auth/me`.
    await signIn(browser);
    expect(mails).toHaveLength(count);
    if (count === 0) browser.cookies.clear();
  }
  expect(mails).toMatchObject([{ to: "anna@example.com", kind: "sign_in" }]);
  await me(browser);
  for (const name of ["svc_access", "svc_refresh"]) browser.cookies.delete(name);
  await signIn(browser);
  expect(mails).toHaveLength(1);
});
