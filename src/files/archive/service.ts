/**
 * ZIP archives of folders. The tree is read once at the start, so names and length are known and later changes do not
 * matter; content that is gone at its turn cuts the archive. Memory does not grow with files or bytes (entry-log.ts).
 */
import { dataPath } from "../../lib/data-folder.ts";
import { appError } from "../../lib/errors.ts";
import type { Blobs } from "../blobs/service.ts";
import type { Folder } from "../tree/entry.ts";
import { openSource } from "./content-source.ts";
import { createEntryLog } from "./entry-log.ts";
import { safeEntryName } from "./entry-names.ts";
import type { ArchiveRepository } from "./repository.ts";
import { takeSnapshot } from "./snapshot.ts";
import { endBytes } from "./zip-format.ts";
import { PIECE_BYTES, zipPieces } from "./zip-stream.ts";

export type Archive = {
  /** Of the ZIP file. */
  name: string;
  length: number;
  /** Worth no stream. */
  isShort: boolean;
  /** See zipPieces. */
  pieces(): AsyncGenerator<Uint8Array, void>;
  /** May be called twice. */
  close(): Promise<void>;
};

export type Archives = ReturnType<typeof createArchives>;

type Deps = {
  repository: ArchiveRepository;
  blobs: Pick<Blobs, "openFound">;
  dataDir: string;
  /** Lists of all archives in files. */
  listBytes?: number;
};

const LIST_BYTES = 2 ** 30;

export function createArchives({ repository, blobs, dataDir, listBytes = LIST_BYTES }: Deps) {
  let left = listBytes;

  const createLog = () =>
    createEntryLog({
      pathOf: (name) => `${dataPath(dataDir, "archive")}-${name}`,
      take(bytes) {
        if (bytes > left) throw tooMany();
        left -= bytes;
      },
      giveBack: (bytes) => void (left += bytes),
    });

  return {
    /** @throws BadRequest (path too long), ServiceUnavailable (too many archives), the signal's reason */
    async make(folder: Folder, signal: AbortSignal): Promise<Archive> {
      const log = createLog();
      try {
        const totals = await takeSnapshot({ repository, log, folder, signal });
        const contents = {
          find: repository.contents,
          open: async (blob: Parameters<typeof blobs.openFound>[0]) =>
            openSource((await blobs.openFound(blob, { signal })).body),
        };
        const length = totals.contentBytes + totals.centralBytes + endBytes(totals);
        return {
          name: safeEntryName(`${folder.name}.zip`),
          length,
          isShort: length <= PIECE_BYTES,
          pieces: () => zipPieces(log, totals, contents),
          close: log.close,
        };
      } catch (error) {
        await log.close();
        throw error;
      }
    },
  };
}

const tooMany = () =>
  appError(
    "ServiceUnavailable",
    "Too many large folders are downloaded at once. Try again in a few minutes.",
  );
