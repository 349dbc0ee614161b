/**
 * A changed prefix of the API is pending until the restart, those of health and panel count at once. Everything that
 * names a prefix uses the new ones then.
 */
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

test("until the restart the old prefix of the API is served, and the new one takes no links", async () => {
  for (const [name, value] of Object.entries(MOVED)) {
    const { status: code, body } = await client.call("PUT", `/config/routes.${name}`, { value });
    expect([code, body.data.pending_value]).toEqual([200, name === "admin_prefix" ? value : undefined]);
  }
  await client.call("POST", "/config/reload");
  const { body } = await client.call("GET", "/config/routes.admin_prefix");
  expect(body.data).toMatchObject({
    value: "/admin",
    pending_value: MOVED.admin_prefix,
    requires_restart: true,
  });
  expect((await login()).status).toBe(405);
  for (const code of ["admin/code", "internal/manage/x"])
    expect((await client.call("POST", "/links", add(code))).body.error).toBe("LinkReservedCode");
  expect((await client.call("POST", "/links", add("probes"))).status).toBe(201);
});

test("health and panel are at their new prefixes at once", async () => {
  expect([await status("/health"), await status("/probe"), await status("/probes")]).toEqual([404, 401, 307]);
  expect([await status("/panel"), await status("/panel/v1/set-up")]).toEqual([404, 404]);
  expect((await fetch(`${server.url}/ui/v1/set-up/check`, { method: "POST" })).status).not.toBe(405);
  const { body } = await client.call("GET", "/openapi.json");
  const paths = Object.keys((body as unknown as { paths: object }).paths);
  expect([paths.includes("/probe"), paths.includes("/health")]).toEqual([true, false]);
  for (const code of ["probe/live", "ui/x"])
    expect((await client.call("POST", "/links", add(code))).body.error).toBe("LinkReservedCode");
  expect((await client.call("POST", "/links", add("health/x"))).status).toBe(201);
  expect(await status("/health/x")).toBe(307);
});

test("a prefix that the API has until the restart waits for it", async () => {
  const set = async (name: string, value: string) =>
    (await client.call("PUT", `/config/routes.${name}`, { value })).body.data.pending_value;
  expect(await set("frontend_prefix", "/admin")).toBe("/admin");
  expect((await client.call("GET", "/links")).status).toBe(200);
  expect(await set("frontend_prefix", MOVED.frontend_prefix)).toBeUndefined();
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
