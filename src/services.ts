/** The rooms on one migrated database, as the server and the commands share them. */
import { mkdirSync } from "node:fs";
import { type Auth, createAuth } from "./auth/auth.ts";
import { createPasswords } from "./auth/password.ts";
import type { FailureMethod } from "./auth/password-check.ts";
import { type Changes, createChanges } from "./cluster/changes.ts";
import type { WorkerChannel } from "./cluster/worker-channel.ts";
import { type Config, createConfig } from "./config/config.service.ts";
import { type Database, openDatabase } from "./db/database.ts";
import { migrateUp } from "./db/migrate.ts";
import type { Env } from "./env.ts";
import { systemClock } from "./lib/clock.ts";
import { appError } from "./lib/errors.ts";
import type { Logger } from "./lib/logger.ts";
import { createLinkCsv, type LinkCsv } from "./links/links.csv.service.ts";
import type { OperationObserver } from "./lib/timed-methods.ts";
import { createLinkService, type LinkService } from "./links/links.service.ts";

export type Services = {
  env: Env;
  logger: Logger;
  database: Database;
  changes: Changes;
  config: Config;
  auth: Auth;
  links: LinkService;
  csv: LinkCsv;
  hashPassword(plain: string): Promise<string>;
  routePrefixes(): readonly string[];
  close(): Promise<void>;
};

export type ServiceOptions = {
  logger: Logger;
  /** A server: database threads, and settings that need a restart keep their start values. */
  server: boolean;
  onAuthFailure?: (method: FailureMethod) => void;
  /** Hears how long the database took for an operation on links. */
  onDatabaseOperation?: OperationObserver;
  /** What ties a worker process to the others of its machine. */
  worker?: WorkerChannel;
};

/** Opens and migrates the database and starts the rooms. Rejects with ServiceUnavailable when it is away. */
export async function openServices(env: Env, options: ServiceOptions): Promise<Services> {
  const { logger } = options;
  makeDataFolder(env.data.dir);
  const database = await openDatabase(env.database, { threads: options.server, logger });
  try {
    await migrateUp(database, { logger });
    return await startRooms(env, database, options);
  } catch (error) {
    await database.close();
    throw error;
  }
}

async function startRooms(env: Env, database: Database, options: ServiceOptions): Promise<Services> {
  const { logger, server, worker, onAuthFailure, onDatabaseOperation } = options;
  const clock = systemClock;
  const changes = createChanges({
    db: database,
    clock,
    logger,
    origin: crypto.randomUUID(),
    ...(worker && { bus: worker.bus }),
  });
  const startValues = (await worker?.startValues()) as ReturnType<Config["startValues"]> | null | undefined;
  const config = createConfig({
    db: database,
    changes,
    clock,
    logger,
    startup: server,
    ...(startValues && { startValues }),
  });
  if (server) {
    // Listening first: what changes while settings and caches are read is heard.
    await changes.start();
    await worker?.join();
  }
  await config.start();
  const passwords = createPasswords();
  const auth = createAuth({
    database,
    changes,
    config,
    passwords,
    clock,
    logger,
    ...(worker && { tryLogin: worker.takeLoginTry }),
    ...(onAuthFailure && { onFailure: onAuthFailure }),
  });
  const routePrefixes = () => [
    config.get("routes.admin_prefix"),
    config.get("routes.health_prefix"),
    config.get("routes.frontend_prefix"),
  ];
  const { hashPassword } = passwords;
  const shared = { database, changes, routePrefixes, hashPassword, clock };
  const links = createLinkService({
    ...shared,
    randomCodeLength: () => config.get("features.random_code_length"),
    ...(onDatabaseOperation && { observe: onDatabaseOperation }),
  });
  return {
    env,
    logger,
    database,
    changes,
    config,
    auth,
    links,
    csv: createLinkCsv(shared),
    hashPassword,
    routePrefixes,
    async close() {
      links.close();
      config.close();
      await changes.stop();
      await database.close();
    },
  };
}

function makeDataFolder(dir: string): void {
  try {
    mkdirSync(dir, { recursive: true, mode: 0o750 });
  } catch (cause) {
    throw appError(
      "BadRequest",
      `The data folder ${dir} can't be made; set data.dir to a folder this user may write.`,
      {
        cause,
      },
    );
  }
}
