/**
 * ZIP archives of folders. The tree is read once at the start, so names and length are known and later changes do not
 * matter; content that is gone at its turn cuts the archive. Memory does not grow with files or bytes (entry-log.ts).
 */
import { dataPath } from "../../lib/data-folder.ts";
import { appError } from "../../lib/errors.ts";
import type { Blobs } from "../blobs/service.ts";
import type { Entry, Folder } from "../tree/entry.ts";
import { openSource } from "./content-source.ts";
import { createEntryLog } from "./entry-log.ts";
import { safeEntryName } from "./entry-names.ts";
import type { ArchiveRepository } from "./repository.ts";
import { takeSnapshot } from "./snapshot.ts";
import { endBytes } from "./zip-format.ts";
import { PIECE_BYTES, zipPieces } from "./zip-stream.ts";

export type Archives = ReturnType<typeof createArchives>;
export type Archive = Awaited<ReturnType<Archives["make"]>>;

type Deps = {
  repository: ArchiveRepository;
  blobs: Pick<Blobs, "openFound">;
  dataDir: string;
};

/** Most bytes that the lists of all archives occupy in files. */
const LIST_BYTES = 2 ** 30;
/** Attempts to read a tree without a concurrent move. */
const TRIES = 5;

export function createArchives({ repository, blobs, dataDir }: Deps) {
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
  async function read(folder: Folder, signal: AbortSignal, items?: readonly Entry[]) {
    for (let tries = 0; tries < TRIES; tries++) {
      const log = createLog();
      try {
        const moves = await repository.moves(folder.accountId);
        const totals = await takeSnapshot({ repository, log, folder, items, signal });
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
     * @throws BadRequest (path too long), FolderNotFound (removed meanwhile), ServiceUnavailable (too many archives), the
     * signal's reason
     */
    async make(folder: Folder, signal: AbortSignal, items?: readonly Entry[]) {
      const { log, totals } = await read(folder, signal, items);
      const contents = {
        expectFolders: (ids: readonly number[]) => expectFolders(folder.accountId, ids),
        find: repository.contents,
        open: async (blob: Parameters<typeof blobs.openFound>[0]) =>
          openSource((await blobs.openFound(blob, { signal })).body),
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

const tooMany = () =>
  appError(
    "ServiceUnavailable",
    "Too many large folders are downloaded at once. Try again in a few minutes.",
  );
