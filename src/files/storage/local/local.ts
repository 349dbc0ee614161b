import { lstat, open, readdir, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Driver, ReadOptions, StagedBytes, StoredObject } from "../driver.ts";
import { createLocalFolders, isMissing, type LocalFolders, nullIfMissing, READ_FLAGS } from "./folders.ts";
import { createPlacement, NEW_DURABLE_FILE } from "./placement.ts";
import { createLocalStaging, isWholeStaging } from "./staging.ts";
import { contentDamaged, stagingLost, storageFailure, withStorageFailures } from "../storage-failure.ts";
import { chunked } from "../../../lib/chunked.ts";
import type { Dirent } from "node:fs";
import { isObjectKey, isStagingId, markerOf, STAGING } from "../object-key.ts";
import { syncFolder } from "../../../lib/sync-folder.ts";

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

const PAGE = 1_000;

async function* listObjects(folders: LocalFolders): AsyncGenerator<readonly StoredObject[]> {
  const root = await withStorageFailures(folders.root);
  for (const outer of await namesIn(root, isHexFolder)) {
    for (const inner of await namesIn(join(root, outer), isHexFolder)) {
      const keys = (await namesIn(join(root, outer, inner), (entry) => entry.isFile()))
        .map((name) => `${outer}/${inner}/${name}`)
        .filter(isObjectKey);
      yield* describeInPages(root, keys);
    }
  }
}

const isHexFolder = (entry: Dirent): boolean => entry.isDirectory() && /^[0-9a-f]{2}$/.test(entry.name);

/** Sorted by bytes, since relevant names are ASCII. A missing folder is empty. */
async function namesIn(folder: string, matches: (entry: Dirent) => boolean): Promise<string[]> {
  const entries = await withStorageFailures(() =>
    readdir(folder, { withFileTypes: true }).catch(nullIfMissing),
  );
  return (entries ?? [])
    .filter(matches)
    .map((entry) => entry.name)
    .sort();
}

async function* describeInPages(
  root: string,
  keys: readonly string[],
): AsyncGenerator<readonly StoredObject[]> {
  for (const some of chunked(keys, PAGE)) {
    const page = await withStorageFailures(() => Promise.all(some.map((key) => describeFile(root, key))));
    yield page.filter((one) => one !== null);
  }
}

async function describeFile(root: string, key: string): Promise<StoredObject | null> {
  const found = await lstat(join(root, key)).catch(nullIfMissing);
  // The rename to its key changes ctime but not mtime.
  return found && { key, size: found.size, modifiedAt: Math.max(found.mtimeMs, found.ctimeMs) };
}

async function* listStagings(
  folders: LocalFolders,
  matches: (id: string) => boolean,
): AsyncGenerator<readonly StagedBytes[]> {
  const folder = join(await withStorageFailures(folders.root), STAGING);
  const ids = await namesIn(
    folder,
    (entry) => !entry.isDirectory() && isStagingId(entry.name) && matches(entry.name),
  );
  for await (const page of describeInPages(folder, ids))
    yield page.map(({ key: id, size, modifiedAt }) => ({ id, size, modifiedAt }));
}

/** Only the file's name matters. */
async function claimFolder(folders: LocalFolders, installation: string, mark: boolean): Promise<boolean> {
  const path = join(await folders.root(), markerOf(installation));
  const isMarked = (await isFile(path)) || (mark && (await writeMarker(path)));
  if (isMarked) folders.guardBy(markerOf(installation));
  return isMarked;
}

async function writeMarker(path: string): Promise<boolean> {
  const unfinished = `${path}.${crypto.randomUUID()}`;
  await writeFile(unfinished, "Waymark keeps files here. Do not remove this one.\n", NEW_DURABLE_FILE);
  await rename(unfinished, path);
  await syncFolder(dirname(path));
  return true;
}

const isFile = async (path: string): Promise<boolean> =>
  (await lstat(path).catch(nullIfMissing))?.isFile() === true;
