import { storedBy } from "./app-privacy.ts";
import { privacyEndpoints } from "../extras/privacy/privacy.routes.ts";
import { ACCESS_COOKIE, CSRF_COOKIE, readCookies, CSRF_HEADER } from "../auth/sessions/cookies.ts";
import type { Live } from "../clicks/live.ts";
import { dropLiveEndpoint, liveEndpoints } from "../clicks/live.routes.ts";
import { configEndpoints } from "../platform/config/config.routes.ts";
import type { WorkerChannel } from "../platform/cluster/worker-channel.ts";
import { eventEndpoints } from "../platform/events/events.routes.ts";
import {
  healthEndpoints,
  metricsEndpoint,
  openProbes,
  systemEndpoint,
} from "../platform/health/health.routes.ts";
import type { HealthReport } from "../platform/health/health-view.ts";
import { withAccessLog } from "../platform/health/access-log.ts";
import { createHttpMetrics } from "../platform/health/http-metrics.ts";
import type { Scrape } from "../platform/health/scrape.ts";
import type { System } from "../platform/health/system.service.ts";
import { createHttpApp, type EndpointTable, type HttpAppOptions } from "../platform/http/app.ts";
import { docsEndpoints } from "../platform/http/docs/routes.ts";
import type { HttpConnection } from "../platform/http/endpoint.ts";
import type { HttpApp } from "../platform/http/mount.ts";
import { type Described, openApiEndpoint } from "../platform/http/openapi.ts";
import { systemClock } from "../lib/clock.ts";
import { createLastingResponses } from "./lasting-responses.ts";
import type { Registry } from "../lib/metrics.ts";
import { joinSlashes } from "../lib/request-target.ts";
import { VERSION } from "../lib/version.ts";
import { createDavRoom } from "../extras/dav/dav.ts";
import { mailEndpoints } from "../extras/mail/mail.routes.ts";
import { mcpEndpoint } from "../extras/mcp/mcp.routes.ts";
import type { Ask } from "../extras/mcp/tool-call.ts";
import { eventView } from "../platform/events/event.ts";
import { webhookBodies } from "../extras/webhooks/webhook-events.ts";
import { webhookEndpoints } from "../extras/webhooks/webhooks.routes.ts";
import { importEndpoints } from "../extras/imports/imports.routes.ts";
import { domainEndpoints } from "../links/domains/routes.ts";
import { csvEndpoints } from "../links/csv/routes.ts";
import { viewOfLink } from "../links/link/link.ts";
import { historyLinks, linkEndpoints } from "../links/links.routes.ts";
import { type Explain, explainEndpoint } from "../redirect/explain.routes.ts";
import type { Redirect } from "../redirect/redirect.ts";
import { createPanel } from "../platform/panel/panel.ts";
import { createRouteTest } from "../redirect/path-code.ts";
import type { Services } from "./services.ts";
import { offlinePage } from "../visitors/messages.ts";
import type { Arrival } from "../platform/wire/arrival.ts";
import type { WireServer } from "../platform/wire/wire-server.ts";

const SLASH = 47;

/** Codes can't begin with them. */
const FILE_PREFIXES = ["/files", "/folders"];
/** The API has them, but links may have codes that begin with them. */
const OPEN_PREFIXES = ["/shares", "/trash"];

export type Responder = (arrival: Arrival, server: WireServer) => Response | Promise<Response>;

type ApiParts = Pick<HttpParts, "services" | "health" | "system" | "scrape" | "live" | "explainLink"> & {
  /** This API. */
  ask: Ask;
};
type Api = Described & Pick<HttpAppOptions, "tables" | "gates">;

export type HttpParts = {
  services: Services;
  redirect: Redirect;
  explainLink: Explain;
  health: { report(): Promise<HealthReport> };
  system: System;
  registry: Registry;
  scrape: Scrape["text"];
  live: Live;
  worker?: WorkerChannel | undefined;
};

export function createResponder(parts: HttpParts): Responder {
  const { env, logger } = parts.services;
  return withAccessLog(createRoutes(parts), { sample: env.logging.accessSample, logger });
}

function createRoutes(parts: HttpParts): Responder {
  const { services, redirect } = parts;
  const http = createHttp(parts);
  const metrics = createHttpMetrics(parts.registry);
  const redirects = metrics.timer("redirect");
  const frontend = services.config.get("routes.frontend_prefix");
  const panel = createPanel({
    prefix: frontend,
    admin: services.config.get("routes.admin_prefix"),
    isEnabled: () => services.config.get("features.enable_admin_panel"),
    isSetUp: services.auth.isAdminEnabled,
    identity: services.door.identity,
    isSignedIn: (request) => hasCookie(request, CSRF_COOKIE),
    mayCall: (request) => hasCookie(request, ACCESS_COOKIE),
    language: (request) => services.door.pages.look(request).language,
    offline: (request) => offlinePage(services.door.pages.look(request)),
    waysToSignIn: services.auth.waysToSignIn,
    asksPasswords: () => services.config.get("features.enforce_link_passwords"),
    sendsMails: services.mail.forAccounts.isOffered,
  });
  const api = http.fetch.bind(http);
  const routes = [
    {
      isIn: createRouteTest([services.config.get("routes.health_prefix")]),
      timer: metrics.timer("health"),
      ask: api,
    },
    { isIn: createRouteTest([`${frontend}/v1`]), timer: metrics.timer("frontend"), ask: api },
    { isIn: createRouteTest([frontend]), timer: metrics.timer("frontend"), ask: panel.answer },
    { isIn: () => true, timer: metrics.timer("admin"), ask: api },
  ];
  const isRouted = createRouteTest([...services.routePrefixes(), ...FILE_PREFIXES, ...OPEN_PREFIXES]);
  const isOpen = createRouteTest(OPEN_PREFIXES);
  const lasting = createLastingResponses();
  const isDav = createRouteTest([davPrefix(services.config)]);
  const follow: Responder = (arrival, server) => {
    const begun = redirects.begin();
    return redirects.end(begun, arrival.method, redirect.handle(arrival, server));
  };
  return (arrival, server) => {
    const { path } = arrival;
    if (!isRouted(path)) {
      // Clients of WebDAV join addresses with two slashes.
      if (path.charCodeAt(1) === SLASH && isDav(joinSlashes(path))) return askApi(arrival, server);
      return follow(arrival, server);
    }
    if (isOpen(path) && !isMeantForApi(arrival)) {
      // A failed lookup goes to the redirect, which reports it.
      const leads = redirect.leads(arrival).catch(() => true);
      return leads.then((isLink) => (isLink ? follow : askApi)(arrival, server));
    }
    return askApi(arrival, server);
  };

  function askApi(arrival: Arrival, server: WireServer): Response | Promise<Response> {
    metrics.watch(server);
    const request = arrival.request();
    const peerAddress = () => server.requestIP(request)?.address ?? "unix";
    services.proxies.look(request.headers, peerAddress);
    const connection: HttpConnection = {
      peerAddress,
      origin: () => services.origins.ofRequest(request, peerAddress),
      prefix: () => services.origins.prefixOf(request, peerAddress),
      liftIdleTimeout: () => server.timeout(request, 0),
      cut: () => server.timeout(request, 1),
    };
    const { timer, ask } = routes.find(({ isIn }) => isIn(request.url))!;
    const begun = timer.begin();
    const answered = timer.end(begun, request.method, ask(request, connection));
    return answered instanceof Promise ? answered.then(watched) : answered;

    function watched(response: Response): Response {
      const { isStillAllowed } = connection;
      // Live streams end by themselves.
      if (isStillAllowed !== undefined && response.body !== null && !isEventStream(response)) {
        const isUnderWay = () => server.isAnswering(request);
        lasting.add({ isStillAllowed, isUnderWay, cut: () => server.cutResponse(request) });
      }
      return response;
    }
  }
}

const isEventStream = ({ headers }: Response): boolean =>
  headers.get("content-type")?.startsWith("text/event-stream") === true;

/** Decides at a path that both the API and links have. A browser that opens the address follows the link. */
function isMeantForApi({ method, headers }: Arrival): boolean {
  if (headers.get("sec-fetch-dest") === "document") return false;
  const isRead = method === "GET" || method === "HEAD";
  const cookies = readCookies(headers.get("cookie") ?? undefined, ACCESS_COOKIE);
  return !isRead || headers.get("authorization") !== null || cookies.length > 0;
}

/** The endpoints and their OpenAPI document, with the prefixes of the start. */
export function createApi({ services, health, system, scrape, live, explainLink, ask }: ApiParts): Api {
  const { env, config, auth, events, links, csv, reports, content, drive, sharing, logger } = services;
  const admin = config.get("routes.admin_prefix");
  const healthPrefix = config.get("routes.health_prefix");
  const frontend = config.get("routes.frontend_prefix");
  const now = systemClock.now;
  const probes = openProbes(env.health.openProbes);
  const gates = [
    { prefix: admin, isOpen: auth.isAdminEnabled },
    {
      prefix: healthPrefix,
      isOpen: (path: string) =>
        auth.isHealthEnabled() || probes.some((probe) => path === healthPrefix + probe),
    },
    { prefix: `${frontend}/v1`, isOpen: () => config.get("features.enable_admin_panel") },
  ];
  const tables: EndpointTable[] = [
    {
      prefix: `${admin}/v1`,
      guard: auth.guard,
      endpoints: [
        openApiEndpoint(() => api),
        ...docsEndpoints({ cookie: CSRF_COOKIE, header: CSRF_HEADER }),
        ...auth.endpoints,
        ...liveEndpoints({ live, links, logger }),
        ...reports.endpoints,
        ...csvEndpoints({ csv, now, logger }),
        ...importEndpoints({ imports: services.imports, logger }),
        ...mailEndpoints(services.mail),
        ...webhookEndpoints({ webhooks: services.webhooks, now }),
        ...domainEndpoints({ domains: links.domainService }),
        ...eventEndpoints({ events, links: historyLinks(links) }),
        explainEndpoint({
          explain: explainLink,
          get: (actor, key) => links.by(actor).get(key),
          keyOf: links.domains.key,
          view: (link, origin) => viewOfLink(link, origin, links.domains.hostOf),
          now,
        }),
        ...linkEndpoints({ links, editing: sharing.changes, now }),
        ...configEndpoints({ config, requireFactor: auth.requireFactor }),
        ...privacyEndpoints({
          privacy: services.privacy,
          requireFactor: auth.requireFactor,
          stored: storedBy(config, env),
          pages: services.door.pages,
          logger,
        }),
        systemEndpoint(system),
        mcpEndpoint({
          tables: () => api.tables,
          ask,
          refuseForeign: auth.refuseRebound,
          clicks: () => system.clicks(),
        }),
      ],
    },
    { prefix: admin, guard: auth.guard, endpoints: content.endpoints },
    {
      prefix: "",
      guard: auth.guard,
      endpoints: [dropLiveEndpoint({ live, logger }), ...sharing.endpoints, ...drive.endpoints],
    },
    { prefix: `${frontend}/v1`, guard: auth.guard, endpoints: auth.setUpEndpoints },
    {
      prefix: healthPrefix,
      guard: auth.healthGuard,
      endpoints: [
        ...healthEndpoints(health, probes),
        ...(env.metrics.enabled ? [metricsEndpoint(scrape)] : []),
      ],
    },
  ];
  const api: Api = {
    tables,
    gates,
    sessionCookie: ACCESS_COOKIE,
    csrfCookie: CSRF_COOKIE,
    csrfHeader: CSRF_HEADER,
    version: VERSION,
    webhooks: webhookBodies(eventView),
  };
  return api;
}

function createHttp(parts: HttpParts): HttpApp {
  const { auth, config, database, drive, bodies, repeats, logger } = parts.services;
  const dav = createDavRoom({
    database,
    drive,
    prefix: davPrefix(config),
    identify: auth.tokenDoor,
    refuseForeign: auth.refuseForeign,
    bodies,
  });
  const app = createHttpApp({
    ...createApi({ ...parts, ask: (request, connection) => app.fetch(request, connection) }),
    others: [dav],
    cors: () => ({
      enabled: config.get("cors.enabled"),
      allowedOrigins: config.get("cors.allowed_origins"),
      allowedMethods: config.get("cors.allowed_methods"),
      allowedHeaders: config.get("cors.allowed_headers"),
      maxAge: config.get("cors.max_age"),
      allowCredentials: config.get("cors.allow_credentials"),
    }),
    newRequestId: () => crypto.randomUUID(),
    bodies,
    repeats,
    logger,
  });
  return app;
}

const davPrefix = (config: Services["config"]): string => `${config.get("routes.admin_prefix")}/dav`;

const hasCookie = ({ headers }: Request, name: string): boolean =>
  readCookies(headers.get("cookie") ?? undefined, name).length > 0;
