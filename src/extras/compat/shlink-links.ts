/** Short URLs of Shlink. */
import { AppError } from "../../lib/errors.ts";
import { checkHost } from "../../links/domains/domain.ts";
import type { LinkView } from "../../links/link/link.ts";
import { checkTags, sortedTags } from "../../links/tags/tag.ts";
import { linksFrom, part } from "./call.ts";
import type { ShlinkRequest } from "./shlink-request.ts";
import { invalid, reply, problem, refused, type ShlinkReply } from "./shlink-problems.ts";

const STANDARD_PAGE = 10;
const LARGEST_PAGE = 1_000;
/** With `tagsMode=any` the links of each tag are read, at most so many. */
const MOST_OF_TAG = 500;
/** For `findIfExists` the newest links with the target in them are read, at most so many. */
const MOST_OF_TARGET = 2_000;
const PORTION_OF_TARGET = 100;

export const summaryOf = (total: number, nonBots: number) => ({ total, nonBots, bots: total - nonBots });

export const shortUrlOf = (link: LinkView) => ({
  shortCode: link.code,
  shortUrl: link.short_url,
  longUrl: link.target,
  dateCreated: link.created_at,
  visitsSummary: summaryOf(link.click_count, link.human_clicks),
  // Version 2 has the sum alone.
  visitsCount: link.click_count,
  tags: link.tags,
  meta: { validSince: link.starts_at, validUntil: link.expires_at, maxVisits: link.max_clicks },
  domain: link.domain,
  title: link.title,
  crawlable: false,
  forwardQuery: link.forward_query,
  hasRedirectRules: (link.rules ?? []).length > 0,
});

/** The host as it is stored. @param domain absent, `DEFAULT` or the host of the default domain: that one */
export function domainNamed(
  { defaultHost }: Pick<ShlinkRequest, "defaultHost">,
  domain: unknown,
): string | null {
  if (typeof domain !== "string" || ["", "DEFAULT"].includes(domain)) return null;
  const host = checkHost(domain);
  const stored = typeof host === "string" ? host : domain;
  return stored === defaultHost ? null : stored;
}

const addressOf = (request: ShlinkRequest) => ({
  path: `/links/${part(request.name)}`,
  query: { domain: domainNamed(request, request.query.get("domain")) },
});

const subjectOf = ({ name }: ShlinkRequest) => ({ shortCode: name });

export async function readLink(request: ShlinkRequest): Promise<ShlinkReply> {
  const { path, query } = addressOf(request);
  const read = await request.call("GET", path, { query });
  return read.status === 200 ? reply(shortUrlOf(read.body.data)) : refused(read, subjectOf(request));
}

export async function removeLink(request: ShlinkRequest): Promise<ShlinkReply> {
  const { path, query } = addressOf(request);
  const removed = await request.call("DELETE", path, { query });
  return removed.status === 200 ? {} : refused(removed, subjectOf(request));
}

/** Our field by field of Shlink. `crawlable` has no like here: no robots.txt lists links. */
const FIELDS: Readonly<Record<string, string>> = {
  longUrl: "target",
  title: "title",
  tags: "tags",
  forwardQuery: "forward_query",
  validSince: "starts_at",
  validUntil: "expires_at",
  maxVisits: "max_clicks",
};

const fieldsIn = (body: ShlinkRequest["body"]): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(FIELDS).flatMap(([theirs, ours]) =>
      body[theirs] === undefined ? [] : [[ours, body[theirs]]],
    ),
  );

export async function editLink(request: ShlinkRequest): Promise<ShlinkReply> {
  const { path, query } = addressOf(request);
  const body = fieldsIn(request.body);
  if (Object.keys(body).length === 0) return readLink(request);
  const changed = await request.call("PATCH", path, { query, body });
  return changed.status === 200 ? reply(shortUrlOf(changed.body.data)) : refused(changed, subjectOf(request));
}

export async function createLink(request: ShlinkRequest): Promise<ShlinkReply> {
  const { body } = request;
  const slug = textIn(body["customSlug"]);
  const prefix = textIn(body["pathPrefix"]);
  if (prefix !== "" && slug === "") return invalid("pathPrefix needs a customSlug here.", "pathPrefix");
  const code = prefix + slug;
  const domain = domainNamed(request, body["domain"]);
  const isShared = body["findIfExists"] === true;
  const given = {
    // As in Shlink, unless the request says otherwise.
    forward_query: true,
    ...fieldsIn(body),
    ...(domain !== null && { domain }),
    ...(code !== "" && { code }),
  };
  const existing = isShared ? await findLink(request, given) : null;
  if (existing !== null) return reply(shortUrlOf(existing));
  const made = await request.call("POST", "/links", { body: given });
  if (made.status === 201) return reply(shortUrlOf(made.body.data));
  return refused(made, { ...(code !== "" && { customSlug: code }), ...(domain !== null && { domain }) });
}

const textIn = (value: unknown): string => (typeof value === "string" ? value : "");

/** The newest link that has all that the request gives. */
async function findLink({ call }: ShlinkRequest, given: Record<string, unknown>): Promise<LinkView | null> {
  const { code, domain, ...fields } = given;
  const stored = storedFields(fields);
  if (stored === null || typeof stored["target"] !== "string") return null;
  const { target, tags } = stored;
  const isEqual = (link: LinkView) =>
    Object.entries(stored).every(([name, value]) => {
      const own = (link as Record<string, unknown>)[name];
      if (isUnset(own) || isUnset(value)) return isUnset(own) && isUnset(value);
      if (name === "tags") return sameTags(own, value);
      if (name === "starts_at" || name === "expires_at") return sameInstant(own, value);
      return own === value;
    });
  if (typeof code === "string") {
    const { status, body } = await call("GET", `/links/${part(code)}`, { query: { domain: textIn(domain) } });
    return status === 200 && isEqual(body.data as LinkView) ? body.data : null;
  }
  const tag = Array.isArray(tags) ? tags.filter((one) => typeof one === "string") : [];
  const filter = { search: target.slice(0, 512), domain: textIn(domain), tag };
  for (let start = 0; start < MOST_OF_TARGET; start += PORTION_OF_TARGET) {
    const { links, total } = await linksFrom(call, filter, start, PORTION_OF_TARGET);
    const found = links.find(isEqual);
    if (found !== undefined || start + PORTION_OF_TARGET >= total) return found ?? null;
  }
  return null;
}

/** The fields as a new link would have them; null if it is refused. */
function storedFields(given: Record<string, unknown>): Record<string, unknown> | null {
  const { tags } = given;
  const texts = Object.entries(given).map(([name, value]) => [
    name,
    typeof value === "string" ? value.trim() : value,
  ]);
  const stored = Object.fromEntries(texts) as Record<string, unknown>;
  if (!Array.isArray(tags)) return stored;
  try {
    return { ...stored, tags: checkTags(tags.map(String)) };
  } catch (error) {
    if (error instanceof AppError) return null;
    throw error;
  }
}

const isUnset = (value: unknown): boolean =>
  [null, undefined, "", false].includes(value as null) || (Array.isArray(value) && value.length === 0);
const sameTags = (own: unknown, given: unknown): boolean =>
  Array.isArray(own) && Array.isArray(given) && sortedTags(own).join("\n") === given.join("\n");
const sameInstant = (own: unknown, given: unknown): boolean =>
  Date.parse(String(own)) === Date.parse(String(given));

/** Our order by field of Shlink. Others count as the default. */
const ORDERS: Readonly<Record<string, string>> = {
  dateCreated: "created_at",
  shortCode: "code",
  visits: "click_count",
  nonBotVisits: "human_clicks",
};

export async function listLinks(request: ShlinkRequest): Promise<ShlinkReply> {
  const { call, query } = request;
  const size = pageSizeIn(query, STANDARD_PAGE, LARGEST_PAGE);
  const page = Math.max(1, Math.trunc(Number(query.get("page") ?? 1)) || 1);
  const tags = listIn(query, "tags");
  const notTags = listIn(query, "excludeTags");
  if (notTags.length > 1 && query.get("excludeTagsMode") === "all")
    return invalid("This server leaves out the links that have any of the tags.", "excludeTagsMode");
  const [field, direction] = (query.get("orderBy") ?? "").split("-");
  const domain = query.get("domain");
  const filter = {
    search: query.get("searchTerm"),
    created_after: query.get("startDate"),
    created_before: query.get("endDate"),
    not_tag: notTags,
    domain: domain === null ? "*" : domainNamed(request, domain),
    only_active: query.get("excludePastValidUntil") === "true" ? true : null,
    sort: ORDERS[field ?? ""] ?? "created_at",
    order: direction === "ASC" ? "asc" : "desc",
  };
  const start = (page - 1) * size;
  const isAny = tags.length > 1 && query.get("tagsMode") !== "all";
  const found = isAny
    ? await linksOfAny(request, filter, tags, { start, size })
    : await linksFrom(call, { ...filter, tag: tags }, start, size);
  if (found.refused !== null) return refused(found.refused);
  return reply({ shortUrls: shlinkPage(found.links.map(shortUrlOf), { page, size, total: found.total }) });
}

async function linksOfAny(
  { call }: ShlinkRequest,
  filter: { sort: string; order: string; [name: string]: string | boolean | readonly string[] | null },
  tags: readonly string[],
  { start, size }: { start: number; size: number },
) {
  const byUrl = new Map<string, LinkView>();
  for (const tag of tags.slice(0, 16)) {
    const { links, refused: refusal } = await linksFrom(call, { ...filter, tag }, 0, MOST_OF_TAG);
    if (refusal !== null) return { links: [], total: 0, refused: refusal };
    for (const link of links) byUrl.set(link.short_url, link);
  }
  const name = filter.sort as "created_at" | "code" | "click_count" | "human_clicks";
  const sign = filter.order === "asc" ? 1 : -1;
  const sorted = [...byUrl.values()].sort((a, b) =>
    a[name] < b[name] ? -sign : a[name] > b[name] ? sign : 0,
  );
  return { links: sorted.slice(start, start + size), total: sorted.length, refused: null };
}

export const listIn = (query: URLSearchParams, name: string): string[] => [
  ...query.getAll(`${name}[]`),
  ...query.getAll(name),
];

/** -1 stands for all. */
export function pageSizeIn(query: URLSearchParams, standard: number, most: number): number {
  const size = Math.trunc(Number(query.get("itemsPerPage") ?? standard)) || standard;
  return size < 0 ? most : Math.min(size, most);
}

type Page = { page: number; size: number; total: number };

export const shlinkPage = <T>(data: readonly T[], { page, size, total }: Page) => ({
  data,
  pagination: {
    currentPage: page,
    pagesCount: Math.max(1, Math.ceil(total / size)),
    itemsPerPage: size,
    itemsInCurrentPage: data.length,
    totalItems: total,
  },
});

export async function linkRules(request: ShlinkRequest): Promise<ShlinkReply> {
  const { path, query } = addressOf(request);
  const read = await request.call("GET", path, { query });
  if (read.status !== 200) return refused(read, subjectOf(request));
  const link = read.body.data as LinkView;
  return (link.rules ?? []).length > 0
    ? noRules()
    : reply({ defaultLongUrl: link.target, redirectRules: [] });
}

export async function setRules(request: ShlinkRequest): Promise<ShlinkReply> {
  const rules = request.body["redirectRules"];
  return Array.isArray(rules) && rules.length === 0 ? linkRules(request) : noRules();
}

const noRules = (): ShlinkReply =>
  problem(
    501,
    "not-supported",
    "Not supported",
    "Rules of links are shown and changed in the panel of this server, or by its own API.",
  );
