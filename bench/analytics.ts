/**
 * All analytics endpoints over 10,000,000 clicks on 100,000 links in a year: `bin/bun bench/analytics.ts [clicks]`,
 * with `--reports` only reports under the filter. Runs
 * on SQLite and, with WAYMARK_TEST_POSTGRES_URL, on PostgreSQL. Each request goes through the service as in the server,
 * SQLite's threads included. Ranges end now or up to a month ago, at any millisecond, so most have two edges. The first
 * run creates the databases and keeps them (.cache/bench, database waymark_bench_…). Then the export of a million rows:
 * its time, memory and longest block of the event loop. `cpu` is processor time of this process, SQLite included; on a
 * busy machine it says more.
 */
import { processorMs } from "./lib/processor.ts";
import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { sql } from "kysely";
import { createClickExport } from "../src/clicks/analytics/export.ts";
import type { DateRange } from "../src/clicks/analytics/range.ts";
import { type Analytics, createAnalytics } from "../src/clicks/analytics/service.ts";
import { DAY_MS } from "../src/clicks/rollups/time-buckets.ts";
import { type Database, openDatabase } from "../src/platform/db/database.ts";
import { migrateUp } from "../src/platform/db/migrate.ts";
import { silentLogger } from "../src/lib/logger.ts";
import { createLinkSets } from "../src/links/list/link-set.repository.ts";
import type { Visitors } from "../src/lib/visitors.ts";
import { keyOfLink } from "./lib/click-links.ts";
import { type History, writeHistory } from "./lib/click-history.ts";
import { type AskSets, REPORTS_OF_LINKS, REPORTS_OF_VALUES } from "./lib/report-requests.ts";

const CLICKS = Number(process.argv.slice(2).find((word) => /^\d+$/.test(word)) ?? 10_000_000);
const NOW = Date.parse("2026-11-20T13:37:00Z");
const HISTORY: History = { clicks: CLICKS, links: 100_000, days: 365, end: NOW };
const RUNS = 40;
/** Reports on people against those on all, the median of pairs. */
const HUMAN_GOAL = 1.3;
const EXPORTED = Math.min(1_000_000, CLICKS);
const SPANS = [
  { days: 30, goalMs: 100 },
  { days: 365, goalMs: 300 },
];
const FOLDER = join(import.meta.dir, "../.cache/bench");

type Ask = (
  analytics: Analytics,
  range: DateRange,
  run: number,
  asked: { visitors: Visitors },
) => Promise<unknown>;

/** The most clicked link, and one of the others. */
const linkOf = (run: number): string => keyOfLink(run % 2 === 0 ? 1 : 1 + ((run * 257) % 10_000));

const REQUESTS: [string, Ask][] = [
  ["trends by hour", (analytics, range, _, asked) => analytics.trend(range, "hour", asked)],
  ["trends by day", (analytics, range, _, asked) => analytics.trend(range, "day", asked)],
  ["trends by week", (analytics, range, _, asked) => analytics.trend(range, "week", asked)],
  ["trends by month", (analytics, range, _, asked) => analytics.trend(range, "month", asked)],
  ["top", (analytics, range, _, asked) => analytics.top(range, 100, asked)],
  ["referrers", (analytics, range, _, asked) => analytics.referrers(range, 100, asked)],
  ["geo", (analytics, range, _, asked) => analytics.places(range, 100, asked)],
  ["devices", (analytics, range, _, asked) => analytics.devices(range, 20, asked)],
  ["link", (analytics, range, run, asked) => analytics.link(linkOf(run), range, asked)],
  [
    "link, devices",
    (analytics, range, run, asked) => analytics.devices(range, 20, { ...asked, key: linkOf(run) }),
  ],
];

const VALUE_DAYS = (HISTORY.days * 1_000_000) / CLICKS;
const VALUE_GOAL_MS = 1_000;
const REPORT_SPANS = [
  { days: 30, goalMs: 150 },
  { days: 365, goalMs: 300 },
];

const quantile = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * share) - 1)]!;
const cell = (ms: number): string => ms.toFixed(1).padStart(9);

async function timed(run: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await run();
  return performance.now() - start;
}

/** The longest time between two turns of the event loop during the work. */
async function longestGap(work: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let last = performance.now();
  const ticker = setInterval(() => {
    longest = Math.max(longest, performance.now() - last);
    last = performance.now();
  }, 1);
  await work();
  clearInterval(ticker);
  return longest;
}

/** Every third range ends now. */
function rangeOf(days: number, run: number): DateRange {
  const end = run % 3 === 0 ? NOW : NOW - Math.floor(((run * 7_919) % RUNS) * 0.7 * DAY_MS) - run * 777_777;
  return { start: end - days * DAY_MS, end };
}

async function measure(database: Database): Promise<void> {
  const analytics = createAnalytics({ database, clock: { now: () => NOW } });
  for (const { days, goalMs } of SPANS) {
    console.log(
      `\n${`${days} days, goal: p95 ≤ ${goalMs} ms`.padEnd(34)}      p50      p95  slowest  human/all`,
    );
    let over = 0;
    const gap = await longestGap(async () => {
      for (const [name, ask] of REQUESTS) {
        const times: number[] = [];
        const ratios: number[] = [];
        for (let run = 0; run < RUNS; run++) {
          // In turn, so that other load hits both; after one that fills the caches of the database.
          const measured = (visitors: Visitors) =>
            timed(() => ask(analytics, rangeOf(days, run), run, { visitors }));
          times.push(await measured("all"));
          const all = await measured("all");
          ratios.push((await measured("human")) / all);
        }
        ratios.sort((a, b) => a - b);
        const ratio = quantile(ratios, 0.5);
        times.sort((a, b) => a - b);
        const p95 = quantile(times, 0.95);
        if (p95 > goalMs) over++;
        console.log(
          `${name.padEnd(34)}${cell(quantile(times, 0.5))}${cell(p95)}${cell(times.at(-1)!)}${cell(ratio)}${p95 > goalMs ? `  over ${goalMs} ms` : ""}${ratio > HUMAN_GOAL ? "  human over the goal" : ""}`,
        );
      }
    });
    console.log(
      `longest pause of the event loop   ${cell(gap)}${over === 0 ? "" : `   ${over} over the goal`}`,
    );
  }
}

async function measureReports(
  database: Database,
  { days, goalMs }: { days: number; goalMs: number },
  requests: [string, AskSets][],
): Promise<void> {
  const analytics = createAnalytics({ database, clock: { now: () => NOW } });
  const sets = createLinkSets(database);
  console.log(
    `\n${`${days.toFixed(0)} days, goal: p95 ≤ ${goalMs} ms`.padEnd(40)}      p50      p95  slowest  cpu p95`,
  );
  const gap = await longestGap(async () => {
    for (const [name, ask] of requests) {
      const times: number[] = [];
      const cpu: number[] = [];
      for (let run = 0; run < RUNS; run++) {
        const before = process.cpuUsage();
        times.push(await timed(() => ask(analytics, rangeOf(days, run), sets)));
        cpu.push(processorMs(before));
      }
      for (const list of [times, cpu]) list.sort((a, b) => a - b);
      const p95 = quantile(times, 0.95);
      const over = p95 > goalMs ? `  over ${goalMs} ms` : "";
      console.log(
        `${name.padEnd(40)}${cell(quantile(times, 0.5))}${cell(p95)}${cell(times.at(-1)!)}${cell(quantile(cpu, 0.95))}${over}`,
      );
    }
  });
  console.log(`longest pause of the event loop         ${cell(gap)}`);
}

const megabytes = (): number => process.memoryUsage.rss() / 1_048_576;

async function measureExport(database: Database): Promise<void> {
  const share = EXPORTED / CLICKS;
  const range = { start: NOW - share * HISTORY.days * DAY_MS, end: NOW };
  Bun.gc(true);
  const before = megabytes();
  let most = before;
  let rows = -1;
  let bytes = 0;
  let ms = 0;
  const gap = await longestGap(async () => {
    ms = await timed(async () => {
      for await (const page of createClickExport(database).pages(range)) {
        rows += page.split("\n").length - 1;
        bytes += page.length;
        most = Math.max(most, megabytes());
      }
    });
  });
  console.log(
    `\nexport of ${rows.toLocaleString("en")} rows, ${(bytes / 1e6).toFixed(0)} MB: ${(ms / 1000).toFixed(1)} s, ` +
      `memory from ${before.toFixed(0)} to at most ${most.toFixed(0)} MB, longest pause of the event loop ${gap.toFixed(0)} ms`,
  );
}

const open = (url: string, threads: boolean): Promise<Database> =>
  openDatabase({ url, poolSize: 4 }, { threads, logger: silentLogger });

async function fill(url: string, faster: string): Promise<void> {
  const database = await open(url, false);
  await migrateUp(database, { logger: silentLogger });
  if (faster !== "") await sql.raw(faster).execute(database.write);
  await writeHistory(database, HISTORY, (day) => process.stdout.write(`\rday ${day} of ${HISTORY.days}`));
  process.stdout.write("\n");
  await database.close();
}

async function bench(name: string, url: string): Promise<void> {
  console.log(`\n${name}: ${CLICKS.toLocaleString("en")} clicks`);
  const database = await open(url, true);
  await migrateUp(database, { logger: silentLogger });
  if (!process.argv.includes("--reports")) await measure(database);
  for (const span of REPORT_SPANS) await measureReports(database, span, REPORTS_OF_LINKS);
  await measureReports(database, { days: VALUE_DAYS, goalMs: VALUE_GOAL_MS }, REPORTS_OF_VALUES);
  await measureExport(database);
  await database.close();
}

async function benchFile(): Promise<void> {
  const path = join(FOLDER, `analytics-${CLICKS}-${HISTORY.links}.db`);
  if (!existsSync(path)) {
    mkdirSync(FOLDER, { recursive: true });
    const part = `${path}.part`;
    rmSync(part, { force: true });
    await fill(`sqlite:${part}`, "pragma synchronous = off");
    renameSync(part, path);
  }
  await bench("SQLite", `sqlite:${path}`);
}

async function benchServer(server: string): Promise<void> {
  const database = `waymark_bench_${CLICKS}_${HISTORY.links}`;
  const url = new URL(server);
  url.pathname = `/${database}`;
  const admin = await open(server, false);
  const { rows } = await sql`select 1 from pg_database where datname = ${database}`.execute(admin.read);
  if (rows.length === 0) {
    const part = new URL(url);
    part.pathname = `/${database}_part`;
    await sql.raw(`drop database if exists ${database}_part with (force)`).execute(admin.write);
    await sql.raw(`create database ${database}_part`).execute(admin.write);
    await fill(part.href, "");
    const filled = await open(part.href, false);
    // As autovacuum does within a minute of such a load.
    await sql.raw("vacuum analyze").execute(filled.slow);
    await filled.close();
    await sql.raw(`alter database ${database}_part rename to ${database}`).execute(admin.write);
  }
  await admin.close();
  await bench("PostgreSQL", url.href);
}

await benchFile();
const server = process.env["WAYMARK_TEST_POSTGRES_URL"];
if (server) await benchServer(server);
else console.log("\nWAYMARK_TEST_POSTGRES_URL is not set; PostgreSQL was not measured.");
process.exit(0);
