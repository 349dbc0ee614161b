/**
 * The time of a metrics scrape with a million links: quiet, while 64 connections request redirects at full rate, and
 * right after, while clicks are counted.
 *
 *     bin/bun bench/scrape.ts [links] [scrapes]
 *
 * One worker on the first core, then two on both. The scraper has the second core with priority, so that its own waits
 * for the core do not count. Each time stands beside that of an empty answer (/health/live) in the same seconds, which
 * shows the delay of the machine and of the 64 connections. The goal is the p95. Needs wrk, and root for the priority.
 */
import { join } from "node:path";
import { createDataFolder, setConfig } from "./lib/data-folder.ts";
import { requireTools, runLoad } from "./lib/load.ts";
import type { Scraped } from "./lib/scraper.ts";
import type { Subject } from "./lib/subject.ts";
import { startWaymark } from "./lib/subjects.ts";

const COUNT = Number(process.argv[2] ?? 1_000_000);
const SCRAPES = Number(process.argv[3] ?? 100);
const GOAL_MS = 5;
const PAUSE_MS = 50;
const TOKEN = "a-token-for-monitors";
const SETTLE_MS = 3_000;
/** One core counts the clicks of the other's load, which takes time. */
const MOST_SETTLE_MS = 60_000;

requireTools();
const data = await createDataFolder(COUNT);
try {
  setConfig(data, "api.health_token", TOKEN);
  console.log(`${COUNT.toLocaleString("en")} links, ${SCRAPES} scrapes each; milliseconds`);
  console.log(`the goal is ${GOAL_MS} at p95`.padEnd(30) + "   scrape: p50, p95, max   empty: p50, p95, max");
  await measure("one worker", {});
  await measure("two workers", { WAYMARK__SERVER__WORKERS: "2", CORES: "0,1" });
} finally {
  data.remove();
}

async function measure(name: string, environment: Record<string, string>): Promise<void> {
  const server = await startWaymark(data, environment);
  try {
    await settle(server);
    tell(`${name}, quiet`, await scrape(server));
    const seconds = Math.ceil((SCRAPES * (PAUSE_MS + 2 * GOAL_MS)) / 1000) + 2;
    const [load, busy] = await Promise.all([
      runLoad({ port: server.port, prefix: "c", count: COUNT, seconds }),
      Bun.sleep(1_000).then(() => scrape(server)),
    ]);
    tell(`${name}, under load`, busy, `${Math.round(load.perSecond).toLocaleString("en")} redirects/s`);
    tell(`${name}, right after it`, await scrape(server));
  } finally {
    await server.stop();
  }
}

/** Waits until the links are loaded and all clicks are counted. */
async function settle({ port }: Subject): Promise<void> {
  const begun = performance.now();
  for (let text = ""; !/^svc_clicks_buffer_entries 0$/m.test(text); ) {
    if (performance.now() - begun > MOST_SETTLE_MS) throw new Error("clicks are not being counted");
    await Bun.sleep(SETTLE_MS);
    const headers = { Authorization: `Bearer ${TOKEN}` };
    text = await (await fetch(`http://127.0.0.1:${port}/health/metrics`, { headers })).text();
  }
}

async function scrape({ port }: Subject): Promise<Scraped> {
  const script = join(import.meta.dir, "lib", "scraper.ts");
  const bun = join(import.meta.dir, "..", "bin", "bun");
  const command = ["nice", "-n", "-10", "taskset", "-c", "1", bun, script];
  const child = Bun.spawn([...command, `${port}`, TOKEN, `${SCRAPES}`, `${PAUSE_MS}`], { stderr: "inherit" });
  return JSON.parse(await new Response(child.stdout).text()) as Scraped;
}

function tell(what: string, { scrapes, live }: Scraped, note = ""): void {
  const cells = [scrapes, live].flatMap((times) => {
    const sorted = times.toSorted((a, b) => a - b);
    const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!;
    return [at(0.5), at(0.95), at(1)].map((value) => value.toFixed(2).padStart(8));
  });
  console.log(`${what.padEnd(30)}${cells.join("")}   ${note}`);
}
