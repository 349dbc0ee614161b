/** Starts before the database is up, or while it is away. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import {
  createFresh,
  type Fresh,
  inServer,
  SERVER_VARIABLES,
  serverUrl,
} from "../src/platform/db/fresh.test-support.ts";
import { startProxyTo, type TcpProxy } from "../src/lib/tcp-proxy.test-support.ts";
import { until } from "./support/until.ts";
import { type Installation, install } from "./support/waymark.ts";

const WAITING = "the database is away; the start waits for it";
const isMissing = serverUrl("postgres") === undefined;

describe.skipIf(isMissing)(`late database (${SERVER_VARIABLES.postgres})`, () => {
  let fresh: Fresh;
  let proxy: TcpProxy;
  const installed: Installation[] = [];

  beforeAll(async () => {
    fresh = await createFresh("postgres");
    proxy = await startProxyTo(fresh.url);
  });
  afterAll(async () => {
    for (const installation of installed) await installation.remove();
    proxy.stop();
    await fresh.drop();
  });
  const over = (settings: Record<string, string> = {}) => {
    const installation = install({ WAYMARK__DATABASE__URL: proxy.through(fresh.url), ...settings });
    installed.push(installation);
    return installation;
  };

  test.each(["1", "2"])(
    "a server with %s workers logs that it waits, and starts with the database",
    async (workers) => {
      proxy.sever();
      const before = proxy.refused;
      const starting = over({ WAYMARK__SERVER__WORKERS: workers }).serve();
      await until(() => proxy.refused > before);
      proxy.heal();
      const server = await starting;
      expect(server.log()).toContain(WAITING);
      expect((await fetch(`${server.url}/none`)).status).toBe(404);
      expect(await server.stop()).toBe(0);
    },
  );

  test("a server starts whenever its database goes away meanwhile", async () => {
    proxy.heal();
    let most = 0;
    // The first start may make the tables.
    for (let starts = 0; starts < 2; starts++) {
      const before = proxy.sent;
      const server = await over().serve();
      most = proxy.sent - before;
      await server.stop();
    }
    const PLACES = 6;
    for (let place = 1; place <= PLACES; place++) {
      const before = proxy.refused;
      proxy.severAfter(Math.round((most * place) / PLACES));
      const starting = over().serve();
      // The second try of a connection comes after the server counts as away.
      await until(() => proxy.refused >= before + 2);
      proxy.heal();
      const late = await starting;
      await until(async () => (await fetch(`${late.url}/none`)).status === 404);
      expect(await late.stop()).toBe(0);
    }
  });

  test.each(["1", "2"])(
    "a stop ends a waiting server with %s workers at once, with exit code 5",
    async (workers) => {
      proxy.sever();
      const child = Bun.spawn([join(import.meta.dir, "..", "bin", "waymark"), "serve"], {
        env: {
          ...process.env,
          WAYMARK__DATA__DIR: over().dataDir,
          WAYMARK__DATABASE__URL: proxy.through(fresh.url),
          WAYMARK__SERVER__PORT: "0",
          WAYMARK__SERVER__WORKERS: workers,
          WAYMARK__LOGGING__FORMAT: "json",
        },
        stderr: "pipe",
        stdout: "ignore",
      });
      let log = "";
      for await (const chunk of child.stderr) {
        const isFirst = !log.includes(WAITING);
        log += new TextDecoder().decode(chunk);
        if (!isFirst || !log.includes(WAITING)) continue;
        child.kill("SIGHUP");
        // A second signal would kill it without a log line.
        child.kill("SIGTERM");
      }
      expect(await child.exited).toBe(5);
      expect(log).toContain("waymark: The database is not available (stopped during the wait;");
      expect(log).not.toContain("waymark:waymark@");
    },
  );

  test("a refused password and a missing database are not away: starts and commands end at once and name them", async () => {
    proxy.heal();
    const refused = { WAYMARK__DATABASE__URL: fresh.url.replace(/:[^:@]*@/, ":wrong-word@") };
    const missing = { WAYMARK__DATABASE__URL: inServer(fresh.url, "waymark_test_none") };
    for (const [settings, sentence] of [
      [refused, "waymark: PostgreSQL refused the password of the account '"],
      [missing, "waymark: PostgreSQL has no database 'waymark_test_none'"],
    ] as const)
      for (const command of [["serve", "--port", "0"], ["links", "list"], ["doctor"]]) {
        const { exitCode, stdout, stderr } = await over(settings).cli(command);
        const isDoctor = command[0] === "doctor";
        expect(exitCode).toBe(isDoctor ? 1 : 5);
        expect(isDoctor ? stdout : stderr).toContain(isDoctor ? sentence.replace("waymark: ", "") : sentence);
        expect(stdout + stderr).not.toMatch(/wrong-word|the start waits/);
      }
  });

  test("a command does not wait", async () => {
    proxy.sever();
    const { exitCode, stderr } = await over().cli(["links", "list"]);
    expect(exitCode).toBe(5);
    expect(stderr).toContain("Start it, or set database.url to where it is.");
  });
});

test("without Redis a server starts degraded", async () => {
  const installation = install({
    WAYMARK__CACHE__TYPE: "redis",
    WAYMARK__CACHE__REDIS_URL: "redis://:secret-word@127.0.0.1:1",
  });
  try {
    await installation.cli(["config", "set", "api.health_token", "the-health-token"]);
    const server = await installation.serve();
    const report = await fetch(`${server.url}/health`, {
      headers: { Authorization: "Bearer the-health-token" },
    });
    expect(report.status).toBe(200);
    expect(await report.json()).toMatchObject({
      data: { status: "degraded", checks: { cache: { status: "degraded", cache_type: "redis" } } },
    });
    expect(server.log()).toContain("Redis is away; continuing without it and reconnecting");
    expect(server.log()).not.toContain("secret-word");
    expect(await server.stop()).toBe(0);
  } finally {
    await installation.remove();
  }
});
