/**
 * The REST API of Shlink (https://api-spec.shlink.io), versions 2 and 3: one table of its addresses. Links, tags, domains
 * and visits are Waymark's; what Shlink has beside them is answered as not supported.
 */
import { appError } from "../../lib/errors.ts";
import type { Config } from "../../platform/config/config.service.ts";
import type { BodyMemory } from "../../platform/http/body-memory.ts";
import type { HttpContext } from "../../platform/http/context.ts";
import type { CorsSettings } from "../../platform/http/cors.ts";
import { hasLongBody, readJson } from "../../platform/http/read-body.ts";
import type { Answer, ApiCaller } from "./call.ts";
import type { ShlinkRequest } from "./shlink-request.ts";
import { domainsList, setRedirects } from "./shlink-domains.ts";
import { type Problem, type ShlinkReply, problem, problemOf, refused } from "./shlink-problems.ts";
import {
  createLink,
  editLink,
  linkRules,
  listLinks,
  readLink,
  removeLink,
  setRules,
} from "./shlink-links.ts";
import { removeTags, renameTag, tagStats, tagsList } from "./shlink-tags.ts";
import { allVisits, orphanVisits, visitSums, visitsOf } from "./shlink-visits.ts";

export type ShlinkDeps = { call: ApiCaller; bodies: BodyMemory; config: Pick<Config, "get"> };

type Handler = (request: ShlinkRequest) => Promise<ShlinkReply>;
type Route = readonly [method: string, path: RegExp, handle: Handler];

/** The version of Shlink whose API this is: later ones promise what is not here. */
const VERSION = "4.4.0";

/** The first path that fits is taken, with all its methods: what follows may be the code of a link, which has slashes. */
const ROUTES: readonly Route[] = [
  ["GET", /^\/short-urls$/, listLinks],
  ["POST", /^\/short-urls$/, createLink],
  ["GET", /^\/short-urls\/(.+)\/visits$/, visitsOf("link")],
  ["GET", /^\/short-urls\/(.+)\/redirect-rules$/, linkRules],
  ["POST", /^\/short-urls\/(.+)\/redirect-rules$/, setRules],
  ["GET", /^\/short-urls\/(.+)$/, readLink],
  ["PATCH", /^\/short-urls\/(.+)$/, editLink],
  ["DELETE", /^\/short-urls\/(.+)$/, removeLink],
  ["GET", /^\/tags$/, tagsList],
  ["PUT", /^\/tags$/, renameTag],
  ["DELETE", /^\/tags$/, removeTags],
  ["GET", /^\/tags\/stats$/, tagStats],
  ["GET", /^\/tags\/(.+)\/visits$/, visitsOf("tag")],
  ["GET", /^\/domains$/, domainsList],
  ["PATCH", /^\/domains\/redirects$/, setRedirects],
  ["GET", /^\/domains\/([^/]+)\/visits$/, visitsOf("domain")],
  ["GET", /^\/visits$/, visitSums],
  ["GET", /^\/visits\/non-orphan$/, allVisits],
  ["GET", /^\/visits\/orphan$/, orphanVisits],
  ["GET", /^\/mercure-info$/, sayNoMercure],
];

/** What Waymark has no like of. */
const UNSUPPORTED = [/^\/short-urls\/(.+)\/visits$/, /^\/visits\/orphan$/];

const LONGEST_BODY = 256 * 1024;

/** As Shlink does: keys are in a header that no browser adds by itself, and cookies are never read. */
const CORS: CorsSettings = {
  enabled: true,
  allowedOrigins: ["*"],
  allowedMethods: ["GET", "POST", "PUT", "PATCH", "DELETE"],
  allowedHeaders: ["X-Api-Key", "Content-Type", "Accept"],
  maxAge: 3600,
  allowCredentials: false,
};

async function sayNoMercure(): Promise<ShlinkReply> {
  return problem(
    501,
    "mercure-not-configured",
    "Mercure integration not configured",
    "There is no Mercure hub.",
  );
}

export function createShlink({ call, bodies, config }: ShlinkDeps) {
  return {
    cors: CORS,
    async respond(c: HttpContext): Promise<Response> {
      const reply = await replyTo(c).catch((error: unknown) => {
        const known = problemOf(error);
        if (known === null) throw error;
        return known;
      });
      if ((reply.status ?? 204) >= 400 && hasLongBody(c.req)) c.env.cut();
      return respondWith(c, reply);
    },
  };

  async function replyTo(c: HttpContext): Promise<ShlinkReply> {
    const method = c.req.method === "HEAD" ? "GET" : c.req.method;
    const path = pathBelow(c);
    if (path === "/health" && method === "GET") return health(c);
    const first = ROUTES.find(([, pattern]) => pattern.test(path));
    const matching = ROUTES.filter(([, pattern]) => pattern.source === first?.[1].source);
    if (method === "OPTIONS" && matching.length > 0) return { allow: methodsOf(matching) };
    const [, pattern, handle] = matching.find(([one]) => one === method) ?? [];
    if (pattern === undefined || handle === undefined) return noSuchRoute(path, matching);
    const token = c.req.header("X-Api-Key") ?? "";
    if (token === "") return MISSING_KEY;
    const by = call.by(c, token);
    const hasBody = /^(?:POST|PUT|PATCH)$/.test(method);
    // Strangers send no bodies: a wrong key is refused first.
    const me = hasBody ? await by("GET", "/auth/me") : null;
    if (me !== null && me.status !== 200) return refused(me);
    return handle({
      call: by,
      send: async (to, query) => call.send(c, token, "GET", to, { query }),
      name: decoded(pattern.exec(path)?.[1] ?? ""),
      query: new URL(c.req.raw.url).searchParams,
      body: hasBody ? await bodyOf(c) : {},
      defaultHost: new URL(c.env.origin()).host,
      defaultUrl: config.get("features.default_url") || null,
      origin: c.env.origin(),
      signal: c.req.raw.signal,
    });
  }

  async function health(c: HttpContext): Promise<ShlinkReply> {
    const answer: Answer = await call.by(c, "")("GET", "/auth/me");
    const isUp = answer.status < 500;
    const links = { about: "https://shlink.io", project: "https://github.com/shlinkio/shlink" };
    return {
      status: isUp ? 200 : 503,
      type: "application/health+json",
      body: { status: isUp ? "pass" : "fail", version: VERSION, links },
    };
  }

  async function bodyOf(c: HttpContext): Promise<Readonly<Record<string, unknown>>> {
    const reservation = bodies.enter();
    try {
      const source = { request: c.req.raw, arrived: c.req.arrived, reservation, cut: () => c.env.cut() };
      const given = await readJson(source, LONGEST_BODY, true);
      if (typeof given === "object" && given !== null && !Array.isArray(given)) return { ...given };
    } finally {
      reservation.leave();
    }
    throw appError("BadRequest", "The body is not a JSON object.");
  }
}

const MISSING_KEY: Problem = problem(
  401,
  "missing-authentication",
  "Invalid authorization",
  "Send an API token of this server in the header X-Api-Key.",
  { expectedHeaders: ["X-Api-Key"] },
);

/** Without the prefix, and percent-encoded: codes may hold slashes. */
const pathBelow = (c: HttpContext): string =>
  new URL(c.req.raw.url).pathname.replace(/\/{2,}/g, "/").replace(/^\/rest\/v[23]/, "");

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const methodsOf = (routes: readonly Route[]): string =>
  [...new Set([...routes.map(([method]) => method), "OPTIONS"])].join(", ");

function noSuchRoute(path: string, matching: readonly Route[]): ShlinkReply {
  if (UNSUPPORTED.some((pattern) => pattern.test(path)))
    return problem(501, "not-supported", "Not supported", "This server does not delete visits.");
  if (matching.length === 0)
    return problem(404, "not-found", "Not found", "There is nothing at this address.");
  return {
    ...problem(405, "method-not-allowed", "Method not allowed", "This address has other methods."),
    allow: methodsOf(matching),
  };
}

function respondWith(c: HttpContext, reply: ShlinkReply): Response {
  const { status = 204, type = "application/json", body, allow, retryAfter } = reply;
  return c.body(body === undefined ? null : JSON.stringify(body), status, {
    ...(body !== undefined && { "Content-Type": type }),
    ...(allow !== undefined && { Allow: allow }),
    ...(retryAfter && { "Retry-After": retryAfter }),
  });
}
