/**
 * The time from the start of the process to its first redirect, with one link in the database.
 *
 *     bin/bun bench/start.ts [runs]
 *
 * The goal is 400 ms. The time of `bin/bun --version`, the runtime alone, is printed beside it as a measure of the
 * machine.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "./lib/subject.ts";

const RUNS = Number(process.argv[2] ?? 10);
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
} finally {
  rmSync(dataDir, { recursive: true });
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
