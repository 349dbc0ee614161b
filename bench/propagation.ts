/**
 * How long a change on one node stays invisible on another, with and without Redis:
 *
 *     eval "$(scripts/services env)"; bin/bun bench/propagation.ts [postgres|mysql|mariadb] [changes, 100]
 *
 * Two nodes, both real programs. A link is changed through the first and requested from the second repeatedly. The time
 * runs from the writer's answer to the second node's first new answer.
 */
import { type DialectName, serverUrl } from "../src/platform/db/fresh.test-support.ts";
import { type Cluster, startCluster } from "../test/support/cluster.ts";

const dialect = (process.argv[2] ?? "postgres") as DialectName;
const changes = Number(process.argv[3] ?? 100);
const redisUrl = process.env["WAYMARK_TEST_REDIS_URL"] ?? "";
if (serverUrl(dialect) === undefined || redisUrl === "") {
  throw new Error(`${dialect} and Redis are wanted: scripts/services up; eval "$(scripts/services env)"`);
}

async function measure({ nodes: [first, second] }: Cluster): Promise<number[]> {
  const client = first!.client();
  const times: number[] = [];
  const seen = async () =>
    (await fetch(`${second!.url()}/moving`, { redirect: "manual" })).headers.get("location");
  for (let version = 1; version <= changes; version++) {
    const target = `http://localhost/${version}`;
    // At a random moment between two reads of the change feed.
    await Bun.sleep(Math.random() * 500);
    await client.call("PUT", "/links/moving", { target });
    const begun = performance.now();
    while ((await seen()) !== target) await Bun.sleep(0);
    times.push(performance.now() - begun);
  }
  return times.sort((a, b) => a - b);
}

for (const [name, url] of [
  ["with Redis", redisUrl],
  ["without", ""],
] as const) {
  const cluster = await startCluster({
    dialect,
    redisUrl: url,
    nodes: 2,
    workers: 1,
    links: ["moving,http://localhost/0"],
  });
  try {
    const times = await measure(cluster);
    const at = (share: number) => `${times[Math.ceil(times.length * share) - 1]!.toFixed(1)} ms`;
    console.log(
      `${dialect} ${name}: median ${at(0.5)}, 95 % ${at(0.95)}, longest ${at(1)} (${changes} changes)`,
    );
  } finally {
    await cluster.remove();
  }
}
