/** The reports. Relative to {admin}/v1. */
import { CSV, csvResponse, csvColumns } from "../../platform/http/csv-response.ts";
import { type Endpoint, endpoint } from "../../platform/http/endpoint.ts";
import type { Logger } from "../../lib/logger.ts";
import {
  DETAILS,
  limited,
  rangeOf,
  rangeQuery,
  referrersResponse,
  reportResponse,
  reportQuery,
  reportTotals,
  tellingDetails,
  topResponse,
} from "./answers.routes.ts";
import type { ClickExport } from "./export.ts";
import { askedBy, clickQuery } from "./filter.routes.ts";
import { linkReportEndpoints } from "./link.routes.ts";
import { type ReportDeps, reportEndpoints, type ReportScope } from "./reports.routes.ts";
import { isDetail } from "./report.ts";
import { viewOfReferrer, viewOfReportRow, viewOfTop } from "./views.ts";

type Deps = ReportDeps & {
  clickExport: ClickExport;
  logger: Logger;
};

const shared = { access: "editor", scope: "analytics:read", tag: "analytics" } as const;

const scopeOfAll = (deps: Deps): ReportScope => ({
  shared,
  prefix: "",
  summaries: {
    trends: "Clicks of all links by hour, day, week or month in UTC, at most 10,000 buckets",
    geo: "The countries and cities of the clicks",
    devices: "Browsers, systems and devices, and the share of bots",
    clicks: "The newest clicks with details, without addresses",
  },
  query: clickQuery.shape,
  askedOf: (account, _, query) => askedBy(deps.links)(account, query),
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
  const { analytics, links, now } = deps;
  const [askedOf, told] = [askedBy(links), tellingDetails(deps)];
  return [
    endpoint("GET /analytics/report", {
      ...shared,
      summary: "Clicks by a dimension, link, tag, domain, account or hour of the week, most clicks first",
      query: limited(200, 1_000).extend({ ...reportQuery, ...clickQuery.shape }),
      response: reportResponse,
      beside: { ...reportTotals, ...DETAILS },
      async handle({ query, account }) {
        const { by, limit } = query;
        const [asked, range] = [await askedOf(account, query), rangeOf(query, now())];
        const { rows, total, other } = await analytics.report(by, range, limit, asked);
        const shown = rows.map((row) => viewOfReportRow(by, row, links.domains.nameOf));
        return told(shown, range, asked, isDetail(by), { by, total, other });
      },
    }),
    endpoint("GET /analytics/top", {
      ...shared,
      summary: "The links with the most clicks",
      query: limited(10, 100).extend(clickQuery.shape),
      response: topResponse,
      beside: DETAILS,
      async handle({ query, account }) {
        const [asked, range] = [await askedOf(account, query), rangeOf(query, now())];
        const found = await analytics.top(range, query.limit, asked);
        const shown = found.map((link) => viewOfTop(link, links.domains.nameOf));
        return told(shown, range, asked, false);
      },
    }),
    endpoint("GET /analytics/referrers", {
      ...shared,
      summary: "The referrers of the clicks",
      query: limited(10, 100).extend(clickQuery.shape),
      response: referrersResponse,
      beside: DETAILS,
      async handle({ query, account }) {
        const [asked, range] = [await askedOf(account, query), rangeOf(query, now())];
        const found = await analytics.referrers(range, query.limit, asked);
        return told(found.map(viewOfReferrer), range, asked, true);
      },
    }),
  ];
}

function exportEndpoint({ analytics, clickExport, links, now, logger }: Deps): Endpoint {
  return endpoint("GET /analytics/export", {
    ...shared,
    summary:
      "Export the clicks that were recorded in detail as CSV, in order of time; with visitors there is a column for their class",
    query: rangeQuery.extend({
      ...clickQuery.shape,
      ...csvColumns("with the columns domain, referrer_host, utm_source and so on, language, channel, rule"),
    }),
    raw: CSV,
    async handle({ c, query, account }) {
      const [asked, range] = [await askedBy(links)(account, query), rangeOf(query, now())];
      const nameOf = query.columns === "all" ? links.domains.nameOf : null;
      const selection = await analytics.selected(asked);
      const pages = clickExport.pages(range, selection, query.visitors ? selection.visitors : null, nameOf);
      const fileName = clickExport.filename(range);
      return csvResponse(c, pages, { fileName, failure: "an analytics export was cut off", logger });
    },
  });
}
