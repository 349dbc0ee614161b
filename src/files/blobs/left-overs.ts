/**
 * Left-overs of uploads: staged bytes that belong to no resumable upload, and whose process has ended or that nobody
 * changed for `staleAfterMs`, or for 30 days while the process runs: S3 knows only when an upload began. Skips names
 * with another installation's tag.
 */
import type { Processes } from "../../platform/cluster/processes.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Logger } from "../../lib/logger.ts";
import { createSetbacks } from "../setbacks.ts";
import type { Drivers } from "../policies/drivers.ts";
import type { Driver, StagedBytes } from "../storage/driver.ts";
import { processDigits, processOfStaging, tagOfStaging } from "../storage/object-key.ts";
import type { BlobsRepository } from "./repository.ts";
import type { StagedCount, StagedRepository } from "./staged.repository.ts";

export type LeftOvers = ReturnType<typeof createLeftOvers>;

/** Process numbers as the digits in staging ids. */
export type ProcessDigits = { running: ReadonlySet<string>; ended: ReadonlySet<string> };

type StagedUpload = StagedBytes & { isAbandoned: boolean; isLeftOver: boolean };

type Deps = {
  repository: BlobsRepository;
  counts: StagedRepository;
  drivers: Drivers;
  processes: Processes;
  clock: Clock;
  logger: Logger;
};

/** No running process holds bytes for longer before it writes their row. */
export const HELD_MS = 30 * 86_400_000;
/** Removals in one storage per run; the next run continues. */
const MOST_REMOVED = 1_000;

export function createLeftOvers({ repository, counts, drivers, processes, clock, logger }: Deps) {
  const setbacks = createSetbacks<string>(clock);

  async function* staged(driver: Driver, { running, ended }: ProcessDigits): AsyncGenerator<StagedUpload[]> {
    const tag = await drivers.tag();
    const before = clock.now() - driver.staleAfterMs;
    for await (const page of driver.listStagings((id) => tagOfStaging(id) === tag)) {
      const resumable = await repository.knownUploads(page.map(({ id }) => id));
      yield page.map((one) => {
        const process = processOfStaging(one.id) ?? "";
        const isFree = !resumable.has(one.id);
        const isOld = one.modifiedAt < before - (running.has(process) ? HELD_MS : 0);
        const isLeftOver = isFree && (ended.has(process) || isOld);
        return { ...one, isLeftOver, isAbandoned: isLeftOver || (isFree && !running.has(process)) };
      });
    }
  }

  /** A failure does not stop other removals. */
  async function remove(driver: Driver, id: string): Promise<boolean> {
    try {
      await driver.removeStaging(id);
      return true;
    } catch (err) {
      if (setbacks.add(id, id))
        logger.warn(
          { err, staging: id },
          "leftovers of an upload could not be removed; this will be tried again",
        );
      return false;
    }
  }

  return {
    /** Digits that a running process shares with an ended one count as running. */
    async look(): Promise<ProcessDigits & { numbers: ReadonlySet<string> }> {
      const found = await processes.look();
      const running = new Set([...found.running].map(processDigits));
      const ended = new Set([...found.ended].map(processDigits)).difference(running);
      return { running, ended, numbers: found.ended };
    },

    /** Lists stagings in pages; an id may come twice. */
    async *list(driver: Driver, digits: ProcessDigits): AsyncGenerator<StagedBytes[]> {
      for await (const page of staged(driver, digits)) yield page.filter(({ isLeftOver }) => isLeftOver);
    },

    /** Whether a running process or a resumable upload has bytes there. */
    async isInUse(driver: Driver, digits: ProcessDigits): Promise<boolean> {
      for await (const page of staged(driver, digits))
        if (page.some(({ isAbandoned }) => !isAbandoned)) return true;
      return false;
    },

    /** Removes them, and counts what stays. False if some are left for the next run. */
    async sweep(
      policyId: number,
      driver: Driver,
      digits: ProcessDigits,
      signal: AbortSignal,
    ): Promise<boolean> {
      const [removed, stays] = [countOf(), countOf()];
      let hasFailed = false;
      for await (const page of staged(driver, digits)) {
        for (const one of page) {
          signal.throwIfAborted();
          const isTried = one.isLeftOver && removed.objects < MOST_REMOVED && !setbacks.waits(one.id);
          const isRemoved = isTried && (await remove(driver, one.id));
          if (isTried && !isRemoved) hasFailed = true;
          add(isRemoved ? removed : stays, one);
        }
      }
      if (removed.objects > 0) {
        const { objects, bytes } = removed;
        logger.info({ policy: policyId, objects, bytes }, "removed leftovers of interrupted uploads");
      }
      await counts.save(policyId, stays, clock.now());
      return removed.objects < MOST_REMOVED && !hasFailed;
    },
  };
}

const countOf = (): StagedCount => ({ objects: 0, bytes: 0, abandonedObjects: 0, abandonedBytes: 0 });

function add(count: StagedCount, { size, isAbandoned }: StagedUpload): void {
  count.objects += 1;
  count.bytes += size;
  if (!isAbandoned) return;
  count.abandonedObjects += 1;
  count.abandonedBytes += size;
}
