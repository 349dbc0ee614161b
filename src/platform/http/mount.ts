import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { TrieRouter } from "hono/router/trie-router";
import { z } from "zod";
import { acceptsGzip } from "../../lib/accepts-gzip.ts";
import { appError } from "../../lib/errors.ts";
import { beforeFirstWrite } from "../../lib/first-write.ts";
import { isStrict, refuseIgnored } from "../../lib/strict-handling.ts";
import { validated } from "../../lib/validated.ts";
import type { BodyMemory } from "./body-memory.ts";
import type { HttpContext, PathParams } from "./context.ts";
import {
  Beside,
  type Endpoint,
  type EndpointInput,
  type Method,
  type PathInput,
  routeOf,
} from "./endpoint.ts";
import { conditionsOf, entityTag, isKnown, requireMatch } from "./entity-tag.ts";
import { once, repeatKeyOf, type Repeats } from "./idempotency.ts";
import { readJsonList } from "./json-list.ts";
import { type BodySource, readJson, refuseLongBody } from "./read-body.ts";

const compress = promisify(gzip);
/** Characters. A shorter text fits into a packet. */
const LEAST = 1024;
const JSON_TYPE = { "Content-Type": "application/json; charset=utf-8" };

/**
 * JSON as the body of a response. Responses to reads are compressed for clients that accept it, off the event loop:
 * fifty links need 2 KB instead of 23. Reads return no secret whose length could tell it (BREACH); responses to writes,
 * such as a new token, stay plain.
 */
function compressedJson(c: HttpContext, text: string, status: 200 | 201 | 202): Response | Promise<Response> {
  const isRead = c.req.method === "GET" || c.req.method === "HEAD";
  if (text.length < LEAST || !isRead) return c.body(text, status, JSON_TYPE);
  const fields = { ...JSON_TYPE, Vary: "Accept-Encoding" };
  if (!acceptsGzip(c.req.header("Accept-Encoding"))) return c.body(text, status, fields);
  return compress(text).then((bytes) => c.body(bytes, status, { ...fields, "Content-Encoding": "gzip" }));
}

/** Admits the accounts that may call the endpoint, and sets the account on the context. */
export type Guard = (
  entry: Pick<Endpoint, "access" | "method" | "path" | "scope">,
) => (c: HttpContext) => void | Promise<void>;

export type EndpointTable = { prefix: string; endpoints: readonly Endpoint[]; guard: Guard };

type MountDeps = { bodies: BodyMemory; repeats: Repeats | undefined };

/** An endpoint where it is mounted. */
type Mounted = {
  /** As `routeOf` names it. */
  route: string;
  /** @param next of the next pattern that matches the path, if there is one */
  respond(c: HttpContext, next?: () => Promise<Response>): Promise<Response>;
};
/** Null: refuses the methods that the path does not have. */
type Found = [mounted: Mounted | null, params: PathParams];

/** The first of two matching patterns wins. */
export function mountEndpoints(tables: readonly EndpointTable[], deps: MountDeps) {
  const router = new TrieRouter<Mounted | null>();
  for (const { prefix, endpoints, guard } of tables) {
    const owners = lastOfOwned(endpoints);
    for (const entry of endpoints) {
      const path = prefix + entry.path;
      router.add(
        entry.method,
        path,
        mount(entry, { ...deps, route: routeOf(prefix, entry), guard: guard(entry) }),
      );
      if (owners.has(entry)) router.add("ALL", path, null);
    }
  }
  const match = (method: string, path: string) => router.match(method, path)[0] as Found[];
  const takes = (method: Method, path: string): boolean => Boolean(match(method, path)[0]?.[0]);

  /** Handles the rest: OPTIONS, 405 with `Allow` on a known path, else 404. */
  function refuse(c: HttpContext): Response {
    const methods: string[] = METHODS.filter((method) => takes(method, c.req.path));
    if (methods.length === 0) throw appError("NotFound", "There is nothing at this address.");
    if (methods[0] === "GET") methods.splice(1, 0, "HEAD");
    if (!methods.includes("OPTIONS")) methods.push("OPTIONS");
    const allow = methods.join(", ");
    if (c.req.method === "OPTIONS") return c.body(null, 204, { Allow: allow });
    throw appError("MethodNotAllowed", `This address allows ${allow}.`, { details: { allow } });
  }

  return {
    respond(c: HttpContext): Response | Promise<Response> {
      const { route } = c.env;
      const method = c.req.method === "HEAD" ? "GET" : c.req.method;
      const all = match(method, c.req.path);
      const [first, second] = route === undefined ? all : all.filter(([one]) => one?.route === route);
      const respondAs = ([mounted, params]: Found, next?: () => Promise<Response>) => {
        c.req.params = params;
        return mounted!.respond(c, next);
      };
      if (!first?.[0]) return refuse(c);
      return respondAs(first, second?.[0] ? () => respondAs(second) : undefined);
    },
  };
}

/** The last endpoint of each path that refuses other methods. */
function lastOfOwned(endpoints: readonly Endpoint[]): Set<Endpoint> {
  const owned = new Set(endpoints.filter((entry) => entry.ownsPath).map(({ path }) => path));
  return new Set([...owned].flatMap((path) => endpoints.findLast((entry) => entry.path === path) ?? []));
}

type Mounting = MountDeps & { route: string; guard: ReturnType<Guard> };

function mount(entry: Endpoint, { bodies, repeats, route, guard }: Mounting): Mounted {
  const lists = entry.query === undefined ? [] : listKeys(entry.query);
  return {
    route,
    async respond(c, next) {
      const guarded = guard(c);
      if (guarded !== undefined) await guarded;
      const admitted = entry.admit?.(c);
      if (admitted !== undefined) await admitted;
      c.set("isStrict", isStrict(c.req.header("Prefer")));
      const query = await readQuery(entry, c, lists);
      if (next !== undefined && entry.yields !== undefined) {
        const asking = { c, query, account: c.get("account") } as PathInput<never>;
        if (await entry.yields(asking)) return next();
      }
      const key = repeats === undefined ? null : repeatKeyOf(entry, c);
      const digest = key === null ? undefined : createHash("sha256");
      const reservation = bodies.enter();
      try {
        const body = await readBody(entry, c, { reservation, digest });
        const input = { c, query, body, reservation, account: c.get("account") } as EndpointInput<
          never,
          never
        >;
        const run = async () => enveloped(entry, c, await conditional(entry, input));
        if (digest === undefined) return await run();
        return await once(repeats!, { c, key: key!, digest: digest.digest("hex") }, run);
      } finally {
        reservation.leave();
      }
    },
  };
}

/** @param lists names that take all their values */
function readQuery({ query: schema }: Endpoint, c: HttpContext, lists: readonly string[]): unknown {
  const isStrictlyRead = c.get("isStrict") === true;
  if (schema === undefined && !isStrictlyRead) return undefined;
  const given = c.req.query(lists);
  const read = () => schema && validated(schema, given, "The query");
  return isStrictlyRead ? refuseIgnored(schema ?? null, given).then(read) : read();
}

function listKeys(schema: z.ZodType): string[] {
  const shape = schema instanceof z.ZodObject ? Object.entries(schema.shape) : [];
  return shape.flatMap(([key, field]) => (isList(field as z.ZodType) ? key : []));
}

const isList = (field: z.ZodType): boolean =>
  field instanceof z.ZodOptional ? isList(field.unwrap() as z.ZodType) : field instanceof z.ZodArray;

type Gathering = Pick<BodySource, "reservation" | "digest">;

async function readBody(entry: Endpoint, c: HttpContext, gathering: Gathering): Promise<unknown> {
  if (entry.body === undefined) {
    if (entry.form === undefined && entry.rawBody === undefined) refuseLongBody(c.req);
    return undefined;
  }
  const { req, env } = c;
  const source: BodySource = {
    ...gathering,
    get request() {
      return req.raw;
    },
    arrived: req.arrived,
    cut: () => env.cut(),
  };
  const value = entry.list
    ? await readJsonList(source, entry.list)
    : await readJson(source, entry.bodyLimit, entry.optionalBody);
  if (c.get("isStrict")) await refuseIgnored(entry.body, value);
  return validated(entry.body, value, "The body");
}

/** A condition holds in the transaction that writes. */
function conditional(entry: Endpoint, input: EndpointInput<never, never>): unknown {
  const { locked } = entry;
  const conditions = locked === undefined ? null : conditionsOf(input.c);
  if (locked === undefined || conditions === null) return entry.handle(input);
  const check = async (tx: unknown) => requireMatch(conditions, await locked(input, tx as never));
  return beforeFirstWrite(check, async () => entry.handle(input)).result;
}

async function enveloped(entry: Endpoint, c: HttpContext, result: unknown): Promise<Response> {
  if (result instanceof Response) return result;
  const text = JSON.stringify({ code: 0, message: "OK", ...contentOf(result) });
  if (entry.tagged !== undefined) {
    const own = result instanceof Beside ? result.data : result;
    const content = entry.tagged === true ? own : Reflect.get(Object(own), entry.tagged);
    const tag = entityTag(text, content);
    c.header("ETag", tag);
    if (entry.method === "GET" && isKnown(c, tag)) return c.body(null, 304);
  }
  const status = (result instanceof Beside ? result.status : undefined) ?? entry.status ?? 200;
  return compressedJson(c, text, status);
}

function contentOf(result: unknown): object {
  return result instanceof Beside ? { data: result.data, ...result.fields } : { data: result };
}

const METHODS: readonly Method[] = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
