/**
 * Makes the entries of a folder those that lie on the server. The thread of the disk compares, because it may hold
 * hundreds of thousands of names; here a page of them is in memory at a time, and each page is one transaction with the
 * account's tree. Two that look at the same folder find each other's entries and add none twice.
 */
import type { Clock } from "../../lib/clock.ts";
import type { Blobs } from "../blobs/service.ts";

import type { Disk, DiskItem, DiskListing, DiskNames, KnownItem } from "../storage/disk.ts";
import type { AccountTree, TreeTransaction } from "../tree/account-tree.ts";
import { folderAway } from "../storage/storage-failure.ts";
import type { EntriesRepository } from "../tree/entries.repository.ts";
import { MOST_LEVELS } from "../tree/entry.ts";
import { freeNames } from "../tree/free-name.ts";
import { mediaTypeOf } from "../tree/media-type.ts";
import type { Removal } from "../tree/removal.ts";
import type { Db } from "../../platform/db/dialect.ts";
import { shownNameOf } from "./entry-name.ts";
import type { LinkedRepository, LinkedRoot, NewItem } from "./repository.ts";

export type MirrorDeps = {
  repository: LinkedRepository;
  tree: AccountTree;
  entries: EntriesRepository;
  removal: Removal;
  blobs: Pick<Blobs, "release" | "discard">;
  clock: Clock;
};

export type MirroredFolder = { id: number; names: DiskNames };

/** What a look at a folder found. */
type Seen = {
  files: number;
  folders: MirroredFolder[];
  /** Why it could not be read. Then its entries stay as they were. */
  unreadable: string | null;
};

const PAGE = 1_000;
/** Folders deeper than that are shown without what is in them. */
const DEEPEST = MOST_LEVELS - 100;

export type Mirror = ReturnType<typeof createMirror>;

/** Writes of one page each. */
function createMirrorWrites({ repository, tree, entries, removal, blobs, clock }: MirrorDeps) {
  /** One transaction, in which the folder is there. Returns what to discard. @throws FolderNotFound */
  async function write(
    accountId: number,
    folderId: number,
    work: (tx: TreeTransaction) => Promise<number[]>,
  ) {
    const dead = await tree.change(accountId, async (tx) => {
      await tree.folders(accountId, folderId, tx.db);
      return blobs.release(tx.db, await work(tx));
    });
    await blobs.discard(dead);
  }

  /** Returns the folders among them. */
  async function add(root: LinkedRoot, { id, names: path }: MirroredFolder, items: readonly DiskItem[]) {
    const { accountId, policyId } = root;
    const folder = { accountId, id, policyId };
    let made: NewItem[] = [];
    await write(accountId, id, async ({ db }) => {
      made = await named({ db, folder }, items);
      if (made.length > 0) await repository.insert(db, folder, made, clock.now());
      return [];
    });
    const folders = made.filter(({ item }) => item.kind === "folder");
    if (folders.length === 0 || path.length >= DEEPEST) return [];
    const diskNames = new Map(folders.map(({ item, name }) => [name, item.name]));
    const found = await entries.named(accountId, id, [...diskNames.keys()]);
    return found.map(
      (entry): MirroredFolder => ({ id: entry.id, names: [...path, diskNames.get(entry.name)!] }),
    );
  }

  /** What the folder does not show yet, with names that are free. */
  async function named(
    { db, folder }: { db: Db; folder: { accountId: number; id: number } },
    items: readonly DiskItem[],
  ): Promise<NewItem[]> {
    const wished = items.map((item) => ({ item, name: shownNameOf(item.name), mimeType: "" }));
    const isOther = ({ item, name }: NewItem) => Number(item.name !== name);
    // Those that keep their name choose first.
    const sorted = wished.sort((one, other) => isOther(one) - isOther(other));
    const shown = await repository.shown(db, folder, sorted);
    const fresh = sorted.filter(({ item }) => !shown.has(item.name));
    const taken = (some: readonly string[]) => entries.takenNames(db, folder.accountId, folder.id, some);
    const known = new Set(await taken([...new Set(fresh.map(({ name }) => name))]));
    const numbered = fresh.map(({ name }) => {
      const isNumbered = known.has(name);
      known.add(name);
      return { parentId: folder.id, name, isNumbered };
    });
    const names = await freeNames(numbered, (_, some) => taken(some));
    return fresh.map(({ item }, at) => {
      const name = names[at]!;
      return { item, name, mimeType: item.kind === "file" ? mediaTypeOf(undefined, name) : "" };
    });
  }

  /** Applies a page of differences. */
  async function apply(
    root: Pick<LinkedRoot, "accountId" | "policyId">,
    { id }: Pick<MirroredFolder, "id">,
    gone: readonly KnownItem[],
    changed: readonly KnownItem[],
  ) {
    const { accountId, policyId } = root;
    const folder = { accountId, id, policyId };
    if (gone.length > 0) {
      await removal.picked(accountId, async ({ db }) => {
        await tree.folders(accountId, id, db);
        return repository.removable(db, folder, gone);
      });
    }
    if (changed.length > 0) {
      await write(accountId, id, ({ db }) => repository.change(db, folder, changed, clock.now()));
    }
  }

  return { add, apply };
}

export function createMirror(deps: MirrorDeps) {
  const { repository, tree } = deps;
  const { add, apply } = createMirrorWrites(deps);

  /**
   * One folder, without those inside. @throws StorageUnavailable if the root is away, FolderNotFound if the folder of the
   * tree is gone
   */
  async function look(
    root: LinkedRoot,
    disk: Disk,
    folder: MirroredFolder,
    signal?: AbortSignal,
  ): Promise<Seen> {
    const answer = await disk.list(folder.names);
    const isRoot = folder.names.length === 0;
    if (!("value" in answer)) {
      if (answer.where === "root" || isRoot) throw folderAway(answer.code);
      return { files: 0, folders: [], unreadable: answer.code };
    }
    const { id, inode } = answer.value;
    const seen: Seen = { files: 0, folders: [], unreadable: null };
    try {
      for await (const known of pages(root, folder)) {
        signal?.throwIfAborted();
        if (isRoot && known.isFirst && !(await isSame(disk, answer.value, root, known.items)))
          throw folderAway("another folder");
        const { gone, changed } = await disk.compare(id, known.items);
        const isGone = new Set(gone);
        await apply(
          root,
          folder,
          known.items.filter((item) => isGone.has(item.id)),
          changed,
        );
        collect(
          seen,
          folder,
          known.items.filter((item) => !isGone.has(item.id)),
        );
      }
      for (let items = await disk.rest(id); items.length > 0; items = await disk.rest(id)) {
        signal?.throwIfAborted();
        seen.folders.push(...(await add(root, folder, items)));
        seen.files += items.filter(({ kind }) => kind === "file").length;
      }
    } finally {
      await disk.forget(id);
    }
    if (isRoot && root.inode !== inode)
      await tree.change(root.accountId, ({ db }) => repository.updateRoot(db, root.entryId, { inode }));
    return seen;
  }

  async function* pages({ accountId }: LinkedRoot, { id }: MirroredFolder) {
    let page = await repository.page({ accountId, id }, null, PAGE);
    yield { ...page, isFirst: true };
    while (page.next !== null) {
      page = await repository.page({ accountId, id }, page.next, PAGE);
      yield { ...page, isFirst: false };
    }
  }

  return { look, apply };
}

/** Whether the root is the folder that was linked: an empty mount point must not pass for it. */
async function isSame(
  disk: Disk,
  listing: DiskListing,
  root: LinkedRoot,
  known: readonly KnownItem[],
): Promise<boolean> {
  if (root.inode === null || root.inode === listing.inode || known.length === 0) return true;
  return disk.hasSome(
    listing.id,
    known.map(({ name }) => name),
  );
}

function collect(seen: Seen, folder: MirroredFolder, items: readonly KnownItem[]): void {
  for (const { id, kind, name } of items) {
    if (kind === "file") seen.files += 1;
    else seen.folders.push({ id, names: [...folder.names, name] });
  }
}
