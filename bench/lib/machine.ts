/** The load of the machine besides the benchmark, from the kernel's counters. */
import { readFileSync } from "node:fs";

const TICKS_PER_SECOND = 100;

/** Processor seconds used since boot, including time stolen by a hypervisor. */
export function busySeconds(): number {
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, steal = 0] = readFileSync(
    "/proc/stat",
    "utf8",
  )
    .split("\n")[0]!
    .split(/\s+/)
    .slice(1)
    .map(Number);
  return (user + nice + system + irq + softirq + steal) / TICKS_PER_SECOND;
}

/** Processor seconds used by a process, all threads. */
export function processSeconds(pid: number): number {
  // The second field is the name in parentheses, which may contain blanks.
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
    .replace(/^.*\) /s, "")
    .split(" ");
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}
