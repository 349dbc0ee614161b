/**
 * CSV with 1,000,000 links on SQLite, over HTTP with the real program: the export of all, imports of files of 10 MB as
 * new and as existing links, then a bulk change of the imported links and its undo, with no other writes. Reports time,
 * rows a second, memory, the longest block of the server's event loop, and how long somebody else's writes take
 * meanwhile, ten a second (goal: p95 ≤ 200 ms).
 *
 *     bin/bun bench/csv.ts [links] [rows of the import]
 *     bin/bun bench/csv.ts servers [rows of the import] [postgres,mariadb,mysql]
 *
 * `servers` compares database servers instead (lib/csv-servers.ts), by default PostgreSQL with MariaDB: seconds of
 * imports and exports, and the ratios to the last server. Each needs its WAYMARK_TEST_…_URL (`scripts/services env`).
 *
 * The gap is measured as lib/loop-gap.ts describes; the number in brackets includes time taken by other programs.
 * bench/latency.ts measures the effect on redirects.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Client, signIn } from "../test/support/session.ts";
import { csvOf, exportCsv, importCsv, PASSWORD, setPassword } from "./lib/csv-client.ts";
import { compareServers } from "./lib/csv-servers.ts";
import { createDataFolder } from "./lib/data-folder.ts";
import { SERVERS } from "./lib/server-database.ts";
import type { Subject } from "./lib/subject.ts";
import { startWaymark } from "./lib/subjects.ts";

const COMPARES = process.argv[2] === "servers";
const LINKS = Number(COMPARES ? 0 : (process.argv[2] ?? 1_000_000));
const ROWS = Number(process.argv[3] ?? 90_000);
/** Of at most 10 MB. */
const ROWS_OF_FILE = 90_000;
const EVERY_MS = 100;
const NAMES = (process.argv[4] ?? "postgres,mariadb").split(",");

const folder = mkdtempSync(join(tmpdir(), "waymark-bench-gap-"));
const gapFile = join(folder, "gaps");
try {
  if (COMPARES)
    await compareServers(
      SERVERS.filter((name) => NAMES.includes(name)),
      ROWS,
    );
  else await measureFile();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function measureFile(): Promise<void> {
  const data = await createDataFolder(LINKS);
  try {
    await setPassword(data.path);
    const server = await startWaymark(data, {
      CORES: "0,1",
      BUN_OPTIONS: `--preload ${join(import.meta.dir, "lib", "loop-gap.ts")}`,
      LOOP_GAP_FILE: gapFile,
    });
    await measure(server).finally(server.stop);
  } finally {
    data.remove();
  }
}

async function measure(server: Subject): Promise<void> {
  const client = await signIn(`http://127.0.0.1:${server.port}`, PASSWORD);
  await settle(server.cpuSeconds);
  console.log(`${LINKS.toLocaleString("en")} links; the process has ${server.rssMb().toFixed(0)} MB`);
  console.log(
    "                              seconds      rows/s        MB   peak MB   longest step ms   writes p50, p95 ms",
  );

  await timed(server, "export", LINKS, async () => ({ bytes: await exportCsv(client, LINKS) }));

  const texts: [text: string, rows: number][] = [];
  for (let left = ROWS; left > 0; left -= ROWS_OF_FILE) {
    const rows = Math.min(left, ROWS_OF_FILE);
    texts.push([csvOf(rows, `camp${texts.length}`), rows]);
  }
  for (const [name, mode, counted] of [
    ["import", "skip", "success_count"],
    ["the same again, skip", "skip", "skipped_count"],
    ["the same again, overwrite", "overwrite", "success_count"],
  ] as const) {
    await timed(server, name, ROWS, async () => {
      const writes = await startWrites(client, name);
      for (const [text, rows] of texts) await importCsv(client, text, { mode, counted, rows });
      return { bytes: texts.reduce((sum, [text]) => sum + text.length, 0), writes: await writes.stop() };
    });
  }
  await measureBulkChange(server, client);
}

async function measureBulkChange(server: Subject, client: Client): Promise<void> {
  let path = "";
  const change = async () => {
    const body = { filter: { search: "landing/page" }, action: "update", set: { redirect_status: 301 } };
    const made = (await client.call("POST", "/links/batch/query", body)).body.data;
    if (made.changed !== ROWS) throw new Error(`${made.changed} links were changed`);
    path = `/bulk-changes/${encodeURIComponent(made.change)}`;
    return { bytes: 0 };
  };
  const undo = async () => {
    await client.call("POST", `${path}/undo`);
    for (;;) {
      const { state, restored } = (await client.call("GET", path)).body.data;
      if (state === "undone" && restored === ROWS) return { bytes: 0 };
      if (state !== "undoing") throw new Error(`${state}: ${restored} links are restored`);
      await Bun.sleep(EVERY_MS);
    }
  };
  await timed(server, "a bulk change of them", ROWS, change);
  await timed(server, "its undo", ROWS, undo);
}

async function timed(
  server: Subject,
  name: string,
  rows: number,
  work: () => Promise<{ bytes: number; writes?: number[] }>,
): Promise<void> {
  await Bun.sleep(1_000);
  let peak = 0;
  const watch = setInterval(() => (peak = Math.max(peak, server.rssMb())), 50);
  const since = Date.now();
  const begun = performance.now();
  const { bytes, writes = [] } = await work();
  const seconds = (performance.now() - begun) / 1000;
  await Bun.sleep(600);
  clearInterval(watch);
  const [own, all] = longestGap(since);
  const cells = [seconds.toFixed(2), (rows / seconds).toFixed(0), (bytes / 1e6).toFixed(1), peak.toFixed(0)];
  const gaps = `${own.toFixed(1)} (${all.toFixed(1)})`;
  const quantiles = writes.length === 0 ? "" : [0.5, 0.95].map((share) => quantile(writes, share)).join(", ");
  console.log(
    name.padEnd(27) +
      cells.map((cell) => cell.padStart(10)).join("") +
      gaps.padStart(18) +
      quantiles.padStart(21),
  );
}

function quantile(times: readonly number[], share: number): string {
  return times.toSorted((a, b) => a - b)[Math.ceil(times.length * share) - 1]!.toFixed(0);
}

/** Creates links one after the other, each a while after the last. */
async function startWrites(client: Client, name: string): Promise<{ stop(): Promise<number[]> }> {
  const times: number[] = [];
  let isOver = false;
  const writing = (async () => {
    for (; !isOver; await Bun.sleep(EVERY_MS)) {
      const begun = performance.now();
      const link = { code: `${name.replaceAll(/\W/g, "-")}-${times.length}`, target: "https://example.com/" };
      const { status } = await client.call("POST", "/links", link);
      if (status !== 201) throw new Error(`a write was answered ${status}`);
      times.push(performance.now() - begun);
    }
    return times;
  })();
  return {
    stop() {
      isOver = true;
      return writing;
    },
  };
}

/** Without and with the time of other programs, over the half seconds that began at `since` or later. */
function longestGap(since: number): [number, number] {
  const rows = readFileSync(gapFile, "utf8")
    .trim()
    .split("\n")
    .map((line) => line.split(" ").map(Number))
    .filter(([end = 0]) => end - 500 >= since);
  const longest = (column: number) => Math.max(0, ...rows.map((row) => row[column] ?? 0));
  return [longest(2), longest(1)];
}

async function settle(cpuSeconds: () => number): Promise<void> {
  for (let before = -1; cpuSeconds() - before > 0.03; await Bun.sleep(500)) before = cpuSeconds();
}
