import { readFileSync } from "node:fs";
import type { Registry } from "../../lib/metrics.ts";
import { countOpenFiles, readOpenFilesLimit } from "../../lib/open-files.ts";
import { VERSION } from "../../lib/version.ts";

/** Between looks of a busy process. Shorter gaps are not measured. */
const BUSY_LOOK_MS = 20;
/** An idle process looks rarely. */
const IDLE_LOOK_MS = 250;
/** A process is busy above this share of a core over the last look. */
const BUSY_SHARE = 0.05;
const SLOT_MS = 5_000;
/** A minute, and the current slot. */
const SLOTS = 13;

/**
 * The longest time that something blocked the event loop within the last minute; the first gap after a rest may be
 * reported up to IDLE_LOOK_MS shorter. Reading changes nothing, so all monitors and health pages see the same.
 */
function watchLoop() {
  const recent = createRecentMaximum();
  let last = performance.now();
  let worked = processorMs();
  let pause = BUSY_LOOK_MS;
  let timer = setTimeout(look, pause).unref();

  function look(): void {
    const now = performance.now();
    const work = processorMs();
    recent.add(now - last - pause, now);
    pause = work - worked > (now - last) * BUSY_SHARE ? BUSY_LOOK_MS : IDLE_LOOK_MS;
    last = now;
    worked = work;
    timer = setTimeout(look, pause).unref();
  }

  return {
    seconds: (): number => recent.get(performance.now()) / 1000,
    stop: (): void => clearTimeout(timer),
  };
}

/** Processor time of the process since its start. */
function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** The maximum of the last 60 to 65 seconds; 0 without any. Times are monotonic, in ms. */
export function createRecentMaximum() {
  const largest = new Float64Array(SLOTS);
  let slot = 0;

  function forget(nowMs: number): void {
    const current = Math.floor(nowMs / SLOT_MS);
    const passed = Math.min(SLOTS, current - slot);
    for (let i = 0; i < passed; i++) largest[(current - i) % SLOTS] = 0;
    slot = current;
  }

  return {
    add(value: number, nowMs: number): void {
      forget(nowMs);
      largest[slot % SLOTS] = Math.max(largest[slot % SLOTS]!, value);
    },
    get(nowMs: number): number {
      forget(nowMs);
      return Math.max(...largest);
    },
  };
}

const PAGE_BYTES = 4096;

export function startProcessMetrics(registry: Registry): { close(): void } {
  const startedAt = performance.now();
  const gap = watchLoop();
  const gauge = (name: string, help: string, read: () => number, together: "sum" | "largest" = "sum") =>
    registry.observe("gauge", { name, help, together }, () => [[[], read()]]);
  const uptime = () => (performance.now() - startedAt) / 1000;
  gauge("svc_uptime_seconds", "Seconds since the start.", uptime, "largest");
  registry.observe(
    "gauge",
    { name: "svc_process_memory_bytes", help: "Memory of the process.", labels: ["type"] },
    () => {
      const { rss, virtual } = readMemory();
      return [
        [["rss"], rss],
        [["virtual"], virtual],
      ];
    },
  );
  gauge("svc_process_open_files", "Open files and sockets.", countOpenFiles);
  const openFilesLimit = () => readOpenFilesLimit() ?? Number.POSITIVE_INFINITY;
  gauge("svc_process_open_files_limit", "Limit of open files; half are for connections.", openFilesLimit);
  gauge("svc_process_cpu_seconds", "User and system time of the process.", () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e6;
  });
  const build = { name: "svc_build_info", help: "The running version; always 1.", labels: ["version"] };
  registry.observe("gauge", { ...build, together: "largest" }, () => [[[VERSION], 1]]);
  const longest = "Longest time the event loop was blocked in the last minute.";
  gauge("svc_event_loop_gap_seconds", longest, gap.seconds, "largest");
  return { close: gap.stop };
}

/** proc(5), /proc/self/statm: pages of virtual and resident memory. */
function readMemory(): { rss: number; virtual: number } {
  try {
    const [virtual = 0, rss = 0] = readFileSync("/proc/self/statm", "utf8").split(" ").map(Number);
    return { rss: rss * PAGE_BYTES, virtual: virtual * PAGE_BYTES };
  } catch {
    const { rss } = process.memoryUsage();
    return { rss, virtual: 0 };
  }
}
