/**
 * Makes small faults by a seed, spread over all rooms, and reports which suite notices each: `npm test`, CI, or only
 * `npm run test:all`. A suite tries the tests of the fault's room first and the others only if those are silent. Faults
 * that the type check notices are replaced by others.
 *
 *   bin/bun scripts/mutants.ts [--seed 1] [--count 40]    resumes an interrupted run of the same commit and seed
 */
import { appendFileSync, cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { chooseFaults, type Fault, roomOf, withFault } from "./mutants.d/faults.ts";
import { findFiles } from "./test.d/suites.ts";

const ROOT = join(import.meta.dir, "..");
/** In the order in which they are tried. */
const SUITES = ["short", "ci", "long"] as const;
type Suite = (typeof SUITES)[number];
/** The least share of what all suites notice. */
const BARS: Readonly<Record<Suite, number>> = { short: 0.85, ci: 0.97, long: 1 };

type Found = Fault & { original: string; noticedBy: Suite | null; tests: string[]; seconds: number };

const { values } = parseArgs({
  options: { seed: { type: "string", default: "1" }, count: { type: "string", default: "40" } },
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
function stages(fault: Fault, files: readonly string[]): string[][] {
  const beside = fault.file.slice(0, fault.file.lastIndexOf("/") + 1);
  const room = `${roomOf(fault.file)}/`;
  const word = roomOf(fault.file).split("/").at(-1)!.replace(/s$/, "");
  const rank = (file: string): number =>
    file.startsWith(beside) ? 0 : file.startsWith(room) ? 1 : file.includes(word) ? 2 : 3;
  const byRank = Map.groupBy(files, rank);
  return [0, 1, 2, 3].map((at) => byRank.get(at) ?? []).filter((stage) => stage.length > 0);
}

function hunt(fault: Fault): Pick<Found, "noticedBy" | "tests"> {
  for (const suite of SUITES) {
    // CI runs the files of `npm test` again, with servers.
    for (const stage of stages(fault, findFiles(tree, suite, []))) {
      const tests = failures(stage, suite);
      if (tests.length > 0) return { noticedBy: suite, tests: tests.slice(0, 3) };
    }
  }
  return { noticedBy: null, tests: [] };
}

function readJournal(): Found[] {
  if (!existsSync(journal)) return [];
  const lines = readFileSync(journal, "utf8").split("\n").filter(Boolean);
  return lines.map((line) => JSON.parse(line) as Found);
}

function report(found: readonly Found[]): number {
  const noticed = found.filter(({ noticedBy }) => noticedBy !== null);
  let failed = 0;
  for (const suite of SUITES) {
    const until = SUITES.indexOf(suite);
    const share = noticed.filter((one) => SUITES.indexOf(one.noticedBy!) <= until).length / noticed.length;
    const bar = BARS[suite];
    if (share < bar) failed++;
    console.log(
      `${suite}: ${(share * 100).toFixed(0)} % of what all suites notice (at least ${bar * 100} %)`,
    );
  }
  for (const one of found.filter(({ noticedBy }) => noticedBy === null)) {
    console.log(`no suite notices: ${one.file}:${one.line} ${one.original} → ${one.text}`);
  }
  console.log(`${found.length} faults, ${noticed.length} noticed`);
  return failed;
}

prepareTree();
const found = readJournal();
const files = [...new Bun.Glob("src/**/*.ts").scanSync({ cwd: ROOT })]
  .filter((file) => !/\.(?:test|test-support)\.ts$/.test(file))
  .sort();
const known = new Set(found.map(({ file, start, text }) => `${file}:${start}:${text}`));
for (const fault of chooseFaults(ROOT, files, seed)) {
  if (found.length >= count) break;
  if (known.has(`${fault.file}:${fault.start}:${fault.text}`)) continue;
  const path = join(tree, fault.file);
  const source = readFileSync(path, "utf8");
  const original = source.slice(fault.start, fault.end);
  const started = performance.now();
  writeFileSync(path, withFault(source, fault));
  try {
    if (!compiles()) continue;
    const one = { ...fault, original, ...hunt(fault), seconds: (performance.now() - started) / 1000 };
    found.push(one);
    appendFileSync(journal, `${JSON.stringify(one)}\n`);
    const by = one.noticedBy === null ? "NOT NOTICED" : `${one.noticedBy}: ${one.tests[0]}`;
    console.log(
      `${found.length}/${count} ${one.kind} ${one.file}:${one.line} ${original} → ${one.text} · ${by} · ${one.seconds.toFixed(0)} s`,
    );
  } finally {
    writeFileSync(path, source);
  }
}
process.exitCode = report(found) > 0 ? 1 : 0;
