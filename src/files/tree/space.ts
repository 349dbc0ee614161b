/** What an account's quota leaves for files. */
import { appError } from "../../lib/errors.ts";
import type { AccountSpace } from "./entries.repository.ts";
import type { StoredFile } from "./entry.ts";

/** @throws Unauthorized if the account is gone */
export function remainingBytes({ used, quota }: AccountSpace): number {
  if (quota === null) throw appError("Unauthorized", "This account does not exist.");
  return quota === 0 ? Number.POSITIVE_INFINITY : Math.max(quota - used, 0);
}

export const overQuota = ({ used, quota }: AccountSpace) =>
  appError(
    "FileTooLargeForPolicy",
    `The file exceeds the quota: ${used} of the account's ${quota} bytes are in use. Delete files, or ask for a larger quota.`,
    { details: { usedBytes: used, quotaBytes: quota } },
  );

/** What the account has for files in a folder of the server, which count in no quota. */
export const spaceOnServer = (space: AccountSpace): AccountSpace => ({ ...space, quota: space.quota && 0 });

/** What the account has while the file and its versions take nothing. */
export const spaceWithout = (
  space: AccountSpace,
  { size, versionsBytes }: Pick<StoredFile, "size" | "versionsBytes">,
): AccountSpace => ({ ...space, used: space.used - size - versionsBytes });
