/** Puts the reports on the server's state together. */
import { diskProbes } from "../platform/settings/env.ts";
import { registerCertificateMetrics } from "../platform/health/http-metrics.ts";
import { createHealth } from "../platform/health/health.service.ts";
import type { Scrape } from "../platform/health/scrape.ts";
import { createSystemReport } from "../platform/health/system.service.ts";
import { systemClock } from "../lib/clock.ts";
import { findDiskTrouble, readDiskSpace } from "../lib/disk-check.ts";
import type { Registry } from "../lib/metrics.ts";
import { readTotals } from "../links/link/query.repository.ts";
import { withTimeout } from "../lib/timeout.ts";
import { VERSION } from "../lib/version.ts";
import type { Services } from "./services.ts";

export function createHealthReport({
  env,
  database,
  keys,
  links,
  content,
  mail,
  redis,
  certificates,
}: Services) {
  const storageTroubles = createStorageTroubles(content);
  return createHealth({
    clock: systemClock,
    storageType: database.dialect.name,
    cacheType: env.cache.type,
    countLinks: links.total,
    databaseRefusal: database.refusal,
    isCacheReachable: async () => redis === null || redis.check(),
    cacheRefusal: () => redis?.refusal() ?? null,
    diskTroubles: async () => {
      const [storages, ...disks] = await Promise.all([
        storageTroubles(),
        ...diskProbes(env).map(findDiskTrouble),
      ]);
      return [...disks.filter((trouble) => trouble !== null), ...storages];
    },
    mailTrouble: mail.trouble,
    keyTrouble: keys.look,
    certificateTroubles: () => certificates().flatMap(({ trouble }) => trouble?.message ?? []),
    stagedUploads: content.staged,
  });
}

/** In the log of the start, and as a metric. */
export function reportCertificates({ certificates, logger }: Services, registry: Registry): void {
  registerCertificateMetrics(registry, certificates);
  for (const { trouble } of certificates()) {
    if (trouble?.level === "error") logger.error(trouble.message);
    else if (trouble !== null) logger.warn(trouble.message);
  }
}

const STORAGES_MS = 1_000;

/** Why storages take no files. Slow ones, and an outage of the database, leave the last answer. */
export function createStorageTroubles({ standings }: Pick<Services["content"], "standings">) {
  let known: string[] = [];
  return (): Promise<string[]> => {
    const asked = standings().then((storages) => {
      known = storages.flatMap(({ name, trouble }) =>
        trouble === null ? [] : `The storage '${name}' takes no files: ${trouble}`,
      );
      return known;
    });
    return withTimeout(STORAGES_MS, asked, () => known).catch(() => known);
  };
}

export const createSystem = (
  { env, database, content }: Services,
  health: ReturnType<typeof createHealthReport>,
  { measure }: Pick<Scrape, "measure">,
) =>
  createSystemReport({
    clock: systemClock,
    version: VERSION,
    health,
    measure,
    databaseVersion: database.version,
    replica: async () => database.replica?.look() ?? null,
    importedClicks: async () => (await readTotals(database.read)).imported,
    disks: () =>
      Promise.all(
        diskProbes(env).map(async (probe) => {
          const [trouble, space] = await Promise.all([findDiskTrouble(probe), readDiskSpace(probe.folder)]);
          const { freeBytes = null, totalBytes = null } = space ?? {};
          return { folder: probe.folder, trouble, freeBytes, totalBytes };
        }),
      ),
    storages: content.standings,
  });
