/**
 * Many clicks for many days on PostgreSQL, through the real journal, flush and retention, with a clock of its own: what
 * a click and a link-hour cost in bytes and processor time, how the tables grow by the day, what dropping old days
 * costs, and how long reports take at the end.
 *
 *     bin/bun bench/scale.ts postgres://… [--days 30] [--clicks 1000000] [--links 100000] [--sample 0.01] \
 *       [--log-days 7] [--hour-days 7]
 *
 * `--clicks` is by the day. The database must be empty and on this machine, because the processor time of its processes
 * is read from the kernel; its tables stay. Links are popular by Zipf's law, so each hour some are clicked often and most
 * once. A flush takes the clicks of some minutes, at most 100,000.
 */
import { processorMs } from "./lib/processor.ts";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { createAnalytics } from "../src/clicks/analytics/service.ts";
import { createFlusher } from "../src/clicks/flush/flush.ts";
import { createClicksRepository } from "../src/clicks/flush/repository.ts";
import { createOverflow, createSegmentSupply } from "../src/clicks/journal/supply.ts";
import { createJournal } from "../src/clicks/journal/journal.ts";
import { takeSlot } from "../src/clicks/journal/slot.ts";
import { retentionSettings } from "../src/clicks/settings.test-support.ts";
import { createMaintenance, createRetentionJobs } from "../src/clicks/rollups/retention.ts";
import { createLeases } from "../src/platform/cluster/leases.ts";
import { openDatabase } from "../src/platform/db/database.ts";
import { migrateUp } from "../src/platform/db/migrate.ts";
import { silentLogger } from "../src/lib/logger.ts";
import { createRandom, createZipf } from "./lib/click-history.ts";
import { keyOfLink, writeLinks } from "./lib/click-links.ts";
import { rowsOf, serverProcesses, sizesOf, type Table, TABLES, walBytes } from "./lib/postgres-costs.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const START = Date.UTC(2026, 9, 1);
const MOST_AT_ONCE = 100_000;
const RECORD_BYTES = 16;

const { values: given, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    days: { type: "string", default: "30" },
    clicks: { type: "string", default: "1000000" },
    links: { type: "string", default: "100000" },
    sample: { type: "string", default: "0.01" },
    "log-days": { type: "string", default: "7" },
    "hour-days": { type: "string", default: "7" },
  },
});
const [url] = positionals;
if (url === undefined) throw new Error("Give the URL of an empty PostgreSQL database.");
const days = Number(given.days);
const clicksOfDay = Number(given.clicks);
const links = Number(given.links);
const sample = Number(given.sample);

const random = createRandom(20_261_001);
const rank = createZipf(links, random);
const site = createZipf(3_000, random);
const agent = createZipf(2_000, random);
const below = (bound: number): number => Math.floor(random() * bound);

const folder = mkdtempSync(join(tmpdir(), "waymark-scale-"));
const database = await openDatabase({ url, poolSize: 4 }, { threads: false, logger: silentLogger });
let now = START;
const clock = { now: () => now };

async function simulate(): Promise<void> {
  const [retention, , partitions] = createRetentionJobs({
    database,
    maintenance: createMaintenance(createLeases({ database })),
    clock,
    config: retentionSettings({
      log: Number(given["log-days"]),
      hourly: Number(given["hour-days"]),
      daily: 365,
    }),
  });
  const { signal } = new AbortController();
  const clicks = await openClicks();
  const server = await serverProcesses(database);
  const sum = { clicks: 0, details: 0, flushMs: 0, ourCpu: 0, recordCpu: 0, journal: 0, wal: 0, cpu: 0 };
  console.log(
    `${clicksOfDay} clicks a day on ${links} links, ${sample} of them with details, for ${days} days; ` +
      `details kept ${given["log-days"]} days, hours ${given["hour-days"]}; load ${readFileSync("/proc/loadavg", "utf8").slice(0, 14)}`,
  );
  console.log(`day | flush s | ms/100k | retention s | MB after: ${TABLES.join(" ")} | all`);
  for (let day = 0; day < days; day++) {
    now = START + day * DAY_MS;
    await partitions!.run(signal);
    let flushMs = 0;
    const before = { cpu: server.seconds(), wal: await walBytes(database), sizes: await sizesOf(database) };
    for (let hour = 0; hour < 24; hour++) {
      const parts = Math.ceil(clicksOfDay / 24 / MOST_AT_ONCE);
      for (let part = 0; part < parts; part++) {
        now = START + day * DAY_MS + hour * HOUR_MS + Math.floor((part / parts) * HOUR_MS);
        const recording = process.cpuUsage();
        const made = clicks.record(Math.round(clicksOfDay / 24 / parts));
        sum.recordCpu += processorMs(recording) / 1_000;
        sum.details += made.details;
        const flushing = process.cpuUsage();
        const startedAt = performance.now();
        sum.clicks += await clicks.flush();
        flushMs += performance.now() - startedAt;
        sum.ourCpu += processorMs(flushing) / 1_000;
        if (made.isFull) await clicks.roll();
      }
    }
    sum.cpu += server.seconds() - before.cpu;
    sum.wal += (await walBytes(database)) - before.wal;
    sum.flushMs += flushMs;
    const retentionAt = performance.now();
    await retention!.run(signal);
    const retentionMs = performance.now() - retentionAt;
    const sizes = await sizesOf(database);
    const perBatch = (flushMs / clicksOfDay) * 100_000;
    const list = TABLES.map((name) => megabytes(sizes[name])).join(" ");
    const all = megabytes(TABLES.reduce((total, name) => total + sizes[name], 0));
    console.log(
      `${day + 1} | ${(flushMs / 1000).toFixed(1)} | ${perBatch.toFixed(0)} | ${(retentionMs / 1000).toFixed(2)} | ${list} | ${all}`,
    );
  }
  await clicks.close();
  await reportCosts(sum, clicks.journalBytes());
  await reportTimes();
}

type Sums = {
  clicks: number;
  details: number;
  flushMs: number;
  ourCpu: number;
  recordCpu: number;
  wal: number;
  cpu: number;
};

async function reportCosts(sum: Sums, journal: number): Promise<void> {
  const rows = await rowsOf(database);
  const sizes = await sizesOf(database);
  const of = (table: Table) =>
    `${(sizes[table] / Math.max(1, rows[table] ?? 0)).toFixed(0)} bytes a row (${rows[table]} rows)`;
  const each = (seconds: number) => `${((seconds / sum.clicks) * 1e6).toFixed(2)} µs`;
  const total = await database.read
    .selectFrom("link_clicks")
    .select((eb) => eb.fn.sum<number>("clicks").as("clicks"))
    .executeTakeFirstOrThrow();
  console.log(`\nClicks ${sum.clicks}, stored ${Number(total.clicks)}, with details ${sum.details}`);
  console.log(
    `Journal      ${(journal / sum.clicks).toFixed(1)} bytes a click; a count without details takes ${RECORD_BYTES}`,
  );
  console.log(
    `Processor    to record ${each(sum.recordCpu)}, to flush ${each(sum.ourCpu)}, of PostgreSQL ${each(sum.cpu)} a click`,
  );
  console.log(`Flush        ${Math.round(sum.clicks / (sum.flushMs / 1000))} clicks a second`);
  console.log(`WAL          ${(sum.wal / sum.clicks).toFixed(1)} bytes a click`);
  console.log(`Details row  ${of("click_log")}`);
  console.log(`Link-hour    ${of("click_hours")}`);
  console.log(`Link-day     ${of("click_days")}`);
  console.log(`Link-month   ${of("click_months")}`);
  console.log(`Value-day    ${of("click_dim_days")}`);
}

async function reportTimes(): Promise<void> {
  const analytics = createAnalytics({ database, clock });
  const whole = { start: START, end: now };
  const week = { start: now - 7 * DAY_MS, end: now };
  const key = keyOfLink(2);
  const reports: Record<string, () => Promise<unknown>> = {
    "days, all links": () => analytics.trend(whole, "day"),
    "hours of a week, all links": () => analytics.trend(week, "hour"),
    "top 20 links": () => analytics.top(whole, 20),
    "top 20 referrers": () => analytics.referrers(whole, 20),
    "days, one link": () => analytics.trend(whole, "day", { key }),
  };
  console.log("\nReport | ms, the second time");
  for (const [name, ask] of Object.entries(reports)) {
    await ask();
    const startedAt = performance.now();
    await ask();
    console.log(`${name} | ${(performance.now() - startedAt).toFixed(0)}`);
  }
}

/** The journal of one process, and the flush without its thread. */
async function openClicks() {
  const repository = createClicksRepository(database);
  const instance = await repository.instance();
  const journalDir = join(folder, "journal");
  const { dir } = takeSlot(journalDir);
  const segmentBytes = 64 * 1024 * 1024;
  const settled = { position: 0, whole: 0 };
  const flusher = createFlusher({
    repository,
    instance,
    journalDir,
    clock,
    logger: silentLogger,
    onSettled: ({ position }) => void (settled.position = position),
  });
  const supply = createSegmentSupply({
    dir,
    instance,
    segmentBytes,
    maxSegments: 4,
    firstSequence: 0,
    existing: 0,
    clock,
    logger: silentLogger,
  });
  const journal = createJournal({
    supply,
    overflow: createOverflow(0),
    clock,
    onOpened: ({ path }) => flusher.add({ path, final: false, position: 4096 }, () => supply.released()),
    onSealed: ({ path }) => flusher.seal(path),
    onDue: () => {},
  });
  await journal.start();
  return {
    record(count: number) {
      let details = 0;
      for (let at = 0; at < count; at++) {
        const link = 1 + rank();
        const isAutomated = below(10) === 0;
        if (random() >= sample) {
          journal.recordRefused(link, now, "sampled_out", isAutomated);
          continue;
        }
        details += 1;
        if (!journal.recordDetails(link, now, visit(), isAutomated)) throw new Error("The journal is full.");
      }
      return { details, isFull: settled.position > segmentBytes / 2 };
    },
    flush: async (): Promise<number> => (await flusher.flush()).clicks,
    async roll(): Promise<void> {
      settled.whole += settled.position;
      settled.position = 0;
      await journal.roll();
      await flusher.flush();
    },
    journalBytes: () => settled.whole + settled.position,
    async close() {
      await journal.close();
      await flusher.flush();
    },
  };
}

function visit() {
  const from = site();
  const campaign =
    below(3) > 0 ? null : `utm_source=s${below(20)}&utm_medium=email&utm_campaign=c${below(100)}`;
  return {
    referrer: from === 0 ? null : `https://www.site-${from}.example/some/page/${below(1000)}`,
    utmSource: campaign && campaign.slice(campaign.indexOf("=") + 1, campaign.indexOf("&")),
    userAgent: `Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${100 + agent()}.0.0.0 Safari/537.36`,
    address: `198.51.${below(100)}.${below(200)}`,
    language: ["de-AT,de;q=0.9,en;q=0.8", "en-US,en;q=0.5", "fr"][below(3)]!,
    campaign,
    rule: 0,
    visitor: 0,
  };
}

const megabytes = (bytes: number): string => (bytes / 1e6).toFixed(1);

try {
  if (database.dialect.name !== "postgres") throw new Error("This measures PostgreSQL only.");
  await migrateUp(database, { logger: silentLogger });
  await writeLinks(database, links);
  await simulate();
} finally {
  await database.close();
  rmSync(folder, { recursive: true, force: true });
}
