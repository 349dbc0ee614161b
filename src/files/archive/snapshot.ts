/** The present tree below a folder, named and measured for an archive. */
import { appError } from "../../lib/errors.ts";
import type { Folder } from "../tree/entry.ts";
import type { EntryLog } from "./entry-log.ts";
import { createFolderNames } from "./entry-names.ts";
import type { ArchiveRepository } from "./repository.ts";
import { type FoundFolder, walkTree } from "./tree-walk.ts";
import { centralBytes, localBytes, type ZipTotals } from "./zip-format.ts";

/** Longest path in the format. */
const PATH_BYTES = 0xffff;

type Wanted = {
  repository: Pick<ArchiveRepository, "children">;
  log: EntryLog;
  folder: Folder;
  signal: AbortSignal;
};

/** Fills the log. @throws BadRequest if a path is too long */
export async function takeSnapshot({ repository, log, folder, signal }: Wanted): Promise<ZipTotals> {
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
  for await (const page of walkTree({ repository, accountId: folder.accountId, root, next })) {
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
