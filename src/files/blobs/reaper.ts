/**
 * Removes what crashes leave. Soon after a process ended: left-overs of its uploads. Hourly: dead blobs, and left-overs
 * by age. Daily, because it lists everything: objects without a row that are older than `staleAfterMs`, unless their
 * process runs and may yet write the row. Skips names with another installation's tag.
 */
import { pagesAfter } from "../../lib/pages.ts";
import type { Leases } from "../../platform/cluster/leases.ts";
import type { Processes } from "../../platform/cluster/processes.ts";
import type { Job } from "../../platform/jobs/runner.ts";
import { createSetbacks } from "../setbacks.ts";
import type { DeadBlob } from "./repository.ts";
import type { Driver } from "../storage/driver.ts";
import { processOfKey, stagingOfKey, tagOfKey } from "../storage/object-key.ts";
import { HELD_MS, type LeftOvers } from "./left-overs.ts";
import type { BlobsDeps } from "./service.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const LOOK_MS = 20_000;
/** The pause after a failure. */
const RETRY_MS = 60_000;
/** Beyond this ended processes are forgotten even if a storage stays away; age removes their left-overs. */
const MOST_ENDED = 1_000;
const PAGE = 500;

/** Its holder reads objects of rows that it read before: objects of moved content stay meanwhile. */
export const BACKUP_LEASE = "storage-backup";

/** Older objects are left, those of running processes from `unheld` on. */
export type AgeLimits = { before: number; unheld: number; running: ReadonlySet<string> };

export type Reaper = ReturnType<typeof createReaper>;

type Deps = Pick<BlobsDeps, "repository" | "policies" | "drivers" | "clock" | "logger"> & {
  leftOvers: LeftOvers;
  processes: Processes;
  leases: Pick<Leases, "hold">;
  discard(dead: readonly DeadBlob[], options?: { again?: boolean }): Promise<void>;
};

export function createReaper(deps: Deps) {
  const { repository, policies, drivers, leftOvers, processes, leases, discard, clock, logger } = deps;
  const setbacks = createSetbacks<string>(clock);
  let lookMs = LOOK_MS;

  /** Whether a backup may still read objects of moved content. */
  async function isBackedUp(policyId: number): Promise<boolean> {
    if ((await policies.find(policyId)).moveState === null) return false;
    return (await leases.hold(BACKUP_LEASE, LOOK_MS, () => Promise.resolve())) === null;
  }

  /** `again`: skips those that wait after a failure. */
  async function finishDeletes(
    policyId: number,
    { signal, again = false }: { signal?: AbortSignal; again?: boolean } = {},
  ): Promise<void> {
    const keptUntil = (await isBackedUp(policyId)) ? 0 : clock.now();
    const find = (after: number, limit: number) => repository.dead(policyId, after, limit, keptUntil);
    for await (const page of pagesAfter(0, PAGE, find, ({ id }) => id)) {
      signal?.throwIfAborted();
      await discard(page, { again });
    }
  }

  /** What tells objects that a crash left from those whose process may yet write the row. */
  async function ageLimits(driver: Driver): Promise<AgeLimits> {
    const before = clock.now() - driver.staleAfterMs;
    return { before, unheld: before - HELD_MS, running: (await leftOvers.look()).running };
  }

  async function orphansAmong(
    objects: readonly { key: string; modifiedAt: number }[],
    { before, unheld, running }: AgeLimits,
  ): Promise<string[]> {
    const tag = await drivers.tag();
    const old = objects
      .filter(({ key, modifiedAt }) => modifiedAt < before && tagOfKey(key) === tag)
      .filter(({ key, modifiedAt }) => modifiedAt < unheld || !isOfAny(running, key))
      .map(({ key }) => key);
    const rowless = await without(old, await repository.knownKeys(old));
    // One transaction replaces the upload's row by the blob's, so look for uploads first, then for blobs again.
    const ids = rowless.map(stagingOfKey).filter((id) => id !== null);
    const uploads = await repository.knownUploads(ids);
    const suspects = rowless.filter((key) => !uploads.has(stagingOfKey(key) ?? ""));
    return without(suspects, await repository.knownKeys(suspects));
  }

  /** Whether no policy failed. */
  async function forEachPolicy(
    signal: AbortSignal,
    work: (driver: Driver, id: number) => Promise<unknown>,
  ): Promise<boolean> {
    let isDone = true;
    for (const { id, name } of await policies.list()) {
      signal.throwIfAborted();
      try {
        await work(await drivers.verify(id, { mark: false }), id);
      } catch (error) {
        if (signal.aborted) throw error;
        isDone = false;
        logger.warn({ err: error, policy: name }, "storage clean-up failed; the next run tries again");
      }
    }
    return isDone;
  }

  const afterProcesses: Job = {
    name: "storage-left-overs",
    everyMs: () => lookMs,
    async run(signal) {
      const digits = await leftOvers.look();
      if (digits.numbers.size === 0) return;
      let isAllGone = true;
      const isDone = await forEachPolicy(signal, async (driver, id) => {
        isAllGone = (await leftOvers.sweep(id, driver, digits, signal)) && isAllGone;
      });
      lookMs = isDone ? LOOK_MS : RETRY_MS;
      if ((isDone && isAllGone) || digits.numbers.size >= MOST_ENDED) await processes.forget(digits.numbers);
    },
  };

  const hourly: Job = {
    name: "storage-reaper",
    everyMs: () => HOUR_MS,
    async run(signal) {
      const digits = await leftOvers.look();
      await forEachPolicy(signal, async (driver, id) => {
        await finishDeletes(id, { signal, again: true });
        await leftOvers.sweep(id, driver, digits, signal);
      });
    },
  };

  const daily: Job = {
    name: "storage-orphans",
    everyMs: () => DAY_MS,
    async run(signal) {
      await forEachPolicy(signal, async (driver) => {
        const limits = await ageLimits(driver);
        for await (const page of driver.listObjects()) {
          signal.throwIfAborted();
          for (const key of await orphansAmong(page, limits)) {
            if (setbacks.waits(key)) continue;
            logger.info({ key }, "removing an object that a crash left");
            await driver.remove(key).catch((err: unknown) => {
              if (setbacks.add(key, key))
                logger.warn({ err, key }, "the object could not be removed; it will be tried again");
            });
          }
        }
      });
    },
  };

  return { jobs: [afterProcesses, hourly, daily] as const, finishDeletes, ageLimits, orphansAmong };
}

/** Whether one of these processes stored the object. */
function isOfAny(processes: ReadonlySet<string>, key: string): boolean {
  const process = processOfKey(key);
  return process !== null && processes.values().some((digits) => digits.startsWith(process));
}

const without = (keys: readonly string[], known: ReadonlyMap<string, unknown>): string[] =>
  keys.filter((key) => !known.has(key));
