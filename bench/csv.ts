/**
 * CSV with 1,000,000 links on SQLite, over HTTP with the real program: the export of all, then imports of a 10 MB file,
 * as new and as existing links. Reports time, rows a second, memory, and the longest block of the server's event loop.
 *
 *     bin/bun bench/csv.ts [links] [rows of the import]
 *
 * The gap is measured as lib/loop-gap.ts describes; the number in brackets includes time taken by other programs.
 * bench/latency.ts measures the effect on redirects.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { signIn } from "../test/support/session.ts";
import { createDataFolder } from "./lib/data-folder.ts";
import type { Subject } from "./lib/subject.ts";
import { startWaymark } from "./lib/subjects.ts";

const LINKS = Number(process.argv[2] ?? 1_000_000);
const ROWS = Number(process.argv[3] ?? 90_000);
const PASSWORD = "a password for the benchmark";

const folder = mkdtempSync(join(tmpdir(), "waymark-bench-gap-"));
const gapFile = join(folder, "gaps");
const data = await createDataFolder(LINKS);
try {
  await setPassword();
  const server = await startWaymark(data, {
    CORES: "0,1",
    BUN_OPTIONS: `--preload ${join(import.meta.dir, "lib", "loop-gap.ts")}`,
    LOOP_GAP_FILE: gapFile,
  });
  try {
    await measure(server);
  } finally {
    await server.stop();
  }
} finally {
  data.remove();
  rmSync(folder, { recursive: true, force: true });
}

async function setPassword(): Promise<void> {
  const waymark = join(import.meta.dir, "..", "bin", "waymark");
  const reset = Bun.spawn([waymark, "reset-password", "--stdin"], {
    env: { ...process.env, WAYMARK__DATA__DIR: data.path },
    stdin: Buffer.from(PASSWORD),
  });
  if ((await reset.exited) !== 0) throw new Error("the password could not be set");
}

async function measure(server: Subject): Promise<void> {
  const client = await signIn(`http://127.0.0.1:${server.port}`, PASSWORD);
  await settle(server.cpuSeconds);
  console.log(`${LINKS.toLocaleString("en")} links; the process has ${server.rssMb().toFixed(0)} MB`);
  console.log("                              seconds      rows/s        MB   peak MB   longest step ms");

  await timed(server, "export", LINKS, async () => {
    const response = await client.fetch("/links/export");
    let bytes = 0;
    let rows = -1;
    for await (const chunk of response.body!) {
      bytes += chunk.length;
      for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, at + 1)) rows++;
    }
    if (rows !== LINKS) throw new Error(`the export had ${rows} rows`);
    return bytes;
  });

  const text = csvOf(ROWS);
  for (const [name, mode, counted] of [
    ["import", "skip", "success_count"],
    ["the same again, skip", "skip", "skipped_count"],
    ["the same again, overwrite", "overwrite", "success_count"],
  ] as const) {
    await timed(server, name, ROWS, async () => {
      const form = new FormData();
      form.set("mode", mode);
      form.set("file", new File([text], "links.csv"));
      const response = await client.fetch("/links/import", { method: "POST", body: form });
      const { data: result } = (await response.json()) as { data: Record<string, number> };
      if (result[counted] !== ROWS) throw new Error(`the import answered ${JSON.stringify(result)}`);
      return text.length;
    });
  }
}

/** The links of an ordinary campaign, unordered. */
function csvOf(rows: number): string {
  const lines = Array.from(
    { length: rows },
    (_, at) =>
      `camp/${((at * 7919) % rows).toString(36)},https://example.com/landing/page/${at}?utm_source=newsletter&utm_campaign=c${at % 100},2026-01-01T00:00:00Z,,,${at % 100}\n`,
  );
  return `code,target,created_at,expires_at,password,click_count\n${lines.join("")}`;
}

async function timed(
  server: Subject,
  name: string,
  rows: number,
  work: () => Promise<number>,
): Promise<void> {
  await Bun.sleep(1_000);
  let peak = 0;
  const watch = setInterval(() => (peak = Math.max(peak, server.rssMb())), 50);
  const since = Date.now();
  const begun = performance.now();
  const bytes = await work();
  const seconds = (performance.now() - begun) / 1000;
  await Bun.sleep(600);
  clearInterval(watch);
  const [own, all] = longestGap(since);
  const cells = [seconds.toFixed(2), (rows / seconds).toFixed(0), (bytes / 1e6).toFixed(1), peak.toFixed(0)];
  const gaps = `${own.toFixed(1)} (${all.toFixed(1)})`;
  console.log(name.padEnd(27) + cells.map((cell) => cell.padStart(10)).join("") + gaps.padStart(18));
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
