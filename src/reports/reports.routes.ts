/** The endpoints of reports for their owners. Relative to {admin}/v1. */
import { z } from "zod";
import {
  actorOf,
  CursorPage,
  type Endpoint,
  endpoint,
  type HttpContext,
  type PathInput,
  requireScope,
} from "../platform/http/endpoint.ts";
import { cursorText, limitOf, placeOf } from "../lib/cursor.ts";
import { idParameter } from "../lib/id-parameter.ts";
import type { HostOf } from "../links/link/link.ts";
import { isReport } from "../links/link/internal-target.ts";
import { linkViewSchema, viewOfLink } from "../links/link/link.ts";
import {
  newReport,
  reportChange,
  reportListQuery,
  type ReportRecord,
  reportView,
  viewOfReportPage,
} from "./report.ts";
import type { ReportPages } from "./reports.service.ts";

type Deps = { reports: ReportPages; hostOf: HostOf };

/** A report makes a link and shows figures: tokens need the scopes of both. */
const shared = { access: "editor", scope: "links:write", tag: "analytics" } as const;
const reading = { ...shared, scope: "analytics:read" } as const;

export function reportEndpoints({ reports, hostOf }: Deps): Endpoint[] {
  const viewIn = (c: HttpContext, report: ReportRecord) => viewOfReportPage(report, c.env.origin(), hostOf);
  const changed = {
    locked: async ({ c, account }: PathInput, tx: never) =>
      viewIn(c, await reports.locked(idOf(c), actorOf(account), tx)),
  };
  return [
    endpoint("GET /analytics/pages", {
      ...reading,
      summary: "List your report pages and those of your teams, newest first",
      query: reportListQuery,
      response: z.array(reportView),
      paged: "cursor",
      async handle({ c, query, account }) {
        const before = placeOf(z.int(), query.cursor);
        const found = await reports.page(query, before, limitOf(query.limit), actorOf(account));
        const rows = found.reports.map((report) => viewIn(c, report));
        return new CursorPage(rows, found.next === null ? null : cursorText(found.next));
      },
    }),
    endpoint("POST /analytics/pages", {
      ...shared,
      tagged: true,
      summary: "Make a report page: a code that shows figures of the links that a filter finds",
      body: newReport,
      failures: [403, 404, 409],
      status: 201,
      response: reportView,
      async handle({ c, body, account }) {
        requireScope(account, "analytics:read");
        return viewIn(c, await reports.create(body, actorOf(account)));
      },
    }),
    endpoint("GET /analytics/pages/:id", {
      ...reading,
      tagged: true,
      summary: "Read a report page",
      failures: [404],
      response: reportView,
      handle: async ({ c, account }) => viewIn(c, await reports.get(idOf(c), actorOf(account))),
    }),
    endpoint("PATCH /analytics/pages/:id", {
      ...shared,
      ...changed,
      tagged: true,
      summary: "Change the given fields of a report page; with target its code redirects from now on",
      body: reportChange,
      failures: [403, 404, 409],
      response: z.union([reportView, linkViewSchema]),
      async handle({ c, body, account }) {
        if (body.filter !== undefined) requireScope(account, "analytics:read");
        const after = await reports.change(idOf(c), body, actorOf(account));
        return isReport(after.target)
          ? viewIn(c, after as ReportRecord)
          : viewOfLink(after, c.env.origin(), hostOf);
      },
    }),
    endpoint("DELETE /analytics/pages/:id", {
      ...shared,
      ...changed,
      summary: "End a report page and its mails, and free its code",
      failures: [403, 404],
      done: "The report was ended.",
      handle: ({ c, account }) => reports.remove(idOf(c), actorOf(account)),
    }),
  ];
}

const idOf = (c: HttpContext): number => idParameter(c, "NotFound", "There is no such report.");
