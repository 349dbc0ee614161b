/** Moves from other products. */
import { clickPrivacy } from "./app-privacy.ts";
import { createDetailsParser } from "./clicks/details/details.ts";
import type { Database } from "./db/database.ts";
import type { Env } from "./env.ts";
import type { MovedFiles } from "./files/moved/service.ts";
import type { Events } from "./events/events.service.ts";
import { createImports } from "./imports/imports.ts";
import type { Config } from "./config/config.service.ts";
import type { Leases } from "./cluster/leases.ts";
import type { Clock } from "./lib/clock.ts";
import { dataPath } from "./lib/data-folder.ts";
import type { Logger } from "./lib/logger.ts";
import { createOutbound } from "./lib/outbound.ts";
import type { SecretBox } from "./lib/secret-box.ts";
import type { LinkService } from "./links/links.service.ts";
import type { LinkChanges } from "./links/write/changes.ts";

type Rooms = {
  database: Database;
  changes: Pick<LinkChanges, "write">;
  routePrefixes(): readonly string[];
  hashPassword(plain: string): Promise<string>;
  links: LinkService;
  files: MovedFiles;
  config: Config;
  events: Events;
  leases: Leases;
  rollCall: { call(): Promise<unknown> };
  box: SecretBox;
  clock: Clock;
  logger: Logger;
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
    policy: links.policy,
    randomCodeLength: () => config.get("features.random_code_length"),
    domains: links.domains,
    domainService: links.domainService,
    ownHost: () => URL.parse(config.get("features.public_url"))?.hostname ?? null,
    folder: dataPath(env.data.dir, "imports"),
    // Whoever runs commands reaches the network of this machine anyway.
    outbound: createOutbound(server ? {} : { isAllowed: () => true, ports: null }),
  });
}
