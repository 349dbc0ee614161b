/**
 * Visits of Shlink: the clicks that were recorded in detail, newest first. They are read from the export of our API,
 * as far as they are listed. Orphan visits are requests of codes that lead nowhere,
 * which are counted by code: each has the time of its code's last one.
 */
import { DEFAULT_DOMAIN_NAME } from "../../links/list/chosen.ts";
import type { LinkView } from "../../links/link/link.ts";
import { readCsv } from "../../lib/csv.ts";
import { part } from "./call.ts";
import type { ShlinkRequest } from "./shlink-request.ts";
import { domainNamed, shlinkPage, pageSizeIn, summaryOf } from "./shlink-links.ts";
import { reply, refused, type ShlinkReply } from "./shlink-problems.ts";

/** Older visits are not listed; the sums count them. */
const MOST_VISITS = 20_000;
const LARGEST_PAGE = 5_000;
const LONGEST_ROW = 64 * 1024;

type Visit = {
  code: string;
  domain: string;
  date: string;
  referer: string;
  country: string;
  city: string;
  userAgent: string;
  isBot: boolean;
};

export async function visitSums({ call }: ShlinkRequest): Promise<ShlinkReply> {
  const counted = await call("GET", "/stats");
  if (counted.status !== 200) return refused(counted);
  const { total_clicks, human_clicks } = counted.body.data;
  const orphans = await missingCodes(call, {});
  // Administrators alone see what leads nowhere.
  const rows: Counted[] = orphans.refusal === null ? [...orphans.rows, orphans.further] : [];
  const human = rows.reduce((sum, row) => sum + row.human, 0);
  const all = rows.reduce((sum, row) => sum + row.automated, human);
  return reply({
    visits: {
      nonOrphanVisits: summaryOf(total_clicks, human_clicks),
      orphanVisits: summaryOf(all, human),
      visitsCount: total_clicks,
      orphanVisitsCount: all,
    },
  });
}

type Counted = { human: number; automated: number };
type MissingRow = Counted & { code: string; domain: string | null; seen_at: string };

const MOST_CODES = 1_000;
const NONE: Counted = { human: 0, automated: 0 };

async function missingCodes(call: ShlinkRequest["call"], query: Readonly<Record<string, string>>) {
  const range = { start_date: "1970-01-01", end_date: "9999-12-31", ...query };
  const read = await call("GET", "/analytics/missing", { query: { ...range, limit: String(MOST_CODES) } });
  if (read.status !== 200) return { refusal: refused(read), rows: [], further: NONE };
  const { data, further = NONE } = read.body;
  return { refusal: null, rows: data as MissingRow[], further };
}

export async function orphanVisits(request: ShlinkRequest): Promise<ShlinkReply> {
  const { query, call } = request;
  const type = query.get("type");
  const found = await missingCodes(call, {
    ...(query.get("startDate") && { start_date: query.get("startDate")! }),
    ...(query.get("endDate") && { end_date: query.get("endDate")! }),
  });
  if (found.refusal !== null) return found.refusal;
  const isShown = type === null || type === ORPHAN_TYPE;
  const kinds = query.get("excludeBots") === "true" ? [false] : [false, true];
  const counted = (isShown ? found.rows : [])
    .toSorted((one, other) => (one.seen_at < other.seen_at ? 1 : -1))
    .flatMap((row) => kinds.map((isBot) => ({ row, isBot, count: isBot ? row.automated : row.human })));
  const total = Math.min(
    counted.reduce((sum, { count }) => sum + count, 0),
    MOST_VISITS,
  );
  const { page, size } = pageIn(query);
  const shown: object[] = [];
  let [first, left] = [(page - 1) * size, Math.min(size, total - (page - 1) * size)];
  for (const { row, isBot, count } of counted) {
    const visit = { ...NO_VISIT, code: row.code, domain: row.domain ?? "", date: row.seen_at, isBot };
    for (let nth = first; nth < count && left > 0; nth++, left--)
      shown.push({ ...viewOf(request, visit), type: ORPHAN_TYPE });
    first = Math.max(0, first - count);
  }
  return reply({ visits: shlinkPage(shown, { page, size, total }) });
}

/** Shlink's name for a path that is no short URL. */
const ORPHAN_TYPE = "invalid_short_url";
const NO_VISIT: Visit = {
  code: "",
  domain: "",
  date: "",
  referer: "",
  country: "",
  city: "",
  userAgent: "",
  isBot: false,
};

function pageIn(query: URLSearchParams): { page: number; size: number } {
  const size = pageSizeIn(query, LARGEST_PAGE, LARGEST_PAGE);
  return { page: Math.max(1, Math.trunc(Number(query.get("page") ?? 1)) || 1), size };
}

export const allVisits = (request: ShlinkRequest): Promise<ShlinkReply> => {
  const domain = request.query.get("domain");
  return listVisits(request, domain === null ? {} : { domain: domainFor(request, domain) });
};

/** As reports name a domain. */
const domainFor = (request: ShlinkRequest, host: string | null): string =>
  domainNamed(request, host) ?? DEFAULT_DOMAIN_NAME;

export const visitsOf =
  (about: "link" | "tag" | "domain") =>
  async (request: ShlinkRequest): Promise<ShlinkReply> => {
    const { name, query, call } = request;
    if (about === "tag") return listVisits(request, { tag: name });
    if (about === "domain") return listVisits(request, { domain: domainFor(request, name) });
    const host = query.get("domain");
    const address = { query: { domain: domainNamed(request, host) } };
    const read = await call("GET", `/links/${part(name)}`, address);
    if (read.status !== 200) return refused(read, { shortCode: name });
    return listVisits(request, { code: (read.body.data as LinkView).code, domain: domainFor(request, host) });
  };

async function listVisits(
  request: ShlinkRequest,
  chosen: Readonly<Record<string, string>>,
): Promise<ShlinkReply> {
  const { query, send, signal } = request;
  const { page, size } = pageIn(query);
  const response = await send("/analytics/export", {
    ...chosen,
    start_date: query.get("startDate") || "1970-01-01",
    end_date: query.get("endDate") || "9999-12-31",
    visitors: query.get("excludeBots") === "true" ? "human" : "all",
    columns: "all",
    order: "desc",
  });
  if (response.status !== 200)
    return refused({
      status: response.status,
      body: JSON.parse(await response.text()),
      retryAfter: response.headers.get("Retry-After"),
    });
  const { shown, total } = await newestIn(response, { first: (page - 1) * size, count: size, signal });
  return reply({
    visits: shlinkPage(
      shown.map((visit) => viewOf(request, visit)),
      { page, size, total },
    ),
  });
}

type Part = { first: number; count: number; signal: AbortSignal };

/** A part of the newest visits, and the number of all. Leaves the rest of the response. */
async function newestIn(
  response: Response,
  { first, count, signal }: Part,
): Promise<{ shown: Visit[]; total: number }> {
  const shown: Visit[] = [];
  let total = 0;
  let names: readonly string[] | null = null;
  for await (const text of wholeLines(response)) {
    signal.throwIfAborted();
    for (const record of readCsv(Buffer.from(text), LONGEST_ROW)) {
      if (record === null || record.problem !== null) continue;
      if (names === null) {
        names = record.fields;
        continue;
      }
      if (total >= first && shown.length < count) shown.push(visitIn(names, record.fields));
      total++;
      if (total === MOST_VISITS) return { shown, total };
    }
  }
  return { shown, total };
}

/** Pieces that end with a record: a line break between quotes is text. */
async function* wholeLines({ body }: Response): AsyncGenerator<string, void> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const bytes of body ?? []) {
    rest += decoder.decode(bytes, { stream: true });
    const end = endOfRecords(rest);
    if (end > 0) yield rest.slice(0, end);
    rest = rest.slice(end);
  }
  if (rest !== "") yield rest;
}

function endOfRecords(text: string): number {
  let end = 0;
  let isQuoted = false;
  for (let at = 0; at < text.length; at++) {
    const character = text.charCodeAt(at);
    if (character === 0x22) isQuoted = !isQuoted;
    else if (character === 0x0a && !isQuoted) end = at + 1;
  }
  return end;
}

function visitIn(names: readonly string[], fields: readonly string[]): Visit {
  const field = (name: string): string => fields[names.indexOf(name)] ?? "";
  return {
    code: field("short_code"),
    domain: field("domain"),
    date: field("clicked_at"),
    referer: field("referrer"),
    country: field("country"),
    city: field("city"),
    userAgent: field("user_agent"),
    isBot: field("visitors") === "automated",
  };
}

const countries = new Intl.DisplayNames(["en"], { type: "region", fallback: "none" });

function nameOfCountry(code: string): string {
  try {
    return countries.of(code) ?? code;
  } catch {
    return code;
  }
}

const viewOf = (
  { origin }: ShlinkRequest,
  { code, domain, date, referer, country, city, userAgent, isBot }: Visit,
) => ({
  referer,
  date,
  userAgent,
  visitLocation:
    country === ""
      ? null
      : {
          countryCode: country,
          countryName: nameOfCountry(country),
          regionName: "",
          cityName: city,
          latitude: null,
          longitude: null,
          timezone: "",
          isEmpty: false,
        },
  potentialBot: isBot,
  visitedUrl:
    domain === ""
      ? `${origin}/${code}`
      : `${origin.startsWith("https:") ? "https" : "http"}://${domain}/${code}`,
  redirectUrl: null,
});
