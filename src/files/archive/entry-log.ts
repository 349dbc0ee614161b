/**
 * The entries of an archive as they were at its start, in order: a hundred bytes each, in memory up to a limit, then in
 * a nameless file of the data folder, so it goes with the process.
 */
import { open, rm, type FileHandle } from "node:fs/promises";
import { appError } from "../../lib/errors.ts";
import type { ZipEntry } from "./zip-format.ts";

export type LoggedEntry = ZipEntry & { id: number };

type Block = { bytes: Buffer } | { at: number; length: number };

export type EntryLog = ReturnType<typeof createEntryLog>;

type Settings = {
  /** The path of a log file, before it loses its name. */
  pathOf(name: string): string;
  /** Kept in memory by one log. */
  memoryBytes?: number;
  /** Reserves bytes in files, for all logs together. @throws ServiceUnavailable */
  take(bytes: number): void;
  giveBack(bytes: number): void;
};

const MEMORY_BYTES = 4 * 1024 * 1024;
const BLOCK_BYTES = 64 * 1024;
/** Length of the whole, id, size, time. */
const HEAD_BYTES = 28;

export function createEntryLog({ pathOf, memoryBytes = MEMORY_BYTES, take, giveBack }: Settings) {
  const blocks: Block[] = [];
  let room = Buffer.alloc(0);
  let used = 0;
  let inMemory = 0;
  let inFile = 0;
  let file: FileHandle | undefined;

  async function seal(): Promise<void> {
    if (used === 0) return;
    const bytes = Buffer.from(room.subarray(0, used));
    used = 0;
    if (inMemory + bytes.length <= memoryBytes) {
      inMemory += bytes.length;
      blocks.push({ bytes });
      return;
    }
    take(bytes.length);
    const at = inFile;
    inFile += bytes.length;
    file ??= await openNameless(pathOf(crypto.randomUUID()));
    const { bytesWritten } = await file.write(bytes, 0, bytes.length, at);
    if (bytesWritten !== bytes.length) throw noRoom();
    blocks.push({ at, length: bytes.length });
  }

  return {
    async append({ id, path, size, modifiedAt }: LoggedEntry): Promise<void> {
      const length = HEAD_BYTES + path.length;
      if (used + length > room.length) {
        await seal();
        if (length > room.length) room = Buffer.alloc(Math.max(BLOCK_BYTES, length));
      }
      room.writeUInt32LE(length, used);
      room.writeDoubleLE(id, used + 4);
      room.writeDoubleLE(size ?? -1, used + 12);
      room.writeDoubleLE(modifiedAt, used + 20);
      room.set(path, used + HEAD_BYTES);
      used += length;
    },

    /** The portion with this number, from 0; null after the last. */
    async portion(number: number): Promise<LoggedEntry[] | null> {
      if (number >= blocks.length) await seal();
      const block = blocks[number];
      if (block === undefined) return null;
      return entriesIn("bytes" in block ? block.bytes : await readBlock(file!, block));
    },

    /** Do not use the log afterwards. */
    async close(): Promise<void> {
      blocks.length = 0;
      giveBack(inFile);
      inFile = 0;
      const closing = file;
      file = undefined;
      await closing?.close();
    },
  };
}

async function openNameless(path: string): Promise<FileHandle> {
  const file = await open(path, "wx+", 0o600);
  await rm(path);
  return file;
}

async function readBlock(file: FileHandle, { at, length }: { at: number; length: number }): Promise<Buffer> {
  const bytes = Buffer.alloc(length);
  const { bytesRead } = await file.read(bytes, 0, length, at);
  if (bytesRead !== length) throw new Error("The list of an archive's entries was cut.");
  return bytes;
}

function entriesIn(bytes: Buffer): LoggedEntry[] {
  const entries: LoggedEntry[] = [];
  for (let at = 0; at < bytes.length; ) {
    const length = bytes.readUInt32LE(at);
    const size = bytes.readDoubleLE(at + 12);
    entries.push({
      id: bytes.readDoubleLE(at + 4),
      size: size === -1 ? null : size,
      modifiedAt: bytes.readDoubleLE(at + 20),
      path: bytes.subarray(at + HEAD_BYTES, at + length),
    });
    at += length;
  }
  return entries;
}

const noRoom = () =>
  appError("ServiceUnavailable", "There is no room to prepare the archive. Try again later.");
