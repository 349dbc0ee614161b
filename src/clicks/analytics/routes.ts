import { z } from "zod";
import {
  actorOf,
  beside,
  type Caller,
  type Endpoint,
  endpoint,
  type HttpContext,
} from "../../http/endpoint.ts";
import { streamPages } from "../../http/stream-pages.ts";
import type { Actor } from "../../lib/actor.ts";
import type { Logger } from "../../lib/logger.ts";
import { bothCounts, visitorsOf, visitorsQuery } from "../../lib/visitors.ts";
import type { ClickExport } from "./export.ts";
import { type DateRange, parseRange, unitOf } from "./range.ts";
import type { Analytics } from "./service.ts";
import {
  viewOfDevices,
  viewOfLinkReport,
  viewOfPlace,
  viewOfReferrer,
  viewOfTop,
  viewOfTrend,
} from "./views.ts";
import { CODE_FORM, isCodeText, linkNotFound } from "../../links/code.ts";
import type { LinkName } from "../../links/domains/registry.ts";
import { domainQuery } from "../../links/link.ts";
import { UNITS } from "../rollups/time-buckets.ts";

export type ReachableLinks = {
  /** @throws LinkNotFound for a link that does not exist for the actor */
  by(actor: Actor): { get(key: string): Promise<unknown> };
  domains: {
    /** @throws BadRequest for an unknown host */
    key(code: string, host: string | undefined): string;
    nameOf(key: string): LinkName;
  };
};

type Deps = {
  analytics: Analytics;
  links: ReachableLinks;
  clickExport: ClickExport;
  /** analytics.enable_detailed_logging */
  recordsDetails(): boolean;
  now(): number;
  logger: Logger;
};

const date = (meaning: string) =>
  z
    .string()
    .optional()
    .describe(
      `${meaning}: RFC 3339, or a date, which is its first instant in UTC. If a date is absent or invalid, the range is the last 30 days`,
    );
const range = z.object({
  start_date: date("first instant of the range"),
  end_date: date("last instant of the range, included"),
  ...visitorsQuery,
});
const limited = (standard: number, maximum: number) =>
  range.extend({
    limit: z
      .string()
      .optional()
      .transform((text) => limitOf(text, standard, maximum))
      .describe(`1 to ${maximum}; default ${standard}`)
      .meta({ type: "integer", minimum: 1, maximum }),
  });

const counts = z.array(z.number().int());
const trendAnswer = z.object({
  labels: z.array(z.string()),
  values: counts,
  human_clicks: counts,
  automated_clicks: counts,
});
trendAnswer.register(z.globalRegistry, { id: "Trend" });
const named = { code: z.string(), domain: z.string().nullable().describe("host; null: the default domain") };
const topAnswer = z.array(z.object({ ...named, clicks: z.number().int(), ...bothCounts }));
topAnswer.element.register(z.globalRegistry, { id: "TopLink" });
const share = { count: z.number().int(), percentage: z.number() };
const counted = { ...share, ...bothCounts };
const referrersAnswer = z.array(z.object({ referrer: z.string(), ...counted }));
referrersAnswer.element.register(z.globalRegistry, { id: "Referrer" });
const geoAnswer = z.array(
  z.object({
    country: z.string().describe("ISO 3166-1 alpha-2"),
    city: z.string().nullable(),
    ...counted,
  }),
);
geoAnswer.element.register(z.globalRegistry, { id: "Place" });
const distribution = z.array(z.object({ name: z.string(), ...share }));
const devicesAnswer = z.object({
  browsers: distribution,
  operating_systems: distribution,
  devices: distribution.describe("desktop, mobile, tablet, bot and other"),
  bot_percentage: z.number(),
  total_with_ua: z.number().int(),
});
devicesAnswer.register(z.globalRegistry, { id: "DeviceReport" });
const linkAnswer = z.object({
  ...named,
  total_clicks: z.number().int().describe("in the range"),
  ...bothCounts,
  trend: trendAnswer.describe("by day"),
  top_referrers: referrersAnswer.describe("at most 10"),
  geo_distribution: geoAnswer.describe("at most 20"),
});
linkAnswer.register(z.globalRegistry, { id: "LinkReport" });

const params = { code: z.string().meta(CODE_FORM) };
const shared = { method: "GET", access: "admin", scope: "analytics:read", tag: "analytics" } as const;
const ofLink = { ...shared, access: "editor", params, ownsPath: true } as const;

/** Relative to {admin}/v1. Mount them before `/links/:code{.+}`. */
export function analyticsEndpoints(deps: Deps): Endpoint[] {
  return [...totalEndpoints(deps), ...linkEndpoints(deps), exportEndpoint(deps)];
}

function totalEndpoints(deps: Deps): Endpoint[] {
  const { analytics, links, now } = deps;
  const detailed = detailedBy(deps);
  return [
    endpoint({
      ...shared,
      path: "/analytics/trends",
      summary: "Clicks of all links by hour, day, week or month in UTC, at most 10,000 buckets",
      query: range.extend({
        group_by: z
          .string()
          .optional()
          .describe("default: day")
          .meta({ enum: [...UNITS] }),
      }),
      answer: trendAnswer,
      handle: async ({ query }) =>
        viewOfTrend(await analytics.trend(rangeOf(query, now()), unitOf(query.group_by), visitorsOf(query))),
    }),
    endpoint({
      ...shared,
      path: "/analytics/top",
      summary: "The links with the most clicks",
      query: limited(10, 100),
      answer: topAnswer,
      async handle({ query }) {
        const found = await analytics.top(rangeOf(query, now()), query.limit, visitorsOf(query));
        return found.map((link) => viewOfTop(link, links.domains.nameOf));
      },
    }),
    endpoint({
      ...shared,
      path: "/analytics/referrers",
      summary: "The referrers of the clicks",
      query: limited(10, 100),
      answer: referrersAnswer,
      beside: DETAILS,
      async handle({ query }) {
        const found = await analytics.referrers(rangeOf(query, now()), query.limit, visitorsOf(query));
        return detailed(found.map(viewOfReferrer));
      },
    }),
    endpoint({
      ...shared,
      path: "/analytics/geo",
      summary: "The countries and cities of the clicks",
      query: limited(20, 100),
      answer: geoAnswer,
      beside: DETAILS,
      async handle({ query }) {
        const found = await analytics.places(rangeOf(query, now()), query.limit, visitorsOf(query));
        return detailed(found.map(viewOfPlace));
      },
    }),
    endpoint({
      ...shared,
      path: "/analytics/devices",
      summary: "Browsers, systems and devices, and the share of bots",
      query: limited(10, 20),
      answer: devicesAnswer,
      beside: DETAILS,
      async handle({ query }) {
        const found = await analytics.devices(rangeOf(query, now()), query.limit, visitorsOf(query));
        return detailed(viewOfDevices(found));
      },
    }),
  ];
}

function linkEndpoints(deps: Deps): Endpoint[] {
  const { analytics, links, now } = deps;
  const detailed = detailedBy(deps);

  /** @throws BadRequest for an unknown domain, LinkNotFound */
  async function keyFor(account: Caller, c: HttpContext, host: string | undefined): Promise<string> {
    const code = c.req.param("code") ?? "";
    if (!isCodeText(code)) throw linkNotFound(code);
    const key = links.domains.key(code, host);
    const actor = actorOf(account);
    if (actor.ownOnly) await links.by(actor).get(key);
    return key;
  }

  return [
    endpoint({
      ...ofLink,
      path: "/links/:code{.+}/analytics/devices",
      summary: "Browsers, systems and devices of one link's clicks",
      query: limited(10, 20).extend(domainQuery.shape),
      answer: devicesAnswer,
      beside: DETAILS,
      async handle({ c, query, account }) {
        const key = await keyFor(account, c, query.domain);
        const { limit } = query;
        const found = await analytics.linkDevices(key, rangeOf(query, now()), limit, visitorsOf(query));
        return detailed(viewOfDevices(found));
      },
    }),
    endpoint({
      ...ofLink,
      path: "/links/:code{.+}/analytics",
      summary: "The clicks of one link; write a code that ends in /analytics with %2F",
      query: range.extend(domainQuery.shape),
      answer: linkAnswer,
      beside: DETAILS,
      async handle({ c, query, account }) {
        const key = await keyFor(account, c, query.domain);
        const found = await analytics.link(key, rangeOf(query, now()), visitorsOf(query));
        return detailed(viewOfLinkReport(found, links.domains.nameOf));
      },
    }),
  ];
}

function exportEndpoint({ clickExport, links, now, logger }: Deps): Endpoint {
  return endpoint({
    ...shared,
    path: "/analytics/export",
    summary:
      "Export the clicks that were recorded in detail as CSV, in order of time; with visitors there is a column for their class",
    query: range.extend({
      columns: z
        .enum(["all", ""], "takes all")
        .optional()
        .describe("all: with the column domain")
        .meta({ enum: ["all"] }),
    }),
    raw: { type: "text/csv", headers: z.object({ "Content-Disposition": z.string() }) },
    async handle({ c, query }) {
      const asked = rangeOf(query, now());
      const requestId = c.get("requestId");
      c.env.liftIdleTimeout();
      const nameOf = query.columns === "all" ? links.domains.nameOf : null;
      const pages = clickExport.pages(asked, query.visitors || null, nameOf);
      const body = await streamPages(pages, {
        onFailure: (err) => logger.warn({ err, requestId }, "an analytics export was cut off"),
        cut: () => c.env.cut(),
      });
      return new Response(body, {
        headers: {
          "Content-Type": "text/csv; charset=utf-8",
          "Content-Disposition": `attachment; filename="${clickExport.filename(asked)}"`,
        },
      });
    },
  });
}

/** Tells that details are off, so that nobody takes an empty list for a fact. */
const DETAILS = {
  details: z.literal(false).optional().describe("present while no details of clicks are recorded"),
};
const detailedBy =
  ({ recordsDetails }: Pick<Deps, "recordsDetails">) =>
  (data: unknown): unknown =>
    recordsDetails() ? data : beside(data, { details: false });

const rangeOf = (
  query: { start_date?: string | undefined; end_date?: string | undefined },
  now: number,
): DateRange => parseRange(query.start_date, query.end_date, now);

/** Anything but a whole number counts as absent. */
function limitOf(text: string | undefined, standard: number, maximum: number): number {
  const trimmed = text?.trim() ?? "";
  return /^-?\d+$/.test(trimmed) ? Math.min(Math.max(Number(trimmed), 1), maximum) : standard;
}
