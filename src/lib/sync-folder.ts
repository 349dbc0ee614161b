/** Makes the names in a folder durable: files that were made, renamed or removed there. */
import { closeSync, constants, fsyncSync, openSync } from "node:fs";
import { open } from "node:fs/promises";

const FLAGS = constants.O_RDONLY | constants.O_DIRECTORY;

/** Fails when the path is no folder. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, FLAGS);
  try {
    await folder.sync().catch(ignoreUnsupported);
  } finally {
    await folder.close();
  }
}

/** The same, for what has to be done before the program goes on. */
export function syncFolderNow(path: string): void {
  const folder = openSync(path, FLAGS);
  try {
    fsyncSync(folder);
  } catch (error) {
    ignoreUnsupported(error);
  } finally {
    closeSync(folder);
  }
}

/** Some network file systems can't; their servers keep names durable by themselves. */
function ignoreUnsupported(error: unknown): void {
  if (!["EINVAL", "ENOTSUP"].includes(String((error as { code?: unknown }).code))) throw error;
}
