/**
 * Removes what crashes leave. Hourly: dead blobs and abandoned stagings. Daily, because it lists everything: objects
 * without a row. Stagings and objects younger than `staleAfterMs` stay. Resumable uploads stay until they expire. Names
 * with another installation's tag are skipped.
 */
import type { Job } from "../../jobs/runner.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Logger } from "../../lib/logger.ts";
import type { DeadBlob } from "./blob.ts";
import type { BlobsRepository } from "./repository.ts";
import type { PolicyCache } from "../policies/cache.ts";
import type { Drivers } from "../policies/drivers.ts";
import type { Driver } from "../storage/driver.ts";
import { stagingOfKey, tagOfKey, tagOfStaging } from "../storage/object-key.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const PAGE = 500;

export type Reaper = ReturnType<typeof createReaper>;

type Deps = {
  repository: BlobsRepository;
  policies: PolicyCache;
  drivers: Drivers;
  discard(dead: readonly DeadBlob[]): Promise<void>;
  clock: Clock;
  logger: Logger;
};

export function createReaper({ repository, policies, drivers, discard, clock, logger }: Deps) {
  async function finishDeletes(policyId: number, signal?: AbortSignal): Promise<void> {
    let page: DeadBlob[] = [];
    do {
      signal?.throwIfAborted();
      page = await repository.dead(policyId, page.at(-1)?.id ?? 0, PAGE);
      await discard(page);
    } while (page.length === PAGE);
  }

  /** Ids, in pages. */
  async function* staleStagings(
    driver: Driver,
    staleAfterMs = driver.staleAfterMs,
  ): AsyncGenerator<string[]> {
    const tag = await drivers.tag();
    for await (const all of driver.listStagings(clock.now() - staleAfterMs)) {
      const ids = all.filter((id) => tagOfStaging(id) === tag);
      const wanted = await repository.knownUploads(ids);
      yield ids.filter((id) => !wanted.has(id));
    }
  }

  async function orphansAmong(
    objects: readonly { key: string; modifiedAt: number }[],
    before: number,
  ): Promise<string[]> {
    const tag = await drivers.tag();
    const old = objects
      .filter(({ key, modifiedAt }) => modifiedAt < before && tagOfKey(key) === tag)
      .map(({ key }) => key);
    const rowless = await without(old, await repository.knownKeys(old));
    // One transaction replaces the upload's row by the blob's, so look for uploads first, then for blobs again.
    const ids = rowless.map(stagingOfKey).filter((id) => id !== null);
    const uploads = await repository.knownUploads(ids);
    const suspects = rowless.filter((key) => !uploads.has(stagingOfKey(key) ?? ""));
    return without(suspects, await repository.knownKeys(suspects));
  }

  async function forEachPolicy(
    signal: AbortSignal,
    work: (driver: Driver, id: number) => Promise<void>,
  ): Promise<void> {
    for (const { id, name } of await policies.list()) {
      signal.throwIfAborted();
      try {
        await work(await drivers.verify(id, { mark: false }), id);
      } catch (error) {
        if (signal.aborted) throw error;
        logger.warn({ err: error, policy: name }, "storage clean-up failed; the next run tries again");
      }
    }
  }

  const hourly: Job = {
    name: "storage-reaper",
    everyMs: () => HOUR_MS,
    run: (signal) =>
      forEachPolicy(signal, async (driver, id) => {
        await finishDeletes(id, signal);
        for await (const ids of staleStagings(driver)) {
          for (const staging of ids) {
            signal.throwIfAborted();
            await driver.removeStaging(staging);
          }
        }
      }),
  };

  const daily: Job = {
    name: "storage-orphans",
    everyMs: () => DAY_MS,
    run: (signal) =>
      forEachPolicy(signal, async (driver) => {
        const before = clock.now() - driver.staleAfterMs;
        for await (const page of driver.listObjects()) {
          signal.throwIfAborted();
          for (const key of await orphansAmong(page, before)) {
            logger.info({ key }, "removing an object that a crash left");
            await driver.remove(key);
          }
        }
      }),
  };

  return { jobs: [hourly, daily] as const, finishDeletes, staleStagings, orphansAmong };
}

const without = (keys: readonly string[], known: ReadonlyMap<string, unknown>): string[] =>
  keys.filter((key) => !known.has(key));
