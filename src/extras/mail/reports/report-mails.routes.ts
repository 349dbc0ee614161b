/** The endpoints of mails with reports: for their owners, and for readers, who need no account. */
import { z } from "zod";
import {
  actorOf,
  CursorPage,
  type Endpoint,
  endpoint,
  type HttpContext,
  requireScope,
} from "../../../platform/http/endpoint.ts";
import { cursorText, limitOf, placeOf } from "../../../lib/cursor.ts";
import { idParameter } from "../../../lib/id-parameter.ts";
import type { HostOf } from "../../../links/link/link.ts";
import { viewOfReportPage } from "../../../reports/report.ts";
import type { VisitorPages } from "../../../visitors/look.ts";
import { pageResponse } from "../../../visitors/page.ts";
import { confirmedPage, readerPage } from "./reader-page.ts";
import {
  newReportMail,
  reportMailChange,
  reportMailQuery,
  reportMailView,
  viewOfReportMail,
} from "./report-mail.ts";
import type { ReportMailRecord, ReportMails } from "./report-mails.service.ts";

type Deps = {
  mails: ReportMails;
  hostOf: HostOf;
  visitorPages: VisitorPages;
  readForm(request: Request): Promise<URLSearchParams>;
};

/** A mail makes a page and shows figures: tokens need the scopes of both. */
const shared = { access: "editor", scope: "links:write", tag: "analytics" } as const;
const reading = { ...shared, scope: "analytics:read" } as const;

export function reportMailEndpoints(deps: Deps): Endpoint[] {
  const { mails, hostOf } = deps;
  const viewIn = (c: HttpContext, mail: ReportMailRecord) =>
    viewOfReportMail(mail, viewOfReportPage(mail.page, c.env.origin(), hostOf));
  return [
    endpoint("GET /analytics/mails", {
      ...reading,
      summary: "List the mails that bring your reports and those of your teams, newest first",
      query: reportMailQuery,
      response: z.array(reportMailView),
      paged: "cursor",
      async handle({ c, query, account }) {
        const before = placeOf(z.int(), query.cursor);
        const found = await mails.page(before, limitOf(query.limit), actorOf(account));
        const rows = found.mails.map((mail) => viewIn(c, mail));
        return new CursorPage(rows, found.next === null ? null : cursorText(found.next));
      },
    }),
    endpoint("POST /analytics/mails", {
      ...shared,
      summary: "Send the figures of a report by mail every day, week or month, with a link to its page",
      body: newReportMail,
      failures: [403, 404, 409, 429],
      status: 201,
      response: reportMailView,
      async handle({ c, body, account }) {
        requireScope(account, "analytics:read");
        return viewIn(c, await mails.create(body, actorOf(account)));
      },
    }),
    endpoint("GET /analytics/mails/:id", {
      ...reading,
      summary: "Read a mail that brings a report, with its readers",
      failures: [404],
      response: reportMailView,
      handle: async ({ c, account }) => viewIn(c, await mails.get(idOf(c), actorOf(account))),
    }),
    endpoint("PATCH /analytics/mails/:id", {
      ...shared,
      summary: "Change the given fields of a mail that brings a report",
      body: reportMailChange,
      failures: [403, 404, 409, 429],
      response: reportMailView,
      async handle({ c, body, account }) {
        if ((body.filter ?? body.to) !== undefined) requireScope(account, "analytics:read");
        return viewIn(c, await mails.change(idOf(c), body, actorOf(account)));
      },
    }),
    endpoint("DELETE /analytics/mails/:id", {
      ...shared,
      summary: "End a mail that brings a report; its page stays",
      failures: [403, 404],
      done: "The mail was ended.",
      handle: ({ c, account }) => mails.remove(idOf(c), actorOf(account)),
    }),
    ...readerEndpoints(deps),
  ];
}

const PAGE = { type: "text/html", description: "A page for the reader" } as const;
const ofReader = {
  access: "public",
  scope: null,
  tag: "analytics",
  params: { token: z.string().max(64) },
  raw: PAGE,
  others: { 404: { type: "text/html", description: "A page that says that nobody has the token" } },
} as const;

/** Mail programs send `List-Unsubscribe=One-Click` (RFC 8058); only a decision to confirm confirms. */
function readerEndpoints({ mails, visitorPages, readForm }: Deps): Endpoint[] {
  /** Empty, which is nobody's, without the form of a token. A database may fail on a NUL. */
  const tokenIn = (c: HttpContext): string => /^[\w-]{1,64}$/.exec(c.req.param("token") ?? "")?.[0] ?? "";
  return [
    endpoint("GET /analytics/readers/:token", {
      ...ofReader,
      summary: "The page where a reader confirms or ends the mails of a report",
      async handle({ c }) {
        const reader = await mails.reader(tokenIn(c));
        const page = readerPage(visitorPages.look(c.req.raw), reader);
        return pageResponse(page, reader === null ? 404 : 200, c.req.raw);
      },
    }),
    endpoint("POST /analytics/readers/:token", {
      ...ofReader,
      summary: "End the mails of a report as their reader, or confirm them with decision=confirm",
      form: z.object({ decision: z.enum(["confirm", "end"]).optional() }),
      async handle({ c }) {
        const look = visitorPages.look(c.req.raw);
        const form = await readForm(c.req.raw).catch(() => new URLSearchParams());
        const decision = form.get("decision") === "confirm" ? "confirm" : "end";
        const reader = await mails.decide(tokenIn(c), decision, look.language);
        const isConfirmed = decision === "confirm" && reader?.state === "active";
        const page = isConfirmed ? confirmedPage(look) : readerPage(look, reader);
        return pageResponse(page, reader === null ? 404 : 200, c.req.raw);
      },
    }),
  ];
}

const idOf = (c: HttpContext): number => idParameter(c, "NotFound", "There is no such mail of a report.");
