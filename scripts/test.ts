/**
 * Runs the tests (`npm test`), each file in its own process, WAYMARK_TEST_JOBS at once (default: cores + 1). Arguments
 * are parts of paths and options of `bun test`. `--long` runs `*.long.test.ts`, which are left out otherwise; `--record`
 * renews the costs. Servers come from WAYMARK_TEST_*_URL, else from `scripts/services env`; without its server a test is
 * skipped, or fails with WAYMARK_TEST_REQUIRE_SERVICES=1. The last line is "N passed, N failed" and what was skipped.
 */
import { closeSync, openSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import {
  type Cost,
  createProgress,
  longestFirst,
  readCosts,
  recordCosts,
  tellCosts,
} from "./test.d/costs.ts";
import { buildProgram } from "./test.d/program.ts";
import { type Outcome, readReport, reasonsIn } from "./test.d/report.ts";
import { type Environment, judgeServers, withServers } from "./test.d/servers.ts";

/** Limits for hanging tests, long enough for a busy machine. */
const TEST_TIMEOUT_MS = 240_000;
const FILE_TIMEOUT_MS = 8 * 60_000;
/** More failed browser files than this are no accident, and do not run again. */
const MOST_REPEATED = 3;
const MOST_REASONS = 5;

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

/** The long suite is what the other leaves out. */
function findFiles(root: string, paths: readonly string[], long: boolean): string[] {
  return [...new Bun.Glob("{src,test}/**/*.test.{ts,tsx}").scanSync({ cwd: root })]
    .filter((file) => file.includes(".long.test.") === long)
    .filter((file) => paths.length === 0 || paths.some((path) => file.includes(path)));
}

/** Takes the runner's own options out of `args`. */
function takeFlag(args: string[], flag: string): boolean {
  const at = args.indexOf(flag);
  if (at >= 0) args.splice(at, 1);
  return at >= 0;
}

async function runFile(run: Run, file: string, index: number | string): Promise<Outcome> {
  const report = join(run.reports, `${index}.xml`);
  const reporting = ["--reporter=junit", `--reporter-outfile=${report}`];
  const printed = join(run.reports, `${index}.log`);
  const output = run.alone ? "inherit" : openSync(printed, "a");
  const child = Bun.spawn(
    [process.execPath, "--no-env-file", "test", ...reporting, ...run.options, `./${file}`],
    { cwd: run.root, env: run.env, stdio: ["ignore", output, output] },
  );
  const started = performance.now();
  let late = false;
  const limit = setTimeout(() => {
    late = true;
    child.kill("SIGKILL");
  }, FILE_TIMEOUT_MS);
  const status = await child.exited;
  clearTimeout(limit);
  const processorMs = Number(child.resourceUsage()?.cpuTime.total ?? 0) / 1000;
  run.costs.push({ file, wallMs: performance.now() - started, processorMs });
  let text = "";
  if (typeof output === "number") {
    closeSync(output);
    text = await Bun.file(printed).text();
    process.stderr.write(text);
  }

  const xml = Bun.file(report);
  const written = await xml.exists();
  const outcome = readReport(written ? await xml.text() : "", file);
  outcome.reasons = reasonsIn(text);
  if (selectsByName(run.options)) {
    outcome.skipped = [];
    if (written && outcome.passed.length + outcome.failed.length === 0) return outcome;
  }
  if (outcome.failed.length > 0) return outcome;
  if (late) outcome.failed.push(`${file}: not done after ${FILE_TIMEOUT_MS / 60_000} minutes, killed`);
  else if (status !== 0) outcome.failed.push(`${file}: failed outside its tests (exit code ${status})`);
  else if (!written)
    outcome.failed.push(`${file}: ended without a result; it holds no test, or ended the process`);
  return outcome;
}

const drivesBrowser = async (root: string, file: string): Promise<boolean> =>
  /\/support\/(panel|chromium|on-postgres)\.ts"/.test(await Bun.file(join(root, file)).text());

/**
 * Runs failed browser files again, one at a time: a browser that shares its cores with other tests can miss a wait. A
 * test fails that passes in neither run. Says which failed in one.
 */
async function repeatBrowsers(run: Run, outcomes: Map<string, Outcome>, say: Say): Promise<void> {
  const failed: string[] = [];
  for (const [file, outcome] of outcomes)
    if (outcome.failed.length > 0 && (await drivesBrowser(run.root, file))) failed.push(file);
  if (run.alone || failed.length > MOST_REPEATED) return;
  for (const file of failed) {
    const again = await runFile(run, file, `${file.replaceAll("/", "_")}-again`);
    const first = outcomes.get(file)!;
    const gone = first.failed.filter((name) => !again.failed.includes(name));
    const passedBefore = (name: string) => first.passed.includes(name) && !first.failed.includes(name);
    const fresh = again.failed.filter(passedBefore);
    if (gone.length > 0) first.reasons.forEach((reason) => say(reason));
    for (const name of gone) say(`failed once, not when run again: ${name}`);
    if (fresh.length > 0) again.reasons.forEach((reason) => say(reason));
    for (const name of fresh) say(`failed when run again, not before: ${name}`);
    again.failed = again.failed.filter((name) => !fresh.includes(name));
    again.passed.push(...fresh);
    outcomes.set(file, again);
  }
}

function jobsOf(env: Environment): number {
  const given = Number(env.WAYMARK_TEST_JOBS);
  return Number.isSafeInteger(given) && given > 0 ? given : availableParallelism() + 1;
}

/** Returns the exit code: 0 when at least one test ran and none failed. */
export async function runTests(
  root: string,
  args: readonly string[],
  given: Environment,
  say: Say,
): Promise<number> {
  const all = [...args];
  const [long, isRecorded] = [takeFlag(all, "--long"), takeFlag(all, "--record")];
  const { paths, options } = splitArguments(all);
  const recorded = await readCosts(root);
  const files = longestFirst(recorded, findFiles(root, paths, long));
  const servers = await withServers(root, given);
  const reports = await mkdtemp(join(tmpdir(), "waymark-test-"));
  const outcomes = new Map<string, Outcome>();
  const jobs = jobsOf(servers);
  const run: Run = { root, options, env: servers, reports, alone: files.length === 1, costs: [] };
  const waiting = files.entries();
  const progress = createProgress(recorded, files, jobs, say);
  const work = async () => {
    for (const [index, file] of waiting) {
      outcomes.set(file, await runFile(run, file, index));
      progress.done(file);
    }
  };
  try {
    const program = await buildProgram(root, files, reports);
    run.env = { WAYMARK_TEST_PROGRAM: program, ...servers };
    await Promise.all(Array.from({ length: jobs }, work));
    await repeatBrowsers(run, outcomes, say);
  } finally {
    await rm(reports, { recursive: true, force: true });
  }
  const total: Outcome = { passed: [], failed: [], skipped: [], reasons: [] };
  for (const outcome of outcomes.values()) {
    total.passed.push(...outcome.passed);
    total.failed.push(...outcome.failed);
    total.skipped.push(...outcome.skipped);
    total.reasons.push(...outcome.reasons);
  }
  for (const reason of total.reasons.slice(0, MOST_REASONS)) say(`\n${reason}`);
  say("");
  if (!run.alone) tellCosts(run.costs, jobs, say);
  judgeServers(servers, total, say);
  if (isRecorded && total.failed.length === 0) await recordCosts(root, run.costs);
  for (const name of total.failed) say(`failed: ${name}`);
  const nothing = total.passed.length + total.failed.length === 0;
  if (nothing) say(`no test ran: ${files.length} test files match ${paths.join(" ") || "src/ and test/"}`);
  const skipped = total.skipped.length > 0 ? `, ${total.skipped.length} skipped` : "";
  say(`${total.passed.length} passed, ${total.failed.length} failed${skipped}`);
  return nothing || total.failed.length > 0 ? 1 : 0;
}

if (import.meta.main) {
  const root = join(import.meta.dir, "..");
  process.exitCode = await runTests(root, process.argv.slice(2), process.env, (line) => console.log(line));
}
