/** The reports on one link, for editors too. Relative to {admin}/v1. */
import { actorOf, type Caller, type Endpoint, endpoint, type HttpContext } from "../../http/endpoint.ts";
import type { Actor } from "../../lib/actor.ts";
import { visitorsOf } from "../../lib/visitors.ts";
import { CODE_FORM, isCodeText, linkNotFound } from "../../links/code.ts";
import type { LinkName } from "../../links/domains/registry.ts";
import { domainQuery } from "../../links/link.ts";
import {
  DETAILS,
  detailedBy,
  devicesAnswer,
  geoAnswer,
  limited,
  linkAnswer,
  newestAnswer,
  placeQuery,
  rangeOf,
  rangeQuery,
  trendAnswer,
  unitQuery,
} from "./answers.routes.ts";
import { unitOf } from "./range.ts";
import type { Analytics } from "./service.ts";
import { viewOfDevices, viewOfLinkReport, viewOfNewest, viewOfPlace, viewOfTrend } from "./views.ts";
import { z } from "zod";

export type ReachableLinks = {
  /** @throws LinkNotFound for a link that does not exist for the actor */
  by(actor: Actor): { get(key: string): Promise<unknown> };
  domains: {
    /** @throws BadRequest for an unknown host */
    key(code: string, host: string | undefined): string;
    nameOf(key: string): LinkName;
  };
};

export type LinkReportDeps = {
  analytics: Analytics;
  links: ReachableLinks;
  /** analytics.enable_detailed_logging */
  recordsDetails(): boolean;
  now(): number;
};

const ofLink = {
  method: "GET",
  access: "editor",
  scope: "analytics:read",
  tag: "analytics",
  params: { code: z.string().meta(CODE_FORM) },
  ownsPath: true,
} as const;

export function linkReportEndpoints(deps: LinkReportDeps): Endpoint[] {
  const { analytics, links, now } = deps;
  const detailed = detailedBy(deps.recordsDetails);

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
      path: "/links/:code{.+}/analytics/trends",
      summary: "The clicks of one link by hour, day, week or month in UTC, at most 10,000 buckets",
      query: rangeQuery.extend({ ...unitQuery, ...domainQuery.shape }),
      answer: trendAnswer,
      async handle({ c, query, account }) {
        const key = await keyFor(account, c, query.domain);
        const asked = rangeOf(query, now());
        return viewOfTrend(await analytics.linkTrend(key, asked, unitOf(query.group_by), visitorsOf(query)));
      },
    }),
    endpoint({
      ...ofLink,
      path: "/links/:code{.+}/analytics/geo",
      summary: "The countries and cities of one link's clicks",
      query: limited(20, 100).extend({ ...placeQuery, ...domainQuery.shape }),
      answer: geoAnswer,
      beside: DETAILS,
      async handle({ c, query, account }) {
        const key = await keyFor(account, c, query.domain);
        const { limit, by } = query;
        const asked = rangeOf(query, now());
        const found = await analytics.linkPlaces(key, asked, limit, visitorsOf(query), by || "city");
        return detailed(found.map(viewOfPlace));
      },
    }),
    endpoint({
      ...ofLink,
      path: "/links/:code{.+}/analytics/clicks",
      summary: "The newest clicks of one link with details, without addresses",
      query: limited(20, 100).extend(domainQuery.shape),
      answer: newestAnswer,
      beside: DETAILS,
      async handle({ c, query, account }) {
        const key = await keyFor(account, c, query.domain);
        const found = await analytics.linkNewest(key, rangeOf(query, now()), query.limit, visitorsOf(query));
        return detailed(found.map((click) => viewOfNewest(click, links.domains.nameOf)));
      },
    }),
    endpoint({
      ...ofLink,
      path: "/links/:code{.+}/analytics",
      summary: "The clicks of one link; write a code that ends in /analytics with %2F",
      query: rangeQuery.extend({ ...unitQuery, ...domainQuery.shape }),
      answer: linkAnswer,
      beside: DETAILS,
      async handle({ c, query, account }) {
        const key = await keyFor(account, c, query.domain);
        const unit = unitOf(query.group_by);
        const found = await analytics.link(key, rangeOf(query, now()), visitorsOf(query), unit);
        return detailed(viewOfLinkReport(found, links.domains.nameOf));
      },
    }),
  ];
}
