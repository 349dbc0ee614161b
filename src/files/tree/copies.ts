/** Copies of files and folders within a tree. They share the stored content of their originals. */
import type { Db } from "../../platform/db/dialect.ts";
import { appError } from "../../lib/errors.ts";
import { checkFileName } from "../../lib/file-name.ts";
import type { Blobs } from "../blobs/service.ts";
import { toFolderId } from "./account-tree.ts";
import { type Entry, isLinked, MOST_LEVELS } from "./entry.ts";
import type { FilesDeps } from "./files.service.ts";
import { overQuota, remainingBytes } from "./space.ts";
import { tooDeep } from "./folders.service.ts";

export type Copying = {
  id: number;
  /** The target folder, or null for the root. */
  parentId: number | null;
  name: string;
  /** Else a folder without its contents. */
  isDeep: boolean;
  /** Runs in the same transaction, with the ids of originals and copies. */
  alongside(tx: Db, ids: ReadonlyMap<number, number>): Promise<void>;
};

/** Most entries that one transaction copies. */
const MOST_COPIED = 1_000;

type Deps = Pick<FilesDeps, "tree" | "repository" | "clock"> & { blobs: Blobs };

export type Copies = ReturnType<typeof createCopies>;

export const createCopies = ({ tree, repository, blobs, clock }: Deps) => ({
  /** @throws FolderNotFound, FileNotFound, InvalidName, NameConflict, FolderCycle, BadRequest, FileTooLargeForPolicy */
  copy(accountId: number, { id, name: given, isDeep, alongside, ...to }: Copying): Promise<void> {
    const parentId = toFolderId(to.parentId);
    const name = checkFileName(given);
    return tree.change(accountId, async ({ db, space }) => {
      const source = (await repository.lineage(accountId, id, db))?.[0];
      if (source === undefined) throw appError("FileNotFound", "There is no such file.");
      const above = await tree.writable(accountId, parentId, db);
      if (above.some((folder) => folder.id === id)) {
        throw appError("FolderCycle", "A folder can't be copied into itself or into a folder inside it.");
      }
      const times = { createdAt: clock.now(), updatedAt: clock.now() };
      const ids = new Map<number, number>();
      const placeOf = (entry: Pick<Entry, "parentId">) => ids.get(entry.parentId) ?? parentId;
      const blobIds: number[] = [];
      let bytes = 0;
      let level: Entry[] = [{ ...source, name }];
      for (let depth = above.length + 1; level.length > 0; depth++) {
        if (depth > MOST_LEVELS) throw tooDeep();
        if (ids.size + level.length > MOST_COPIED) throw tooMany();
        if (level.some(isLinked)) throw notCopied();
        const copies = level.map(({ id: _id, ...one }) => ({ ...one, ...times, parentId: placeOf(one) }));
        const added = await repository.insertAll(db, copies);
        for (const [at, one] of level.entries()) {
          ids.set(one.id, added[at]!);
          if (one.kind === "file") blobIds.push(one.blobId);
          bytes += one.kind === "file" ? one.size : 0;
        }
        const folders = isDeep ? level.filter(({ kind }) => kind === "folder").map((one) => one.id) : [];
        level = folders.length > 0 ? await repository.inside(db, accountId, folders, MOST_COPIED) : [];
      }
      if (remainingBytes(space) < bytes) throw overQuota(space);
      await blobs.retain(db, blobIds);
      await repository.addUsage(db, accountId, bytes);
      await alongside(db, ids);
    });
  },
});

const notCopied = () =>
  appError("Forbidden", "A folder that lies on the server can't be copied here. Download it instead.");

const tooMany = () =>
  appError("BadRequest", `A copy has at most ${MOST_COPIED} entries; copy the folders inside one by one.`);
