/**
 * The time from the start of the process to its first redirect, with one link in the database; what a server without
 * requests takes of a core and of memory; the processor time of `waymark version`, a command that needs nothing.
 *
 *     bin/bun bench/start.ts [runs]
 *
 * The goals are 400 ms, 0.3 %, 100 MB and 150 ms. Memory is the proportional set size of a server that shares the
 * pages of the runtime with no other process. The time of `bin/bun --version`, the runtime alone, is printed beside it
 * as a measure of the machine.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "./lib/subject.ts";

const RUNS = Number(process.argv[2] ?? 10);
const REST_SECONDS = 30;
/** First runs of jobs, and compilation. */
const SETTLE_MS = 60_000;
const root = join(import.meta.dir, "..");
const dataDir = mkdtempSync(join(tmpdir(), "waymark-bench-start-"));
const environment = { ...process.env, WAYMARK__DATA__DIR: dataDir, WAYMARK__LOGGING__LEVEL: "error" };

try {
  const add = Bun.spawnSync(
    [join(root, "bin", "waymark"), "links", "add", "https://example.com/", "--code", "first"],
    {
      env: environment,
    },
  );
  if (add.exitCode !== 0) throw new Error(add.stderr.toString());
  const [starts, bare]: number[][] = [[], []];
  for (let run = 0; run < RUNS; run++) {
    bare!.push(timeOf(() => Bun.spawnSync([join(root, "bin", "bun"), "--version"])));
    starts!.push(await startOnce());
  }
  console.log(
    `start to first redirect: median ${median(starts!).toFixed(0)} ms, slowest ${Math.max(...starts!).toFixed(0)} ms (goal: ≤ 400 ms)`,
  );
  console.log(`the runtime alone:       median ${median(bare!).toFixed(0)} ms`);
  const { share, own, mapped } = await rest();
  console.log(
    `without requests:        ${(share * 100).toFixed(2)} % of a core, ${(own + mapped).toFixed(0)} MB: ${own.toFixed(0)} of its own, ${mapped.toFixed(0)} of files (goal: ≤ 0.3 %, ≤ 100 MB)`,
  );
  const versions = Array.from({ length: RUNS }, () => {
    const { resourceUsage } = Bun.spawnSync([join(root, "bin", "waymark"), "version"]);
    return Number(resourceUsage.cpuTime.total) / 1000;
  });
  console.log(
    `waymark version:         median ${median(versions).toFixed(0)} ms of processor time (goal: ≤ 150 ms)`,
  );
} finally {
  rmSync(dataDir, { recursive: true });
}

/** Of a server that nobody asks, once it has settled. `own` and `mapped` in MB. */
async function rest(): Promise<{ share: number; own: number; mapped: number }> {
  const server = Bun.spawn([join(root, "bin", "waymark"), "serve", "--port", "0"], {
    env: environment,
    stdio: ["ignore", "ignore", "inherit"],
  });
  /** In hundredths of a second: fields 14 and 15 of proc_pid_stat(5). */
  const ticks = () => {
    const fields = readFileSync(`/proc/${server.pid}/stat`, "utf8").split(") ")[1]!.split(" ");
    return Number(fields[11]) + Number(fields[12]);
  };
  await Bun.sleep(SETTLE_MS);
  const before = ticks();
  await Bun.sleep(REST_SECONDS * 1000);
  const share = (ticks() - before) / 100 / REST_SECONDS;
  const memory = readFileSync(`/proc/${server.pid}/smaps_rollup`, "utf8");
  const megabytes = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(memory)![1]) / 1024;
  server.kill("SIGTERM");
  await server.exited;
  const own = megabytes("Pss_Anon");
  return { share, own, mapped: megabytes("Rss") - own };
}

async function startOnce(): Promise<number> {
  const port = freePort();
  const begun = performance.now();
  const server = Bun.spawn([join(root, "bin", "waymark"), "serve"], {
    env: { ...environment, WAYMARK__SERVER__PORT: String(port) },
    stdio: ["ignore", "ignore", "inherit"],
  });
  for (;;) {
    const status = await fetch(`http://127.0.0.1:${port}/first`, { redirect: "manual" }).then(
      (answer) => answer.status,
      () => 0,
    );
    if (status === 307) break;
    await Bun.sleep(1);
  }
  const took = performance.now() - begun;
  server.kill("SIGTERM");
  await server.exited;
  return took;
}

function timeOf(run: () => void): number {
  const begun = performance.now();
  run();
  return performance.now() - begun;
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1]!;
}
