/** HTTPS without a proxy, with the whole program and a real authority: see WAYMARK_TEST_PEBBLE in scripts/services. */
import { SQL } from "bun";
import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { connect } from "node:tls";
import { createFresh, type Fresh, serverUrl } from "../../src/platform/db/fresh.test-support.ts";
import { PEBBLE, type Pebble, startPebble } from "../support/pebble.ts";
import { freePort } from "../support/proxies.ts";
import { until } from "../support/until.ts";
import { type Installation, install, type RunningWaymark, type Settings } from "../support/waymark.ts";

const HEALTH = { Authorization: "Bearer a-token-of-the-test" };
/** Where the program is killed, in the order of an order. */
const STEPS = "account registered ordered challenged begun keyed finalized issued".split(" ");

describe.skipIf(PEBBLE === undefined)("with pebble", () => {
  let httpPort: number;
  let pebble: Pebble;
  let root: string;
  const cleanUps: (() => unknown)[] = [];
  beforeAll(async () => {
    httpPort = await freePort();
    pebble = await startPebble(httpPort);
    root = await pebble.root();
  });
  afterAll(async () => {
    for (const cleanUp of cleanUps.toReversed()) await cleanUp();
    await pebble?.remove();
  });

  async function installed(host: string, more: Settings = {}): Promise<Installation & { port: number }> {
    const port = await freePort();
    const made = install({
      NODE_EXTRA_CA_CERTS: pebble.caFile,
      WAYMARK__SERVER__ACME: "true",
      WAYMARK__SERVER__ACME_DIRECTORY: pebble.directory,
      WAYMARK__SERVER__PORT: String(port),
      WAYMARK__SERVER__HTTP_PORT: String(httpPort),
      ...more,
    });
    cleanUps.push(() => made.remove());
    await made.cli(["links", "add", "https://example.com/", "--code", "a"]);
    await made.run(["config", "set", "features.public_url", `https://${host}:${port}`]);
    await made.run(["config", "set", "api.health_token", "a-token-of-the-test"]);
    return { ...made, port };
  }

  /** A visit on a connection of its own, as browsers make it: null without a valid certificate. */
  const visit = (port: number, host: string, path = "/a", address = "127.0.0.1") =>
    fetch(`https://${address}:${port}${path}`, {
      headers: { Host: host, ...HEALTH },
      redirect: "manual",
      keepalive: false,
      tls: { ca: root, serverName: host },
    }).catch(() => null);
  const isServed = async (port: number, host: string, address?: string) =>
    (await visit(port, host, "/a", address)) !== null;

  function serialOf(port: number, host: string): Promise<string> {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const socket = connect({ port, host: "127.0.0.1", servername: host, rejectUnauthorized: false }, () => {
      resolve(socket.getPeerCertificate().serialNumber);
      socket.destroy();
    });
    socket.on("error", reject);
    return promise;
  }

  test("two hosts have HTTPS by themselves, port 80 leads there, and a new domain follows at once", async () => {
    const { run, serve, port, cli } = await installed("go.test");
    await run(["domains", "add", "two.test"]);
    const server = await serve();
    await until(async () => (await isServed(port, "go.test")) && (await isServed(port, "two.test")));
    expect((await visit(port, "go.test"))!.status).toBe(307);
    expect(await serialOf(port, "go.test")).not.toBe(await serialOf(port, "two.test"));
    const plain = (host: string) =>
      fetch(`http://127.0.0.1:${httpPort}/a?x=1`, { headers: { Host: host }, redirect: "manual" });
    expect((await plain("two.test")).headers.get("location")).toBe(`https://two.test:${port}/a?x=1`);
    expect([(await plain("evil.test")).status, (await plain("go.test")).status]).toEqual([421, 308]);
    await run(["domains", "add", "three.test"]);
    await until(() => isServed(port, "three.test"));
    const doctor = await cli(["doctor"]);
    expect(doctor.stdout).toMatch(/ok +certificates: three\.test is valid until /);
    expect(pebble.log()).not.toContain("evil.test");
    expect(await isServed(port, "evil.test")).toBe(false);
    expect(await server.stop()).toBe(0);
  });

  test("no request is lost while a certificate is renewed, with two workers", async () => {
    const { run, serve, port, dataDir } = await installed("new.test", { WAYMARK__SERVER__WORKERS: "2" });
    const server = await serve();
    await until(() => isServed(port, "new.test"));
    const before = await serialOf(port, "new.test");
    let [visits, isOver] = [0, false];
    const visitors = Array.from({ length: 3 }, async () => {
      for (; !isOver; visits++) expect((await visit(port, "new.test"))?.status).toBe(307);
    });
    const database = new Database(join(dataDir, "waymark.db"));
    database.run("pragma busy_timeout = 5000");
    database.run("update certificates set renew_at = 1");
    database.close();
    await run(["domains", "add", "further.test"]);
    await until(async () => (await serialOf(port, "new.test")) !== before);
    const reached = visits;
    await until(() => visits > reached + 20);
    isOver = true;
    await Promise.all(visitors);
    await server.stop();
  });

  test("a refused challenge is in health, doctor and log, and the other hosts are served", async () => {
    await pebble.lead("away.test", "127.0.0.9");
    const { run, serve, port, cli } = await installed("well.test");
    await run(["domains", "add", "away.test"]);
    const server = await serve();
    const health = async () => {
      const report = (await (await visit(port, "well.test", "/health"))?.json()) as
        | { data: { checks: { certificates: { status: string; message: string } } } }
        | undefined;
      return report?.data.checks.certificates;
    };
    await until(async () => (await health())?.status === "degraded");
    expect((await health())!.message).toMatch(
      /^away\.test has no certificate\. The authority refuses: .* The next try/,
    );
    expect((await cli(["doctor"])).stdout).toMatch(/FAILURE +certificates: away\.test has no certificate/);
    expect(server.log()).toContain("certificates could not be ordered");
    await pebble.lead("away.test", "127.0.0.1");
    expect(await cli(["certificates", "retry", "foreign.test"])).toMatchObject({ exitCode: 3 });
    await run(["certificates", "retry", "away.test"]);
    // The job would run within a minute.
    await run(["domains", "add", "nudge.test"]);
    await until(() => isServed(port, "away.test"));
    expect(await run(["certificates", "list"])).toMatch(/^away\.test +\d{4}-/m);
    await server.stop();
  });

  test("killed at each step, the next start ends the same order", async () => {
    const { run, serve, port } = await installed("step-account.test");
    const before = pebble.issued();
    let server: RunningWaymark | null = null;
    for (const step of STEPS) {
      if (step !== "account") await run(["domains", "add", `step-${step}.test`]);
      server = await serve({ WAYMARK_FAULT: `acme.${step}` });
      expect([step, await server.process.exited]).toEqual([step, 137]);
      server = await serve();
      await until(() => isServed(port, `step-${step}.test`));
      await server.stop();
    }
    expect(pebble.issued() - before).toBe(STEPS.length);
  });

  describe.skipIf(serverUrl("postgres") === undefined)("two nodes (WAYMARK_TEST_POSTGRES_URL)", () => {
    let fresh: Fresh;
    beforeAll(async () => {
      fresh = await createFresh("postgres");
    });
    afterAll(() => fresh.drop());

    test("one orders, also what a killed one began, either gives the proofs, and both serve", async () => {
      const hosts = ["nodes.test", ...Array.from({ length: 5 }, (_, at) => `node-${at}.test`)];
      const shared = {
        WAYMARK__DATABASE__URL: fresh.url,
        WAYMARK__STORAGE__SECRET_KEY: "ab".repeat(32),
      };
      const first = await installed("nodes.test", shared);
      const second = install({
        NODE_EXTRA_CA_CERTS: pebble.caFile,
        WAYMARK__SERVER__ACME: "true",
        WAYMARK__SERVER__ACME_DIRECTORY: pebble.directory,
        WAYMARK__SERVER__HOST: "127.0.0.2",
        WAYMARK__SERVER__PORT: String(first.port),
        WAYMARK__SERVER__HTTP_PORT: String(httpPort),
        ...shared,
      });
      cleanUps.push(() => second.remove());
      for (const [at, host] of hosts.entries())
        await pebble.lead(host, at % 2 === 0 ? "127.0.0.2" : "127.0.0.1");
      const before = pebble.issued();
      const killed = await first.serve({ WAYMARK_FAULT: "acme.challenged" });
      expect(await killed.process.exited).toBe(137);
      // As after two minutes.
      await using sql = new SQL(fresh.url);
      await sql`update leases set expires_at = 0 where name = 'certificates'`;
      const servers = [await second.serve()];
      await until(() => isServed(first.port, "nodes.test", "127.0.0.2"));
      servers.push(await first.serve());
      for (const host of hosts.slice(1)) await first.run(["domains", "add", host]);
      for (const host of hosts)
        for (const address of ["127.0.0.1", "127.0.0.2"])
          await until(() => isServed(first.port, host, address));
      expect(pebble.issued() - before).toBe(hosts.length);
      await Promise.all(servers.map((server) => server.stop()));
    });
  });
});
