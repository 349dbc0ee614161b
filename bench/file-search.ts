/**
 * Search by a part of a name in an account with 1,000,000 files in 1,000 folders:
 *
 *     bin/bun bench/file-search.ts [count] [sqlite|postgres|mariadb|mysql|all]
 *     bin/bun bench/file-search.ts insert [rows] [sqlite|postgres]
 *
 * Runs on SQLite in a temporary folder, and on each server with WAYMARK_TEST_…_URL in its own database; without a name
 * on SQLite and PostgreSQL. Each request goes through the service as in the server, SQLite's threads included.
 * `insert`: rows of files one by one, with and without the index of names, in turns.
 */
import { processorMs } from "./lib/processor.ts";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import { type Database, openDatabase } from "../src/platform/db/database.ts";
import { migrateUp } from "../src/platform/db/migrate.ts";
import { createSearchRepository, type NamePlace } from "../src/files/search/repository.ts";
import { createFileSearch, type SearchPage } from "../src/files/search/service.ts";
import { createPathsRepository } from "../src/files/tree/paths.repository.ts";
import { silentLogger } from "../src/lib/logger.ts";
import { createServerDatabase, type Server, SERVERS } from "./lib/server-database.ts";

const IS_INSERT = process.argv[2] === "insert";
const [COUNT, WANTED] = IS_INSERT
  ? [Number(process.argv[3] ?? 4_000), process.argv[4] ?? "sqlite,postgres"]
  : [Number(process.argv[2] ?? 1_000_000), process.argv[3] ?? "sqlite,postgres"];
const FOLDERS = 1_000;
const RUNS = 20;
const RARE_GOAL_MS = 50;
const GOAL_MS = 300;
const ACCOUNT = 0;
const WORDS =
  "invoice report photo holiday draft final budget summer winter project alpha beta contract letter scan image video music backup archive notes meeting agenda plan sketch design".split(
    " ",
  );

/** The needles, and what makes them hard. */
const NEEDLES: [what: string, needle: string][] = [
  ["a frequent word", "invoice"],
  ["a frequent word in capitals", "INVOICE"],
  ["two words", "report photo"],
  ["a rare word", "rarity"],
  ["a word of one in a hundred", "percent"],
  ["one of one in fifty, in one folder", "clustered"],
  ["a number", "77777"],
  ["no match", "nowhere"],
  ["no match of frequent parts", "ice.photo"],
  ["a frequent letter", "e"],
  ["a rare letter", "q"],
  ["a letter that is nowhere", "ж"],
  ["one with two capitals (SS)", "ß"],
  ["two letters", "qx"],
  ["punctuation", "_%"],
  ["an umlaut", "Ü"],
  ["two Chinese characters", "文件"],
];
/** Of this size. */
const LATER_PAGE = 10;
const PAGE = 20;

function nameOf(at: number): string {
  const word = (salt: number) => WORDS[(Math.imul(at + salt, 2_654_435_761) >>> 8) % WORDS.length];
  const rare = at % (COUNT / 20) === 77 ? " rarity qx" : at % (COUNT / 20) === 78 ? " über 文件" : "";
  const percent = at % 100 === 55 ? " percent" : "";
  return `${word(1)} ${word(7_919)} ${at}${rare}${percent}.${["pdf", "jpg", "txt", "docx"][at % 4]}`;
}

const rowOf = (at: number, kind: string, parentId: number, name: string) => ({
  account_id: ACCOUNT,
  parent_id: parentId,
  kind,
  name,
  policy_id: null,
  blob_id: null,
  mime_type: kind === "file" ? "application/pdf" : null,
  sha256: null,
  size: 0,
  created_at: at,
  updated_at: at,
});

async function fill({ write, read, dialect, slow }: Database): Promise<void> {
  const folders = Array.from({ length: FOLDERS }, (_, at) => rowOf(at, "folder", 0, `folder ${at}`));
  await dialect.insertMany(write, "entries", folders);
  const made = await read.selectFrom("entries").select("id").where("kind", "=", "folder").execute();
  for (let from = 0; from < COUNT; from += 20_000) {
    const rows = Array.from({ length: Math.min(20_000, COUNT - from) }, (_, n) => {
      const at = from + n;
      if (at % 50 === 49) return rowOf(at, "file", made.at(-1)!.id, `clustered ${at}`);
      return rowOf(at, "file", made[at % FOLDERS]!.id, nameOf(at));
    });
    await slow.transaction().execute((tx) => dialect.insertMany(tx, "entries", rows));
  }
  if (dialect.name === "postgres") await sql`vacuum analyze entries`.execute(slow);
  else if (dialect.name !== "sqlite") await sql`analyze table entries`.execute(slow);
}

async function measureSearch(database: Database): Promise<void> {
  const repository = createSearchRepository(database);
  const search = createFileSearch({ repository, paths: createPathsRepository(database) });
  for (const [what, needle] of NEEDLES)
    await measureRuns(what, () => search.page(ACCOUNT, needle, null, PAGE));
  let after: NamePlace | null = null;
  for (let page = 1; page < LATER_PAGE; page++)
    after = (await search.page(ACCOUNT, "invoice", after, PAGE)).next;
  await measureRuns(`page ${LATER_PAGE} of a frequent word`, () =>
    search.page(ACCOUNT, "invoice", after, PAGE),
  );
}

async function measureRuns(what: string, find: () => Promise<SearchPage>): Promise<void> {
  const times: number[] = [];
  let found = 0;
  const before = process.cpuUsage();
  for (let run = 0; run < RUNS; run++) {
    const begun = performance.now();
    found = (await find()).entries.length;
    times.push(performance.now() - begun);
  }
  times.sort((a, b) => a - b);
  const p95 = times[Math.ceil(RUNS * 0.95) - 1]!;
  const spent = processorMs(before) / RUNS;
  const goal = what === "a rare word" ? RARE_GOAL_MS : GOAL_MS;
  const verdict = p95 <= goal ? "" : "  over the goal";
  console.log(
    `  ${what.padEnd(34)} ${String(found).padStart(3)} found  p50 ${times[RUNS / 2]!.toFixed(1)} ms  p95 ${p95.toFixed(1)} ms  ${spent.toFixed(1)} ms of this process${verdict}`,
  );
}

const dropIndex = async ({ slow, dialect }: Database): Promise<void> => {
  const statements =
    dialect.name === "sqlite"
      ? ["added", "removed", "changed"].map((what) => `drop trigger entries_name_${what}`)
      : ["drop index if exists entries_search"];
  for (const text of statements) await sql.raw(text).execute(slow);
};

/** Milliseconds and processor time of this process for single inserts; on servers only the former counts. */
async function measureInserts(database: Database): Promise<void> {
  const spent = { with: [0, 0], without: [0, 0] };
  let at = 0;
  for (let round = 0; round < 6; round++) {
    const way = round % 2 === 0 ? "with" : "without";
    if (way === "with") await database.dialect.schema.createNameSearch(database.slow as never);
    else await dropIndex(database);
    const begun = performance.now();
    const before = process.cpuUsage();
    for (let n = 0; n < COUNT; n++, at++) {
      await database.dialect.insertReturningId(
        database.write,
        "entries",
        rowOf(at, "file", at % FOLDERS, nameOf(at)),
      );
    }
    spent[way][1]! += processorMs(before);
    spent[way][0]! += performance.now() - begun;
  }
  for (const way of ["with", "without"] as const) {
    const [ms = 0, cpu = 0] = spent[way].map((sum) => (sum / 3 / COUNT) * 1_000);
    console.log(
      `  ${way.padEnd(8)} the index: ${ms.toFixed(0)} µs a row, ${cpu.toFixed(0)} µs of this process`,
    );
  }
}

async function runOn(name: string, url: string): Promise<void> {
  const database = await openDatabase({ url, poolSize: 4 }, { threads: true, logger: silentLogger });
  try {
    await migrateUp(database, { logger: silentLogger });
    console.log(`${name}, ${COUNT.toLocaleString("en")} ${IS_INSERT ? "inserts, three times" : "files"}`);
    if (IS_INSERT) return await measureInserts(database);
    await fill(database);
    await measureSearch(database);
  } finally {
    await database.close();
  }
}

async function runOnFile(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "waymark-bench-"));
  try {
    await runOn("sqlite", `sqlite:${join(folder, "bench.db")}`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function runOnServer(name: Server): Promise<void> {
  const own = await createServerDatabase(name);
  if (own !== null) await runOn(name, own.url).finally(own.drop);
}

const isWanted = (name: string): boolean => WANTED === "all" || WANTED.split(",").includes(name);

if (isWanted("sqlite")) await runOnFile();
for (const name of SERVERS.filter(isWanted)) await runOnServer(name);
process.exit(0);
