import { lstat, open, rename } from "node:fs/promises";
import { dirname, join } from "node:path";
import { syncFolder } from "../../../lib/sync-folder.ts";
import { type LocalFolders, nullIfMissing } from "./folders.ts";
import { markerOf } from "../object-key.ts";

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
  const file = await open(unfinished, "wx", 0o600);
  try {
    await file.writeFile("Waymark keeps files here. Do not remove this one.\n");
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(unfinished, path);
  await syncFolder(dirname(path));
  return true;
}

const isFile = async (path: string): Promise<boolean> =>
  (await lstat(path).catch(nullIfMissing))?.isFile() === true;
