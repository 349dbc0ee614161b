/** The reports that exist for all links and for one. */
import { type Caller, type Endpoint, endpoint, type HttpContext } from "../../http/endpoint.ts";
import type { Actor } from "../../lib/actor.ts";
import { visitorsOf } from "../../lib/visitors.ts";
import type { LinkName } from "../../links/domains/registry.ts";
import type { domainQuery } from "../../links/link/link.ts";
import {
  DETAILS,
  detailedBy,
  devicesAnswer,
  geoAnswer,
  limited,
  newestAnswer,
  placeQuery,
  rangeOf,
  rangeQuery,
  trendAnswer,
  unitQuery,
} from "./answers.routes.ts";
import { unitOf } from "./range.ts";
import type { Analytics } from "./service.ts";
import { viewOfDevices, viewOfNewest, viewOfPlace, viewOfTrend } from "./views.ts";

export type ReachableLinks = {
  /** @throws LinkNotFound for a link that does not exist for the actor */
  by(actor: Actor): { get(key: string): Promise<unknown> };
  domains: {
    /** @throws BadRequest for an unknown host */
    key(code: string, host: string | undefined): string;
    nameOf(key: string): LinkName;
  };
};

export type ReportDeps = {
  analytics: Analytics;
  links: ReachableLinks;
  /** analytics.enable_detailed_logging */
  recordsDetails(): boolean;
  now(): number;
};

type Report = "trends" | "geo" | "devices" | "clicks";

export type ReportScope = {
  shared: Pick<Endpoint, "access" | "params" | "ownsPath"> & {
    method: "GET";
    scope: "analytics:read";
    tag: "analytics";
  };
  /** The part of the paths before `/analytics`. */
  prefix: string;
  summaries: Readonly<Record<Report, string>>;
  /** What names the link's domain; empty for all links. */
  query: Partial<typeof domainQuery.shape>;
  /** The link's key; undefined for all links. @throws LinkNotFound, BadRequest */
  keyOf(account: Caller, c: HttpContext, host: string | undefined): Promise<string | undefined>;
};

export function reportEndpoints(deps: ReportDeps, of: ReportScope): Endpoint[] {
  const { analytics, links, now, recordsDetails } = deps;
  const { prefix, summaries, keyOf } = of;
  const detailed = detailedBy(recordsDetails);
  const named = of.query as typeof domainQuery.shape;
  const at = (report: Report) =>
    ({ ...of.shared, path: `${prefix}/analytics/${report}`, summary: summaries[report] }) as const;
  return [
    endpoint({
      ...at("devices"),
      query: limited(10, 20).extend(named),
      answer: devicesAnswer,
      beside: DETAILS,
      async handle({ c, query, account }) {
        const key = await keyOf(account, c, query.domain);
        const asked = rangeOf(query, now());
        return detailed(viewOfDevices(await analytics.devices(asked, query.limit, visitorsOf(query), key)));
      },
    }),
    endpoint({
      ...at("trends"),
      query: rangeQuery.extend({ ...unitQuery, ...named }),
      answer: trendAnswer,
      async handle({ c, query, account }) {
        const key = await keyOf(account, c, query.domain);
        const asked = rangeOf(query, now());
        return viewOfTrend(await analytics.trend(asked, unitOf(query.group_by), visitorsOf(query), key));
      },
    }),
    endpoint({
      ...at("geo"),
      query: limited(20, 100).extend({ ...placeQuery, ...named }),
      answer: geoAnswer,
      beside: DETAILS,
      async handle({ c, query, account }) {
        const key = await keyOf(account, c, query.domain);
        const { limit, by } = query;
        const asked = rangeOf(query, now());
        const found = await analytics.places(asked, limit, visitorsOf(query), by || "city", key);
        return detailed(found.map(viewOfPlace));
      },
    }),
    endpoint({
      ...at("clicks"),
      query: limited(20, 100).extend(named),
      answer: newestAnswer,
      beside: DETAILS,
      async handle({ c, query, account }) {
        const key = await keyOf(account, c, query.domain);
        const found = await analytics.newest(rangeOf(query, now()), query.limit, visitorsOf(query), key);
        return detailed(found.map((click) => viewOfNewest(click, links.domains.nameOf)));
      },
    }),
  ];
}
