/** Makes created, renamed and removed names in a folder durable. */
import { closeSync, constants, fsyncSync, openSync } from "node:fs";
import { open } from "node:fs/promises";

const FLAGS = constants.O_RDONLY | constants.O_DIRECTORY;

/** Rejects if the path is no folder. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, FLAGS);
  await folder
    .sync()
    .catch(ignoreUnsupported)
    .finally(() => folder.close());
}

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

/** Some network file systems refuse it; their servers keep names durable. */
function ignoreUnsupported(error: unknown): void {
  if (!["EINVAL", "ENOTSUP"].includes(String((error as { code?: unknown }).code))) throw error;
}
