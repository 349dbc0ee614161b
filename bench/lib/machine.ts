/** The load of the machine besides the benchmark, from the kernel's counters. */
import { FFIType } from "bun:ffi";
import { readFileSync } from "node:fs";
import { openLibc } from "../../src/lib/libc.ts";

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

const clock = openLibc({ clock_gettime: { args: [FFIType.i32, FFIType.ptr], returns: FFIType.i32 } });

/** Processor milliseconds used by a process, all threads, exact to the nanosecond. */
export function processMs(pid: number): number {
  const time = new BigInt64Array(2);
  // What clock_getcpuclockid(3) returns.
  const clockOf = (~pid << 3) | 2;
  if (clock?.clock_gettime(clockOf, time) !== 0) throw new Error(`process ${pid} has no clock`);
  return Number(time[0]) * 1e3 + Number(time[1]) / 1e6;
}
