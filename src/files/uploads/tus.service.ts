/**
 * Uploads in several requests. An unfinished upload is a row and a staging; `received` bytes are durable. The row
 * follows every CHECKPOINT_BYTES and at the end, even if the client leaves, so an acknowledged byte is never sent
 * again. The transaction that makes the file sets `received` to the whole size. The row then stays for an hour for a
 * client that missed the response.
 *
 * A lease lets one request at a time change an upload, in all processes (cluster/process-leases.ts).
 */
import type { ReadQueue } from "../blobs/read-queue.ts";
import { appError, AppError } from "../../lib/errors.ts";
import { remainingBytes, overQuota, spaceOnServer } from "../tree/space.ts";
import { mediaTypeOf } from "../tree/media-type.ts";
import { type BodyCount, provedBytes } from "./tus-checksum.ts";
import { type Checksum, refusal } from "./tus-protocol.ts";
import { uploadLease, type Upload } from "./tus.repository.ts";
import {
  createTransfer,
  isReplacing,
  keptMs,
  uploadGone,
  type TransferProgress,
  uploadTooLong,
  wrongOffset,
  type UploadDeps,
} from "./tus-transfer.ts";
import type { MatchConditions } from "../../platform/http/entity-tag.ts";
import type { FormerCheckOf } from "./former-check.ts";
import type { DropUploader, DropVisitor } from "./drop-upload.ts";
import type { Destination } from "./service.ts";
import type { TreeTransaction } from "../tree/account-tree.ts";
import { isLinked, shownParent } from "../tree/entry.ts";
import { checkFileName } from "../../lib/file-name.ts";
import { pagesAfter } from "../../lib/pages.ts";
import type { Job } from "../../platform/jobs/runner.ts";

export type { Upload } from "./tus.repository.ts";
export type { TransferProgress } from "./tus-transfer.ts";

/** Unfinished ones per account. */
const MOST_UPLOADS = 1_000;

export type NewUpload = {
  /** The size; null if it follows later. */
  size: number | null;
  /** From the client. */
  name: string;
  mimeType: string | undefined;
  /** The root when null. */
  folderId: number | null;
  metadata: string;
  /** The client's time of the content; else it is the time of the upload. */
  modifiedAt?: number | undefined;
  /** Who uploads, by name; absent for visitors. */
  createdBy?: string | undefined;
  /** What the request says of a file with that name, and how it is compared. */
  conditions?: MatchConditions | null;
  formerCheck?: FormerCheckOf;
  /** A stranger who uploads. The name is checked and gets a number if it is taken. */
  drop?: DropUploader;
};

export type UploadChunk = {
  /** Must equal the upload's end. */
  offset: number;
  /** The upload's size, if the request has it. */
  total: number | null;
  /** If the client sent one. */
  length: number | undefined;
  checksum: Checksum | null;
  /** Who sends it, by name; absent for visitors. The last one is who uploads the file. */
  createdBy?: string | undefined;
  formerCheck?: FormerCheckOf;
  /** Bounds bodies with a checksum in memory. */
  reservation: BodyCount;
  /** Read it in the order of the storage's queue. */
  body(readQueue: ReadQueue): AsyncIterable<Uint8Array>;
};

export type Resumable = ReturnType<typeof createResumable>;

export function createResumable(deps: UploadDeps) {
  const { tree, repository, blobs, drops, leases, clock } = deps;
  const transfer = createTransfer(deps);
  const deferred = createDeferredSizes(deps);

  /** @throws FileNotFound, 410 */
  async function find(accountId: number, id: string, visitor?: DropVisitor): Promise<Upload> {
    const upload = await repository.find(id);
    if (upload === null || upload.accountId !== accountId || !isOf(upload, visitor)) throw uploadGone();
    if (upload.expiresAt <= clock.now()) throw refusal(410, "The upload has expired. Start a new one.");
    return upload;
  }

  /** @throws 423 */
  async function locked<T>(id: string, run: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const held = await leases.hold(uploadLease(id), LOCK_MS, run);
    if (held !== null) return held.value;
    throw refusal(423, "Another request uses this upload. Try again.", { retryAfterSeconds: 5 });
  }

  /** Unfinished uploads count in the quota like files. */
  const insert = (upload: Upload): Promise<void> =>
    tree.change(upload.accountId, async (tx) => {
      const { count, bytes } = await repository.unfinished(upload.accountId, tx.db);
      const size = upload.size ?? 0;
      const { drop } = upload;
      if (drop !== null) {
        const inDrop = await repository.unfinishedInDrop(upload.accountId, drop, tx.db);
        await drops.admit(tx, { ...drop, ...upload, size }, inDrop);
      } else if (count >= MOST_UPLOADS) {
        throw appError(
          "RateLimitExceeded",
          `${MOST_UPLOADS} uploads are unfinished; finish or terminate some first.`,
        );
      }
      const space = await spaceFor(deps, upload, tx);
      if (size + bytes > remainingBytes(space)) throw overQuota(space);
      await repository.insert(tx.db, upload);
    });

  return {
    find,
    jobs: createUploadJobs(deps),

    heldInDrop: (accountId: number, linkId: number, id: string) =>
      repository.heldInDrop(accountId, linkId, id),

    /** @throws FolderNotFound, InvalidName, NameConflict, FileTooLargeForPolicy, RateLimitExceeded */
    async create(accountId: number, given: NewUpload): Promise<TransferProgress> {
      const { drop = null } = given;
      const { destination, name } = await placeOf(deps, accountId, { ...given, drop });
      const now = clock.now();
      const upload = {
        id: await blobs.newUploadId(),
        accountId,
        parentId: destination.parentId,
        name,
        mimeType: mediaTypeOf(given.mimeType?.toLowerCase(), name),
        metadata: given.metadata,
        conditions: given.conditions ?? null,
        size: given.size,
        received: 0,
        policyId: destination.policy.id,
        modifiedAt: given.modifiedAt ?? null,
        createdAt: now,
        expiresAt: now + keptMs({ drop, received: 0 }),
        drop,
      };
      await insert(upload);
      if (upload.size !== 0) return { upload, fileId: null };
      const by = { createdBy: given.createdBy, formerCheck: given.formerCheck };
      return locked(upload.id, (signal) => transfer(upload, nothing(), { signal, most: () => 0, ...by }));
    },

    /**
     * Keeps what came before the body broke off; with a checksum all or nothing. @throws FileNotFound, 410, 423, 460,
     * Conflict (another offset), FileTooLargeForPolicy, StorageUnavailable, ServiceUnavailable (too much to check at
     * once), errors of the body; with the last byte also those of Files.add, which end the upload
     */
    append(
      accountId: number,
      id: string,
      chunk: UploadChunk,
      visitor?: DropVisitor,
    ): Promise<TransferProgress> {
      const { offset, total, length, checksum, reservation, createdBy, formerCheck } = chunk;
      return inTurn({ accountId, id, visitor }, async (found, signal) => {
        if (found.received !== offset) throw wrongOffset(found.received);
        const isComplete = found.size === offset;
        const upload = total === null ? found : await deferred.settleSize(found, total, visitor);
        const { size } = upload;
        const most = size === null ? () => deferred.mostOf(upload, visitor) : () => size;
        const left = (await most()) - offset;
        if ((length ?? 0) > left) throw uploadTooLong(size);
        if (isComplete) return { upload, fileId: null };
        const bytes = left === 0 ? nothing() : chunk.body(blobs.readQueueOf(upload.policyId));
        const body = { bytes, checksum, length, size, left, reservation };
        const checked = checksum === null ? bytes : await provedBytes({ ...body, checksum });
        const take = () => transfer(upload, checked, { signal, most, createdBy, formerCheck });
        return size === null ? deferred.endingTooLarge(upload, take) : take();
      });
    },

    /** @throws FileNotFound, 410, 423, StorageUnavailable */
    terminate: (accountId: number, id: string, visitor?: DropVisitor): Promise<void> =>
      inTurn({ accountId, id, visitor }, (upload) => forgetUpload(deps, upload)),
  };

  /** An unknown id takes no lease. */
  async function inTurn<T>(
    { accountId, id, visitor }: { accountId: number; id: string; visitor: DropVisitor | undefined },
    run: (upload: Upload, signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    await find(accountId, id, visitor);
    return locked(id, async (signal) => run(await find(accountId, id, visitor), signal));
  }
}

/** Where a new upload goes. @throws FolderNotFound, InvalidName, NameConflict, FileTooLargeForPolicy */
async function placeOf(
  { uploads }: UploadDeps,
  accountId: number,
  given: Omit<NewUpload, "drop"> & Pick<Upload, "drop">,
): Promise<{ destination: Destination; name: string }> {
  const found = await uploads.destination(accountId, given.folderId);
  const { conditions, formerCheck } = given;
  if (conditions && formerCheck) await uploads.checkFormer(found, given.name, formerCheck(conditions));
  const replaces = isReplacing(given);
  const destination = replaces ? await uploads.replacing(found, given.name) : found;
  uploads.checkSize(destination, given.size ?? 0);
  if (given.drop !== null) return { destination, name: given.name };
  const name = replaces ? checkFileName(given.name) : await uploads.checkName(destination, given.name);
  return { destination, name };
}

/** What the account has left for the upload, with what a replaced file gives. */
async function spaceFor({ tree, uploads }: UploadDeps, upload: Upload, { db, space }: TreeTransaction) {
  const [folder] = await tree.folders(upload.accountId, upload.parentId, db);
  if (folder !== undefined && isLinked(folder)) return spaceOnServer(space);
  if (!isReplacing(upload)) return space;
  return (await uploads.replacing({ ...upload, space }, upload.name, db)).space;
}

/** An account's own uploads are those without a drop box. */
const isOf = ({ drop }: Upload, visitor: DropVisitor | undefined): boolean =>
  drop?.linkId === visitor?.linkId && (!visitor?.sender || visitor.sender === drop?.sender);

async function* nothing(): AsyncGenerator<Uint8Array, void> {}

/**
 * Uploads whose size is unknown at their start (Upload-Defer-Length). What the account, the policy and the box have left
 * bounds their bytes as they come, and again when the size is known.
 */
function createDeferredSizes(deps: UploadDeps) {
  const { tree, uploads, repository } = deps;

  const destinationOf = async (upload: Upload) => {
    const destination = await uploads.destination(upload.accountId, shownParent(upload.parentId));
    return isReplacing(upload) ? uploads.replacing(destination, upload.name) : destination;
  };

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
        const space = await spaceFor(deps, upload, tx);
        if (total - upload.received + bytes > remainingBytes(space)) throw overQuota(space);
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

const CHECK_MS = 60_000;
const EXPIRED_AT_ONCE = 100;
const LEASES_MS = 3_600_000;
const LEASES_AT_ONCE = 1_000;
/** The time of a lease. */
const LOCK_MS = 30_000;

/** Removes it and its stored bytes. A file that it became stays. @throws StorageUnavailable */
async function forgetUpload(
  { blobs, repository }: UploadDeps,
  { id, policyId, received, size }: Upload,
): Promise<void> {
  if (size === null || received < size) await blobs.forgetUpload(policyId, id);
  await repository.remove(id);
}

function createUploadJobs(deps: UploadDeps) {
  const { repository, leases, clock, logger } = deps;

  async function forgetExpired(id: string): Promise<void> {
    try {
      // Whoever holds it gives it more time, or ends it.
      await leases.hold(uploadLease(id), LOCK_MS, async () => {
        const upload = await repository.find(id);
        if (upload !== null && upload.expiresAt <= clock.now()) await forgetUpload(deps, upload);
      });
    } catch (error) {
      logger.warn({ err: error, upload: id }, "an expired upload could not be removed; it will be retried");
    }
  }

  const expiry: Job = {
    name: "uploads-expiry",
    everyMs: () => CHECK_MS,
    async run(signal) {
      const find = (after: string, limit: number) => repository.expired(clock.now(), after, limit);
      for await (const page of pagesAfter("", EXPIRED_AT_ONCE, find, ({ id }) => id)) {
        for (const { id } of page) {
          signal.throwIfAborted();
          await forgetExpired(id);
        }
      }
    },
  };

  const leasesOfGone: Job = {
    name: "uploads-leases",
    everyMs: () => LEASES_MS,
    async run(signal) {
      for (let after: string | null = uploadLease(""); after !== null; ) {
        signal.throwIfAborted();
        after = await repository.forgetLeases(clock.now(), after, LEASES_AT_ONCE);
      }
    },
  };

  return [expiry, leasesOfGone] as const;
}
