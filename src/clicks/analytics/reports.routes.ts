/** The reports that exist for all links and for one. */
import { type Caller, type Endpoint, endpoint, type HttpContext } from "../../platform/http/endpoint.ts";
import type { Actor } from "../../lib/actor.ts";
import type { LinkName } from "../../links/domains/registry.ts";
import type { ChooseLinks } from "../../links/list/chosen.ts";
import {
  DETAILS,
  devicesResponse,
  geoResponse,
  limited,
  newestResponse,
  placeQuery,
  rangeOf,
  rangeQuery,
  tellingDetails,
  trendResponse,
  unitQuery,
} from "./answers.routes.ts";
import type { ClickQuery, clickQuery } from "./filter.routes.ts";
import { unitOf } from "./range.ts";
import type { ClickFilter } from "./select.ts";
import type { Analytics } from "./service.ts";
import { viewOfDevices, viewOfNewest, viewOfPlace, viewOfTrend } from "./views.ts";

export type ReachableLinks = {
  /** @throws LinkNotFound for a link that does not exist for the actor */
  by(actor: Actor): {
    get(key: string): Promise<unknown>;
    /** Null: all links. @throws LinkNotFound likewise, BadRequest */
    chosen: ChooseLinks;
  };
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
  shared: Pick<Endpoint, "access" | "scope" | "tag" | "params" | "ownsPath">;
  /** The part of the paths before `/analytics`. */
  prefix: string;
  summaries: Readonly<Record<Report, string>>;
  /** What chooses links and clicks. */
  query: Partial<typeof clickQuery.shape>;
  /** @throws LinkNotFound, BadRequest */
  askedOf(account: Caller, c: HttpContext, query: ClickQuery): Promise<ClickFilter>;
};

export function reportEndpoints(deps: ReportDeps, of: ReportScope): Endpoint[] {
  const { analytics, links, now } = deps;
  const { prefix, shared, summaries, askedOf } = of;
  const told = tellingDetails(deps);
  const filter = of.query as typeof clickQuery.shape;
  return [
    endpoint(`GET ${prefix}/analytics/devices`, {
      ...shared,
      summary: summaries.devices,
      query: limited(10, 20).extend(filter),
      response: devicesResponse,
      beside: DETAILS,
      async handle({ c, query, account }) {
        const [asked, range] = [await askedOf(account, c, query), rangeOf(query, now())];
        const found = await analytics.devices(range, query.limit, asked);
        return told(viewOfDevices(found), range, asked, true);
      },
    }),
    endpoint(`GET ${prefix}/analytics/trends`, {
      ...shared,
      summary: summaries.trends,
      query: rangeQuery.extend({ ...unitQuery, ...filter }),
      response: trendResponse,
      beside: DETAILS,
      async handle({ c, query, account }) {
        const [asked, range] = [await askedOf(account, c, query), rangeOf(query, now())];
        const found = await analytics.trend(range, unitOf(query.group_by), asked);
        return told(viewOfTrend(found), range, asked, false);
      },
    }),
    endpoint(`GET ${prefix}/analytics/geo`, {
      ...shared,
      summary: summaries.geo,
      query: limited(20, 100).extend({ ...placeQuery, ...filter }),
      response: geoResponse,
      beside: DETAILS,
      async handle({ c, query, account }) {
        const [asked, range] = [await askedOf(account, c, query), rangeOf(query, now())];
        const found = await analytics.places(range, query.limit, asked, query.by || "city");
        return told(found.map(viewOfPlace), range, asked, true);
      },
    }),
    endpoint(`GET ${prefix}/analytics/clicks`, {
      ...shared,
      summary: summaries.clicks,
      query: limited(20, 100).extend(filter),
      response: newestResponse,
      beside: DETAILS,
      async handle({ c, query, account }) {
        const [asked, range] = [await askedOf(account, c, query), rangeOf(query, now())];
        const found = await analytics.newest(range, query.limit, asked);
        const shown = found.map((click) => viewOfNewest(click, links.domains.nameOf));
        return told(shown, range, asked, true);
      },
    }),
  ];
}
