/** The rows of the fault table: what a fault is, and what came of it. */
import type { DialectName } from "../../src/platform/db/fresh.test-support.ts";

export const SUBJECTS = ["clicks", "links", "files", "webhooks", "backups", "versions"] as const;
export type Subject = (typeof SUBJECTS)[number];

/** What one subject came to under a fault. */
export type Outcome = {
  subject: Subject;
  rounds: number;
  /** Calls that were answered as done. */
  answered: number;
  /** Calls that were refused in words. */
  refused: number;
  /** A line for each answered thing that is not there, and for each wrong answer. */
  lost: string[];
  /** A line for each thing that counted or happened twice. */
  doubled: string[];
  /** The longest time from the end of a fault, or from the start after it, until everything works. */
  recoveryMs: number;
  /** What the refusals and the log said, and how often. */
  said: ReadonlyMap<string, number>;
};

export type Bounds = {
  database: DialectName;
  rounds: number;
  /** Ends after the round that is running then. */
  minutes: number;
  /** Without webhooks, whose job is free two minutes after a kill. */
  isShort?: boolean;
  say: (line: string) => void;
};

export type Fault = {
  /** `kill -9: one worker` */
  name: string;
  databases: readonly DialectName[];
  /** At least so many show all that it does. */
  rounds: number;
  /** Why this machine can't cause it; null if it can. */
  missing(database: DialectName): string | null;
  run(bounds: Bounds): Promise<Outcome[]>;
};

/** Null if a command of that name is there. */
export const missingCommand = (...names: string[]): string | null => {
  const name = names.find((one) => Bun.which(one) === null);
  return name === undefined ? null : `no command ${name}`;
};

export const missingRoot = (): string | null => (process.getuid?.() === 0 ? null : "needs root");

/** Runs a command that must succeed. Returns its output. */
export function run(command: readonly string[], env: Record<string, string> = {}): string {
  const { exitCode, stdout, stderr } = Bun.spawnSync([...command], { env: { ...process.env, ...env } });
  if (exitCode !== 0) throw new Error(`${command.join(" ")} ended with ${exitCode}: ${stderr}${stdout}`);
  return stdout.toString();
}

export async function runSlowly(
  command: readonly string[],
  env: Record<string, string> = {},
): Promise<string> {
  const child = Bun.spawn([...command], {
    env: { ...process.env, ...env },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const [stdout, stderr, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  if (code !== 0) throw new Error(`${command.join(" ")} ended with ${code}: ${stderr}${stdout}`);
  return stdout;
}
