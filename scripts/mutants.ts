/**
 * Makes small faults by a seed, spread over all rooms, and reports which suite notices each. Others replace those that
 * the type check notices. A suite tries the tests of the fault's room first, and only tests that may load the file. The
 * next suite tries what the one before did not notice, the last one only with tests that name the room.
 *
 *   bin/bun scripts/mutants.ts [--seed 1] [--count 40] [--until short|ci|long]    resumes an interrupted run
 */
import { appendFileSync, cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { chooseFaults, type Fault, roomOf, withFault } from "./mutants.d/faults.ts";
import { createReach } from "./mutants.d/reach.ts";
import { findFiles, isContract } from "./test.d/suites.ts";

const ROOT = join(import.meta.dir, "..");
/** In the order in which they are tried. */
const SUITES = ["short", "ci", "long"] as const;
type Suite = (typeof SUITES)[number];
/** The least share of what all suites notice. */
const BARS: Readonly<Record<Suite, number>> = { short: 0.85, ci: 0.97, long: 1 };

/** What one suite found; `compiles` false: the type check noticed the fault. */
type Found = Fault & { original: string; suite: Suite; compiles: boolean; tests: string[]; seconds: number };

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: "1" },
    count: { type: "string", default: "40" },
    until: { type: "string", default: "long" },
  },
});
const [seed, count] = [Number(values.seed), Number(values.count)];
const commit = output(ROOT, "git", "rev-parse", "--short", "HEAD");
const folder = join(ROOT, ".cache", "mutants");
const tree = join(folder, "tree");
const journal = join(folder, `${commit}-${seed}.jsonl`);

function output(cwd: string, ...command: string[]): string {
  const { stdout, exitCode, stderr } = Bun.spawnSync(command, { cwd });
  if (exitCode !== 0) throw new Error(`${command.join(" ")}: ${stderr.toString()}`);
  return stdout.toString().trim();
}

/** A checkout of its own, so that the faults never touch this one. */
function prepareTree(): void {
  mkdirSync(folder, { recursive: true });
  if (!existsSync(tree)) output(ROOT, "git", "worktree", "add", "--detach", tree, commit);
  output(tree, "git", "checkout", "-q", "--force", "--detach", commit);
  for (const path of ["node_modules", "panel/dist"]) {
    if (existsSync(join(tree, path))) continue;
    // Hard links: a copy would take half a minute.
    output(ROOT, "cp", "-al", join(ROOT, path), join(tree, path));
  }
  if (existsSync(join(ROOT, ".cache", "tsc")))
    cpSync(join(ROOT, ".cache", "tsc"), join(tree, ".cache", "tsc"), { recursive: true });
}

const compiles = (): boolean =>
  Bun.spawnSync(
    [
      "node",
      "node_modules/typescript/bin/tsc",
      "--noEmit",
      "--incremental",
      "--tsBuildInfoFile",
      ".cache/tsc/server.json",
    ],
    { cwd: tree },
  ).exitCode === 0;

/** The names of failed tests; empty when all pass. */
function failures(files: readonly string[], suite: Suite): string[] {
  if (files.length === 0) return [];
  const flags = suite === "short" ? [] : [`--${suite}`];
  const run = Bun.spawnSync([process.execPath, "scripts/test.ts", ...flags, "--bail", ...files], {
    cwd: tree,
    // `npm test` runs without servers.
    env: { ...process.env, ...(suite === "short" && { WAYMARK_TEST_DATABASES: "sqlite" }) },
    stdout: "pipe",
    stderr: "ignore",
  });
  if (run.exitCode === 0) return [];
  const failed = [...run.stdout.toString().matchAll(/^failed: (.*)$/gm)].map(([, name = ""]) => name);
  return failed.length > 0 ? failed : ["the runner itself"];
}

/** Tests beside the file, then of its room, then whatever names the room, then all others. */
function stages(fault: Fault, suite: Suite): string[][] {
  const beside = fault.file.slice(0, fault.file.lastIndexOf("/") + 1);
  const room = `${roomOf(fault.file)}/`;
  const word = roomOf(fault.file).split("/").at(-1)!.replace(/s$/, "");
  const rank = (file: string): number =>
    file.startsWith(beside) ? 0 : file.startsWith(room) ? 1 : file.includes(word) ? 2 : 3;
  // CI runs the files of `npm test` again; only contracts run in another way there.
  const isNew = suite === "ci" ? isContract : () => true;
  const files = findFiles(tree, suite, []).filter((file) => isNew(file) && reach(file, fault.file));
  const byRank = Map.groupBy(files, rank);
  const ranks = suite === "long" ? [0, 1, 2] : [0, 1, 2, 3];
  return ranks.map((at) => byRank.get(at) ?? []).filter((stage) => stage.length > 0);
}

/** The tests of the suite that fail first. */
function hunt(fault: Fault, suite: Suite): string[] {
  for (const stage of stages(fault, suite)) {
    const tests = failures(stage, suite);
    if (tests.length > 0) return tests.slice(0, 3);
  }
  return [];
}

function readJournal(): Found[] {
  if (!existsSync(journal)) return [];
  const lines = readFileSync(journal, "utf8").split("\n").filter(Boolean);
  return lines.map((line) => JSON.parse(line) as Found);
}

const keyOf = ({ file, start, text }: Fault): string => `${file}:${start}:${text}`;

function report(faults: readonly Fault[], journalled: readonly Found[]): number {
  const noticedBy = new Map(
    journalled.filter(({ tests }) => tests.length > 0).map((one) => [keyOf(one), one]),
  );
  let failed = 0;
  for (const suite of SUITES.slice(0, last + 1)) {
    const until = SUITES.indexOf(suite);
    const noticed = [...noticedBy.values()].filter((one) => SUITES.indexOf(one.suite) <= until).length;
    const share = noticed / noticedBy.size;
    const bar = BARS[suite];
    if (share < bar) failed++;
    console.log(
      `${suite}: ${(share * 100).toFixed(0)} % of what all suites notice (at least ${bar * 100} %)`,
    );
  }
  for (const fault of faults.filter((one) => !noticedBy.has(keyOf(one))))
    console.log(`no suite notices: ${fault.file}:${fault.line} → ${fault.text}`);
  console.log(`${faults.length} faults, ${noticedBy.size} noticed`);
  return failed;
}

/** Tries one fault in the tree, and records what was found. */
function tryFault(fault: Fault, suite: Suite): Found {
  const path = join(tree, fault.file);
  const source = readFileSync(path, "utf8");
  const original = source.slice(fault.start, fault.end);
  const started = performance.now();
  writeFileSync(path, withFault(source, fault));
  try {
    const isValid = suite !== "short" || compiles();
    const tests = isValid ? hunt(fault, suite) : [];
    const seconds = (performance.now() - started) / 1000;
    const found: Found = { ...fault, original, suite, compiles: isValid, tests, seconds };
    appendFileSync(journal, `${JSON.stringify(found)}\n`);
    const by = isValid ? (tests[0] ?? "NOT NOTICED") : "the type check";
    console.log(
      `${suite} ${fault.kind} ${fault.file}:${fault.line} ${original} → ${fault.text} · ${by} · ${seconds.toFixed(0)} s`,
    );
    return found;
  } finally {
    writeFileSync(path, source);
  }
}

prepareTree();
const reach = createReach(tree);
const last = SUITES.indexOf(values.until as Suite);
if (last < 0) throw new Error(`--until is one of ${SUITES.join(", ")}`);
const journalled = readJournal();
const foundBefore = (fault: Fault, suite: Suite): Found | undefined =>
  journalled.find((one) => one.suite === suite && keyOf(one) === keyOf(fault));
const files = [...new Bun.Glob("src/**/*.ts").scanSync({ cwd: ROOT })]
  .filter((file) => !/\.(?:test|test-support)\.ts$/.test(file))
  .sort();
const faults: Fault[] = [];
const run = (fault: Fault, suite: Suite): Found => {
  const known = foundBefore(fault, suite);
  if (known !== undefined) return known;
  const found = tryFault(fault, suite);
  journalled.push(found);
  return found;
};
let silent: Fault[] = [];
for (const fault of chooseFaults(ROOT, files, seed)) {
  if (faults.length >= count) break;
  const { compiles: isValid, tests } = run(fault, "short");
  if (!isValid) continue;
  faults.push(fault);
  if (tests.length === 0) silent.push(fault);
}
for (const suite of SUITES.slice(1, last + 1))
  silent = silent.filter((fault) => run(fault, suite).tests.length === 0);
process.exitCode = report(faults, journalled) > 0 ? 1 : 0;
