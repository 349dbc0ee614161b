import { resolve } from "node:path";
import { readDiskSpace } from "../../lib/disk-check.ts";
import { remainingBytes } from "../tree/files.service.ts";
import type { Uploads } from "../uploads/service.ts";

export const TOO_LARGE = "It is larger than its storage policy or the quota of its owner allows.";

/** Asks file after file whether it would fit in. Returns why not. */
export function planRoom({ uploads, dataDir }: { uploads: Pick<Uploads, "destination">; dataDir: string }) {
  const accounts = new Map<number, Promise<{ left: number; largest: number; disk: { left: number } }>>();
  const disks = new Map<number, { left: number }>();
  async function roomOf(accountId: number) {
    const { policy, space } = await uploads.destination(accountId, null);
    const disk = disks.getOrInsertComputed(policy.id, () => ({ left: Number.POSITIVE_INFINITY }));
    if (policy.driverType === "local" && disk.left === Number.POSITIVE_INFINITY) {
      const folder = resolve(dataDir, policy.basePath);
      const found = (await readDiskSpace(folder)) ?? (await readDiskSpace(dataDir));
      disk.left = found?.freeBytes ?? disk.left;
    }
    return { left: remainingBytes(space), largest: policy.maxFileSize || Number.POSITIVE_INFINITY, disk };
  }
  return async (accountId: number, bytes: number): Promise<string | null> => {
    const room = await accounts.getOrInsertComputed(accountId, () => roomOf(accountId));
    if (bytes > room.largest || bytes > room.left) return TOO_LARGE;
    if (bytes > room.disk.left) return "The disk of the storage has no room for it.";
    room.left -= bytes;
    room.disk.left -= bytes;
    return null;
  };
}
