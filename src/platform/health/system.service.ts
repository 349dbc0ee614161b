/** The state of this machine's server for administrators: the health report, and what the metrics say of its parts. */
import type { Clock } from "../../lib/clock.ts";
import { inTime } from "../../lib/timeout.ts";
import type { HealthReport, HealthStatus } from "./health-view.ts";
import type { Measured } from "./scrape.ts";
import type { SystemReport } from "./system-view.ts";
import type { MetricSnapshot } from "../../lib/metrics.ts";

type Disk = { folder: string; trouble: string | null; freeBytes: number | null; totalBytes: number | null };
type Storage = {
  id: number;
  name: string;
  driverType: "local" | "s3" | "linked";
  isDefault: boolean;
  trouble: string | null;
};

export type SystemSources = {
  clock: Clock;
  version: string;
  health: { report(): Promise<HealthReport> };
  measure(): Promise<Measured>;
  /** Rejects when the database is away. */
  databaseVersion(): Promise<string>;
  /** Resolves with null without a replica. */
  replica(): Promise<{ isUsed: boolean; lagMs: number | null } | null>;
  /** Rejects when the database is away. */
  importedClicks(): Promise<number>;
  disks(): Promise<Disk[]>;
  /** Rejects when the database is away. */
  storages(): Promise<Storage[]>;
};

const DEADLINE_MS = 4_000;

export type System = {
  report(): Promise<SystemReport>;
  /** That part of the report, without checks of the rest. */
  clicks(): Promise<SystemReport["clicks"]>;
};

export function createSystemReport(sources: SystemSources): System {
  let looking: Promise<Disk[]> | undefined;

  /** Parallel reports share one check: on a hanging disk checks would accumulate. */
  const disks = (): Promise<Disk[]> => (looking ??= sources.disks().finally(() => (looking = undefined)));

  async function report(): Promise<SystemReport> {
    const [health, measured, database, replica, imported, found, storages] = await Promise.all([
      sources.health.report(),
      sources.measure(),
      inTime(DEADLINE_MS, timed(sources.databaseVersion)),
      inTime(DEADLINE_MS, sources.replica()),
      inTime(DEADLINE_MS, sources.importedClicks()),
      inTime(DEADLINE_MS, disks()),
      inTime(DEADLINE_MS, sources.storages()),
    ]);
    const numbers = readMeasurements(measured.metrics);
    const { storage, cache, mail, certificates, secret_key: key } = health.checks;
    const parts = {
      database: {
        status: storage.status === "healthy" ? key.status : storage.status,
        kind: storage.backend.storage_type,
        version: database?.reply ?? null,
        message: storage.message || key.message,
        links_count: storage.links_count,
        response_time_ms: database?.ms ?? null,
        replica: replica
          ? { status: replica.isUsed ? ("healthy" as const) : ("degraded" as const), lag_ms: replica.lagMs }
          : null,
      },
      cache: { status: cache.status, kind: cache.cache_type, message: cache.message },
      mail,
      certificates,
      disks: (found ?? []).map(({ folder, trouble, freeBytes, totalBytes }) => ({
        status: statusOf(trouble),
        folder,
        free_bytes: freeBytes,
        total_bytes: totalBytes,
        message: trouble ?? "",
      })),
      storages:
        storages?.map(({ id, name, driverType, isDefault, trouble }) => ({
          status: statusOf(trouble),
          policy_id: id,
          name,
          driver_type: driverType,
          is_default: isDefault,
          message: trouble ?? "",
        })) ?? null,
      clicks: clicksOf(numbers, imported ?? null),
      jobs: jobsOf(numbers),
    };
    const { disks: folders, storages: policies, clicks, jobs } = parts;
    const states = [parts.database.replica, clicks, ...folders, ...(policies ?? []), ...jobs];
    const isDegraded = states.some((one) => one !== null && one.status !== "healthy");
    return {
      status: health.status === "healthy" && isDegraded ? "degraded" : health.status,
      checked_at: new Date(sources.clock.now()).toISOString(),
      version: sources.version,
      runtime: `Bun ${Bun.version}`,
      uptime: health.uptime,
      ...parts,
      processes: processesOf(numbers, measured.processes),
    };
  }

  return {
    report,
    async clicks() {
      const [measured, imported] = await Promise.all([
        sources.measure(),
        inTime(DEADLINE_MS, sources.importedClicks()),
      ]);
      return clicksOf(readMeasurements(measured.metrics), imported ?? null);
    },
  };
}

const statusOf = (trouble: string | null): HealthStatus => (trouble === null ? "healthy" : "degraded");

/** From Unix time in seconds; 0: never. */
const timeOf = (seconds: number): string | null =>
  seconds === 0 ? null : new Date(Math.round(seconds * 1000)).toISOString();

/** The last run failed. */
const lastOf = (succeededAt: number, failedAt: number): HealthStatus =>
  failedAt > succeededAt ? "degraded" : "healthy";

function clicksOf({ sum, rows }: Measurements, imported: number | null): SystemReport["clicks"] {
  const flushes = new Map(
    rows("svc_clicks_last_flush_timestamp_seconds").map(({ labels, value }) => [labels[0], value]),
  );
  const [succeededAt, failedAt] = [flushes.get("success") ?? 0, flushes.get("failed") ?? 0];
  const accepted = sum("svc_clicks_total", "accepted");
  const stored = sum("svc_clicks_total", "stored");
  return {
    status: lastOf(succeededAt, failedAt),
    accepted,
    stored,
    imported,
    waiting: sum("svc_clicks_pending"),
    dropped: sum("svc_clicks_total") - accepted - stored,
    flushed_at: timeOf(succeededAt),
    failed_at: timeOf(failedAt),
    journal_bytes: sum("svc_clicks_journal_bytes"),
  };
}

function jobsOf({ rows }: Measurements): SystemReport["jobs"] {
  const jobs = new Map<string, { runs: Record<string, number>; ends: Record<string, number> }>();
  for (const [name, kind] of [
    ["svc_job_runs_total", "runs"],
    ["svc_job_last_run_timestamp_seconds", "ends"],
  ] as const) {
    for (const { labels, value } of rows(name)) {
      const [job = "", outcome = ""] = labels;
      jobs.getOrInsertComputed(job, () => ({ runs: {}, ends: {} }))[kind][outcome] = value;
    }
  }
  return [...jobs].map(([job, { runs, ends }]) => ({
    status: lastOf(ends["success"] ?? 0, ends["failed"] ?? 0),
    job,
    succeeded: runs["success"] ?? 0,
    failed: runs["failed"] ?? 0,
    succeeded_at: timeOf(ends["success"] ?? 0),
    failed_at: timeOf(ends["failed"] ?? 0),
  }));
}

function processesOf({ sum }: Measurements, workers: number): SystemReport["processes"] {
  const limit = sum("svc_process_open_files_limit");
  return {
    workers,
    active_requests: sum("svc_http_active_connections"),
    open_files: sum("svc_process_open_files"),
    open_files_limit: Number.isSafeInteger(limit) ? limit : null,
    memory_bytes: sum("svc_process_memory_bytes", "rss"),
  };
}

async function timed(ask: () => Promise<string>): Promise<{ reply: string; ms: number }> {
  const begun = performance.now();
  const reply = await ask();
  return { reply, ms: Math.round(performance.now() - begun) };
}

type Measurements = ReturnType<typeof readMeasurements>;

/** Reads numbers of counters and gauges by name. */
export function readMeasurements(metrics: readonly MetricSnapshot[]) {
  const byName = new Map(metrics.map((metric) => [metric.name, metric]));
  const seriesOf = (name: string) => byName.get(name)?.series ?? [];

  return {
    /** Sum of the series with this first label, or of all. 0 without any. */
    sum: (name: string, label?: string): number =>
      seriesOf(name)
        .filter(({ values }) => label === undefined || values[0] === label)
        .reduce((total, { numbers }) => total + (numbers[0] ?? 0), 0),
    rows: (name: string): { labels: readonly string[]; value: number }[] =>
      seriesOf(name).map(({ values, numbers }) => ({ labels: values, value: numbers[0] ?? 0 })),
  };
}
