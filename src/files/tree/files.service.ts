import type { Db } from "../../platform/db/dialect.ts";
import { createBatches } from "../../lib/batches.ts";
import type { Clock } from "../../lib/clock.ts";
import { appError } from "../../lib/errors.ts";
import { createFullSweeper } from "../../lib/sweeper.ts";
import { checkFileName } from "../../lib/file-name.ts";
import { type AccountTree, type OnDisk, toFolderId, type TreeTransaction } from "./account-tree.ts";
import type { Commit } from "../blobs/keeping.ts";
import type { DeadBlob } from "../blobs/repository.ts";
import type { Blobs, StoredBytes } from "../blobs/service.ts";
import { type EntriesRepository, nameConflict } from "./entries.repository.ts";
import { type Entry, isLinked, type StoredFile } from "./entry.ts";
import { freeNames } from "./free-name.ts";
import type { Removal } from "./removal.ts";
import { overQuota, remainingBytes } from "./space.ts";

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
  /** Who uploads it, by name; absent for visitors. */
  createdBy?: string | undefined;
  /** A name that is taken gets a number. */
  isNumbered?: boolean;
};

/** A content that has its reference for the file already. */
export type NewContent = Pick<
  StoredFile,
  "blobId" | "size" | "sha256" | "mimeType" | "modifiedAt" | "createdBy"
>;

/**
 * Gives a file other content in a transaction that has its tree (files/versions/replacing.ts). Returns what to discard
 * after the commit. @throws FileTooLargeForPolicy (over the quota)
 */
export type Replace = (
  tx: TreeTransaction,
  former: StoredFile,
  content: NewContent,
) => Promise<{ file: StoredFile; dead: DeadBlob[] }>;

type NewContentOf = Omit<NewFile, "parentId" | "name" | "isNumbered"> & Pick<StoredFile, "id">;
type PutFile = { file: StoredFile; isNew: boolean };

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
  versions: { replace: Replace };
  blobs: Blobs;
  linked: OnServer;
  onDisk: OnDisk;
  clock: Clock;
};

/** What lies on the server is looked at before it is shown. Other entries pass at once. */
export type OnServer = {
  current(file: StoredFile): Promise<StoredFile>;
  /** @throws StorageUnavailable if it is away just now */
  refresh(entry: Entry): Promise<void>;
};

export type Files = ReturnType<typeof createFiles>;

export function createFiles(deps: FilesDeps) {
  const { tree, repository, removal, blobs, linked, clock } = deps;
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

  const { replaceIn, keepReplacing } = createReplacements({ ...deps, sweeper });
  const putOnDisk = createPutOnDisk(deps);

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
    async add(file: NewFile, stored: StoredBytes, also: InTransaction = {}): Promise<StoredFile> {
      if (!stored.isOnDisk) return additions(file.accountId, { file, stored, ...also });
      return (await keepReplacing(file, stored, (tx) => putOnDisk(tx, file, stored, null, also))).file;
    },

    /** All or none, of one account. @throws like add */
    addAll: (accountId: number, all: readonly Addition[]): Promise<readonly StoredFile[]> =>
      blobs.keepAll(all, (items, commit) => addTogether(accountId, items, commit)),

    /**
     * Adds the file, or gives the one of that name the content. That one keeps its id and shares, and the former content
     * as a version. If it rejects, the bytes are removed. @throws like add; NameConflict for a folder of that name
     */
    put(
      file: NewFile,
      stored: StoredBytes,
      { alongside }: Pick<InTransaction, "alongside"> = {},
    ): Promise<PutFile> {
      const { accountId, parentId, name } = file;
      return keepReplacing(file, stored, async (tx, commit) => {
        const former = await repository.child(accountId, parentId, name, tx.db);
        if (stored.isOnDisk) {
          if (former?.kind === "folder") throw nameConflict(name);
          return putOnDisk(tx, file, stored, former, { ...(alongside && { alongside }) });
        }
        await tree.writable(accountId, parentId, tx.db);
        if (former?.kind === "file") {
          const put = await replaceIn(tx, former, file, stored, commit);
          await alongside?.(tx, put.file);
          return put;
        }
        const [added] = await addIn(
          tx,
          accountId,
          [{ file, stored, ...(alongside && { alongside }) }],
          commit,
        );
        return { file: added!, isNew: true, dead: [] };
      });
    },

    /** Gives the file the content; like `put`. @throws FileNotFound, FileTooLargeForPolicy (over the quota) */
    replace: (file: NewContentOf, stored: StoredBytes): Promise<PutFile> =>
      keepReplacing(file, stored, async (tx, commit) => {
        const former = await tree.file(file.accountId, file.id, tx.db);
        if (!isLinked(former)) return replaceIn(tx, former, file, stored, commit);
        const { parentId, name } = former;
        return putOnDisk(tx, { ...file, parentId, name }, stored, former, {});
      }),

    /** @throws FileNotFound, InvalidName, NameConflict, FolderNotFound */
    update: createUpdate(deps),

    /** Content goes with its last file. @throws FileNotFound */
    remove: removal.file,

    /** A quota of 0 is unlimited. `within`: of a folder alone, and what is left for it. */
    async usage(
      accountId: number,
      within: number | null = null,
    ): Promise<{ usedBytes: number; quotaBytes: number }> {
      const space = await repository.space(accountId);
      if (within === null) return { usedBytes: space.used, quotaBytes: space.quota ?? 0 };
      const usedBytes = await repository.bytesInside(accountId, within);
      // A quota of one byte is full, too.
      const quotaBytes = space.quota === 0 ? 0 : Math.max(usedBytes + remainingBytes(space), 1);
      return { usedBytes, quotaBytes };
    },
  };
}

function createUpdate({ tree, repository, onDisk, clock }: FilesDeps) {
  return async (accountId: number, id: number, change: FileChange): Promise<StoredFile> => {
    const name = change.name === undefined ? undefined : checkFileName(change.name);
    const isOnDisk = isLinked(await tree.file(accountId, id));
    if (isOnDisk && change.modifiedAt !== undefined) throw timeOfDisk();
    return tree.change(
      accountId,
      async (tx) => {
        const file = await tree.file(accountId, id, tx.db);
        const parentId = change.folderId === undefined ? file.parentId : toFolderId(change.folderId);
        const place = { parentId, name: name ?? file.name };
        const step = isOnDisk ? await onDisk.move(tx.db, file, place) : null;
        if (step === null && parentId !== file.parentId) await tree.writable(accountId, parentId, tx.db);
        const { modifiedAt = file.modifiedAt } = change;
        const next = { ...file, ...place, modifiedAt, updatedAt: clock.now() };
        await repository.update(tx.db, next);
        if (parentId !== file.parentId) await repository.countMove(tx.db, accountId);
        await step?.();
        return next;
      },
      { short: !isOnDisk },
    );
  };
}

function createPutOnDisk({ onDisk }: Pick<FilesDeps, "onDisk">) {
  /** Into a folder of the server. */
  return async function putOnDisk(
    tx: TreeTransaction,
    file: NewFile,
    stored: StoredBytes,
    former: StoredFile | null,
    { place, alongside }: InTransaction,
  ) {
    const parentId = place === undefined ? file.parentId : await place(tx);
    const { step, ...put } = await onDisk.put(tx.db, { ...file, parentId }, stored, former);
    await alongside?.(tx, put.file);
    await step();
    return { ...put, isNew: former === null };
  };
}

const timeOfDisk = () =>
  appError("Forbidden", "modified_at: the file lies on the server and has the time of its disk.");

type ReplacementDeps = Pick<FilesDeps, "tree" | "versions" | "blobs" | "clock"> & {
  sweeper: ReturnType<typeof createFullSweeper>;
};

function createReplacements({ tree, versions, blobs, clock, sweeper }: ReplacementDeps) {
  async function replaceIn(
    tx: TreeTransaction,
    former: StoredFile,
    { mimeType, createdBy, modifiedAt }: Pick<NewFile, "mimeType" | "createdBy" | "modifiedAt">,
    { size, sha256 }: StoredBytes,
    commit: Commit,
  ) {
    const [blobId] = await commit(tx.db);
    const facts = { blobId: blobId!, size, sha256, mimeType, createdBy: createdBy ?? null };
    const replaced = await versions.replace(tx, former, { ...facts, modifiedAt: modifiedAt ?? clock.now() });
    return { ...replaced, isNew: false };
  }

  /** Not a short transaction: nobody sees before it is durable that content is dead, whose bytes go next. */
  async function keepReplacing(
    { accountId }: Pick<NewFile, "accountId">,
    stored: StoredBytes,
    write: (tx: TreeTransaction, commit: Commit) => Promise<PutFile & { dead: readonly DeadBlob[] }>,
  ): Promise<PutFile> {
    sweeper.worked(GARBAGE_BYTES);
    const [put] = await blobs.keepAll([{ stored }], async (_, commit) => [
      await tree.change(accountId, (tx) => write(tx, commit)),
    ]);
    const { dead, ...result } = put!;
    await blobs.discard(dead);
    return result;
  }

  return { replaceIn, keepReplacing };
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
    const files = items.map(({ file, stored: { size, sha256 } }, at) => ({
      kind: "file" as const,
      accountId,
      parentId: file.parentId,
      name: names[at]!,
      mimeType: file.mimeType,
      blobId: blobIds[at]!,
      size,
      sha256,
      createdBy: file.createdBy ?? null,
      diskTime: null,
      modifiedAt: file.modifiedAt ?? now,
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
