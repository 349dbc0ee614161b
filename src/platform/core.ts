/** What every room is started with. A room takes `Core`, and beside it only what other rooms give it. */
import type { Clock } from "../lib/clock.ts";
import type { Logger } from "../lib/logger.ts";
import type { Changes } from "./cluster/changes.ts";
import type { Config } from "./config/config.service.ts";
import type { Database } from "./db/database.ts";
import type { Events } from "./events/events.service.ts";

export type Core = {
  database: Database;
  /** Commits rows together with their notices to caches. */
  changes: Changes;
  /** Records events in the transaction that they describe. */
  record: Events["add"];
  /** Run-time settings. */
  config: Config;
  clock: Clock;
  logger: Logger;
};
