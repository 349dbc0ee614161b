import { rm, statfs, writeFile } from "node:fs/promises";
import { messageOf } from "./errors.ts";
import { fileTrouble } from "./file-trouble.ts";

const MIB = 1024 * 1024;
/** The journal allocates half of this at once. */
const LEAST_FREE_BYTES = 32 * MIB;
/** Enough to make a file system allocate blocks. */
const PROBE = new Uint8Array(64 * 1024);

export type DiskProbe = { folder: string; file: string };

export type DiskSpace = { freeBytes: number; totalBytes: number };

/** What this program may use; null if the file system does not say. */
export async function readDiskSpace(folder: string): Promise<DiskSpace | null> {
  try {
    const { bavail, blocks, bsize } = await statfs(folder);
    return { freeBytes: bavail * bsize, totalBytes: blocks * bsize };
  } catch {
    return null;
  }
}

/**
 * Why the disk can't take more, as a sentence, or null. Writes a file, because free space shows neither quotas nor a
 * read-only disk. Never rejects.
 */
export async function findDiskTrouble({ folder, file }: DiskProbe): Promise<string | null> {
  try {
    await writeFile(file, PROBE).finally(() => rm(file, { force: true }));
    const { bavail, bsize } = await statfs(folder);
    const free = bavail * bsize;
    if (free >= LEAST_FREE_BYTES) return null;
    return `Only ${Math.floor(free / MIB)} MiB are free in ${folder}. Make room: a full disk refuses changes and uploads.`;
  } catch (error) {
    const { code } = error as { code?: unknown };
    if (code === "ENOSPC")
      return `The disk of ${folder} is full: changes and uploads are refused. Make room.`;
    if (code === "EDQUOT")
      return `The quota for ${folder} is used up: changes and uploads are refused. Make room, or raise the quota.`;
    return fileTrouble(error) ?? `${folder} can't be written: ${messageOf(error)}`;
  }
}
