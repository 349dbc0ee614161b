/** Files: read, rename, move, remove, and add stored bytes. */
import type { Clock } from "../../lib/clock.ts";
import { appError } from "../../lib/errors.ts";
import { checkFileName } from "../../lib/file-name.ts";
import { type AccountTree, toFolderId, type TreeTransaction } from "./account-tree.ts";
import type { StoredBytes } from "../blobs/service.ts";
import type { EntriesRepository, AccountSpace } from "./entries.repository.ts";
import type { StoredFile } from "./entry.ts";
import type { Removal } from "./removal.ts";

/** Absent fields stay. Null is the root. */
export type FileChange = { name?: string | undefined; folderId?: number | null | undefined };

/** A file to add, with a checked name. */
export type NewFile = {
  accountId: number;
  /** ROOT or a folder's id. */
  parentId: number;
  name: string;
  mimeType: string;
};

type Deps = { tree: AccountTree; repository: EntriesRepository; removal: Removal; clock: Clock };

export type Files = ReturnType<typeof createFiles>;

export function createFiles({ tree, repository, removal, clock }: Deps) {
  return {
    /** @throws FileNotFound */
    find: (accountId: number, id: number): Promise<StoredFile> => tree.file(accountId, id),

    /**
     * Makes stored bytes a file, durable when this resolves. Removes the bytes when it rejects. `alongside` runs in the
     * same transaction. @throws FolderNotFound, NameConflict, FileTooLargeForPolicy (over the quota), Unauthorized
     * (account gone)
     */
    add: (
      { accountId, parentId, name, mimeType }: NewFile,
      stored: StoredBytes,
      alongside?: (tx: TreeTransaction) => Promise<void>,
    ): Promise<StoredFile> =>
      stored.keep((commit) =>
        tree.change(accountId, async (tx) => {
          await tree.folders(accountId, parentId, tx.db);
          if (remainingBytes(tx.space) < stored.size) throw overQuota(tx.space);
          const { size, sha256 } = stored;
          const now = clock.now();
          const file = {
            kind: "file" as const,
            accountId,
            parentId,
            name,
            blobId: await commit(tx.db),
            size,
            sha256,
            mimeType,
            createdAt: now,
            updatedAt: now,
          };
          const id = await repository.insert(tx.db, file);
          await repository.addUsage(tx.db, accountId, size);
          await alongside?.(tx);
          return { ...file, id };
        }),
      ),

    /** @throws FileNotFound, InvalidName, NameConflict, FolderNotFound */
    async update(accountId: number, id: number, change: FileChange): Promise<StoredFile> {
      const name = change.name === undefined ? undefined : checkFileName(change.name);
      return tree.change(accountId, async (tx) => {
        const file = await tree.file(accountId, id, tx.db);
        const parentId = change.folderId === undefined ? file.parentId : toFolderId(change.folderId);
        if (parentId !== file.parentId) await tree.folders(accountId, parentId, tx.db);
        const next = { ...file, name: name ?? file.name, parentId, updatedAt: clock.now() };
        await repository.update(tx.db, next);
        return next;
      });
    },

    /** Content goes with its last file. @throws FileNotFound */
    remove: (accountId: number, id: number): Promise<void> => removal.file(accountId, id),

    /** Used and allowed bytes. 0 is unlimited. */
    async usage(accountId: number): Promise<{ usedBytes: number; quotaBytes: number }> {
      const { used, quota } = await repository.space(accountId);
      return { usedBytes: used, quotaBytes: quota ?? 0 };
    },
  };
}

/** Bytes that still fit. @throws Unauthorized if the account is gone */
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
