/**
 * A folder of the server as it lies (docs/decisions/linked-folders.md). Files are read below the folder, and only as long
 * as size and time are those that are known of them. If it may be written, uploads are staged in its hidden folder;
 * files/linked/ gives them their place.
 */
import { close, fstat, read } from "node:fs";
import { promisify } from "node:util";
import { appError } from "../../../lib/errors.ts";
import type { Driver, ReadOptions } from "../driver.ts";
import { diskFailure, fileChanged, storageFailure } from "../storage-failure.ts";
import { createLinkedStaging } from "./linked-staging.ts";
import { timeOf } from "./disk-listing.ts";
import type { DiskAnswer, OpenedFile } from "../disk.ts";
import { isStagingId } from "../object-key.ts";
import { createDiskThread } from "./disk.thread.ts";

const DAY_MS = 86_400_000;
const CHUNK_BYTES = 256 * 1024;
/** A write so soon after another one may leave the time as it was. */
const TICK_MS = 20;

const readAt = promisify(read);
const statusOf = promisify(fstat) as (
  fd: number,
  options: { bigint: true },
) => Promise<{ size: bigint; mtimeNs: bigint }>;

type LinkedSettings = { folder: string; isReadOnly: boolean };

export function createLinkedDriver({ folder, isReadOnly }: LinkedSettings): Driver {
  const folderOfServer = createDiskThread(folder);
  function expectWritable(): void {
    if (isReadOnly)
      throw appError(
        "StorageUnavailable",
        "Nothing can be stored in a folder that is shown as it lies on the server.",
      );
  }
  async function removePart(id: string): Promise<void> {
    // Other keys are those of rows.
    if (isReadOnly || !isStagingId(id)) return;
    const answer = await folderOfServer.removePart(id);
    if (!("value" in answer)) throw diskFailure(answer);
  }
  return {
    staleAfterMs: DAY_MS,
    disk: folderOfServer,
    isReadOnly,
    // Rows are removed while the disk is away, too: their bytes stay in any case.
    claim: async () => true,
    async stage(id) {
      expectWritable();
      return createLinkedStaging(folderOfServer, id, null);
    },
    async resume(id, received) {
      expectWritable();
      const staging = createLinkedStaging(folderOfServer, id, received);
      await staging.suspend();
      return staging;
    },
    async open(_key, options) {
      const { size, disk } = options;
      if (disk === undefined) throw storageFailure(new Error("the place on the disk is not named"));
      const opened = expectAnswer(await folderOfServer.open(disk.names));
      if (opened.size !== size || opened.time !== disk.time) {
        close(opened.fd, () => {});
        throw fileChanged();
      }
      return streamOf(opened, options);
    },
    stat: async () => null,
    remove: removePart,
    presign: async () => null,
    async *listObjects() {},
    async *listStagings(matches) {
      const answer = isReadOnly ? { value: [] } : await folderOfServer.parts();
      if (!("value" in answer)) throw diskFailure(answer);
      yield answer.value.filter(({ id }) => matches(id));
    },
    removeStaging: removePart,
  };
}

function expectAnswer(answer: DiskAnswer<OpenedFile>): OpenedFile {
  if ("value" in answer) return answer.value;
  const { where, code } = answer;
  if (where === "root") throw diskFailure(answer);
  const cause = Object.assign(new Error(`the linked file can't be opened: ${code}`), { code });
  if (["ENOENT", "ENOTDIR", "ELOOP", "EXDEV", "EINVAL"].includes(code)) throw fileChanged(cause);
  throw appError("StorageUnavailable", "The file on the server can't be read.", { cause });
}

/** Ends early as soon as the file is not the one that was opened. */
function streamOf({ fd, size, time }: OpenedFile, { range, signal, onEnd }: ReadOptions) {
  let at = range?.start ?? 0;
  const end = range === undefined ? size : range.end + 1;
  let isOver = false;

  function finish(error?: unknown): void {
    if (isOver) return;
    isOver = true;
    close(fd, () => {});
    onEnd?.(error);
  }

  async function next(): Promise<Uint8Array<ArrayBuffer> | null> {
    signal?.throwIfAborted();
    if (at === 0 || at === range?.start) await afterTick(time);
    if (at >= end) return null;
    const chunk = new Uint8Array(Math.min(CHUNK_BYTES, end - at));
    const { bytesRead } = await readAt(fd, chunk, 0, chunk.length, at);
    const now = await statusOf(fd, { bigint: true });
    if (bytesRead === 0 || Number(now.size) !== size || timeOf(now) !== time) throw fileChanged();
    at += bytesRead;
    return bytesRead === chunk.length ? chunk : chunk.slice(0, bytesRead);
  }

  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const chunk = await next();
          if (chunk !== null) controller.enqueue(chunk);
          if (chunk === null || at >= end) {
            finish();
            controller.close();
          }
        } catch (error) {
          finish(error);
          controller.error(storageFailure(error));
        }
      },
      cancel: () => finish(),
    },
    { highWaterMark: 0 },
  );
}

async function afterTick(time: number): Promise<void> {
  const age = Date.now() - time / 1000;
  if (age >= 0 && age < TICK_MS) await Bun.sleep(TICK_MS);
}
