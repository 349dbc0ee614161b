/**
 * Files whose content is gone, as after a dump of the database that does not match the backup of the storage. They go
 * to the trash, which keeps their names and places, unless so much is missing that the storage may not be mounted.
 */
import { pagesAfter } from "../../lib/pages.ts";
import { AppError, messageOf } from "../../lib/errors.ts";
import type { FolderPath, PathsRepository } from "../tree/paths.repository.ts";
import type { MoveToTrash, StorageFinding } from "./storage-report.ts";
import type { StorageCheckRepository } from "./storage.repository.ts";

export type LostFilesDeps = {
  checks: Pick<StorageCheckRepository, "holdersAfter" | "damage">;
  paths: PathsRepository;
  /** Writes, reads and removes an object. */
  probe(policyId: number): Promise<void>;
};

const PAGE = 1_000;

export function createLostFiles({ checks, paths, probe }: LostFilesDeps) {
  /** Files outside of the trash, by id. */
  async function* visible(blobId: number): AsyncGenerator<{ id: number; accountId: number }> {
    const find = (after: number, limit: number) => checks.holdersAfter(blobId, after, limit);
    for await (const page of pagesAfter(0, PAGE, find, ({ id }) => id)) {
      for (const [accountId, files] of Map.groupBy(page, (file) => file.accountId)) {
        const folders = await paths.pathsOf(
          accountId,
          files.map(({ parentId }) => parentId),
        );
        yield* files.filter(({ parentId }) => folders.has(parentId));
      }
    }
  }

  return {
    areAllTrashed: async (blobId: number): Promise<boolean> => {
      for await (const _ of visible(blobId)) return false;
      return true;
    },

    /** Why the files of this policy must stay, as a sentence; null: they may go. */
    async refusal(policyId: number, isAll: boolean): Promise<string | null> {
      try {
        await probe(policyId);
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        return `Files of policy ${policyId} without content stay in place, because its storage failed a test: ${messageOf(error)}`;
      }
      const { damaged, total } = await checks.damage(policyId);
      if (isAll || damaged * 2 <= total) return null;
      return `${damaged} of ${total} contents of policy ${policyId} are missing or damaged, so its storage does not look like the one that was used: their files stay in place.`;
    },

    async *move(blobId: number, toTrash: MoveToTrash, signal?: AbortSignal): AsyncGenerator<StorageFinding> {
      for await (const { id, accountId } of visible(blobId)) {
        signal?.throwIfAborted();
        const moved = await toTrash(accountId, id, blobId).catch((error: unknown) => {
          if (error instanceof AppError && error.name === "FileNotFound") return null;
          throw error;
        });
        if (moved === null) continue;
        const { name, path, size } = moved;
        const message = `The content of '${pathOf(path, name)}' (file ${id} of account ${accountId}, ${size} bytes) is lost.`;
        yield { problem: "lost_content", message, fixed: true };
      }
    },
  };
}

const pathOf = (folders: FolderPath | null, name: string): string =>
  `/${[...(folders ?? []), { name }].map((one) => one.name).join("/")}`;
