/** Writes what a command makes to a file or to standard output. */
import { createWriteStream } from "node:fs";
import { lstat, open, rename, rm } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { appError, messageOf } from "../../lib/errors.ts";

type Parts = AsyncIterable<string | Uint8Array>;

/**
 * @param path undefined or `-`: standard output
 * @throws BadRequest if the file can't be written, or the reader of standard output leaves before the end
 */
export const writeResult = (path: string | undefined, parts: Parts): Promise<void> =>
  path === undefined || path === "-" ? writeOutput(parts) : writeFile(path, parts);

async function writeOutput(parts: Parts): Promise<void> {
  try {
    await pipeline(parts, process.stdout, { end: false });
  } catch (cause) {
    if ((cause as { code?: unknown }).code !== "EPIPE") throw cause;
    throw appError("BadRequest", "Standard output was closed before the end.", { cause });
  }
}

/**
 * The file gets its name when complete and on disk, readable by its owner only. A pipe, device or link is written in
 * place.
 */
async function writeFile(path: string, parts: Parts): Promise<void> {
  try {
    const known = await lstat(path).catch(() => undefined);
    if (known === undefined || known.isFile()) await writeWhole(path, parts);
    else await pipeline(parts, createWriteStream(path, { mode: 0o600 }));
  } catch (cause) {
    if (!isFileError(cause)) throw cause;
    throw appError("BadRequest", `Can't write ${path}: ${messageOf(cause)}`, { cause });
  }
}

async function writeWhole(path: string, parts: Parts): Promise<void> {
  const unfinished = `${path}.${process.pid}.part`;
  try {
    const file = await open(unfinished, "wx", 0o600);
    try {
      for await (const part of parts) {
        if (typeof part === "string") await file.write(part);
        else await file.writeFile(part);
      }
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(unfinished, path);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
}

const isFileError = (error: unknown): boolean => (error as { syscall?: unknown }).syscall !== undefined;
