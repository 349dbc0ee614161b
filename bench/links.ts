/**
 * Lists, searches and batches over 1,000,000 links:
 *
 *     bin/bun bench/links.ts [count] [sqlite|postgres|mariadb|mysql|all] [part of a title]
 *
 * Runs on SQLite in a temporary folder, and on each server with WAYMARK_TEST_…_URL in its own database; without a name
 * on SQLite and PostgreSQL. Each request goes through the service as in the server, SQLite's threads included.
 * A link is written before each run, so nothing is known. "Rows": a page without its total. "Page": with it.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import { createPasswords } from "../src/auth/login/password.ts";
import { createChanges } from "../src/platform/cluster/changes.ts";
import { type Database, openDatabase } from "../src/platform/db/database.ts";
import { migrateUp } from "../src/platform/db/migrate.ts";
import { createEvents } from "../src/platform/events/events.service.ts";
import { COMMAND } from "../src/lib/actor.ts";
import { silentLogger } from "../src/lib/logger.ts";
import type { ActorLinks } from "../src/links/actor-links.ts";
import { PLAIN, UNOWNED } from "../src/links/link/link.ts";
import { createLinkRepository, type NewLink } from "../src/links/write/repository.ts";
import { QUIET_SETTINGS } from "../src/links/links.test-support.ts";
import { createLinkService } from "../src/links/links.service.ts";
import { createSearchIndexJob, createTotalJob } from "../src/links/list/jobs.ts";
import { linkQueryOf, type ListQuery } from "../src/links/list/query.ts";
import { EDITOR, LARGE_TEAM, linkLists, ownerAt, SMALL_TEAM } from "./lib/link-lists.ts";
import { createServerDatabase, type Server, SERVERS } from "./lib/server-database.ts";

const COUNT = Number(process.argv[2] ?? 1_000_000);
const WANTED = process.argv[3] ?? "sqlite,postgres";
/** Only these lists, and no batches. */
const TITLE = process.argv[4] ?? "";
const RUNS = 20;
const ROWS_GOAL_MS = 100;
const SEARCH_GOAL_MS = 300;
const PAGE_GOAL_MS = 2_000;
const TAGS_GOAL_MS = 50;
const BATCH_GOAL_MS = 1000;
const BORN = Date.parse("2026-01-01T00:00:00Z");
const NOW = BORN + COUNT * 20;
const { lists, ofEditors, ofMembers } = linkLists(COUNT, BORN);
/** Every seventh is created out of order, as by imports; every tenth expires, and half of those have expired. */
function linkAt(at: number): NewLink {
  const hash = Bun.hash(`link ${at}`).toString(36).padStart(13, "0");
  const word =
    at % 50_000 === 7
      ? "needle"
      : at % 200 === 3
        ? "medium"
        : at % 100 === 5
          ? "percent"
          : at % 20 === 9
            ? "frequent"
            : "other";
  const createdAt = BORN + (at % 7 === 0 ? (at * 7919) % COUNT : at) * 20;
  return {
    ...PLAIN,
    ...UNOWNED,
    code: `${hash.slice(0, 3)}${at.toString(36)}`,
    target: `https://shop.example.com/${word}/${hash}/view-item?ref=newsletter&n=${at}`,
    createdAt,
    updatedAt: createdAt,
    expiresAt: at % 10 === 0 ? BORN + ((at * 31) % COUNT) * 40 : null,
    clickCount: at % 1000,
    title: `Campaign ${at % 977} of ${word}`,
    tags: ["all", `team ${at % 5}`, at % 5000 === 11 ? "rare" : `topic ${at % 500}`].sort(),
    ownerId: ownerAt(at),
    automatedClicks: 0,
  };
}

async function fill(database: Database): Promise<void> {
  const repository = createLinkRepository(database);
  for (let from = 0; from < COUNT; from += 20_000) {
    const links = Array.from({ length: Math.min(20_000, COUNT - from) }, (_, at) => linkAt(from + at));
    await database.transaction((tx) => repository.insertMany(tx, links), { long: true });
  }
}

const quantile = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * share) - 1)]!;

async function timed(run: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await run();
  return performance.now() - start;
}

const cell = (ms: number): string => ms.toFixed(1).padStart(8);

/** `touched`: code of a link that only these links make. */
async function measure(links: ActorLinks, touched: string, name: string, query: ListQuery): Promise<void> {
  const asked = linkQueryOf(query, NOW);
  const rows: number[] = [];
  const pages: number[] = [];
  for (let run = 0; run < RUNS; run++) {
    await links.create({ code: touched, target: "https://a.test/", force: true });
    rows.push(await timed(() => links.rows(asked)));
    pages.push(await timed(() => links.list(asked)));
  }
  rows.sort((a, b) => a - b);
  pages.sort((a, b) => a - b);
  const goal = asked.filter.search === null ? ROWS_GOAL_MS : SEARCH_GOAL_MS;
  const isFast = quantile(rows, 0.95) <= goal && quantile(pages, 0.95) <= PAGE_GOAL_MS;
  console.log(
    `${name.padEnd(34)}${cell(quantile(rows, 0.5))}${cell(quantile(rows, 0.95))}` +
      `   ${cell(quantile(pages, 0.5))}${cell(quantile(pages, 0.95))}` +
      (isFast ? "" : `  over ${goal} or ${PAGE_GOAL_MS} ms`),
  );
}

async function measureTags(links: ActorLinks, whose: string): Promise<void> {
  const times: number[] = [];
  for (let run = 0; run < RUNS; run++) times.push(await timed(() => links.tags.list()));
  times.sort((a, b) => a - b);
  const verdict = quantile(times, 0.95) <= TAGS_GOAL_MS ? "" : `  over ${TAGS_GOAL_MS} ms`;
  console.log(
    `${`tags, ${whose}`.padEnd(34)}${cell(quantile(times, 0.5))}${cell(quantile(times, 0.95))}${verdict}`,
  );
}

async function measureBatch(links: ActorLinks): Promise<void> {
  const times: number[] = [];
  let longestGap = 0;
  let last = performance.now();
  const ticker = setInterval(() => {
    longestGap = Math.max(longestGap, performance.now() - last);
    last = performance.now();
  }, 1);
  for (let run = 0; run < 5; run++) {
    const items = Array.from({ length: 5000 }, (_, at) => ({
      code: `batch-${run}-${Bun.hash(String(at)).toString(36)}`,
      target: `https://example.com/batch/${at}`,
    }));
    times.push(await timed(() => links.batch.create(items)));
    await links.batch.remove(items.map((item) => item.code));
  }
  clearInterval(ticker);
  times.sort((a, b) => a - b);
  const verdict = times.at(-1)! <= BATCH_GOAL_MS ? "" : `  over ${BATCH_GOAL_MS} ms`;
  console.log(
    `batch create, 5,000 items: median ${times[2]!.toFixed(0)} ms, slowest ${times.at(-1)!.toFixed(0)} ms, ` +
      `longest pause of the event loop ${longestGap.toFixed(0)} ms${verdict}`,
  );
}

async function bench(
  name: string,
  url: string,
  afterFill: (database: Database) => Promise<unknown>,
): Promise<void> {
  const database = await openDatabase({ url, poolSize: 10 }, { threads: true, logger: silentLogger });
  try {
    await migrateUp(database, { logger: silentLogger });
    const clock = { now: () => NOW };
    const changes = createChanges({ database, clock, logger: silentLogger });
    const { hashPassword } = createPasswords();
    const events = createEvents({ database, clock });
    const service = createLinkService({
      database,
      changes,
      events,
      record: events.add,
      ...QUIET_SETTINGS,
      hashPassword,
      clock,
    });
    const links = service.by(COMMAND);
    const seconds = (await timed(() => fill(database))) / 1000;
    await createSearchIndexJob(database)?.run(AbortSignal.timeout(1_800_000));
    await createTotalJob(database, silentLogger).run(AbortSignal.timeout(1_800_000));
    await afterFill(database);
    console.log(`\n${name}: ${COUNT.toLocaleString("en")} links, filled in ${seconds.toFixed(0)} s\n`);
    console.log(`${"milliseconds".padEnd(34)}   rows: p50, p95      page: p50, p95`);
    for (const [title, query] of lists) {
      if (title.includes(TITLE)) await measure(links, "bench-touch", title, query);
    }
    const editor = service.by({ ...COMMAND, accountId: EDITOR, ownOnly: true });
    for (const [title, query] of ofEditors) {
      if (title.includes(TITLE)) await measure(editor, "bench-touch-editor", title, query);
    }
    const teams = new Map([LARGE_TEAM, SMALL_TEAM].map((id) => [id, "editor"] as const));
    const member = service.by({ ...COMMAND, accountId: EDITOR, ownOnly: true, teams });
    for (const [title, query] of ofMembers) {
      if (title.includes(TITLE)) await measure(member, "bench-touch-member", title, query);
    }
    if ("tags".includes(TITLE)) {
      await measureTags(links, "of all links");
      await measureTags(editor, "of an editor's links");
    }
    if (TITLE !== "") return;
    console.log(`stats                             ${cell(await timed(() => service.stats()))}`);
    await measureBatch(links);
  } finally {
    await database.close();
  }
}

async function benchFile(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "waymark-bench-"));
  try {
    await bench("sqlite", `sqlite:${join(folder, "bench.db")}`, async () => {});
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** As autovacuum does within minutes of such a load; repeated while another snapshot protects some rows. */
async function vacuum({ slow }: Database): Promise<void> {
  for (let attempt = 0; attempt < 30; attempt++) {
    await sql`vacuum analyze`.execute(slow);
    const { rows } = await sql<{ seen: boolean }>`
      select relallvisible >= relpages as seen from pg_class where relname = 'links'`.execute(slow);
    if (rows[0]?.seen === true) return;
    await Bun.sleep(1000);
  }
}

async function benchServer(name: Server): Promise<void> {
  const own = await createServerDatabase(name);
  if (own === null) return;
  await bench(name, own.url, name === "postgres" ? vacuum : async () => {}).finally(own.drop);
}

const isWanted = (name: string): boolean => WANTED === "all" || WANTED.split(",").includes(name);

if (isWanted("sqlite")) await benchFile();
for (const name of SERVERS.filter(isWanted)) await benchServer(name);
process.exit(0);
