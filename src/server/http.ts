/** What handles a request: the redirect, the API of all rooms, the panel. */
import { ACCESS_COOKIE, CSRF_COOKIE, readCookies } from "../auth/sessions/cookies.ts";
import { CSRF_HEADER } from "../auth/sessions/cookies.ts";
import { joinSlashes } from "../lib/request-target.ts";
import { secretPathsIn } from "../lib/secret-paths.ts";
import { VERSION } from "../lib/version.ts";
import type { Repeats } from "../platform/http/idempotency.ts";
import { ROUTE_PREFIX_KEYS, routePrefixesIn } from "../platform/config/route-prefixes.ts";
import { withAccessLog } from "../platform/health/access-log.ts";
import { openProbes } from "../platform/health/health.routes.ts";
import { createHttpMetrics, type HttpMetrics } from "../platform/health/http-metrics.ts";
import { createHttpApp, type HttpAppOptions, isThere, protocolBelow } from "../platform/http/app.ts";
import { docsEndpoints } from "../platform/http/docs/routes.ts";
import type { HttpConnection } from "../platform/http/endpoint.ts";
import type { EndpointTable } from "../platform/http/mount.ts";
import { type Described, openApiEndpoint } from "../platform/http/openapi.ts";
import { createPanel } from "../platform/panel/panel.ts";
import type { MountPlace } from "../platform/room-shape.ts";
import type { Arrival } from "../platform/wire/arrival.ts";
import type { WireServer } from "../platform/wire/wire-server.ts";
import { createRouteTest } from "../redirect/path-code.ts";
import { offlinePage } from "../visitors/messages.ts";
import { createLastingResponses, lasts } from "../platform/http/lasting-responses.ts";
import { createRequestTurns } from "./request-turns.ts";
import { API_ORDER, type House, sortedBy, type Services, type StartedRoom } from "./rooms.ts";

const SLASH = 47;
const METHOD_NOT_ALLOWED = 405;

/** Codes can't begin with them. */
const FILE_PREFIXES = ["/files", "/folders"];
/** The API has them, but links may have codes that begin with them. */
const OPEN_PREFIXES = ["/shares", "/trash"];

export type Responder = (arrival: Arrival, server: WireServer) => Response | Promise<Response>;

type NewApi = Omit<Described, "gates"> & Pick<HttpAppOptions, "tables" | "gates">;

type HttpParts = { house: House; rooms: readonly StartedRoom[]; repeats: Repeats };

export function createResponder(parts: HttpParts): Responder {
  const { env, logger } = parts.house;
  const respond = createRoutes(parts);
  const beforeSecrets = secretPathsIn(parts.house.api.described().tables);
  return withAccessLog(respond, { sample: env.logging.accessSample, beforeSecrets, logger });
}

type HttpTimers = Record<"admin" | "frontend" | "health", ReturnType<HttpMetrics["timer"]>>;

/** Everything but the redirect, at the prefixes that are in force now. */
function mountRoutes({ house, rooms, repeats }: HttpParts, timers: HttpTimers) {
  const { config, auth, door } = house;
  const protocols = protocolsOf(rooms);
  const described = createApi(house, rooms);
  const http = createHttpApp({
    ...described,
    others: protocols,
    cors: () => ({
      enabled: config.get("cors.enabled"),
      allowedOrigins: config.get("cors.allowed_origins"),
      allowedMethods: config.get("cors.allowed_methods"),
      allowedHeaders: config.get("cors.allowed_headers"),
      maxAge: config.get("cors.max_age"),
      allowCredentials: config.get("cors.allow_credentials"),
    }),
    newRequestId: () => crypto.randomUUID(),
    bodies: house.bodies,
    repeats,
    logger: house.logger,
  });
  Object.assign(house.api, { described: () => described, ask: http.fetch });
  const frontend = config.get("routes.frontend_prefix");
  const panel = createPanel({
    prefix: frontend,
    admin: config.get("routes.admin_prefix"),
    isEnabled: () => config.get("features.enable_admin_panel"),
    isSetUp: auth.isAdminEnabled,
    identity: door.identity,
    isSignedIn: (request) => hasCookie(request, CSRF_COOKIE),
    mayCall: (request) => hasCookie(request, ACCESS_COOKIE),
    language: (request) => door.pages.look(request).language,
    offline: (request) => offlinePage(door.pages.look(request)),
    waysToSignIn: auth.waysToSignIn,
    asksPasswords: () => config.get("features.enforce_link_passwords"),
    timeZone: () => config.get("analytics.time_zone"),
    ignoresCase: () => config.get("links.ignore_case"),
    sendsMails: auth.sendsMails,
    rooms: rooms.map(({ name }) => name),
  });
  const routes = [
    {
      isIn: createRouteTest([config.get("routes.health_prefix")]),
      timer: timers.health,
      ask: http.respond,
    },
    { isIn: createRouteTest([`${frontend}/v1`]), timer: timers.frontend, ask: http.respond },
    {
      isIn: createRouteTest([frontend]),
      timer: timers.frontend,
      ask: (arrival: Arrival) => panel.respond(arrival.request()),
    },
    { isIn: () => true, timer: timers.admin, ask: http.respond },
  ];
  const there = protocols.filter(isThere).map(({ prefix }) => prefix);
  return {
    routes,
    isProtocol: createRouteTest(there),
    isRouted: createRouteTest([...routePrefixesIn(config)(), ...FILE_PREFIXES, ...OPEN_PREFIXES, ...there]),
  };
}

const protocolsOf = (rooms: readonly StartedRoom[]) => rooms.flatMap((room) => room.protocols ?? []);

/** Mounts routes, and anew when a prefix changes or a protocol is switched on or off. */
function followRoutes(parts: HttpParts, timers: HttpTimers) {
  const { config } = parts.house;
  const mounted = mountRoutes(parts, timers);
  const remount = () => void Object.assign(mounted, mountRoutes(parts, timers));
  for (const key of ROUTE_PREFIX_KEYS) config.onChange(key, remount);
  for (const { toggle } of protocolsOf(parts.rooms)) toggle?.onChange(remount);
  return mounted;
}

function createRoutes(parts: HttpParts): Responder {
  const { house, rooms } = parts;
  const { auth, redirect, proxies, origins } = house;
  const protocols = protocolsOf(rooms);
  const metrics = createHttpMetrics(house.registry);
  const redirects = metrics.timer("redirect");
  const timers = {
    admin: metrics.timer("admin"),
    frontend: metrics.timer("frontend"),
    health: metrics.timer("health"),
  };
  const mounted = followRoutes(parts, timers);
  const isOpen = createRouteTest(OPEN_PREFIXES);
  const lasting = createLastingResponses();
  const inTurn = createRequestTurns();
  const methodsAbove = new Set(protocols.flatMap((protocol) => protocol.methodsAbove));
  const follow: Responder = (arrival, server) => {
    const begun = redirects.begin();
    return redirects.end(begun, arrival.method, redirect.handle(arrival, server));
  };
  return (arrival, server) => {
    const { path } = arrival;
    if (!mounted.isRouted(path)) {
      // Clients of WebDAV join addresses with two slashes.
      if (path.charCodeAt(1) === SLASH && mounted.isProtocol(joinSlashes(path)))
        return askApi(arrival, server);
      if (isAboveProtocol(arrival)) return askUnlessLink(arrival, server);
      const following = follow(arrival, server);
      const isRead = path !== "/" || ["GET", "HEAD"].includes(arrival.method);
      return isRead || !auth.isAdminEnabled() ? following : naming(methodsAbove, following);
    }
    const asks = isOpen(path) && !isMeantForApi(arrival) ? askUnlessLink : askApi;
    return asks(arrival, server);
  };

  function askUnlessLink(arrival: Arrival, server: WireServer): Promise<Response> {
    // A failed lookup goes to the redirect, which reports it.
    const leads = redirect.leads(arrival).catch(() => true);
    return leads.then((isLink) => (isLink ? follow : askApi)(arrival, server));
  }

  /** Explorer asks `/` and all folders above the address of a WebDAV folder. */
  function isAboveProtocol({ method, path }: Arrival): boolean {
    if (method === "GET" || method === "HEAD") return false;
    return protocolBelow(protocols, method, path) !== undefined && auth.isAdminEnabled();
  }

  function askApi(arrival: Arrival, server: WireServer): Response | Promise<Response> {
    metrics.watch(server);
    arrival.validateHost();
    const peerAddress = () => server.requestIP(arrival)?.address ?? "unix";
    proxies.look(arrival.headers, peerAddress);
    let origin: string | undefined;
    const connection: HttpConnection = {
      peerAddress,
      origin: () => (origin ??= origins.ofRequest(arrival, peerAddress)),
      prefix: () => origins.prefixOf(arrival, peerAddress),
      liftIdleTimeout: () => server.timeout(arrival.request(), 0),
      cut: () => server.timeout(arrival.request(), 1),
    };
    const { timer, ask } = mounted.routes.find(({ isIn }) => isIn(arrival.path))!;
    const begun = timer.begin();
    const asking = inTurn(() => ask(arrival, connection));
    const outcome = timer.end(begun, arrival.method, asking);
    return outcome instanceof Promise ? outcome.then(watched) : outcome;

    function watched(response: Response): Response {
      const { isStillAllowed } = connection;
      if (isStillAllowed === undefined || !lasts(response)) return response;
      const request = arrival.request();
      const isUnderWay = () => server.isResponding(request);
      lasting.add({ isStillAllowed, isUnderWay, cut: () => server.cutResponse(request) });
      return response;
    }
  }
}

/** A refusal names the methods of protocols too, whose clients ask at the root. */
async function naming(
  methods: ReadonlySet<string>,
  following: Response | Promise<Response>,
): Promise<Response> {
  const response = await following;
  const allow = [response.headers.get("Allow") ?? "GET, HEAD", ...methods].join(", ");
  if (response.status === METHOD_NOT_ALLOWED) response.headers.set("Allow", allow);
  return response;
}

/** Decides at a path that both the API and links have. A browser that opens the address follows the link. */
function isMeantForApi({ method, headers }: Arrival): boolean {
  if (headers.get("sec-fetch-dest") === "document") return false;
  const isRead = method === "GET" || method === "HEAD";
  const cookies = readCookies(headers.get("cookie") ?? undefined, ACCESS_COOKIE);
  return !isRead || headers.get("authorization") !== null || cookies.length > 0;
}

/** Puts the endpoints of all rooms and what describes them together, with the prefixes that are in force. */
export function createApi(house: Services, rooms: readonly StartedRoom[]): NewApi {
  const { env, config, auth } = house;
  const prefixes: Record<MountPlace, string> = {
    api: `${config.get("routes.admin_prefix")}/v1`,
    admin: config.get("routes.admin_prefix"),
    root: "",
    panel: `${config.get("routes.frontend_prefix")}/v1`,
    health: config.get("routes.health_prefix"),
  };
  const probes = openProbes(env.health.openProbes).map((probe) => prefixes.health + probe);
  const ordered = sortedBy(rooms, API_ORDER, ({ name }) => name);
  const tables = Object.entries(prefixes).map(
    ([place, prefix]): EndpointTable => ({
      prefix,
      guard: place === "health" ? auth.healthGuard : auth.guard,
      endpoints: [
        ...(place === "api" ? [openApiEndpoint(() => api), ...docsEndpoints(CSRF)] : []),
        ...ordered.flatMap(({ endpoints }) => endpoints?.[place as MountPlace] ?? []),
      ],
    }),
  );
  const api: NewApi = {
    tables,
    // Until a password is set, and while the panel is off, there is nothing below these.
    gates: [
      { prefix: prefixes.admin, isOpen: auth.isAdminEnabled },
      { prefix: prefixes.health, isOpen: (path) => auth.isHealthEnabled() || probes.includes(path) },
      { prefix: prefixes.panel, isOpen: () => config.get("features.enable_admin_panel") },
    ],
    sessionCookie: ACCESS_COOKIE,
    csrfCookie: CSRF_COOKIE,
    csrfHeader: CSRF_HEADER,
    version: VERSION,
    webhooks: Object.assign({}, ...rooms.map(({ requests }) => requests)),
  };
  return api;
}

const CSRF = { cookie: CSRF_COOKIE, header: CSRF_HEADER };

const hasCookie = ({ headers }: Request, name: string): boolean =>
  readCookies(headers.get("cookie") ?? undefined, name).length > 0;
