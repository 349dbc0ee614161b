/**
 * The cost of a million links with a title and two tags each: memory of the whole process, time until it answers, and
 * the longest gap of the event loop while links are loaded and while 64 connections request them; then memory after
 * lists, tags and searches.
 *
 *     bin/bun bench/memory.ts [links] [seconds]
 *
 * The gap is measured as lib/loop-gap.ts describes; the number in brackets includes time taken by other programs.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startAdministrator } from "./lib/administrator.ts";
import { createDataFolder } from "./lib/data-folder.ts";
import { requireTools, runLoad } from "./lib/load.ts";
import { startWaymark } from "./lib/subjects.ts";

const COUNT = Number(process.argv[2] ?? 1_000_000);
const SECONDS = Number(process.argv[3] ?? 10);
const GOALS = { rssMb: 260, readyMs: 3000, gapMs: 20 };

requireTools();
const folder = mkdtempSync(join(tmpdir(), "waymark-bench-gap-"));
const gapFile = join(folder, "gaps");
const data = await createDataFolder(COUNT, { titled: true });
try {
  await measure();
} finally {
  data.remove();
  rmSync(folder, { recursive: true, force: true });
}

async function measure(): Promise<void> {
  const waymark = await startWaymark(data, {
    BUN_OPTIONS: `--preload ${join(import.meta.dir, "lib", "loop-gap.ts")}`,
    LOOP_GAP_FILE: gapFile,
  });
  try {
    console.log(`${COUNT.toLocaleString("en")} links`);
    const readyAt = Date.now();
    tell("ready", waymark.readyMs, "ms", GOALS.readyMs);
    await settle(waymark.cpuSeconds);
    tell("memory, loaded", waymark.rssMb(), "MB", GOALS.rssMb);
    tell("memory, most while loading", waymark.peakMb(), "MB", GOALS.rssMb);
    tellGaps("longest gap while loading", readyAt);
    for (const [name, prefix] of [
      ["known links", "c"],
      ["unknown codes", "x"],
      ["known links", "c"],
    ] as const) {
      const startedAt = Date.now();
      const load = await runLoad({
        port: waymark.port,
        prefix,
        count: Math.min(COUNT, 1_000_000),
        seconds: SECONDS,
      });
      await Bun.sleep(600);
      tellGaps(`longest gap, ${name} (${load.perSecond.toFixed(0)}/s)`, startedAt);
      tell("memory", waymark.rssMb(), "MB", GOALS.rssMb);
    }
    const { work } = await startAdministrator(waymark.port, data);
    for (const [what, ask] of [
      ["deep pages of a tag, by every key", work.tagged],
      ["searches", work.searches],
      ["pages of all", work.lists],
    ] as const) {
      for (let run = 0; run < 12; run++) await ask();
      await settle(waymark.cpuSeconds);
      tell(`memory after ${what}`, waymark.rssMb(), "MB", GOALS.rssMb);
    }
    tell("memory, most", waymark.peakMb(), "MB", GOALS.rssMb);
  } finally {
    await waymark.stop();
  }
}

async function settle(cpuSeconds: () => number): Promise<void> {
  for (let before = -1; cpuSeconds() - before > 0.03; await Bun.sleep(500)) before = cpuSeconds();
}

/** The longest gap of the half seconds that began at `since` or later, without and with the time of other programs. */
function tellGaps(what: string, since: number): void {
  const lines = existsSync(gapFile) ? readFileSync(gapFile, "utf8").trim().split("\n") : [];
  const cells = lines.map((line) => line.split(" ").map(Number)).filter(([end = 0]) => end - 500 >= since);
  const longest = (column: number) => Math.max(0, ...cells.map((row) => row[column] ?? 0));
  tell(what, longest(2), `ms (${longest(1).toFixed(1)})`, GOALS.gapMs);
}

function tell(what: string, value: number, unit: string, goal: number): void {
  console.log(`${what.padEnd(48)}${value.toFixed(unit === "MB" ? 0 : 1).padStart(8)} ${unit}   goal ${goal}`);
}
