/** Turns tables of endpoints into routes: guard, body and query by schema, envelope, 405 with Allow. */
import type { Hono, MiddlewareHandler } from "hono";
import { TrieRouter } from "hono/router/trie-router";
import { appError } from "../lib/errors.ts";
import { type Access, type Endpoint, type HttpContext, type HttpEnv, Page } from "./endpoint.ts";
import { type BodyPlace, type BodyRoom, createBodyRoom } from "./body-room.ts";
import { readJsonList } from "./json-list.ts";
import { parseWith, readJson, refuseLongBody } from "./read-body.ts";

export type HttpApp = Hono<HttpEnv>;
export type Guards = Record<Access, MiddlewareHandler<HttpEnv>>;

const JSON_TYPE = { "Content-Type": "application/json; charset=utf-8" };

/** Mounts the endpoints below `prefix`; earlier ones win where two patterns match. */
export function mountEndpoints(
  app: HttpApp,
  prefix: string,
  endpoints: readonly Endpoint[],
  guards: Guards,
  bodies: BodyRoom = createBodyRoom(),
): void {
  const owned = ownedPaths(endpoints);
  for (const entry of endpoints) {
    app.on(entry.method, prefix + entry.path, guards[entry.access], (c) => answer(entry, c, bodies));
    if (owned.get(entry.path)?.at(-1) === entry) app.all(prefix + entry.path, (c) => c.notFound());
  }
}

/** The endpoints of each path that lets no pattern behind it take its other methods. */
function ownedPaths(endpoints: readonly Endpoint[]): Map<string, Endpoint[]> {
  const owners = endpoints.filter((entry) => entry.ownsPath).map(({ path }) => path);
  return new Map(owners.map((path) => [path, endpoints.filter((entry) => entry.path === path)]));
}

async function answer(entry: Endpoint, c: HttpContext, bodies: BodyRoom): Promise<Response> {
  await entry.admit?.(c);
  const query = entry.query ? parseWith(entry.query, c.req.query(), "query") : undefined;
  const place = bodies.enter();
  try {
    const body = await readBody(entry, c, place);
    return enveloped(entry, c, await entry.handle({ c, query, body, place, account: c.get("account") }));
  } finally {
    place.leave();
  }
}

async function readBody(entry: Endpoint, c: HttpContext, place: BodyPlace): Promise<unknown> {
  const source = { request: c.req.raw, place, cut: c.env.cut };
  if (entry.body === undefined) {
    if (entry.form === undefined && entry.rawBody === undefined) refuseLongBody(c.req.raw);
    return undefined;
  }
  const value = entry.list ? await readJsonList(source, entry.list) : await readJson(source, entry.bodyLimit);
  return parseWith(entry.body, value, "body");
}

function enveloped(entry: Endpoint, c: HttpContext, result: unknown): Response {
  if (result instanceof Response) return result;
  const envelope =
    result instanceof Page
      ? { code: 0, message: "OK", data: result.data, pagination: result.pagination }
      : { code: 0, message: "OK", data: result };
  return c.body(JSON.stringify(envelope), entry.status ?? 200, JSON_TYPE);
}

/** What is left after every mounted endpoint: OPTIONS, 405 with `Allow` where the path is known, else 404. */
export function mountRefusals(
  app: HttpApp,
  tables: readonly { prefix: string; endpoints: readonly Endpoint[] }[],
): void {
  const known = new TrieRouter<string>();
  const owned = new Map<string, string[]>();
  for (const { prefix, endpoints } of tables) {
    for (const entry of endpoints) known.add("ALL", prefix + entry.path, entry.method);
    for (const [path, entries] of ownedPaths(endpoints)) {
      owned.set(
        prefix + path,
        entries.map(({ method }) => method),
      );
    }
  }
  app.notFound((c) => {
    const { path } = c.req;
    const methods = new Set(owned.get(path) ?? known.match("ALL", path)[0].map((hit) => hit[0]));
    if (methods.size === 0) throw appError("NotFound", "There is nothing at this address.");
    if (methods.has("GET")) methods.add("HEAD");
    const allow = [...methods.add("OPTIONS")].join(", ");
    if (c.req.method === "OPTIONS") return c.body(null, 204, { Allow: allow });
    throw appError("MethodNotAllowed", `This address takes ${allow}.`, { details: { allow } });
  });
}
