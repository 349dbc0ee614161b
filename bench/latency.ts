/**
 * How long redirects wait while administrators work: p99 at half load, quiet and then while somebody lists, searches,
 * exports and imports, in turn with quiet rounds, against 1,000,000 links on SQLite.
 *
 *     bin/bun bench/latency.ts [rounds] [seconds]
 *
 * The load is open-loop at half the rate that wrk reaches, from a process on the second core; the server may use
 * both cores, as on any machine. Needs two cores and wrk.
 */
import { createDataFolder } from "./lib/data-folder.ts";
import { requireTools, runLoad } from "./lib/load.ts";
import { startWaymark } from "./lib/subjects.ts";
import { startAdministrator } from "./lib/administrator.ts";
import { join } from "node:path";

const ROUNDS = Number(process.argv[2] ?? 3);
const SECONDS = Number(process.argv[3] ?? 5);
const LINKS = 1_000_000;

type Paced = { answered: number; errors: number; p50: number; p99: number; p999: number; max: number };

requireTools();
const data = await createDataFolder(LINKS);
const server = await startWaymark(data, { CORES: "0,1" });
try {
  const administrator = await startAdministrator(server.port, data);
  await Bun.sleep(3_000);
  const { perSecond } = await runLoad({ port: server.port, prefix: "c", count: LINKS, seconds: 3 });
  const rate = Math.round(perSecond / 2);
  console.log(
    `${LINKS.toLocaleString("en")} links, ${rate.toLocaleString("en")} redirects a second (half of what wrk reaches)`,
  );
  console.log("                         p50 ms    p99 ms  p99.9 ms    max ms");
  const ratios: Record<string, number[]> = {};
  for (let round = 0; round < ROUNDS; round++) {
    const quiet = await paced(rate);
    print("quiet", quiet);
    for (const [name, work] of Object.entries(administrator.work)) {
      const busy = await administrator.during(work, () => paced(rate));
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

async function paced(rate: number): Promise<Paced> {
  const script = join(import.meta.dir, "lib", "paced-load.ts");
  const bun = join(import.meta.dir, "..", "bin", "bun");
  const child = Bun.spawn(
    ["taskset", "-c", "1", bun, script, ...[server.port, LINKS, rate, SECONDS].map(String)],
    {
      stderr: "inherit",
    },
  );
  const result = JSON.parse(await new Response(child.stdout).text()) as Paced;
  if (result.errors > 0) throw new Error(`${result.errors} wrong answers`);
  return result;
}

function print(name: string, { p50, p99, p999, max }: Paced): void {
  console.log(name.padEnd(21) + [p50, p99, p999, max].map((value) => value.toFixed(2).padStart(10)).join(""));
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1]!;
}
