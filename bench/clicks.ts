/**
 * What a click costs: nanoseconds to record it, and the time to count 100,000 clicks on links at random out of a
 * million, in the flush thread.
 *
 *     bin/bun bench/clicks.ts [database URL] [links]
 *
 * Without a URL a fresh file database is made and removed again. A server's database must be empty; its tables stay.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClicks } from "../src/clicks/clicks.ts";
import { type Database, openDatabase } from "../src/db/database.ts";
import { migrateUp } from "../src/db/migrate.ts";
import { systemClock } from "../src/lib/clock.ts";
import { silentLogger } from "../src/lib/logger.ts";

const FLUSHED = 100_000;
const ROUNDS = 5;

const folder = mkdtempSync(join(tmpdir(), "waymark-bench-"));
const settings = { url: process.argv[2] ?? `sqlite:${join(folder, "bench.db")}`, poolSize: 2 };
const links = Number(process.argv[3] ?? 1_000_000);
const db = await openDatabase(settings, { threads: false, logger: silentLogger });

try {
  await migrateUp(db, { logger: silentLogger });
  await fill(db, links);
  await measure();
} finally {
  await db.close();
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
          ids.map((id) => ({ link_id: id, clicks: 0 })),
        );
      },
      { long: true },
    );
  }
}

async function measure(): Promise<void> {
  const clicks = await createClicks({
    settings,
    dataDir: folder,
    // Far apart, so that only the flushes below happen.
    config: { enabled: () => true, flushInterval: () => 3600, maxClicksBeforeFlush: () => 1e9 },
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
  const { stored, accepted } = clicks.stats();
  await clicks.close();
  console.log(
    JSON.stringify({ links, recordNs: summary(record), flushMs: summary(flush), accepted, stored }, null, 2),
  );
}

function summary(values: number[]): { min: number; median: number; max: number } {
  const [min, median, max] = values
    .sort((a, b) => a - b)
    .filter((_, at) => at % Math.floor(ROUNDS / 2) === 0);
  return { min: Math.round(min!), median: Math.round(median!), max: Math.round(max!) };
}
