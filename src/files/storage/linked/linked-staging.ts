/** An upload into a linked folder: a file of the hidden folder, whose name is its id and its key. */
import { close, fsync, read, write } from "node:fs";
import { promisify } from "node:util";
import { dispose } from "../../../lib/disposable-bytes.ts";
import { type Disk, type DiskAnswer, HIDDEN, LOST } from "../disk.ts";
import type { Staging } from "../driver.ts";
import { diskFailure, stagingLost, withStorageFailures } from "../storage-failure.ts";

const CHUNK_BYTES = 256 * 1024;

const closeFile = promisify(close);
const syncFile = promisify(fsync);
const readAt = promisify(read);
const writeAt = promisify(write) as (
  fd: number,
  bytes: Uint8Array,
  offset: number,
  length: number,
  position: number,
) => Promise<{ bytesWritten: number }>;

/** `durable`: the bytes with which it is resumed; null for a new one. */
export function createLinkedStaging(disk: Disk, id: string, durable: number | null): Staging {
  let size = durable ?? 0;
  let isStored = durable !== null;
  let file: number | null = null;

  async function open(): Promise<number> {
    if (file !== null) return file;
    const { fd } = expectPart(await disk.openPart(id, isStored ? size : null));
    isStored = true;
    file = fd;
    return fd;
  }

  async function take(chunk: Uint8Array): Promise<void> {
    const fd = await open();
    for (let at = 0; at < chunk.byteLength; ) {
      const { bytesWritten } = await writeAt(fd, chunk, at, chunk.byteLength - at, size + at);
      at += bytesWritten;
    }
    size += chunk.byteLength;
    dispose(chunk);
  }

  async function closeSynced(): Promise<void> {
    const fd = await open();
    file = null;
    await syncFile(fd).finally(() => closeFile(fd));
  }

  async function abort(): Promise<void> {
    if (file !== null) await closeFile(file).catch(() => undefined);
    file = null;
    if (isStored) await disk.removePart(id).catch(() => undefined);
  }

  return {
    id,
    get received() {
      return size;
    },
    async append(source) {
      for await (const chunk of source) await withStorageFailures(() => take(chunk));
    },
    suspend: () => withStorageFailures(closeSynced),
    async *read() {
      await withStorageFailures(closeSynced);
      const { fd } = expectPart(await disk.open([HIDDEN, id]));
      try {
        for (let at = 0; at < size; ) {
          const chunk = new Uint8Array(Math.min(CHUNK_BYTES, size - at));
          const { bytesRead } = await withStorageFailures(() => readAt(fd, chunk, 0, chunk.length, at));
          if (bytesRead === 0) throw stagingLost(new Error(`the upload ${id} was cut`));
          at += bytesRead;
          yield chunk.subarray(0, bytesRead);
        }
      } finally {
        await closeFile(fd);
      }
    },
    async finish() {
      await withStorageFailures(closeSynced);
      return id;
    },
    settle: abort,
    abort,
  };
}

/** @throws StorageUnavailable */
function expectPart<T>(answer: DiskAnswer<T>): T {
  if ("value" in answer) return answer.value;
  if (answer.code === LOST || answer.code === "ENOENT")
    throw stagingLost(new Error(`linked: ${answer.code}`));
  throw diskFailure(answer);
}
