/** Names of settings that other pages mention. Their texts are in every page's catalog. */
import { msg } from "@lingui/core/macro";

export const LINKED_NAMES = {
  "analytics.enable_detailed_logging": msg`Enable detailed logging`,
  "analytics.enable_geo_lookup": msg`Enable geo lookup`,
  "features.report_links": msg`Reports of links`,
} as const;
