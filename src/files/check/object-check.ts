/** Compares the objects of a storage with the blobs, by ranges of keys. */
import { pagesAfter } from "../../lib/pages.ts";
import type { LeftOvers } from "../blobs/left-overs.ts";
import type { StoredBlob } from "../blobs/blob.ts";
import type { Reaper } from "../blobs/reaper.ts";
import type { Drivers } from "../policies/drivers.ts";
import type { Driver, StoredObject } from "../storage/driver.ts";
import { type BlobFixDeps, createBlobFixes } from "./storage-fixes.ts";
import { type CheckMeter, finding, type StorageCheck, type StorageFinding } from "./storage-report.ts";

export type ObjectCheckDeps = BlobFixDeps & {
  drivers: Drivers;
  leftOvers: LeftOvers;
  reaper: Pick<Reaper, "finishDeletes" | "orphansAmong">;
};

type Options = Parameters<StorageCheck>[0];

const PAGE = 1_000;
const MOST_FILES_NAMED = 20;
const SAMPLE = 20;

/** @param reported gets the blobs whose loss it reports */
export function createObjectCheck(deps: ObjectCheckDeps, reported: Set<number>) {
  const { repository, checks, drivers, leftOvers, reaper, clock } = deps;
  const fixes = createBlobFixes(deps);

  const filesOf = async (blobId: number): Promise<string> => {
    const files = await checks.filesOf(blobId, MOST_FILES_NAMED);
    return files.length === 0 ? "" : `; it is the content of ${files.join(", ")}`;
  };

  async function* checkStorage(
    policyId: number,
    driver: Driver,
    options: Options,
    meter: CheckMeter,
  ): AsyncGenerator<StorageFinding> {
    const { fix, signal } = options;
    let after = "";
    for await (const objects of inLargePages(driver.listObjects())) {
      signal?.throwIfAborted();
      const through = objects.at(-1)!.key;
      yield* checkRange(policyId, driver, { after, through, objects }, options);
      meter("objects", objects.length);
      after = through;
    }
    yield* checkRange(policyId, driver, { after, through: null, objects: [] }, options);
    for await (const page of leftOvers.list(driver, await leftOvers.look())) {
      for (const { id, size } of page) {
        if (fix) await driver.removeStaging(id);
        const message = `An interrupted upload (${id}) has left ${size} bytes in policy ${policyId}.`;
        yield finding("stale_staging", message, fix);
      }
    }
    if (fix) await reaper.finishDeletes(policyId, signal && { signal });
  }

  async function* checkRange(
    policyId: number,
    driver: Driver,
    range: KeyRange,
    options: Options,
  ): AsyncGenerator<StorageFinding> {
    const sizes = new Map(range.objects.map(({ key, size }) => [key, size]));
    const find = (after: string, limit: number) => checks.blobsBetween(policyId, after, range.through, limit);
    for await (const blobs of pagesAfter(range.after, PAGE, find, ({ objectKey }) => objectKey)) {
      for (const blob of blobs) {
        if (blob.state === "live" && sizes.get(blob.objectKey) !== blob.size)
          yield* checkObject(blob, driver, options);
      }
    }
    for (const key of await reaper.orphansAmong(range.objects, clock.now() - driver.staleAfterMs)) {
      if (options.fix) await driver.remove(key);
      yield finding("orphan_object", `Object ${key} of policy ${policyId} belongs to no blob.`, options.fix);
    }
  }

  /** The object seemed missing or of another size. */
  async function* checkObject(
    { id, objectKey, size }: StoredBlob,
    driver: Driver,
    { fix, toTrash }: Options,
  ): AsyncGenerator<StorageFinding> {
    const found = await driver.stat(objectKey);
    const blob = await repository.find(id);
    if (blob?.state !== "live" || found?.size === size) return;
    const problem = found === null ? "missing_object" : "wrong_size";
    const what = found === null ? "is missing" : `has ${found.size} bytes instead of ${size}`;
    const message = `Object ${objectKey} of blob ${id} ${what}${await filesOf(id)}.`;
    const isMarked = fix && (await repository.setDamaged(id, clock.now()));
    const fixed = isMarked && (await fixes.repair(blob)) === "sound";
    // checkBlobs moves its files and reports them.
    if (isMarked && !fixed && found === null && toTrash !== undefined) return;
    reported.add(id);
    yield finding(problem, message, fixed);
  }

  /** A location without marker gets one only if it holds our objects: else its disk may not be mounted. */
  async function openStorage(policyId: number, fix: boolean): Promise<Driver> {
    let mark = false;
    if (fix) {
      const driver = await drivers.forReading(policyId);
      for (const blob of await checks.blobsBetween(policyId, "", null, SAMPLE)) {
        mark ||= (await driver.stat(blob.objectKey))?.size === blob.size;
      }
    }
    return drivers.verify(policyId, { mark });
  }

  return { checkStorage, openStorage, filesOf };
}

type KeyRange = { after: string; through: string | null; objects: readonly StoredObject[] };

/** Folders of local storages hold few objects, and every page costs queries. */
async function* inLargePages(
  pages: AsyncIterable<readonly StoredObject[]>,
): AsyncGenerator<readonly StoredObject[]> {
  let gathered: StoredObject[] = [];
  for await (const page of pages) {
    gathered.push(...page);
    if (gathered.length < PAGE) continue;
    yield gathered;
    gathered = [];
  }
  if (gathered.length > 0) yield gathered;
}
