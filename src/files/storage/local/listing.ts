import { chunked } from "../../../lib/chunked.ts";
import type { Dirent } from "node:fs";
import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import type { StagedBytes, StoredObject } from "../driver.ts";
import { type LocalFolders, nullIfMissing } from "./folders.ts";
import { isObjectKey, isStagingId, STAGING } from "../object-key.ts";
import { withStorageFailures } from "../storage-failure.ts";

const PAGE = 1_000;

export async function* listObjects(folders: LocalFolders): AsyncGenerator<readonly StoredObject[]> {
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

export async function* listStagings(
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
