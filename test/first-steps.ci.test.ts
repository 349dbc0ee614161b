/** The first day of use with the real program: a password, a link, a visit, a count. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { install, type Installation, type RunningWaymark } from "./support/waymark.ts";
import { type Client, PASSWORD, signIn } from "./support/session.ts";

let installation: Installation;
let server: RunningWaymark;
let client: Client;

beforeAll(async () => {
  installation = install();
  server = await installation.serve();
});
afterAll(() => installation.remove());

const visit = (path: string, init: RequestInit = {}) =>
  fetch(server.url + path, { redirect: "manual", ...init });

/** Waits for the next flush or feed poll, until the test's time limit. */
async function until<T>(read: () => Promise<T>, done: (value: T) => boolean): Promise<T> {
  for (;;) {
    const value = await read();
    if (done(value)) return value;
    await Bun.sleep(50);
  }
}

describe("first steps", () => {
  test("without a password the admin API is off and redirects work", async () => {
    expect((await visit("/admin/v1/links")).status).toBe(404);
    const login = await visit("/admin/v1/auth/login", {
      method: "POST",
      body: JSON.stringify({ password: PASSWORD }),
    });
    expect([login.status, (await login.json()).code]).toEqual([404, 1004]);
    expect((await visit("/health")).status).toBe(404);
    expect((await visit("/anything")).status).toBe(404);
  });

  test("reset-password takes effect on the running server", async () => {
    const short = await installation.cli(["reset-password", "--stdin"], "short");
    expect(short.exitCode).toBe(2);
    expect(short.stderr).toContain("8");
    expect((await installation.cli(["reset-password", "--stdin"], PASSWORD)).exitCode).toBe(0);
    await until(
      async () => (await visit("/admin/v1/links")).status,
      (status) => status === 401,
    );
    client = await signIn(server.url);
  });

  test("a link created over the API redirects at once, and its clicks are counted", async () => {
    const made = await client.call("POST", "/links", {
      code: "docs/start",
      target: "https://example.com/docs?x=1",
    });
    expect(made.status).toBe(201);
    for (let visits = 0; visits < 3; visits++) {
      const answer = await visit("/docs/start");
      expect(answer.status).toBe(307);
      expect(answer.headers.get("location")).toBe("https://example.com/docs?x=1");
    }
    const counted = await until(
      async () => (await client.call("GET", "/links/docs/start")).body.data.click_count,
      (count) => count > 2,
    );
    expect(counted).toBe(3);
  });

  test("the next request uses a changed link, and a deleted one is 404", async () => {
    await client.call("PUT", "/links/docs/start", { target: "https://example.org/" });
    expect((await visit("/docs/start")).headers.get("location")).toBe("https://example.org/");
    await client.call("DELETE", "/links/docs/start");
    expect((await visit("/docs/start")).status).toBe(404);
    await client.call("POST", "/links", { code: "docs/start", target: "https://example.net/" });
    expect((await visit("/docs/start")).headers.get("location")).toBe("https://example.net/");
  });

  test("commands work beside the running server, and it applies their changes", async () => {
    expect((await visit("/by-hand")).status).toBe(404);
    const added = await installation.cli([
      "links",
      "add",
      "https://example.com/by-hand",
      "--code",
      "by-hand",
      "--json",
    ]);
    expect(added).toMatchObject({ exitCode: 0, stderr: "" });
    expect(JSON.parse(added.stdout)).toMatchObject({ code: "by-hand" });
    await until(
      async () => (await visit("/by-hand")).status,
      (status) => status === 307,
    );
    const status = await installation.cli(["status", "--json"]);
    expect(JSON.parse(status.stdout)).toMatchObject({ running_servers: 1, links: { total_links: 2 } });
    const readable = await installation.cli(["status"]);
    expect(readable.stdout).toMatch(
      // The last visit before the deletion counts for the deleted link.
      /journal 0, process \d+: clicks +\d+ accepted = \d+ stored \+ \d+ pending \+ 0 dropped\n/,
    );
  });

  test("a setting applies at once, from the API and the command line", async () => {
    await client.call("PUT", "/config/utm.enable_passthrough", { value: "true" });
    expect((await visit("/by-hand?utm_source=a%20b&x=1")).headers.get("location")).toBe(
      "https://example.com/by-hand?utm_source=a%20b",
    );
    await installation.cli(["config", "set", "features.default_url", "https://example.com/home"]);
    const root = await until(
      () => visit("/"),
      (answer) => answer.status === 307,
    );
    expect(root.headers.get("location")).toBe("https://example.com/home");
  });

  test("an orderly stop stores the clicks and leaves no files; the next start has all data", async () => {
    for (let visits = 0; visits < 5; visits++) await visit("/by-hand");
    expect(await server.stop()).toBe(0);
    const shown = await installation.cli(["links", "get", "by-hand", "--json"]);
    expect(JSON.parse(shown.stdout).click_count).toBeGreaterThanOrEqual(5);
    const before = JSON.parse(shown.stdout).click_count;
    server = await installation.serve();
    await visit("/by-hand");
    await server.stop();
    const after = JSON.parse((await installation.cli(["links", "get", "by-hand", "--json"])).stdout);
    expect(after.click_count).toBe(before + 1);
  });

  test("the log holds no password, token or hash", () => {
    expect(server.log()).not.toContain(PASSWORD);
    expect(server.log()).not.toContain("$argon2");
    expect(server.log()).not.toContain(client.token);
  });
});

describe("errors at the start", () => {
  test("an invalid setting is named with its allowed values", async () => {
    const other = install({ WAYMARK__SERVER__PROT: "1" });
    const result = await other.cli(["serve"]);
    expect(result.exitCode).toBe(2);
    expect(result.stderr).toContain("WAYMARK__SERVER__PROT");
    expect(result.stderr).toContain("server.port");
    await other.remove();
  });

  test("a port in use and an ignored variable are named", async () => {
    const taken = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response() });
    const other = install({ WAYMARK__SERVER__PORT: String(taken.port), WAYMARK_SERVER_HOST: "::1" });
    const result = await other.cli(["serve"]);
    expect(result.exitCode).toBe(4);
    expect(result.stderr).toContain(`127.0.0.1:${taken.port} is in use`);
    expect(result.stderr).toContain("WAYMARK_SERVER_HOST is ignored: the setting is WAYMARK__SERVER__HOST");
    const command = await other.cli(["links", "list"]);
    expect(command.stderr).toContain("WAYMARK_SERVER_HOST is ignored");
    await taken.stop(true);
    await other.remove();
  });

  test("an unknown command or option is refused with advice", async () => {
    const other = install();
    const result = await other.cli(["linkz"]);
    expect(result.exitCode).toBe(2);
    expect(result.stderr).toContain("linkz");
    await other.remove();
  });

  test("config generate writes a template that the server can read", async () => {
    const other = install();
    const file = join(other.dataDir, "waymark.toml");
    expect((await other.cli(["config", "generate", file])).exitCode).toBe(0);
    expect(readFileSync(file, "utf8")).toContain("[server]");
    expect((await other.cli(["config", "generate", file])).exitCode).not.toBe(0);
    expect((await other.cli(["-c", file, "config", "set", "api.cookie_secure", "true"])).exitCode).toBe(0);
    expect(existsSync(join(other.dataDir, "waymark.db"))).toBe(true);
    await other.remove();
  });
});
