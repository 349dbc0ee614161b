/** The servers that tests use. */
import { join } from "node:path";
import { CHROMIUM } from "../../test/support/chromium.ts";
import type { Outcome } from "./report.ts";

const SERVERS = {
  PostgreSQL: "WAYMARK_TEST_POSTGRES_URL",
  MySQL: "WAYMARK_TEST_MYSQL_URL",
  MariaDB: "WAYMARK_TEST_MARIADB_URL",
  Redis: "WAYMARK_TEST_REDIS_URL",
  S3: "WAYMARK_TEST_S3_URL",
  ACME: "WAYMARK_TEST_PEBBLE",
} as const;

export type Environment = Readonly<Record<string, string | undefined>>;

/** The environment, with the running servers of scripts/services for those that are not set. */
export async function withServers(root: string, env: Environment): Promise<Environment> {
  const script = join(root, "scripts/services");
  if (Object.values(SERVERS).every((name) => env[name]) || !(await Bun.file(script).exists())) return env;
  const child = Bun.spawn(["bash", script, "env"], { env, stdio: ["ignore", "pipe", "ignore"] });
  const lines = await new Response(child.stdout).text();
  const found = [...lines.matchAll(/^export (\w+)=(.*)$/gm)]
    .map(([, name, value]) => [name!, value!] as const)
    .filter(([name]) => !env[name]);
  return { ...env, ...Object.fromEntries(found) };
}

/** The environment without the servers that it names. */
export const withoutServers = (env: Environment): Environment => ({
  ...env,
  ...Object.fromEntries(Object.values(SERVERS).map((name) => [name, undefined])),
});

export const hasServers = (env: Environment): boolean =>
  Object.values(SERVERS).some((name) => Boolean(env[name]));

/** Reports a missing browser, and missing servers, as failures if they are required. */
export function checkServers(env: Environment, outcome: Outcome, say: (line: string) => void): void {
  const required = env["WAYMARK_TEST_REQUIRE_SERVICES"] === "1";
  const missing = Object.entries(SERVERS).filter(([, name]) => !env[name]);
  if (CHROMIUM === null && outcome.skipped.length > 0)
    say("skipped: tests in a browser; Chromium is not installed");
  if (required) {
    for (const [kind, name] of missing) outcome.failed.push(`${kind} is required, ${name} is not set`);
    outcome.failed.push(...outcome.skipped.map((name) => `${name} (skipped, and every test is required)`));
    outcome.skipped = [];
  } else if (missing.length === Object.keys(SERVERS).length) {
    say("skipped: tests of servers; `scripts/services up` starts them, `npm run test:ci` uses them");
  } else {
    for (const [kind, name] of missing) say(`skipped: ${kind} tests, ${name} is not set`);
  }
}
