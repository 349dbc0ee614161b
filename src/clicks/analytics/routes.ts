/** The reports. Relative to {admin}/v1. */
import { CSV, csvResponse, csvColumns } from "../../platform/http/csv-response.ts";
import {
  type Endpoint,
  endpoint,
  type Caller,
  type HttpContext,
  actorOf,
} from "../../platform/http/endpoint.ts";
import type { Logger } from "../../lib/logger.ts";
import {
  DETAILS,
  limited,
  createRangeReader,
  rangeQuery,
  referrersResponse,
  reportResponse,
  reportQuery,
  reportTotals,
  createDetailsNote,
  topResponse,
  createFilterReader,
  clickQuery,
  COMPARED,
  compareQuery,
  devicesResponse,
  geoResponse,
  newestResponse,
  placeQuery,
  trendResponse,
  unitQuery,
  type ClickQuery,
  linkResponse,
  linkClickQuery,
  valuesOf,
} from "./schemas.routes.ts";
import type { ClickExport } from "./export.ts";
import { isDetail } from "./report.ts";
import {
  viewOfReferrer,
  viewOfReportRow,
  viewOfTop,
  viewOfDevices,
  viewOfNewest,
  viewOfPlace,
  viewOfCompared,
  viewOfTrend,
  viewOfLinkReport,
} from "./views.ts";
import type { Actor } from "../../lib/actor.ts";
import type { LinkName } from "../../links/domains/registry.ts";
import type { ChooseLinks } from "../../links/list/chosen.ts";
import { unitOf } from "./range.ts";
import type { ClickFilter } from "./cuts.ts";
import type { Analytics } from "./service.ts";
import { visitorsOf } from "../../lib/visitors.ts";
import { CODE_FORM, isCodeText, linkNotFound } from "../../links/link/code.ts";
import { isWholeCode } from "../../links/link/routes.ts";
import { z } from "zod";

type Deps = ReportDeps & {
  clickExport: ClickExport;
  logger: Logger;
};

const shared = { access: "editor", scope: "analytics:read", tag: "analytics" } as const;

const scopeOfAll = (deps: Deps): ReportScope => ({
  shared,
  prefix: "",
  summaries: {
    trends:
      "Clicks of all links by hour, day, week or month of the time zone, at most 10,000 hours or 40,000 days",
    geo: "The countries and cities of the clicks",
    devices: "Browsers, systems and devices, and the share of bots",
    clicks: "The newest clicks with details, without addresses",
  },
  query: clickQuery.shape,
  filterOf: (account, _, query) => createFilterReader(deps.links)(account, query),
});

/** Mount them before `/links/:code{.+}`. */
export function analyticsEndpoints(deps: Deps): Endpoint[] {
  return [
    ...reportEndpoints(deps, scopeOfAll(deps)),
    ...rankingEndpoints(deps),
    ...linkReportEndpoints(deps),
    exportEndpoint(deps),
  ];
}

function rankingEndpoints(deps: Deps): Endpoint[] {
  const { analytics, links } = deps;
  const [filterOf, withNote] = [createFilterReader(links), createDetailsNote(deps)];
  const rangeOf = createRangeReader(deps);
  return [
    endpoint("GET /analytics/report", {
      ...shared,
      summary: "Clicks by a dimension, link, tag, domain, account or hour of the week, most clicks first",
      query: limited(200, 1_000).extend({ ...reportQuery, ...clickQuery.shape }),
      response: reportResponse,
      beside: { ...reportTotals, ...DETAILS },
      async handle({ query, account }) {
        const { by, limit } = query;
        const [filter, range] = [await filterOf(account, query), await rangeOf(query)];
        const { rows, total, other, none } = await analytics.report(by, range, limit, filter);
        const shown = rows.map((row) => viewOfReportRow(by, row, links.domains.nameOf));
        const totals = { total, other, ...(none !== undefined && { none }) };
        return withNote(shown, range, filter, isDetail(by), { by, ...totals });
      },
    }),
    endpoint("GET /analytics/top", {
      ...shared,
      summary: "The links with the most clicks",
      query: limited(10, 100).extend(clickQuery.shape),
      response: topResponse,
      beside: DETAILS,
      async handle({ query, account }) {
        const [filter, range] = [await filterOf(account, query), await rangeOf(query)];
        const found = await analytics.top(range, query.limit, filter);
        const shown = found.map((link) => viewOfTop(link, links.domains.nameOf));
        return withNote(shown, range, filter, false);
      },
    }),
    endpoint("GET /analytics/referrers", {
      ...shared,
      summary: "The referrers of the clicks",
      query: limited(10, 100).extend(clickQuery.shape),
      response: referrersResponse,
      beside: DETAILS,
      async handle({ query, account }) {
        const [filter, range] = [await filterOf(account, query), await rangeOf(query)];
        const found = await analytics.referrers(range, query.limit, filter);
        return withNote(found.map(viewOfReferrer), range, filter, true);
      },
    }),
  ];
}

function exportEndpoint({ analytics, clickExport, links, logger }: Deps): Endpoint {
  const rangeOf = createRangeReader({ analytics });
  return endpoint("GET /analytics/export", {
    ...shared,
    summary:
      "Export the clicks that were recorded in detail as CSV, in order of time; with visitors there is a column for their class",
    query: rangeQuery.extend({
      ...clickQuery.shape,
      order: z
        .enum(["desc", ""], "must be desc")
        .optional()
        .describe("desc: the newest clicks first")
        .meta({ enum: ["desc"] }),
      ...csvColumns(
        "with the columns domain, referrer_host, utm_source and so on, language, channel, rule, user_agent",
      ),
    }),
    raw: CSV,
    async handle({ c, query, account }) {
      const [filter, range] = [await createFilterReader(links)(account, query), await rangeOf(query)];
      const nameOf = query.columns === "all" ? links.domains.nameOf : null;
      const selection = await analytics.selected(filter);
      const visitors = query.visitors ? selection.visitors : null;
      const pages = clickExport.pages(range, selection, visitors, nameOf, query.order || "asc");
      const fileName = clickExport.filename(range, await analytics.calendar());
      const failure = "an analytics export was cut off";
      return csvResponse(c, pages, { fileName, bom: query.bom, failure, logger });
    },
  });
}

export type ReachableLinks = {
  /** @throws LinkNotFound for a link that does not exist for the actor */
  by(actor: Actor): {
    get(key: string): Promise<unknown>;
    /** Resolves with null for a link that does not exist for the actor. */
    find(key: string): Promise<unknown>;
    /** Resolves with null for all links. @throws LinkNotFound likewise, BadRequest */
    chosen: ChooseLinks;
  };
  domains: {
    /** @throws BadRequest for an unknown host */
    key(code: string, host: string | undefined): string;
    nameOf(key: string): LinkName;
  };
};

type ReportDeps = {
  analytics: Analytics;
  links: ReachableLinks;
  /** analytics.enable_detailed_logging */
  recordsDetails(): boolean;
  lostDetails: Parameters<typeof createDetailsNote>[0]["lostDetails"];
};

type Report = "trends" | "geo" | "devices" | "clicks";

type ReportScope = {
  shared: Pick<Endpoint, "access" | "scope" | "tag" | "params">;
  /** How the paths of the reports differ from those of links. Absent: they look like none. */
  besideCodes?(report: Report): {
    ownsPath?: true;
    yields?(asking: { c: HttpContext; account: Caller; query: ClickQuery }): Promise<boolean>;
  };
  /** The part of the paths before `/analytics`. */
  prefix: string;
  summaries: Readonly<Record<Report, string>>;
  /** What chooses links and clicks. */
  query: Partial<typeof clickQuery.shape>;
  /** @throws LinkNotFound, BadRequest */
  filterOf(account: Caller, c: HttpContext, query: ClickQuery): Promise<ClickFilter>;
};

/** The reports that exist for all links and for one. */
function reportEndpoints(deps: ReportDeps, of: ReportScope): Endpoint[] {
  const { analytics, links } = deps;
  const rangeOf = createRangeReader(deps);
  const { prefix, summaries, filterOf } = of;
  const commonOf = (report: Report) => ({ ...of.shared, ...of.besideCodes?.(report) });
  const withNote = createDetailsNote(deps);
  const filterQuery = of.query as typeof clickQuery.shape;
  return [
    endpoint(`GET ${prefix}/analytics/devices`, {
      ...commonOf("devices"),
      summary: summaries.devices,
      query: limited(10, 20).extend(filterQuery),
      response: devicesResponse,
      beside: DETAILS,
      async handle({ c, query, account }) {
        const [filter, range] = [await filterOf(account, c, query), await rangeOf(query)];
        const found = await analytics.devices(range, query.limit, filter);
        return withNote(viewOfDevices(found), range, filter, true);
      },
    }),
    endpoint(`GET ${prefix}/analytics/trends`, {
      ...commonOf("trends"),
      summary: summaries.trends,
      query: rangeQuery.extend({ ...unitQuery, ...compareQuery, ...filterQuery }),
      response: trendResponse,
      beside: { ...DETAILS, ...COMPARED },
      async handle({ c, query, account }) {
        const [filter, range] = [await filterOf(account, c, query), await rangeOf(query)];
        const unit = unitOf(query.group_by);
        const [found, compared] = await Promise.all([
          analytics.trend(range, unit, filter),
          query.compare ? analytics.compared(range, unit, query.compare, filter) : null,
        ]);
        const more = compared === null ? {} : { compared: viewOfCompared(compared) };
        return withNote(viewOfTrend(found), range, filter, false, { unit, ...more });
      },
    }),
    endpoint(`GET ${prefix}/analytics/geo`, {
      ...commonOf("geo"),
      summary: summaries.geo,
      query: limited(20, 100).extend({ ...placeQuery, ...filterQuery }),
      response: geoResponse,
      beside: DETAILS,
      async handle({ c, query, account }) {
        const [filter, range] = [await filterOf(account, c, query), await rangeOf(query)];
        const found = await analytics.places(range, query.limit, filter, query.by || "city");
        return withNote(found.map(viewOfPlace), range, filter, true);
      },
    }),
    endpoint(`GET ${prefix}/analytics/clicks`, {
      ...commonOf("clicks"),
      summary: summaries.clicks,
      query: limited(20, 100).extend(filterQuery),
      response: newestResponse,
      beside: DETAILS,
      async handle({ c, query, account }) {
        const [filter, range] = [await filterOf(account, c, query), await rangeOf(query)];
        const found = await analytics.newest(range, query.limit, filter);
        const shown = found.map((click) => viewOfNewest(click, links.domains.nameOf));
        return withNote(shown, range, filter, true);
      },
    }),
  ];
}

const ofLink = {
  access: "editor",
  scope: "analytics:read",
  tag: "analytics",
  params: { code: z.string().meta(CODE_FORM) },
} as const;

/** The reports on one link, for editors too. */
function linkReportEndpoints(deps: ReportDeps): Endpoint[] {
  const { analytics, links } = deps;
  const withNote = createDetailsNote(deps);
  const rangeOf = createRangeReader(deps);

  /** @throws BadRequest for an unknown domain, LinkNotFound */
  async function keyFor(account: Caller, c: HttpContext, host: string | undefined): Promise<string> {
    const code = c.req.param("code") ?? "";
    if (!isCodeText(code)) throw linkNotFound(code);
    const key = links.domains.key(code, host);
    const actor = actorOf(account);
    if (actor.ownOnly) await links.by(actor).get(key);
    return key;
  }

  const filterOf = async (account: Caller, c: HttpContext, query: ClickQuery) => ({
    visitors: visitorsOf(query),
    key: await keyFor(account, c, query.domain),
    values: valuesOf(query),
  });

  return [
    ...reportEndpoints(deps, {
      shared: ofLink,
      prefix: "/links/:code{.+}",
      summaries: {
        trends: "The clicks of one link by hour, day, week or month of the time zone, at most 10,000 buckets",
        geo: "The countries and cities of one link's clicks",
        devices: "Browsers, systems and devices of one link's clicks",
        clicks: "The newest clicks of one link with details, without addresses",
      },
      query: linkClickQuery.shape,
      filterOf,
      besideCodes: (report) =>
        report === "devices"
          ? { ownsPath: true }
          : { yields: (asking) => isWholeCode(links, asking, `analytics/${report}`) },
    }),
    endpoint("GET /links/:code{.+}/analytics", {
      ...ofLink,
      ownsPath: true,
      summary: "The clicks of one link; write a code that ends in /analytics with %2F",
      query: rangeQuery.extend({ ...unitQuery, ...linkClickQuery.shape }),
      response: linkResponse,
      beside: DETAILS,
      async handle({ c, query, account }) {
        const { key, ...filter } = await filterOf(account, c, query);
        const range = await rangeOf(query);
        const found = await analytics.link(key, range, filter, unitOf(query.group_by));
        return withNote(viewOfLinkReport(found, links.domains.nameOf), range, filter, true);
      },
    }),
  ];
}
