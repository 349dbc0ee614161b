/** The reports. Relative to {admin}/v1. */
import { z } from "zod";
import { type Endpoint, endpoint } from "../../http/endpoint.ts";
import { streamAnswer } from "../../http/stream-pages.ts";
import type { Logger } from "../../lib/logger.ts";
import { visitorsOf } from "../../lib/visitors.ts";
import {
  DETAILS,
  detailedBy,
  limited,
  rangeOf,
  rangeQuery,
  referrersAnswer,
  topAnswer,
} from "./answers.routes.ts";
import type { ClickExport } from "./export.ts";
import { linkReportEndpoints } from "./link.routes.ts";
import { type ReportDeps, reportEndpoints, type ReportScope } from "./reports.routes.ts";
import { viewOfReferrer, viewOfTop } from "./views.ts";

type Deps = ReportDeps & {
  clickExport: ClickExport;
  logger: Logger;
};

const shared = { method: "GET", access: "admin", scope: "analytics:read", tag: "analytics" } as const;

const ALL_LINKS: ReportScope = {
  shared,
  prefix: "",
  summaries: {
    trends: "Clicks of all links by hour, day, week or month in UTC, at most 10,000 buckets",
    geo: "The countries and cities of the clicks",
    devices: "Browsers, systems and devices, and the share of bots",
    clicks: "The newest clicks with details, without addresses",
  },
  query: {},
  keyOf: async () => undefined,
};

/** Mount them before `/links/:code{.+}`. */
export function analyticsEndpoints(deps: Deps): Endpoint[] {
  return [
    ...reportEndpoints(deps, ALL_LINKS),
    ...rankingEndpoints(deps),
    ...linkReportEndpoints(deps),
    exportEndpoint(deps),
  ];
}

function rankingEndpoints(deps: Deps): Endpoint[] {
  const { analytics, links, now } = deps;
  const detailed = detailedBy(deps.recordsDetails);
  return [
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
  ];
}

function exportEndpoint({ clickExport, links, now, logger }: Deps): Endpoint {
  return endpoint({
    ...shared,
    path: "/analytics/export",
    summary:
      "Export the clicks that were recorded in detail as CSV, in order of time; with visitors there is a column for their class",
    query: rangeQuery.extend({
      columns: z
        .enum(["all", ""], "must be all")
        .optional()
        .describe("all: with the column domain")
        .meta({ enum: ["all"] }),
    }),
    raw: { type: "text/csv", headers: z.object({ "Content-Disposition": z.string() }) },
    async handle({ c, query }) {
      const asked = rangeOf(query, now());
      const nameOf = query.columns === "all" ? links.domains.nameOf : null;
      const pages = clickExport.pages(asked, query.visitors || null, nameOf);
      const body = await streamAnswer(c, pages, { logger, failure: "an analytics export was cut off" });
      return new Response(body, {
        headers: {
          "Content-Type": "text/csv; charset=utf-8",
          "Content-Disposition": `attachment; filename="${clickExport.filename(asked)}"`,
        },
      });
    },
  });
}
