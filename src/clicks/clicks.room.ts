/** Clicks: their count, their details, and the reports on them. */
import type { LinkService } from "../links/links.service.ts";
import type { Core } from "../platform/core.ts";
import type { Platform, Room } from "../platform/room-shape.ts";
import type { Clicks } from "./clicks.ts";
import type { WorkerLiveStats } from "./live-clicks.ts";
import type { LogCopy } from "./reports.ts";

const STORE_MISSING_MS = 5_000;
const RENEW_SALTS_MS = 30_000;

/** Reports on clicks, and how long their details are kept. */
export const analyticsRoom = {
  name: "analytics",
  commands: { analytics: "read and maintain the click statistics" },
  loadCommands: async () => (await import("./clicks.commands.ts")).addClickCommands,
  extensions: { links: async () => (await import("./analytics/commands.ts")).addLinkStatsCommand },
  async start(core: Core, { links, stream }: { links: LinkService; stream?: LogCopy | null }) {
    const { createReports } = await import("./reports.ts");
    const { analytics, endpoints, jobs } = createReports({ ...core, links, copy: stream ?? null });
    return { offers: { analytics }, endpoints: { api: endpoints }, jobs };
  },
} satisfies Room;

/** The journal of clicks and its flushes to the database. */
export const clicksRoom = {
  name: "clicks",
  isServerOnly: true,
  // The code of the thread loads while the database opens.
  begin: async () => (await import("./flush.thread.ts")).loadFlushWorker(),
  async start(
    { database, config, clock, logger }: Core,
    { env, instance, box, registry, rollCall }: Platform,
    flushWorker: Worker,
  ) {
    const { createClicks } = await import("./clicks.ts");
    const { registerClickMetrics } = await import("./click-metrics.ts");
    const { PRIVACY_KEYS } = await import("./details/privacy.ts");
    const { createAutomatedVisitors } = await import("../lib/automated-visitors.ts");
    const { createMissCounter } = await import("./missing/miss-counter.ts");
    const { createMissingRepository } = await import("./missing/repository.ts");
    const { createCalendars } = await import("./rollups/calendar.repository.ts");
    const { createSalts } = await import("./unique/salts.ts");
    const { createSaltRepository } = await import("./unique/salts.repository.ts");
    const clicks = await createClicks({
      settings: env.database,
      instance,
      dataDir: env.data.dir,
      config,
      geo: env.analytics,
      logger,
      clock,
      flushWorker,
    });
    for (const key of [
      "click.enable_tracking",
      "click.flush_interval",
      "click.max_clicks_before_flush",
      "analytics.max_log_rows",
      "analytics.max_rows_action",
      ...PRIVACY_KEYS,
    ] as const) {
      config.onChange(key, clicks.refresh);
    }
    rollCall.respondBy(clicks.settle);
    registerClickMetrics(registry, clicks, env.data.dir);
    const calendars = createCalendars(database);
    const missing = createMissCounter({
      repository: createMissingRepository(database),
      isAutomated: createAutomatedVisitors().includes,
      isEnabled: () => config.get("click.enable_tracking"),
      calendar: calendars.current,
      clock,
      logger,
    });
    const storing = setInterval(missing.flush, STORE_MISSING_MS);
    const salts = createSalts({
      repository: createSaltRepository(database),
      box,
      isEnabled: () =>
        config.get("analytics.unique_visitors") && config.get("analytics.enable_detailed_logging"),
      calendar: calendars.current,
      clock,
      logger,
    });
    await salts.renew();
    config.onChange("analytics.unique_visitors", salts.renew);
    const renewing = setInterval(salts.renew, RENEW_SALTS_MS);
    return {
      offers: { clicks, missing, salts },
      async close() {
        clearInterval(renewing);
        clearInterval(storing);
        await missing.flush();
        await clicks.close();
      },
    };
  },
} satisfies Room;

type LiveNeeds = Platform & { clicks: Clicks; links: LinkService };

/** Clicks and drops as they happen. */
export const liveRoom = {
  name: "live",
  isServerOnly: true,
  async start({ database, changes, clock, logger }: Core, { clicks, links, worker }: LiveNeeds) {
    const { createLive } = await import("./live.ts");
    const { createWorkerLiveStats } = await import("./live-clicks.ts");
    const { createLiveRepository } = await import("./live.repository.ts");
    const { dropLiveEndpoint, liveEndpoints } = await import("./live.routes.ts");
    const own = createWorkerLiveStats(clicks);
    worker?.on({ live: own });
    const live = createLive({
      collect: async (sinceMs) =>
        worker === undefined ? [own(sinceMs)] : ((await worker.collectLive(sinceMs)) as WorkerLiveStats[]),
      repository: createLiveRepository(database),
      nameOf: links.domains.nameOf,
      clock,
    });
    for (const topic of ["users", "sessions", "tokens"] as const) changes.subscribe(topic, live.recheck);
    return {
      offers: { live },
      endpoints: { api: liveEndpoints({ live, links, logger }), root: [dropLiveEndpoint({ live, logger })] },
    };
  },
} satisfies Room;
