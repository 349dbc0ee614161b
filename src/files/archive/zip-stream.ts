import { crc32 } from "node:zlib";
import { appError } from "../../lib/errors.ts";
import type { StoredBlob } from "../blobs/repository.ts";
import type { EntryLog, LoggedEntry } from "./entry-log.ts";
import {
  centralRecord,
  descriptor,
  endRecord,
  localBytes,
  localHeader,
  type ZipTotals,
} from "./zip-format.ts";
import { open } from "node:fs/promises";
import { dispose } from "../../lib/disposable-bytes.ts";
import { READ_FLAGS } from "../storage/local/folders.ts";

export type Contents = {
  /** @throws FolderNotFound unless all still exist */
  expectFolders(folderIds: readonly number[]): Promise<void>;
  /** Those that still exist. */
  find(fileIds: readonly number[]): Promise<ReadonlyMap<number, StoredBlob>>;
  /** @throws FileNotFound, StorageUnavailable */
  open(blob: StoredBlob, fileId: number): Promise<ContentSource>;
};

export const PIECE_BYTES = 1024 * 1024;
/** Few, so that results of one query are fresh when used. */
const FOUND_FILES = 100;
const FOUND_BYTES = 16 * 1024 * 1024;

/**
 * Pieces share their memory: use one before taking the next. Throws where a file is gone, damaged or of another size; a
 * cut archive has no central records, so no program takes it for a whole one.
 */
export async function* zipPieces(
  log: EntryLog,
  totals: ZipTotals,
  contents: Contents,
): AsyncGenerator<Uint8Array, void> {
  const piece = new Uint8Array(PIECE_BYTES);
  const checksums = new Uint32Array(totals.entries);
  let used = 0;
  let isBegun = false;

  function* put(bytes: Uint8Array): Generator<Uint8Array> {
    for (let at = 0; at < bytes.length; ) {
      const part = bytes.subarray(at, at + piece.length - used);
      piece.set(part, used);
      used += part.length;
      at += part.length;
      if (used === piece.length) yield* give();
    }
  }

  function* give(): Generator<Uint8Array> {
    isBegun = true;
    const bytes = piece.subarray(0, used);
    used = 0;
    yield bytes;
  }

  async function* contentOf(entry: LoggedEntry, blob: StoredBlob | undefined, at: number) {
    if (blob === undefined) throw appError("FileNotFound", "A file of the archive was deleted.");
    if (blob.size !== entry.size) throw appError("FileNotFound", "A file of the archive was replaced.");
    const source = await contents.open(blob, entry.id);
    let checksum = 0;
    try {
      for (let left = entry.size; left > 0; ) {
        const room = piece.subarray(used, used + Math.min(left, piece.length - used));
        const read = await source.read(room);
        if (read === 0) throw unlike(entry, entry.size - left);
        checksum = crc32(room.subarray(0, read), checksum);
        used += read;
        left -= read;
        // The first bytes early.
        if (used === piece.length || !isBegun) yield* give();
      }
    } finally {
      await source.close();
    }
    checksums[at] = checksum;
    yield* put(descriptor(entry.size, checksum));
  }

  let at = 0;
  for (let number = 0; ; number++) {
    const portion = await log.portion(number);
    if (portion === null) break;
    for (const entries of inGroups(portion)) {
      const files = entries.filter(({ size }) => size !== null).map(({ id }) => id);
      const folders = entries.filter(({ size }) => size === null).map(({ id }) => id);
      // Entries of a missing folder may be missing too.
      if (folders.length > 0) await contents.expectFolders(folders);
      const found = files.length > 0 ? await contents.find(files) : new Map<number, StoredBlob>();
      for (const entry of entries) {
        yield* put(localHeader(entry));
        if (entry.size !== null) yield* contentOf(entry, found.get(entry.id), at);
        at += 1;
      }
    }
  }

  at = 0;
  let offset = 0;
  for (let number = 0; ; number++) {
    const portion = await log.portion(number);
    if (portion === null) break;
    for (const entry of portion) {
      yield* put(centralRecord(entry, offset, checksums[at]!));
      offset += localBytes(entry);
      at += 1;
    }
  }
  yield* put(endRecord(totals));
  if (used > 0) yield* give();
}

function* inGroups(portion: readonly LoggedEntry[]): Generator<LoggedEntry[]> {
  let group: LoggedEntry[] = [];
  let bytes = 0;
  for (const entry of portion) {
    group.push(entry);
    bytes += entry.size ?? 0;
    if (group.length < FOUND_FILES && bytes < FOUND_BYTES) continue;
    yield group;
    [group, bytes] = [[], 0];
  }
  if (group.length > 0) yield group;
}

const unlike = ({ id, size }: LoggedEntry, found: number | null) =>
  appError("StorageUnavailable", "A stored file is damaged.", {
    cause: new Error(`file ${id} has ${found} bytes instead of ${size}`),
  });

type ContentSource = {
  /** At least one byte, except at the end or if `into` is empty. */
  read(into: Uint8Array): Promise<number>;
  close(): Promise<void>;
};

export async function openSource(body: Blob | ReadableStream<Uint8Array>): Promise<ContentSource> {
  if (!(body instanceof Blob)) return streamSource(body);
  const { name } = body as Blob & { name?: string };
  return name === undefined ? streamSource(body.stream()) : fileSource(name);
}

/** Always reads into the same memory, which a Blob can't. */
async function fileSource(path: string): Promise<ContentSource> {
  const file = await open(path, READ_FLAGS);
  return {
    read: async (into) => (await file.read(into, 0, into.length, null)).bytesRead,
    close: () => file.close(),
  };
}

function streamSource(stream: ReadableStream<Uint8Array>): ContentSource {
  const reader = stream.getReader();
  let chunk: Uint8Array = new Uint8Array(0);
  let taken = 0;
  return {
    async read(into) {
      while (taken === chunk.length) {
        dispose(chunk);
        const { done, value } = await reader.read();
        [chunk, taken] = [value ?? new Uint8Array(0), 0];
        if (done) return 0;
      }
      const bytes = chunk.subarray(taken, taken + into.length);
      into.set(bytes);
      taken += bytes.length;
      return bytes.length;
    },
    close: () => reader.cancel(),
  };
}
