/**
 * Uploads whose size is unknown at their start (Upload-Defer-Length). What the account, the policy and the box have left
 * bounds their bytes as they come, and again when the size is known.
 */
import { AppError, appError } from "../../lib/errors.ts";
import type { AccountTree } from "../tree/account-tree.ts";
import { ROOT } from "../tree/entry.ts";
import { overQuota, remainingBytes } from "../tree/files.service.ts";
import type { DropVisitor } from "./drop-upload.ts";
import type { Uploads } from "./service.ts";
import { forgetUpload, type UploadJobDeps } from "./tus-jobs.ts";
import type { TusRepository, Upload } from "./tus.repository.ts";

type Deps = {
  tree: AccountTree;
  uploads: Pick<Uploads, "destination" | "checkSize">;
  repository: TusRepository;
  blobs: UploadJobDeps["blobs"];
};

export function createDeferredSizes(deps: Deps) {
  const { tree, uploads, repository } = deps;

  const destinationOf = ({ accountId, parentId }: Upload) =>
    uploads.destination(accountId, parentId === ROOT ? null : parentId);

  return {
    /**
     * The upload with its size. A size that equals the received bytes is stored with the file only: a row that has all
     * bytes means that the file was made. @throws BadRequest, FileTooLargeForPolicy
     */
    async settleSize(upload: Upload, total: number, visitor: DropVisitor | undefined): Promise<Upload> {
      if (upload.size === total) return upload;
      if (upload.size !== null)
        throw appError("BadRequest", "Upload-Length differs from the size that the upload has.");
      if (total < upload.received)
        throw appError(
          "BadRequest",
          `Upload-Length is less than the ${upload.received} bytes that the upload has already.`,
        );
      uploads.checkSize(await destinationOf(upload), total);
      const most = visitor?.most ?? total;
      if (total > most) throw tooLarge(most);
      if (total === upload.received) return { ...upload, size: total };
      await tree.change(upload.accountId, async (tx) => {
        const { bytes } = await repository.unfinished(upload.accountId, tx.db);
        if (total - upload.received + bytes > remainingBytes(tx.space)) throw overQuota(tx.space);
        await repository.setSize(tx.db, upload.id, total);
      });
      return { ...upload, size: total };
    },

    /** How many bytes the upload may have now. Concurrent uploads of an account share what is left. */
    async mostOf(upload: Upload, visitor: DropVisitor | undefined): Promise<number> {
      const { policy, space } = await destinationOf(upload);
      const { bytes } = await repository.unfinished(upload.accountId);
      const room = upload.received + remainingBytes(space) - bytes;
      const most = Math.min(room, policy.maxFileSize || room, visitor?.most ?? room, Number.MAX_SAFE_INTEGER);
      if (most <= upload.received) throw tooLarge(most);
      return most;
    },

    /** Nothing of a file that is too large stays. */
    async endingTooLarge<T>(upload: Upload, run: () => Promise<T>): Promise<T> {
      try {
        return await run();
      } catch (error) {
        if (!(error instanceof AppError) || error.name !== "FileTooLargeForPolicy") throw error;
        await forgetUpload(deps, upload);
        throw upload.drop === null ? error : tooLarge(0);
      }
    },
  };
}

/** With the limit, which strangers do not get to know (files/drops/failure.routes.ts). */
const tooLarge = (maxFileSize: number) =>
  appError("FileTooLargeForPolicy", "The file is larger than what is left for it.", {
    details: { maxFileSize },
  });
