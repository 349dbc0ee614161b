/** Bytes on their way into a storage, where they become an object without a row (keeping.ts). */
import type { Processes } from "../../platform/cluster/processes.ts";
import { fault } from "../../lib/fault.ts";
import type { Logger } from "../../lib/logger.ts";
import type { Drivers } from "../policies/drivers.ts";
import type { Driver, Staging } from "../storage/driver.ts";
import { newContentGeneration, newOwnStagingId, newStagingId } from "../storage/object-key.ts";
import { isStorageFailure } from "../storage/storage-failure.ts";
import { createHashes, digestOf, type Meter, measured } from "./hashes.ts";
import type { StoredBytes } from "./keeping.ts";

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

export type ReceivingDeps = { drivers: Drivers; processes: Pick<Processes, "number">; logger: Logger };

export function createReceiving({ drivers, processes, logger }: ReceivingDeps) {
  const hashes = createHashes();

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
    const generation = newContentGeneration(await drivers.tag());
    const objectKey = await staging.finish({ sha256, generation });
    const drop = () => remove(driver, objectKey);
    return { policyId, sha256, size, generation, objectKey, drop };
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
