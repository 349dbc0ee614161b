/**
 * How long each file of tests takes, in costs.json: seconds on a quiet machine of two cores with three files at once.
 * `npm test -- --record` renews it. It decides what starts first, and how long a run usually takes.
 */
import { join } from "node:path";
import { Glob } from "bun";

/** How long a file took, and the processor time of its process and of those that it waited for, without servers. */
export type Cost = { file: string; wallMs: number; processorMs: number };
export type Costs = Readonly<Record<string, number>>;

const FILE = "scripts/test.d/costs.json";
/** Of a file that has not been recorded: new tests of the whole program start early. */
const UNKNOWN_S = { test: 15, src: 1 };
const MOST_SLOWEST = 24;

export async function readCosts(root: string): Promise<Costs> {
  const file = Bun.file(join(root, FILE));
  return (await file.exists()) ? ((await file.json()) as Costs) : {};
}

/** Keeps what was recorded of other files that are still there. */
export async function recordCosts(root: string, costs: readonly Cost[]): Promise<void> {
  const all: Record<string, number> = { ...(await readCosts(root)) };
  for (const { file, wallMs } of costs) all[file] = Math.round(wallMs / 100) / 10;
  const there = new Set(new Glob("{src,test}/**/*.test.{ts,tsx}").scanSync({ cwd: root }));
  const kept = Object.entries(all).filter(([file]) => there.has(file));
  const sorted = Object.fromEntries(kept.toSorted(([a], [b]) => (a < b ? -1 : 1)));
  await Bun.write(join(root, FILE), `${JSON.stringify(sorted, null, 2)}\n`);
}

const costOf = (costs: Costs, file: string): number =>
  costs[file] ?? (file.startsWith("test/") ? UNKNOWN_S.test : UNKNOWN_S.src);

/** A long file that started last would run alone at the end. */
export const longestFirst = (costs: Costs, files: readonly string[]): string[] =>
  files.toSorted((a, b) => costOf(costs, b) - costOf(costs, a) || (a < b ? -1 : 1));

/** Seconds, on a quiet machine. */
export const usualSeconds = (costs: Costs, files: readonly string[], jobs: number): number =>
  files.reduce((sum, file) => sum + costOf(costs, file), 0) / Math.max(1, Math.min(jobs, files.length));

export const told = (seconds: number): string =>
  seconds < 100 ? `${Math.round(seconds)} s` : `${Math.round(seconds / 60)} min`;

/** The files with most work, which is what bounds a run, for who wants to make it shorter. */
export function tellCosts(costs: readonly Cost[], jobs: number, say: (line: string) => void): void {
  const seconds = (ms: number): string => `${Math.round(ms / 1000)} s`;
  const line = ({ wallMs, processorMs }: Omit<Cost, "file">) =>
    `${seconds(wallMs)}, ${seconds(processorMs)} of them at work`;
  const sumOf = (key: "wallMs" | "processorMs") => costs.reduce((sum, cost) => sum + cost[key], 0);
  say(
    `${costs.length} files, ${jobs} at once: ${line({ wallMs: sumOf("wallMs"), processorMs: sumOf("processorMs") })}`,
  );
  for (const cost of costs.toSorted((a, b) => b.processorMs - a.processorMs).slice(0, MOST_SLOWEST))
    say(`slow: ${cost.file}: ${line(cost)}`);
}

const TELL_MS = 30_000;

/** Says at most twice a minute how far a run is. */
export function createProgress(
  costs: Costs,
  files: readonly string[],
  jobs: number,
  say: (line: string) => void,
) {
  const left = new Set(files);
  let last = performance.now();
  if (files.length > 1)
    say(
      `${files.length} files, ${jobs} at once. This usually takes ${told(usualSeconds(costs, files, jobs))}.`,
    );
  return {
    done(file: string): void {
      left.delete(file);
      if (performance.now() - last < TELL_MS && left.size > 0) return;
      last = performance.now();
      if (files.length === 1) return;
      const rest = left.size === 0 ? "" : `, usually ${told(usualSeconds(costs, [...left], jobs))} more`;
      say(`${files.length - left.size} of ${files.length} files${rest}`);
    },
  };
}
