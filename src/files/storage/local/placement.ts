/**
 * Gives staged bytes their keys. Small files are written here, each by one call that returns when the bytes are on
 * disk. Concurrent files are renamed into one folder, and one sync makes their names durable. A process that dies
 * leaves stagings, and objects without a row.
 */
import { constants } from "node:fs";
import { link, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createBatches } from "../../../lib/batches.ts";
import { dispose } from "../../../lib/disposable-bytes.ts";
import { fault } from "../../../lib/fault.ts";
import { syncFolder } from "../../../lib/sync-folder.ts";
import type { ContentIdentity } from "../driver.ts";
import { contentKey } from "../object-key.ts";
import type { LocalFolders } from "./folders.ts";

export type StagedFile = {
  id: string;
  /** Bytes to write; null if the file is complete and on disk. */
  chunks: readonly Uint8Array[] | null;
  /** The staging stays, as another link to the same file. */
  stays: boolean;
  content: ContentIdentity;
};

/** Returns the key. After a rejection neither staging nor object is left. */
export type Placement = (file: StagedFile) => Promise<string>;

const { O_CREAT, O_DSYNC, O_EXCL, O_NOFOLLOW, O_WRONLY } = constants;
export const NEW_DURABLE_FILE = { flag: O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_DSYNC, mode: 0o600 };
const PLACED_AT_ONCE = 64;

export function createPlacement(folders: LocalFolders): Placement {
  async function placeOne(file: StagedFile, from: string, to: string): Promise<void> {
    try {
      if (file.chunks !== null) await writeDurably(from, file.chunks);
      // Without links in the file system the staging is lost.
      if (file.stays) await link(from, to).catch(() => rename(from, to));
      else await rename(from, to);
    } catch (error) {
      await rm(from, { force: true }).catch(() => undefined);
      throw error;
    }
    fault("blob.after-rename");
  }

  async function placeAll(files: readonly StagedFile[]): Promise<PromiseSettledResult<string>[]> {
    const [top, stagings] = await Promise.all([folders.root(), folders.forStagings()]);
    const folder = await folders.forObjects(files.length);
    const pathOf = (key: string): string => join(top, key);
    const outcomes = await Promise.allSettled(
      files.map(async (file) => {
        const key = contentKey(folder, file.content);
        await placeOne(file, join(stagings, file.id), pathOf(key));
        return key;
      }),
    );
    try {
      await syncFolder(pathOf(folder));
    } catch (error) {
      const placed = outcomes.flatMap((outcome) => (outcome.status === "fulfilled" ? outcome.value : []));
      await Promise.allSettled(placed.map((key) => rm(pathOf(key), { force: true })));
      throw error;
    }
    fault("blob.placed");
    return outcomes;
  }

  const batches = createBatches<null, StagedFile, string>({ most: PLACED_AT_ONCE, run: placeAll });
  return (file) => batches(null, file);
}

async function writeDurably(path: string, chunks: readonly Uint8Array[]): Promise<void> {
  const bytes = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks);
  await writeFile(path, bytes, NEW_DURABLE_FILE);
  chunks.forEach(dispose);
  fault("blob.after-fsync");
}
