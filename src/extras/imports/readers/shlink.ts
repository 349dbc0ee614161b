/** Shlink from 3.5 on: version 3 of its REST API, or the CSV file that its web client exports. */
import { z } from "zod";
import { appError } from "../../../lib/errors.ts";
import { openTable } from "./csv.ts";
import { createJsonApi, type JsonApi } from "./json-api.ts";
import {
  type Reader,
  type SourceInput,
  type SourceLink,
  type SourceProblem,
  type SourceVisit,
  tagsCell,
} from "./reader.ts";

const LINKS_AT_ONCE = 50;
const VISITS_AT_ONCE = 500;
/** Places of visits are those of their link times this. */
const MOST_VISITS = 10_000_000;
/** The limit for changes of the number of visits of a link while they are read. */
const MOST_CHANGES = 10_000;
const MOST_LINKS = 100_000_000;

const text = z.string().max(32 * 1024);
const total = z.int().nonnegative();
const shortUrl = z.object({
  shortCode: text,
  longUrl: text,
  dateCreated: text,
  domain: text.nullish(),
  title: text.nullish(),
  tags: z.array(text).max(1_000),
  meta: z.object({ validSince: text.nullish(), validUntil: text.nullish(), maxVisits: z.number().nullish() }),
  crawlable: z.boolean().optional(),
  forwardQuery: z.boolean().optional(),
  hasRedirectRules: z.boolean().optional(),
  visitsSummary: z.object({ total }).optional(),
  visitsCount: total.optional(),
});
const pageOf = (name: string) =>
  z.object({ [name]: z.object({ data: z.array(z.unknown()), pagination: z.object({ totalItems: total }) }) });
const shortUrls = pageOf("shortUrls");
const visits = pageOf("visits");
const visit = z.object({
  date: text,
  referer: text.nullish(),
  userAgent: text.nullish(),
  potentialBot: z.boolean().optional(),
  visitLocation: z.object({ countryCode: text.nullish(), cityName: text.nullish() }).nullish(),
});
const named = z.object({ shortCode: text, domain: text.nullish() });
const ruleText = z.string().max(8_192);
const shlinkRules = z
  .array(
    z.object({
      longUrl: ruleText,
      conditions: z
        .array(z.object({ type: ruleText, matchKey: ruleText.nullish(), matchValue: ruleText.nullish() }))
        .max(100),
    }),
  )
  .max(1_000);
const redirectRules = z.object({ redirectRules: shlinkRules });

type ShortUrl = z.infer<typeof shortUrl>;
type Page = { data: unknown[]; total: number };

async function pageAt(
  api: JsonApi,
  path: string,
  schema: typeof shortUrls,
  name: "shortUrls" | "visits",
): Promise<Page | null> {
  const response = await api(path);
  if (response === null) return null;
  const read = schema.safeParse(response).data?.[name];
  if (read !== undefined) return { data: read.data, total: read.pagination.totalItems };
  throw appError(
    "BadRequest",
    `The response to ${path.slice(0, 200)} is not one of Shlink's API, version 3.`,
  );
}

/** Orders by code: databases order links of one second anew for each page, and some would be missing. */
const linksPage = async (api: JsonApi, page: number, size: number): Promise<Page> => {
  const path = `/short-urls?page=${page}&itemsPerPage=${size}&orderBy=shortCode-ASC`;
  const found = await pageAt(api, path, shortUrls, "shortUrls");
  if (found !== null) return found;
  throw appError(
    "BadRequest",
    "The address has no API of Shlink. Give the one of the server, such as https://s.example.com.",
  );
};

/** Shlink fails with a page after the last one. */
async function* shortUrlsAfter(
  api: JsonApi,
  after: number,
  known: number,
): AsyncGenerator<{ position: number; found: unknown }, void> {
  for (let [position, all] = [after, known]; position < Math.min(all, MOST_LINKS); ) {
    const page = await linksPage(api, Math.floor(position / LINKS_AT_ONCE) + 1, LINKS_AT_ONCE);
    all = page.total;
    const left = page.data.slice(position % LINKS_AT_ONCE, LINKS_AT_ONCE);
    for (const found of left) yield { position: ++position, found };
    if (position < all && (left.length === 0 || page.data.length < LINKS_AT_ONCE))
      throw appError("BadRequest", "The pages of short URLs of Shlink lack some of them.");
  }
}

const pathOf = (
  { shortCode, domain }: { shortCode: string; domain?: string | null | undefined },
  below: string,
  query = "",
) =>
  `/short-urls/${encodeURIComponent(shortCode)}/${below}?${query}${domain ? `&domain=${encodeURIComponent(domain)}` : ""}`;

const countOf = ({ visitsSummary, visitsCount }: ShortUrl): number =>
  visitsSummary?.total ?? visitsCount ?? 0;

async function linkOf(api: JsonApi, found: ShortUrl, position: number): Promise<SourceLink> {
  const { meta } = found;
  const lost: string[] = [];
  if (found.crawlable) lost.push("Shlink lets search engines index it; Waymark does not.");
  let rules = "";
  if (found.hasRedirectRules) {
    const read = redirectRules.safeParse(await api(pathOf(found, "redirect-rules"))).data;
    if (read === undefined) lost.push("Its rules can't be read.");
    else {
      const made = rulesOf(read.redirectRules);
      lost.push(...made.lost);
      if (made.rules.length > 0) rules = JSON.stringify(made.rules);
    }
  }
  return {
    position,
    cells: {
      code: found.shortCode,
      target: found.longUrl,
      created_at: found.dateCreated,
      domain: found.domain ?? "",
      title: found.title ?? "",
      tags: tagsCell(found.tags, lost),
      starts_at: meta.validSince ?? "",
      expires_at: meta.validUntil ?? "",
      max_clicks: meta.maxVisits ? String(meta.maxVisits) : "",
      forward_query: found.forwardQuery ? "true" : "",
      click_count: String(countOf(found)),
      rules,
    },
    ...(lost.length > 0 && { lost }),
  };
}

/** From the oldest: Shlink lists the newest first, and new ones arrive meanwhile. */
async function* visitsOf(
  api: JsonApi,
  found: ShortUrl,
  position: number,
  skip: number,
): AsyncGenerator<SourceVisit | SourceProblem> {
  const { shortCode: code, domain } = found;
  const first = position * MOST_VISITS + 1;
  let [known, changes] = [countOf(found), 0];
  for (let index = skip; index < Math.min(known, MOST_VISITS); ) {
    const number = Math.ceil((known - index) / VISITS_AT_ONCE);
    const path = pathOf(found, "visits", `page=${number}&itemsPerPage=${VISITS_AT_ONCE}`);
    const page = await pageAt(api, path, visits, "visits");
    if (page === null) {
      yield { position: first + index, code, problem: "Its link was deleted while it was read." };
      return;
    }
    if (page.total !== known) {
      if (++changes > MOST_CHANGES)
        throw appError("BadRequest", "The number of visits changes with each response.");
      known = page.total;
      continue;
    }
    const oldest = page.data.slice(0, VISITS_AT_ONCE).toReversed();
    const last = known - (number - 1) * VISITS_AT_ONCE;
    const from = oldest.length - (last - index);
    if (from < 0 || from >= oldest.length)
      throw appError("BadRequest", "The pages of visits of Shlink lack some of them.");
    for (const one of oldest.slice(from)) {
      const read = visit.safeParse(one).data;
      const at = read === undefined ? NaN : Date.parse(read.date);
      if (read === undefined || Number.isNaN(at)) {
        yield { position: first + index++, code, problem: "The visit can't be read." };
        continue;
      }
      yield {
        position: first + index++,
        code,
        ...(domain && { domain }),
        at,
        referrer: read.referer || null,
        userAgent: read.userAgent || null,
        country: read.visitLocation?.countryCode || null,
        city: read.visitLocation?.cityName || null,
        ...(read.potentialBot !== undefined && { automated: read.potentialBot }),
      };
    }
  }
}

async function openApi({ source, key, ...input }: SourceInput) {
  if (!key)
    throw appError("BadRequest", "Shlink asks for an API key. Make one with: shlink api-key:generate");
  const [base = ""] = source.split("/rest/", 1);
  const api = createJsonApi({ ...input, source: `${base}/rest/v3` }, { "X-Api-Key": key });
  const { total: links } = await linksPage(api, 1, 1);
  return {
    size: { links },
    async *links(after: number) {
      for await (const { position, found } of shortUrlsAfter(api, after, links)) {
        const read = shortUrl.safeParse(found).data;
        const code = named.safeParse(found).data?.shortCode ?? "";
        yield read === undefined
          ? { position, code, problem: "The short URL is not as Shlink's API describes it." }
          : await linkOf(api, read, position);
      }
    },
    async *visits(after: number) {
      const link = Math.max(0, Math.floor((after - 1) / MOST_VISITS));
      const skip = after - link * MOST_VISITS;
      for await (const { position, found } of shortUrlsAfter(api, Math.max(0, link - 1), links)) {
        const read = shortUrl.safeParse(found).data;
        if (read !== undefined) yield* visitsOf(api, read, position, position === link ? skip : 0);
      }
    },
  };
}

export const shlink: Reader = {
  title: "Shlink",
  takes: ["address", "file"],
  schemes: ["https", "http"],
  needsKey: true,
  notImported: [
    "Shlink's API does not tell the status of redirects, the redirects of not found URLs, and the addresses of visitors.",
    "Visits of paths that are no short URL (orphan visits) have no link and are not imported.",
    "Shlink's max visits count bots too; those of Waymark count people.",
    "Where a forwarded parameter is in the long URL too, Shlink takes the visitor's value, Waymark the one of the link.",
    "A CSV file of Shlink's web client has no dates of validity, no limits of visits, no rules and no visits; the API has.",
    "Rules by language: Shlink tries all preferred languages of a visitor, Waymark the first.",
  ],
  open: (input) => (/^https?:\/\//i.test(input.source) ? openApi(input) : openTable(input, tagsFromCell)),
};

/** The web client writes `|` between tags. */
const tagsFromCell = (cell: string, lost: string[]): string => tagsCell(cell.split("|"), lost);

type Condition = z.infer<typeof shlinkRules>[number]["conditions"][number];
type Made = Record<string, unknown>;

const DEVICES: Readonly<Record<string, Made>> = {
  android: { os: "Android" },
  ios: { os: "iOS" },
  windows: { os: "Windows" },
  macos: { os: "macOS" },
  linux: { os: "Linux" },
  chromeos: { os: "Chrome OS" },
  mobile: { device: ["mobile", "tablet"] },
  desktop: { device: "desktop" },
};
const BROWSERS: Readonly<Record<string, Made>> = {
  chrome: { browser: "Chrome" },
  firefox: { browser: "Firefox" },
  edge: { browser: "Microsoft Edge" },
  safari: { browser: "Safari" },
  opera: { browser: "Opera" },
};

/** `11.22.*.*` as a range. */
function rangeOf(pattern: string): string {
  const [, kept] = /^(\d{1,3}(?:\.\d{1,3}){0,2})(?:\.\*){1,3}$/.exec(pattern) ?? [];
  if (kept === undefined) return pattern;
  const parts = kept.split(".");
  return `${[...parts, "0", "0", "0"].slice(0, 4).join(".")}/${parts.length * 8}`;
}

/** Returns the condition that means the same, or null if Waymark has none. */
function conditionOf({ type, matchKey, matchValue }: Condition): Made | null {
  const [key, value] = [matchKey ?? "", matchValue ?? ""];
  switch (type) {
    case "device":
      return (Object.hasOwn(DEVICES, value) && DEVICES[value]) || null;
    case "browser":
      return (Object.hasOwn(BROWSERS, value) && BROWSERS[value]) || null;
    case "language":
      return { language: value.replaceAll("_", "-") };
    case "query-param":
      return { query: { [key]: value } };
    case "any-value-query-param":
      return { query: { [key]: true } };
    case "ip-address":
      return { address: rangeOf(value) };
    case "geolocation-country-code":
      return { country: value };
    case "before-date":
      return { before: value };
    case "after-date":
      return { after: value };
    default:
      return null;
  }
}

/** Rules of Shlink as rules of Waymark, where they mean the same. */
function rulesOf(given: z.infer<typeof shlinkRules>): {
  rules: { if: Made; target: string }[];
  lost: string[];
} {
  const rules: { if: Made; target: string }[] = [];
  const lost: string[] = [];
  for (const [at, { longUrl: target, conditions }] of given.entries()) {
    const all: Made = {};
    const wrong = conditions.find((condition) => {
      const made = conditionOf(condition);
      if (made === null) return true;
      const query = made["query"];
      const [name = ""] = Object.keys(made);
      if (query === undefined ? name in all : hasAny(all["query"], Object.keys(query as object))) return true;
      Object.assign(
        all,
        query === undefined
          ? made
          : { query: { ...(all["query"] as object | undefined), ...(query as object) } },
      );
      return false;
    });
    if (wrong !== undefined) {
      lost.push(
        `Rule ${at + 1} has a condition that Waymark can't have beside the others: ${wrong.type.slice(0, 50)}.`,
      );
    } else if (conditions.length > 0) rules.push({ if: all, target });
    else lost.push(`Rule ${at + 1} has no condition.`);
  }
  return { rules, lost };
}

const hasAny = (known: unknown, keys: readonly string[]): boolean =>
  typeof known === "object" && known !== null && keys.some((key) => Object.hasOwn(known, key));
