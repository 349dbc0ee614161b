import { createPrivacy } from "../extras/privacy/privacy.service.ts";
import { rmdirSync } from "node:fs";
import { createAuth } from "../auth/auth.ts";
import { createFailureCounter } from "../auth/auth-core.ts";
import { createPasswords } from "../auth/login/password.ts";
import { parseAgent } from "../clicks/details/agents.ts";
import { createReports } from "../clicks/reports.ts";
import { createChanges } from "../platform/cluster/changes.ts";
import { readInstance } from "../platform/cluster/instance.repository.ts";
import { authoritiesFile } from "../platform/db/database-tls.ts";
import { openRedis, type Redis } from "../platform/cluster/redis.ts";
import { combineBuses } from "../platform/cluster/redis-bus.ts";
import type { KeyCheck } from "../platform/cluster/key-check.ts";
import { createRepeats } from "../platform/cluster/repeats.ts";
import { createRollCall } from "../platform/cluster/roll-call.ts";
import { openProcessLeases } from "../platform/cluster/process-leases.ts";
import type { WorkerChannel } from "../platform/cluster/worker-channel.ts";
import { type Config, createConfig } from "../platform/config/config.service.ts";
import { ROUTE_PREFIX_KEYS } from "../platform/config/route-prefixes.ts";
import type { Database } from "../platform/db/database.ts";
import { isNewDatabase, isWithoutTables, migrateUp } from "../platform/db/migrate.ts";
import { retryStart } from "../platform/db/retry-start.ts";
import { createEvents } from "../platform/events/events.service.ts";
import { type Env, fixedSettings, usedPaths } from "../platform/settings/env.ts";
import { createContent } from "../files/content.ts";
import { createDrive } from "../files/drive.ts";
import { createStorageMetrics } from "../files/storage/metrics.ts";
import { createBodyMemory } from "../platform/http/body-memory.ts";
import { createOrigins } from "../platform/http/origins.ts";
import { createProxies } from "../auth/proxies.ts";
import { type CertificateFile, watchCertificates } from "../lib/certificate.ts";
import { systemClock } from "../lib/clock.ts";
import { armFault } from "../lib/fault.ts";
import type { Logger } from "../lib/logger.ts";
import { createRegistry, type Registry } from "../lib/metrics.ts";
import { createClickStream } from "../extras/stream/stream.ts";
import { createLinkCsv } from "../links/csv/service.ts";
import type { SecretBox } from "../lib/secret-box.ts";
import { codeBelow } from "../links/fallback/loops.ts";
import { createLinkOperations } from "../links/link/metrics.ts";
import { createLinkService, type LinkService } from "../links/links.service.ts";
import { createIdentity } from "../visitors/identity.ts";
import { MOVE_PURPOSE, openCurrentDatabase, openKeyCheck, openSecretBox } from "./services-database.ts";
import { targetListsIn } from "./services-policies.ts";
import { startMail, startNotices } from "./services-mail.ts";
import { startImports } from "./services-imports.ts";
import { startSharing } from "./services-sharing.ts";
import { createVisitorDoor } from "../visitors/door.ts";
import { startWebhooks } from "./services-webhooks.ts";
import { openDataFolder } from "./services-folder.ts";

export type Services = Awaited<ReturnType<typeof startRooms>>;

export type ServiceOptions = {
  logger: Logger;
  /** Uses database threads, and settings that need a restart keep their start values. */
  server: boolean;
  registry?: Registry;
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

/**
 * Opens and migrates the database. A server waits for one that is away at any step.
 * @throws ServiceUnavailable when it stays away
 */
export async function openServices(given: Env, options: ServiceOptions): Promise<Services> {
  const { logger } = options;
  armFault(given.fault);
  const isNewFolder = openDataFolder(given);
  if (isNewFolder) logger.info(`Created the data folder ${given.data.dir}.`);
  const forMs = options.server ? START_TIMEOUT_MS : 0;
  const step: Step = (work) => retryStart(work, { forMs, logger, signal: options.stopping });
  const box: SecretBox = openSecretBox(given, () => keys.claim());
  const { env, database } = await openCurrentDatabase(given, { ...options, box, step });
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
    const keyTrouble = options.server ? await step(keys.store) : null;
    if (keyTrouble !== null) logger.error(keyTrouble);
    if (options.server) redis = await openSharedRedis(env, instance, logger);
    return await startRooms(env, { database, box, keys, instance, redis, step }, options);
  } catch (error) {
    redis?.close();
    await database.close();
    throw error;
  }
}

/** Repeats work of the start while the database is away. */
type Step = <T>(work: () => Promise<T>) => Promise<T>;

type Opened = {
  database: Database;
  box: SecretBox;
  keys: KeyCheck;
  instance: string;
  redis: Redis | null;
  step: Step;
};

/** What all rooms use. */
async function startShared(env: Env, { database, redis, step }: Opened, options: ServiceOptions) {
  const { logger, server, worker } = options;
  const clock = systemClock;
  const bus = redis && worker ? combineBuses(redis.bus, worker.bus) : (redis?.bus ?? worker?.bus);
  const leases = await openProcessLeases({ database, logger, dataDir: env.data.dir, isServer: server });
  const changes = createChanges({
    database,
    clock,
    logger,
    ...(bus && { bus }),
    ...(server && { around: leases.answering }),
  });
  const startValues = (await worker?.startValues()) as ReturnType<Config["startValues"]> | null | undefined;
  const events = createEvents({ database, clock });
  const config = createConfig({
    database,
    changes,
    record: events.add,
    clock,
    logger,
    startup: server,
    fixed: fixedSettings(env),
    ...(startValues && { startValues }),
  });
  if (server) {
    // First, so that no change is missed while settings and caches load.
    await step(changes.start);
    await worker?.join();
  }
  await step(config.start);
  const rollCall = createRollCall({ changes, processes: leases.processes, logger });
  const proxies = createProxies({ dataDir: env.data.dir, config, logger, clock });
  const certificates = watchCertificates(certificateFiles(env), clock.now);
  const reported = { proxies, certificates };
  return { clock, leases, changes, rollCall, events, record: events.add, config, reported };
}

async function startRooms(env: Env, opened: Opened, options: ServiceOptions) {
  const { database, box, keys, instance, redis, step } = opened;
  const { logger, worker, registry = createRegistry() } = options;
  const common = await startShared(env, opened, options);
  const { clock, leases, changes, rollCall, events, record, config } = common;
  const identity = createIdentity(config);
  const mail = startMail(env, { database, changes, config, identity, instance, registry, clock, logger });
  const passwords = createPasswords();
  const auth = createAuth({
    database,
    box,
    changes,
    record,
    config,
    passwords,
    mail: mail.forAccounts,
    files: () => drive.transfers,
    clock,
    logger,
    describeAgent: parseAgent,
    ...(worker && { tryLogin: worker.takeLoginTry }),
    onFailure: createFailureCounter(registry),
    proxies: common.reported.proxies,
  });
  config.refuse("oidc.password_sign_in", auth.refusalOfPasswordSignIn);
  const routePrefixes = () => ROUTE_PREFIX_KEYS.map((key) => config.get(key));
  const shared = { database, changes, record, routePrefixes, hashPassword: passwords.hashPassword, clock };
  const operations = createLinkOperations(registry);
  const publicUrl = () => config.get("features.public_url");
  const links = startLinks({ ...shared, config, events, operations });
  await step(links.domains.load);
  events.nameDomains(links.domains.hostOf);
  config.refuse("features.public_url", links.domains.refusalOfPublicUrl);
  const content = createContent({
    database,
    changes,
    processes: leases.processes,
    record,
    box,
    clock,
    logger,
    locations: { dataDir: env.data.dir, roots: env.storage.localRoots, used: usedPaths(env) },
    metrics: createStorageMetrics(registry),
  });
  await step(content.start);
  const notices = startNotices({ mail, auth, links, events });
  const webhooks = startWebhooks(env, { ...common, database, box, instance, registry, logger });
  await step(webhooks.load);
  const bodies = createBodyMemory();
  const door = createVisitorDoor({ ...links, config, guards: auth, identity, bodies, clock, logger });
  const origins = createOrigins({ publicUrl, trustedHop: auth.trustedHop, server: env.server });
  const trashDays = () => config.get("files.trash_days");
  const drive = createDrive({ ...common, database, content, logger, trashDays });
  const rooms = { ...common, database, drive, content, links, door, mail, auth, notices, webhooks };
  const sharing = startSharing({ ...rooms, originOf: origins.ofRequest, logger });
  const stream = openStream(env, database, links);
  const reports = createReports({ ...common, database, links, copy: stream, logger });
  const imports = startImports(env, { ...shared, ...common, links, files: drive.moved, box, ...options });
  return {
    env,
    logger,
    box,
    keys,
    database,
    sealMove: (url: string) => box.seal(url, MOVE_PURPOSE),
    /** UUID of the database. */
    instance,
    leases,
    changes,
    config,
    auth,
    links,
    /** Of the database operations on links. */
    operations,
    events,
    rollCall,
    privacy: createPrivacy({ ...shared, stream, settle: rollCall.call, removeAccount: auth.users.remove }),
    imports,
    csv: createLinkCsv({ ...shared, events, domains: links.domains, validateTargets: links.validateTargets }),
    reports,
    /** Null without ClickHouse. */
    stream,
    content,
    drive,
    sharing,
    door,
    mail,
    notices,
    webhooks,
    bodies,
    repeats: createRepeats({ database, clock }),
    origins,
    ...common.reported,
    /** Null unless `cache.type` is redis. */
    redis,
    hashPassword: passwords.hashPassword,
    routePrefixes,
    async close(): Promise<void> {
      await imports.close();
      links.close();
      webhooks.close();
      config.close();
      await content.close();
      await leases.close();
      await changes.stop();
      redis?.close();
      await database.close();
    },
  };
}

type SettingsOfLinks =
  | "randomCodeLength"
  | "shareCodeLength"
  | "restoreDays"
  | "publicUrl"
  | "holdPublicUrl"
  | "ownCode"
  | "targetLists";

const startLinks = ({
  config,
  ...shared
}: Omit<Parameters<typeof createLinkService>[0], SettingsOfLinks> & { config: Config }) =>
  createLinkService({
    ...shared,
    randomCodeLength: () => config.get("features.random_code_length"),
    shareCodeLength: () => config.get("features.share_code_length"),
    restoreDays: () => config.get("links.restore_days"),
    publicUrl: () => config.get("features.public_url"),
    holdPublicUrl: (tx) => config.hold("features.public_url", tx),
    ownCode: (url, asked = "") => codeBelow(config.get("features.public_url") || asked, url),
    targetLists: targetListsIn(config),
  });

const openStream = ({ clickhouse: { url } }: Env, database: Database, { domains }: LinkService) =>
  url === null ? null : createClickStream({ database, url, nameOf: domains.nameOf, clock: systemClock });

/** Read at the start. */
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

async function openSharedRedis({ cache }: Env, instance: string, logger: Logger): Promise<Redis | null> {
  return cache.type === "redis" ? openRedis({ url: cache.redisUrl, instance, logger }) : null;
}
