/**
 * ZIP archives of folders. The tree is read once at the start, so names and length are known and later changes do not
 * matter; content that is gone at its turn cuts the archive. Folders of the server are looked at before they are read.
 * Memory does not grow with files or bytes (entry-log.ts).
 */
import { dataPath } from "../../lib/data-folder.ts";
import type { Clock } from "../../lib/clock.ts";
import { AppError, appError } from "../../lib/errors.ts";
import type { Blobs } from "../blobs/service.ts";
import type { Entry, Folder } from "../tree/entry.ts";
import type { Files } from "../tree/files.service.ts";
import type { Folders } from "../tree/folders.service.ts";
import { openSource, PIECE_BYTES, zipPieces } from "./zip-stream.ts";
import { createEntryLog, type EntryLog } from "./entry-log.ts";
import { createFolderNames, safeEntryName } from "./entry-names.ts";
import type { AfterChild, ArchiveRepository, Child } from "./repository.ts";
import { centralBytes, endBytes, localBytes, type ZipTotals } from "./zip-format.ts";

export type Archives = ReturnType<typeof createArchives>;
export type Archive = Awaited<ReturnType<Archives["make"]>>;

type Deps = {
  repository: ArchiveRepository;
  blobs: Blobs;
  files: Pick<Files, "find" | "current">;
  folders: Pick<Folders, "refresh">;
  clock: Clock;
  dataDir: string;
};

/** Most bytes that the lists of all archives occupy in files. */
const LIST_BYTES = 2 ** 30;
/** Nobody waits longer for looks at folders of the server; what was not looked at is taken as it was known. */
const LOOK_MS = 10_000;
/** Attempts to read a tree without a concurrent move. */
const TRIES = 5;

export function createArchives(deps: Deps) {
  const { repository, blobs, files, dataDir } = deps;
  let left = LIST_BYTES;

  const createLog = () =>
    createEntryLog({
      pathOf: (name) => `${dataPath(dataDir, "archive")}-${name}`,
      take(bytes) {
        if (bytes > left) throw tooMany();
        left -= bytes;
      },
      giveBack: (bytes) => void (left += bytes),
    });

  async function expectFolders(accountId: number, ids: readonly number[]): Promise<void> {
    const found = await repository.folders(accountId, ids);
    if (ids.some((id) => !found.has(id))) throw appError("FolderNotFound", "The folder was deleted.");
  }

  /** The tree at one moment: a move during the read could hide an entry. */
  async function read(folder: Folder, signal: AbortSignal, given?: readonly Entry[]) {
    const looks = createLooks(deps, signal);
    const items = given && (await looks.files(given));
    for (let tries = 0; tries < TRIES; tries++) {
      const log = createLog();
      try {
        const moves = await repository.moves(folder.accountId);
        const totals = await takeSnapshot({ repository, log, folder, items, signal, look: looks.folders });
        if ((await repository.moves(folder.accountId)) === moves) {
          if (items === undefined) await expectFolders(folder.accountId, [folder.id]);
          return { log, totals };
        }
        await log.close();
      } catch (error) {
        await log.close();
        throw error;
      }
    }
    throw appError("ServiceUnavailable", "Folders are being moved just now. Try again in a moment.");
  }

  return {
    /**
     * @param items instead of what is in the folder, all at its top
     * @throws BadRequest (path too long), FolderNotFound (removed meanwhile), ServiceUnavailable (too many archives),
     * StorageUnavailable (a folder of the server is away), the signal's reason
     */
    async make(folder: Folder, signal: AbortSignal, items?: readonly Entry[]) {
      const { log, totals } = await read(folder, signal, items);
      const contents = {
        expectFolders: (ids: readonly number[]) => expectFolders(folder.accountId, ids),
        find: repository.contents,
        async open(blob: Parameters<typeof blobs.openFound>[0], fileId: number) {
          const found = await blobs.openFound(blob, { signal }).catch(async (error: unknown) => {
            // The next archive has a file of the server as it is now.
            await files.find(folder.accountId, fileId).catch(() => undefined);
            throw error;
          });
          return openSource(found.body);
        },
      };
      const length = totals.contentBytes + totals.centralBytes + endBytes(totals);
      return {
        name: safeEntryName(`${folder.name}.zip`),
        length,
        /** Too short to be worth a stream. */
        isShort: length <= PIECE_BYTES,
        /** See zipPieces. */
        pieces: () => zipPieces(log, totals, contents),
        /** May be called twice. */
        close: log.close,
      };
    },
  };
}

/** What lies on the server changes without Waymark, whose rows say what was seen last. */
function createLooks({ repository, files, folders, clock }: Deps, signal: AbortSignal) {
  const end = clock.now() + LOOK_MS;
  const isOver = (): boolean => {
    signal.throwIfAborted();
    return clock.now() >= end;
  };

  return {
    /** @throws StorageUnavailable if one is away */
    async folders(ids: readonly number[]): Promise<void> {
      if (isOver()) return;
      for (const folder of await repository.linked(ids)) if (!isOver()) await folders.refresh(folder);
    },

    /** The entries with the files as they are now, without those that are gone. */
    async files(entries: readonly Entry[]): Promise<Entry[]> {
      const found: Entry[] = [];
      for (const entry of entries) {
        const isKnown = entry.kind === "folder" || isOver();
        const now = isKnown ? entry : await files.current(entry).catch(nullIfGone);
        if (now !== null) found.push(now);
      }
      return found;
    },
  };
}

function nullIfGone(error: unknown): null {
  if (error instanceof AppError && error.name === "FileNotFound") return null;
  throw error;
}

const tooMany = () =>
  appError(
    "ServiceUnavailable",
    "Too many large folders are downloaded at once. Try again in a few minutes.",
  );

/** Longest path in the format. */
const PATH_BYTES = 0xffff;

type SnapshotRequest = {
  repository: ArchiveRepository;
  log: EntryLog;
  folder: Folder;
  /** The entries to send instead of what is in the folder. */
  items: readonly Entry[] | undefined;
  signal: AbortSignal;
  look: Walk["look"];
};

/** Writes the present tree below a folder to the log, named and measured. @throws BadRequest if a path is too long */
async function takeSnapshot(request: SnapshotRequest): Promise<ZipTotals> {
  const { log, folder, signal } = request;
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
  for await (const page of walkTree({ ...request, accountId: folder.accountId, root, next })) {
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
  repository: ArchiveRepository;
  accountId: number;
  root: FoundFolder;
  items: readonly Entry[] | undefined;
  /** Called before folders are read. */
  look(folderIds: readonly number[]): Promise<void>;
  /** The next folders to read; none at the end. */
  next(): Promise<readonly FoundFolder[]>;
};

/** Large, because a busy machine returns each query late. */
const ROWS = 2_500;
/** Folders in a query. */
const MOST_FOLDERS = 200;

/** Pages of children, level by level, files before folders; those of one folder are consecutive. */
async function* walkTree(walk: Walk): AsyncGenerator<FoundChild[]> {
  const { repository, accountId, root, items, look, next } = walk;
  if (items !== undefined)
    yield items.toSorted(filesFirst).map((entry) => ({ child: childOf(entry), parent: root }));
  let waiting: readonly FoundFolder[] = items === undefined ? [root] : await next();
  let most = 1;
  while (waiting.length > 0) {
    const folders = waiting.slice(0, most);
    await look(folders.map(({ id }) => id));
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
  modifiedAt: entry.kind === "file" ? entry.modifiedAt : entry.updatedAt,
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
