/** Names of settings that other pages mention. Their texts are in every page's catalog. */
import { msg } from "@lingui/core/macro";

export const LINKED_NAMES = {
  "analytics.enable_detailed_logging": msg`Details of clicks`,
  "analytics.enable_geo_lookup": msg`Places of visitors`,
  "analytics.time_zone": msg`Time zone`,
  "features.public_url": msg`Public URL`,
  "features.report_links": msg`Link reports`,
} as const;
