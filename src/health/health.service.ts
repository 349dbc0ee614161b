import type { Clock } from "../lib/clock.ts";
import { withTimeout } from "../lib/timeout.ts";

export type HealthStatus = "healthy" | "degraded" | "unhealthy";

export type HealthReport = {
  status: HealthStatus;
  /** RFC 3339. */
  timestamp: string;
  /** Seconds since the process started to serve. */
  uptime: number;
  checks: {
    storage: {
      status: HealthStatus;
      /** The last known count while the database is away. */
      links_count: number;
      backend: { storage_type: string; support_click: boolean };
    };
    cache: {
      status: HealthStatus;
      cache_type: string;
      bloom_filter_enabled: boolean;
      negative_cache_enabled: boolean;
    };
    disk: {
      status: HealthStatus;
      /** What is wrong with the disks, and what to do; empty when healthy. */
      message: string;
    };
  };
  /** Unfinished uploads in the storages of files, as last counted. */
  unfinished_uploads: {
    objects: number;
    bytes: number;
    /** The part that no running process and no resumable upload uses. */
    abandoned_objects: number;
    abandoned_bytes: number;
    /** RFC 3339; null before the first count. */
    counted_at: string | null;
  };
  response_time_ms: number;
};

type StagedUploads = {
  objects: number;
  bytes: number;
  abandonedObjects: number;
  abandonedBytes: number;
  countedAt: number | null;
};

export type HealthSources = {
  clock: Clock;
  storageType: string;
  cacheType: string;
  /** Rejects when the database is away. */
  countLinks(): Promise<number>;
  /** True without a shared cache. */
  isCacheReachable(): Promise<boolean>;
  /** Why a disk accepts no more writes. */
  diskTroubles(): Promise<readonly string[]>;
  /** Rejects when the database is away. */
  stagedUploads(): Promise<StagedUploads>;
};

/** A monitor always gets its answer. */
const CHECK_DEADLINE_MS = 2_000;

const DISK_IS_SILENT = `The disk did not respond within ${CHECK_DEADLINE_MS / 1000} s; check the system log.`;

export function createHealth(sources: HealthSources): { report(): Promise<HealthReport> } {
  const startedAt = sources.clock.now();
  let linksCount = 0;
  let staged: StagedUploads = {
    objects: 0,
    bytes: 0,
    abandonedObjects: 0,
    abandonedBytes: 0,
    countedAt: null,
  };
  let disks: Promise<readonly string[]> | undefined;

  /** Parallel reports share one check: on a hanging disk checks would accumulate. */
  const diskTroubles = (): Promise<readonly string[]> =>
    (disks ??= sources.diskTroubles().finally(() => (disks = undefined)));

  async function report(): Promise<HealthReport> {
    const begun = performance.now();
    const [count, isCacheReachable, troubles = [DISK_IS_SILENT], stagedNow] = await Promise.all([
      withinDeadline(sources.countLinks()),
      withinDeadline(sources.isCacheReachable()),
      withinDeadline(diskTroubles()),
      withinDeadline(sources.stagedUploads()),
    ]);
    linksCount = count ?? linksCount;
    staged = stagedNow ?? staged;
    const storage: HealthStatus = count === undefined ? "unhealthy" : "healthy";
    const cache: HealthStatus = isCacheReachable === true ? "healthy" : "degraded";
    const disk: HealthStatus = troubles.length === 0 ? "healthy" : "degraded";
    const now = sources.clock.now();
    return {
      status: storage === "unhealthy" ? storage : cache === "healthy" ? disk : cache,
      timestamp: new Date(now).toISOString(),
      uptime: Math.max(0, Math.floor((now - startedAt) / 1000)),
      checks: {
        storage: {
          status: storage,
          links_count: linksCount,
          backend: { storage_type: sources.storageType, support_click: true },
        },
        cache: {
          status: cache,
          cache_type: sources.cacheType,
          bloom_filter_enabled: true,
          negative_cache_enabled: true,
        },
        disk: { status: disk, message: troubles.join(" ") },
      },
      unfinished_uploads: {
        objects: staged.objects,
        bytes: staged.bytes,
        abandoned_objects: staged.abandonedObjects,
        abandoned_bytes: staged.abandonedBytes,
        counted_at: staged.countedAt === null ? null : new Date(staged.countedAt).toISOString(),
      },
      response_time_ms: Math.round(performance.now() - begun),
    };
  }

  return { report };
}

/** Undefined when the check failed or took too long. */
const withinDeadline = <T>(check: Promise<T>): Promise<T | undefined> =>
  withTimeout<T | undefined>(CHECK_DEADLINE_MS, check, () => undefined).catch(() => undefined);
