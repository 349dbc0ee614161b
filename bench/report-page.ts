/**
 * The page of a report over 1,000 links with 10,000,000 clicks in a year: `bin/bun bench/report-page.ts [clicks]`. The
 * time of its figures, without those of other visitors, and of its HTML; first its job adds up past days. Runs on
 * SQLite. The first run creates the database and
 * keeps it (.cache/bench).
 */
import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { sql } from "kysely";
import { createAnalytics } from "../src/clicks/analytics/service.ts";
import { COMMAND } from "../src/lib/actor.ts";
import { silentLogger } from "../src/lib/logger.ts";
import { createLinkSets } from "../src/links/list/link-set.repository.ts";
import { EVERYTHING } from "../src/links/list/filter.ts";
import { migrateUp } from "../src/platform/db/migrate.ts";
import { openDatabase } from "../src/platform/db/database.ts";
import { createFigures } from "../src/reports/figures.ts";
import { reportPage } from "../src/reports/report-page.ts";
import { testVisitorPages } from "../src/visitors/pages.test-support.ts";
import { writeHistory } from "./lib/click-history.ts";
import { processorMs } from "./lib/processor.ts";

const CLICKS = Number(process.argv[2] ?? 10_000_000);
const NOW = Date.parse("2026-11-20T13:37:00Z");
const LINKS = 1_000;
const GOAL_MS = 300;
const RUNS = 9;
const FOLDER = join(import.meta.dir, "../.cache/bench");
const FILE = join(FOLDER, `report-page-${CLICKS}.db`);

const open = (url: string, threads: boolean) =>
  openDatabase({ url, poolSize: 4 }, { threads, logger: silentLogger });

async function make(): Promise<void> {
  if (existsSync(FILE)) return;
  mkdirSync(FOLDER, { recursive: true });
  const partial = `${FILE}.partial`;
  for (const end of ["", "-wal", "-shm"]) rmSync(partial + end, { force: true });
  const database = await open(`sqlite:${partial}`, false);
  await migrateUp(database, { logger: silentLogger });
  await sql.raw("pragma synchronous = off").execute(database.write);
  await writeHistory(database, { clicks: CLICKS, links: LINKS, days: 365, end: NOW }, (day) =>
    process.stdout.write(`\rday ${day} of 365`),
  );
  await database.close();
  renameSync(partial, FILE);
}

await make();
const database = await open(`sqlite:${FILE}`, true);
const clock = { now: () => NOW };
const sets = createLinkSets(database);
const figuresOf = createFigures({
  analytics: createAnalytics({ database, clock }),
  links: { by: () => ({ chosen: () => sets.find({ ids: null, filter: EVERYTHING }) }) },
  eyes: { of: async () => COMMAND },
  names: { current: async ({ filter }) => filter },
  recordsDetails: () => true,
  zone: () => "UTC",
  clock,
});
const look = testVisitorPages.look({ headers: { get: () => "en" } });
let isSlow = false;
for (const days of [7, 30, 90, 365]) {
  const report = { by: 0, links: null, ownerId: 0, filter: {}, days, firstDay: null, lastDay: null };
  const [asked, busyKeeping] = [performance.now(), process.cpuUsage()];
  await figuresOf.keep(report, new AbortController().signal);
  const keeping = `${(performance.now() - asked).toFixed(0)} ms (cpu ${processorMs(busyKeeping).toFixed(0)})`;
  const times: number[] = [];
  let cpu = 0;
  let clicks = 0;
  for (let run = 0; run < RUNS; run++) {
    const [start, busy] = [performance.now(), process.cpuUsage()];
    const figures = await figuresOf.of(report);
    reportPage(look, "Report", figures!);
    times.push(performance.now() - start);
    cpu += processorMs(busy) / RUNS;
    clicks = figures!.human + figures!.automated;
  }
  times.sort((a, b) => a - b);
  const median = times[RUNS >> 1]!;
  isSlow ||= median > GOAL_MS;
  console.log(
    `${String(days).padStart(4)} days  ${clicks.toLocaleString("en").padStart(11)} clicks  median ${median.toFixed(0)} ms  best ${times[0]!.toFixed(0)} ms  cpu ${cpu.toFixed(0)} ms  added up in ${keeping}`,
  );
}
await database.close();
process.exit(isSlow ? 1 : 0);
