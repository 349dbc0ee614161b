/**
 * The redirect of this checkout beside that of an earlier commit. Fails when it is more than a tenth slower.
 *
 *     bin/bun bench/pairs.ts [COMMIT|FOLDER]
 *
 * Without an argument the commit is the one in redirect-base. If this clone lacks it and `origin` does not give it,
 * nothing is compared, which the program says. FOLDER is a checkout with its packages.
 *
 * Both servers share the first core at the same time, asked by a wrk with 64 connections each on the other, so that
 * whatever disturbs the machine hits both within milliseconds. A second gives a ratio of the processor time of all
 * threads for a redirect and a ratio of the rates, in which waiting shows too. Clicks are journaled; the flush, which
 * would be in some seconds only, waits (bench/clicks.ts measures it). How a process compiles and places its code differs
 * by a few per cent from start to start, so there are several starts. It fails when the whole confidence interval is
 * below the bar: noise makes the interval wide, and does not fail. Needs two cores and wrk (Debian: apt-get install wrk).
 */
import { mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { codeAt, setConfig, targetAt } from "./lib/data-folder.ts";
import { requireTools, runLoad } from "./lib/load.ts";
import { processMs } from "./lib/machine.ts";
import type { Subject } from "./lib/subject.ts";
import { startWaymark } from "./lib/subjects.ts";

const BAR = 0.9;
const STARTS = 4;
const SECONDS_OF_START = 8;
/** After a start, for the compilers. */
const WARM_UP_SECONDS = 3;
/** No start begins after it. */
const SECONDS_OF_ALL = 55;
const LINKS = 10_000;
/** Of the base in a second that counts. With less, other programs have the core. */
const LEAST_RATE = 500;
/** That count: with fewer, nothing is said. */
const LEAST_SECONDS = 10;

type Side = { checkout: string; subject: Subject };
type Second = { cpuMicros: number; perSecond: number };
/** Of the base to this checkout: below 1 where this one is slower. */
type Ratios = { processor: number; rate: number };

const here = resolve(import.meta.dir, "..");
const work = mkdtempSync(join(tmpdir(), "waymark-bench-pairs-"));

/** The folder of the base, or why there is none. */
async function prepareBase(asked: string | undefined): Promise<{ folder: string } | { missing: string }> {
  if (asked !== undefined && statSync(asked, { throwIfNoEntry: false })?.isDirectory())
    return { folder: resolve(asked) };
  const commit = asked ?? readFileSync(join(import.meta.dir, "redirect-base"), "utf8").trim();
  const git = (...options: string[]) => Bun.spawnSync(["git", "-C", here, ...options], { timeout: 20_000 });
  const isThere = () => git("cat-file", "-e", `${commit}^{commit}`).success;
  if (!isThere() && !(git("fetch", "-q", "--depth", "1", "origin", commit).success && isThere()))
    return { missing: `this clone lacks the commit ${commit}, and origin does not give it` };
  const folder = join(work, "base");
  const archive = join(work, "base.tar");
  await run(["mkdir", folder]);
  await run(["git", "-C", here, "archive", "-o", archive, commit]);
  await run(["tar", "-xf", archive, "-C", folder]);
  const lock = (of: string) => readFileSync(join(of, "package-lock.json"), "utf8");
  if (lock(folder) === lock(here)) symlinkSync(join(here, "node_modules"), join(folder, "node_modules"));
  else await run(["npm", "ci", "--prefix", folder, "--omit=dev", "--ignore-scripts", "--no-audit"]);
  return { folder };
}

async function run(command: readonly string[]): Promise<void> {
  const child = Bun.spawn([...command], { stdout: "ignore", stderr: "inherit" });
  if ((await child.exited) !== 0) throw new Error(`${command.join(" ")} failed`);
}

/** A data folder that the checkout makes itself, by its commands, which stay. */
async function makeData(checkout: string, name: string): Promise<{ path: string }> {
  const path = join(work, name);
  const file = join(work, "links.csv");
  const rows = Array.from({ length: LINKS }, (_, at) => `${codeAt(at)},${targetAt(at)}`);
  writeFileSync(file, `code,target\n${rows.join("\n")}\n`);
  const waymark = join(checkout, "bin", "waymark");
  const child = Bun.spawn([waymark, "links", "import", file], {
    env: { ...process.env, WAYMARK__DATA__DIR: path },
    stdout: "ignore",
    stderr: "inherit",
  });
  if ((await child.exited) !== 0) throw new Error(`${checkout}: the links were not imported`);
  setConfig({ path }, "click.flush_interval", "3600", checkout);
  setConfig({ path }, "click.max_clicks_before_flush", "1000000", checkout);
  return { path };
}

async function ask({ checkout, subject }: Side, seconds: number): Promise<Second> {
  const before = processMs(subject.pid);
  const load = await runLoad({ port: subject.port, prefix: "c", count: LINKS, seconds });
  const cpuMicros = ((processMs(subject.pid) - before) * 1000) / Math.max(1, load.requests);
  if (load.errorStatus + load.socketErrors > 0) throw new Error(`${checkout}: wrong answers`);
  return { cpuMicros, perSecond: load.perSecond };
}

async function measureStart(checkouts: readonly string[], data: readonly { path: string }[]) {
  const sides: Side[] = [];
  const ratios: Ratios[] = [];
  try {
    for (const [at, checkout] of checkouts.entries())
      sides.push({ checkout, subject: await startWaymark(data[at]!, {}, checkout) });
    const [base, own] = sides as [Side, Side];
    await Promise.all([base, own].map((side) => ask(side, WARM_UP_SECONDS)));
    for (let second = 0; second < SECONDS_OF_START; second++) {
      const [ofBase, ofOwn] = await Promise.all([ask(base, 1), ask(own, 1)]);
      if (ofBase.perSecond < LEAST_RATE) continue;
      ratios.push({
        processor: ofBase.cpuMicros / ofOwn.cpuMicros,
        rate: ofOwn.perSecond / ofBase.perSecond,
      });
    }
  } finally {
    await Promise.all(sides.map(({ subject }) => subject.stop()));
  }
  return ratios;
}

function secondsFrom(): () => number {
  const begun = performance.now();
  return () => (performance.now() - begun) / 1000;
}

/**
 * The Hodges-Lehmann estimate of ratios, and its interval with a confidence of 99 % by Wilcoxon's signed ranks: as
 * exact as means where noise is normal, and a few wild seconds do not move it.
 */
function estimate(ratios: readonly number[]): { middle: number; low: number; high: number } {
  const { length } = ratios;
  const logs = ratios.map(Math.log);
  const averages = logs.flatMap((one, at) => logs.slice(at).map((other) => (one + other) / 2));
  averages.sort((a, b) => a - b);
  const deviation = Math.sqrt((length * (length + 1) * (2 * length + 1)) / 24);
  const rank = Math.max(0, Math.floor(averages.length / 2 - 2.576 * deviation));
  const ratioAt = (at: number) => Math.exp(averages[at]!);
  return {
    middle: ratioAt(averages.length >> 1),
    low: ratioAt(rank),
    high: ratioAt(averages.length - 1 - rank),
  };
}

async function compare(base: string): Promise<boolean> {
  const checkouts = [base, here];
  const data = [await makeData(base, "base-data"), await makeData(here, "data")];
  const ratios: Ratios[] = [];
  const sinceStart = secondsFrom();
  for (let start = 1; start <= STARTS && sinceStart() < SECONDS_OF_ALL; start++) {
    const found = await measureStart(checkouts, data);
    console.log(`start ${start} of ${STARTS}: ${found.length} of ${SECONDS_OF_START} seconds count`);
    ratios.push(...found);
  }
  if (ratios.length < LEAST_SECONDS) {
    console.log(`Not compared: the machine is too busy. ${ratios.length} of ${LEAST_SECONDS} seconds count.`);
    return true;
  }
  let isFine = true;
  for (const [key, what] of [
    ["processor", "redirects per processor second"],
    ["rate", "redirects per second"],
  ] as const) {
    const { middle, low, high } = estimate(ratios.map((one) => one[key]));
    const isSlower = high < BAR;
    isFine &&= !isSlower;
    const interval = `${low.toFixed(3)} to ${high.toFixed(3)}`;
    console.log(
      `${what}: ${middle.toFixed(3)} of the base, with 99 % confidence ${interval}; bar ${BAR}${isSlower ? "   MISSED" : ""}`,
    );
  }
  return isFine;
}

try {
  requireTools();
  const base = await prepareBase(process.argv[2]);
  if ("missing" in base) console.log(`Not compared: ${base.missing}.`);
  else if (!(await compare(base.folder))) process.exitCode = 1;
} finally {
  rmSync(work, { recursive: true, force: true });
}
process.exit();
