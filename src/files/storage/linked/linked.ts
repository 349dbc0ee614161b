/**
 * A folder of the server as it lies (docs/decisions/linked-folders.md). Nothing is stored or removed here: files are read
 * below the folder, and only as long as size and time are those that are known of them.
 */
import { close, fstat, read } from "node:fs";
import { promisify } from "node:util";
import { appError } from "../../../lib/errors.ts";
import type { Driver, ReadOptions } from "../driver.ts";
import { folderAway, storageFailure } from "../storage-failure.ts";
import { timeOf } from "./disk-listing.ts";
import type { DiskAnswer, OpenedFile } from "../disk.ts";
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

export function createLinkedDriver({ folder }: { folder: string }): Driver {
  const folderOfServer = createDiskThread(folder);
  const refuse = async (): Promise<never> => {
    throw appError(
      "StorageUnavailable",
      "Nothing can be stored in a folder that is shown as it lies on the server.",
    );
  };
  return {
    staleAfterMs: DAY_MS,
    disk: folderOfServer,
    // Rows are removed while the disk is away, too: their bytes stay in any case.
    claim: async () => true,
    stage: refuse,
    resume: refuse,
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
    remove: async () => {},
    presign: async () => null,
    async *listObjects() {},
    async *listStagings() {},
    removeStaging: async () => {},
  };
}

/** The next look at the folder shows what is there. */
const fileChanged = (cause?: unknown) =>
  appError("StorageUnavailable", "The file has just changed on the server. Load it again.", {
    cause,
    details: { isChanged: true },
  });

function expectAnswer(answer: DiskAnswer<OpenedFile>): OpenedFile {
  if ("value" in answer) return answer.value;
  const { where, code } = answer;
  if (where === "root") throw folderAway(code);
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
