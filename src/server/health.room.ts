/** Reports on the server's state: health, system, metrics. */
import type { Auth } from "../auth/auth.ts";
import type { Content } from "../files/content.ts";
import type { LinkService } from "../links/links.service.ts";
import type { Core } from "../platform/core.ts";
import type { Platform, Room } from "../platform/room-shape.ts";

type Needs = Platform & {
  auth: Auth;
  content: Content;
  links: LinkService;
  mail?: { trouble(): Promise<string | null> };
};

/** Of certificates. */
const MOST_TROUBLES = 5;

const shortened = (messages: readonly string[]): readonly string[] =>
  messages.length <= MOST_TROUBLES
    ? messages
    : [
        ...messages.slice(0, MOST_TROUBLES),
        `And ${messages.length - MOST_TROUBLES} more: 'waymark doctor' lists all.`,
      ];

export const healthRoom = {
  name: "health",
  isServerOnly: true,
  async start(core: Core, { env, registry, worker, redis, keys, certificates, content, links, mail }: Needs) {
    const { findDiskTrouble, readDiskSpace } = await import("../lib/disk-check.ts");
    const { VERSION } = await import("../lib/version.ts");
    const { readTotals } = await import("../links/link/query.repository.ts");
    const { createHealth } = await import("../platform/health/health.service.ts");
    const routes = await import("../platform/health/health.routes.ts");
    const { createScrape } = await import("../platform/health/scrape.ts");
    const { createSystemReport } = await import("../platform/health/system.service.ts");
    const { diskProbes } = await import("../platform/settings/env.ts");
    const { config, database, clock, logger } = core;
    const isOurs = (host: string) => links.domains.isOurs(host, config.get("features.public_url"));
    const probes = diskProbes(env);
    const scrape = createScrape(registry, worker);
    const health = createHealth({
      clock,
      storageType: database.dialect.name,
      cacheType: env.cache.type,
      countLinks: links.total,
      databaseRefusal: database.refusal,
      isCacheReachable: async () => redis === null || redis.check(),
      cacheRefusal: () => redis?.refusal() ?? null,
      diskTroubles: async () => {
        const [storages, ...disks] = await Promise.all([content.troubles(), ...probes.map(findDiskTrouble)]);
        return [...disks.filter((trouble) => trouble !== null), ...storages];
      },
      mailTrouble: async () => (await mail?.trouble()) ?? null,
      keyTrouble: keys.look,
      certificateTroubles: () => shortened(certificates().flatMap(({ trouble }) => trouble?.message ?? [])),
      stagedUploads: content.staged,
    });
    const system = createSystemReport({
      clock,
      version: VERSION,
      health,
      measure: scrape.measure,
      databaseVersion: database.version,
      replica: async () => database.replica?.look() ?? null,
      importedClicks: async () => (await readTotals(database.read)).imported,
      disks: () =>
        Promise.all(
          probes.map(async (probe) => {
            const [trouble, space] = await Promise.all([findDiskTrouble(probe), readDiskSpace(probe.folder)]);
            const { freeBytes = null, totalBytes = null } = space ?? {};
            return { folder: probe.folder, trouble, freeBytes, totalBytes };
          }),
        ),
      storages: content.standings,
    });
    for (const { trouble } of certificates()) {
      if (trouble?.level === "error") logger.error(trouble.message);
      else if (trouble !== null) logger.warn(trouble.message);
    }
    return {
      offers: { system },
      endpoints: {
        api: [routes.systemEndpoint(system)],
        health: [
          ...routes.healthEndpoints({ ...health, isOurs }, routes.openProbes(env.health.openProbes)),
          ...(env.metrics.enabled ? [routes.metricsEndpoint(scrape.text)] : []),
        ],
      },
    };
  },
} satisfies Room;
