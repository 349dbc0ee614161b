import { lstat, rename, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { syncFolder } from "../../../lib/sync-folder.ts";
import { type LocalFolders, nullIfMissing } from "./folders.ts";
import { markerOf } from "../object-key.ts";
import { NEW_DURABLE_FILE } from "./placement.ts";

/** Only the file's name matters. */
export async function claimFolder(
  folders: LocalFolders,
  installation: string,
  mark: boolean,
): Promise<boolean> {
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
