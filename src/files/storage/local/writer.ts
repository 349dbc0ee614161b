/**
 * Writes a file in the order in which its bytes come. Small pieces are gathered and go through the system's cache.
 * Past the first megabytes, blocks in shared memory (blobs/blocks.ts) go straight to the disk where the file system
 * knows how: nothing has to be copied, what others read stays in the cache, and little is left for the sync at the
 * end. Bytes beside them, as the last ones of a file, still go through the cache, in pages of their own.
 */
import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { dispose } from "../../../lib/disposable-bytes.ts";

/** Of small pieces; one batch is filled while the one before it is written. */
const BATCH_BYTES = 256 * 1024;
/** Below the kernel's bound on one vectored write. */
const BATCH_CHUNKS = 512;
/** Begun to be made durable while the rest comes. */
const SYNC_BYTES = 32 * 1024 * 1024;
/** A file that fits in here is in the cache when it is read first. */
const DIRECT_FROM = 8 * 1024 * 1024;
/** What a disk may want memory, position and length to be multiples of. */
const SECTOR_BYTES = 4096;
const DIRECT_WRITES = 2;
/** 0 where there is no such thing. */
const O_DIRECT = (constants as { O_DIRECT?: number }).O_DIRECT ?? 0;
const DIRECT_FILE = constants.O_WRONLY | constants.O_NOFOLLOW | O_DIRECT;

export type LocalWriter = ReturnType<typeof createLocalWriter>;

/** `file` is open for writing; its path is opened once more for the blocks. */
export function createLocalWriter(file: FileHandle, path: string, start: number) {
  let position = start;
  let batch: Uint8Array[] = [];
  let bytes = 0;
  const flights: Promise<void>[] = [];
  let failure: { reason: unknown } | undefined;
  let direct: FileHandle | null | undefined = O_DIRECT === 0 ? null : undefined;
  let syncing: Promise<void> | undefined;
  let unsynced = 0;

  /** Waits until there are fewer writes under way. After a failure nothing is written any more. */
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

  async function isDirect(chunk: Uint8Array): Promise<boolean> {
    if (direct === null || bytes > 0 || position < DIRECT_FROM || !isBlock(chunk, position)) return false;
    direct ??= await open(path, DIRECT_FILE).catch(() => null);
    return direct !== null;
  }

  /** Whatever it could not write, and the reason if there is one, is found in the usual way. */
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
      // Pieces grow while the disk is what everybody waits for; then one at a time is enough.
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
    /** Waits for what is under way. Nothing is written after it. */
    async close(): Promise<void> {
      await Promise.allSettled([...flights, syncing]);
      await direct?.close().catch(() => undefined);
      direct = null;
    },
  };
}

const isBlock = ({ buffer, byteLength }: Uint8Array, position: number): boolean =>
  buffer instanceof SharedArrayBuffer && (byteLength | position) % SECTOR_BYTES === 0;

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
