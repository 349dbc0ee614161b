import { readFileSync } from "node:fs";
import type { Registry } from "../../lib/metrics.ts";
import { countOpenFiles, readOpenFilesLimit } from "../../lib/open-files.ts";
import { VERSION } from "../../lib/version.ts";
import { watchLoop } from "./loop-gap.ts";

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
