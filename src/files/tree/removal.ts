/**
 * Removes folders and files. A large folder is first detached in one transaction (REMOVED_ACCOUNT_ID), then removed in
 * transactions of at most a thousand entries, level by level. A job of any process continues after a crash, and removes
 * the trees of deleted accounts. Short links to an entry go in its transaction. Content without files is marked there;
 * its bytes go after the commit.
 */
import type { Db } from "../../platform/db/dialect.ts";
import { pagesAfter } from "../../lib/pages.ts";
import type { AccountTree, OnDisk, TreeTransaction } from "./account-tree.ts";
import type { DeadBlob } from "../blobs/repository.ts";
import type { Blobs } from "../blobs/service.ts";
import { type Actor, SYSTEM } from "../../lib/actor.ts";
import type { Clock } from "../../lib/clock.ts";
import { isUnavailable } from "../../platform/db/failures.ts";
import type { Logger } from "../../lib/logger.ts";
import { inPortions } from "../portions.ts";
import { NOBODY } from "../../lib/owner.ts";
import { createSetbacks } from "../setbacks.ts";
import type { EntriesRepository } from "./entries.repository.ts";
import { isMirrored, ROOT, type StoredFile, TRASH } from "./entry.ts";
import type { Inside, Removable, RemovalRepository } from "./removal.repository.ts";

/** Entries per transaction. */
export const PORTION = 1_000;
/** Detached folders per step. */
const FOLDERS_AT_ONCE = 500;
const LINKS_AT_ONCE = 1_000;
const ACCOUNTS_AT_ONCE = 100;

export type RemovalDeps = {
  tree: AccountTree;
  entries: EntriesRepository;
  removal: RemovalRepository;
  versions: {
    /** Removes all versions of at most 1,000 files. Returns what they referred to. */
    removeOf(tx: Db, fileIds: readonly number[]): Promise<number[]>;
  };
  blobs: Blobs;
  onDisk: OnDisk;
  clock: Clock;
  logger: Logger;
};

export type Removal = ReturnType<typeof createRemoval>;

export function createRemoval(deps: RemovalDeps) {
  const { tree, removal, blobs, onDisk, clock, logger } = deps;
  const { gather, remove } = createPortionRemoval(deps);
  const finish = createDetachedRemoval(deps, remove);
  const failing = createSetbacks<number>(clock);

  /** Does nothing while the account pauses after its removal failed as a whole. */
  async function finishLater(accountId: number, signal: AbortSignal): Promise<void> {
    if (failing.waits(accountId)) return;
    try {
      await finish(accountId, SYSTEM, signal);
    } catch (err) {
      if (signal.aborted || isUnavailable(err)) throw err;
      if (failing.add(accountId, accountId))
        logger.error(
          { err, account: accountId },
          "removing an account's entries failed; it will be tried again",
        );
    }
  }

  return {
    /** @throws FileNotFound */
    async file(accountId: number, id: number, actor = SYSTEM): Promise<void> {
      const dead = await tree.change(accountId, async (tx) => {
        const file = await tree.file(accountId, id, tx.db);
        if (!isMirrored(file)) return remove(tx, accountId, [file], actor);
        const step = await onDisk.remove(tx.db, file);
        const released = await remove(tx, accountId, [{ ...file, size: 0 }], actor);
        await step();
        return released;
      });
      await blobs.discard(dead);
      onDisk.sweep();
    },

    /** A file of the transaction's tree, whose content another one has too. */
    async fileIn(tx: TreeTransaction, file: StoredFile, actor: Actor): Promise<void> {
      await remove(tx, file.accountId, [file], actor);
    },

    /** The contents are gone when this resolves. @throws FolderNotFound */
    async folder(accountId: number, id: number, actor = SYSTEM): Promise<void> {
      const dead = await tree.change(accountId, async (tx) => {
        const [folder] = await tree.folders(accountId, id, tx.db);
        const isOnDisk = folder !== undefined && isMirrored(folder);
        const step = isOnDisk ? await onDisk.remove(tx.db, folder) : null;
        const inside = await gather(tx, accountId, id);
        const released =
          inside === null ? null : await remove(tx, accountId, [...inside, emptyFolder(id)], actor);
        if (released === null) await removal.detach(tx.db, accountId, [id]);
        await step?.();
        return released;
      });
      if (dead === null) await finish(accountId, actor);
      else await blobs.discard(dead);
      onDisk.sweep();
    },

    /** Removes the entries that `pick` names under the tree's lock, at most PORTION. Returns how many. */
    async picked(
      accountId: number,
      pick: (tx: TreeTransaction) => Promise<readonly Removable[]>,
      { actor = SYSTEM, signal }: { actor?: Actor; signal?: AbortSignal } = {},
    ): Promise<number> {
      const { dead, folders, count } = await tree.change(accountId, async (tx) => {
        const found = await pick(tx);
        const detaching = idsOf(found, "folder");
        await removal.detach(tx.db, accountId, detaching);
        const files = found.filter(({ kind }) => kind === "file");
        return {
          dead: await remove(tx, accountId, files, actor),
          folders: detaching.length,
          count: found.length,
        };
      });
      await blobs.discard(dead);
      if (folders > 0) await finish(accountId, actor, signal);
      return count;
    },

    /** Completes what a crash or a removed account left. Run it every minute. */
    async cleanUp(signal: AbortSignal): Promise<void> {
      for (const find of [removal.accountsWithDetached, removal.goneAccounts]) {
        for await (const accounts of pagesAfter(NOBODY, ACCOUNTS_AT_ONCE, find, (last) => last)) {
          for (const accountId of accounts) {
            signal.throwIfAborted();
            await finishLater(accountId, signal);
          }
        }
      }
    },
  };
}

function createPortionRemoval({ removal, versions, entries, blobs, clock }: RemovalDeps) {
  const gather = (
    { db }: TreeTransaction,
    accountId: number,
    folderId: number,
  ): Promise<Removable[] | null> =>
    gatherInside(folderId, PORTION, (folders, limit) => removal.inside(db, accountId, folders, { limit }));

  async function removeShares(tx: TreeTransaction, entryIds: readonly number[], actor: Actor): Promise<void> {
    for (;;) {
      const links = await removal.sharesOf(tx.db, entryIds, LINKS_AT_ONCE);
      if (links.length === 0) return;
      tx.changed("links", await removal.removeLinks(tx.db, links, { actor, now: clock.now() }));
    }
  }

  /** At most a portion. Returns what to discard after the commit. */
  async function remove(
    tx: TreeTransaction,
    accountId: number,
    gone: readonly Removable[],
    actor: Actor,
  ): Promise<DeadBlob[]> {
    if (gone.length === 0) return [];
    const ids = gone.map(({ id }) => id);
    // Lock first, so that no share of them is made meanwhile.
    await removal.hold(tx.db, ids);
    await removal.keepSeveral(tx.db, ids);
    await removeShares(tx, ids, actor);
    const versioned = gone.filter(({ versionsBytes }) => versionsBytes > 0).map(({ id }) => id);
    const former = versioned.length > 0 ? await versions.removeOf(tx.db, versioned) : [];
    const dead = await blobs.release(tx.db, [...gone.flatMap(({ blobId }) => blobId ?? []), ...former]);
    await removal.removeEntries(tx.db, ids);
    const bytes = gone.reduce((sum, { size, versionsBytes }) => sum + size + versionsBytes, 0);
    await entries.addUsage(tx.db, accountId, -bytes);
    return dead;
  }

  return { gather, remove };
}

type Portions = ReturnType<typeof createPortionRemoval>;

/** Removes detached folders and the trees of deleted accounts. */
function createDetachedRemoval(
  { tree, removal, blobs, clock, logger }: RemovalDeps,
  remove: Portions["remove"],
) {
  const setbacks = createSetbacks<Inside>(clock);

  /** Returns whether something is left to try. */
  async function step(
    accountId: number,
    actor: Actor,
    limit: number,
    tries: (entries: readonly Inside[]) => void,
  ): Promise<boolean> {
    const { dead, isLeft } = await tree.change(accountId, async (tx) => {
      const waiting = setbacks.waiting();
      const without = waiting.map(({ id }) => id);
      const detached = await removal.detached(tx.db, accountId, { limit: FOLDERS_AT_ONCE, without });
      const isGone = !(await removal.accountExists(tx.db, accountId));
      const folders = isGone ? [...detached, ROOT, TRASH] : detached;
      const room = limit - Math.min(detached.length, Math.floor(limit / 2));
      const inside = await removal.inside(tx.db, accountId, folders, { limit: room, without });
      // A folder stays until its failed entries are gone.
      const held = new Set(waiting.map(({ parentId }) => parentId));
      const empty = inside.length < room ? detached.filter((id) => !held.has(id)).map(emptyFolder) : [];
      const emptied = empty.slice(0, limit - inside.length);
      tries([...inside, ...emptied]);
      await removal.detach(tx.db, accountId, idsOf(inside, "folder"));
      const files = inside.filter(({ kind }) => kind === "file");
      const isSome = inside.length > 0 || emptied.length > 0;
      if (isGone && !isSome && waiting.length === 0) {
        await removal.expireUploads(tx.db, accountId);
        await removal.forgetUsage(tx.db, accountId);
      }
      return { dead: await remove(tx, accountId, [...files, ...emptied], actor), isLeft: isSome };
    });
    await blobs.discard(dead);
    return isLeft;
  }

  /** Leaves failed entries for a later call. */
  const finish = (accountId: number, actor: Actor, signal?: AbortSignal): Promise<void> =>
    inPortions<Inside>({
      most: PORTION,
      run: (limit, tries) => step(accountId, actor, limit, tries),
      isLasting: (error) => !isUnavailable(error),
      setAside(entry, err) {
        if (setbacks.add(entry.id, entry))
          logger.error(
            { err, entry: entry.id },
            "an entry can't be removed; it will be tried again, less and less often",
          );
      },
      signal,
    });

  return finish;
}

/** What is in a folder at any depth; null if that is `most` or more. */
export async function gatherInside<T extends { id: number; kind: string }>(
  folderId: number,
  most: number,
  inside: (folderIds: readonly number[], limit: number) => Promise<T[]>,
): Promise<T[] | null> {
  const found: T[] = [];
  for (let folders = [folderId]; folders.length > 0; ) {
    const next = await inside(folders, most - found.length);
    found.push(...next);
    if (found.length === most) return null;
    folders = idsOf(next, "folder");
  }
  return found;
}

const idsOf = (entries: readonly { id: number; kind: string }[], kind: Removable["kind"]): number[] =>
  entries.filter((entry) => entry.kind === kind).map(({ id }) => id);

const emptyFolder = (id: number): Inside => ({
  id,
  kind: "folder",
  blobId: null,
  size: 0,
  versionsBytes: 0,
  parentId: ROOT,
});
