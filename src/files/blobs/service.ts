/**
 * Content: stored once per policy, counted by its holders, removed with the last one.
 *
 * Storing: bytes go to a staging, become a durable object under a unique key, then a transaction writes the row and the
 * file that holds it. Removing: the transaction that removes the last holder marks the row dead, then the object goes,
 * then the row. A crash leaves an object without row or a dead row for the reaper (reaper.ts).
 *
 * Every upload writes its bytes, so its time does not reveal whether they existed. One upsert on (policy, sha256, live)
 * decides which object stays. A dead blob never returns: the same content gets a new generation and key, so a late
 * removal can't hit it. After a commit with unknown outcome the object stays, and the reaper decides by the row.
 */
import type { Db } from "../../platform/db/dialect.ts";
import type { Clock } from "../../lib/clock.ts";
import { inParallel } from "../../lib/in-parallel.ts";
import { fault } from "../../lib/fault.ts";
import { createSetbacks } from "../setbacks.ts";
import type { BlobsRepository, DeadBlob } from "./repository.ts";
import { createKeeping, type StoredBytes } from "./keeping.ts";
import { createOpening } from "./opening.ts";
import { createReadBack } from "./read-back.ts";
import { createReadQueues } from "./read-queue.ts";
import type { Drivers, PolicyCache } from "../policies/drivers.ts";
import type { Driver, Staging } from "../storage/driver.ts";
import { isStorageFailure } from "../storage/storage-failure.ts";
import type { Processes } from "../../platform/cluster/processes.ts";
import type { Logger } from "../../lib/logger.ts";
import { newContentGeneration, newOwnStagingId, newStagingId } from "../storage/object-key.ts";
import { createHashes, digestOf, measured, type Meter } from "./hashes.ts";

export type { StoredBytes } from "./keeping.ts";
export type { OpenBlob } from "./opening.ts";
export type Blobs = ReturnType<typeof createBlobs>;

const DISCARDS_AT_ONCE = 8;

export type BlobsDeps = ReceivingDeps & {
  repository: BlobsRepository;
  policies: PolicyCache;
  /** Removes what was made of the content. Never rejects. */
  onRemoved(id: number): Promise<void>;
  clock: Clock;
};

export function createBlobs({
  repository,
  policies,
  drivers,
  processes,
  onRemoved,
  clock,
  logger,
}: BlobsDeps) {
  const setbacks = createSetbacks<number>(clock);
  const pending = new Set<Promise<void>>();
  const hashes = createHashes();

  function inBackground(work: Promise<void>): void {
    pending.add(work);
    void work.finally(() => pending.delete(work));
  }

  const { keep, keepAll } = createKeeping({ repository, clock, inBackground });

  async function discardOne({ id, policyId, objectKey }: DeadBlob): Promise<void> {
    try {
      const driver = await drivers.forWriting(policyId);
      await driver.remove(objectKey);
      await onRemoved(id);
      fault("blob.object-removed");
      await repository.removeDead(id);
    } catch (error) {
      if (setbacks.add(id, id))
        logger.warn(
          { err: error, blob: id },
          "deleted content could not be removed; the reaper will try again, less and less often",
        );
    }
  }

  return {
    ...createReceiving({ drivers, processes, logger, hashes }),
    readBack: createReadBack({ drivers, hashes }),
    ...createOpening({ repository, policies, drivers }),

    keep,
    keepAll,

    readQueueOf: createReadQueues(),

    /**
     * Releases one reference per id (ids may repeat), in the transaction that removes the holders. After its commit,
     * pass the result to `discard`.
     */
    async release(tx: Db, ids: readonly number[]): Promise<DeadBlob[]> {
      const dead = await repository.release(tx, countsOf(ids));
      fault("blob.released");
      return dead;
    },

    /** Adds one reference per id, in the transaction that copies the holders and holds their trees. */
    retain: (tx: Db, ids: readonly number[]): Promise<void> => repository.addRefs(tx, countsOf(ids)),

    /** The reaper removes what is left. `again`: without blobs that wait after a failure. Never rejects. */
    async discard(dead: readonly DeadBlob[], { again = false } = {}): Promise<void> {
      if (dead.length > 0) fault("blob.dead");
      const due = again ? dead.filter(({ id }) => !setbacks.waits(id)) : dead;
      await inParallel(due, DISCARDS_AT_ONCE, discardOne);
    },

    /** Resolves when no removal runs. */
    async settled(): Promise<void> {
      while (pending.size > 0) await Promise.all(pending);
    },
  };
}

function countsOf(ids: readonly number[]): Map<number, number> {
  const counts = new Map<number, number>();
  // One order prevents deadlocks.
  for (const id of ids.toSorted((one, other) => one - other)) counts.set(id, (counts.get(id) ?? 0) + 1);
  return counts;
}

export type StoreOptions = {
  /** Beyond it FileTooLargeForPolicy; 0: unlimited. */
  maxBytes: number;
  /** Ends the upload between two chunks with its reason. */
  signal?: AbortSignal | undefined;
};

/** Suspended between two appends, resumed by id. */
export type OpenUpload = Pick<Staging, "received" | "suspend" | "settle" | "abort"> & {
  /** Like Staging.append. The limits of StoreOptions count from the first byte of the upload. */
  append(source: AsyncIterable<Uint8Array>, options: StoreOptions): Promise<void>;
  /**
   * Completes the upload. After StorageUnavailable `resume` has the bytes that were durable, after other errors
   * nothing is left.
   */
  finish(): Promise<StoredBytes>;
};

type ReceivingDeps = { drivers: Drivers; processes: Processes; logger: Logger };
type Hashing = { hashes: ReturnType<typeof createHashes> };

/** Bytes on their way into a storage, where they become an object without a row (keeping.ts). */
function createReceiving({ drivers, processes, logger, hashes }: ReceivingDeps & Hashing) {
  const remove = async (driver: Driver, key: string): Promise<void> => {
    await driver.remove(key).catch((error: unknown) => {
      logger.warn({ err: error, key }, "an object could not be removed; the reaper will try again");
    });
  };

  async function place(
    policyId: number,
    driver: Driver,
    staging: Staging,
    sha256: string,
  ): Promise<StoredBytes> {
    const size = staging.received;
    const generation = newContentGeneration(await drivers.tag(), await processes.number());
    const objectKey = await staging.finish({ sha256, generation });
    const drop = () => remove(driver, objectKey);
    const isOnDisk = driver.disk !== undefined;
    return { policyId, sha256, size, generation, objectKey, drop, ...(isOnDisk && { isOnDisk }) };
  }

  function openUpload(policyId: number, driver: Driver, staging: Staging, meter: Meter | null): OpenUpload {
    return {
      get received() {
        return staging.received;
      },
      async append(source, options) {
        const from = staging.received;
        const { blocks } = hashes;
        await staging.append(measured(source, { ...options, meter, blocks, from, isWhole: false }));
      },
      async suspend() {
        await staging.suspend();
        if (meter !== null) hashes.put(staging.id, meter);
      },
      async finish() {
        try {
          return await place(policyId, driver, staging, await digestOf(staging, meter));
        } catch (error) {
          meter?.drop();
          if (!isStorageFailure(error)) await staging.abort();
          throw error;
        }
      },
      settle: () => staging.settle(),
      async abort() {
        meter?.drop();
        await staging.abort();
      },
    };
  }

  return {
    /**
     * Reads the source to its end. After a failure nothing is left. @throws PolicyNotFound, FileTooLargeForPolicy,
     * StorageUnavailable, errors of the source
     */
    async store(
      source: AsyncIterable<Uint8Array>,
      policyId: number,
      options: StoreOptions,
    ): Promise<StoredBytes> {
      const driver = await drivers.forWriting(policyId);
      const staging = await driver.stage(newOwnStagingId(await drivers.tag(), await processes.number()));
      const meter = hashes.create();
      const { blocks } = hashes;
      try {
        await staging.append(measured(source, { ...options, meter, blocks, from: 0, isWhole: true }));
        fault("blob.written");
        return await place(policyId, driver, staging, await digestOf(staging, meter));
      } catch (error) {
        meter.drop();
        await staging.abort();
        throw error;
      }
    },

    /** A lower-case UUID, for `begin` and the reaper. */
    newUploadId: async (): Promise<string> => newStagingId(await drivers.tag()),

    /** Begins a resumable upload under an id of newUploadId. @throws like store */
    async begin(policyId: number, id: string): Promise<OpenUpload> {
      const driver = await drivers.forWriting(policyId);
      return openUpload(policyId, driver, await driver.stage(id), hashes.create());
    },

    /**
     * `received` bytes are durable; the storage may have more. One caller at a time. @throws StorageUnavailable if
     * bytes are missing
     */
    async resume(policyId: number, id: string, received: number): Promise<OpenUpload> {
      const driver = await drivers.forWriting(policyId);
      const staging = await driver.resume(id, received);
      return openUpload(policyId, driver, staging, hashes.take(id, staging.received));
    },

    /** Removes the bytes of an upload of any process. @throws StorageUnavailable */
    async forgetUpload(policyId: number, id: string): Promise<void> {
      hashes.take(id, -1);
      await (await drivers.forWriting(policyId)).removeStaging(id);
    },
  };
}
