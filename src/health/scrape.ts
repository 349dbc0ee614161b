/** What a scrape gives: this process's metrics, or the sum over all workers of the machine. */
import type { Clicks } from "../clicks/clicks.ts";
import type { WorkerChannel } from "../cluster/worker-channel.ts";
import type { JobRunner } from "../jobs/runner.ts";
import { type MetricSnapshot, mergeSnapshots, type Registry, renderMetrics } from "../lib/metrics.ts";
import { VERSION } from "../lib/version.ts";
import type { LinkCache } from "../links/links.cache.ts";
import type { Redirect } from "../redirect/redirect.ts";
import { registerMetrics } from "./metrics.ts";

export type Scrape = {
  registry: Registry;
  /** The exposition in the text format. */
  render(): Promise<string>;
  /** Where to read how many requests are under way. */
  watch(server: { pendingRequests: number }): void;
  close(): void;
};

type Deps = {
  registry: Registry;
  cache: Pick<LinkCache, "stats">;
  redirect: Pick<Redirect, "counts">;
  clicks: Pick<Clicks, "stats" | "pendingLinks">;
  jobs: Pick<JobRunner, "stats">;
  journalBytes(): number;
  worker?: Pick<WorkerChannel, "collect" | "onSnapshot">;
};

/** How often the event loop is looked at; shorter gaps than this are not seen. */
const LOOK_MS = 20;
/** The same for all workers, or a time: their sum would mean nothing. */
const NOT_SUMMED = new Set([
  "svc_build_info",
  "svc_uptime_seconds",
  "svc_event_loop_gap_seconds",
  "svc_clicks_journal_bytes",
]);

export function createScrape({
  registry,
  cache,
  redirect,
  clicks,
  jobs,
  journalBytes,
  worker,
}: Deps): Scrape {
  const gap = watchLoop();
  let server = { pendingRequests: 0 };
  let pendingLinks = 0;

  registerMetrics(registry, {
    version: VERSION,
    cache: cache.stats,
    redirects: redirect.counts,
    clicks: clicks.stats,
    pendingLinks: () => pendingLinks,
    jobs: jobs.stats,
    journalBytes,
    activeRequests: () => server.pendingRequests,
    takeLongestLoopGap: gap.take,
  });

  async function snapshot(): Promise<MetricSnapshot[]> {
    pendingLinks = await clicks.pendingLinks();
    return registry.snapshot();
  }
  worker?.onSnapshot(snapshot);

  return {
    registry,
    async render() {
      if (worker === undefined) return renderMetrics(await snapshot());
      const parts = (await worker.collect()) as MetricSnapshot[][];
      return renderMetrics(
        mergeSnapshots(parts).map((metric) =>
          NOT_SUMMED.has(metric.name) ? largest(metric, parts) : metric,
        ),
      );
    },
    watch: (next) => void (server = next),
    close: gap.stop,
  };
}

/** Each series at its largest value over the processes. */
function largest(metric: MetricSnapshot, parts: readonly MetricSnapshot[][]): MetricSnapshot {
  const all = parts.flatMap((part) =>
    part.filter(({ name }) => name === metric.name).flatMap(({ series }) => series),
  );
  const series = metric.series.map(({ values }) => {
    const same = all.filter((other) => other.values.join("\0") === values.join("\0"));
    return { values, numbers: [Math.max(...same.map(({ numbers }) => numbers[0] ?? 0))] };
  });
  return { ...metric, series };
}

/** Measures by how much a timer comes late. */
function watchLoop(): { take(): number; stop(): void } {
  let longestMs = 0;
  let last = performance.now();
  const timer = setInterval(() => {
    const now = performance.now();
    longestMs = Math.max(longestMs, now - last - LOOK_MS);
    last = now;
  }, LOOK_MS);
  timer.unref();
  return {
    take() {
      const seconds = longestMs / 1000;
      longestMs = 0;
      return seconds;
    },
    stop: () => clearInterval(timer),
  };
}
