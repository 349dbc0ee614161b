/**
 * Runs the tests: `npm test` on SQLite, `--ci` what CI runs, `--long` what CI leaves out, `--all` everything, from where
 * a run on the same sources ended. WAYMARK_TEST_JOBS processes run at once (default: cores + 1). Arguments are parts of
 * paths and options of `bun test`; with paths, and in all suites but the first, tests use the servers of
 * WAYMARK_TEST_*_URL, else of `scripts/services env`. The last line is "N passed, N failed" and what was skipped.
 */
import { closeSync, openSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import {
  type Cost,
  countProcessorTime,
  createProgress,
  readCosts,
  recordCosts,
  reportCosts,
} from "./test.d/costs.ts";
import { openPassed } from "./test.d/passed.ts";
import { buildProgram } from "./test.d/program.ts";
import { emptyOutcome, type Outcome, readReport, reasonsIn } from "./test.d/report.ts";
import { checkServers, type Environment, hasServers, withoutServers, withServers } from "./test.d/servers.ts";
import { findFiles, type Suite } from "./test.d/suites.ts";
import { type Unit, unitsOf } from "./test.d/units.ts";

/** Limits for hanging tests, long enough for a busy machine. */
const TEST_TIMEOUT_MS = 240_000;
const UNIT_TIMEOUT_MS = 8 * 60_000;
/** For files of the long suite, whose tests name limits of their own. */
const LONG_TIMEOUT_MS = 40 * 60_000;
/** More failed browser files than this are no accident, and do not run again. */
const MOST_REPEATED = 3;
const MOST_REASONS = 5;
/** These load all cores for minutes, so each runs by itself, after the others, and few of its tests at once. */
const LOADS = "test/faults/";
const loadsAll = ({ name }: Unit): boolean => name.startsWith(LOADS);
const FEW_AT_ONCE = "--max-concurrency=2";

/** Options of `bun test` whose value is the next argument. */
const VALUE_OPTIONS = new Set([
  "-t",
  "--test-name-pattern",
  "--timeout",
  "--retry",
  "--rerun-each",
  "--seed",
]);

type Say = (line: string) => void;
type Run = {
  root: string;
  options: string[];
  env: Environment;
  reports: string;
  alone: boolean;
  costs: Cost[];
  outcomes: Map<string, Outcome>;
};

export function splitArguments(args: readonly string[]): { paths: string[]; options: string[] } {
  const paths: string[] = [];
  const options: string[] = [];
  for (let i = 0; i < args.length; i++) {
    const argument = args[i]!;
    if (!argument.startsWith("-")) {
      paths.push(argument.replace(/^\.\//, ""));
      continue;
    }
    options.push(argument);
    if (VALUE_OPTIONS.has(argument) && i + 1 < args.length) options.push(args[++i]!);
  }
  if (!options.some((option) => option.startsWith("--timeout")))
    options.push("--timeout", `${TEST_TIMEOUT_MS}`);
  return { paths, options };
}

/** Bun reports tests that the name pattern excludes as skipped. */
const selectsByName = (options: readonly string[]): boolean =>
  options.some((option) => option === "-t" || option.startsWith("--test-name-pattern"));

/** Takes one of the runner's own options out of `args`. */
function takeFlag(args: string[], flag: string): boolean {
  const at = args.indexOf(flag);
  if (at >= 0) args.splice(at, 1);
  return at >= 0;
}

const takeSuite = (args: string[]): Suite =>
  (["all", "ci", "long"] as const).find((suite) => takeFlag(args, `--${suite}`)) ?? "short";

let started = 0;

/** Runs the files of the unit in one process. Files of a process that ends without a report run again, each alone. */
async function runUnit(run: Run, unit: Unit): Promise<Map<string, Outcome>> {
  const own = join(run.reports, `${++started}`);
  const [report, printed] = [`${own}.xml`, `${own}.log`];
  const reporting = ["--reporter=junit", `--reporter-outfile=${report}`];
  const output = run.alone ? "inherit" : openSync(printed, "a");
  const child = Bun.spawn(
    [
      process.execPath,
      "--no-env-file",
      "test",
      ...reporting,
      ...(loadsAll(unit) ? [FEW_AT_ONCE] : []),
      ...run.options,
      ...unit.files.map((file) => `./${file}`),
    ],
    {
      cwd: run.root,
      env: { ...run.env, ...(unit.onSqlite && { WAYMARK_TEST_DATABASES: "sqlite" }) },
      stdio: ["ignore", output, output],
    },
  );
  const start = performance.now();
  let isLate = false;
  const limitMs = unit.files.some((file) => file.includes(".long.")) ? LONG_TIMEOUT_MS : UNIT_TIMEOUT_MS;
  const limit = setTimeout(() => {
    isLate = true;
    child.kill("SIGKILL");
  }, limitMs);
  const status = await child.exited;
  clearTimeout(limit);
  const processorMs = Number(child.resourceUsage()?.cpuTime.total ?? 0) / 1000;
  run.costs.push({ name: unit.name, files: unit.files, wallMs: performance.now() - start, processorMs });
  let text = "";
  if (typeof output === "number") {
    closeSync(output);
    text = await Bun.file(printed).text();
    process.stderr.write(text);
  }

  const xml = Bun.file(report);
  const isWritten = await xml.exists();
  const outcomes = readReport(isWritten ? await xml.text() : "", unit.files);
  const all = [...outcomes.values()];
  const last = all.at(-1)!;
  last.reasons = reasonsIn(text);
  const failed = all.flatMap((outcome) => outcome.failed);
  if (selectsByName(run.options)) {
    for (const outcome of all) outcome.skipped = [];
    const passed = all.flatMap((outcome) => outcome.passed);
    if (isWritten && passed.length + failed.length === 0) return outcomes;
  }
  if (failed.length > 0 || (isWritten && status === 0)) return outcomes;
  if (unit.files.length > 1) return runEach(run, unit);
  const file = unit.name;
  if (isLate) last.failed.push(`${file}: not done after ${limitMs / 60_000} minutes, killed`);
  else if (status !== 0) last.failed.push(`${file}: failed outside its tests (exit code ${status})`);
  else last.failed.push(`${file}: ended without a result; it holds no test, or ended the process`);
  return outcomes;
}

async function runEach(run: Run, { files, onSqlite }: Unit): Promise<Map<string, Outcome>> {
  const outcomes = new Map<string, Outcome>();
  for (const file of files)
    for (const [name, outcome] of await runUnit(run, { name: file, files: [file], onSqlite }))
      outcomes.set(name, outcome);
  return outcomes;
}

const drivesBrowser = async (root: string, file: string): Promise<boolean> =>
  /\/support\/(panel|chromium|on-postgres)\.ts"/.test(await Bun.file(join(root, file)).text());

/**
 * Runs failed browser files again, one at a time: a browser that shares its cores with other tests can miss a wait. A
 * test fails that passes in neither run. Says which failed in one.
 */
async function repeatBrowsers(run: Run, units: readonly Unit[], say: Say): Promise<void> {
  const failed: string[] = [];
  for (const [file, outcome] of run.outcomes)
    if (outcome.failed.length > 0 && (await drivesBrowser(run.root, file))) failed.push(file);
  if (run.alone || failed.length > MOST_REPEATED) return;
  for (const file of failed) {
    const { onSqlite } = units.find(({ files }) => files.includes(file))!;
    const again = (await runUnit(run, { name: file, files: [file], onSqlite })).get(file)!;
    const first = run.outcomes.get(file)!;
    const gone = first.failed.filter((name) => !again.failed.includes(name));
    const passedBefore = (name: string) => first.passed.includes(name) && !first.failed.includes(name);
    const fresh = again.failed.filter(passedBefore);
    if (gone.length > 0) first.reasons.forEach((reason) => say(reason));
    for (const name of gone) say(`failed once, not when run again: ${name}`);
    if (fresh.length > 0) again.reasons.forEach((reason) => say(reason));
    for (const name of fresh) say(`failed when run again, not before: ${name}`);
    again.failed = again.failed.filter((name) => !fresh.includes(name));
    again.passed.push(...fresh);
    run.outcomes.set(file, again);
  }
}

function jobsOf(env: Environment): number {
  const given = Number(env["WAYMARK_TEST_JOBS"]);
  return Number.isSafeInteger(given) && given > 0 ? given : availableParallelism() + 1;
}

function sumOf(outcomes: Iterable<Outcome>): Outcome {
  const total = emptyOutcome();
  for (const { passed, failed, skipped, reasons } of outcomes) {
    total.passed.push(...passed);
    total.failed.push(...failed);
    total.skipped.push(...skipped);
    total.reasons.push(...reasons);
  }
  return total;
}

/** Returns the exit code: 0 when at least one test ran and none failed. */
export async function runTests(
  root: string,
  args: readonly string[],
  given: Environment,
  say: Say,
): Promise<number> {
  const processorSeconds = countProcessorTime();
  const all = [...args];
  const suite = takeSuite(all);
  const [isRecorded, isFresh] = [takeFlag(all, "--record"), takeFlag(all, "--fresh")];
  const { paths, options } = splitArguments(all);
  const needsNone = suite === "short" && paths.length === 0;
  const servers = needsNone ? withoutServers(given) : await withServers(root, given);
  const costs = await readCosts(root);
  const passed = suite === "all" && paths.length === 0 ? await openPassed(root) : undefined;
  const before = isFresh ? {} : { ...passed?.passed };
  const found = findFiles(root, suite, paths);
  const files = found.filter((file) => before[file] === undefined);
  const units = await unitsOf(root, files, suite, costs, hasServers(servers));
  const reports = await mkdtemp(join(tmpdir(), "waymark-test-"));
  const jobs = jobsOf(servers);
  const run: Run = {
    root,
    options,
    env: servers,
    reports,
    alone: units.length === 1,
    costs: [],
    outcomes: new Map(),
  };
  if (files.length < found.length)
    say(`${found.length - files.length} files passed before on these sources; --fresh runs them again.`);
  const progress = createProgress(costs, files, jobs, say);
  const work = async (waiting: Iterable<Unit>) => {
    for (const unit of waiting) {
      for (const [file, outcome] of await runUnit(run, unit)) {
        run.outcomes.set(file, outcome);
        if (outcome.failed.length + outcome.skipped.length === 0) passed?.add(file, outcome.passed.length);
      }
      progress.done(unit.files);
    }
  };
  try {
    const program = await buildProgram(root, files, reports);
    run.env = { WAYMARK_TEST_PROGRAM: program, ...servers };
    const waiting = units.filter((unit) => !loadsAll(unit)).values();
    await Promise.all(Array.from({ length: jobs }, () => work(waiting)));
    await work(units.filter(loadsAll));
    await repeatBrowsers(run, units, say);
  } finally {
    await rm(reports, { recursive: true, force: true });
  }
  const total = sumOf(run.outcomes.values());
  for (const reason of total.reasons.slice(0, MOST_REASONS)) say(`\n${reason}`);
  say("");
  if (!run.alone) reportCosts(run.costs, jobs, processorSeconds(), say);
  checkServers(servers, total, say);
  const secondsOf = new Map([...run.outcomes].map(([file, { seconds }]) => [file, seconds]));
  if (isRecorded && total.failed.length === 0) await recordCosts(root, run.costs, secondsOf);
  for (const name of total.failed) say(`failed: ${name}`);
  const count = total.passed.length + found.reduce((sum, file) => sum + (before[file] ?? 0), 0);
  const isNothing = count + total.failed.length === 0;
  if (isNothing) say(`no test ran: ${found.length} test files match ${paths.join(" ") || "src/ and test/"}`);
  const skipped = total.skipped.length > 0 ? `, ${total.skipped.length} skipped` : "";
  say(`${count} passed, ${total.failed.length} failed${skipped}`);
  return isNothing || total.failed.length > 0 ? 1 : 0;
}

if (import.meta.main) {
  const root = join(import.meta.dir, "..");
  process.exitCode = await runTests(root, process.argv.slice(2), process.env, (line) => console.log(line));
}
