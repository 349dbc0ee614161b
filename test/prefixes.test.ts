/** Changed route prefixes are pending until the restart; then everything that names a prefix uses the new ones. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { PASSWORD, signIn, startSignedIn } from "./support/session.ts";
import type { Client } from "./support/session.ts";
import type { Installation, RunningWaymark } from "./support/waymark.ts";

const MOVED = { admin_prefix: "/internal/manage", health_prefix: "/probe", frontend_prefix: "/ui" };
let installation: Installation;
let server: RunningWaymark;
let client: Client;

beforeAll(async () => {
  ({ installation, server, client } = await startSignedIn());
});
afterAll(() => installation.remove());

const status = async (path: string) => (await fetch(server.url + path, { redirect: "manual" })).status;
const add = (code: string) => ({ code, target: `https://a.example/${code}`, force: true });
const login = () =>
  fetch(`${server.url}${MOVED.admin_prefix}/v1/auth/login`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ password: PASSWORD }),
  });

test("a prefix in use or above the file endpoints is refused", async () => {
  for (const value of ["/health", "/files", "/folders", "admin", "/a b", "/a/b/c/d", "/", ""]) {
    const { status: code, body } = await client.call("PUT", "/config/routes.admin_prefix", { value });
    expect([value, code, body.error]).toEqual([value, 400, "BadRequest"]);
  }
});

test("until the restart the old prefixes are served and the new ones are pending", async () => {
  for (const [name, value] of Object.entries(MOVED)) {
    const { status: code, body } = await client.call("PUT", `/config/routes.${name}`, { value });
    expect([code, body.data.pending_value]).toEqual([200, value]);
  }
  await client.call("POST", "/config/reload");
  const { body } = await client.call("GET", "/config/routes.admin_prefix");
  expect(body.data).toMatchObject({
    value: "/admin",
    pending_value: MOVED.admin_prefix,
    requires_restart: true,
  });
  expect((await login()).status).toBe(405);
  expect(await status("/health")).toBe(401);
  expect((await client.call("POST", "/links", add("admin/code"))).body.error).toBe("LinkReservedCode");
  expect((await client.call("POST", "/links", add("probes"))).status).toBe(201);
});

test("after the restart the API, its cookies and the reserved codes use the new prefixes", async () => {
  await server.stop();
  server = await installation.serve();
  expect([await status("/admin/v1/auth/verify"), await status("/health")]).toEqual([404, 404]);
  expect([await status("/probe"), await status("/probes")]).toEqual([401, 307]);
  const answer = await login();
  expect(answer.status).toBe(200);
  const cookies = answer.headers.getSetCookie();
  expect(cookies.find((cookie) => cookie.startsWith("svc_refresh="))).toContain(
    `; Path=${MOVED.admin_prefix}/v1/auth;`,
  );
  const token = /^svc_access=([^;]+)/.exec(cookies.find((cookie) => cookie.startsWith("svc_access="))!)![1];
  const call = async (method: string, path: string, body?: object) => {
    const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
    const init = body === undefined ? { method, headers } : { method, headers, body: JSON.stringify(body) };
    const response = await fetch(`${server.url}${MOVED.admin_prefix}/v1${path}`, init);
    return { status: response.status, body: (await response.json()) as { error?: string; data: object } };
  };
  expect((await call("GET", "/config/routes.admin_prefix")).body.data).not.toHaveProperty("pending_value");
  for (const code of ["internal/manage", "internal/manage/x", "probe/live", "ui", "files/1", "folders"]) {
    expect((await call("POST", "/links", add(code))).body.error).toBe("LinkReservedCode");
  }
  for (const code of ["admin/code", "health", "internal", "internal/x"]) {
    expect((await call("POST", "/links", add(code))).status).toBe(201);
    expect(await status(`/${code}`)).toBe(307);
  }
});

test("the old prefix accepts no login after the restart", async () => {
  await expect(signIn(server.url)).rejects.toThrow("login answered 405");
});
