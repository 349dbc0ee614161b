/** The storage side of files: policies, blobs, their jobs and the check. */
import type { Leases } from "../platform/cluster/leases.ts";
import type { Processes } from "../platform/cluster/processes.ts";
import type { Core } from "../platform/core.ts";
import type { SecretBox } from "../lib/secret-box.ts";
import { createLeftOvers } from "./blobs/left-overs.ts";
import { createReaper } from "./blobs/reaper.ts";
import { createBlobsRepository } from "./blobs/repository.ts";
import { createScrub } from "./blobs/scrub.ts";
import { createBlobs } from "./blobs/service.ts";
import { createStagedRepository } from "./blobs/staged.repository.ts";
import type { MoveMetrics } from "./moving/metrics.ts";
import { createObjectMove } from "./moving/object-move.ts";
import { createMovingRepository } from "./moving/repository.ts";
import { moveEndpoints } from "./moving/routes.ts";
import { createMoveRunner } from "./moving/runner.ts";
import { createStorageMoves } from "./moving/service.ts";
import { createEntriesRepository } from "./tree/entries.repository.ts";
import { createPolicyCache, createDrivers, createProbe } from "./policies/drivers.ts";
import { createPoliciesRepository } from "./policies/repository.ts";
import { policyEndpoints } from "./policies/routes.ts";
import { createStandings, type StorageStanding } from "./policies/standing.ts";
import { createPolicies } from "./policies/service.ts";
import { createStorageCheck } from "./check/storage-check.ts";
import { createStorageCheckRepository } from "./check/storage.repository.ts";
import { dataPath } from "../lib/data-folder.ts";
import { withTimeout } from "../lib/timeout.ts";
import { ownCommand } from "../lib/own-command.ts";
import type { StorageMetrics } from "./storage/metrics.ts";
import type { StorageContext } from "./storage/index.ts";
import { createTreeCheck } from "./check/tree-check.ts";
import { createTreeCheckRepository } from "./check/tree.repository.ts";
import { createDroppedFiles } from "./thumbnails/dropped.repository.ts";
import { MAKER_COMMAND } from "./thumbnails/frame.ts";
import { createMakers } from "./thumbnails/maker-process.ts";
import { createThumbnails } from "./thumbnails/service.ts";
import { createThumbnailStore } from "./thumbnails/store.ts";
import { createPathsRepository } from "./tree/paths.repository.ts";

export type Content = ReturnType<typeof createContent>;

export type ContentDeps = Core & {
  box: SecretBox;
  processes: Processes;
  locations: StorageContext["locations"];
  resolve?: StorageContext["resolve"];
  metrics?: StorageMetrics | undefined;
  scrub?: { bytesPerRun: number; bytesPerSecond: number };
  leases: Pick<Leases, "hold">;
  moveMetrics?: MoveMetrics | undefined;
  /** Objects that were moved stay so long. */
  graceMs?: number;
};

/** Longer than presigned addresses live, and than it takes from reading a row to opening its object. */
const MOVED_STAY_MS = 360_000;

const MOST_THUMBNAIL_BYTES = 1024 ** 3;

export function createContent(deps: ContentDeps) {
  const { database, changes, processes, box, record, clock, logger, locations } = deps;
  const repository = createBlobsRepository(database);
  const policiesRepository = createPoliciesRepository(database);
  const context: StorageContext = { locations, clock, ...(deps.resolve && { resolve: deps.resolve }) };
  const cache = createPolicyCache(policiesRepository);
  const ofPolicies = { repository: policiesRepository, box, context };
  const drivers = createDrivers({ ...ofPolicies, policies: cache, metrics: deps.metrics });
  const shared = { repository, policies: cache, drivers, processes, clock, logger };
  const store = createThumbnailStore({
    folder: dataPath(locations.dataDir, "thumbnails"),
    liveOf: repository.liveOf,
    mostBytes: MOST_THUMBNAIL_BYTES,
    clock,
  });
  const blobs = createBlobs({ ...shared, onRemoved: store.remove });
  const maker = createMakers([...ownCommand(), MAKER_COMMAND]);
  const thumbnails = createThumbnails({ blobs, store, maker, ...createDroppedFiles(database), logger });
  const counts = createStagedRepository(database);
  const leftOvers = createLeftOvers({ ...shared, counts });
  const reaper = createReaper({ ...shared, leftOvers, leases: deps.leases, discard: blobs.discard });
  const checks = createStorageCheckRepository(database);
  const scrub = createScrub({ ...shared, filesOf: checks.filesOf, ...deps.scrub });
  const probe = createProbe(drivers);
  const policies = createPolicies({
    ...ofPolicies,
    cache,
    changes,
    record,
    clock,
    finishDeletes: (id) => reaper.finishDeletes(id),
    probe,
  });
  const standings = createStandings({ ...shared, probe });
  const moving = createMovingRepository(database);
  const moves = createStorageMoves({
    repository: moving,
    policies: policiesRepository,
    cache,
    changes,
    record,
    filesOf: checks.filesOf,
    probe,
    clock,
  });
  const moveRunner = createMoveRunner({
    repository: moving,
    moveObject: createObjectMove({
      database,
      repository: moving,
      contents: repository,
      blobs,
      scrub,
      lockTree: createEntriesRepository(database).lock,
      clock,
      graceMs: deps.graceMs ?? MOVED_STAY_MS,
    }),
    policies: cache,
    metrics: deps.moveMetrics,
    leases: deps.leases,
    finishDeletes: (id) => reaper.finishDeletes(id),
    hasUploads: async (id) => leftOvers.isInUse(await drivers.forReading(id), await leftOvers.look()),
    settle: moves.settle,
    clock,
    logger,
  });
  let isClosed = false;
  return {
    policies,
    blobs,
    thumbnails,
    /** Moves of content from one policy to another. `run` moves in this process, which must hold the lease `MOVING`. */
    moves: { ...moves, run: moveRunner.run },
    dataDir: locations.dataDir,
    jobs: [...reaper.jobs, scrub.job, moveRunner.job],
    checkStorage: createStorageCheck({
      ...shared,
      database,
      checks,
      leftOvers,
      reaper,
      scrub,
      blobs,
      probe,
      paths: createPathsRepository(database),
      checkTrees: createTreeCheck({ database, repository: createTreeCheckRepository(database) }),
    }),
    /** Where linked files lie, and how to look at their folders. */
    diskFile: repository.diskFile,
    diskOf: drivers.diskOf,
    tag: drivers.tag,
    /** Unfinished uploads in the storages, as last counted. */
    staged: counts.total,
    /** Which storages are reachable and can be written. Rejects when the database is away. */
    standings,
    troubles: createStorageTroubles(standings),
    async warnOfTroubles(): Promise<void> {
      const troubles = troublesOf(await standings().catch(() => []));
      // On the way out of a failed start the look itself fails.
      if (isClosed) return;
      for (const trouble of troubles) logger.warn(trouble);
    },
    /** Mount them below the admin prefix. */
    endpoints: [...policyEndpoints({ policies }), ...moveEndpoints({ moves })],
    /** Makes the first policy if there is none. */
    start: policies.ensureDefault,
    async close(): Promise<void> {
      isClosed = true;
      thumbnails.close();
      await blobs.settled();
    },
  };
}

const STORAGES_MS = 1_000;

type Troubled = Pick<StorageStanding, "name" | "driverType" | "trouble">;

const troublesOf = (storages: readonly Troubled[]): string[] =>
  storages.flatMap(({ name, driverType, trouble }) => {
    if (trouble === null) return [];
    const what = driverType === "linked" ? "can't be shown" : "takes no files";
    return `The storage '${name}' ${what}: ${trouble}`;
  });

/** Warns when storages take no files, with the reason. For slow ones, and in an outage of the database, it repeats the last result. */
function createStorageTroubles(standings: ReturnType<typeof createStandings>) {
  let known: string[] = [];
  return (): Promise<string[]> => {
    const looked = standings().then((storages) => {
      known = troublesOf(storages);
      return known;
    });
    return withTimeout(STORAGES_MS, looked, () => known).catch(() => known);
  };
}
