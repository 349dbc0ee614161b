/**
 * Login, its limits, and refusals that reveal nothing. One database is enough; account-delay.test.ts covers the others.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { appError } from "../../lib/errors.ts";
import {
  ADMIN_PASSWORD,
  type ApiResponse,
  type AuthHarness,
  Browser,
  createTestFolder,
  startAuth,
} from "../auth.test-support.ts";
import { createPasswords, DUMMY_HASH, type Passwords } from "./password.ts";

const LOGIN = "/admin/v1/auth/login";
const WRONG = { code: 2000, error: "AuthFailed", message: "The account name or the password is wrong." };
const DAY = 86_400_000;

/** The parameters that determine the cost of a verification. */
const cost = (hash: string) => hash.split("$").slice(1, 4).join("$");
const codes = (responses: readonly ApiResponse[]) => responses.map(({ json }) => json.code);

const folder = createTestFolder();
let harness: AuthHarness;
const verified: string[] = [];
let peers = 0;
/** An address without earlier attempts. */
const newPeer = () => `2001:db8:${(++peers).toString(16)}::1`;
const login = (body: unknown, peer = newPeer()) => harness.request("POST", LOGIN, { body, peer });

const guess = (username: string) => login({ username, password: "wrong" });

beforeAll(async () => {
  const real = createPasswords();
  const passwords = {
    ...real,
    verifyPassword: (...args: Parameters<Passwords["verifyPassword"]>) => {
      verified.push(args[1]);
      return real.verifyPassword(...args);
    },
  };
  harness = await startAuth(await folder.open(), { passwords });
  await harness.auth.resetAdminPassword(ADMIN_PASSWORD, "test");
  const password = "password of anna";
  await harness.auth.users.create({ username: "anna", password, role: "user", disabled: false });
  await harness.auth.users.create({ username: "gone", password, role: "user", disabled: true });
});

afterAll(() => folder.remove());

beforeEach(() => {
  harness.time.now += 2 * DAY;
  verified.length = 0;
});

describe("a login", () => {
  test("without a name, with null or with admin is for the built-in administrator", async () => {
    for (const username of [undefined, null, "admin", "Admin"]) {
      const response = await login({ username, password: ADMIN_PASSWORD });
      expect(response.json.data).toMatchObject({ role: "admin" });
    }
  });

  test("is refused in the same way for every reason, after one verification of the same cost", async () => {
    const attempts = [
      { password: "wrong" },
      { username: "anna", password: "wrong" },
      { username: "gone", password: "password of anna" },
      { username: "nobody", password: "wrong" },
      { username: "nobody", password: ADMIN_PASSWORD },
      { username: "no such name!", password: "wrong" },
      { username: "admin\0", password: ADMIN_PASSWORD },
      { username: "anna\0", password: "password of anna" },
      { username: "", password: ADMIN_PASSWORD },
      { username: "x".repeat(1000), password: "wrong" },
      { username: "' or 1=1 --", password: "' or 1=1 --" },
      { password: "" },
      { password: "\0" },
    ];
    for (const attempt of attempts) {
      const response = await login(attempt);
      expect([response.status, response.json, response.headers.getSetCookie()]).toEqual([401, WRONG, []]);
    }
    expect(verified).toHaveLength(attempts.length);
    expect(new Set(verified.map(cost))).toEqual(new Set([cost(DUMMY_HASH)]));
    expect(harness.failures.filter((method) => method === "password").length).toBeGreaterThanOrEqual(
      attempts.length,
    );
  });

  test("with a longer or shorter password than the right one is refused", async () => {
    for (const password of [`${ADMIN_PASSWORD}\0`, `${ADMIN_PASSWORD} `, ADMIN_PASSWORD.slice(0, -1)]) {
      expect((await login({ password })).json).toEqual(WRONG);
    }
  });

  test("with a very long password is refused without a verification", async () => {
    for (const length of [1_025, 5_000, 65_000])
      expect((await login({ password: "x".repeat(length) })).json).toEqual(WRONG);
    expect((await login({ password: "x".repeat(65_536) })).status).toBe(413);
    expect(verified).toEqual([]);
  });

  test.each([
    "",
    "{",
    "null",
    "[]",
    "{}",
    '{"password":5}',
    '{"password":null}',
    '{"username":{},"password":"x"}',
  ])("with the body %p is 400", async (body) => {
    const response = await login(body);
    expect([response.status, response.json.code]).toEqual([400, 1000]);
    expect(verified).toEqual([]);
  });
});

describe("cross-origin requests", () => {
  const foreign = { Origin: "https://evil.example" };
  const body = { password: ADMIN_PASSWORD };
  const statuses = async (headers: Record<string, string>) => {
    const send = (path: string) => harness.request("POST", path, { body, headers, peer: newPeer() });
    const responses = [
      await send(LOGIN),
      await send("/admin/v1/auth/refresh"),
      await send("/admin/v1/auth/logout"),
    ];
    for (const { status, headers: received } of responses)
      if (status === 403) expect(received.getSetCookie()).toEqual([]);
    return responses.map(({ status }) => status);
  };
  const PASSED = [200, 401, 200];
  const REFUSED = [403, 403, 403];

  test.each([
    [{}, PASSED],
    [{ Host: "waymark.test", Origin: "http://waymark.test" }, PASSED],
    [{ Host: "waymark.test", Origin: "https://waymark.test" }, PASSED],
    [{ Host: "waymark.test:8443", Origin: "https://waymark.test:8443" }, PASSED],
    [{ "Sec-Fetch-Site": "same-origin", Origin: "https://waymark.test" }, PASSED],
    [{ "Sec-Fetch-Site": "none" }, PASSED],
    [{ Host: "waymark.test", ...foreign }, REFUSED],
    [{ Host: "waymark.test", Origin: "null" }, REFUSED],
    [{ Host: "waymark.test", Origin: "http://waymark.test:81" }, REFUSED],
    [{ Host: "waymark.test", Origin: "https://waymark.test.evil.example" }, REFUSED],
    [{ "Sec-Fetch-Site": "cross-site" }, REFUSED],
    [{ "Sec-Fetch-Site": "same-site" }, REFUSED],
    [{ "Sec-Fetch-Site": "cross-site", ...foreign }, REFUSED],
  ])("with %j get %j", async (headers, expected) => {
    expect(await statuses(headers)).toEqual(expected);
  });

  test("pass from origins that CORS lists, but not from *", async () => {
    const headers = { "Sec-Fetch-Site": "cross-site", ...foreign };
    await harness.config.set("cors.allowed_origins", foreign.Origin, "test");
    expect(await statuses(headers)).toEqual(REFUSED);
    await harness.config.set("cors.enabled", "true", "test");
    expect(await statuses(headers)).toEqual(PASSED);
    await harness.config.set("cors.allowed_origins", "*", "test");
    expect(await statuses(headers)).toEqual(REFUSED);
    for (const key of ["cors.enabled", "cors.allowed_origins"] as const)
      await harness.config.reset(key, "test");
  });

  test.each([
    "text/plain",
    "application/x-www-form-urlencoded",
    "multipart/form-data",
    "application/jsonx",
    "",
  ])("with a login as %p are 400", async (type) => {
    const response = await harness.request("POST", LOGIN, {
      body,
      headers: { "Content-Type": type },
      peer: newPeer(),
    });
    expect([response.status, response.json.code, response.headers.getSetCookie()]).toEqual([400, 1000, []]);
  });

  test("may name a charset", async () => {
    const headers = { "Content-Type": "Application/JSON; charset=utf-8" };
    expect((await harness.request("POST", LOGIN, { body, headers, peer: newPeer() })).status).toBe(200);
  });
});

describe("a flood from one address", () => {
  test("is limited before its bodies are read", async () => {
    const peer = newPeer();
    for (let n = 0; n < 5; n++) expect((await login("[".repeat(4_096), peer)).status).toBe(400);
    for (const body of ["[".repeat(4_096), "x".repeat(5_000), { password: ADMIN_PASSWORD }])
      expect((await login(body, peer)).status).toBe(429);
  });

  test("gets five attempts at once, then one a second, even with the right password", async () => {
    const peer = newPeer();
    const flood = await Promise.all(
      Array.from({ length: 30 }, (_, n) => login({ username: `name-${n}`, password: "wrong" }, peer)),
    );
    expect(codes(flood).filter((code) => code === 2000)).toHaveLength(5);
    const refused = flood.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(25);
    expect(refused[0]!.json).toMatchObject({ code: 2004, error: "RateLimitExceeded" });
    expect(refused[0]!.headers.get("Retry-After")).toBe("1");
    expect(verified).toHaveLength(5);
    expect((await login({ password: ADMIN_PASSWORD }, peer)).status).toBe(429);
    harness.time.now += 1000;
    expect((await login({ password: ADMIN_PASSWORD }, peer)).status).toBe(200);
    expect((await login({ password: ADMIN_PASSWORD }, peer)).status).toBe(429);
    expect((await login({ password: ADMIN_PASSWORD })).status).toBe(200);
  });

  test("X-Forwarded-For counts only from a trusted proxy", async () => {
    const through = (peer: string, client: string) =>
      harness.request("POST", LOGIN, {
        body: { username: "nobody-at-all!", password: "wrong" },
        headers: { "X-Forwarded-For": client },
        peer,
      });
    const invented = [];
    for (let n = 0; n < 7; n++) invented.push((await through("203.0.113.1", `10.1.1.${n}`)).status);
    expect(invented).toEqual([401, 401, 401, 401, 401, 429, 429]);
    await harness.config.set("api.trusted_proxies", "203.0.113.0/24", "test");
    for (let n = 0; n < 7; n++) expect((await through("203.0.113.1", `10.1.1.${n}`)).status).toBe(401);
    await harness.config.reset("api.trusted_proxies", "test");
  });
});

describe("guesses at one account from many addresses", () => {
  test.each(["anna", "admin", "nobody"])(
    "delay %s, longer each time, whether it exists or not",
    async (username) => {
      for (let n = 0; n < 5; n++) expect((await guess(username)).json).toEqual(WRONG);
      const waits: (string | null)[] = [];
      for (let n = 0; n < 4; n++) {
        const refused = await guess(username);
        expect(refused.json).toMatchObject({ code: 2004 });
        waits.push(refused.headers.get("Retry-After"));
        harness.time.now += Number(refused.headers.get("Retry-After")) * 1000;
        expect((await guess(username)).json).toEqual(WRONG);
      }
      expect(waits).toEqual(["1", "2", "4", "8"]);
    },
  );

  test("sent in parallel are all counted", async () => {
    const responses = await Promise.all(Array.from({ length: 12 }, () => guess("anna")));
    expect(responses.filter(({ status }) => status === 401).length).toBeLessThanOrEqual(5);
    expect(verified.length).toBeLessThanOrEqual(5);
  });

  test("delay the right password too, and are cleared by success", async () => {
    for (let n = 0; n < 5; n++) await guess("anna");
    expect((await login({ username: "anna", password: "password of anna" })).status).toBe(429);
    harness.time.now += 1000;
    expect((await login({ username: "anna", password: "password of anna" })).status).toBe(200);
    for (let n = 0; n < 4; n++) expect((await guess("anna")).status).toBe(401);
    expect((await login({ username: "anna", password: "password of anna" })).status).toBe(200);
  });

  test("count in other processes and after a restart", async () => {
    for (let n = 0; n < 8; n++) {
      await guess("anna");
      harness.time.now += n < 7 ? 10_000 : 0;
    }
    const other = await startAuth(await folder.open());
    other.time.now = harness.time.now;
    const body = { username: "anna", password: "password of anna" };
    expect((await other.request("POST", LOGIN, { body })).headers.get("Retry-After")).toBe("8");
  });

  test("do not lock out a browser that signed in before", async () => {
    const browser = new Browser(harness, newPeer());
    await browser.login("password of anna", "anna");
    for (let n = 0; n < 6; n++) await guess("anna");
    expect((await guess("anna")).status).toBe(429);
    expect((await browser.login("password of anna", "anna")).status).toBe(200);
    // Its wrong attempts count for itself, and its cookies do not help with another account.
    expect((await browser.login("password of anna", "admin")).json).toEqual(WRONG);
    for (let n = 0; n < 5; n++) {
      const thief = browser.copy();
      await harness.request("POST", LOGIN, {
        body: { username: "anna", password: "wrong" },
        headers: { Cookie: `svc_refresh=${thief.get("svc_refresh")}` },
        peer: newPeer(),
      });
    }
    expect((await browser.login("password of anna", "anna")).status).toBe(429);
  });

  test("are cleared when the administrator's password is reset", async () => {
    for (let n = 0; n < 5; n++) await guess("admin");
    expect((await login({ password: ADMIN_PASSWORD })).status).toBe(429);
    await harness.auth.resetAdminPassword(ADMIN_PASSWORD, "test");
    expect((await login({ password: ADMIN_PASSWORD })).status).toBe(200);
  });
});

describe("a flood that fills the queue of passwords", () => {
  const password = "password of anna";
  let crowded: AuthHarness;
  beforeAll(async () => {
    crowded = await startAuth(await folder.open(), { passwords: createPasswords(1) });
  });
  beforeEach(() => {
    crowded.time.now = harness.time.now;
  });
  const loginAs = (username: string, typed: string) =>
    crowded.request("POST", LOGIN, { body: { username, password: typed }, peer: newPeer() });
  const flood = () => Promise.all(Array.from({ length: 30 }, (_, n) => loginAs(`nobody-${n}`, "wrong")));

  test("leaves a queue for a browser that signed in before, even after a sign-out", async () => {
    const [stays, left, another] = [1, 2, 3].map(() => new Browser(crowded, newPeer()));
    await stays!.login(password, "anna");
    await left!.login(password, "anna");
    await left!.send("GET", "/admin/v1/auth/me");
    await left!.send("POST", "/admin/v1/auth/logout");
    await another!.login(ADMIN_PASSWORD);
    await another!.send("GET", "/admin/v1/auth/verify");
    for (const browser of [stays!, left!]) {
      const [responses, known] = await Promise.all([flood(), browser.login(password, "anna")]);
      expect(responses.filter(({ status }) => status === 503).length).toBeGreaterThan(20);
      expect(known.status).toBe(200);
    }
    // A browser of another account is unknown here, like one with an invalid cookie.
    another!.cookies.delete("svc_refresh");
    const device = another!.get("waymark_device");
    for (const value of [device, `${device.slice(0, -2)}AA`, "junk"]) {
      another!.cookies.set("waymark_device", value);
      for (let n = 0; n < 5; n++) await loginAs("anna", "wrong");
      expect((await another!.login(password, "anna")).status).toBe(429);
      crowded.time.now += 2 * DAY;
    }
  });

  test("does not count as wrong passwords", async () => {
    const real = createPasswords();
    let isFull = true;
    const full = await startAuth(await folder.open(), {
      passwords: {
        ...real,
        verifyPassword: (...args) =>
          isFull
            ? Promise.reject(appError("ServiceUnavailable", "Full.", { details: { retryAfterSeconds: 1 } }))
            : real.verifyPassword(...args),
      },
    });
    full.time.now = harness.time.now;
    const attempt = (peer = newPeer()) =>
      full.request("POST", LOGIN, { body: { username: "anna", password }, peer });
    for (let n = 0; n < 12; n++) {
      const refused = await attempt();
      expect(refused.json).toMatchObject({ code: 1030, error: "ServiceUnavailable" });
      expect(refused.headers.get("Retry-After")).toBe("1");
    }
    const atOnce = await Promise.all(Array.from({ length: 4 }, () => attempt()));
    expect(atOnce.map(({ status }) => status)).toEqual([503, 503, 503, 503]);
    isFull = false;
    expect((await attempt()).status).toBe(200);
  });
});

test("guesses of the current password in a stolen session are limited like logins", async () => {
  const browser = new Browser(harness, newPeer());
  await browser.login(ADMIN_PASSWORD);
  const statuses: number[] = [];
  for (let n = 0; n < 7; n++) {
    harness.time.now += 100;
    const body = { current_password: `guess ${n}`, new_password: "the thief's password" };
    statuses.push((await browser.send("PUT", "/admin/v1/auth/password", { body })).status);
  }
  expect(statuses).toEqual([401, 401, 401, 401, 429, 429, 429]);
  expect(await browser.status()).toBe(200);
});
