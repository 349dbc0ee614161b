/** The composition root of the server: services, caches, click counting and HTTP, in the order in which they start. */
import type { Server } from "bun";
import { type Clicks, type ClickStats, createClicks } from "./clicks/clicks.ts";
import type { WorkerChannel } from "./cluster/worker-channel.ts";
import { configEndpoints } from "./config/config.routes.ts";
import type { Env } from "./env.ts";
import { healthEndpoints } from "./health/health.routes.ts";
import { createHealth } from "./health/health.service.ts";
import { createHttpApp, type EndpointTable } from "./http/app.ts";
import type { Connection } from "./http/endpoint.ts";
import { failureResponse, toAppError } from "./http/errors.ts";
import { openApiEndpoint } from "./http/openapi.ts";
import { systemClock } from "./lib/clock.ts";
import { appError } from "./lib/errors.ts";
import type { Logger } from "./lib/logger.ts";
import { isMalformed } from "./lib/request-target.ts";
import { VERSION } from "./lib/version.ts";
import { createLinkCache, type LinkCache } from "./links/links.cache.ts";
import { csvEndpoints } from "./links/links.csv.routes.ts";
import { linkEndpoints } from "./links/links.routes.ts";
import { createLinkScan } from "./links/links.scan.repository.ts";
import { createRedirect, type Redirect } from "./redirect/redirect.ts";
import { createRouteTest } from "./redirect/route-test.ts";
import { openServices, type Services } from "./services.ts";

export type App = {
  fetch(request: Request, server: Server<undefined>): Response | Promise<Response>;
  onError(error: Error): Response;
  isAdminEnabled(): boolean;
  clickStats(): ClickStats;
  /** For the workers that start later: see Config.startValues. */
  startValues(): unknown;
  /** Counts what is left, then closes everything. Call it after the last request. */
  close(): Promise<void>;
};

export type AppOptions = {
  logger: Logger;
  /** Set in a worker process of several. */
  worker?: WorkerChannel;
};

/** Seconds of silence after which a request to the API is cut; redirects fall under the server's own, shorter one. */
const API_IDLE_S = 120;
/** The file endpoints' roots, which are no codes either. */
const FILE_PREFIXES = ["/files", "/folders"];

/** Rejects with ServiceUnavailable when the database is away, BadRequest when the data folder is unusable. */
export async function createApp(env: Env, { logger, worker }: AppOptions): Promise<App> {
  const services = await openServices(env, { logger, server: true, ...(worker && { worker }) });
  const cache = startCache(services);
  const clicks = await startClicks(services).catch(async (error: unknown) => {
    cache.close();
    await services.close();
    throw error;
  });
  const redirect = startRedirect(services, cache, clicks);
  return {
    fetch: createFetch(services, redirect, worker),
    onError: (error) => failureResponse(toAppError(error)),
    isAdminEnabled: services.auth.isAdminEnabled,
    clickStats: clicks.stats,
    startValues: services.config.startValues,
    async close() {
      cache.close();
      await clicks.close();
      await services.close();
    },
  };
}

function startCache({ env, database, changes, config, logger }: Services): LinkCache {
  const cache = createLinkCache({
    maxLinks: env.cache.maxLinks,
    ttlSeconds: env.cache.ttl,
    rebuildSeconds: () => config.get("cache.bloom_rebuild_interval"),
    findLink: database.findLink,
    scan: createLinkScan(database),
    clock: systemClock,
    logger,
  });
  changes.subscribe("links", cache.invalidate);
  config.onChange("cache.bloom_rebuild_interval", cache.reschedule);
  cache.start();
  return cache;
}

async function startClicks({ env, config, logger }: Services): Promise<Clicks> {
  const clicks = await createClicks({
    settings: env.database,
    dataDir: env.data.dir,
    config: {
      enabled: () => config.get("click.enable_tracking"),
      flushInterval: () => config.get("click.flush_interval"),
      maxClicksBeforeFlush: () => config.get("click.max_clicks_before_flush"),
    },
    logger,
    clock: systemClock,
  });
  for (const key of [
    "click.enable_tracking",
    "click.flush_interval",
    "click.max_clicks_before_flush",
  ] as const) {
    config.onChange(key, clicks.refresh);
  }
  return clicks;
}

const startRedirect = ({ config, logger }: Services, cache: LinkCache, clicks: Clicks): Redirect =>
  createRedirect({
    cache,
    clicks,
    defaultUrl: () => config.get("features.default_url"),
    passUtm: () => config.get("utm.enable_passthrough"),
    clock: systemClock,
    logger,
  });

function createFetch(services: Services, redirect: Redirect, worker?: WorkerChannel): App["fetch"] {
  let isLeaving = false;
  worker?.onLeave(() => (isLeaving = true));
  const answer = createAnswer(services, redirect);
  return (request, server) => (isLeaving ? closing(answer(request, server)) : answer(request, server));
}

/** Tells the client to close the connection, because this process is about to end. */
async function closing(answer: Response | Promise<Response>): Promise<Response> {
  const response = await answer;
  response.headers.set("Connection", "close");
  return response;
}

function createAnswer(services: Services, redirect: Redirect): App["fetch"] {
  const http = createHttp(services);
  const isRouted = createRouteTest([...services.routePrefixes(), ...FILE_PREFIXES]);
  return (request, server) => {
    if (isMalformed(request))
      return failureResponse(appError("BadRequest", "The request's Host or target is malformed."));
    if (!isRouted(request.url)) return redirect.handle(request);
    server.timeout(request, API_IDLE_S);
    const connection: Connection = {
      peerAddress: () => server.requestIP(request)?.address ?? "unix",
      liftIdleTimeout: () => server.timeout(request, 0),
      cut: () => server.timeout(request, 1),
    };
    return http.fetch(request, connection);
  };
}

function createHttp(services: Services) {
  const { config, auth, links, csv, logger } = services;
  const admin = config.get("routes.admin_prefix");
  const now = systemClock.now;
  const tables: EndpointTable[] = [
    {
      prefix: `${admin}/v1`,
      guards: auth.guards,
      endpoints: [
        openApiEndpoint(() => tables, VERSION),
        ...auth.endpoints,
        ...csvEndpoints({ csv, now, logger }),
        ...linkEndpoints({ links, now }),
        ...configEndpoints({ config }),
      ],
    },
    {
      prefix: config.get("routes.health_prefix"),
      guards: auth.healthGuards,
      endpoints: healthEndpoints(createHealthReport(services)),
    },
  ];
  return createHttpApp({
    tables,
    gates: [{ prefix: admin, isOpen: auth.isAdminEnabled }],
    cors: () => ({
      enabled: config.get("cors.enabled"),
      allowedOrigins: config.get("cors.allowed_origins"),
      allowedMethods: config.get("cors.allowed_methods"),
      allowedHeaders: config.get("cors.allowed_headers"),
      maxAge: config.get("cors.max_age"),
      allowCredentials: config.get("cors.allow_credentials"),
    }),
    newRequestId: () => crypto.randomUUID(),
    logger,
  });
}

const createHealthReport = ({ env, database, links }: Services) =>
  createHealth({
    clock: systemClock,
    storageType: database.dialect.name,
    cacheType: env.cache.type,
    countLinks: async () => (await links.stats()).totalLinks,
    isCacheReachable: async () => true,
  });
