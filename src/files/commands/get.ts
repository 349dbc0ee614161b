/** Downloads to a file of this machine, which gets its name when it is complete and on disk. */
import { constants } from "node:fs";
import { type FileHandle, link, lstat, open, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { appError } from "../../lib/errors.ts";
import { openSource } from "../archive/content-source.ts";
import type { Blobs } from "../blobs/service.ts";
import type { StoredFile } from "../tree/entry.ts";

const PIECE_BYTES = 256 * 1024;
const { O_RDWR, O_CREAT, O_NOFOLLOW, O_NONBLOCK } = constants;

/** The path of the download: in a folder, the file has its own name. @throws Conflict if it is there already, unless `force` */
export async function targetPath(given: string | undefined, name: string, force: boolean): Promise<string> {
  const isFolder = given !== undefined && (await stat(given).catch(() => null))?.isDirectory();
  const path = given === undefined ? `./${name}` : isFolder ? join(given, name) : given;
  if (!force && (await lstat(path).catch(() => null)) !== null) throw isThere(path);
  return path;
}

const isThere = (path: string) =>
  appError("Conflict", `${path} is there already. Name another file, or overwrite it with --force.`);

/**
 * Continues after the bytes that an interrupted run has left. They lie beside the file, under a name with the content's
 * hash, so two runs write the same bytes to the same places. @throws Conflict, StorageUnavailable
 */
export async function getFile(
  { open: openBlob }: Pick<Blobs, "open">,
  { blobId, size, sha256 }: StoredFile,
  { path, force, onProgress }: { path: string; force: boolean; onProgress(done: number): void },
): Promise<void> {
  const partial = `${path}.${sha256.slice(0, 12)}.part`;
  const file = await open(partial, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0o600);
  try {
    const hasher = new Bun.CryptoHasher("sha256");
    let at = await readPartial(file, size, hasher);
    if (at < size) {
      const range = { start: at, end: size - 1 };
      const { body } = await openBlob(blobId, at > 0 ? { range } : {});
      // A file behind a part of it is read from its beginning.
      const source = await openSource(at > 0 && body instanceof Blob ? body.stream() : body);
      try {
        const piece = new Uint8Array(PIECE_BYTES);
        for (let count = await source.read(piece); count > 0; count = await source.read(piece)) {
          const bytes = piece.subarray(0, count);
          hasher.update(bytes);
          await writeAt(file, bytes, at);
          at += count;
          onProgress(at);
        }
      } finally {
        await source.close();
      }
    }
    if (at !== size || hasher.digest("hex") !== sha256) {
      await rm(partial, { force: true });
      throw appError(
        "StorageUnavailable",
        "What arrived does not match the file's SHA-256, and is removed. Try again; if it happens again, run 'waymark doctor --storage'.",
      );
    }
    await file.sync();
  } finally {
    await file.close();
  }
  await publish(partial, path, force);
}

/** Hashes the partial file and returns how many bytes it has. */
async function readPartial(file: FileHandle, size: number, hasher: Bun.CryptoHasher): Promise<number> {
  const found = await file.stat();
  if (!found.isFile()) throw appError("Conflict", "The partial file is not a file; remove it.");
  if (found.size > size) await file.truncate(0);
  const piece = new Uint8Array(PIECE_BYTES);
  let at = 0;
  while (found.size <= size) {
    const { bytesRead } = await file.read(piece, 0, piece.length, at);
    if (bytesRead === 0) break;
    hasher.update(piece.subarray(0, bytesRead));
    at += bytesRead;
  }
  return at;
}

async function writeAt(file: FileHandle, bytes: Uint8Array, start: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const { bytesWritten } = await file.write(bytes, done, bytes.length - done, start + done);
    done += bytesWritten;
  }
}

/** Gives the complete file its name. @throws Conflict if another has that, unless `force` */
export async function publish(partial: string, path: string, force: boolean): Promise<void> {
  if (force) return rename(partial, path);
  try {
    await link(partial, path);
  } catch (error) {
    const { code } = error as { code?: unknown };
    if (code === "EEXIST") throw isThere(path);
    // File systems without hard links.
    if (code !== "EPERM" && code !== "ENOTSUP" && code !== "EOPNOTSUPP") throw error;
    return rename(partial, path);
  }
  await rm(partial, { force: true });
}
