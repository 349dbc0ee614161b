import type { Db } from "../../platform/db/dialect.ts";
import { createBatches } from "../../lib/batches.ts";
import type { Clock } from "../../lib/clock.ts";
import { appError } from "../../lib/errors.ts";
import { createFullSweeper } from "../../lib/sweeper.ts";
import { checkFileName } from "../../lib/file-name.ts";
import { type AccountTree, toFolderId, type TreeTransaction } from "./account-tree.ts";
import type { Commit } from "../blobs/keeping.ts";
import type { DeadBlob } from "../blobs/repository.ts";
import type { Blobs, StoredBytes } from "../blobs/service.ts";
import type { AccountSpace, EntriesRepository } from "./entries.repository.ts";
import { type Entry, refuseMirrored, type StoredFile } from "./entry.ts";
import { freeNames } from "./free-name.ts";
import type { Removal } from "./removal.ts";

/** Absent fields stay. Null is the root. */
export type FileChange = {
  name?: string | undefined;
  folderId?: number | null | undefined;
  modifiedAt?: number | undefined;
};

/** The name has been checked. */
export type NewFile = {
  accountId: number;
  /** ROOT or a folder's id. */
  parentId: number;
  name: string;
  mimeType: string;
  /** The client's time of the content; else it is the time of the upload. */
  modifiedAt?: number | null | undefined;
  /** A name that is taken gets a number. */
  isNumbered?: boolean;
};

/** Runs in the transaction that adds the file, possibly more than once. */
type InTransaction = {
  /** Returns the folder's id instead of the file's parent. */
  place?: (tx: TreeTransaction) => Promise<number>;
  alongside?: (tx: TreeTransaction, file: StoredFile) => Promise<void>;
};

export type Addition = InTransaction & { file: NewFile; stored: StoredBytes };

const ADDED_AT_ONCE = 64;
/** More of them are no short transaction. */
const ADDED_SHORTLY = 16;
/** Garbage of one upload, from its request to its response. */
const GARBAGE_BYTES = 64 * 1024;
const SWEPT_BYTES = 8 * 1024 * 1024;

export type FilesDeps = {
  tree: AccountTree;
  repository: EntriesRepository;
  removal: Removal;
  blobs: Blobs;
  linked: OnServer;
  clock: Clock;
};

/** What lies on the server is looked at before it is shown. Other entries pass at once. */
export type OnServer = {
  current(file: StoredFile): Promise<StoredFile>;
  /** @throws StorageUnavailable if it is away just now */
  refresh(entry: Entry): Promise<void>;
};

export type Files = ReturnType<typeof createFiles>;

export function createFiles({ tree, repository, removal, blobs, linked, clock }: FilesDeps) {
  const addIn = createAdding({ tree, repository, clock });
  const addTogether = (accountId: number, items: readonly Addition[], commit: Commit) =>
    tree.change(accountId, (tx) => addIn(tx, accountId, items, commit), {
      short: items.length <= ADDED_SHORTLY,
    });

  const sweeper = createFullSweeper(SWEPT_BYTES);
  /** An account's changes run one at a time, so files that arrive meanwhile share a transaction. */
  const additions = createBatches<number, Addition, StoredFile>({
    most: ADDED_AT_ONCE,
    run(all, accountId) {
      sweeper.worked(all.length * GARBAGE_BYTES);
      return blobs.keep(all, (items, commit) => addTogether(accountId, items, commit));
    },
  });

  return {
    /** As it is now, if it lies on the server and can be reached. @throws FileNotFound */
    find: async (accountId: number, id: number): Promise<StoredFile> =>
      linked.current(await tree.file(accountId, id)),

    current: linked.current,

    /** With its tree, until the transaction ends. @throws FileNotFound */
    async locked(accountId: number, id: number, tx: Db): Promise<StoredFile> {
      await repository.lock(tx, accountId);
      return tree.file(accountId, id, tx);
    },

    /**
     * If it rejects, the bytes are removed. @throws FolderNotFound, NameConflict, FileTooLargeForPolicy (over the
     * quota), Unauthorized (account gone)
     */
    add: (file: NewFile, stored: StoredBytes, also: InTransaction = {}): Promise<StoredFile> =>
      additions(file.accountId, { file, stored, ...also }),

    /** All or none, of one account. @throws like add */
    addAll: (accountId: number, all: readonly Addition[]): Promise<readonly StoredFile[]> =>
      blobs.keepAll(all, (items, commit) => addTogether(accountId, items, commit)),

    /**
     * Adds the file, or gives the one of that name the content. That one keeps its id and shares. If it rejects, the
     * bytes are removed. @throws like add; NameConflict for a folder of that name
     */
    async put(file: NewFile, stored: StoredBytes): Promise<{ file: StoredFile; isNew: boolean }> {
      const { accountId, parentId, name, mimeType } = file;
      let dead: DeadBlob[] = [];
      const replace = (items: readonly { stored: StoredBytes }[], commit: Commit) =>
        // Not a short one: nobody sees before it is durable that content is dead, whose bytes go next.
        tree.change(accountId, async (tx) => {
          dead = [];
          await tree.writable(accountId, parentId, tx.db);
          const former = await repository.child(accountId, parentId, name, tx.db);
          if (former?.kind !== "file") {
            const [added] = await addIn(tx, accountId, [{ file, stored }], commit);
            return [{ file: added!, isNew: true }];
          }
          const { size, sha256 } = stored;
          if (remainingBytes(tx.space) < size - former.size) throw overQuota(tx.space);
          const [blobId] = await commit(tx.db);
          const now = clock.now();
          const times = { modifiedAt: file.modifiedAt ?? now, createdAt: now, updatedAt: now };
          const next = { ...former, mimeType, blobId: blobId!, size, sha256, ...times };
          await repository.replaceContent(tx.db, next);
          await repository.addUsage(tx.db, accountId, size - former.size);
          dead = await blobs.release(tx.db, [former.blobId]);
          return items.map(() => ({ file: next, isNew: false }));
        });
      sweeper.worked(GARBAGE_BYTES);
      const [put] = await blobs.keepAll([{ stored }], replace);
      await blobs.discard(dead);
      return put!;
    },

    /** @throws FileNotFound, InvalidName, NameConflict, FolderNotFound */
    async update(accountId: number, id: number, change: FileChange): Promise<StoredFile> {
      const name = change.name === undefined ? undefined : checkFileName(change.name);
      return tree.change(
        accountId,
        async (tx) => {
          const file = await tree.file(accountId, id, tx.db);
          refuseMirrored(file);
          const parentId = change.folderId === undefined ? file.parentId : toFolderId(change.folderId);
          if (parentId !== file.parentId) await tree.writable(accountId, parentId, tx.db);
          const { modifiedAt = file.modifiedAt } = change;
          const next = { ...file, name: name ?? file.name, parentId, modifiedAt, updatedAt: clock.now() };
          await repository.update(tx.db, next);
          if (parentId !== file.parentId) await repository.countMove(tx.db, accountId);
          return next;
        },
        { short: true },
      );
    },

    /** Content goes with its last file. @throws FileNotFound */
    remove: removal.file,

    /** A quota of 0 is unlimited. */
    async usage(accountId: number): Promise<{ usedBytes: number; quotaBytes: number }> {
      const { used, quota } = await repository.space(accountId);
      return { usedBytes: used, quotaBytes: quota ?? 0 };
    },
  };
}

function createAdding({ tree, repository, clock }: Pick<FilesDeps, "tree" | "repository" | "clock">) {
  const namesOf = ({ db }: TreeTransaction, accountId: number, items: readonly Addition[]) =>
    freeNames(
      items.map(({ file }) => file),
      (parentId, names) => repository.takenNames(db, accountId, parentId, names),
    );

  /** Adds files in a transaction that has the account's tree for itself. */
  return async function addIn(
    tx: TreeTransaction,
    accountId: number,
    given: readonly Addition[],
    commit: Commit,
  ): Promise<StoredFile[]> {
    const items = await placed(tx, given);
    for (const parentId of new Set(items.map(({ file }) => file.parentId))) {
      await tree.writable(accountId, parentId, tx.db);
    }
    const bytes = items.reduce((sum, { stored }) => sum + stored.size, 0);
    if (remainingBytes(tx.space) < bytes) throw overQuota(tx.space);
    const blobIds = await commit(tx.db);
    const now = clock.now();
    const names = await namesOf(tx, accountId, items);
    const files = items.map(({ file: { parentId, mimeType, modifiedAt }, stored: { size, sha256 } }, at) => ({
      kind: "file" as const,
      accountId,
      parentId,
      name: names[at]!,
      mimeType,
      blobId: blobIds[at]!,
      size,
      sha256,
      createdBy: null,
      diskTime: null,
      modifiedAt: modifiedAt ?? now,
      createdAt: now,
      updatedAt: now,
    }));
    const ids = await repository.insertAll(tx.db, files);
    await repository.addUsage(tx.db, accountId, bytes);
    const added = files.map((file, at) => ({ ...file, versionsBytes: 0, id: ids[at]! }));
    for (const [at, { alongside }] of items.entries()) await alongside?.(tx, added[at]!);
    return added;
  };
}

/** With the folders in which they are. */
async function placed(tx: TreeTransaction, items: readonly Addition[]): Promise<readonly Addition[]> {
  const found: Addition[] = [];
  for (const { file, place, ...item } of items) {
    found.push({ ...item, file: place === undefined ? file : { ...file, parentId: await place(tx) } });
  }
  return found;
}

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
