/**
 * The API of YOURLS 1.10 (https://docs.yourls.org/guide/advanced/api.html). A URL that has a link already is answered as
 * YOURLS does since 1.5: `error:url` with that link, but with 200, because most clients read nothing else.
 */
import { codeBelow } from "../../links/fallback/loops.ts";
import { isCodeText } from "../../links/link/code.ts";
import type { LinkView } from "../../links/link/link.ts";
import type { Domains } from "../../links/domains/registry.ts";
import { appError } from "../../lib/errors.ts";
import type { BodyMemory } from "../../platform/http/body-memory.ts";
import type { HttpContext } from "../../platform/http/context.ts";
import { type Answer, type ApiCaller, type Call, linksFrom, part } from "./call.ts";
import { readFields } from "./fields.ts";
import { type YourlsReply, replyResponse } from "./yourls-reply.ts";

export type YourlsDeps = { call: ApiCaller; domains: Domains; bodies: BodyMemory };

type Place = { code: string; domain: string | null };

type YourlsRequest = {
  call: Call;
  /** Empty for a missing field. */
  field(name: string): string;
  /** The domain that the client calls; null: the default one. */
  domain: string | null;
  /** The link that a short URL or a code names; null: none of ours. */
  placeOf(shortUrl: string): Place | null;
};

type Action = (request: YourlsRequest) => Promise<YourlsReply>;

const ALLOWED = "GET, HEAD, POST, OPTIONS";
const NEEDS_FORMAT = "Need either XML or JSON format for stats";
const NOT_FOUND = "Error: short URL not found";
const LONGEST_TITLE = 200;
const MOST_LISTED = 1_000;

const ACTIONS: Readonly<Record<string, Action>> = {
  shorturl: shorten,
  expand,
  "url-stats": statsOfLink,
  stats: listLinks,
  "db-stats": totals,
  version: sayVersion,
};

async function shorten({ call, field, domain }: YourlsRequest): Promise<YourlsReply> {
  const url = withScheme(field("url").trim());
  const keyword = field("keyword").trim();
  if (url === "") return failed("error:nourl", "Missing or malformed URL");
  const title = [...field("title").trim()].slice(0, LONGEST_TITLE).join("");
  const body = {
    target: url,
    ...(domain !== null && { domain }),
    ...(title !== "" && { title }),
    ...(keyword !== "" && { code: keyword }),
    // Only a link with nothing but a target is found again.
    ...(keyword === "" && title === "" && { reuse: true }),
  };
  const made = await call("POST", "/links", { body });
  if (made.status === 409)
    return failed("error:keyword", `Short URL ${keyword} already exists in database or is reserved`);
  if (made.status >= 400) {
    const isKeyword = /^Link(?:InvalidCode|ReservedCode)$/.test(made.body.error ?? "");
    return failure(made, isKeyword ? "error:keyword" : "error:nourl");
  }
  const link = made.body.data as LinkView;
  const row = { keyword: link.code, url: link.target, title: titleOf(link), date: timeOf(link), ip: "" };
  const shown = { title: titleOf(link), shorturl: link.short_url, statusCode: "200", simple: link.short_url };
  if (made.status === 201)
    return { status: "success", code: "", message: `${link.target} added to database`, url: row, ...shown };
  const shortUrl = link.short_url.replace(/^https?:\/\//, "");
  return {
    status: "fail",
    code: "error:url",
    message: `${link.target} already exists in database (short URL: ${shortUrl})`,
    url: { ...row, clicks: String(link.click_count) },
    ...shown,
  };
}

async function expand(request: YourlsRequest): Promise<YourlsReply> {
  const { link, place, refused } = await linkOf(request);
  if (refused !== null) return refused;
  if (link === null) {
    const keyword = place !== null && isCodeText(place.code) ? place.code : "";
    return { keyword, simple: "not found", message: NOT_FOUND, errorCode: "404" };
  }
  return {
    keyword: link.code,
    shorturl: link.short_url,
    longurl: link.target,
    title: titleOf(link),
    simple: link.target,
    message: "success",
    statusCode: "200",
  };
}

async function statsOfLink(request: YourlsRequest): Promise<YourlsReply> {
  const { link, refused } = await linkOf(request);
  if (refused !== null) return refused;
  if (link === null) return { statusCode: "404", message: NOT_FOUND, simple: NEEDS_FORMAT };
  return { statusCode: "200", message: "success", link: rowOf(link), simple: NEEDS_FORMAT };
}

/** The order of links by filter of YOURLS. */
const ORDERS: Readonly<Record<string, { sort: string; order: string }>> = {
  top: { sort: "click_count", order: "desc" },
  bottom: { sort: "click_count", order: "asc" },
  last: { sort: "created_at", order: "desc" },
};

async function listLinks({ call, field }: YourlsRequest): Promise<YourlsReply> {
  const counted = await call("GET", "/stats");
  if (counted.status !== 200) return failure(counted);
  const stats = totalsIn(counted);
  const filter = field("filter");
  const limit = Math.min(wholeNumber(field("limit")), MOST_LISTED);
  const isRandom = filter === "rand" || filter === "random";
  const start = isRandom ? randomStart(stats.total_links, limit) : wholeNumber(field("start"));
  const reply: YourlsReply = { stats, statusCode: "200", simple: NEEDS_FORMAT, message: "success" };
  if (limit === 0) return reply;
  const query = { ...(ORDERS[filter] ?? ORDERS["top"]), domain: "*" };
  const { links, refused } = await linksFrom(call, query, start, limit);
  if (refused !== null) return failure(refused);
  if (links.length === 0) return reply;
  const named = links.map((link, index) => [`link_${index + 1}`, rowOf(link)] as const);
  return { links: Object.fromEntries(named), ...reply };
}

async function totals({ call }: YourlsRequest): Promise<YourlsReply> {
  const counted = await call("GET", "/stats");
  if (counted.status !== 200) return failure(counted);
  return { "db-stats": totalsIn(counted), statusCode: "200", simple: NEEDS_FORMAT, message: "success" };
}

async function sayVersion({ call, field }: YourlsRequest): Promise<YourlsReply> {
  const known = await call("GET", "/auth/me");
  if (known.status !== 200) return failure(known);
  return { version: VERSION, simple: VERSION, ...(field("db") === "1" && { db_version: "507" }) };
}

/** The version of YOURLS whose answers these are. */
const VERSION = "1.10.4";

async function linkOf({ call, field, placeOf }: YourlsRequest) {
  const place = placeOf(field("shorturl").trim());
  const isCode = place !== null && isCodeText(place.code);
  // A token is checked even if no link can have the code.
  const found = isCode
    ? await call("GET", `/links/${part(place.code)}`, { query: { domain: place.domain } })
    : await call("GET", "/auth/me");
  const isRefused = found.status >= 400 && found.status !== 404;
  return {
    place,
    link: isCode && found.status === 200 ? (found.body.data as LinkView) : null,
    refused: isRefused ? failure(found) : null,
  };
}

const failed = (code: string, message: string): YourlsReply => ({
  status: "fail",
  code,
  message,
  errorCode: "400",
  statusCode: "400",
  simple: "",
});

/** A refusal of our API. YOURLS answers 403 to a wrong signature. */
function failure({ status, body, retryAfter }: Answer, code?: string): YourlsReply {
  const message =
    status === 401
      ? "Please log in: signature must be a valid API token of this server."
      : (body.message ?? "");
  if (status === 400 && code !== undefined) return failed(code, message);
  const errorCode = String(status === 401 ? 403 : status);
  return { message, errorCode, simple: message, ...(retryAfter !== null && { retryAfter }) };
}

const titleOf = ({ title, target }: LinkView): string => title ?? target;
const timeOf = ({ created_at }: LinkView): string => created_at.slice(0, 19).replace("T", " ");

const rowOf = (link: LinkView): YourlsReply => ({
  shorturl: link.short_url,
  url: link.target,
  title: titleOf(link),
  timestamp: timeOf(link),
  ip: "",
  clicks: String(link.click_count),
});

const totalsIn = ({ body }: Answer): { total_links: number; total_clicks: number } => ({
  total_links: body.data.total_links,
  total_clicks: body.data.total_clicks,
});

/** As PHP reads it. */
const wholeNumber = (text: string): number => Math.min(Number(/^\s*(\d{1,15})/.exec(text)?.[1] ?? 0), 1e9);
const randomStart = (total: number, limit: number): number =>
  Math.floor(Math.random() * (Math.max(0, total - limit) + 1));

const withScheme = (url: string): string =>
  url === "" || /^[a-z][a-z0-9+.-]*:(?!\d)/i.test(url) ? url : `http://${url}`;

/** Why a request without a usable signature is refused, or null. */
function missingSignature(field: YourlsRequest["field"]): string | null {
  if (field("timestamp") !== "")
    return "Please log in: this server can't check a signature with a timestamp, because it stores no API token in plain text. Send the API token itself as signature, without timestamp.";
  if (field("signature") !== "") return null;
  return field("username") === "" && field("password") === ""
    ? "Please log in: send an API token as signature."
    : "Please log in: this server takes no username and password here. Send an API token as signature.";
}

export function createYourls({ call, domains, bodies }: YourlsDeps) {
  return {
    async respond(c: HttpContext): Promise<Response> {
      const { method } = c.req;
      if (method === "OPTIONS") return c.body(null, 204, { Allow: ALLOWED });
      if (!/^(?:GET|HEAD|POST)$/.test(method))
        throw appError("MethodNotAllowed", `This address allows ${ALLOWED}.`, {
          details: { allow: ALLOWED },
        });
      const fields = await readFields(c, bodies);
      const field = (name: string): string => fields.get(name) ?? "";
      const refused = missingSignature(field);
      if (refused !== null)
        return replyResponse(c, fields, { simple: refused, message: refused, errorCode: "403" });
      const request: YourlsRequest = {
        call: call.by(c, field("signature")),
        field,
        domain: hostedDomain(c),
        placeOf: (shortUrl) => placeOf(c, shortUrl),
      };
      const action = ACTIONS[field("action")] ?? sayUnknown;
      return replyResponse(c, fields, await action(request));
    },
  };

  function hostedDomain(c: HttpContext): string | null {
    const domain = domains.of(c.req.header("Host") ?? null);
    return domain === undefined ? null : domains.hostOf(domain.id);
  }

  function placeOf(c: HttpContext, shortUrl: string): Place | null {
    if (!/^https?:\/\//i.test(shortUrl)) return { code: shortUrl, domain: hostedDomain(c) };
    const key = domains.keyBelow(shortUrl);
    if (key !== null) return domains.nameOf(key);
    const code = codeBelow(c.env.origin(), shortUrl);
    return code === null ? null : { code, domain: null };
  }
}

async function sayUnknown({ call }: YourlsRequest): Promise<YourlsReply> {
  const known = await call("GET", "/auth/me");
  if (known.status !== 200) return failure(known);
  const message = 'Unknown or missing "action" parameter';
  return { errorCode: "400", message, simple: message };
}
