import type { DeviceShares, NamedShare, Report, ReportBy } from "./report.ts";
import type { LinkName } from "../../links/domains/registry.ts";
import { DEFAULT_DOMAIN_NAME } from "../../links/list/chosen.ts";
import { viewOfBoth } from "../../lib/visitors.ts";
import type { Trend } from "./trend.ts";
import type { NewestClick } from "./log.repository.ts";
import { labelOfSource, parseAgentValue, parsePlaceValue } from "../rollups/dimensions.ts";
import { formatRfc3339 } from "../../lib/rfc3339.ts";
import type { DateRange } from "./range.ts";
import type { LinkReport, PlaceShare, ReferrerShare, Share, TopLink } from "./service.ts";

export const viewOfTrend = ({ labels, values, human, automated, unique, unknown }: Trend) => ({
  labels,
  values,
  human_clicks: human,
  automated_clicks: automated,
  ...(unique && { visitors: unique }),
  ...(unknown.length > 0 && { unknown }),
});

export const viewOfCompared = ({ range, ...trend }: Trend & { range: DateRange }) => ({
  ...viewOfTrend(trend),
  start_date: formatRfc3339(range.start),
  end_date: formatRfc3339(range.end),
});

const viewOfShare = ({ clicks, percentage, both }: Share) => ({
  count: clicks,
  percentage,
  ...viewOfBoth(both),
});

export const viewOfReferrer = ({ referrer, ...share }: ReferrerShare) => ({
  referrer,
  ...viewOfShare(share),
});

export const viewOfPlace = ({ country, city, ...share }: PlaceShare) => ({
  country,
  city,
  ...viewOfShare(share),
});

const viewOfNamed = ({ name, clicks, percentage }: NamedShare) => ({ name, count: clicks, percentage });

export const viewOfDevices = (shares: DeviceShares) => ({
  browsers: shares.browsers.map(viewOfNamed),
  operating_systems: shares.systems.map(viewOfNamed),
  devices: shares.devices.map(viewOfNamed),
  bot_percentage: shares.botPercentage,
  total_with_ua: shares.total,
});

export type NameOf = (key: string) => LinkName;

export const viewOfTop = ({ code, title, clicks, both }: TopLink, nameOf: NameOf) => ({
  ...nameOf(code),
  title,
  clicks,
  ...viewOfBoth(both),
});

export const viewOfLinkReport = (
  { code, clicks, both, unique, trend, referrers, places }: LinkReport,
  nameOf: NameOf,
) => ({
  ...nameOf(code),
  total_clicks: clicks,
  ...viewOfBoth(both),
  ...(unique !== undefined && { visitors: unique }),
  trend: viewOfTrend(trend),
  top_referrers: referrers.map(viewOfReferrer),
  geo_distribution: places.map(viewOfPlace),
});

export function viewOfNewest(
  { id, key, clickedAt, source, utmSource, agent, automated, ...place }: NewestClick,
  nameOf: NameOf,
) {
  const profile = agent === null ? null : parseAgentValue(agent);
  return {
    id,
    ...nameOf(key),
    clicked_at: formatRfc3339(clickedAt),
    referrer: labelOfSource(source, utmSource),
    country: place.country,
    city: place.city,
    browser: profile?.browser ?? null,
    operating_system: profile?.os ?? null,
    device: profile?.device ?? null,
    automated: automated === 1,
  };
}

export function viewOfReportRow(
  by: ReportBy,
  { value, title, clicks, both, hosts, unique }: Report["rows"][number],
  nameOf: NameOf,
) {
  return {
    ...named(by, value, nameOf),
    ...(title !== undefined && { title }),
    ...viewOfCounts({ clicks, both }),
    ...(unique !== undefined && { visitors: unique }),
    ...(hosts && { hosts: hosts.map((host) => ({ value: host.value, ...viewOfCounts(host) })) }),
  };
}

const viewOfCounts = ({ clicks, both }: Pick<Report["rows"][number], "clicks" | "both">) => ({
  clicks,
  human: both.clicks - both.automated,
  automated: both.automated,
});

function named(by: ReportBy, value: string, nameOf: NameOf) {
  if (by === "city") {
    const { country, city } = parsePlaceValue(value);
    return { value: city ?? "", country };
  }
  if (by === "domain") return { value: nameOf(value).domain ?? DEFAULT_DOMAIN_NAME };
  if (by !== "link") return { value };
  const { code, domain } = nameOf(value);
  return { value: code, domain };
}
