/** A file of this machine, read as it is uploaded. */
import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { basename } from "node:path";
import { giveAway } from "../lib/disposable-bytes.ts";
import { appError, messageOf } from "../lib/errors.ts";
import { fileTrouble } from "../lib/file-trouble.ts";
import { boundedInstant } from "../lib/rfc3339.ts";

const CHUNK_BYTES = 256 * 1024;

/** The sentence for a failed read. */
export const readTrouble = (error: unknown): string => fileTrouble(error) ?? messageOf(error);

export type OpenFile = {
  name: string;
  size: number;
  /** Epoch milliseconds. */
  modifiedAt: number;
  /** Reads from the beginning. Calls `onBytes` with the length of each piece. */
  bytes(onBytes?: (count: number) => void): AsyncGenerator<Uint8Array, void>;
  close(): Promise<void>;
};

/** Waits for no pipe. @throws errors of the file system */
export async function openLocal(path: string, follow: boolean): Promise<OpenFile> {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  const file = await open(path, O_RDONLY | O_NONBLOCK | (follow ? 0 : O_NOFOLLOW));
  try {
    const found = await file.stat();
    if (!found.isFile()) throw appError("BadRequest", `${path} is not a file.`);
    return {
      name: basename(path),
      size: found.size,
      modifiedAt: boundedInstant(found.mtimeMs),
      bytes: (onBytes) => bytesOf(file, found.size, onBytes),
      close: () => file.close(),
    };
  } catch (error) {
    await file.close();
    throw error;
  }
}

async function* bytesOf(
  file: FileHandle,
  size: number,
  onBytes: (count: number) => void = () => undefined,
): AsyncGenerator<Uint8Array, void> {
  for (let at = 0; ; ) {
    const chunk = new Uint8Array(Math.min(CHUNK_BYTES, Math.max(size - at, 0) + 1));
    const { bytesRead } = await file.read(chunk, 0, chunk.length, at);
    if (bytesRead === 0) return;
    at += bytesRead;
    onBytes(bytesRead);
    yield giveAway(bytesRead === chunk.length ? chunk : chunk.slice(0, bytesRead));
  }
}
