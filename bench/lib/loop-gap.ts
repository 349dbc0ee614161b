/**
 * Preloaded into the server's main thread. Twice a second it appends the longest gap between two turns of the event
 * loop to the file LOOP_GAP_FILE and starts again. A line has the epoch milliseconds at its end, the gap by the clock
 * in milliseconds, and the gap without the time in which the thread was ready but other programs had its core (from the
 * kernel's scheduler statistics).
 */
import { appendFileSync, closeSync, openSync, readSync } from "node:fs";

const file = process.env["LOOP_GAP_FILE"];
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
  let last = performance.now();
  let lastWaited = waited();
  let worst = 0;
  let worstOwn = 0;
  setInterval(() => {
    const now = performance.now();
    const nowWaited = waited();
    // The timer itself takes a millisecond.
    const gap = now - last - 1;
    worst = Math.max(worst, gap);
    worstOwn = Math.max(worstOwn, gap - (nowWaited - lastWaited));
    last = now;
    lastWaited = nowWaited;
  }, 1).unref();
  setInterval(() => {
    appendFileSync(report, `${Date.now()} ${worst.toFixed(1)} ${worstOwn.toFixed(1)}\n`);
    worst = worstOwn = 0;
  }, 500).unref();
}
