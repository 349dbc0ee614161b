/** Puts the reports on the server's state together. */
import { diskProbes } from "./env.ts";
import { createHealth } from "./health/health.service.ts";
import type { Scrape } from "./health/scrape.ts";
import { createSystemReport } from "./health/system.service.ts";
import { systemClock } from "./lib/clock.ts";
import { findDiskTrouble, readDiskSpace } from "./lib/disk-check.ts";
import { VERSION } from "./lib/version.ts";
import type { Services } from "./services.ts";

export const createHealthReport = ({ env, database, links, content, redis }: Services) =>
  createHealth({
    clock: systemClock,
    storageType: database.dialect.name,
    cacheType: env.cache.type,
    countLinks: links.total,
    isCacheReachable: async () => redis === null || redis.check(),
    diskTroubles: async () => {
      const found = await Promise.all(diskProbes(env).map(findDiskTrouble));
      return found.filter((trouble) => trouble !== null);
    },
    stagedUploads: content.staged,
  });

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
