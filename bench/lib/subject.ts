/** A server under test: its own process, with all its threads on one core. */
import { readFileSync } from "node:fs";
import { processSeconds } from "./machine.ts";

export type Subject = {
  readonly name: string;
  readonly port: number;
  readonly pid: number;
  /** Milliseconds from the start to the first answer. */
  readonly readyMs: number;
  /** Processor seconds used so far, by all threads (and children: nginx's worker). */
  cpuSeconds(): number;
  /** Resident memory in MB: current and peak. */
  rssMb(): number;
  peakMb(): number;
  /** SIGSTOP and SIGCONT: an idle server must not take time from the measured one. */
  pause(): void;
  resume(): void;
  /** Sends SIGTERM and waits for the end. */
  stop(): Promise<void>;
};

export function freePort(): number {
  const probe = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
  const { port } = probe;
  probe.stop(true);
  return port;
}

/** Starts it on the first core, or on the `CORES` of its environment, and waits for an answer on its port. */
export async function startSubject(
  name: string,
  port: number,
  command: readonly string[],
  environment: Record<string, string> = {},
): Promise<Subject> {
  const startedAt = performance.now();
  const child = Bun.spawn(["taskset", "-c", environment["CORES"] ?? "0", ...command], {
    env: { ...process.env, ...environment },
    stdout: "ignore",
    stderr: "inherit",
  });
  await answers(port, () => {
    if (child.exitCode !== null) throw new Error(`${name} ended with status ${child.exitCode}`);
  });
  const isAlive = () => child.exitCode === null && child.signalCode === null;
  const family = () => (isAlive() ? [child.pid, ...childrenOf(child.pid)] : []);
  const signal = (which: NodeJS.Signals) => {
    for (const pid of family()) process.kill(pid, which);
  };
  return {
    name,
    port,
    pid: child.pid,
    readyMs: performance.now() - startedAt,
    cpuSeconds: () => family().reduce((sum, pid) => sum + processSeconds(pid), 0),
    rssMb: () => family().reduce((sum, pid) => sum + statusKb(pid, "VmRSS"), 0) / 1024,
    peakMb: () => family().reduce((sum, pid) => sum + statusKb(pid, "VmHWM"), 0) / 1024,
    pause: () => signal("SIGSTOP"),
    resume: () => signal("SIGCONT"),
    async stop() {
      signal("SIGCONT");
      child.kill("SIGTERM");
      await child.exited;
    },
  };
}

async function answers(port: number, check: () => void): Promise<void> {
  for (const deadline = performance.now() + 60_000; performance.now() < deadline; ) {
    check();
    try {
      await fetch(`http://127.0.0.1:${port}/`, { redirect: "manual" });
      return;
    } catch {
      await Bun.sleep(5);
    }
  }
  throw new Error(`nothing answers on port ${port}`);
}

const childrenOf = (pid: number): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").filter(Boolean).map(Number);

function statusKb(pid: number, field: string): number {
  const line = readFileSync(`/proc/${pid}/status`, "utf8")
    .split("\n")
    .find((one) => one.startsWith(`${field}:`));
  return Number.parseInt(line?.slice(field.length + 1) ?? "0", 10);
}
