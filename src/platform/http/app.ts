import { getPath } from "hono/utils/url";
import { appError } from "../../lib/errors.ts";
import type { Logger } from "../../lib/logger.ts";
import { joinSlashes, pathStart } from "../../lib/request-target.ts";
import { secretPathsIn, withoutSecret } from "../../lib/secret-paths.ts";
import { type BodyMemory, createBodyMemory } from "./body-memory.ts";
import { HttpContext, type RequestSource } from "./context.ts";
import { allowOrigins, type CorsSettings } from "./cors.ts";
import type { HttpConnection } from "./endpoint.ts";
import { failureResponse, toAppError } from "./errors.ts";
import type { Repeats } from "./idempotency.ts";
import { type EndpointTable, mountEndpoints } from "./mount.ts";
import { hasLongBody } from "./read-body.ts";

/** Everything at and below a prefix, in another protocol over HTTP. */
export type OtherProtocol = {
  prefix: string;
  /** Methods that clients also send to the addresses above the prefix, `/` included. */
  methodsAbove: readonly string[];
  /** Absent: it is always there. */
  toggle?: { isOn(): boolean; onChange(listener: () => void): unknown };
  /** Absent: as the settings say. */
  cors?: CorsSettings;
  respond(c: HttpContext): Promise<Response>;
};

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

export type HttpApp = ReturnType<typeof createHttpApp>;

export function createHttpApp({
  tables,
  others = [],
  gates,
  cors,
  newRequestId,
  bodies = createBodyMemory(),
  repeats,
  logger,
}: HttpAppOptions) {
  const endpoints = mountEndpoints(tables, { bodies, repeats });
  const pathOf = createPathOf(others);
  const beforeSecrets = secretPathsIn(tables);

  function dispatch(c: HttpContext): Response | Promise<Response> {
    const { path, method } = c.req;
    const other =
      others.find((one) => isBelow(one.prefix, path) && isThere(one)) ?? protocolBelow(others, method, path);
    const preflight = allowOrigins(c, other?.cors ?? cors());
    if (preflight !== null) return preflight;
    for (const { prefix, isOpen } of gates) {
      if (isBelow(prefix, other?.prefix ?? path) && !isOpen(path))
        throw appError("NotFound", "There is nothing at this address.");
    }
    return other === undefined ? endpoints.respond(c) : other.respond(c);
  }

  function failed(c: HttpContext, thrown: unknown): Response {
    const error = toAppError(thrown);
    const { method, path } = c.req;
    if (hasLongBody(c.req)) c.env.cut();
    const where = { requestId: c.get("requestId"), method, path: withoutSecret(path, beforeSecrets) };
    const isInternal = error.kind === "internal";
    // The client has left, which is not a failure.
    if (isInternal && c.req.raw.signal.aborted && thrown === c.req.raw.signal.reason)
      logger.debug(where, "a request was aborted");
    else if (isInternal) logger.error({ ...where, err: error.cause ?? error }, "request failed");
    else if (["unavailable", "bad_gateway", "full"].includes(error.kind))
      logger.warn({ ...where, err: error }, error.message);
    return failureResponse(error);
  }

  /** Never rejects. To HEAD it is the response to GET: the server sends its length and cancels a stream. */
  async function respond(source: RequestSource, connection: HttpConnection): Promise<Response> {
    const c = new HttpContext(source, pathOf(source.path), connection, newRequestId());
    try {
      return c.completed(await dispatch(c));
    } catch (thrown) {
      return c.completed(failed(c, thrown));
    }
  }

  return {
    respond,
    fetch: (request: Request, connection: HttpConnection): Promise<Response> =>
      respond(sourceOf(request), connection),
  };
}

const sourceOf = (request: Request): RequestSource => ({
  method: request.method,
  path: request.url.slice(pathStart(request.url)),
  get: (name) => request.headers.get(name),
  request: () => request,
  signal: () => request.signal,
});

export const isThere = ({ toggle }: OtherProtocol): boolean => toggle?.isOn() ?? true;

const isBelow = (prefix: string, path: string): boolean =>
  path.startsWith(prefix) && (path.length === prefix.length || path[prefix.length] === "/");

/** The protocol whose clients send the method to this address above it. */
export function protocolBelow(
  others: readonly OtherProtocol[],
  method: string,
  path: string,
): OtherProtocol | undefined {
  const isAbove = (prefix: string) => prefix.startsWith(path.endsWith("/") ? path : `${path}/`);
  return others.find(({ prefix, methodsAbove }) => methodsAbove.includes(method) && isAbove(prefix));
}

/** Slashes in a row count as one below the prefixes of `others`; elsewhere codes of older links have them. */
function createPathOf(others: readonly OtherProtocol[]): (pathAndQuery: string) => string {
  return (pathAndQuery) => {
    const path = getPath({ url: `http://localhost${pathAndQuery}` } as Request);
    if (!path.includes("//")) return path;
    const joined = joinSlashes(path);
    return others.some(({ prefix }) => isBelow(prefix, joined)) ? joined : path;
  };
}
