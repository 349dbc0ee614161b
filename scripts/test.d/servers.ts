/** The servers that tests use. */
import { join } from "node:path";
import type { Outcome } from "./report.ts";

const SERVERS = {
  PostgreSQL: "WAYMARK_TEST_POSTGRES_URL",
  MySQL: "WAYMARK_TEST_MYSQL_URL",
  MariaDB: "WAYMARK_TEST_MARIADB_URL",
  Redis: "WAYMARK_TEST_REDIS_URL",
  S3: "WAYMARK_TEST_S3_URL",
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

/** Reports missing servers, as failures if they are required. */
export function judgeServers(env: Environment, outcome: Outcome, say: (line: string) => void): void {
  const required = env.WAYMARK_TEST_REQUIRE_SERVICES === "1";
  for (const [kind, name] of Object.entries(SERVERS)) {
    if (env[name]) continue;
    if (required) outcome.failed.push(`${kind} is required, ${name} is not set`);
    else say(`skipped: ${kind} tests, ${name} is not set; \`scripts/services up\` starts one`);
  }
  if (required) {
    outcome.failed.push(...outcome.skipped.map((name) => `${name} (skipped, and every test is required)`));
    outcome.skipped = [];
  }
}
