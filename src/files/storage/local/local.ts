import { lstat, open, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Driver, ReadOptions } from "../driver.ts";
import { createLocalFolders, isMissing, nullIfMissing, READ_FLAGS } from "./folders.ts";
import { listObjects, listStagings } from "./listing.ts";
import { claimFolder } from "./marker.ts";
import { createPlacement } from "./placement.ts";
import { createLocalStaging, isWholeStaging } from "./staging.ts";
import { contentDamaged, storageFailure, withStorageFailures, stagingLost } from "../storage-failure.ts";

/** A running upload writes at least twice a minute. */
const STALE_AFTER_MS = 3_600_000;

type LocalSettings = {
  /** Absolute; created if missing. */
  folder: string;
  /** Receives the path behind symbolic links. Rejects if it must not hold objects. */
  checkRealPath(path: string): Promise<void>;
};

export function createLocalDriver({ folder, checkRealPath }: LocalSettings): Driver {
  const folders = createLocalFolders(folder, checkRealPath);
  const place = createPlacement(folders);
  const stagingPath = async (id: string): Promise<string> => join(await folders.forStagings(), id);

  return {
    staleAfterMs: STALE_AFTER_MS,
    claim: (installation, mark) => withStorageFailures(() => claimFolder(folders, installation, mark)),
    stage: async (id) =>
      createLocalStaging({ folders, place, id, received: 0, resumed: false, isWhole: false }),
    resume: (id, received) =>
      withStorageFailures(async () => {
        const path = await stagingPath(id);
        const found = await lstat(path).catch((error: unknown) => {
          throw isMissing(error) ? stagingLost(error) : error;
        });
        const { size } = found;
        if (size < received)
          throw stagingLost(new Error(`staging ${id} has lost bytes: ${size} of ${received}`));
        const isWhole = isWholeStaging(found);
        return createLocalStaging({
          folders,
          place,
          id,
          received: isWhole ? size : received,
          resumed: true,
          isWhole,
        });
      }),
    open: (key, options) =>
      withStorageFailures(async () => {
        try {
          const path = await folders.forReading(key);
          await expectFile(path, options.size);
          return slice(Bun.file(path), options);
        } catch (error) {
          if (!isMissing(error)) throw error;
          if (await folders.isAway()) throw storageFailure(error, "The folder of the storage is not there.");
          throw contentDamaged("The stored file is missing.", error);
        }
      }),
    stat: (key) =>
      withStorageFailures(async () => {
        try {
          const found = await lstat(await folders.forReading(key));
          return found.isFile() ? { size: found.size } : null;
        } catch (error) {
          if (!isMissing(error) || (await folders.isAway())) throw error;
          return null;
        }
      }),
    remove: (key) =>
      withStorageFailures(async () => {
        const path = await folders.forReading(key).catch(nullIfMissing);
        if (path !== null) await rm(path, { force: true });
      }),
    presign: async () => null,
    listObjects: () => listObjects(folders),
    listStagings: (matches) => listStagings(folders, matches),
    removeStaging: (id) => withStorageFailures(async () => rm(await stagingPath(id), { force: true })),
  };
}

const slice = (file: Blob, { range }: ReadOptions): Blob =>
  range === undefined ? file : file.slice(range.start, range.end + 1);

async function expectFile(path: string, size: number): Promise<void> {
  const file = await open(path, READ_FLAGS);
  try {
    const found = await file.stat();
    if (found.isFile() && found.size === size) return;
    const cause = new Error(`${path} has ${found.size} bytes instead of ${size}, or is not a file`);
    throw contentDamaged("The stored file is damaged.", cause);
  } finally {
    await file.close();
  }
}
