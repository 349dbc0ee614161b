import type { Clock } from "../../lib/clock.ts";
import { inTime } from "../../lib/timeout.ts";
import { type HealthReport, type HealthStatus, type StagedUploads, viewStaged } from "./health-view.ts";

/** Before the first count. */
const NONE_STAGED = { objects: 0, bytes: 0, abandonedObjects: 0, abandonedBytes: 0, countedAt: null };

export type HealthSources = {
  clock: Clock;
  storageType: string;
  cacheType: string;
  /** Rejects when the database is away. */
  countLinks(): Promise<number>;
  /** Why the database refuses this server; null if it does not. */
  databaseRefusal(): string | null;
  /** True without a shared cache. */
  isCacheReachable(): Promise<boolean>;
  /** Why Redis refuses this server; null if it does not. */
  cacheRefusal(): string | null;
  /** Why a disk accepts no more writes. */
  diskTroubles(): Promise<readonly string[]>;
  /** What keeps mails from being sent; null if nothing is known. */
  mailTrouble(): Promise<string | null>;
  /** What is wrong with the secret key; null if nothing is. Rejects when the database is away. */
  keyTrouble(): Promise<string | null>;
  /** What is wrong with certificates, or soon will be. */
  certificateTroubles(): readonly string[];
  /** Rejects when the database is away. */
  stagedUploads(): Promise<StagedUploads>;
};

/** A monitor always gets a response. */
const CHECK_DEADLINE_MS = 2_000;

const DISK_IS_SILENT = `The disk did not respond within ${CHECK_DEADLINE_MS / 1000} s; check the system log.`;

const CACHE_IS_SILENT =
  "Redis does not respond; check cache.redis_url and the Redis server. Waymark works without it; other nodes apply changes a second or two later.";

const statusOf = (trouble: string | null): HealthStatus => (trouble === null ? "healthy" : "degraded");

export function createHealth(sources: HealthSources): { report(): Promise<HealthReport> } {
  const startedAt = sources.clock.now();
  let linksCount = 0;
  let keyTrouble: string | null = null;
  let staged: StagedUploads = NONE_STAGED;
  let disks: Promise<readonly string[]> | undefined;

  /** Parallel reports share one check: on a hanging disk checks would accumulate. */
  const diskTroubles = (): Promise<readonly string[]> =>
    (disks ??= sources.diskTroubles().finally(() => (disks = undefined)));

  async function report(): Promise<HealthReport> {
    const begun = performance.now();
    const [count, isCacheReachable, troubles = [DISK_IS_SILENT], mailTrouble, key, stagedNow] =
      await Promise.all([
        inTime(CHECK_DEADLINE_MS, sources.countLinks()),
        inTime(CHECK_DEADLINE_MS, sources.isCacheReachable()),
        inTime(CHECK_DEADLINE_MS, diskTroubles()),
        inTime(CHECK_DEADLINE_MS, sources.mailTrouble()),
        inTime(CHECK_DEADLINE_MS, sources.keyTrouble()),
        inTime(CHECK_DEADLINE_MS, sources.stagedUploads()),
      ]);
    linksCount = count ?? linksCount;
    staged = stagedNow ?? staged;
    if (key !== undefined) keyTrouble = key;
    const refusal = sources.databaseRefusal();
    // Connections from before a refusal may still work.
    const storage: HealthStatus = count === undefined ? "unhealthy" : statusOf(refusal);
    const cache: HealthStatus = isCacheReachable === true ? "healthy" : "degraded";
    const disk: HealthStatus = troubles.length === 0 ? "healthy" : "degraded";
    const mail: HealthStatus = mailTrouble ? "degraded" : "healthy";
    const ofCertificates = sources.certificateTroubles();
    const certificates: HealthStatus = ofCertificates.length === 0 ? "healthy" : "degraded";
    const now = sources.clock.now();
    return {
      status:
        [storage, cache, disk, mail, statusOf(keyTrouble), certificates].find(
          (status) => status !== "healthy",
        ) ?? "healthy",
      timestamp: new Date(now).toISOString(),
      uptime: Math.max(0, Math.floor((now - startedAt) / 1000)),
      checks: {
        storage: {
          status: storage,
          message: refusal ?? "",
          links_count: linksCount,
          backend: { storage_type: sources.storageType, support_click: true },
        },
        cache: {
          status: cache,
          message: cache === "healthy" ? "" : (sources.cacheRefusal() ?? CACHE_IS_SILENT),
          cache_type: sources.cacheType,
          bloom_filter_enabled: true,
          negative_cache_enabled: true,
        },
        disk: { status: disk, message: troubles.join(" ") },
        mail: { status: mail, message: mailTrouble ?? "" },
        secret_key: { status: statusOf(keyTrouble), message: keyTrouble ?? "" },
        certificates: { status: certificates, message: ofCertificates.join(" ") },
      },
      unfinished_uploads: viewStaged(staged),
      response_time_ms: Math.round(performance.now() - begun),
    };
  }

  return { report };
}
