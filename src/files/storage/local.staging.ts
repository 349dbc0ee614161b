import { constants } from "node:fs";
import { type FileHandle, open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { dispose } from "../../lib/disposable-bytes.ts";
import { fault } from "../../lib/fault.ts";
import type { Content, Staging } from "./driver.ts";
import { type LocalFolders, syncFolder } from "./local.folders.ts";
import { contentKey } from "./object-key.ts";
import { inStorage, storageFailure } from "./storage-failure.ts";

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = constants;
const NEW_FILE = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW;
const OLD_FILE = O_WRONLY | O_NOFOLLOW;
const FILE_MODE = 0o600;
/** One batch is filled while the one before it is written, so this twice is what an upload holds in memory. */
const BATCH_BYTES = 256 * 1024;
/** Begun to be made durable while the rest comes. */
const SYNC_BYTES = 32 * 1024 * 1024;
/** Below the kernel's bound on one vectored write. */
const BATCH_CHUNKS = 512;

type Begun = { folders: LocalFolders; id: string; received: number; resumed: boolean };

/** One file, written as the bytes come and renamed to its key at the end. */
export function createLocalStaging({ folders, id, received, resumed }: Begun): Staging {
  let file: FileHandle | undefined;
  let writer: Writer | undefined;
  let size = received;

  async function openFile(): Promise<Writer> {
    if (writer !== undefined) return writer;
    file = await open(await folders.forStaging(id), resumed ? OLD_FILE : NEW_FILE, FILE_MODE);
    // What came after the last bytes known to be durable may have holes.
    if (resumed) await file.truncate(received);
    writer = createWriter(file, received);
    return writer;
  }

  async function close(): Promise<void> {
    const closing = file;
    file = undefined;
    await closing?.close();
  }

  async function flushAndSync(): Promise<void> {
    const { flush } = await openFile();
    await flush();
    await file?.datasync();
  }

  async function abort(): Promise<void> {
    await writer?.settle();
    await close().catch(() => undefined);
    await rm(await folders.forStaging(id), { force: true }).catch(() => undefined);
  }

  /** From here on the object is there, whole; what follows makes its name durable. */
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
      const { take } = await inStorage(openFile);
      for await (const chunk of source) {
        const { byteLength } = chunk;
        await take(chunk).catch((error: unknown) => Promise.reject(storageFailure(error)));
        size += byteLength;
      }
    },
    suspend: () =>
      inStorage(async () => {
        await flushAndSync();
        await close();
      }),
    async *read() {
      await inStorage(flushAndSync);
      const path = await inStorage(() => folders.forStaging(id));
      const stream = Bun.file(path).stream() as unknown as AsyncIterable<Uint8Array>;
      try {
        yield* stream;
      } catch (error) {
        throw storageFailure(error);
      }
    },
    async finish(content: Content) {
      const key = contentKey(content);
      try {
        fault("blob.before-fsync");
        await flushAndSync();
        fault("blob.after-fsync");
        await close();
        await moveTo(key);
      } catch (error) {
        await abort();
        throw storageFailure(error);
      }
      return key;
    },
    abort: () => abort().catch(() => undefined),
  };
}

type Writer = ReturnType<typeof createWriter>;

function createWriter(file: FileHandle, start: number) {
  let position = start;
  let batch: Uint8Array[] = [];
  let bytes = 0;
  let flight: Promise<void> = Promise.resolve();
  let syncing: Promise<void> | undefined;
  let unsynced = 0;

  function launch(): void {
    flight = writeWhole(file, batch, position).then(syncEarly);
    // It is looked at with the next batch; until then a failure must not count as unhandled.
    flight.catch(() => undefined);
    position += bytes;
    unsynced += bytes;
    batch = [];
    bytes = 0;
  }

  /** So that the disk is at work while the rest is on its way; nobody waits for it before the end. */
  function syncEarly(): void {
    if (unsynced < SYNC_BYTES || syncing !== undefined) return;
    unsynced = 0;
    syncing = file.datasync().then(() => {
      syncing = undefined;
    });
    // A failure stays there for the end: the disk tells it only once.
    syncing.catch(() => undefined);
  }

  return {
    async take(chunk: Uint8Array): Promise<void> {
      batch.push(chunk);
      bytes += chunk.byteLength;
      if (bytes < BATCH_BYTES && batch.length < BATCH_CHUNKS) return;
      // Pieces grow while the disk is what everybody waits for; then one at a time is enough.
      const isLarge = bytes >= 2 * BATCH_BYTES;
      await flight;
      launch();
      if (isLarge) await flight;
    },
    async flush(): Promise<void> {
      await flight;
      if (bytes > 0) launch();
      await flight;
      await syncing;
    },
    settle: async () => {
      await Promise.allSettled([flight, syncing]);
    },
  };
}

/** A file system may take a part of the bytes and say why with the next call. */
async function writeWhole(file: FileHandle, batch: readonly Uint8Array[], position: number): Promise<void> {
  const total = batch.reduce((sum, chunk) => sum + chunk.byteLength, 0);
  let { bytesWritten } = await file.writev(batch as Uint8Array[], position);
  const rest = bytesWritten === total ? batch : [Buffer.concat(batch)];
  while (bytesWritten < total) {
    const more = await file.write(rest[0]!, bytesWritten, total - bytesWritten, position + bytesWritten);
    bytesWritten += more.bytesWritten;
  }
  batch.forEach(dispose);
}
