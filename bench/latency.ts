/**
 * The latency of redirects during administrative work: p99 at half load, in quiet rounds that alternate with rounds of
 * requests of programs, lists, searches, exports and imports, with 1,000,000 links on SQLite.
 *
 *     bin/bun bench/latency.ts [rounds] [seconds] [work,work] [another checkout]
 *
 * wrk makes the load, with the number of connections whose rate is closest to half of the rate of 64. lib/probe.ts
 * measures latencies with a thousand requests a second beside it; it has priority, so that its own waits for a core do
 * not count. Load and probe have the second core; the server may use both. Needs two cores, wrk, and root for the
 * priority.
 */
import { createDataFolder } from "./lib/data-folder.ts";
import { requireTools, runLoad } from "./lib/load.ts";
import { startWaymark } from "./lib/subjects.ts";
import { startAdministrator } from "./lib/administrator.ts";
import { join } from "node:path";

const ROUNDS = Number(process.argv[2] ?? 3);
const SECONDS = Number(process.argv[3] ?? 5);
/** Names of the work; by default all. */
const WANTED = process.argv[4]?.split(",");
const CHECKOUT = process.argv[5];
const LINKS = 1_000_000;
const PROBES_PER_SECOND = 1_000;

type Probed = { answered: number; errors: number; p50: number; p99: number; p999: number; max: number };

requireTools();
const data = await createDataFolder(LINKS);
const server = await startWaymark(data, { CORES: "0,1" }, CHECKOUT);
try {
  const administrator = await startAdministrator(server.port, data);
  await Bun.sleep(3_000);
  const connections = await connectionsOfHalfLoad();
  console.log("                         p50 ms    p99 ms  p99.9 ms    max ms");
  const ratios: Record<string, number[]> = {};
  for (let round = 0; round < ROUNDS; round++) {
    const quiet = await probed(connections);
    print("quiet", quiet);
    for (const [name, work] of Object.entries(administrator.work)) {
      if (WANTED?.includes(name) === false) continue;
      const busy = await administrator.during(work, () => probed(connections));
      print(name, busy);
      (ratios[name] ??= []).push(busy.p99 / quiet.p99);
    }
  }
  for (const [name, values] of Object.entries(ratios)) {
    console.log(`${name}: p99 is ${median(values).toFixed(2)} of its quiet value (goal: ≤ 2)`);
  }
} finally {
  await server.stop();
  data.remove();
}

async function load(connections: number, seconds: number): Promise<number> {
  const { perSecond } = await runLoad({
    port: server.port,
    prefix: "c",
    count: LINKS,
    seconds,
    connections,
  });
  return perSecond;
}

/** The number of connections whose rate comes closest. */
async function connectionsOfHalfLoad(): Promise<number> {
  const whole = await load(64, 3);
  let last = 0;
  for (let connections = 1; ; connections++) {
    const rate = await load(connections, 2);
    if (rate < whole / 2) {
      last = rate;
      continue;
    }
    const isCloser = rate - whole / 2 <= whole / 2 - last;
    const [had, most] = [isCloser ? rate : last, whole].map((one) => Math.round(one).toLocaleString("en"));
    const chosen = isCloser ? connections : connections - 1;
    console.log(
      `${LINKS.toLocaleString("en")} links, ${had} redirects a second over ${chosen} connections, of ${most} over 64`,
    );
    return Math.max(1, chosen);
  }
}

async function probed(connections: number): Promise<Probed> {
  const script = join(import.meta.dir, "lib", "probe.ts");
  const bun = join(import.meta.dir, "..", "bin", "bun");
  const options = [server.port, LINKS, PROBES_PER_SECOND, SECONDS].map(String);
  const child = Bun.spawn(["nice", "-n", "-10", "taskset", "-c", "1", bun, script, ...options], {
    stderr: "inherit",
  });
  const [text] = await Promise.all([new Response(child.stdout).text(), load(connections, SECONDS + 1)]);
  const result = JSON.parse(text) as Probed;
  if (result.errors > 0) throw new Error(`${result.errors} wrong answers`);
  return result;
}

function print(name: string, { p50, p99, p999, max }: Probed): void {
  console.log(name.padEnd(21) + [p50, p99, p999, max].map((value) => value.toFixed(2).padStart(10)).join(""));
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1]!;
}
