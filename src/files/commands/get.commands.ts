/** `waymark files get`: a file gets its name when it is complete and on disk. */
import { constants } from "node:fs";
import { type FileHandle, link, lstat, open, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Command } from "commander";
import { createDefine } from "../../platform/cli/define.ts";
import { noteResult, type Result } from "../../platform/cli/results.ts";
import { writeResult } from "../../platform/cli/result-file.ts";
import { appError } from "../../lib/errors.ts";
import { fileTrouble } from "../../lib/file-trouble.ts";
import { quantityOfBytes } from "../../visitors/quantity-text.ts";
import { openSource } from "../archive/zip-stream.ts";
import type { Blobs } from "../blobs/service.ts";
import type { Folder, StoredFile } from "../tree/entry.ts";
import { type Context, entryOf, type FileServices, OWNER, PATH_OR_ID } from "./place.commands.ts";

export function addGet(group: Command, context: Context): void {
  const define = createDefine(group, context);
  define("get", "download a file, or a folder as a ZIP file; repeat it after an interruption")
    .options(OWNER)
    .argument("<path>", PATH_OR_ID)
    .argument("[target]", "file or folder of this machine; -: standard output; default: its name, here")
    .option("--force", "overwrite the file")
    .result(async ({ force = false, json, ...owned }, path, target) => {
      refuseBoth(json, target);
      const { entry } = await entryOf(context, path, owned);
      const { archives, files } = (await context.services()).drive;
      if (entry.kind === "file") return saveFile(context, await files.current(entry), { target, force });
      return getFolder(archives, { entry, target, force });
    });
}

type Target = { target: string | undefined; force: boolean };

/** @throws BadRequest */
export function refuseBoth(json: true | undefined, target: string | undefined): void {
  if (json && target === "-")
    throw appError("BadRequest", "--json and the content can't both go to standard output.");
}

/** Downloads a file to a path of this machine, or to standard output. @throws BadRequest, Conflict, StorageUnavailable */
export async function saveFile(
  { services, output }: Context,
  file: StoredFile,
  { target, force }: Target,
): Promise<Result | void> {
  const { blobs } = (await services()).content;
  if (target === "-") {
    const { body } = await blobs.open(file.blobId);
    return writeResult("-", piecesOf(body));
  }
  const to = await targetPath(target, file.name, force);
  const line = output.progress("Downloading");
  const onProgress = (done: number) => line.update(done, file.size);
  await getFile(blobs, file, { path: to, force, onProgress })
    .catch((error: unknown) => Promise.reject(unwritten(to, error)))
    .finally(line.finish);
  return savedResult(to, file.size);
}

const savedResult = (path: string, bytes: number): Result =>
  noteResult({ path, bytes }, `Saved ${JSON.stringify(path)} (${quantityOfBytes("en", bytes)}).`);

const unwritten = (path: string, error: unknown): unknown =>
  (error as { syscall?: unknown }).syscall === undefined
    ? error
    : appError("BadRequest", `Can't write ${path}: ${fileTrouble(error) ?? (error as Error).message}`, {
        cause: error,
      });

async function* piecesOf(body: Blob | ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  const source = await openSource(body);
  try {
    for (;;) {
      // A slow reader keeps what it was given.
      const piece = new Uint8Array(64 * 1024);
      const count = await source.read(piece);
      if (count === 0) return;
      yield piece.subarray(0, count);
    }
  } finally {
    await source.close();
  }
}

async function getFolder(
  archives: FileServices["drive"]["archives"],
  { entry, target, force }: { entry: Folder; target: string | undefined; force: boolean },
): Promise<Result | void> {
  const archive = await archives.make(entry, new AbortController().signal);
  try {
    if (target === "-") return await writeResult("-", copied(archive.pieces()));
    const path = await targetPath(target, archive.name, force);
    const partial = `${path}.${process.pid}.part`;
    try {
      await writeResult(partial, copied(archive.pieces()));
      await publish(partial, path, force);
    } finally {
      await rm(partial, { force: true });
    }
    return savedResult(path, archive.length);
  } finally {
    await archive.close();
  }
}

/** Pieces share their memory. */
async function* copied(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  for await (const piece of pieces) yield Buffer.from(piece);
}

const PIECE_BYTES = 256 * 1024;
const { O_RDWR, O_CREAT, O_NOFOLLOW, O_NONBLOCK } = constants;

/** The path of the download: in a folder, the file has its own name. @throws Conflict if it is there already, unless `force` */
export async function targetPath(given: string | undefined, name: string, force: boolean): Promise<string> {
  const isFolder = given !== undefined && (await stat(given).catch(() => null))?.isDirectory();
  const path = given === undefined ? `./${name}` : isFolder ? join(given, name) : given;
  if (!force && (await lstat(path).catch(() => null)) !== null) throw fileExists(path);
  return path;
}

const fileExists = (path: string) =>
  appError("Conflict", `${path} is there already. Name another file, or overwrite it with --force.`);

/**
 * Continues after the bytes that an interrupted run has left. They lie beside the file, under a name with the content's
 * hash, so two runs write the same bytes to the same places. @throws Conflict, StorageUnavailable
 */
export async function getFile(
  { open: openBlob }: Pick<Blobs, "open">,
  { blobId, size, sha256, modifiedAt }: StoredFile,
  { path, force, onProgress }: { path: string; force: boolean; onProgress(done: number): void },
): Promise<void> {
  // What lies on the server has no hash yet; other content of it is another blob.
  const partial = `${path}.${sha256.slice(0, 12) || blobId}.part`;
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
    if (at !== size || (sha256 !== "" && hasher.digest("hex") !== sha256)) {
      await rm(partial, { force: true });
      throw appError(
        "StorageUnavailable",
        "What arrived does not match the file's SHA-256, and is removed. Try again; if it happens again, run 'waymark doctor --storage'.",
      );
    }
    // A time that the file system does not know is none.
    await file.utimes(new Date(modifiedAt), new Date(modifiedAt)).catch(() => undefined);
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
async function publish(partial: string, path: string, force: boolean): Promise<void> {
  if (force) return rename(partial, path);
  try {
    await link(partial, path);
  } catch (error) {
    const { code } = error as { code?: unknown };
    if (code === "EEXIST") throw fileExists(path);
    // File systems without hard links.
    if (code !== "EPERM" && code !== "ENOTSUP" && code !== "EOPNOTSUPP") throw error;
    return rename(partial, path);
  }
  await rm(partial, { force: true });
}
