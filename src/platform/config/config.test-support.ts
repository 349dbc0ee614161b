/** A Config on a real database and change feed, with a manual clock. */
import { createEvents } from "../events/events.service.ts";
import { createChanges } from "../cluster/changes.ts";
import { type Database, openDatabase } from "../db/database.ts";
import { createMigratedFile } from "../db/schema-copy.test-support.ts";
import { type Logger, silentLogger } from "../../lib/logger.ts";
import { createConfig } from "./config.service.ts";

type Options = Partial<Parameters<typeof createConfig>[0]> & { logger?: Logger };

/** The test sets the clock, which starts at `now`. */
export function openConfig(database: Database, options: Options = {}) {
  const clock = { time: Date.parse("2026-11-20T12:00:00Z"), now: () => clock.time };
  const changes = createChanges({ database, clock, logger: silentLogger });
  const config = createConfig({
    database,
    changes,
    record: createEvents({ database, clock }).add,
    clock,
    logger: silentLogger,
    ...options,
  });
  return {
    config,
    changes,
    clock,
    /** Follows the feed from now on, only when polled. */
    async start() {
      await changes.poll();
      await config.start();
      return config;
    },
  };
}

/** A logger that keeps its warnings and errors, to read in the test. */
export function recordingLogger(): { logger: Logger; lines: string[] } {
  const lines: string[] = [];
  const record = (...args: unknown[]) => void lines.push(JSON.stringify(args));
  const logger = Object.assign(Object.create(silentLogger), { warn: record, error: record }) as Logger;
  return { logger, lines };
}

/** The hash of an unused password. */
export const HASH =
  "$argon2id$v=19$m=65536,t=2,p=1$MDEyMzQ1Njc4OWFiY2RlZg$0123456789abcdefghijklmnopqrstuvwxyzABCDEFG";

/** A fresh database in the file `path`, migrated. */
export async function openFileDb(path: string): Promise<Database> {
  await createMigratedFile(path);
  return openDatabase({ url: `sqlite:${path}`, poolSize: 1 }, { threads: false, logger: silentLogger });
}
