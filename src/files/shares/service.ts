/**
 * This room is for visitors who load files: the pages, previews and downloads of a share. A limited share counts a
 * download at its start and takes it back if the client leaves, so parallel downloads stay within the limit. After a
 * crash the running ones stay counted.
 */
import type { Clock } from "../../lib/clock.ts";
import { appError } from "../../lib/errors.ts";
import type { SharedItems } from "../serving/plan.ts";
import type { VisitLog } from "../recipients/visits.ts";
import type { ServingRepository } from "../serving/repository.ts";
import type { AccountTree } from "../tree/account-tree.ts";
import type { Folder, StoredFile } from "../tree/entry.ts";
import type { SharesRepository } from "./repository.ts";
import { ITEMS, type SharedEntry, type VisitedShare, type VisitStep } from "./share.ts";

type Deps = {
  tree: AccountTree;
  /** As it is now. @throws StorageUnavailable if it lies on the server and is away */
  linked: { expectCurrent(file: StoredFile): Promise<StoredFile> };
  items: SharedItems;
  serving: ServingRepository;
  repository: SharesRepository;
  visits: VisitLog;
  clock: Clock;
  /** A download has ended well. */
  notifyDownload(share: SharedEntry & { isUsedUp: boolean }): Promise<void>;
};

export type Shares = ReturnType<typeof createShares>;

export function createShares(deps: Deps) {
  const { repository, clock } = deps;

  /** Stores what a visitor did. */
  const note = ({ linkId, visitor, device }: VisitedShare, { action, name }: VisitStep): Promise<void> =>
    deps.visits.note({ action, name, linkId, email: visitor, ...device });

  return {
    ...createSharePlaces(deps),
    note,
    count: repository.count,
    finish: repository.finish,
    uncount: repository.uncount,
    redirects: repository.redirects,

    /** The share of a link; null if it serves nothing. */
    async find(linkId: number): Promise<SharedEntry | null> {
      const share = await repository.find(linkId);
      return share === null || (share.expiresAt !== null && share.expiresAt <= clock.now()) ? null : share;
    },

    /** A download has ended well. */
    async reportDownload(share: VisitedShare, step: VisitStep): Promise<void> {
      await note(share, step);
      const isUsedUp = share.maxDownloads !== null && (await repository.isUsedUp(share.linkId));
      await deps.notifyDownload({ ...share, isUsedUp });
    },
  };
}

/** Locates files and folders in a share. */
function createSharePlaces({ tree, items, serving, linked }: Deps) {
  async function itemsOf({ linkId, accountId }: Pick<SharedEntry, "linkId" | "accountId">) {
    return items.found(accountId, await serving.itemsOf(linkId));
  }

  /** The folders from the shared one to the file; none outside of it. */
  async function around(share: SharedEntry, file: StoredFile): Promise<Folder[]> {
    const isItem = share.kind === "items" && (await serving.itemsAmong(share.linkId, [file.id])).size > 0;
    return isItem ? [folderOfItems(share)] : within(share, file.parentId);
  }

  /** From the shared folder down to this one; empty outside of it. */
  async function within(share: SharedEntry, folderId: number): Promise<Folder[]> {
    if (folderId === ITEMS) return share.kind === "items" ? [folderOfItems(share)] : [];
    const path = (await tree.folders(share.accountId, folderId)).toReversed();
    if (share.kind === "items") {
      const ids = path.map(({ id }) => id);
      const shared = ids.length === 0 ? new Set() : await serving.itemsAmong(share.linkId, ids);
      const first = path.findIndex(({ id }) => shared.has(id));
      return first === -1 ? [] : [folderOfItems(share), ...path.slice(first)];
    }
    const begin = path.findIndex(({ id }) => id === share.entryId);
    return begin === -1 ? [] : path.slice(begin);
  }

  return {
    /** What visitors find of several items. */
    items: itemsOf,

    /** The shared file, or one in the shared folder with its folders, the shared one first. @throws FileNotFound */
    async place(share: SharedEntry, id: number): Promise<{ file: StoredFile; path: Folder[] }> {
      const { rootFile } = share;
      const known = rootFile?.id === id ? rootFile : await tree.file(share.accountId, id);
      const file = await linked.expectCurrent(known);
      const path = share.kind === "file" ? [] : await around(share, file);
      if (share.kind === "file" ? file.id === share.entryId : path.length > 0) return { file, path };
      throw appError("FileNotFound", "There is no such file here.");
    },

    /** A folder of the share and its ancestors, the shared one first. @throws FolderNotFound */
    async folders(share: SharedEntry, id: number): Promise<[Folder, ...Folder[]]> {
      const [first, ...rest] = await within(share, id);
      if (first === undefined) throw appError("FolderNotFound", "There is no such folder here.");
      return [first, ...rest];
    },
  };
}

/** What lists several items. Its name is that of their archive. */
const folderOfItems = ({ accountId, title, code, createdAt }: SharedEntry): Folder => ({
  kind: "folder",
  id: ITEMS,
  accountId,
  parentId: ITEMS,
  name: title ?? code.replaceAll("/", " "),
  policyId: null,
  diskTime: null,
  createdAt,
  updatedAt: createdAt,
});
