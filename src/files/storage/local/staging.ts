import { constants } from "node:fs";
import { type FileHandle, open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { fault } from "../../../lib/fault.ts";
import type { ContentIdentity, Staging } from "../driver.ts";
import { syncFolder } from "../../../lib/sync-folder.ts";
import type { LocalFolders } from "./folders.ts";
import { createLocalWriter, type LocalWriter } from "./writer.ts";
import { contentKey } from "../object-key.ts";
import { withStorageFailures, storageFailure } from "../storage-failure.ts";

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = constants;
const NEW_FILE = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW;
const OLD_FILE = O_WRONLY | O_NOFOLLOW;
const FILE_MODE = 0o600;
type Begun = { folders: LocalFolders; id: string; received: number; resumed: boolean };

/** One file, written in order and renamed to its key at the end. */
export function createLocalStaging({ folders, id, received, resumed }: Begun): Staging {
  let file: FileHandle | undefined;
  let writer: LocalWriter | undefined;
  let size = received;

  async function openFile(): Promise<LocalWriter> {
    if (writer !== undefined) return writer;
    const path = await folders.forStaging(id);
    file = await open(path, resumed ? OLD_FILE : NEW_FILE, FILE_MODE);
    // Bytes after the last durable one may have holes.
    if (resumed) await file.truncate(received);
    writer = createLocalWriter(file, path, received);
    return writer;
  }

  async function close(): Promise<void> {
    const closing = file;
    file = undefined;
    await writer?.close();
    await closing?.close();
  }

  async function flushAndSync(): Promise<void> {
    const { flush } = await openFile();
    await flush();
    await file?.datasync();
  }

  async function abort(): Promise<void> {
    await close().catch(() => undefined);
    await rm(await folders.forStaging(id), { force: true }).catch(() => undefined);
  }

  /** The object exists after the rename. The sync makes its name durable. */
  async function moveTo(key: string): Promise<void> {
    const target = await folders.forWriting(key);
    await rename(await folders.forStaging(id), target);
    fault("blob.after-rename");
    try {
      await syncFolder(dirname(target));
    } catch (error) {
      await rm(target, { force: true }).catch(() => undefined);
      throw error;
    }
  }

  return {
    id,
    get received() {
      return size;
    },
    async append(source) {
      const { take } = await withStorageFailures(openFile);
      for await (const chunk of source) {
        const { byteLength } = chunk;
        await take(chunk).catch((error: unknown) => Promise.reject(storageFailure(error)));
        size += byteLength;
      }
    },
    suspend: () =>
      withStorageFailures(async () => {
        await flushAndSync();
        await close();
      }),
    async *read() {
      await withStorageFailures(flushAndSync);
      const path = await withStorageFailures(() => folders.forStaging(id));
      const stream = Bun.file(path).stream() as unknown as AsyncIterable<Uint8Array>;
      try {
        yield* stream;
      } catch (error) {
        throw storageFailure(error);
      }
    },
    async finish(content: ContentIdentity) {
      const key = contentKey(content);
      try {
        fault("blob.before-fsync");
        await flushAndSync();
        fault("blob.after-fsync");
        await close();
        await moveTo(key);
      } catch (error) {
        await abort().catch(() => undefined);
        throw storageFailure(error);
      }
      return key;
    },
    abort: () => abort().catch(() => undefined),
  };
}
