/**
 * The processor time of each file of tests, in costs.json: seconds, with the processes that it starts. It decides what
 * starts first, and how long a run usually takes. `npm test -- --record` renews it, on a busy machine too.
 */
import { dlopen } from "bun:ffi";
import { readdirSync, readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { Glob } from "bun";

/** How long a process took, and the processor time of it and of those that it waited for, without servers. */
export type Cost = { name: string; files: readonly string[]; wallMs: number; processorMs: number };
export type Costs = Readonly<Record<string, number>>;

const FILE = "scripts/test.d/costs.json";
/** What a file costs that has not been recorded: new tests of the whole program start early. */
const UNKNOWN_S = { test: 4, src: 0.5 };
const MOST_SLOWEST = 16;
/** A run takes this much longer than its processor time on all cores: it waits, and ends with one file. */
const WAITING = 1.2;

export async function readCosts(root: string): Promise<Costs> {
  const file = Bun.file(join(root, FILE));
  return (await file.exists()) ? ((await file.json()) as Costs) : {};
}

/** Keeps what was recorded of other files that are still there. `secondsOf` is the share of a file in its process. */
export async function recordCosts(
  root: string,
  costs: readonly Cost[],
  secondsOf: ReadonlyMap<string, number>,
): Promise<void> {
  const all: Record<string, number> = { ...(await readCosts(root)) };
  for (const { files, processorMs } of costs) {
    const whole = files.reduce((sum, file) => sum + (secondsOf.get(file) ?? 0), 0);
    for (const file of files) {
      const share = whole > 0 ? (secondsOf.get(file) ?? 0) / whole : 1 / files.length;
      all[file] = Math.round((processorMs * share) / 100) / 10;
    }
  }
  const there = new Set(new Glob("{src,test}/**/*.test.{ts,tsx}").scanSync({ cwd: root }));
  const kept = Object.entries(all).filter(([file]) => there.has(file));
  const sorted = Object.fromEntries(kept.toSorted(([a], [b]) => (a < b ? -1 : 1)));
  await Bun.write(join(root, FILE), `${JSON.stringify(sorted, null, 2)}\n`);
}

export const costOf = (costs: Costs, file: string): number =>
  costs[file] ?? (file.startsWith("test/") ? UNKNOWN_S.test : UNKNOWN_S.src);

/** How many seconds a run usually takes on a quiet machine. */
const usualSeconds = (costs: Costs, files: readonly string[], jobs: number): number =>
  (files.reduce((sum, file) => sum + costOf(costs, file), 0) * WAITING) /
  Math.max(1, Math.min(jobs, availableParallelism(), files.length));

const spoken = (seconds: number): string =>
  seconds < 100 ? `${Math.round(seconds)} s` : `${Math.round(seconds / 60)} min`;

const TICKS_PER_SECOND = 100;
const PR_SET_CHILD_SUBREAPER = 36;
const WNOHANG = 1;

/** A server that is killed must not seem to run on: the one that starts it again, such as Patroni, waits for its end. */
const REAPED_EACH_MS = 500;

/** Children that have ended, and that nobody has waited for. */
function endedChildren(): Set<number> {
  try {
    const tasks = readdirSync("/proc/self/task");
    const children = tasks.flatMap((task) =>
      readFileSync(`/proc/self/task/${task}/children`, "utf8").split(" ").filter(Boolean),
    );
    return new Set(children.filter(hasEnded).map(Number));
  } catch {
    // A task has ended meanwhile.
    return new Set();
  }
}

function hasEnded(pid: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)!.startsWith("Z");
  } catch {
    return false;
  }
}

/**
 * Makes this process the parent of what its tests leave behind. Returns a function for the end: the processor time of
 * this process and of all below it that have ended; undefined where that cannot be known.
 */
export function countProcessorTime(): () => number | undefined {
  if (process.platform !== "linux") return () => undefined;
  const { symbols: libc } = dlopen("libc.so.6", {
    prctl: { args: ["int", "u64"], returns: "int" },
    waitpid: { args: ["int", "ptr", "int"], returns: "int" },
  });
  libc.prctl(PR_SET_CHILD_SUBREAPER, 1n);
  let ended = new Set<number>();
  // Bun waits for its own children at once. What has ended and is still there was left behind.
  const reaping = setInterval(() => {
    const found = endedChildren();
    for (const pid of found.intersection(ended)) libc.waitpid(pid, null, WNOHANG);
    ended = found;
  }, REAPED_EACH_MS);
  reaping.unref();
  return () => {
    clearInterval(reaping);
    while (libc.waitpid(-1, null, WNOHANG) > 0);
    return processorSeconds();
  };
}

function processorSeconds(): number | undefined {
  try {
    const fields = readFileSync("/proc/self/stat", "utf8").split(") ")[1]!.split(" ");
    return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / TICKS_PER_SECOND;
  } catch {
    return undefined;
  }
}

/** Reports the processes with most work, which is what bounds a run, for who wants to make it shorter. */
export function reportCosts(
  costs: readonly Cost[],
  jobs: number,
  totalSeconds: number | undefined,
  say: (line: string) => void,
): void {
  const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;
  for (const { name, files, wallMs, processorMs } of costs
    .toSorted((a, b) => b.processorMs - a.processorMs)
    .slice(0, MOST_SLOWEST)) {
    const size = files.length === 1 ? "" : `, ${files.length} files`;
    say(`slow: ${name}${size}: ${seconds(processorMs)} of processor time in ${seconds(wallMs)}`);
  }
  const files = costs.reduce((sum, cost) => sum + cost.files.length, 0);
  const total = totalSeconds ?? costs.reduce((sum, cost) => sum + cost.processorMs, 0) / 1000;
  say(
    `${files} files in ${costs.length} processes, ${jobs} at once: ${Math.round(total)} s of processor time`,
  );
}

const PROGRESS_MS = 30_000;

/** Reports at most twice a minute how far a run is. */
export function createProgress(
  costs: Costs,
  files: readonly string[],
  jobs: number,
  say: (line: string) => void,
) {
  const left = new Set(files);
  let last = performance.now();
  const usual = (among: readonly string[]): string => spoken(usualSeconds(costs, among, jobs));
  if (files.length > 1) say(`${files.length} files, ${jobs} at once. This usually takes ${usual(files)}.`);
  return {
    done(more: readonly string[]): void {
      for (const file of more) left.delete(file);
      if (performance.now() - last < PROGRESS_MS && left.size > 0) return;
      last = performance.now();
      if (files.length === 1) return;
      const rest = left.size === 0 ? "" : `, usually ${usual([...left])} more`;
      say(`${files.length - left.size} of ${files.length} files${rest}`);
    },
  };
}
