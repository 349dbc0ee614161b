/**
 * The trash of an account: files, and folders with their contents, out of the tree until somebody restores or deletes
 * them, or they are old. They count in the quota. Emptying marks everything in one transaction and deletes it in
 * portions; the job completes what a crash left. One change of the account's tree runs at a time, so an entry is either
 * restored or deleted.
 */

import { tooDeep } from "../tree/folders.service.ts";
import { pagesAfter } from "../../lib/pages.ts";
import type { Db } from "../../platform/db/dialect.ts";
import { isUnavailable } from "../../platform/db/failures.ts";
import { type Actor, SYSTEM } from "../../lib/actor.ts";
import { appError } from "../../lib/errors.ts";
import { checkFileName } from "../../lib/file-name.ts";
import { NOBODY } from "../../lib/owner.ts";
import { inPortions } from "../portions.ts";
import { createSetbacks } from "../setbacks.ts";
import { type DiskStep, type TreeTransaction, toFolderId } from "../tree/account-tree.ts";
import type { EntriesRepository } from "../tree/entries.repository.ts";
import { type Entry, isLinked, isMirrored, MOST_LEVELS, takesUploads } from "../tree/entry.ts";
import type { LocatedEntry } from "../tree/located-entry.ts";
import type { PathsRepository } from "../tree/paths.repository.ts";
import { PORTION, type Removal, type RemovalDeps } from "../tree/removal.ts";
import type { TrashPlace, TrashRepository } from "./repository.ts";
import type { Trashed, TrashedItem } from "./trashed.ts";

const DAY_MS = 86_400_000;
const ACCOUNTS_AT_ONCE = 100;

/** Absent fields stand for the former name and place. Null is the root. */
export type Restoration = { name?: string | undefined; folderId?: number | null | undefined };

type Deps = Pick<RemovalDeps, "tree" | "onDisk" | "clock" | "logger"> & {
  entries: EntriesRepository;
  paths: PathsRepository;
  removal: Removal;
  repository: TrashRepository;
  trashDays(): number;
};

export type Trash = ReturnType<typeof createTrash>;

export function createTrash(deps: Deps) {
  const { tree, entries, paths, removal, repository, onDisk, clock, trashDays } = deps;
  const { removeDue, removeAllDue } = createDueRemoval(deps);
  const keptMs = (): number => trashDays() * DAY_MS;

  async function itemsOf(accountId: number, trashed: readonly Trashed[], db?: Db): Promise<TrashedItem[]> {
    const folders = trashed.map(({ parentId }) => parentId);
    const ways = await paths.pathsOf(accountId, folders, db);
    return trashed.map((one) => ({
      ...one,
      path: ways.get(one.parentId) ?? null,
      expiresAt: one.trashedAt + keptMs(),
    }));
  }

  return {
    /** Moves an entry to the trash in a transaction that holds the tree. The step undoes what it does on a disk. */
    async putIn(tx: Db, entry: Entry): Promise<DiskStep | null> {
      const disk = isMirrored(entry) ? await onDisk.trash(tx, entry) : null;
      await repository.put(tx, entry, clock.now());
      await disk?.step();
      return disk?.undo ?? null;
    },

    /** A folder with its contents. With `blobId` only while that is a file's content. @throws FileNotFound, FolderNotFound */
    put: (accountId: number, place: Pick<Entry, "kind" | "id">, blobId?: number): Promise<TrashedItem> =>
      tree.change(accountId, async ({ db }) => {
        const entry = await tree.entry(accountId, place, db);
        const disk = isMirrored(entry) ? await onDisk.trash(db, entry) : null;
        const file = entry.kind === "file" ? entry : null;
        if (blobId !== undefined && file?.blobId !== blobId)
          throw appError("FileNotFound", "The file has other content now.");
        const { id, kind, name, parentId } = entry;
        const trashed = { id, kind, name, parentId, size: file?.size ?? null, trashedAt: clock.now() };
        const [item] = await itemsOf(accountId, [trashed], db);
        await repository.put(db, entry, trashed.trashedAt);
        await disk?.step();
        return item!;
      }),

    /** The folder in which an entry was; no folder for an unknown one. */
    formerFolder: async (id: number): Promise<number> => (await repository.formerFolder(id)) ?? Number.NaN,

    /** Newest first, after a place. `within`: only what was in that folder. */
    async after(accountId: number, after: TrashPlace | null, limit: number, within: number | null = null) {
      const found = await repository.page(accountId, { after, limit: limit + 1, within });
      const items = await itemsOf(accountId, found.slice(0, limit));
      const last = found.length > limit ? items.at(-1) : undefined;
      return { items, next: last === undefined ? null : { at: last.trashedAt, id: last.id } };
    },

    /** Newest first. `page` counts from 1. */
    async page(
      accountId: number,
      { page, pageSize }: { page: number; pageSize: number },
      within: number | null = null,
    ) {
      const total = await repository.count(accountId, within);
      const offset = (page - 1) * pageSize;
      const found =
        offset < total ? await repository.page(accountId, { offset, limit: pageSize, within }) : [];
      return { items: await itemsOf(accountId, found), total };
    },

    /** @throws NotFound, FolderNotFound, InvalidName, NameConflict, BadRequest (too deep) */
    async restore(accountId: number, id: number, to: Restoration): Promise<LocatedEntry> {
      const name = to.name === undefined ? undefined : checkFileName(to.name);
      return tree.change(accountId, async (tx) => {
        const trashed = await repository.find(tx.db, accountId, id);
        if (trashed === null) throw notInTrash();
        const parentId = to.folderId === undefined ? trashed.parentId : toFolderId(to.folderId);
        const next = { parentId, name: name ?? trashed.name };
        const above = await tree.folders(accountId, parentId, tx.db).catch((error: unknown) => {
          throw to.folderId === undefined ? formerFolderGone(error) : error;
        });
        const levels = trashed.kind === "folder" ? await entries.height(accountId, id, tx.db) : 0;
        if (above.length + levels > MOST_LEVELS) throw tooDeep();
        const step = await onDisk.restore(tx.db, trashed, next);
        if (step === null && above[0] !== undefined && isLinked(above[0])) throw takesUploads();
        const isBack = parentId === trashed.parentId && next.name === trashed.name;
        const updatedAt = isBack ? null : clock.now();
        await repository.putBack(tx.db, id, { ...next, updatedAt }, (cause) => nameTaken(next.name, cause));
        await step?.();
        const [entry, ...folders] = (await entries.lineage(accountId, id, tx.db))!;
        return {
          ...entry,
          size: entry.kind === "file" ? entry.size : null,
          mimeType: entry.kind === "file" ? entry.mimeType : null,
          modifiedAt: entry.kind === "file" ? entry.modifiedAt : null,
          isLinked: isLinked(entry),
          policyId: entry.kind === "folder" ? entry.policyId : null,
          path: folders.toReversed(),
        };
      });
    },

    /** Deletes an entry for good. @throws NotFound */
    async remove(accountId: number, id: number, actor: Actor): Promise<void> {
      const pick = async ({ db }: TreeTransaction) => {
        const found = await repository.removable(db, accountId, id);
        if (found === null) throw notInTrash();
        await onDisk.removeTrashed(db, [id]);
        if (found.kind === "folder") await repository.forget(db, [id]);
        return [found];
      };
      await removal.picked(accountId, pick, { actor });
      onDisk.sweep();
    },

    /** Deletes what is old, and what an interrupted emptying left. Run it every minute. */
    cleanUp: (signal: AbortSignal): Promise<void> => removeAllDue(clock.now() - keptMs(), signal),

    /** Deletes all entries for good. Returns how many were in the trash. */
    async empty(accountId: number, actor: Actor, within: number | null = null): Promise<number> {
      const count = await tree.change(accountId, (tx) => repository.empty(tx.db, accountId, within));
      await removeDue(accountId, 0, actor);
      return count;
    },
  };
}

function createDueRemoval({ removal, repository, onDisk, clock, logger }: Deps) {
  const setbacks = createSetbacks<number>(clock);

  /** Deletes in portions what is due. Failed entries wait for a later call. */
  const removeDue = (accountId: number, until: number, actor: Actor, signal?: AbortSignal): Promise<void> =>
    inPortions<number>({
      most: PORTION,
      async run(limit, tries) {
        const pick = async ({ db }: TreeTransaction) => {
          const due = await repository.due(db, accountId, until, { limit, without: setbacks.waiting() });
          tries(due.map(({ id }) => id));
          await onDisk.removeTrashed(
            db,
            due.map(({ id }) => id),
          );
          const folders = due.filter(({ kind }) => kind === "folder").map(({ id }) => id);
          await repository.forget(db, folders);
          return due;
        };
        const count = await removal.picked(accountId, pick, { actor, ...(signal && { signal }) });
        onDisk.sweep();
        return count === limit;
      },
      isLasting: (error) => !isUnavailable(error),
      setAside(id, err) {
        if (setbacks.add(id, id))
          logger.error({ err, entry: id }, "an entry of the trash can't be deleted; it will be tried again");
      },
      signal,
    });

  return {
    removeDue,

    /** Deletes in all accounts. */
    async removeAllDue(until: number, signal: AbortSignal): Promise<void> {
      const find = (after: number, limit: number) => repository.accountsDue(until, after, limit);
      for await (const accounts of pagesAfter(NOBODY, ACCOUNTS_AT_ONCE, find, (last) => last)) {
        for (const accountId of accounts) {
          signal.throwIfAborted();
          await removeDue(accountId, until, SYSTEM, signal);
        }
      }
    },
  };
}

const notInTrash = () => appError("NotFound", "There is no such entry in the trash.");

const formerFolderGone = (cause: unknown) =>
  appError("FolderNotFound", "Its former folder is gone or in the trash. Name another folder.", {
    cause,
    field: "folder_id",
  });

const nameTaken = (name: string, cause: unknown) =>
  appError(
    "NameConflict",
    `There is already a folder or file "${name}" in that folder. Give it another name, or name another folder.`,
    { cause, field: "name" },
  );
