/** Queries and responses of the reports. */
import { z } from "zod";
import { beside, actorOf, type Caller } from "../../platform/http/endpoint.ts";
import { queryChoice, queryText } from "../../lib/query-text.ts";
import { bothCounts, visitorsQuery, visitorsOf } from "../../lib/visitors.ts";
import { asciiLower } from "../../lib/ascii-lower.ts";
import { languageOf } from "../../lib/accept-language.ts";
import { strictly } from "../../lib/strict-handling.ts";
import { formatRfc3339 } from "../../lib/rfc3339.ts";
import { COMPARISONS, type DateRange, parseDate } from "./range.ts";
import { type ReportBy, REPORTS } from "./report.ts";
import { type ClickFilter, FILTER_VALUES, type FilterValue, type FilterValues } from "./cuts.ts";
import type { Analytics } from "./service.ts";
import { type Calendar, UTC } from "../rollups/calendar.ts";
import { type Unit, UNITS } from "../rollups/time-buckets.ts";
import { chosenQuery, type ChooseLinks } from "../../links/list/chosen.ts";
import { agentPartName } from "../../links/rules/rule.ts";
import { domainQuery } from "../../links/link/link.ts";
import type { Actor } from "../../lib/actor.ts";

function date(meaning: string, other: "start_date" | "end_date") {
  const schema = z
    .string()
    .optional()
    .describe(
      `${meaning}: RFC 3339, or a date, which is its first instant in the time zone of the setting analytics.time_zone. If a date is absent or invalid, the range is the last 30 days; strict handling refuses that`,
    );
  const refusal = (text: unknown, others: Readonly<Record<string, unknown>>) => {
    if (text === "") return null;
    if (parseDate(String(text), UTC) === null) return "must be RFC 3339 or a date such as 2026-11-20";
    return others[other] ? null : `counts only together with ${other}`;
  };
  strictly.set(schema, { refusal });
  return schema;
}
export const rangeQuery = z.object({
  start_date: date("first instant of the range", "end_date"),
  end_date: date("last instant of the range, included", "start_date"),
  ...visitorsQuery,
});
export const limited = (standard: number, maximum: number) =>
  rangeQuery.extend({
    limit: z
      .string()
      .optional()
      .transform((text) => limitOf(text, standard, maximum))
      .describe(`1 to ${maximum}; default ${standard}`)
      .meta({ type: "integer", minimum: 1, maximum }),
  });

const counts = z.array(z.number().int());
export const trendResponse = z.object({
  labels: z.array(z.string()),
  values: counts,
  human_clicks: counts,
  automated_clicks: counts,
  visitors: z
    .array(z.number().int().nullable())
    .optional()
    .describe(
      "unique visitors of each day; of weeks and months visits by day, the sum of their days. null: not known. Absent for hours, with filters of single clicks, and if no day of the range knows them",
    ),
  unknown: z
    .array(z.string())
    .optional()
    .describe(
      "labels of buckets whose clicks are no longer kept so finely, or lack the details of the filter",
    ),
});
trendResponse.register(z.globalRegistry, { id: "Trend" });
export const COMPARED = {
  compared: trendResponse
    .extend({ start_date: z.iso.datetime(), end_date: z.iso.datetime() })
    .optional()
    .describe("with compare: the trend of the range before"),
};
export const compareQuery = {
  compare: queryChoice(
    COMPARISONS,
    "previous: with the range before, as many whole weeks back as it has, so that weekdays meet; year: 52 weeks back; by month: calendar months. It ends as far into its last day as the current day has come, or before that day if its clicks up to that time are no longer known; default: no comparison",
  ),
};
const named = { code: z.string(), domain: z.string().nullable().describe("host; null: the default domain") };
const title = z.string().nullable().describe("of the link; null without one");
export const topResponse = z.array(z.object({ ...named, title, clicks: z.number().int(), ...bothCounts }));
topResponse.element.register(z.globalRegistry, { id: "TopLink" });
const share = { count: z.number().int(), percentage: z.number() };
const counted = { ...share, ...bothCounts };
export const referrersResponse = z.array(z.object({ referrer: z.string(), ...counted }));
referrersResponse.element.register(z.globalRegistry, { id: "Referrer" });
export const geoResponse = z.array(
  z.object({
    country: z.string().describe("ISO 3166-1 alpha-2"),
    city: z.string().nullable(),
    ...counted,
  }),
);
geoResponse.element.register(z.globalRegistry, { id: "Place" });
const distribution = z.array(z.object({ name: z.string(), ...share }));
export const devicesResponse = z.object({
  browsers: distribution,
  operating_systems: distribution,
  devices: distribution.describe("desktop, mobile, tablet, bot and other"),
  bot_percentage: z.number(),
  total_with_ua: z.number().int(),
});
devicesResponse.register(z.globalRegistry, { id: "DeviceReport" });
export const linkResponse = z.object({
  ...named,
  total_clicks: z.number().int().describe("in the range"),
  ...bothCounts,
  visitors: z.number().int().optional().describe("visits by day: the sum of the unique visitors of each day"),
  trend: trendResponse.describe("by day, or as group_by says"),
  top_referrers: referrersResponse.describe("at most 10"),
  geo_distribution: geoResponse.describe("at most 20"),
});
linkResponse.register(z.globalRegistry, { id: "LinkReport" });

export const newestResponse = z.array(
  z.object({
    id: z.number().int(),
    ...named,
    clicked_at: z.string(),
    referrer: z.string(),
    country: z.string().nullable().describe("ISO 3166-1 alpha-2"),
    city: z.string().nullable(),
    browser: z.string().nullable(),
    operating_system: z.string().nullable(),
    device: z.string().nullable(),
    automated: z.boolean(),
  }),
);
newestResponse.element.register(z.globalRegistry, { id: "NewestClick" });

export const reportResponse = z.array(
  z.object({
    value: z.string().describe("as the filter takes it; hours of the week as `Mon 13:00`"),
    domain: z.string().nullable().optional().describe("of a link: host; null: the default domain"),
    title: title.optional(),
    country: z.string().optional().describe("of a city: ISO 3166-1 alpha-2"),
    clicks: z.number().int().describe("of the visitors that the request selects"),
    human: z.number().int(),
    automated: z.number().int(),
    visitors: z
      .number()
      .int()
      .optional()
      .describe(
        "of links and what belongs to them: visits by day, the sum of each link's unique visitors of each day",
      ),
    hosts: z
      .array(
        z.object({
          value: z.string(),
          clicks: z.number().int(),
          human: z.number().int(),
          automated: z.number().int(),
        }),
      )
      .optional()
      .describe("of a site: its referring hosts, at most 20"),
  }),
);
reportResponse.element.register(z.globalRegistry, { id: "ReportRow" });
export const reportTotals = {
  total: z.number().int().describe("the clicks that the report is about"),
  other: z.number().int().describe("those of no row: beyond limit, or without a value"),
  none: z
    .number()
    .int()
    .optional()
    .describe("by what single clicks have: those of other without a value, such as direct ones by site"),
};

export const reportQuery = {
  by: z.enum(REPORTS, `must be one of ${REPORTS.join(", ")}`),
};

export const unitQuery = {
  group_by: z
    .string()
    .optional()
    .describe("default: day")
    .meta({ enum: [...UNITS] }),
};
export const placeQuery = {
  by: queryChoice(["country", "city"], "country: each country once, without its cities; default: city"),
};

/** Anything but a whole number counts as absent. */
function limitOf(text: string | undefined, standard: number, maximum: number): number {
  const trimmed = text?.trim() ?? "";
  return /^-?\d+$/.test(trimmed) ? Math.min(Math.max(Number(trimmed), 1), maximum) : standard;
}

/** What keeps clicks out of a response, so that nobody takes an empty list for a fact. */
export const DETAILS = {
  details: z.literal(false).optional().describe("present while no details of clicks are recorded"),
  details_from: z.iso
    .datetime()
    .optional()
    .describe("present if the range begins before the recorded details: their first instant"),
  details_lost: z
    .number()
    .int()
    .optional()
    .describe(
      "present if details of clicks were lost in the days of the range, because too many came at once or the click log was full: their number, over all links. The clicks are counted",
    ),
  time_zone: z
    .string()
    .optional()
    .describe("zone of days, weeks, months and labels; present unless it is UTC"),
  zone_since: z.iso
    .datetime()
    .optional()
    .describe("present if the range begins before the days of this zone: their first instant"),
};

type NoteDeps = {
  recordsDetails(): boolean;
  /** Clicks of all links in the days of the range whose details were lost. */
  lostDetails(range: DateRange): Promise<number>;
  analytics: Pick<Analytics, "calendar" | "detailsFrom">;
};

/** @param isDetailed the response is about details, whatever the filter */
export const createDetailsNote =
  ({ recordsDetails, lostDetails, analytics }: NoteDeps) =>
  async (
    data: unknown,
    range: DateRange,
    filter: ClickFilter,
    isDetailed: boolean,
    more: { by?: ReportBy; unit?: Unit } & Record<string, unknown> = {},
  ): Promise<unknown> => {
    const { by, unit, ...fields } = more;
    const needs = isDetailed || Object.keys(filter.values ?? {}).length > 0;
    const [calendar, from, lost] = await Promise.all([
      analytics.calendar(),
      analytics.detailsFrom(range, filter, {
        by,
        isSummed: !isDetailed && unit !== "hour",
        useMonths: unit === undefined || unit === "month",
      }),
      needs ? lostDetails(range) : 0,
    ]);
    Object.assign(fields, zoneNote(calendar, range));
    if (needs && !recordsDetails()) fields["details"] = false;
    if (from !== null) fields["details_from"] = formatRfc3339(from);
    if (lost > 0) fields["details_lost"] = lost;
    return Object.keys(fields).length === 0 ? data : beside(data, fields);
  };

type RangeQuery = { start_date?: string | undefined; end_date?: string | undefined };

export const createRangeReader =
  ({ analytics }: { analytics: Pick<Analytics, "range"> }) =>
  ({ start_date, end_date }: RangeQuery): Promise<DateRange> =>
    analytics.range(start_date, end_date);

/** Fields of a response in days of a zone. */
export const zoneNote = ({ zone, since }: Calendar, { start }: DateRange) => ({
  ...(zone !== UTC.zone && { time_zone: zone }),
  ...(since !== null && start < since && { zone_since: formatRfc3339(since) }),
});

const MEANINGS: Record<FilterValue, string> = {
  referrer: "host that linked here",
  site: "site of the referring host, such as facebook.com for l.facebook.com",
  utm_source: "of the request, else of the target",
  utm_medium: "likewise",
  utm_campaign: "likewise",
  utm_term: "likewise",
  utm_content: "likewise",
  language: "the first of Accept-Language",
  channel: "how the visitor came here",
  rule: "number of the rule that decided, from 1",
  country: "ISO 3166-1 alpha-2",
  city: "a city, with country",
  device: "desktop, mobile, tablet, bot or other",
  browser: "a browser",
  os: "an operating system",
};

const valueQuery = Object.fromEntries(
  FILTER_VALUES.map((name) => [
    name,
    queryText(255).optional().describe(`clicks with this value: ${MEANINGS[name]}`),
  ]),
) as Record<FilterValue, z.ZodOptional<z.ZodString>>;

/** An empty text counts as absent. */
export const clickQuery = z.object({ ...chosenQuery, ...valueQuery });
/** The filter of reports on one link. */
export const linkClickQuery = z.object({ ...domainQuery.shape, ...valueQuery });

export type ClickQuery = z.output<typeof clickQuery> & {
  visitors?: "all" | "human" | "automated" | "" | undefined;
};

/** How a filter finds what people write, such as `de` for DE and `iphone` for iOS. */
const STORED_AS: Partial<Record<FilterValue, (text: string) => string>> = {
  country: (text) => text.toUpperCase(),
  language: (text) => languageOf(text) ?? text,
  browser: (text) => agentPartName("browser", text),
  os: (text) => agentPartName("os", text),
  referrer: asciiLower,
  site: asciiLower,
  channel: asciiLower,
};

export function valuesOf(query: { [K in FilterValue]?: string | undefined }): FilterValues {
  return Object.fromEntries(
    FILTER_VALUES.flatMap((name) => {
      const text = query[name]?.trim();
      return text ? [[name, STORED_AS[name]?.(text) ?? text]] : [];
    }),
  );
}

/** @throws LinkNotFound for a link that does not exist for the account, BadRequest */
export const createFilterReader =
  (links: { by(actor: Actor): { chosen: ChooseLinks } }) =>
  async (account: Caller, query: ClickQuery): Promise<ClickFilter> => ({
    visitors: visitorsOf(query),
    links: await links.by(actorOf(account)).chosen(query),
    values: valuesOf(query),
  });
