/**
 * The cost of a click: nanoseconds to record it, and the time to count 100,000 clicks on random links out of a million
 * in the flush thread. Then the same for 50,000 clicks with details: 1,000 links of uneven popularity, 300 sites, 200
 * user agents, 20,000 addresses. `loopMs` is the longest block of the event loop that answers redirects.
 *
 *     bin/bun bench/clicks.ts [database URL] [links]
 *
 * Without a URL a temporary SQLite file is used. A server's database must be empty; its tables stay.
 */
import { processorMs } from "./lib/processor.ts";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { clickConfig } from "../src/clicks/settings.test-support.ts";
import { type Clicks, createClicks } from "../src/clicks/clicks.ts";
import { createClicksRepository } from "../src/clicks/flush/repository.ts";
import { type Database, openDatabase } from "../src/platform/db/database.ts";
import { migrateUp } from "../src/platform/db/migrate.ts";
import { systemClock } from "../src/lib/clock.ts";
import { silentLogger } from "../src/lib/logger.ts";

const FLUSHED = 100_000;
const DETAILED = 50_000;
const DETAILED_LINKS = 1_000;
/** Clicks between two turns of the event loop. */
const SLICE = 1_000;
const ROUNDS = 5;

const folder = mkdtempSync(join(tmpdir(), "waymark-bench-"));
const settings = { url: process.argv[2] || `sqlite:${join(folder, "bench.db")}`, poolSize: 2 };
const links = Number(process.argv[3] ?? 1_000_000);
const database = await openDatabase(settings, { threads: false, logger: silentLogger });

try {
  await migrateUp(database, { logger: silentLogger });
  await fill(database, links);
  await measure();
} finally {
  await database.close();
  rmSync(folder, { recursive: true, force: true });
}

async function fill({ dialect, transaction }: Database, count: number): Promise<void> {
  for (let first = 1; first <= count; first += 50_000) {
    const ids = Array.from({ length: Math.min(50_000, count - first + 1) }, (_, at) => first + at);
    const link = {
      target: "http://localhost/",
      created_at: 1,
      updated_at: 1,
      expires_at: null,
      password_hash: null,
    };
    await transaction(
      async (tx) => {
        await dialect.insertMany(
          tx,
          "links",
          ids.map((id) => ({ ...link, id, code: `c${id}` })),
        );
        await dialect.insertMany(
          tx,
          "link_clicks",
          ids.map((id) => ({ link_id: id, clicks: 0, ranked: 0 })),
        );
      },
      { long: true },
    );
  }
}

async function measure(): Promise<void> {
  const clicks = await createClicks({
    settings,
    instance: await createClicksRepository(database).instance(),
    dataDir: folder,
    // Long intervals, so that only the flushes below run.
    config: clickConfig({ enabled: true, flushInterval: 3600, maxClicksBeforeFlush: 1e9, sampleRate: 1 }),
    logger: silentLogger,
    clock: systemClock,
  });
  const ids = Float64Array.from({ length: FLUSHED }, () => 1 + Math.floor(Math.random() * links));
  const record: number[] = [];
  const flush: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const startedAt = performance.now();
    for (let at = 0; at < FLUSHED; at++) clicks.record(ids[at]!, 1_750_000_000_000 + round);
    const recordedAt = performance.now();
    await clicks.flush();
    record.push(((recordedAt - startedAt) * 1e6) / FLUSHED);
    flush.push(performance.now() - recordedAt);
  }
  const detailed = await measureDetails(clicks);
  const { stored, accepted, details } = clicks.stats();
  await clicks.close();
  const plain = { recordNs: summary(record), flushMs: summary(flush) };
  console.log(JSON.stringify({ links, plain, detailed, accepted, stored, details }, null, 2));
}

async function measureDetails(clicks: Clicks) {
  const record: number[] = [];
  const flush: number[] = [];
  const cpu: number[] = [];
  const loop: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const visits = Array.from({ length: DETAILED }, visitAtRandom);
    let recordMs = 0;
    for (let first = 0; first < DETAILED; first += SLICE) {
      const startedAt = performance.now();
      for (const { link, details } of visits.slice(first, first + SLICE)) {
        if (clicks.detailRefusal() === null) clicks.recordDetails(link, 1_750_000_000_000 + round, details);
      }
      recordMs += performance.now() - startedAt;
      // The next segment is prepared between requests.
      await Bun.sleep(5);
    }
    const recordedAt = performance.now();
    const gap = watchLoop();
    const before = process.cpuUsage();
    await clicks.flush();
    flush.push(performance.now() - recordedAt);
    cpu.push(processorMs(before));
    loop.push(gap.stop());
    record.push((recordMs * 1e6) / DETAILED);
  }
  return {
    recordNs: summary(record),
    flushMs: summary(flush),
    flushCpuMs: summary(cpu),
    loopMs: summary(loop),
  };
}

/** The longest delay of a timer. */
function watchLoop(): { stop(): number } {
  let last = performance.now();
  let longest = 0;
  const look = () => {
    const now = performance.now();
    longest = Math.max(longest, now - last - 1);
    last = now;
  };
  const timer = setInterval(look, 1);
  return {
    stop() {
      look();
      clearInterval(timer);
      return longest;
    },
  };
}

function below(bound: number): number {
  return Math.floor(Math.random() * bound);
}

/** A third of the clicks belong to a campaign. */
function visitAtRandom() {
  const site = below(300);
  const utm = below(3) > 0 ? null : `utm_source=s${below(20)}&utm_medium=email&utm_campaign=c${below(100)}`;
  return {
    link: 1 + Math.floor(Math.random() ** 2 * DETAILED_LINKS),
    details: {
      referrer: site < 60 ? null : `https://www.site-${site}.example/some/page/${below(1000)}?with=query`,
      utmSource: utm && utm.slice(utm.indexOf("=") + 1, utm.indexOf("&")),
      userAgent: `Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${100 + below(40)}.0.${below(5)}.0 Safari/537.36`,
      address: `198.51.${below(100)}.${below(200)}`,
      language: ["de-AT,de;q=0.9,en;q=0.8", "en-US,en;q=0.5", "fr"][below(3)]!,
      campaign: utm,
      rule: 0,
      visitor: 0,
    },
  };
}

function summary(values: number[]): { min: number; median: number; max: number } {
  const [min, median, max] = values
    .sort((a, b) => a - b)
    .filter((_, at) => at % Math.floor(ROUNDS / 2) === 0);
  return { min: Math.round(min!), median: Math.round(median!), max: Math.round(max!) };
}
