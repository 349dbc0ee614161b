/** Where files and folders are in a share. */
import { appError } from "../../lib/errors.ts";
import type { SharedItems } from "../serving/plan.ts";
import type { AccountTree } from "../tree/account-tree.ts";
import type { Folder, StoredFile } from "../tree/entry.ts";
import type { SharesRepository } from "./repository.ts";
import { ITEMS, type SharedEntry } from "./share.ts";

type Deps = {
  tree: AccountTree;
  items: SharedItems;
  repository: Pick<SharesRepository, "itemsAmong" | "itemsOf">;
};

export function createSharePlaces({ tree, items, repository }: Deps) {
  async function itemsOf({ linkId, accountId }: Pick<SharedEntry, "linkId" | "accountId">) {
    return items.found(accountId, await repository.itemsOf(linkId));
  }

  /** The folders from the shared one to the file; none outside of it. */
  async function around(share: SharedEntry, file: StoredFile): Promise<Folder[]> {
    const isItem = share.kind === "items" && (await repository.itemsAmong(share.linkId, [file.id])).size > 0;
    return isItem ? [folderOfItems(share)] : within(share, file.parentId);
  }

  /** From the shared folder down to this one; empty outside of it. */
  async function within(share: SharedEntry, folderId: number): Promise<Folder[]> {
    if (folderId === ITEMS) return share.kind === "items" ? [folderOfItems(share)] : [];
    const path = (await tree.folders(share.accountId, folderId)).toReversed();
    if (share.kind === "items") {
      const ids = path.map(({ id }) => id);
      const shared = ids.length === 0 ? new Set() : await repository.itemsAmong(share.linkId, ids);
      const first = path.findIndex(({ id }) => shared.has(id));
      return first === -1 ? [] : [folderOfItems(share), ...path.slice(first)];
    }
    const begin = path.findIndex(({ id }) => id === share.entryId);
    return begin === -1 ? [] : path.slice(begin);
  }

  return {
    itemsOf,

    /** The shared file, or one in the shared folder with its folders, the shared one first. @throws FileNotFound */
    async place(share: SharedEntry, id: number): Promise<{ file: StoredFile; path: Folder[] }> {
      const { rootFile } = share;
      const file = rootFile?.id === id ? rootFile : await tree.file(share.accountId, id);
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
  createdAt,
  updatedAt: createdAt,
});
