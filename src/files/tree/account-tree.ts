/**
 * Changes to one account's tree run one at a time: each locks the account's row in account_usage until its transaction
 * ends. Bytes move outside of these transactions.
 */
import type { Db, TransactionOptions } from "../../platform/db/dialect.ts";
import type { DeadBlob } from "../blobs/repository.ts";
import type { StoredBytes } from "../blobs/service.ts";
import { AppError, appError } from "../../lib/errors.ts";
import type { AccountSpace, EntriesRepository } from "./entries.repository.ts";
import { type Entry, type Folder, isLinked, takesUploads, ROOT, type StoredFile } from "./entry.ts";

export type TreeTransaction = {
  readonly db: Db;
  /** Codes of short links to removed entries, and their tags; ids of mails. */
  changed(topic: "links" | "tags" | "mails", keys: readonly string[]): void;
  readonly space: AccountSpace;
};

/** See cluster/changes.ts. */
export type TreeChanges = {
  write<T>(run: (tx: Omit<TreeTransaction, "space">) => Promise<T>, options?: TransactionOptions): Promise<T>;
};

export type DiskStep = () => Promise<void>;

/**
 * What changes of entries do in folders of the server (files/linked/disk-changes.ts), in the transaction that changes the
 * rows. A step is called last, so that rows and disk change together. All throw Forbidden if the folder is read-only, StorageUnavailable if it is away or has just changed.
 */
export type OnDisk = {
  /** @throws Forbidden for a place that is not of the same folder of the server; the step NameConflict */
  move(tx: Db, entry: Entry, to: Pick<Entry, "parentId" | "name">): Promise<DiskStep>;
  /** `undo` reverts the step where the transaction fails after it. */
  trash(tx: Db, entry: Entry): Promise<{ step: DiskStep; undo: DiskStep }>;
  /** Null if the entry of the trash lies on no server. @throws like move */
  restore(
    tx: Db,
    trashed: Pick<Entry, "id" | "name">,
    to: Pick<Entry, "parentId" | "name">,
  ): Promise<DiskStep | null>;
  /** For good; then call `sweep`. */
  remove(tx: Db, entry: Entry): Promise<DiskStep>;
  /** Likewise, of entries of the trash. Nothing of a read-only folder. */
  removeTrashed(tx: Db, ids: readonly number[]): Promise<void>;
  /** Removes bytes of what was removed. Never rejects. */
  sweep(policyId?: number): void;
  /** @throws NameConflict */
  makeFolder(tx: Db, parent: Folder, name: string): Promise<Folder>;
  /** `former`: the file that gets the content; what it had goes to the trash. @throws NameConflict */
  put(
    tx: Db,
    file: {
      accountId: number;
      parentId: number;
      name: string;
      mimeType: string;
      modifiedAt?: number | null | undefined;
    },
    stored: StoredBytes,
    former: StoredFile | null,
  ): Promise<{ file: StoredFile; dead: DeadBlob[]; step: DiskStep }>;
};

export type AccountTree = ReturnType<typeof createAccountTree>;

type Deps = { repository: EntriesRepository; changes: TreeChanges };

export function createAccountTree({ repository, changes }: Deps) {
  /** The entry and the folders above it. Null if the account has none such, or it lies in a folder being removed. */
  const lineage = (accountId: number, id: number, db?: Db) =>
    Number.isSafeInteger(id) && id > ROOT ? repository.lineage(accountId, id, db) : null;

  /** The folder and its ancestors, innermost first; none for the root. @throws FolderNotFound */
  async function folders(accountId: number, folderId: number, db?: Db): Promise<Folder[]> {
    if (folderId === ROOT) return [];
    const [entry, ...around] = (await lineage(accountId, folderId, db)) ?? [];
    if (entry?.kind !== "folder") throw appError("FolderNotFound", "There is no such folder.");
    return [entry, ...around];
  }

  /** @throws FileNotFound */
  async function file(accountId: number, fileId: number, db?: Db): Promise<StoredFile> {
    const [entry] = (await lineage(accountId, fileId, db)) ?? [];
    if (entry?.kind !== "file") throw appError("FileNotFound", "There is no such file.");
    return entry;
  }

  /** Like folders, of one that takes rows alone. @throws FolderNotFound, Forbidden for folders that lie on the server */
  async function writable(accountId: number, folderId: number, db?: Db): Promise<Folder[]> {
    const found = await folders(accountId, folderId, db);
    if (found[0] !== undefined && isLinked(found[0])) throw takesUploads();
    return found;
  }

  /** Locks both accounts in the order of their ids. Returns the space of the second one. */
  async function lockBoth(db: Db, from: number, to: number): Promise<AccountSpace> {
    if (from < to) await repository.lock(db, from);
    const space = await repository.lock(db, to);
    if (from > to) await repository.lock(db, from);
    return space;
  }

  return {
    /** One transaction that holds the account's tree. It may run again. */
    change: <T>(
      accountId: number,
      run: (tx: TreeTransaction) => Promise<T>,
      options?: TransactionOptions,
    ): Promise<T> =>
      changes.write(async (tx) => run({ ...tx, space: await repository.lock(tx.db, accountId) }), options),

    /** One transaction that holds the trees of two owners. `space`: of the second one. */
    changeBoth: <T>(from: number, to: number, run: (tx: TreeTransaction) => Promise<T>): Promise<T> =>
      changes.write(async (tx) => run({ ...tx, space: await lockBoth(tx.db, from, to) })),

    lock: repository.lock,
    lockBoth,

    folders,
    writable,
    file,

    /** @throws FileNotFound, FolderNotFound, also for the root */
    async entry(accountId: number, { kind, id }: Pick<Entry, "kind" | "id">, db?: Db): Promise<Entry> {
      if (kind === "file") return file(accountId, id, db);
      const [folder] = await folders(accountId, toFolderId(id), db);
      return folder!;
    },
  };
}

/** Converts null, the root, to its internal number, which is no folder. */
export const toFolderId = (folderId: number | null): number => {
  if (folderId === null) return ROOT;
  return folderId === ROOT ? Number.NaN : folderId;
};

/** Converts a missing folder to null, for `catch`. @throws other errors */
export function nullIfNoFolder(error: unknown): null {
  if (error instanceof AppError && error.name === "FolderNotFound") return null;
  throw error;
}
