/** Copies of files and folders within a tree. They share the stored content of their originals. */
import type { Db } from "../../db/dialect.ts";
import type { Clock } from "../../lib/clock.ts";
import { appError } from "../../lib/errors.ts";
import { checkFileName } from "../../lib/file-name.ts";
import type { Blobs } from "../blobs/service.ts";
import type { AccountTree, TreeTransaction } from "./account-tree.ts";
import type { EntriesRepository } from "./entries.repository.ts";
import { type Entry, MOST_LEVELS, type StoredFile } from "./entry.ts";
import { overQuota, remainingBytes } from "./files.service.ts";
import { tooDeep } from "./folders.service.ts";

export type Copying = {
  id: number;
  /** ROOT or a folder's id. */
  parentId: number;
  name: string;
  /** Else a folder without its contents. */
  isDeep: boolean;
  /** In the same transaction, with the ids of originals and copies. */
  alongside(tx: Db, ids: ReadonlyMap<number, number>): Promise<void>;
};

/** In one transaction. */
const MOST_COPIED = 1_000;

type Deps = {
  tree: AccountTree;
  repository: EntriesRepository;
  blobs: Pick<Blobs, "retain">;
  clock: Clock;
};

export type Copies = ReturnType<typeof createCopies>;

export function createCopies({ tree, repository, blobs, clock }: Deps) {
  /** By level. @throws BadRequest for too many */
  async function levelsOf(db: Db, source: Entry, isDeep: boolean): Promise<Entry[][]> {
    const levels = [[source]];
    for (let left = MOST_COPIED - 1, level = levels[0]!; isDeep; left -= level.length) {
      const folders = level.filter(({ kind }) => kind === "folder").map(({ id }) => id);
      if (folders.length === 0) break;
      level = await repository.inside(db, source.accountId, folders, left + 1);
      if (level.length > left) {
        throw appError(
          "BadRequest",
          `A copy has at most ${MOST_COPIED} entries; copy the folders inside one by one.`,
        );
      }
      levels.push(level);
    }
    return levels;
  }

  async function insert(tx: TreeTransaction, levels: Entry[][], top: { parentId: number; name: string }) {
    const now = clock.now();
    const ids = new Map<number, number>();
    for (const [depth, level] of levels.entries()) {
      const placed = level.map((entry) => ({
        ...entry,
        ...(depth === 0 ? top : { parentId: ids.get(entry.parentId)! }),
        createdAt: now,
        updatedAt: now,
      }));
      for (const { id, ...folder } of placed.filter(({ kind }) => kind === "folder")) {
        ids.set(id, await repository.insert(tx.db, folder as Omit<Entry, "id"> as never));
      }
      const files = placed.filter((entry): entry is StoredFile => entry.kind === "file");
      const added = await repository.insertFiles(
        tx.db,
        files.map(({ id: _id, ...file }) => file),
      );
      for (const [at, { id }] of files.entries()) ids.set(id, added[at]!);
    }
    return ids;
  }

  return {
    /** @throws FolderNotFound, FileNotFound, InvalidName, NameConflict, FolderCycle, BadRequest, FileTooLargeForPolicy */
    copy(accountId: number, { id, parentId, name: given, isDeep, alongside }: Copying): Promise<void> {
      const name = checkFileName(given);
      return tree.change(accountId, async (tx) => {
        const source = (await repository.lineage(accountId, id, tx.db))?.[0];
        if (source === undefined) throw appError("FileNotFound", "There is no such file.");
        const above = await tree.folders(accountId, parentId, tx.db);
        if (above.some((folder) => folder.id === id)) {
          throw appError("FolderCycle", "A folder can't be copied into itself or into a folder inside it.");
        }
        const levels = await levelsOf(tx.db, source, isDeep);
        if (above.length + levels.length > MOST_LEVELS) throw tooDeep();
        const files = levels.flat().filter((entry): entry is StoredFile => entry.kind === "file");
        const bytes = files.reduce((sum, { size }) => sum + size, 0);
        if (remainingBytes(tx.space) < bytes) throw overQuota(tx.space);
        const ids = await insert(tx, levels, { parentId, name });
        await blobs.retain(
          tx.db,
          files.map(({ blobId }) => blobId),
        );
        await repository.addUsage(tx.db, accountId, bytes);
        await alongside(tx.db, ids);
      });
    },
  };
}
