/**
 * Preloaded into the server's main thread. Every LOOP_GAP_EVERY_MS (500) it appends the longest gap between two turns of
 * the event loop to the file LOOP_GAP_FILE and starts again. A line has the epoch milliseconds at its end, the gap by
 * the clock in milliseconds, the gap without the time in which the thread was ready but other programs had its core
 * (from the kernel's scheduler statistics), and the most processor time of the thread in one gap.
 */
import { FFIType } from "bun:ffi";
import { appendFileSync, closeSync, openSync, readSync } from "node:fs";
import { openLibc } from "../../src/lib/libc.ts";

const file = process.env["LOOP_GAP_FILE"];
const everyMs = Number(process.env["LOOP_GAP_EVERY_MS"] ?? 500);
if (file !== undefined && Bun.isMainThread) watch(file);

function watch(report: string): void {
  const buffer = Buffer.alloc(128);
  /** Milliseconds for which this thread has waited for a core since its start. */
  const waited = (): number => {
    const descriptor = openSync("/proc/thread-self/schedstat", "r");
    const length = readSync(descriptor, buffer, 0, buffer.length, 0);
    closeSync(descriptor);
    return Number(buffer.toString("latin1", 0, length).split(" ")[1]) / 1e6;
  };
  const used = threadClock();
  let last = performance.now();
  let lastWaited = waited();
  let lastUsed = used();
  let worst = 0;
  let worstOwn = 0;
  let worstUsed = 0;
  setInterval(() => {
    const now = performance.now();
    const nowWaited = waited();
    const nowUsed = used();
    // The timer itself takes a millisecond.
    const gap = now - last - 1;
    worst = Math.max(worst, gap);
    worstOwn = Math.max(worstOwn, gap - (nowWaited - lastWaited));
    worstUsed = Math.max(worstUsed, nowUsed - lastUsed);
    last = now;
    lastWaited = nowWaited;
    lastUsed = nowUsed;
  }, 1).unref();
  setInterval(() => {
    const figures = [worst, worstOwn, worstUsed].map((figure) => figure.toFixed(1));
    appendFileSync(report, `${Date.now()} ${figures.join(" ")}\n`);
    worst = worstOwn = worstUsed = 0;
  }, everyMs).unref();
}

/** Processor time of this thread in milliseconds. `getrusage` is exact to a tick of the scheduler only. */
function threadClock(): () => number {
  const libc = openLibc({ clock_gettime: { args: [FFIType.i32, FFIType.ptr], returns: FFIType.i32 } });
  const CLOCK_THREAD_CPUTIME_ID = 3;
  const time = new BigInt64Array(2);
  return () => {
    libc!.clock_gettime(CLOCK_THREAD_CPUTIME_ID, time);
    return Number(time[0]) * 1e3 + Number(time[1]) / 1e6;
  };
}
