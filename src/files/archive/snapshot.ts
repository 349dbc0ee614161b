/** The present tree below a folder, named and measured for an archive. */
import { appError } from "../../lib/errors.ts";
import type { Entry, Folder } from "../tree/entry.ts";
import type { EntryLog } from "./entry-log.ts";
import { createFolderNames } from "./entry-names.ts";
import type { ArchiveRepository, AfterChild, Child } from "./repository.ts";
import { centralBytes, localBytes, type ZipTotals } from "./zip-format.ts";

/** Longest path in the format. */
const PATH_BYTES = 0xffff;

type SnapshotRequest = {
  repository: Pick<ArchiveRepository, "children">;
  log: EntryLog;
  folder: Folder;
  /** The entries to send instead of what is in the folder. */
  items: readonly Entry[] | undefined;
  signal: AbortSignal;
};

/** Fills the log. @throws BadRequest if a path is too long */
export async function takeSnapshot({
  repository,
  log,
  folder,
  items,
  signal,
}: SnapshotRequest): Promise<ZipTotals> {
  const totals: ZipTotals = { entries: 0, contentBytes: 0, centralBytes: 0 };
  let portions = 0;

  async function next(): Promise<FoundFolder[]> {
    for (;;) {
      const portion = await log.portion(portions);
      if (portion === null) return [];
      portions += 1;
      const folders = portion.filter(({ size }) => size === null);
      if (folders.length > 0) {
        return folders.map(({ id, path }) => ({ id, path: Buffer.from(path).toString() }));
      }
    }
  }

  const root = { id: folder.id, path: "" };
  let names = createFolderNames();
  let parentId = folder.id;
  for await (const page of walkTree({ repository, accountId: folder.accountId, root, items, next })) {
    signal.throwIfAborted();
    for (const { child, parent } of page) {
      if (parent.id !== parentId) names = createFolderNames();
      parentId = parent.id;
      const isFolder = child.kind === "folder";
      const path = Buffer.from(`${parent.path}${names.take(child.name)}${isFolder ? "/" : ""}`);
      if (path.length > PATH_BYTES) throw tooDeep();
      const entry = {
        id: child.id,
        path,
        size: isFolder ? null : child.size,
        modifiedAt: child.modifiedAt,
      };
      totals.centralBytes += centralBytes(entry, totals.contentBytes);
      totals.contentBytes += localBytes(entry);
      totals.entries += 1;
      await log.append(entry);
    }
  }
  return totals;
}

const tooDeep = () =>
  appError(
    "BadRequest",
    `A path in this folder is longer than the ${PATH_BYTES} bytes that ZIP allows; take the folders inside it one by one.`,
  );

type FoundFolder = { id: number; path: string };
type FoundChild = { child: Child; parent: FoundFolder };

type Walk = {
  repository: Pick<ArchiveRepository, "children">;
  accountId: number;
  root: FoundFolder;
  items: readonly Entry[] | undefined;
  /** The next folders to read; none at the end. */
  next(): Promise<readonly FoundFolder[]>;
};

/** Large, because a busy machine returns each query late. */
const ROWS = 2_500;
/** Folders in a query. */
const MOST_FOLDERS = 200;

/** Pages of children, level by level, files before folders; those of one folder are consecutive. */
async function* walkTree({ repository, accountId, root, items, next }: Walk): AsyncGenerator<FoundChild[]> {
  if (items !== undefined)
    yield items.toSorted(filesFirst).map((entry) => ({ child: childOf(entry), parent: root }));
  let waiting: readonly FoundFolder[] = items === undefined ? [root] : await next();
  let most = 1;
  while (waiting.length > 0) {
    const folders = waiting.slice(0, most);
    let found = 0;
    for await (const page of childrenOf(repository, accountId, folders)) {
      found += page.length;
      yield page;
    }
    // As many folders as fill a page.
    most = Math.max(1, Math.min(MOST_FOLDERS, Math.floor(ROWS / (found / folders.length + 1))));
    waiting = waiting.slice(folders.length);
    if (waiting.length === 0) waiting = await next();
  }
}

const filesFirst = (one: Entry, other: Entry): number =>
  Number(one.kind === "folder") - Number(other.kind === "folder") || one.id - other.id;

const childOf = (entry: Entry): Child => ({
  id: entry.id,
  parentId: entry.parentId,
  kind: entry.kind,
  name: entry.name,
  size: entry.kind === "file" ? entry.size : 0,
  modifiedAt: entry.kind === "file" ? entry.createdAt : entry.updatedAt,
});

async function* childrenOf(
  repository: Walk["repository"],
  accountId: number,
  folders: readonly FoundFolder[],
): AsyncGenerator<FoundChild[]> {
  const parents = new Map(folders.map((folder) => [folder.id, folder]));
  let left = [...parents.keys()].sort((one, other) => one - other);
  let after: AfterChild | null = null;
  while (left.length > 0) {
    const folderIds: number[] = after === null ? left : [left[0]!];
    const rows: Child[] = await repository.children(accountId, folderIds, after, ROWS);
    yield rows.map((child) => ({ child, parent: parents.get(child.parentId)! }));
    const last = rows.at(-1);
    if (rows.length === ROWS && last !== undefined) {
      left = left.filter((id) => id >= last.parentId);
      after = last;
    } else {
      left = after === null ? [] : left.slice(1);
      after = null;
    }
  }
}
