import { Hono } from "hono";
import { cors } from "hono/cors";
import { getPath } from "hono/utils/url";
import { appError } from "../../lib/errors.ts";
import type { Logger } from "../../lib/logger.ts";
import { joinSlashes } from "../../lib/request-target.ts";
import { type BodyMemory, createBodyMemory } from "./body-memory.ts";
import type { Endpoint, HttpContext, HttpEnv } from "./endpoint.ts";
import { failureResponse, toAppError } from "./errors.ts";
import { type Repeats, REPLAYED_HEADER } from "./idempotency.ts";
import { type Guard, type HttpApp, mountEndpoints, mountRefusals } from "./mount.ts";
import { hasLongBody } from "./read-body.ts";

/**
 * Hono serves HEAD with the GET endpoint and drops the body, which loses the length. Here the response keeps its body;
 * the server sends the length and cancels a stream. Call it before anything else is added to the app.
 */
function respondToHead(app: HttpApp): void {
  const responses = new WeakMap<Request, Response>();
  app.use(async (c, next) => {
    await next();
    if (c.req.raw.method === "HEAD") responses.set(c.req.raw, c.res);
  });
  const dispatch = app.fetch;
  app.fetch = (request, ...rest) => {
    const dispatched = dispatch(request, ...rest);
    return request.method === "HEAD" ? whole(request, dispatched) : dispatched;
  };

  async function whole(request: Request, dispatched: Response | Promise<Response>): Promise<Response> {
    const bodiless = await dispatched;
    return responses.get(request) ?? bodiless;
  }
}

export type CorsSettings = {
  enabled: boolean;
  allowedOrigins: readonly string[];
  allowedMethods: readonly string[];
  allowedHeaders: readonly string[];
  /** Seconds. */
  maxAge: number;
  allowCredentials: boolean;
};

export type EndpointTable = { prefix: string; endpoints: readonly Endpoint[]; guard: Guard };

/** Everything at and below a prefix, in another protocol over HTTP. */
export type OtherProtocol = { prefix: string; respond(c: HttpContext): Promise<Response> };

export type HttpAppOptions = {
  tables: readonly EndpointTable[];
  others?: readonly OtherProtocol[];
  /** Respond with 404 everywhere while `isOpen` is false (no password is set). */
  gates: readonly { prefix: string; isOpen(path: string): boolean }[];
  /** Read at each request, so a change applies at once. */
  cors(): CorsSettings;
  newRequestId(): string;
  /** Bounds gathered bodies. */
  bodies?: BodyMemory;
  /** Keeps responses to requests with an Idempotency-Key. */
  repeats?: Repeats;
  logger: Logger;
};

export function createHttpApp({
  tables,
  others = [],
  gates,
  cors: corsSettings,
  newRequestId,
  bodies = createBodyMemory(),
  repeats,
  logger,
}: HttpAppOptions): HttpApp {
  const app: HttpApp = new Hono<HttpEnv>({ getPath: createPathOf(others) });
  respondToHead(app);
  app.use(async (c, next) => {
    const requestId = newRequestId();
    c.set("requestId", requestId);
    await next();
    c.header("X-Request-Id", requestId);
    if (c.get("isStrict")) c.header("Preference-Applied", "handling=strict");
    c.header("X-Content-Type-Options", "nosniff");
    c.header("Referrer-Policy", "no-referrer");
    if (!c.res.headers.has("Cache-Control")) c.header("Cache-Control", "no-store");
  });
  app.use((c, next) => {
    const settings = corsSettings();
    const isPlainOptions = c.req.method === "OPTIONS" && !c.req.header("Access-Control-Request-Method");
    if (!settings.enabled || isPlainOptions) return next();
    const isAnyAllowed = settings.allowedOrigins.includes("*");
    return cors({
      origin: isAnyAllowed ? "*" : [...settings.allowedOrigins],
      allowMethods: [...settings.allowedMethods],
      allowHeaders: [...settings.allowedHeaders],
      exposeHeaders: EXPOSED_HEADERS,
      maxAge: settings.maxAge,
      // Browsers refuse credentials together with any origin.
      credentials: settings.allowCredentials && !isAnyAllowed,
    })(c, next);
  });
  for (const gate of gates) {
    app.use(`${gate.prefix}/*`, async (c, next) => {
      if (!gate.isOpen(c.req.path)) throw appError("NotFound", "There is nothing at this address.");
      await next();
    });
  }
  for (const { prefix, respond } of others) {
    app.all(prefix, respond);
    app.all(`${prefix}/*`, respond);
  }
  for (const table of tables)
    mountEndpoints(app, table.prefix, table.endpoints, table.guard, { bodies, repeats });
  mountRefusals(app, tables);
  app.onError((thrown, c) => {
    const error = toAppError(thrown);
    if (hasLongBody(c.req.raw)) c.env.cut();
    const where = { requestId: c.get("requestId"), method: c.req.method, path: c.req.path };
    const { signal } = c.req.raw;
    // The client has left, which is not a failure.
    if (signal.aborted && thrown === signal.reason) logger.debug(where, "a request was aborted");
    else if (error.kind === "internal")
      logger.error({ ...where, err: error.cause ?? error }, "request failed");
    else if (["unavailable", "bad_gateway", "full"].includes(error.kind))
      logger.warn({ ...where, err: error }, error.message);
    return failureResponse(error);
  });
  return app;
}

/** Headers that scripts of other origins may read. Those from Location on serve resumable uploads. */
const EXPOSED_HEADERS = [
  "X-Request-Id",
  "Content-Disposition",
  "ETag",
  "Preference-Applied",
  REPLAYED_HEADER,
  "Location",
  "Upload-Offset",
  "Upload-Length",
  "Upload-Defer-Length",
  "Upload-Metadata",
  "Upload-Expires",
  "X-File-Id",
  "Tus-Resumable",
  "Tus-Version",
  "Tus-Extension",
  "Tus-Max-Size",
  "Tus-Checksum-Algorithm",
];

/** Slashes in a row count as one below the prefixes of `others`; elsewhere codes of older links have them. */
function createPathOf(others: NonNullable<HttpAppOptions["others"]>): (request: Request) => string {
  const isAt = (path: string) =>
    others.some(({ prefix }) => path === prefix || path.startsWith(`${prefix}/`));
  return (request) => {
    // Without a Host, Bun gives a bare path.
    const isBare = request.url.startsWith("/");
    const path = getPath(isBare ? ({ url: `http://localhost${request.url}` } as Request) : request);
    const joined = joinSlashes(path);
    return joined !== path && isAt(joined) ? joined : path;
  };
}
