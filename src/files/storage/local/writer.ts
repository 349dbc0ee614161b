/**
 * Writes a file in order. Small chunks go through the page cache in batches. After the first 8 MiB, blocks
 * (files/blobs/blocks.ts) use O_DIRECT if the file system supports it: no copy, no eviction of cached files, little left for
 * the final sync.
 */
import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { dispose } from "../../../lib/disposable-bytes.ts";

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

export type LocalWriter = ReturnType<typeof createLocalWriter>;

/** `file` is open for writing; blocks use a second descriptor of `path`. */
export function createLocalWriter(file: FileHandle, path: string, start: number) {
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
