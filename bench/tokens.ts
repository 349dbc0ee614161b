/**
 * The time that the guard of an endpoint takes: for API tokens that it knows, beside the access token of a session and a
 * token with a wrong checksum. Rounds alternate; each call is measured alone.
 *
 *     bin/bun bench/tokens.ts [rounds] [tokens]
 *
 * The goal is the median of a known API token. Processor time covers all calls of the kind.
 */
import { Context } from "hono";
import { ADMIN_PASSWORD, Browser, createTestFolder, startAuth } from "../src/auth/auth.test-support.ts";
import { CONNECTION } from "../src/http/app.test-support.ts";
import type { HttpEnv } from "../src/http/endpoint.ts";
import { COMMAND } from "../src/lib/actor.ts";
import { SCOPES } from "../src/lib/access.ts";

const ROUNDS = Number(process.argv[2] ?? 20);
const TOKENS = Math.min(Number(process.argv[3] ?? 100), 100);
const CALLS = 5_000;
const GOAL_US = 20;

const folder = createTestFolder();
const harness = await startAuth(await folder.open());
try {
  await harness.auth.resetAdminPassword(ADMIN_PASSWORD, "bench");
  const browser = new Browser(harness);
  await browser.login(ADMIN_PASSWORD);
  const texts: string[] = [];
  for (let count = 0; count < TOKENS; count++) {
    const input = { name: `t${count}`, scopes: [...SCOPES] };
    texts.push((await harness.auth.apiTokens.create(0, input, COMMAND)).text);
  }
  const wrong = texts.map((text) => text.slice(0, -1) + (text.endsWith("0") ? "1" : "0"));
  const kinds: [name: string, bearers: readonly string[]][] = [
    ["API token, known", texts],
    ["API token, wrong checksum", wrong],
    ["access token of a session", [browser.get("svc_access")]],
  ];
  const found = new Map(kinds.map(([name]) => [name, { times: [] as number[], cpu: 0 }]));
  await Promise.all(kinds.map(([, bearers]) => measure(bearers)));
  for (let round = 0; round < ROUNDS; round++) {
    for (const [name, bearers] of kinds) {
      const { times, cpu } = await measure(bearers);
      const sums = found.get(name)!;
      sums.times.push(...times);
      sums.cpu += cpu;
    }
  }
  console.log("microseconds                   p50     p95     p99   processor");
  for (const [name, { times, cpu }] of found) {
    times.sort((a, b) => a - b);
    const shown = [at(times, 0.5), at(times, 0.95), at(times, 0.99), cpu / times.length];
    console.log(name.padEnd(27) + shown.map((value) => value.toFixed(1).padStart(8)).join(""));
  }
  const median = at(found.get("API token, known")!.times, 0.5);
  console.log(`a known API token: ${median.toFixed(1)} µs (goal: ≤ ${GOAL_US})`);
} finally {
  await folder.remove();
}

async function measure(bearers: readonly string[]): Promise<{ times: number[]; cpu: number }> {
  const guard = harness.auth.guard({ method: "GET", access: "editor", scope: "links" });
  const contexts = Array.from({ length: CALLS }, (_, index) => {
    const headers = { Authorization: `Bearer ${bearers[index % bearers.length]}` };
    const request = new Request("http://waymark.test/admin/v1/links", { headers });
    return new Context<HttpEnv>(request, { env: CONNECTION });
  });
  const times: number[] = [];
  const used = process.cpuUsage();
  for (const c of contexts) {
    const begun = performance.now();
    await guard(c, async () => {})?.catch(() => undefined);
    times.push((performance.now() - begun) * 1000);
  }
  const { user, system } = process.cpuUsage(used);
  return { times, cpu: user + system };
}

function at(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!;
}
