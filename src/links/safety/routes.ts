import { z } from "zod";
import { actorOf, CursorPage, type Endpoint, endpoint } from "../../platform/http/endpoint.ts";
import { cursorQuery, cursorText, limitOf, placeOf } from "../../lib/cursor.ts";
import { idParameter } from "../../lib/id-parameter.ts";
import { namedObject } from "../../lib/named-object.ts";
import { CODE_FORM } from "../link/code.ts";
import { REVIEWS } from "../link/events.ts";
import { MOST_REASON } from "../link/held.ts";
import { domainQuery, linkViewSchema } from "../link/link.ts";
import { keyOfPath, type LockableLinks, lockedLink, viewIn } from "../link/routes.ts";
import { reportSchema, viewOfReport } from "./report.ts";
import type { LinkSafety } from "./service.ts";

const NO_SUCH_REPORT = "There is no report with this id.";

const reason = z
  .string()
  .trim()
  .max(MOST_REASON)
  .nullish()
  .describe("shown to the owner of the link, never to visitors");

const reviewBody = namedObject("LinkReview", {
  action: z.enum(REVIEWS).describe("approve or refuse a link that waits; take a link down, or reinstate it"),
  reason,
  updated_at: z
    .string()
    .max(40)
    .nullish()
    .describe("updated_at of the link that you looked at: 409 if it has changed since"),
});

const resolution = namedObject("ReportResolution", {
  action: z.enum(["dismiss", "take_down"]).describe("take_down: the link, which resolves all its reports"),
  reason,
});

const idPlace = z.object({ id: z.int() });

/** Relative to {admin}/v1. */
export function safetyEndpoints(links: LockableLinks & { safety: LinkSafety }): Endpoint[] {
  const { safety, by, domains } = links;
  const shared = { access: "admin", scope: "links", tag: "links" } as const;
  return [
    endpoint("POST /links/:code{.+}/review", {
      ...shared,
      ...lockedLink(links),
      tagged: true,
      params: { code: z.string().meta(CODE_FORM) },
      query: domainQuery,
      summary: "Approve or refuse a link that waits, take a link or share down, or reinstate it",
      body: reviewBody,
      failures: [404, 409],
      response: linkViewSchema,
      async handle({ c, query, body, account }) {
        const [actor, key] = [actorOf(account), keyOfPath(links, c, query)];
        const { action, updated_at: updatedAt = null } = body;
        await safety.review(actor, key, { action, reason: body.reason || null, updatedAt });
        return viewIn(links, c, await by(actor).get(key));
      },
    }),
    endpoint("GET /reports", {
      ...shared,
      summary: "List reports of visitors about links, newest first",
      query: z.object({
        ...cursorQuery,
        state: z.enum(["open", "resolved"]).optional().describe("open when absent"),
      }),
      response: z.array(reportSchema),
      paged: "cursor",
      async handle({ c, query }) {
        const before = placeOf(idPlace, query.cursor)?.id ?? null;
        const limit = limitOf(query.limit);
        const found = await safety.reports(query.state !== "resolved", before, limit + 1);
        const shown = found.slice(0, limit);
        return new CursorPage(
          shown.map((report) => viewOfReport(report, c.env.origin(), domains.hostOf)),
          found.length > limit ? cursorText({ id: shown.at(-1)!.id }) : null,
        );
      },
    }),
    endpoint("POST /reports/:id/resolve", {
      ...shared,
      summary: "Dismiss a report, or take its link down",
      body: resolution,
      failures: [404, 409],
      response: reportSchema,
      async handle({ c, body, account }) {
        const id = idParameter(c, "NotFound", NO_SUCH_REPORT);
        const takesDown = body.action === "take_down";
        const report = await safety.resolve(actorOf(account), id, takesDown, body.reason || null);
        return viewOfReport(report, c.env.origin(), domains.hostOf);
      },
    }),
  ];
}
