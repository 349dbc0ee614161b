/** The addresses of other products' APIs. Each is reserved only while its setting is on. */
import type { Config } from "../../platform/config/config.service.ts";

export const FOREIGN_PATHS = {
  "features.yourls_api": ["/yourls-api.php"],
  "features.shlink_api": ["/rest/v3", "/rest/v2"],
} as const;

export type ForeignApi = keyof typeof FOREIGN_PATHS;

export const pathsInUse = (config: Pick<Config, "get">): string[] =>
  (Object.keys(FOREIGN_PATHS) as ForeignApi[]).flatMap((key) => (config.get(key) ? FOREIGN_PATHS[key] : []));
