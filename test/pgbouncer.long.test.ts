/** A server whose database is behind PgBouncer in transaction mode. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Subprocess } from "bun";
import { Client } from "pg";
import {
  createFresh,
  type Fresh,
  SERVER_VARIABLES,
  serverUrl,
} from "../src/platform/db/fresh.test-support.ts";
import { freePort } from "./support/proxies.ts";
import { installWithPassword, signIn } from "./support/session.ts";
import { until } from "./support/until.ts";
import { type Installation, install } from "./support/waymark.ts";

const PROGRAM = Bun.which("pgbouncer", { PATH: `${process.env["PATH"]}:/usr/sbin` });
/** It does not run as root. */
const ACCOUNT = process.getuid?.() === 0 ? ["-u", "nobody"] : [];
/** Fewer connections than Waymark opens, so that each session uses each of them. */
const SERVER_CONNECTIONS = 3;

const isMissing = serverUrl("postgres") === undefined || PROGRAM === null;
if (PROGRAM === null) console.warn("PgBouncer is not installed (Debian: pgbouncer), and is not tested.");

describe.skipIf(isMissing)(`behind PgBouncer (${SERVER_VARIABLES.postgres})`, () => {
  let fresh: Fresh;
  const folders: string[] = [];
  const bouncers: Subprocess[] = [];
  const installations: Installation[] = [];

  beforeAll(async () => {
    fresh = await createFresh("postgres");
  });
  afterAll(async () => {
    for (const installation of installations) await installation.remove();
    for (const bouncer of bouncers) {
      bouncer.kill("SIGINT");
      await bouncer.exited;
    }
    for (const folder of folders) rmSync(folder, { recursive: true });
    await fresh.drop();
  });

  /** Returns the URL of the same database through PgBouncer. */
  async function bounce(settings: readonly string[]): Promise<string> {
    const { hostname, port, username, password, pathname } = new URL(fresh.url);
    const listening = await freePort();
    const folder = mkdtempSync(join(tmpdir(), "waymark-pgbouncer-"));
    folders.push(folder);
    chmodSync(folder, 0o755);
    const database = `* = host=${hostname} port=${port || 5432} user=${username} password=${password}`;
    const own = [
      `listen_addr = 127.0.0.1`,
      `listen_port = ${listening}`,
      "unix_socket_dir =",
      "auth_type = any",
    ];
    const file = join(folder, "pgbouncer.ini");
    writeFileSync(file, ["[databases]", database, "[pgbouncer]", ...own, ...settings, ""].join("\n"));
    bouncers.push(Bun.spawn([PROGRAM!, "-q", ...ACCOUNT, file], { stdio: ["ignore", "ignore", "ignore"] }));
    const url = `postgres://${username}@127.0.0.1:${listening}${pathname}`;
    await until(async () => (await asked(url, "select 1 as one")) !== null);
    return url;
  }

  async function asked(url: string, text: string): Promise<Record<string, unknown> | null> {
    const client = new Client({ connectionString: url });
    client.on("error", () => {});
    try {
      await client.connect();
      return (await client.query(text)).rows[0];
    } catch {
      return null;
    } finally {
      await client.end().catch(() => {});
    }
  }

  test("the start names it and the setting that is missing", async () => {
    const url = await bounce(["pool_mode = transaction"]);
    const installation = install({ WAYMARK__DATABASE__URL: url });
    installations.push(installation);
    const { exitCode, stderr } = await installation.cli(["serve"]);
    expect(stderr).toContain("PgBouncer stands in front of PostgreSQL");
    expect(stderr).toContain("ignore_startup_parameters = statement_timeout");
    expect(exitCode).toBe(5);
  });

  test("transactions share few sessions, every click counts, and no setting is left for other clients", async () => {
    const pool = ["pool_mode = transaction", `default_pool_size = ${SERVER_CONNECTIONS}`];
    const url = await bounce([...pool, "ignore_startup_parameters = statement_timeout"]);
    const installation = await installWithPassword({ WAYMARK__DATABASE__URL: url });
    installations.push(installation);
    const server = await installation.serve();
    const client = await signIn(server.url);
    const codes = Array.from({ length: 40 }, (_, at) => `code-${at}`);
    const made = await Promise.all(
      codes.map((code) => client.call("POST", "/links", { code, target: "https://example.com/" })),
    );
    expect(made.map(({ status }) => status)).toEqual(codes.map(() => 201));
    for (const code of codes) await fetch(`${server.url}/${code}`, { redirect: "manual" });
    await until(async () => (await client.call("GET", "/stats")).body.data.total_clicks === codes.length);
    const reports = [
      "/analytics/trends",
      "/analytics/report?by=country",
      "/links?sort=click_count",
      "/events",
    ];
    for (const report of reports) expect((await client.call("GET", report)).status).toBe(200);
    expect((await installation.cli(["doctor"])).stderr).toBe("");

    const settings = ["statement_timeout", "lock_timeout", "work_mem"];
    const shown = `select ${settings.map((name) => `current_setting('${name}') as ${name}`).join(", ")}`;
    const usual = await asked(fresh.url, shown);
    const seen = await Promise.all(Array.from({ length: 12 }, () => asked(url, `${shown}, pg_sleep(0.05)`)));
    for (const one of seen) expect(one).toMatchObject(usual!);
    expect(await server.stop()).toBe(0);
  });
});
