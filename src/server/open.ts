/** Opens data folder and database, and starts the platform and the rooms on it, for a server or a command. */
import { mkdirSync, rmdirSync } from "node:fs";
import { dirname } from "node:path";
import { authoritiesFile } from "../platform/db/database-tls.ts";
import { createChanges } from "../platform/cluster/changes.ts";
import { readInstance } from "../platform/cluster/instance.repository.ts";
import { createKeyCheck, type KeyCheck } from "../platform/cluster/key-check.ts";
import { openProcessLeases } from "../platform/cluster/process-leases.ts";
import { openRedis, type Redis } from "../platform/cluster/redis.ts";
import { combineBuses } from "../platform/cluster/redis-bus.ts";
import { createRollCall } from "../platform/cluster/roll-call.ts";
import type { WorkerChannel } from "../platform/cluster/worker-channel.ts";
import { type Config, createConfig } from "../platform/config/config.service.ts";
import type { Core } from "../platform/core.ts";
import { type Database, openDatabase } from "../platform/db/database.ts";
import { isNewDatabase, isWithoutTables, migrateUp } from "../platform/db/migrate.ts";
import { movedTo } from "../platform/db/move-switch.ts";
import { retryStart } from "../platform/db/retry-start.ts";
import { createEvents } from "../platform/events/events.service.ts";
import { createBodyMemory } from "../platform/http/body-memory.ts";
import type { Platform } from "../platform/room-shape.ts";
import { type Env, fileDatabasePath, fixedSettings } from "../platform/settings/env.ts";
import type { ServerCertificates } from "../platform/wire/server-certificates.ts";
import { type CertificateFile, watchCertificates } from "../lib/certificate.ts";
import { systemClock } from "../lib/clock.ts";
import { dataPath } from "../lib/data-folder.ts";
import { appError, messageOf } from "../lib/errors.ts";
import { armFault } from "../lib/fault.ts";
import { fileTrouble, writeRefusal } from "../lib/file-trouble.ts";
import type { Logger } from "../lib/logger.ts";
import { createRegistry } from "../lib/metrics.ts";
import { createSecretBox, type SecretBox } from "../lib/secret-box.ts";
import { findSecretKey, loadSecretKey, parseSecretKey } from "../lib/secret-key.ts";
import { type beginRooms, ROOMS, type Services, startRooms } from "./rooms.ts";

export type OpenOptions = {
  logger: Logger;
  /** Uses database threads, and settings that need a restart keep their start values. */
  isServer: boolean;
  /** What a starting server has begun. */
  begun?: ReturnType<typeof beginRooms>;
  /** Those of the server; null or absent: it has none. */
  serverCertificates?: ServerCertificates | null;
  /** Reaches the other workers of the machine. */
  worker?: WorkerChannel;
  /** The error for the name of a database without tables, where none are to be made. */
  refuseNew?: (name: string) => Error;
  /** Called with the name of a database whose tables this start has created. */
  onNewDatabase?: (name: string) => void;
  /** Cancels waiting for the database. */
  stopping?: AbortSignal;
};

/** A starting server waits this long for its database. */
const START_TIMEOUT_MS = 60_000;

/** The purpose of the sealed URL in a database that has moved. */
const MOVE_PURPOSE = "database move";

/** Moves are followed this far. */
const MOST_MOVES = 10;

export type OpenRooms = Awaited<ReturnType<typeof openRooms>>;

/**
 * Opens and migrates the database, and starts the rooms. A server waits for a database that is away at any step.
 * @throws ServiceUnavailable when it stays away
 */
export async function openRooms<H extends Services = Services>(given: Env, options: OpenOptions) {
  const { logger, isServer, worker } = options;
  armFault(given.fault);
  const isNewFolder = await openDataFolder(given);
  if (isNewFolder) logger.info(`Created the data folder ${given.data.dir}.`);
  const forMs = isServer ? START_TIMEOUT_MS : 0;
  const step: Platform["step"] = (work) => retryStart(work, { forMs, logger, signal: options.stopping });
  const box: SecretBox = openSecretBox(given, () => keys.claim());
  const { env, database } = await openCurrentDatabase(given, { isServer, logger, box, step });
  const keys = openKeyCheck(env, database, box);
  let redis: Redis | null = null;
  try {
    const { refuseNew } = options;
    if (refuseNew && (await step(() => isWithoutTables(database)))) {
      if (isNewFolder) rmdirSync(given.data.dir);
      throw refuseNew(database.name);
    }
    const steps = await step(() => migrateUp(database, { logger }));
    if (isNewDatabase(steps)) options.onNewDatabase?.(database.name);
    const instance = await step(() => readInstance(database));
    const keyTrouble = isServer ? await step(keys.store) : null;
    if (keyTrouble !== null) logger.error(keyTrouble);
    if (isServer && env.cache.type === "redis")
      redis = await openRedis({ url: env.cache.redisUrl, instance, logger });
    const { serverCertificates = null } = options;
    const on = { env, database, isServer, instance, box, keys, redis, worker, step, serverCertificates };
    const { core, platform, close } = await startPlatform(on, logger);
    const started = await startRooms<H>(core, platform, options.begun);
    return {
      ...started,
      async close(): Promise<void> {
        await started.close();
        await close();
      },
    };
  } catch (error) {
    redis?.close();
    await database.close();
    throw error;
  }
}

type Opened = Pick<
  Platform,
  "env" | "isServer" | "instance" | "box" | "keys" | "redis" | "worker" | "step" | "serverCertificates"
> & {
  database: Database;
};

async function startPlatform(on: Opened, logger: Logger) {
  const { env, database, isServer, redis, worker, step } = on;
  const clock = systemClock;
  const bus = redis && worker ? combineBuses(redis.bus, worker.bus) : (redis?.bus ?? worker?.bus);
  const leases = await openProcessLeases({ database, logger, dataDir: env.data.dir, isServer });
  const around = isServer && { around: leases.aroundReading };
  const changes = createChanges({ database, clock, logger, ...(bus && { bus }), ...around });
  const startValues = (await worker?.startValues()) as ReturnType<Config["startValues"]> | null | undefined;
  const events = createEvents({ database, clock });
  const shared = { database, changes, record: events.add, clock, logger };
  const config = createConfig({
    ...shared,
    startup: isServer,
    fixed: fixedSettings(env),
    ...(startValues && { startValues }),
  });
  if (isServer) {
    // First, so that no change is missed while settings and caches load.
    await step(changes.start);
    await worker?.join();
  }
  await step(config.start);
  const core: Core = { ...shared, config };
  const certificates = watchCertificates(certificateFiles(env), clock.now);
  const platform: Platform = {
    ...on,
    leases,
    events,
    rollCall: createRollCall({ changes, processes: leases.processes, logger }),
    registry: createRegistry(),
    bodies: createBodyMemory(),
    certificates: certificates.states,
    serverCertificateReloaded: certificates.serverReloaded,
    sealMove: (url) => on.box.seal(url, MOVE_PURPOSE),
    api: { described: notYet, ask: notYet },
  };
  return {
    core,
    platform,
    async close(): Promise<void> {
      config.close();
      await leases.close();
      await changes.stop();
      redis?.close();
      await database.close();
    },
  };
}

const notYet = (): never => {
  throw new Error("The rooms have not started yet.");
};

/** The certificates that are read at the start. */
const certificateFiles = ({ server, database }: Env): CertificateFile[] => [
  ...(server.tlsCert === null
    ? []
    : [{ setting: "server.tls_cert", path: server.tlsCert, kind: "chain" as const }]),
  ...[database.url, database.replicaUrl ?? ""].flatMap((url, at) => {
    const path = authoritiesFile(url);
    const setting = `${at === 0 ? "database.url" : "database.replica_url"} (sslrootcert)`;
    return path === null ? [] : [{ setting, path, kind: "authorities" as const }];
  }),
];

/** `claim` as of createSecretBox; without it nothing may be sealed. */
export const openSecretBox = (
  { storage, data }: Env,
  claim: () => Promise<void> = () => Promise.reject(new Error("The secret key is not checked yet.")),
): SecretBox =>
  createSecretBox(
    () => parseSecretKey(storage.secretKey ?? "") ?? findSecretKey(dataPath(data.dir, "secretKey")),
    claim,
  );

function openKeyCheck({ storage, data }: Env, database: Database, box: SecretBox): KeyCheck {
  const path = dataPath(data.dir, "secretKey");
  return createKeyCheck({
    database,
    box,
    place: storage.secretKey === null ? path : "storage.secret_key",
    make: () => void loadSecretKey(path),
  });
}

type DatabaseOptions = Pick<Platform, "isServer" | "box" | "step"> & { logger: Logger };

/**
 * Opens the database of the settings, or the one that it has moved to, whose URL the returned settings have.
 * @throws Conflict for a database that can't be followed or is an unfinished copy
 */
export async function openCurrentDatabase(
  env: Env,
  { isServer, logger, box, step }: DatabaseOptions,
): Promise<{ env: Env; database: Database }> {
  let followed: string | undefined;
  for (let moves = 0; ; moves++) {
    const database = await openDatabase(env.database, { threads: isServer, replicated: true, logger });
    try {
      const moved = await step(() => movedTo(database, followed));
      if (moved === null) return { env, database };
      const url = moves < MOST_MOVES ? opened(box, moved.url) : null;
      if (url === null) {
        const message = `${database.name} has moved, and the secret key of this node does not open its new address. Put the right key back, or set database.url to the new address.`;
        throw appError("Conflict", message);
      }
      logger.warn(
        `${database.name} has moved; using its new address. Set database.url to that, before the old database is removed.`,
      );
      env = Object.freeze({ ...env, database: { ...env.database, url, replicaUrl: null } });
      followed = moved.id;
    } catch (error) {
      await database.close();
      throw error;
    }
    await database.close();
  }
}

function opened(box: SecretBox, sealed: string): string | null {
  try {
    return box.open(sealed, MOVE_PURPOSE);
  } catch {
    return null;
  }
}

/**
 * Returns whether it created the data folder. @throws BadRequest naming what is not writable, Conflict during a restore
 */
async function openDataFolder({ data: { dir }, database }: Env): Promise<boolean> {
  let made: string | undefined;
  try {
    made = mkdirSync(dir, { recursive: true, mode: 0o750 });
  } catch (cause) {
    const reason = fileTrouble(cause) ?? messageOf(cause);
    throw appError(
      "BadRequest",
      `The data folder ${dir} can't be created; change data.dir, or fix this: ${reason}`,
      { cause },
    );
  }
  const file = fileDatabasePath(database);
  const files = file === null ? [] : [dirname(file), file, `${file}-wal`, `${file}-shm`];
  const refused = writeRefusal([dir, dataPath(dir, "journal"), dataPath(dir, "processes"), ...files]);
  if (refused !== null) throw appError("BadRequest", refused);
  for (const room of ROOMS) await room.checkFolder?.(dir);
  return made !== undefined;
}
