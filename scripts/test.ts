/**
 * Runs the tests (`npm test`), each file in its own process. WAYMARK_TEST_JOBS files run at once (default: cores + 1).
 * Arguments are parts of paths (`npm test -- src/links`) and options of `bun test` (`-t name`). Servers come from
 * WAYMARK_TEST_*_URL, else from `scripts/services env`; tests without their server are skipped, or fail with
 * WAYMARK_TEST_REQUIRE_SERVICES=1. At the end it names the slowest files. The last line on stdout is "N passed, N failed", followed by ", N skipped" if any.
 */
import { closeSync, openSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";

/** Limits for hanging tests, long enough for a busy machine. */
const TEST_TIMEOUT_MS = 240_000;
const FILE_TIMEOUT_MS = 8 * 60_000;
/** More failed browser files than this are no accident, and do not run again. */
const MOST_REPEATED = 3;
const REASON_LINES = 30;
const MOST_REASONS = 5;
const MOST_SLOWEST = 12;

const SERVERS = {
  PostgreSQL: "WAYMARK_TEST_POSTGRES_URL",
  MySQL: "WAYMARK_TEST_MYSQL_URL",
  MariaDB: "WAYMARK_TEST_MARIADB_URL",
  Redis: "WAYMARK_TEST_REDIS_URL",
  S3: "WAYMARK_TEST_S3_URL",
} as const;

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
type Environment = Readonly<Record<string, string | undefined>>;
/** Failed and skipped tests as `file: name`, and what was printed before each failure. */
export type Outcome = { passed: number; failed: string[]; skipped: string[]; reasons: string[] };
/** How long a file took, and the processor time of its process and of those that it waited for, without servers. */
type Cost = { file: string; wallMs: number; processorMs: number };
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

function findFiles(root: string, paths: readonly string[]): string[] {
  return [...new Bun.Glob("{src,test}/**/*.test.{ts,tsx}").scanSync({ cwd: root })]
    .filter((file) => paths.length === 0 || paths.some((path) => file.includes(path)))
    .toSorted(storiesFirst);
}

/** Files in test/ take longest, so they start first. */
const storiesFirst = (a: string, b: string): number =>
  Number(b.startsWith("test/")) - Number(a.startsWith("test/")) || (a < b ? -1 : 1);

const ENTITIES: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };
const unescape = (text: string): string =>
  text.replace(/&(amp|lt|gt|quot|apos);/g, (_, name: string) => ENTITIES[name]!);

/** Reads Bun's JUnit report. Quotes and angle brackets are escaped in it, so patterns find the tags. */
export function readReport(xml: string, file: string): Outcome {
  const outcome: Outcome = { passed: 0, failed: [], skipped: [], reasons: [] };
  for (const [, attributes, end, body] of xml.matchAll(/<testcase ([^>]*?)(?:(\/>)|>([^]*?)<\/testcase>)/g)) {
    const name = `${file}: ${unescape(/\bname="([^"]*)"/.exec(attributes!)?.[1] ?? "(unnamed)")}`;
    if (end !== undefined || body === undefined) outcome.passed++;
    else if (/<(failure|error)[ />]/.test(body)) outcome.failed.push(name);
    else if (/<skipped[ />]/.test(body)) outcome.skipped.push(name);
    else outcome.passed++;
  }
  return outcome;
}

/** The lines before each failed test, without those of passed ones: a long run's end shows why it failed. */
export function reasonsIn(printed: string): string[] {
  const lines = printed.split("\n").filter((line) => !line.startsWith("(pass)"));
  return lines.flatMap((line, at) =>
    line.startsWith("(fail)") ? [lines.slice(Math.max(0, at - REASON_LINES), at + 1).join("\n")] : [],
  );
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
    if (written && outcome.passed + outcome.failed.length === 0) return outcome;
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
 * Runs failed browser files again, one at a time: a browser that shares its cores with other tests can miss a wait. Says
 * which failures did not come back.
 */
async function repeatBrowsers(run: Run, outcomes: Map<string, Outcome>, say: Say): Promise<void> {
  const failed: string[] = [];
  for (const [file, outcome] of outcomes)
    if (outcome.failed.length > 0 && (await drivesBrowser(run.root, file))) failed.push(file);
  if (run.alone || failed.length > MOST_REPEATED) return;
  for (const file of failed) {
    const again = await runFile(run, file, `${file.replaceAll("/", "_")}-again`);
    const gone = outcomes.get(file)!.failed.filter((name) => !again.failed.includes(name));
    const { reasons } = outcomes.get(file)!;
    if (gone.length > 0) reasons.forEach((reason) => say(reason));
    for (const name of gone) say(`failed once, not when run again: ${name}`);
    outcomes.set(file, again);
  }
}

/** The environment, with the running servers of scripts/services for those that are not set. */
export async function withServers(root: string, env: Environment): Promise<Environment> {
  const script = join(root, "scripts/services");
  if (Object.values(SERVERS).every((name) => env[name]) || !(await Bun.file(script).exists())) return env;
  const child = Bun.spawn(["bash", script, "env"], { env, stdio: ["ignore", "pipe", "ignore"] });
  const lines = await new Response(child.stdout).text();
  const found = [...lines.matchAll(/^export (\w+)=(.*)$/gm)]
    .map(([, name, value]) => [name!, value!] as const)
    .filter(([name]) => !env[name]);
  return { ...env, ...Object.fromEntries(found) };
}

function jobsOf(env: Environment): number {
  const given = Number(env.WAYMARK_TEST_JOBS);
  return Number.isSafeInteger(given) && given > 0 ? given : availableParallelism() + 1;
}

/** Reports missing servers, as failures if they are required. */
function judgeServers(env: Environment, outcome: Outcome, say: Say): void {
  const required = env.WAYMARK_TEST_REQUIRE_SERVICES === "1";
  for (const [kind, name] of Object.entries(SERVERS)) {
    if (env[name]) continue;
    if (required) outcome.failed.push(`${kind} is required, ${name} is not set`);
    else say(`skipped: ${kind} tests, ${name} is not set; \`scripts/services up\` starts one`);
  }
  if (required) {
    outcome.failed.push(...outcome.skipped.map((name) => `${name} (skipped, and every test is required)`));
    outcome.skipped = [];
  }
}

const seconds = (ms: number): string => `${Math.round(ms / 1000)} s`;

/** The slowest files, for who wants to make the run shorter. */
function tellCosts(costs: readonly Cost[], jobs: number, say: Say): void {
  const line = ({ wallMs, processorMs }: Omit<Cost, "file">) =>
    `${seconds(wallMs)}, ${seconds(processorMs)} of them at work`;
  const sumOf = (key: "wallMs" | "processorMs") => costs.reduce((sum, cost) => sum + cost[key], 0);
  say(
    `${costs.length} files, ${jobs} at once: ${line({ wallMs: sumOf("wallMs"), processorMs: sumOf("processorMs") })}`,
  );
  for (const cost of costs.toSorted((a, b) => b.wallMs - a.wallMs).slice(0, MOST_SLOWEST))
    say(`slow: ${cost.file}: ${line(cost)}`);
}

/** Returns the exit code: 0 when at least one test ran and none failed. */
export async function runTests(
  root: string,
  args: readonly string[],
  given: Environment,
  say: Say,
): Promise<number> {
  const { paths, options } = splitArguments(args);
  const files = findFiles(root, paths);
  const env = await withServers(root, given);
  const reports = await mkdtemp(join(tmpdir(), "waymark-test-"));
  const outcomes = new Map<string, Outcome>();
  const run: Run = { root, options, env, reports, alone: files.length === 1, costs: [] };
  const jobs = jobsOf(env);
  const waiting = files.entries();
  const work = async () => {
    for (const [index, file] of waiting) outcomes.set(file, await runFile(run, file, index));
  };
  try {
    await Promise.all(Array.from({ length: jobs }, work));
    await repeatBrowsers(run, outcomes, say);
  } finally {
    await rm(reports, { recursive: true, force: true });
  }
  const total: Outcome = { passed: 0, failed: [], skipped: [], reasons: [] };
  for (const outcome of outcomes.values()) {
    total.passed += outcome.passed;
    total.failed.push(...outcome.failed);
    total.skipped.push(...outcome.skipped);
    total.reasons.push(...outcome.reasons);
  }
  for (const reason of total.reasons.slice(0, MOST_REASONS)) say(`\n${reason}`);
  say("");
  if (!run.alone) tellCosts(run.costs, jobs, say);
  judgeServers(env, total, say);
  for (const name of total.failed) say(`failed: ${name}`);
  const nothing = total.passed + total.failed.length === 0;
  if (nothing) say(`no test ran: ${files.length} test files match ${paths.join(" ") || "src/ and test/"}`);
  const skipped = total.skipped.length > 0 ? `, ${total.skipped.length} skipped` : "";
  say(`${total.passed} passed, ${total.failed.length} failed${skipped}`);
  return nothing || total.failed.length > 0 ? 1 : 0;
}

if (import.meta.main) {
  const root = join(import.meta.dir, "..");
  process.exitCode = await runTests(root, process.argv.slice(2), process.env, (line) => console.log(line));
}
