/** What a scrape gives: this process's metrics, or the sum over all workers of the machine. */
import type { Clicks } from "../clicks/clicks.ts";
import type { WorkerChannel } from "../cluster/worker-channel.ts";
import type { JobRunner } from "../jobs/runner.ts";
import { type MetricSnapshot, mergeSnapshots, type Registry, renderMetrics } from "../lib/metrics.ts";
import { VERSION } from "../lib/version.ts";
import type { LinkCache } from "../links/cache/cache.ts";
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
/**
 * The flush thread answers at once unless it is counting, or has more clicks than these to look at; a scrape has no
 * time for either. It takes what it was told last then, and what it is told later is for the next one.
 */
const PENDING_BOUND_MS = 2;
const FEW_CLICKS = 10_000;
/** A look at many takes processor time, from which the scrape itself is spared. */
const LOOK_AFTER_MS = 20;
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
  let looking: ReturnType<typeof setTimeout> | undefined;

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
    if (clicks.stats().pending <= FEW_CLICKS) pendingLinks = await clicks.pendingLinks(PENDING_BOUND_MS);
    else looking ??= setTimeout(look, LOOK_AFTER_MS).unref();
    return registry.snapshot();
  }
  async function look(): Promise<void> {
    pendingLinks = await clicks.pendingLinks();
    looking = undefined;
  }
  // Between processes, a text takes a tenth of the time of objects.
  worker?.onSnapshot(async () => JSON.stringify(await snapshot()));

  return {
    registry,
    async render() {
      if (worker === undefined) return renderMetrics(await snapshot());
      const texts = (await worker.collect()) as string[];
      const parts = texts.map((text) => JSON.parse(text) as MetricSnapshot[]);
      return renderMetrics(
        mergeSnapshots(parts).map((metric) =>
          NOT_SUMMED.has(metric.name) ? largest(metric, parts) : metric,
        ),
      );
    },
    watch: (next) => void (server = next),
    close() {
      gap.stop();
      clearTimeout(looking);
    },
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
