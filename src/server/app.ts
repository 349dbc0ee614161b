/** The composition root of the server. Parts start in this order. */
import { PRIVACY_KEYS } from "./app-privacy.ts";
import { createHealthReport, createSystem, reportCertificates } from "./app-health.ts";
import { createResponder } from "./app-http.ts";
import { startRedirect } from "./app-redirect.ts";
import { type Clicks, createClicks } from "../clicks/clicks.ts";
import { registerClickMetrics } from "../clicks/click-metrics.ts";
import { registerStreamMetrics } from "../extras/stream/stream.ts";
import { loadFlushWorker } from "../clicks/flush.thread.ts";
import { createLive, type Live } from "../clicks/live.ts";
import { createWorkerLiveStats, type WorkerLiveStats } from "../clicks/live-clicks.ts";
import { createLiveRepository } from "../clicks/live.repository.ts";
import type { AdminApi } from "../platform/cluster/worker-process.ts";
import type { WorkerChannel } from "../platform/cluster/worker-channel.ts";
import { isUnavailable } from "../platform/db/failures.ts";
import { movedTo } from "../platform/db/move-switch.ts";
import type { Env } from "../platform/settings/env.ts";
import { startProcessMetrics } from "../platform/health/process-metrics.ts";
import { createScrape } from "../platform/health/scrape.ts";
import { registerStagedMetrics } from "../files/blobs/staged-metrics.ts";
import { failureResponse, toAppError } from "../platform/http/errors.ts";
import { createJobRunner, type JobRunner, registerJobMetrics } from "../platform/jobs/runner.ts";
import { systemClock } from "../lib/clock.ts";
import type { AddressMode } from "../lib/kept-address.ts";
import type { Logger } from "../lib/logger.ts";
import { createRegistry, type Registry } from "../lib/metrics.ts";
import { timeFunction, timeMethods } from "../lib/timed-methods.ts";
import { ANY_CODE, createLinkCache, type LinkCache } from "../links/cache/cache.ts";
import { measureLinkCache } from "../links/cache/metrics.ts";
import { createSharedLinks } from "../links/cache/shared.ts";
import { createLinkScan } from "../links/cache/scan.repository.ts";
import { createLinkFinder } from "../links/cache/cached-link.ts";
import { createRankingJob, createSearchIndexJob, createTotalJob } from "../links/list/jobs.ts";
import { registerRedirectMetrics } from "../redirect/redirect.ts";
import { openServices, type Services } from "./services.ts";
import { createConnectionLimit } from "../platform/wire/connection-limit.ts";
import type { WireServer } from "../platform/wire/wire-server.ts";

export type App = Awaited<ReturnType<typeof createApp>>;

export type AppOptions = {
  logger: Logger;
  /** Set in a worker process. */
  worker?: WorkerChannel;
  /** Cancels waiting for the database. */
  stopping?: AbortSignal;
  /** Called, and again until the end, if the database moves: another app opens it where it is then. */
  onMoved?: () => void;
};

/** @throws ServiceUnavailable when the database is away, BadRequest when the data folder is unusable */
export async function createApp(env: Env, options: AppOptions) {
  const { worker } = options;
  const registry = createRegistry();
  // Loads its code while the database opens.
  const flushWorker = loadFlushWorker();
  const services = await openServices(env, { ...options, server: true, registry }).catch((error: unknown) => {
    flushWorker.terminate();
    throw error;
  });
  const cache = startCache(services, registry);
  const clicks = await startClicks(services, flushWorker).catch(async (error: unknown) => {
    flushWorker.terminate();
    cache.close();
    await services.close();
    throw error;
  });
  services.rollCall.answerBy(clicks.settle);
  const { redirect, explain } = startRedirect(services, cache, clicks);
  const live = startLive(services, clicks, worker);
  const jobs = startJobs(services);
  const moves = watchMoves(services, options.onMoved);
  registerClickMetrics(registry, clicks, env.data.dir);
  const { stream } = services;
  if (stream !== null) registerStreamMetrics(registry, stream);
  registerRedirectMetrics(registry, redirect);
  registerJobMetrics(registry, jobs);
  registerStagedMetrics(registry, services.content.staged);
  worker?.on({ openSetUp: services.auth.openSetUp });
  const processMetrics = startProcessMetrics(registry);
  const health = createHealthReport(services);
  void warnOfStorages(services);
  reportCertificates(services, registry);
  services.content.thumbnails.keepTidy();
  const scrape = createScrape(registry, worker);
  return {
    answer: createResponder({
      services,
      redirect,
      explainLink: explain,
      health,
      system: createSystem(services, health, scrape),
      registry,
      scrape: scrape.text,
      live,
      worker,
    }),
    /** For an error of `answer`. */
    explain: (error: unknown): Response => failureResponse(toAppError(error)),
    connectionLimit: createConnectionLimit({ registry, logger: services.logger }),
    /** Call it with the server that calls `answer`. */
    listens: (server: WireServer): void => worker?.on({ server }),
    adminApi: (): AdminApi => ({
      prefix: services.config.get("routes.admin_prefix"),
      isEnabled: services.auth.isAdminEnabled(),
      publicUrl: services.config.get("features.public_url"),
      panel: services.config.get("features.enable_admin_panel")
        ? services.config.get("routes.frontend_prefix")
        : null,
    }),
    /** The secret of a new one-time address; null when a password is set. */
    openSetUp: services.auth.openSetUp,
    clickStats: clicks.stats,
    /** For workers that start later; see `Config.startValues`. */
    startValues: services.config.startValues,
    /** Call it when no more requests are accepted. */
    endStreams: live.close,
    /** Call it after the last request. Flushes the clicks. */
    async close(): Promise<void> {
      processMetrics.close();
      moves.close();
      cache.close();
      await jobs.stop();
      await clicks.close();
      await services.close();
    },
  };
}

const ASK_AGAIN_MS = 5_000;

/** Looks where the database is when the change feed says that a move switches, and at the start. */
function watchMoves({ changes, database, logger }: Services, onMoved = (): void => {}): { close(): void } {
  let asking: ReturnType<typeof setInterval> | undefined;
  let [hasNews, isLooking, isClosed] = [false, false, false];
  const look = async (): Promise<void> => {
    hasNews = true;
    if (isLooking) return;
    isLooking = true;
    while (hasNews && asking === undefined && !isClosed) {
      hasNews = false;
      try {
        if ((await movedTo(database)) === null || isClosed) continue;
        asking = setInterval(onMoved, ASK_AGAIN_MS);
        onMoved();
      } catch (error) {
        if (isClosed) break;
        if (!isUnavailable(error)) logger.error({ err: error }, "the move of the database can't be followed");
        hasNews = true;
        await Bun.sleep(ASK_AGAIN_MS / 5);
      }
    }
    isLooking = false;
  };
  const leave = changes.subscribe("moves", () => void look());
  void look();
  return {
    close() {
      isClosed = true;
      leave();
      clearInterval(asking);
    },
  };
}

async function warnOfStorages({ content, logger }: Services): Promise<void> {
  for (const { name, trouble } of await content.standings().catch(() => [])) {
    if (trouble !== null) logger.warn(`The storage '${name}' takes no files: ${trouble}`);
  }
}

function startCache(services: Services, registry: Registry): LinkCache {
  const { env, database, changes, config, redis, operations, logger } = services;
  const enforcesPasswords = () => config.get("features.enforce_link_passwords");
  const bare = createLinkCache({
    maxLinks: env.cache.maxLinks,
    ttlSeconds: env.cache.ttl,
    rebuildSeconds: () => config.get("cache.bloom_rebuild_interval"),
    findLink: timeFunction(createLinkFinder(database, enforcesPasswords), operations.get),
    refreshLookups: database.refreshLookups,
    scan: timeMethods(createLinkScan(database, enforcesPasswords), {
      links: operations.loadAll,
      codes: operations.loadAllCodes,
      some: operations.batchGet,
    }),
    ...(redis && { shared: createSharedLinks({ redis, ttlSeconds: env.cache.ttl }) }),
    isInformed: changes.isCurrent,
    clock: systemClock,
    logger,
  });
  const cache = measureLinkCache(registry, bare);
  changes.subscribe("links", cache.invalidate);
  config.onChange("cache.bloom_rebuild_interval", cache.reschedule);
  config.onChange("features.enforce_link_passwords", () => cache.invalidate([ANY_CODE]));
  cache.start();
  return cache;
}

async function startClicks(
  { env, instance, config, logger }: Services,
  flushWorker: Worker,
): Promise<Clicks> {
  const clicks = await createClicks({
    settings: env.database,
    instance,
    dataDir: env.data.dir,
    config: {
      enabled: () => config.get("click.enable_tracking"),
      flushInterval: () => config.get("click.flush_interval"),
      maxClicksBeforeFlush: () => config.get("click.max_clicks_before_flush"),
      details: {
        sampleRate: () => config.get("analytics.sample_rate"),
        locates: () => config.get("analytics.enable_geo_lookup") && config.get("privacy.keep_places"),
        // What was recorded while addresses were logged keeps them.
        addresses: () => config.get("privacy.addresses") as AddressMode,
        mostLogRows: () =>
          config.get("analytics.max_rows_action") === "stop" ? config.get("analytics.max_log_rows") : 0,
      },
    },
    geo: env.analytics,
    logger,
    clock: systemClock,
    flushWorker,
  });
  for (const key of [
    "click.enable_tracking",
    "click.flush_interval",
    "click.max_clicks_before_flush",
    "analytics.enable_geo_lookup",
    "analytics.max_log_rows",
    "analytics.max_rows_action",
    ...PRIVACY_KEYS,
  ] as const) {
    config.onChange(key, clicks.refresh);
  }
  return clicks;
}

function startLive(services: Services, clicks: Clicks, worker: WorkerChannel | undefined): Live {
  const { database, changes, links } = services;
  const own = createWorkerLiveStats(clicks);
  worker?.on({ live: own });
  const live = createLive({
    collect: async (sinceMs) =>
      worker === undefined ? [own(sinceMs)] : ((await worker.collectLive(sinceMs)) as WorkerLiveStats[]),
    repository: createLiveRepository(database),
    nameOf: links.domains.nameOf,
    clock: systemClock,
  });
  for (const topic of ["users", "sessions", "tokens"] as const) changes.subscribe(topic, live.recheck);
  return live;
}

const HOUR_MS = 3_600_000;

function startJobs(services: Services): JobRunner {
  const { config, database, events, links, leases, auth, reports, content, drive, sharing, mail, logger } =
    services;
  const searchIndex = createSearchIndexJob(database);
  const runner = createJobRunner({
    leases,
    jobs: [
      { name: "auth-clean-up", everyMs: () => HOUR_MS, run: async () => void (await auth.cleanUp()) },
      events.retentionJob(() => config.get("events.retention_days")),
      services.repeats.job,
      links.deleted.retentionJob(),
      links.targetChecks(() => config.get("links.check_targets")),
      createRankingJob(database, services.notices.counted),
      createTotalJob(database, logger),
      ...(searchIndex === null ? [] : [searchIndex]),
      ...reports.jobs,
      services.imports.job,
      ...content.jobs,
      ...drive.jobs,
      sharing.visitJob,
      services.webhooks.job,
      ...(mail.job === null ? [] : [mail.job, services.notices.endingJob]),
    ],
    clock: systemClock,
    logger,
  });
  runner.start();
  services.changes.subscribe("webhooks", () => runner.soon(services.webhooks.job.name));
  if (mail.job !== null) services.changes.subscribe("mails", () => runner.soon(mail.job!.name));
  return runner;
}
