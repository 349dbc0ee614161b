/** Names of settings of which other pages speak. Their texts are in the catalog of every page. */
import { msg } from "@lingui/core/macro";

export const LINKED_NAMES = {
  "analytics.enable_detailed_logging": msg`Enable detailed logging`,
} as const;
