/** The reports on one link, for editors too. Relative to {admin}/v1. */
import {
  actorOf,
  type Caller,
  type Endpoint,
  endpoint,
  type HttpContext,
} from "../../platform/http/endpoint.ts";
import { visitorsOf } from "../../lib/visitors.ts";
import { CODE_FORM, isCodeText, linkNotFound } from "../../links/link/code.ts";
import { DETAILS, linkResponse, rangeOf, rangeQuery, tellingDetails, unitQuery } from "./answers.routes.ts";
import { type ClickQuery, linkClickQuery, valuesOf } from "./filter.routes.ts";
import { unitOf } from "./range.ts";
import { viewOfLinkReport } from "./views.ts";
import { type ReportDeps, reportEndpoints } from "./reports.routes.ts";
import { z } from "zod";

const ofLink = {
  access: "editor",
  scope: "analytics:read",
  tag: "analytics",
  params: { code: z.string().meta(CODE_FORM) },
  ownsPath: true,
} as const;

export function linkReportEndpoints(deps: ReportDeps): Endpoint[] {
  const { analytics, links, now } = deps;
  const told = tellingDetails(deps);

  /** @throws BadRequest for an unknown domain, LinkNotFound */
  async function keyFor(account: Caller, c: HttpContext, host: string | undefined): Promise<string> {
    const code = c.req.param("code") ?? "";
    if (!isCodeText(code)) throw linkNotFound(code);
    const key = links.domains.key(code, host);
    const actor = actorOf(account);
    if (actor.ownOnly) await links.by(actor).get(key);
    return key;
  }

  const askedOf = async (account: Caller, c: HttpContext, query: ClickQuery) => ({
    visitors: visitorsOf(query),
    key: await keyFor(account, c, query.domain),
    values: valuesOf(query),
  });

  return [
    ...reportEndpoints(deps, {
      shared: ofLink,
      prefix: "/links/:code{.+}",
      summaries: {
        trends: "The clicks of one link by hour, day, week or month in UTC, at most 10,000 buckets",
        geo: "The countries and cities of one link's clicks",
        devices: "Browsers, systems and devices of one link's clicks",
        clicks: "The newest clicks of one link with details, without addresses",
      },
      query: linkClickQuery.shape,
      askedOf,
    }),
    endpoint("GET /links/:code{.+}/analytics", {
      ...ofLink,
      summary: "The clicks of one link; write a code that ends in /analytics with %2F",
      query: rangeQuery.extend({ ...unitQuery, ...linkClickQuery.shape }),
      response: linkResponse,
      beside: DETAILS,
      async handle({ c, query, account }) {
        const { key, ...asked } = await askedOf(account, c, query);
        const range = rangeOf(query, now());
        const found = await analytics.link(key, range, asked, unitOf(query.group_by));
        return told(viewOfLinkReport(found, links.domains.nameOf), range, asked, true);
      },
    }),
  ];
}
