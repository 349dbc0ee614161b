/** Every metric of the server but the HTTP ones: each reads the number where it arises, when somebody scrapes. */
import { readFileSync } from "node:fs";
import type { ClickStats } from "../clicks/clicks.ts";
import type { Reading, Registry } from "../lib/metrics.ts";
import type { LinkCacheStats } from "../links/cache/cache.ts";
import type { RedirectCounts } from "../redirect/redirect.ts";
import type { JobStats } from "../jobs/runner.ts";

export type MetricSources = {
  version: string;
  cache(): LinkCacheStats;
  redirects(): RedirectCounts;
  clicks(): ClickStats;
  /** What the click journals take on disk. */
  journalBytes(): number;
  /** Distinct links with clicks that are not stored yet. */
  pendingLinks(): number;
  jobs(): JobStats[];
  activeRequests(): number;
  /** Seconds; longest time between two turns of the event loop since the last scrape. */
  takeLongestLoopGap(): number;
};

const value = (number: number): Reading[] => [[[], number]];

export function registerMetrics(registry: Registry, sources: MetricSources): void {
  const startedAt = performance.now();
  registerProcess(registry, sources, startedAt);
  registerCache(registry, sources);
  registerClicks(registry, sources);
  registry.observe(
    "counter",
    { name: "svc_redirects_total", help: "Answers of the redirect.", labels: ["status"] },
    () => {
      const { found, missing, failed } = sources.redirects();
      return [
        [["307"], found],
        [["404"], missing],
        [["500"], failed],
      ];
    },
  );
  registry.observe(
    "counter",
    {
      name: "svc_job_runs_total",
      help: "Runs of background jobs by this process.",
      labels: ["job", "status"],
    },
    () =>
      sources.jobs().flatMap(({ job, succeeded, failed }): Reading[] => [
        [[job, "success"], succeeded],
        [[job, "failed"], failed],
      ]),
  );
}

function registerProcess(
  registry: Registry,
  { version, activeRequests, takeLongestLoopGap }: MetricSources,
  startedAt: number,
): void {
  registry.observe("gauge", { name: "svc_http_active_connections", help: "Requests being answered." }, () =>
    value(activeRequests()),
  );
  registry.observe("gauge", { name: "svc_uptime_seconds", help: "Seconds since the start." }, () =>
    value((performance.now() - startedAt) / 1000),
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
  registry.observe(
    "gauge",
    { name: "svc_process_cpu_seconds", help: "User and system time of the process." },
    () => {
      const { user, system } = process.cpuUsage();
      return value((user + system) / 1e6);
    },
  );
  registry.observe(
    "gauge",
    { name: "svc_build_info", help: "The running version; always 1.", labels: ["version"] },
    () => [[[version], 1]],
  );
  registry.observe(
    "gauge",
    {
      name: "svc_event_loop_gap_seconds",
      help: "Longest time the event loop was held since the last scrape.",
    },
    () => value(takeLongestLoopGap()),
  );
}

const PAGE_BYTES = 4096;

/** From proc(5), /proc/self/statm, whose first two numbers are pages of virtual and resident memory. */
function readMemory(): { rss: number; virtual: number } {
  try {
    const [virtual = 0, rss = 0] = readFileSync("/proc/self/statm", "utf8").split(" ").map(Number);
    return { rss: rss * PAGE_BYTES, virtual: virtual * PAGE_BYTES };
  } catch {
    const { rss } = process.memoryUsage();
    return { rss, virtual: 0 };
  }
}

function registerCache(registry: Registry, { cache }: MetricSources): void {
  registry.observe(
    "gauge",
    { name: "svc_cache_entries", help: "Links in memory.", labels: ["layer"] },
    () => [[["object_cache"], cache().entries]],
  );
  registry.observe("gauge", { name: "svc_cache_bytes", help: "Memory of link table and Bloom filter." }, () =>
    value(cache().bytes),
  );
  registry.observe(
    "counter",
    { name: "svc_cache_hits_total", help: "Look-ups that a layer answered.", labels: ["layer"] },
    () => {
      const { tableHits, filterHits, missingHits } = cache();
      return [
        [["object_cache"], tableHits],
        [["bloom_filter"], filterHits],
        [["negative_cache"], missingHits],
      ];
    },
  );
  registry.observe(
    "counter",
    { name: "svc_cache_misses_total", help: "Look-ups that a layer could not answer.", labels: ["layer"] },
    () => [[["object_cache"], cache().tableMisses]],
  );
  registry.observe(
    "counter",
    {
      name: "svc_bloom_filter_false_positives_total",
      help: "Unknown codes that the Bloom filter let through.",
    },
    () => value(cache().filterFalsePositives),
  );
}

function registerClicks(registry: Registry, sources: MetricSources): void {
  const { clicks, pendingLinks, journalBytes } = sources;
  registry.observe(
    "gauge",
    { name: "svc_clicks_journal_bytes", help: "Disk space of the click journals on this data folder." },
    () => value(journalBytes()),
  );
  registry.observe(
    "gauge",
    { name: "svc_clicks_buffer_entries", help: "Distinct codes with clicks that are not stored yet." },
    () => value(pendingLinks()),
  );
  registry.observe(
    "counter",
    { name: "svc_clicks_flush_total", help: "Flushes of the click journal.", labels: ["trigger", "status"] },
    () => Object.entries(clicks().flushes).map(([outcome, count]): Reading => [outcome.split(" "), count]),
  );
  registry.observe(
    "counter",
    {
      name: "svc_clicks_total",
      help: "The books: accepted = stored + pending + dropped.",
      labels: ["state"],
    },
    () => {
      const { accepted, stored, dropped } = clicks();
      return [
        [["accepted"], accepted],
        [["stored"], stored],
        ...Object.entries(dropped).map(([reason, count]): Reading => [[`dropped_${reason}`], count]),
      ];
    },
  );
  registry.observe(
    "counter",
    {
      name: "svc_click_details_total",
      help: "The books of detailed logging: recorded = logged + pending + dropped.",
      labels: ["state"],
    },
    () => {
      const { recorded, logged, dropped } = clicks().details;
      return [
        [["recorded"], recorded],
        [["logged"], logged],
        ...Object.entries(dropped).map(([reason, count]): Reading => [[`dropped_${reason}`], count]),
      ];
    },
  );
  registry.observe(
    "gauge",
    { name: "svc_click_details_pending", help: "Detailed clicks in the journal that are not written yet." },
    () => value(clicks().details.pending),
  );
  registry.observe(
    "counter",
    {
      name: "svc_clicks_channel_dropped",
      help: "Details that were dropped on their way; the clicks count.",
      labels: ["reason"],
    },
    () => {
      const { full, disconnected } = clicks().details.dropped;
      return [
        [["full"], full],
        [["disconnected"], disconnected],
      ];
    },
  );
  registry.observe(
    "gauge",
    { name: "svc_clicks_pending", help: "Clicks in the journal that are not stored yet." },
    () => value(clicks().pending),
  );
  registry.observe(
    "gauge",
    { name: "svc_clicks_flush_duration_seconds", help: "Time of the last flush." },
    () => value((clicks().lastFlush?.durationMs ?? 0) / 1000),
  );
}
