import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { Hono, MiddlewareHandler } from "hono";
import { TrieRouter } from "hono/router/trie-router";
import { z } from "zod";
import { acceptsGzip } from "../../lib/accepts-gzip.ts";
import { strongTagsIn, tagsIn } from "../../lib/conditional-request.ts";
import { appError } from "../../lib/errors.ts";
import { beforeFirstWrite } from "../../lib/first-write.ts";
import { isStrict, refuseIgnored } from "../../lib/strict-handling.ts";
import { validated } from "../../lib/validated.ts";
import { type BodyMemory, createBodyMemory } from "./body-memory.ts";
import {
  Beside,
  type Endpoint,
  type EndpointInput,
  type HttpContext,
  type HttpEnv,
  type Method,
  routeOf,
} from "./endpoint.ts";
import { once, repeatKeyOf, type Repeats } from "./idempotency.ts";
import { readJsonList } from "./json-list.ts";
import { type BodySource, readJson, refuseLongBody } from "./read-body.ts";

const compress = promisify(gzip);
/** Characters. A shorter text fits into a packet. */
const LEAST = 1024;

/**
 * JSON as the body of a response. Responses to reads are compressed for clients that accept it, off the event loop:
 * fifty links need 2 KB instead of 23. Reads return no secret whose length could tell it (BREACH); responses to writes,
 * such as a new token, stay plain.
 */
async function compressedJson(c: HttpContext, text: string, status: 200 | 201): Promise<Response> {
  c.header("Content-Type", "application/json; charset=utf-8");
  const request = c.req.raw;
  if (text.length < LEAST || !["GET", "HEAD"].includes(request.method)) return c.body(text, status);
  c.header("Vary", "Accept-Encoding", { append: true });
  if (!acceptsGzip(request)) return c.body(text, status);
  c.header("Content-Encoding", "gzip");
  return c.body(new Uint8Array(await compress(text)), status);
}

/**
 * Fields of responses that no edit changes: what visitors and time change, addresses, and the text of a token. Edits
 * also change `updated_at`.
 */
const UNEDITED = new Set([
  "click_count",
  "human_clicks",
  "downloads",
  "bytes",
  "files",
  "dead_since",
  "damaged",
  "last_used_at",
  "token",
  "expired",
  "short_url",
  "url",
]);
const PART_CHARACTERS = 22;

const partOf = (text: string): string =>
  createHash("sha256").update(text).digest("base64url").slice(0, PART_CHARACTERS);
const contentPart = (content: unknown): string =>
  partOf(JSON.stringify(content ?? null, (name, value) => (UNEDITED.has(name) ? undefined : value)));

/**
 * The ETag of a single resource (RFC 9110, section 8.8.3), in two parts: `"content.response"`. The first is the hash of
 * what requests change, so that no click, visit or download refuses an edit: If-Match compares it. If-None-Match
 * compares both.
 *
 * @param text of the response
 * @param content the part of it that requests change
 */
const entityTag = (text: string, content: unknown): string => `"${contentPart(content)}.${partOf(text)}"`;

/** Whether the client has this response already. */
function isKnown(c: HttpContext, tag: string): boolean {
  const known = c.req.header("If-None-Match")?.trim();
  return known !== undefined && (known === "*" || tagsIn(known).includes(tag));
}

const isConditional = (c: HttpContext): boolean =>
  c.req.header("If-Match") !== undefined || c.req.header("If-None-Match") !== undefined;

/** `content` as it is now. @throws PreconditionFailed */
function requireMatch(c: HttpContext, content: unknown): void {
  const part = contentPart(content);
  const isOneOf = (tags: string[]) => tags.some((tag) => tag.slice(1).startsWith(`${part}.`));
  const [matching, refused] = [c.req.header("If-Match")?.trim(), c.req.header("If-None-Match")?.trim()];
  if (matching !== undefined && matching !== "*" && !isOneOf(strongTagsIn(matching))) {
    throw appError("PreconditionFailed", "It was changed since you read it. Read it again, then retry.");
  }
  if (refused !== undefined && (refused === "*" || isOneOf(tagsIn(refused)))) {
    throw appError("PreconditionFailed", "It exists as If-None-Match names it; nothing was changed.");
  }
}

export type HttpApp = Hono<HttpEnv>;
/** Admits the accounts that may call the endpoint, and sets the account on the context. */
export type Guard = (
  entry: Pick<Endpoint, "access" | "method" | "path" | "scope">,
) => MiddlewareHandler<HttpEnv>;

/** The first of two matching patterns wins. */
export function mountEndpoints(
  app: HttpApp,
  prefix: string,
  endpoints: readonly Endpoint[],
  guard: Guard,
  { bodies = createBodyMemory(), repeats }: { bodies?: BodyMemory; repeats?: Repeats | undefined } = {},
): void {
  const owners = lastOfOwned(endpoints);
  for (const entry of endpoints) {
    const route = routeOf(prefix, entry);
    const path = prefix + entry.path;
    app.on(
      entry.method,
      path,
      unlessOther(route, guard(entry)),
      unlessOther(route, (c) => respond(entry, c, { bodies, repeats })),
    );
    if (owners.has(entry))
      app.all(
        path,
        unlessOther(route, async (c) => c.notFound()),
      );
  }
}

/** Passes a request by that is for another endpoint. */
const unlessOther =
  (route: string, handler: MiddlewareHandler<HttpEnv>): MiddlewareHandler<HttpEnv> =>
  (c, next) =>
    c.env.route === undefined || c.env.route === route ? handler(c, next) : next();

/** The last endpoint of each path that refuses other methods. */
function lastOfOwned(endpoints: readonly Endpoint[]): Set<Endpoint> {
  const owned = new Set(endpoints.filter((entry) => entry.ownsPath).map(({ path }) => path));
  return new Set([...owned].flatMap((path) => endpoints.findLast((entry) => entry.path === path) ?? []));
}

type ResponseDeps = { bodies: BodyMemory; repeats: Repeats | undefined };

async function respond(
  entry: Endpoint,
  c: HttpContext,
  { bodies, repeats }: ResponseDeps,
): Promise<Response> {
  await entry.admit?.(c);
  c.set("isStrict", isStrict(c.req.header("Prefer")));
  const query = await readQuery(entry, c);
  const key = repeats === undefined ? null : repeatKeyOf(entry, c);
  const digest = key === null ? undefined : createHash("sha256");
  const reservation = bodies.enter();
  try {
    const body = await readBody(entry, c, { reservation, digest });
    const input = { c, query, body, reservation, account: c.get("account") } as EndpointInput<never, never>;
    const run = async () => enveloped(entry, c, await conditional(entry, input));
    if (digest === undefined) return await run();
    return await once(repeats!, { c, key: key!, digest: digest.digest("hex") }, run);
  } finally {
    reservation.leave();
  }
}

async function readQuery({ query: schema }: Endpoint, c: HttpContext): Promise<unknown> {
  const isStrictlyRead = c.get("isStrict") === true;
  if (schema === undefined) {
    if (isStrictlyRead) await refuseIgnored(null, c.req.query());
    return undefined;
  }
  const given = queryOf(c, schema);
  if (isStrictlyRead) await refuseIgnored(schema, given);
  return validated(schema, given, "The query");
}

function queryOf(c: HttpContext, schema: z.ZodType): Record<string, unknown> {
  const query: Record<string, unknown> = c.req.query();
  for (const key of listKeys(schema)) {
    const values = c.req.queries(key);
    if (values !== undefined) query[key] = values;
  }
  return query;
}

function listKeys(schema: z.ZodType): string[] {
  const shape = schema instanceof z.ZodObject ? Object.entries(schema.shape) : [];
  return shape.flatMap(([key, field]) => (isList(field as z.ZodType) ? key : []));
}

const isList = (field: z.ZodType): boolean =>
  field instanceof z.ZodOptional ? isList(field.unwrap() as z.ZodType) : field instanceof z.ZodArray;

type Gathering = Pick<BodySource, "reservation" | "digest">;

async function readBody(entry: Endpoint, c: HttpContext, gathering: Gathering): Promise<unknown> {
  const source = { request: c.req.raw, ...gathering, cut: () => c.env.cut() };
  if (entry.body === undefined) {
    if (entry.form === undefined && entry.rawBody === undefined) refuseLongBody(c.req.raw);
    return undefined;
  }
  const value = entry.list
    ? await readJsonList(source, entry.list)
    : await readJson(source, entry.bodyLimit, entry.optionalBody);
  if (c.get("isStrict")) await refuseIgnored(entry.body, value);
  return validated(entry.body, value, "The body");
}

/** A condition holds in the transaction that writes. */
function conditional(entry: Endpoint, input: EndpointInput<never, never>): unknown {
  const { locked } = entry;
  if (locked === undefined || !isConditional(input.c)) return entry.handle(input);
  const check = async (tx: unknown) => requireMatch(input.c, await locked(input, tx as never));
  return beforeFirstWrite(check, async () => entry.handle(input)).result;
}

async function enveloped(entry: Endpoint, c: HttpContext, result: unknown): Promise<Response> {
  if (result instanceof Response) return result;
  const text = JSON.stringify({ code: 0, message: "OK", ...contentOf(result) });
  if (entry.tagged !== undefined) {
    const content = entry.tagged === true ? result : Reflect.get(Object(result), entry.tagged);
    const tag = entityTag(text, content);
    c.header("ETag", tag);
    if (entry.method === "GET" && isKnown(c, tag)) return c.body(null, 304);
  }
  return compressedJson(c, text, entry.status ?? 200);
}

function contentOf(result: unknown): object {
  return result instanceof Beside ? { data: result.data, ...result.fields } : { data: result };
}

const METHODS: readonly Method[] = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

/** Handles the rest: OPTIONS, 405 with `Allow` on a known path, else 404. */
export function mountRefusals(
  app: HttpApp,
  tables: readonly { prefix: string; endpoints: readonly Endpoint[] }[],
): void {
  // The first match decides whether the method is allowed.
  const router = new TrieRouter<boolean>();
  for (const { prefix, endpoints } of tables) {
    const owners = lastOfOwned(endpoints);
    for (const entry of endpoints) {
      router.add(entry.method, prefix + entry.path, true);
      if (owners.has(entry)) router.add("ALL", prefix + entry.path, false);
    }
  }
  const takes = (method: Method, path: string): boolean => router.match(method, path)[0][0]?.[0] ?? false;
  app.notFound((c) => {
    const methods: string[] = METHODS.filter((method) => takes(method, c.req.path));
    if (methods.length === 0) throw appError("NotFound", "There is nothing at this address.");
    if (methods[0] === "GET") methods.splice(1, 0, "HEAD");
    if (!methods.includes("OPTIONS")) methods.push("OPTIONS");
    const allow = methods.join(", ");
    if (c.req.method === "OPTIONS") return c.body(null, 204, { Allow: allow });
    throw appError("MethodNotAllowed", `This address allows ${allow}.`, { details: { allow } });
  });
}
