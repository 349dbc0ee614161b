import { readFileSync } from "node:fs";
import type { Reading, Registry } from "../lib/metrics.ts";
import { countOpenFiles, readOpenFilesLimit } from "../lib/open-files.ts";
import { VERSION } from "../lib/version.ts";
import { watchLoop } from "./loop-gap.ts";

const PAGE_BYTES = 4096;

const one = (number: number): Reading[] => [[[], number]];

export function startProcessMetrics(registry: Registry): { close(): void } {
  const startedAt = performance.now();
  const gap = watchLoop();
  registry.observe(
    "gauge",
    { name: "svc_uptime_seconds", help: "Seconds since the start.", together: "largest" },
    () => one((performance.now() - startedAt) / 1000),
  );
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
  registry.observe("gauge", { name: "svc_process_open_files", help: "Open files and sockets." }, () =>
    one(countOpenFiles()),
  );
  registry.observe(
    "gauge",
    { name: "svc_process_open_files_limit", help: "Limit of open files; half are for connections." },
    () => one(readOpenFilesLimit() ?? Number.POSITIVE_INFINITY),
  );
  registry.observe(
    "gauge",
    { name: "svc_process_cpu_seconds", help: "User and system time of the process." },
    () => {
      const { user, system } = process.cpuUsage();
      return one((user + system) / 1e6);
    },
  );
  registry.observe(
    "gauge",
    {
      name: "svc_build_info",
      help: "The running version; always 1.",
      labels: ["version"],
      together: "largest",
    },
    () => [[[VERSION], 1]],
  );
  registry.observe(
    "gauge",
    {
      name: "svc_event_loop_gap_seconds",
      help: "Longest time the event loop was blocked in the last minute.",
      together: "largest",
    },
    () => one(gap.seconds()),
  );
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
