import type { DeviceShares, NamedShare } from "./percentages.ts";
import type { LinkName } from "../../links/domains/registry.ts";
import type { LinkReport, PlaceShare, ReferrerShare } from "./service.ts";

export const viewOfReferrer = ({ referrer, clicks, percentage }: ReferrerShare) => ({
  referrer,
  count: clicks,
  percentage,
});

export const viewOfPlace = ({ country, city, clicks, percentage }: PlaceShare) => ({
  country,
  city,
  count: clicks,
  percentage,
});

const viewOfNamed = ({ name, clicks, percentage }: NamedShare) => ({ name, count: clicks, percentage });

export const viewOfDevices = (shares: DeviceShares) => ({
  browsers: shares.browsers.map(viewOfNamed),
  operating_systems: shares.systems.map(viewOfNamed),
  devices: shares.devices.map(viewOfNamed),
  bot_percentage: shares.botPercentage,
  total_with_ua: shares.total,
});

type NameOf = (key: string) => LinkName;

export const viewOfTop = ({ code, clicks }: { code: string; clicks: number }, nameOf: NameOf) => ({
  ...nameOf(code),
  clicks,
});

export const viewOfLinkReport = ({ code, clicks, trend, referrers, places }: LinkReport, nameOf: NameOf) => ({
  ...nameOf(code),
  total_clicks: clicks,
  trend,
  top_referrers: referrers.map(viewOfReferrer),
  geo_distribution: places.map(viewOfPlace),
});
