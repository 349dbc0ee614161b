import { constants, type Stats } from "node:fs";
import { type FileHandle, open, rm } from "node:fs/promises";
import { join } from "node:path";
import { fault } from "../../../lib/fault.ts";
import type { ContentIdentity, Staging } from "../driver.ts";
import { withStorageFailures, storageFailure } from "../storage-failure.ts";
import type { LocalFolders } from "./folders.ts";
import type { Placement } from "./placement.ts";
import { createLocalWriter, type LocalWriter } from "./writer.ts";

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = constants;
const NEW_FILE = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW;
const OLD_FILE = O_WRONLY | O_NOFOLLOW;
const FILE_MODE = 0o600;
/** The mode of a whole staging: its object is the same file, which must not change again. */
const WHOLE_MODE = 0o400;
const WRITABLE = 0o200;
/** Up to here bytes wait in memory, to be written with those of others. */
const SMALL_BYTES = 128 * 1024;

type LocalUpload = {
  folders: LocalFolders;
  place: Placement;
  id: string;
  received: number;
  resumed: boolean;
  /** The staging has all bytes, and perhaps objects. */
  isWhole: boolean;
};

export const isWholeStaging = ({ mode }: Stats): boolean => (mode & WRITABLE) === 0;

/** Written as the bytes come, or at the end if they are few. Renamed to its key, or linked if it was resumed. */
export function createLocalStaging({ folders, place, id, received, resumed, isWhole }: LocalUpload): Staging {
  let file: FileHandle | undefined;
  let writer: LocalWriter | undefined;
  let size = received;
  /** All bytes, while they are few; null once they go into the file. */
  let early: Uint8Array[] | null = resumed ? null : [];

  const path = async (): Promise<string> => join(await folders.forStagings(), id);

  async function openFile(): Promise<LocalWriter> {
    if (writer !== undefined) return writer;
    const at = await path();
    // It is open already if the truncation failed before.
    file ??= await open(at, resumed ? OLD_FILE : NEW_FILE, FILE_MODE);
    // Bytes after the last durable one may have holes.
    if (resumed) await file.truncate(received);
    writer = createLocalWriter(file, at, received);
    const waiting = early ?? [];
    early = null;
    for (const chunk of waiting) await writer.take(chunk);
    return writer;
  }

  async function take(chunk: Uint8Array): Promise<void> {
    if (early !== null && size + chunk.byteLength <= SMALL_BYTES) early.push(chunk);
    else await (writer ?? (await openFile())).take(chunk);
  }

  async function close(): Promise<void> {
    const closing = file;
    file = undefined;
    await writer?.close();
    await closing?.close();
  }

  async function flushAndSync(): Promise<void> {
    if (isWhole) return;
    const { flush } = await openFile();
    await flush();
    await file?.datasync();
  }

  /** Whether its file can't change any more. */
  async function seal(): Promise<boolean> {
    if (isWhole || file === undefined) return isWhole;
    await file.chmod(WHOLE_MODE);
    await file.sync();
    return isWholeStaging(await file.stat());
  }

  async function abort(): Promise<void> {
    const isStored = resumed || writer !== undefined;
    early = null;
    await close().catch(() => undefined);
    if (isStored) await rm(await path(), { force: true }).catch(() => undefined);
  }

  return {
    id,
    get received() {
      return size;
    },
    async append(source) {
      for await (const chunk of source) {
        const { byteLength } = chunk;
        await withStorageFailures(() => take(chunk));
        size += byteLength;
      }
    },
    suspend: () => withStorageFailures(() => flushAndSync().finally(close)),
    async *read() {
      await withStorageFailures(flushAndSync);
      const stream = Bun.file(
        await withStorageFailures(path),
      ).stream() as unknown as AsyncIterable<Uint8Array>;
      try {
        yield* stream;
      } catch (error) {
        throw storageFailure(error);
      }
    },
    async finish(content: ContentIdentity) {
      try {
        fault("blob.before-fsync");
        let stays = false;
        if (early === null || size === 0) {
          await flushAndSync();
          fault("blob.after-fsync");
          stays = resumed && (await seal());
          await close();
        }
        return await place({ id, chunks: early, stays, content });
      } catch (error) {
        await abort().catch(() => undefined);
        throw storageFailure(error);
      }
    },
    async settle() {
      if (resumed) await abort().catch(() => undefined);
    },
    abort: () => abort().catch(() => undefined),
  };
}
