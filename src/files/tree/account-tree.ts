/**
 * Changes to one account's tree happen one at a time: each begins by taking hold of the account's row in
 * account_usage until its transaction ends. So a move sees the tree as it stays until it is done (two moves can't make
 * a circle together), a folder can't go away while something is put into it, and the quota is checked against what
 * really is used. Different accounts don't wait for one another. Bytes are moved outside of these transactions.
 */
import type { Db } from "../../db/dialect.ts";
import { appError } from "../../lib/errors.ts";
import type { EntriesRepository, AccountSpace } from "./entries.repository.ts";
import { type Folder, ROOT, type StoredFile } from "./entry.ts";

export type TreeTransaction = {
  readonly db: Db;
  /** Codes of short links that go away with what they share. */
  changed(topic: "links", codes: readonly string[]): void;
  readonly space: AccountSpace;
};

/** What this room uses of the change feed: see cluster/changes.ts. */
export type TreeChanges = {
  write<T>(run: (tx: Omit<TreeTransaction, "space">) => Promise<T>): Promise<T>;
};

export type AccountTree = ReturnType<typeof createAccountTree>;

type Deps = { repository: EntriesRepository; changes: TreeChanges };

export function createAccountTree({ repository, changes }: Deps) {
  /** Null where there is nothing of that account with that id, or it lies in what is being removed. */
  const lineage = (accountId: number, id: number, db?: Db) =>
    Number.isSafeInteger(id) && id > ROOT ? repository.lineage(accountId, id, db) : null;

  return {
    /** Runs the function in one transaction that has the account's tree for itself; it may run more than once. */
    change: <T>(accountId: number, run: (tx: TreeTransaction) => Promise<T>): Promise<T> =>
      changes.write(async (tx) => run({ ...tx, space: await repository.lock(tx.db, accountId) })),

    /** The folder and those around it, innermost first; none for the root. @throws FolderNotFound */
    async folders(accountId: number, folderId: number, db?: Db): Promise<Folder[]> {
      if (folderId === ROOT) return [];
      const [entry, ...around] = (await lineage(accountId, folderId, db)) ?? [];
      if (entry?.kind !== "folder") throw appError("FolderNotFound", "There is no such folder.");
      return [entry, ...around];
    },

    /** @throws FileNotFound */
    async file(accountId: number, fileId: number, db?: Db): Promise<StoredFile> {
      const [entry] = (await lineage(accountId, fileId, db)) ?? [];
      if (entry?.kind !== "file") throw appError("FileNotFound", "There is no such file.");
      return entry;
    },
  };
}

/** Where an entry of the API goes: null is the root, and the number that stands for the root inside is no folder. */
export const toFolderId = (folderId: number | null): number => {
  if (folderId === null) return ROOT;
  return folderId === ROOT ? Number.NaN : folderId;
};
