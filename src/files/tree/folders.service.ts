import type { Db } from "../../platform/db/dialect.ts";
import type { Actor } from "../../lib/actor.ts";
import { AppError, appError } from "../../lib/errors.ts";
import { checkFileName } from "../../lib/file-name.ts";
import { toFolderId, type TreeTransaction } from "./account-tree.ts";
import { type Folder, isLinked, isMirrored, MOST_LEVELS, newFolder, ROOT, type StoredFile } from "./entry.ts";
import type { Policies } from "../policies/service.ts";
import type { FilesDeps } from "./files.service.ts";

/** A listing continues after this name. */
export type Cursor = { kind: "folder" | "file"; name: string };

export type Listing = {
  /** The folder itself, or null for the root. */
  folder: Folder | null;
  /** The folders from the root to the folder itself. */
  path: Folder[];
  /** Whether nothing may be written in a folder that lies on the server; null for others. */
  isReadOnly: boolean | null;
};

/** Folders before files, each by the bytes of their names. */
export type ListingPage = {
  folders: Folder[];
  files: StoredFile[];
  /** The cursor of the next page, or null on the last one. */
  next: Cursor | null;
};

/** Absent fields stay. Null is the root, or no override. */
export type FolderChange = {
  name?: string | undefined;
  parentId?: number | null | undefined;
  policyId?: number | null | undefined;
};

type Deps = Omit<FilesDeps, "blobs" | "versions"> & { policies: Policies };

export type Folders = ReturnType<typeof createFolders>;

export function createFolders({ tree, repository, removal, policies, linked, onDisk, clock }: Deps) {
  /** @throws FolderNotFound, FolderCycle, BadRequest (too deep) */
  async function move(tx: TreeTransaction, folder: Folder, parentId: number): Promise<void> {
    const into = isMirrored(folder) ? tree.folders : tree.writable;
    const above = await into(folder.accountId, parentId, tx.db);
    if (above.some(({ id }) => id === folder.id)) {
      throw appError("FolderCycle", "A folder can't be moved into itself or into a folder inside it.");
    }
    const height = await repository.height(folder.accountId, folder.id, tx.db);
    if (above.length + height > MOST_LEVELS) throw tooDeep();
  }

  const expectStoring = createPolicyCheck({ policies });

  return {
    /** @throws FolderNotFound */
    async find(accountId: number, folderId: number | null): Promise<Listing> {
      const [folder = null, ...above] = await tree.folders(accountId, toFolderId(folderId));
      if (folder === null) return { folder, path: [], isReadOnly: null };
      const path = [folder, ...above];
      const policyId = isLinked(folder) ? path.flatMap((one) => one.policyId ?? [])[0] : undefined;
      const isReadOnly = policyId === undefined ? null : (await policies.find(policyId)).readOnly !== false;
      return { folder, path: path.toReversed(), isReadOnly };
    },

    /** With its tree, until the transaction ends. @throws FolderNotFound */
    async locked(accountId: number, id: number, tx: Db): Promise<Folder> {
      await repository.lock(tx, accountId);
      return (await tree.folders(accountId, toFolderId(id), tx))[0]!;
    },

    refresh: linked.refresh,

    /** Whether the folder lies on the server and is away, so that pages show what was seen last. */
    isAway: (folder: Folder): Promise<boolean> =>
      linked.refresh(folder).then(
        () => false,
        (error: unknown) => {
          if (error instanceof AppError && error.name === "StorageUnavailable") return true;
          throw error;
        },
      ),

    /** At most `limit` entries after the cursor. @throws StorageUnavailable if it lies on the server and is away */
    async page(accountId: number, folder: Folder | null, after: Cursor | null, limit: number) {
      if (folder !== null && after === null) await linked.refresh(folder);
      return this.knownPage(accountId, folder, after, limit);
    },

    /** Likewise, as it was seen last. */
    async knownPage(accountId: number, folder: Folder | null, after: Cursor | null, limit: number) {
      const parentId = folder?.id ?? ROOT;
      const inFiles = after?.kind === "file";
      const folders = inFiles
        ? []
        : await repository.folders(accountId, parentId, { after: after?.name ?? null, limit: limit + 1 });
      const room = Math.max(limit - folders.length, 0);
      const files = await repository.files(accountId, parentId, {
        after: inFiles ? after.name : null,
        limit: room + 1,
      });
      const isMore = folders.length > limit || files.length > room;
      const shown = { folders: folders.slice(0, limit), files: files.slice(0, room) };
      const last = shown.files.at(-1) ?? shown.folders.at(-1);
      const next = isMore && last !== undefined ? { kind: last.kind, name: last.name } : null;
      return { ...shown, next } satisfies ListingPage;
    },

    /** @throws InvalidName, FolderNotFound (the parent), NameConflict, BadRequest (too deep) */
    async create(accountId: number, given: { name: string; parentId: number | null }): Promise<Folder> {
      const name = checkFileName(given.name);
      const parentId = toFolderId(given.parentId);
      return tree.change(accountId, async (tx) => {
        const above = await tree.folders(accountId, parentId, tx.db);
        if (above.length >= MOST_LEVELS) throw tooDeep();
        if (above[0] !== undefined && isLinked(above[0])) return onDisk.makeFolder(tx.db, above[0], name);
        const folder = newFolder(accountId, parentId, name, clock.now());
        return { ...folder, id: await repository.insert(tx.db, folder) };
      });
    },

    /** Whether the folder can get the policy. @throws FolderNotFound, PolicyNotFound, BadRequest for linked ones */
    async validatePolicy(accountId: number, id: number, { policyId }: FolderChange): Promise<void> {
      const [folder] = await tree.folders(accountId, toFolderId(id));
      await expectStoring(folder!, policyId);
    },

    /** @throws FolderNotFound, InvalidName, NameConflict, FolderCycle, PolicyNotFound, BadRequest (too deep) */
    async update(accountId: number, id: number, change: FolderChange): Promise<Folder> {
      const name = change.name === undefined ? undefined : checkFileName(change.name);
      return tree.change(accountId, async (tx) => {
        const [folder] = await tree.folders(accountId, toFolderId(id), tx.db);
        const parentId = change.parentId === undefined ? folder!.parentId : toFolderId(change.parentId);
        if (parentId !== folder!.parentId) await move(tx, folder!, parentId);
        const place = { parentId, name: name ?? folder!.name };
        const step = isMirrored(folder!) ? await onDisk.move(tx.db, folder!, place) : null;
        await expectStoring(folder!, change.policyId);
        const next: Folder = {
          ...folder!,
          ...place,
          policyId: change.policyId === undefined ? folder!.policyId : change.policyId,
          updatedAt: clock.now(),
        };
        await repository.update(tx.db, next);
        if (parentId !== folder!.parentId) await repository.countMove(tx.db, accountId);
        await step?.();
        return next;
      });
    },

    /** Removes a folder with its contents. @throws FolderNotFound */
    remove: (accountId: number, id: number, actor?: Actor): Promise<void> =>
      removal.folder(accountId, toFolderId(id), actor),
  };
}

function createPolicyCheck({ policies }: Pick<Deps, "policies">) {
  /** The policy may stay. @throws PolicyNotFound, BadRequest for linked policies, which `link` shows */
  return async function expectStoring(folder: Folder, policyId: number | null | undefined): Promise<void> {
    if (policyId === undefined || policyId === folder.policyId) return;
    const policy = policyId === null ? null : await policies.find(policyId);
    if (policy?.driverType === "linked" || isLinked(folder)) {
      throw appError(
        "BadRequest",
        "policy_id: a folder that lies on the server is shown by linking its storage, and removed by deleting it.",
      );
    }
  };
}

export const tooDeep = () =>
  appError("BadRequest", `Folders can be nested at most ${MOST_LEVELS} levels deep.`);
