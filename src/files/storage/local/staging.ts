import { constants, type Stats } from "node:fs";
import { type FileHandle, open, rm } from "node:fs/promises";
import { join } from "node:path";
import { fault } from "../../../lib/fault.ts";
import type { ContentIdentity, Staging } from "../driver.ts";
import { storageFailure, withStorageFailures } from "../storage-failure.ts";
import type { LocalFolders } from "./folders.ts";
import type { Placement } from "./placement.ts";
import { dispose } from "../../../lib/disposable-bytes.ts";

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

/** One batch fills while the previous one is written. */
const BATCH_BYTES = 256 * 1024;
/** Below the kernel's limit per vectored write. */
const BATCH_CHUNKS = 512;
/** Starts an early sync. */
const SYNC_BYTES = 32 * 1024 * 1024;
/** Smaller files stay cached for their first reader. */
const DIRECT_FROM = 8 * 1024 * 1024;
/** Direct I/O needs memory, position and length at multiples of this. */
const SECTOR_BYTES = 4096;
const DIRECT_WRITES = 2;
/** 0: not supported. */
const O_DIRECT = (constants as { O_DIRECT?: number }).O_DIRECT ?? 0;
const DIRECT_FILE = constants.O_WRONLY | constants.O_NOFOLLOW | O_DIRECT;

type LocalWriter = ReturnType<typeof createLocalWriter>;

/**
 * Writes a file in order. Small chunks go through the page cache in batches. After the first 8 MiB, blocks
 * (files/blobs/hashes.ts) use O_DIRECT if the file system supports it: no copy, no eviction of cached files, little left
 * for the final sync. `file` is open for writing; blocks use a second descriptor of `path`.
 */
function createLocalWriter(file: FileHandle, path: string, start: number) {
  let position = start;
  let batch: Uint8Array[] = [];
  let bytes = 0;
  const flights: Promise<void>[] = [];
  let failure: { reason: unknown } | undefined;
  let direct: FileHandle | null | undefined = O_DIRECT === 0 ? null : undefined;
  let syncing: Promise<void> | undefined;
  let unsynced = 0;

  /** Rejects after a failed write. */
  async function fewerThan(writes: number): Promise<void> {
    while (flights.length >= writes) await flights.shift();
    if (failure !== undefined) throw failure.reason;
  }

  function launch(write: Promise<void>): void {
    flights.push(
      write.catch((reason: unknown) => {
        failure ??= { reason };
      }),
    );
  }

  function launchBatch(): void {
    launch(writeWhole(file, batch, position).then(syncEarly));
    position += bytes;
    unsynced += bytes;
    batch = [];
    bytes = 0;
  }

  /** Keeps the disk busy during the upload. */
  function syncEarly(): void {
    if (unsynced < SYNC_BYTES || syncing !== undefined) return;
    unsynced = 0;
    syncing = file.datasync().then(() => {
      syncing = undefined;
    });
    // `flush` reports the failure; the disk reports it only once.
    syncing.catch(() => undefined);
  }

  async function isDirect(chunk: Uint8Array): Promise<boolean> {
    if (direct === null || bytes > 0 || position < DIRECT_FROM || !isBlock(chunk, position)) return false;
    direct ??= await open(path, DIRECT_FILE).catch(() => null);
    return direct !== null;
  }

  /** Repeats a failed or short write through the cache, which reports the error. */
  async function writeDirect(block: Uint8Array, at: number): Promise<void> {
    const written = await direct!.write(block, 0, block.byteLength, at).catch(() => null);
    if (written?.bytesWritten === block.byteLength) dispose(block);
    else await writeWhole(file, [block], at);
  }

  return {
    async take(chunk: Uint8Array): Promise<void> {
      if (await isDirect(chunk)) {
        await fewerThan(DIRECT_WRITES);
        launch(writeDirect(chunk, position));
        position += chunk.byteLength;
        return;
      }
      batch.push(chunk);
      bytes += chunk.byteLength;
      if (bytes < BATCH_BYTES && batch.length < BATCH_CHUNKS) return;
      // If chunks grow, the disk is the bottleneck; one batch at a time is enough.
      const isLarge = bytes > 2 * BATCH_BYTES;
      await fewerThan(1);
      launchBatch();
      if (isLarge) await fewerThan(1);
    },
    async flush(): Promise<void> {
      await fewerThan(1);
      if (bytes > 0) launchBatch();
      await fewerThan(1);
      await syncing;
    },
    /** Do not write afterwards. */
    async close(): Promise<void> {
      await Promise.allSettled([...flights, syncing]);
      await direct?.close().catch(() => undefined);
      direct = null;
    },
  };
}

const isBlock = ({ buffer, byteLength }: Uint8Array, position: number): boolean =>
  buffer instanceof SharedArrayBuffer && (byteLength | position) % SECTOR_BYTES === 0;

/** A file system may write a part and report the error on the next call. */
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
