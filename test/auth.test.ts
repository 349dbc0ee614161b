/** Login to the real program: a new installation, and credentials that must be refused. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { PASSWORD } from "./support/session.ts";
import { type Installation, install, type RunningWaymark } from "./support/waymark.ts";

let installation: Installation;
let server: RunningWaymark;

type Answer = { status: number; headers: Headers; text: string; code: number | undefined };

async function send(method: string, path: string, init: RequestInit = {}): Promise<Answer> {
  const response = await fetch(server.url + path, { method, ...init });
  const text = await response.text();
  const code = text.startsWith("{") ? (JSON.parse(text) as { code: number }).code : undefined;
  return { status: response.status, headers: response.headers, text, code };
}

const login = (body: unknown) =>
  send("POST", "/admin/v1/auth/login", {
    headers: { "Content-Type": "application/json" },
    body: (typeof body === "string" || body instanceof Uint8Array ? body : JSON.stringify(body)) as string,
  });

/** Signs in; waits while earlier tests have used up the limits. */
async function tryLogin(body: unknown): Promise<Answer> {
  for (;;) {
    const answer = await login(body);
    if (answer.status !== 429) return answer;
    await Bun.sleep(Number(answer.headers.get("Retry-After")) * 1000);
  }
}

async function signIn(body: unknown = { password: PASSWORD }): Promise<Record<string, string>> {
  const answer = await tryLogin(body);
  expect(answer.status).toBe(200);
  const pairs = answer.headers.getSetCookie().map((cookie) => cookie.split(";")[0]!.split("="));
  return Object.fromEntries(pairs) as Record<string, string>;
}

/** Polls until the test's time limit. */
async function eventually(check: () => Promise<boolean>): Promise<void> {
  while (!(await check())) await Bun.sleep(50);
}

const cookieHeader = (cookies: Record<string, string>) =>
  Object.entries(cookies)
    .map(([name, value]) => `${name}=${value}`)
    .join("; ");
const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
const bearer = (token: string) => ({ headers: { Authorization: `Bearer ${token}` } });
const users = (init: RequestInit) => send("GET", "/admin/v1/users", init);

beforeAll(async () => {
  installation = install();
  server = await installation.serve();
});

afterAll(() => installation.remove());

test("a new installation has no admin API until reset-password sets a password", async () => {
  for (const path of ["/admin/v1/users", "/admin/v1/auth/login", "/admin", "/health"]) {
    const answer = await send("GET", path);
    expect([answer.status, answer.code]).toEqual([404, 1004]);
  }
  expect((await login({ password: "" })).status).toBe(404);
  const reset = await installation.cli(["reset-password", "--stdin"], PASSWORD);
  expect([reset.exitCode, reset.stdout]).toEqual([0, ""]);
  expect((await login({ password: PASSWORD })).status).toBe(200);
  expect((await send("GET", "/health")).code).toBe(1001);
});

test.each([
  ["live", [204, 404, 404]],
  ["ready", [204, 200, 404]],
])("with health.open_probes = %s these probes need no credentials", async (setting, statuses) => {
  const open = install({ WAYMARK__HEALTH__OPEN_PROBES: setting });
  try {
    const { url } = await open.serve();
    const paths = ["/health/live", "/health/ready", "/health"];
    const answers = await Promise.all(paths.map((path) => fetch(url + path)));
    expect(answers.map(({ status }) => status)).toEqual(statuses);
    const domain = await fetch(`${url}/health/domain?domain=stranger.example`);
    expect(await domain.json()).toMatchObject({ code: 1004, message: "This is no host of this instance." });
  } finally {
    await open.remove();
  }
});

test("cookies and bearer are equivalent until the session ends", async () => {
  const cookies = await signIn();
  expect(Object.keys(cookies)).toEqual(["svc_access", "svc_refresh", "csrf_token"]);
  const headers = { Cookie: cookieHeader(cookies), "X-CSRF-Token": cookies["csrf_token"]! };
  expect((await users({ headers })).status).toBe(200);
  expect((await users(bearer(cookies["svc_access"]!))).status).toBe(200);
  expect((await send("GET", "/health", bearer(cookies["svc_access"]!))).status).toBe(200);
  const body = JSON.stringify({ username: "eve", password: "a password for eve" });
  expect((await send("POST", "/admin/v1/users", { headers, body })).status).toBe(201);
  expect((await send("POST", "/admin/v1/auth/logout", { headers })).status).toBe(200);
  expect((await users({ headers })).code).toBe(1001);
  expect((await users(bearer(cookies["svc_access"]!))).code).toBe(1001);
  expect((await send("POST", "/admin/v1/auth/refresh", { headers })).code).toBe(2002);
});

test("reset-password ends the administrator's sessions on a running server", async () => {
  const { svc_access: token } = await signIn();
  expect((await users(bearer(token!))).status).toBe(200);
  expect((await installation.cli(["reset-password", "--stdin"], PASSWORD)).exitCode).toBe(0);
  expect((await users(bearer(token!))).status).toBe(401);
});

test("commands create and disable accounts of a running server", async () => {
  const added = await installation.cli(["users", "add", "Rita", "--stdin", "--json"], "a password for rita");
  expect(JSON.parse(added.stdout)).toMatchObject({ username: "rita", role: "user" });
  const { svc_access: token } = await signIn({ username: "rita", password: "a password for rita" });
  expect((await users(bearer(token!))).code).toBe(1003);
  expect((await send("GET", "/admin/v1/auth/me", bearer(token!))).status).toBe(200);
  expect((await installation.cli(["users", "disable", "rita"])).exitCode).toBe(0);
  await eventually(async () => (await send("GET", "/admin/v1/auth/me", bearer(token!))).status === 401);
  expect((await installation.cli(["users", "disable", "nobody"])).exitCode).toBe(3);
  expect((await installation.cli(["users", "add", "rita", "--stdin"], "a password for rita")).exitCode).toBe(
    4,
  );
  expect((await installation.cli(["reset-password", "--stdin"], "short")).exitCode).toBe(2);
  expect((await installation.cli(["reset-password"])).exitCode).toBe(2);
});

describe("bad input", () => {
  const claims = { sub: "0", role: "admin", sid: crypto.randomUUID(), jti: "x", token_type: "access" };
  const lasting = { ...claims, iat: 1_700_000_000, exp: 4_000_000_000 };

  test("forged, unsigned and exchanged tokens are 401 everywhere", async () => {
    const cookies = await signIn();
    const [header, , signature] = cookies["svc_access"]!.split(".");
    const tokens = [
      `${encode({ alg: "none" })}.${encode(lasting)}.`,
      `${encode({ alg: "none" })}.${encode(lasting)}.${signature}`,
      `${header}.${encode(lasting)}.${signature}`,
      `${header}.${encode(lasting)}.`,
      cookies["svc_refresh"]!,
      cookies["svc_access"]!.slice(0, -2),
      "x".repeat(8000),
      "..",
    ];
    for (const token of tokens) {
      for (const init of [bearer(token), { headers: { Cookie: `svc_access=${token}` } }]) {
        for (const path of ["/admin/v1/users", "/admin/v1/config", "/admin/v1/links", "/health"]) {
          const answer = await send("GET", path, init);
          expect([path, answer.status, answer.code]).toEqual([path, 401, 1001]);
        }
      }
    }
  });

  test("planted, missing and foreign CSRF tokens are 403 and change nothing", async () => {
    const [cookies, other] = [await signIn(), await signIn()];
    const { svc_access, csrf_token } = cookies as { svc_access: string; csrf_token: string };
    const body = JSON.stringify({ username: "mallory", password: "a password for mallory" });
    const attempts: [cookie: string | null, header: string | null][] = [
      ["planted", "planted"],
      [csrf_token, null],
      [null, csrf_token],
      [csrf_token, "planted"],
      [other["csrf_token"]!, other["csrf_token"]!],
    ];
    for (const [cookie, header] of attempts) {
      const headers = {
        Cookie: `svc_access=${svc_access}${cookie === null ? "" : `; csrf_token=${cookie}`}`,
        ...(header !== null && { "X-CSRF-Token": header }),
      };
      const answer = await send("POST", "/admin/v1/users", { headers, body });
      expect([answer.status, answer.code]).toEqual([403, 2003]);
    }
    expect((await users(bearer(svc_access))).text).not.toContain("mallory");
  });

  test("bodies that are not a login are refused", async () => {
    const refused: [body: string | Uint8Array, status: number, code: number][] = [
      ["", 400, 1000],
      ["{", 400, 1000],
      ["[".repeat(1_000_000), 413, 1013],
      [`{"password":${"[".repeat(4_000)}`, 400, 1000],
      ['{"password":{"$ne":null}}', 400, 1000],
      ['{"username":["admin"],"password":"x"}', 400, 1000],
      [Uint8Array.from([0x7b, 0xff, 0xfe, 0x7d]), 400, 1000],
    ];
    for (const [body, status, code] of refused) {
      const answer = await tryLogin(body);
      expect([answer.status, answer.code]).toEqual([status, code]);
      expect(answer.headers.getSetCookie()).toEqual([]);
    }
  });

  test("a login flood is limited while redirects continue", async () => {
    const since = performance.now();
    const flood = Promise.all(
      Array.from({ length: 60 }, (_, n) => login({ username: `nobody-${n}`, password: "wrong" })),
    );
    const redirects = await Promise.all(Array.from({ length: 20 }, () => send("GET", "/no-such-code")));
    expect(redirects.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 404));
    const answers = await flood;
    // Earlier tests have used some of the five attempts, perhaps all.
    const tried = answers.filter(({ code }) => code === 2000);
    const limited = answers.filter(({ code, status }) => code === 2004 && status === 429);
    expect(tried.length + limited.length).toBe(60);
    expect(tried.length).toBeLessThanOrEqual(6 + (performance.now() - since) / 1000);
    for (const answer of limited) expect(Number(answer.headers.get("Retry-After"))).toBeGreaterThanOrEqual(1);
    await signIn();
  });

  test("the log contains no secrets", async () => {
    const cookies = await signIn();
    await send("POST", "/admin/v1/users", { headers: { Cookie: cookieHeader(cookies) }, body: "{}" });
    const log = server.log();
    for (const secret of [PASSWORD, "argon2", ...Object.values(cookies)]) expect(log).not.toContain(secret);
  });
});

test("sessions survive a restart", async () => {
  const { svc_access: token } = await signIn();
  expect(await server.stop()).toBe(0);
  server = await installation.serve();
  expect((await users(bearer(token!))).status).toBe(200);
});
