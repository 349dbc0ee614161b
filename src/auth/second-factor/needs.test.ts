/**
 * What each kind of session needs to change what proves its account. One database is enough; the suites beside this one
 * have the queries on all.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { Database } from "../../platform/db/database.ts";
import { COMMAND } from "../../lib/actor.ts";
import type { SignInMethod } from "../../lib/credential.ts";
import {
  ADMIN_PASSWORD,
  type ApiResponse,
  type AuthHarness,
  createTestFolder,
  startAuth,
} from "../auth.test-support.ts";
import { createAuthenticator } from "../passkeys/authenticator.test-support.ts";
import { accountWith, RECOVERY_CODE, SECRET, sessionOf } from "./factors.test-support.ts";
import { codeAt } from "./totp.test-support.ts";

/**
 * `proof`: the password, or what an account without one has, and the second factor. `factor`: that alone. `session`:
 * nothing more. `later`: what was begun with proof, while there is no other factor; see the tests below.
 */
type Need = "proof" | "factor" | "session" | "later";

/** Of all endpoints that only sessions may call, and of those by which administrators change accounts. */
const NEEDS: Record<string, Need> = {
  "POST /account/second-factor": "later",
  "PUT /auth/password": "proof",
  "POST /account/totp": "proof",
  "DELETE /account/totp": "proof",
  "POST /account/totp/confirm": "later",
  "POST /account/totp/recovery-codes": "proof",
  "POST /account/passkeys/options": "proof",
  "POST /account/passkeys": "later",
  "PATCH /account/passkeys/:id": "factor",
  "DELETE /account/passkeys/:id": "proof",
  "DELETE /account/sessions/:id": "session",
  "PATCH /account/mail": "session",
  "PATCH /auth/me": "session",
  "PUT /account/email": "proof",
  "POST /tokens": "factor",
  "DELETE /tokens/:id": "session",
  "POST /users": "factor",
  "PATCH /users/:id": "factor",
  "POST /users/:id/invite": "factor",
  "DELETE /users/:id/second-factor": "factor",
  "DELETE /users/:id": "factor",
};

const KINDS = [null, "password", "totp", "recovery_code", "passkey", "oidc", "oidc_mfa"] as const;
const BOTH_WAYS = [null, "password", "oidc"];
/** Which sessions have to show the second factor first. */
const UNPROVED: [factors: { app?: boolean; passkey?: boolean }, roles: string, by: unknown[]][] = [
  [{}, "user", []],
  [{ app: true }, "user", BOTH_WAYS],
  [{ app: true, passkey: true }, "user", BOTH_WAYS],
  // Who knows the password signs in with it, beside the passkey.
  [{ passkey: true }, "user", ["oidc"]],
  [{ passkey: true }, "admin", BOTH_WAYS],
];

const folder = createTestFolder();
let database: Database;
let harness: AuthHarness;
let peers = 0;

beforeAll(async () => {
  database = await folder.open();
  harness = await startAuth(database);
  await harness.auth.resetAdminPassword(ADMIN_PASSWORD, "test");
});
afterAll(() => folder.remove());
beforeEach(async () => {
  harness.time.now += 3_600_000;
  await harness.config.set("api.second_factor_roles", "user", "test");
});

const send = (token: string, route: string, body?: object): Promise<ApiResponse> => {
  const [method, path] = route.split(" ") as [string, string];
  return harness.request(method, `/admin/v1${path}`, {
    ...(body && { body }),
    headers: { Authorization: `Bearer ${token}` },
    peer: `2001:db8:${(++peers).toString(16)}::1`,
  });
};
const fieldOf = ({ json }: ApiResponse) => (json as { details?: { field: string }[] }).details?.[0]?.field;
const isUnproved = (response: ApiResponse): boolean =>
  response.status === 403 && fieldOf(response) === "second_factor";

function bodyOf(route: string, password: string): object | undefined {
  if (route === "PUT /auth/password") return { current_password: password, new_password: "another password" };
  if (route === "PUT /account/email") return { email: null, password };
  if (route === "POST /tokens") return { name: crypto.randomUUID(), scopes: ["files:read"] };
  if (route.startsWith("PATCH /account/passkeys")) return { name: "phone" };
  if (NEEDS[route] === "proof") return { password };
  return /^(?:POST|PATCH)/.test(route) ? {} : undefined;
}

test("the table has every change that only a session may make, and those of accounts", () => {
  const found = harness.auth.endpoints
    .filter(({ scope, tag }) => scope === null || tag === "users")
    .filter(({ access, method }) => access !== "public" && method !== "GET")
    .map(({ method, path }) => `${method} ${path}`);
  expect(found.toSorted()).toEqual(Object.keys(NEEDS).toSorted());
});

describe.each(UNPROVED)("with the factors %j, demanded of %s", (factors, roles, unproved) => {
  test.each(KINDS)("a session by %s", async (by: SignInMethod | null) => {
    await harness.config.set("api.second_factor_roles", roles, "test");
    const account = await accountWith(database, harness, factors);
    for (const [route, need] of Object.entries(NEEDS)) {
      if (need === "later") continue;
      const path = route.replace("passkeys/:id", `passkeys/${account.passkeyId}`);
      const at = path.replace("sessions/:id", `sessions/${crypto.randomUUID()}`).replace(":id", "999999");
      const isRefused = unproved.includes(by) && need !== "session";
      // A right password is not enough; a wrong one is handled by sessions that have shown the factor.
      const password = isRefused ? ADMIN_PASSWORD : "a wrong password";
      const response = await send(await sessionOf(harness, account, by), at, bodyOf(route, password));
      if (need === "factor" && account.passkeyId === 999_999 && route.includes("passkeys")) continue;
      const isDemanded = roles === "admin" && unproved.includes(by) && !/ \/(?:auth|account)\//.test(route);
      expect([route, isUnproved(response)]).toEqual([route, isRefused || isDemanded]);
      if (need === "proof" && !isRefused) expect([route, response.status]).toEqual([route, 401]);
    }
  });
});

test("API tokens may not do what needs a session, and need no second factor for the rest", async () => {
  const account = await accountWith(database, harness, { app: true });
  const input = { name: "t", scopes: ["admin" as const] };
  const { text } = await harness.auth.apiTokens.create(account.id, input as never, COMMAND);
  for (const route of Object.keys(NEEDS)) {
    const response = await send(text, route.replace(":id", "999999"), bodyOf(route, ADMIN_PASSWORD));
    expect([route, isUnproved(response)]).toEqual([route, false]);
    if (!route.includes("/users")) expect([route, response.status]).toEqual([route, 403]);
  }
});

test("a code beside the password confirms the session, whose later changes need the password", async () => {
  for (const [by, shown] of [
    ["oidc", "oidc_mfa"],
    ["password", "totp"],
  ] as const) {
    const account = await accountWith(database, harness, { app: true });
    const token = await sessionOf(harness, account, by);
    const path = "POST /account/totp/recovery-codes";
    const password = ADMIN_PASSWORD;
    const wrong = await send(token, path, { password, totp: codeAt(SECRET, harness.time.now, 5) });
    expect([wrong.status, fieldOf(wrong)]).toEqual([401, "totp"]);
    const totp = codeAt(SECRET, harness.time.now);
    expect((await send(token, path, { password: "wrong password", totp })).status).toBe(401);
    expect((await send(token, path, { password })).status).toBe(200);
    const { data } = (await send(token, "GET /account/sessions")).json;
    expect(data).toMatchObject([{ signed_in_by: shown }]);
    const next = { current_password: password, new_password: "another password" };
    expect((await send(token, "PUT /auth/password", next)).status).toBe(200);
  }
});

test("a new password keeps what the code has shown, and the app is removed by a code alone", async () => {
  const account = await accountWith(database, harness, { app: true });
  const token = await sessionOf(harness, account, "oidc");
  const next = { current_password: ADMIN_PASSWORD, new_password: "another password" };
  const changed = await send(token, "PUT /auth/password", {
    ...next,
    totp: codeAt(SECRET, harness.time.now),
  });
  expect(changed.status).toBe(200);
  const [cookie] = changed.headers.getSetCookie();
  const fresh = cookie!.split(";")[0]!.slice("svc_access=".length);
  expect((await send(fresh, "GET /account/sessions")).json.data).toMatchObject([
    { signed_in_by: "oidc_mfa" },
  ]);
  harness.time.now += 60_000;
  const other = await sessionOf(harness, account, "oidc");
  const refused = await send(other, "DELETE /account/totp", { password: next.new_password, code: "000000" });
  expect([refused.status, fieldOf(refused)]).toEqual([401, "code"]);
  const code = codeAt(SECRET, harness.time.now);
  expect((await send(other, "DELETE /account/totp", { code })).status).toBe(200);
});

test("a recovery code or a passkey confirms a session, once it has to", async () => {
  const account = await accountWith(database, harness, { app: true });
  const confirm = "POST /account/second-factor";
  for (const [by, shown] of [
    ["totp", null],
    ["password", "recovery_code"],
  ] as const) {
    const token = await sessionOf(harness, account, by);
    const { status } = await send(token, confirm, { recovery_code: RECOVERY_CODE });
    expect([by, status]).toEqual([by, shown === null ? 409 : 200]);
    const { data } = (await send(token, "GET /account/sessions")).json;
    const own = (data as unknown as { current: boolean }[]).find(({ current }) => current);
    expect(own).toMatchObject({ signed_in_by: shown ?? by });
  }
});

test("what was begun without a factor is not finished beside one that came meanwhile", async () => {
  const account = await accountWith(database, harness, {});
  const [begins, adds] = [
    await sessionOf(harness, account, "oidc"),
    await sessionOf(harness, account, "oidc"),
  ];
  const password = ADMIN_PASSWORD;
  const options = async (token: string) =>
    (await send(token, "POST /account/passkeys/options", { password })).json.data as never;
  const requested = await options(begins);
  const begun = await send(begins, "POST /account/totp", { password });
  const { secret } = begun.json.data as { secret: string };
  const own = createAuthenticator("http://localhost").create(await options(adds));
  expect((await send(adds, "POST /account/passkeys", { credential: own })).status).toBe(201);
  const late = createAuthenticator("http://localhost").create(requested);
  expect(isUnproved(await send(begins, "POST /account/passkeys", { credential: late }))).toBe(true);
  const code = codeAt(secret, harness.time.now);
  expect(isUnproved(await send(begins, "POST /account/totp/confirm", { code }))).toBe(true);
  // The one that has added the passkey goes on.
  const again = await send(adds, "POST /account/totp", { password });
  const other = codeAt(String(again.json.data!["secret"]), harness.time.now);
  expect((await send(adds, "POST /account/totp/confirm", { code: other })).status).toBe(200);
});
