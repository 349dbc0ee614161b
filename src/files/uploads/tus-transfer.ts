/**
 * Moves a resumable upload's bytes from a request into the staging, and makes the file at the last byte
 * (tus.service.ts).
 */
import { isUnavailable } from "../../platform/db/failures.ts";
import type { Clock } from "../../lib/clock.ts";
import { appError } from "../../lib/errors.ts";
import type { Blobs, OpenUpload } from "../blobs/service.ts";
import type { Files } from "../tree/files.service.ts";
import type { AccountTree, TreeTransaction } from "../tree/account-tree.ts";
import type { StoredFile } from "../tree/entry.ts";
import { readMetadata } from "./tus-protocol.ts";
import type { Leases } from "../../platform/cluster/leases.ts";
import type { Logger } from "../../lib/logger.ts";
import type { Uploads } from "./service.ts";
import { isStagingLost, isStorageFailure } from "../storage/storage-failure.ts";
import type { FormerCheckOf } from "./former-check.ts";
import type { DropGate } from "./drop-upload.ts";
import type { TusRepository, Upload } from "./tus.repository.ts";

/** After the last bytes. */
const EXPIRES_MS = 24 * 3_600_000;
/** A stranger's upload without a byte. */
const EMPTY_DROP_EXPIRES_MS = 120_000;
/** A finished upload is remembered this long. */
const REMEMBERED_MS = 3_600_000;
const CHECKPOINT_BYTES = 64 * 1024 * 1024;

/** `fileId` if this request made the file. */
export type TransferProgress = { upload: Upload; fileId: number | null };

/** What resumable uploads need. */
export type UploadDeps = {
  tree: AccountTree;
  repository: TusRepository;
  uploads: Uploads;
  files: Files;
  blobs: Blobs;
  drops: DropGate;
  leases: Leases;
  clock: Clock;
  logger: Logger;
};

type TransferOptions = {
  signal: AbortSignal;
  /** The bytes of the whole upload that are taken; called before each portion. */
  most(): Promise<number> | number;
  createdBy: string | undefined;
  formerCheck?: FormerCheckOf | undefined;
};

/** Whether it replaces a file of its name. Strangers' uploads never do. */
export const isReplacing = ({ drop, metadata }: Pick<Upload, "drop" | "metadata">): boolean =>
  drop === null && readMetadata(metadata).get("replace") === "true";

/** Moves the bytes of uploads that the caller has locked. */
export function createTransfer({ repository, uploads, files, blobs, drops, clock }: UploadDeps) {
  /** The storage has lost bytes. */
  async function beginAnew(upload: Upload, error: unknown): Promise<never> {
    if (!isStagingLost(error)) throw error;
    await advance(upload, 0);
    throw wrongOffset(0);
  }

  async function reopen(upload: Upload): Promise<OpenUpload> {
    const { id, policyId, received } = upload;
    if (received > 0) return blobs.resume(policyId, id, received).catch((error) => beginAnew(upload, error));
    // A crash may have left bytes.
    await blobs.forgetUpload(policyId, id);
    return blobs.begin(policyId, id);
  }

  async function advance(upload: Upload, received: number): Promise<Upload> {
    const expiresAt = clock.now() + keptMs({ ...upload, received });
    if (!(await repository.advance(upload, received, expiresAt))) throw uploadGone();
    return { ...upload, received, expiresAt };
  }

  /**
   * All bytes are there. If they can't become a file, they and the upload are removed. If the database or the storage
   * is away, the next request finds what is durable and tries again.
   */
  async function finish(
    upload: Upload,
    open: OpenUpload,
    { createdBy, formerCheck }: Pick<TransferOptions, "createdBy" | "formerCheck">,
  ): Promise<TransferProgress> {
    const expiresAt = clock.now() + REMEMBERED_MS;
    const { id, name, drop, conditions } = upload;
    const size = open.received;
    try {
      const stored = await open.finish();
      const dropped = drop && drops.receive({ ...drop, name, folderId: upload.parentId });
      const incoming = { ...upload, createdBy, isNumbered: drop !== null };
      const alongside = async (tx: TreeTransaction, made: StoredFile) => {
        await dropped?.alongside(tx, made);
        if (!(await repository.complete(tx.db, upload, size, expiresAt))) throw uploadGone();
      };
      const place = dropped !== null && { place: dropped.place };
      const check = conditions === null ? undefined : formerCheck?.(conditions);
      const put = () => files.put(incoming, stored, { alongside });
      const file = isReplacing(upload)
        ? (await uploads.replaceChecked(upload, check, put)).file
        : await files.add(incoming, stored, { ...place, alongside });
      await open.settle();
      return { upload: { ...upload, received: size, size, expiresAt }, fileId: file.id };
    } catch (error) {
      if (!isUnavailable(error) && !isStorageFailure(error)) {
        await open.settle();
        await repository.remove(id);
      }
      throw error;
    }
  }

  return async (
    from: Upload,
    body: AsyncIterable<Uint8Array>,
    { signal, most, ...by }: TransferOptions,
  ): Promise<TransferProgress> => {
    let upload = from;
    const bytes = body[Symbol.asyncIterator]();
    try {
      for (;;) {
        const open = await reopen(upload);
        if (upload.size !== null && open.received > upload.size) {
          // The size came after bytes of which the row does not know.
          await open.suspend();
          await advance(upload, 0);
          throw wrongOffset(0);
        }
        // A crash or an outage came between bytes and row.
        const isAhead = open.received > upload.received;
        const taken = isAhead ? null : await take(open, bytes, { maxBytes: await most(), signal });
        if (open.received === upload.size) return await finish(upload, open, by);
        await open.suspend();
        upload = await advance(upload, open.received);
        if (taken === null) throw wrongOffset(upload.received);
        if (taken.failure !== null) throw taken.failure.reason;
        if (taken.isEnd) return { upload, fileId: null };
      }
    } finally {
      await bytes.return?.();
    }
  };
}

export const keptMs = ({ drop, received }: Pick<Upload, "drop" | "received">): number =>
  drop !== null && received === 0 ? EMPTY_DROP_EXPIRES_MS : EXPIRES_MS;

type Taken = { isEnd: boolean; failure: { reason: unknown } | null };

/** Up to the next checkpoint. Keeps what came before a failure. */
async function take(
  open: OpenUpload,
  bytes: AsyncIterator<Uint8Array>,
  options: { maxBytes: number; signal: AbortSignal },
): Promise<Taken> {
  let isEnd = false;
  async function* portion(): AsyncGenerator<Uint8Array, void> {
    for (let count = 0; count < CHECKPOINT_BYTES; ) {
      const next = await bytes.next();
      isEnd = next.done === true;
      if (next.done) return;
      count += next.value.byteLength;
      yield next.value;
    }
  }
  try {
    await open.append(portion(), options);
    return { isEnd, failure: null };
  } catch (reason) {
    return { isEnd, failure: { reason } };
  }
}

/** `size` is null while Upload-Length is deferred. */
export const uploadTooLong = (size: number | null) =>
  appError(
    "FileTooLargeForPolicy",
    size === null
      ? "The file is larger than what is left for it."
      : "The bytes exceed the announced Upload-Length.",
  );
export const uploadGone = () => appError("FileNotFound", "There is no such upload.");
export const wrongOffset = (received: number) =>
  appError("Conflict", `The upload has ${received} bytes; continue from there.`, { details: { received } });
