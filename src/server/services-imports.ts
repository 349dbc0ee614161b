/** Moves from other products. */
import { clickPrivacy } from "./app-privacy.ts";
import { createDetailsParser } from "../clicks/details/details.ts";
import type { Env } from "../platform/settings/env.ts";
import type { Events } from "../platform/events/events.service.ts";
import { createImports, type ImportsDeps } from "../extras/imports/imports.ts";
import type { Config } from "../platform/config/config.service.ts";
import { dataPath } from "../lib/data-folder.ts";
import { createOutbound } from "../lib/outbound.ts";
import type { LinkService } from "../links/links.service.ts";

type Taken = "database" | "changes" | "routePrefixes" | "hashPassword" | "files" | "leases" | "box";
type Rooms = Pick<ImportsDeps, Taken | "clock" | "logger"> & {
  links: LinkService;
  config: Config;
  events: Events;
  rollCall: { call(): Promise<unknown> };
  server: boolean;
};

const DAY_MS = 86_400_000;

export function startImports(env: Env, rooms: Rooms) {
  const { config, links, events, clock, server } = rooms;
  return createImports({
    ...rooms,
    keepEvent: events.keep,
    settle: rooms.rollCall.call,
    parser: createDetailsParser({ addresses: () => clickPrivacy(config).addresses }),
    settings: () => ({
      details: config.get("analytics.enable_detailed_logging"),
      privacy: clickPrivacy(config),
      logFrom: config.get("analytics.enable_auto_rollup")
        ? clock.now() - config.get("analytics.log_retention_days") * DAY_MS
        : 0,
      mostLogRows: config.get("analytics.max_log_rows"),
    }),
    validateTargets: links.validateTargets,
    randomCodeLength: () => config.get("features.random_code_length"),
    domains: links.domains,
    domainService: links.domainService,
    ownHost: () => URL.parse(config.get("features.public_url"))?.hostname ?? null,
    folder: dataPath(env.data.dir, "imports"),
    // Whoever runs commands reaches the network of this machine anyway.
    outbound: createOutbound(server ? {} : { isAllowed: () => true, ports: null }),
  });
}
