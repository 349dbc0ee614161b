import { rm } from "node:fs/promises";
import type { Command } from "commander";
import { createDefine } from "../../platform/cli/define.ts";
import { noteResult, type Result } from "../../platform/cli/results.ts";
import { writeResult } from "../../platform/cli/result-file.ts";
import { appError } from "../../lib/errors.ts";
import { fileTrouble } from "../../lib/file-trouble.ts";
import { quantityOfBytes } from "../../visitors/quantity-text.ts";
import { openSource } from "../archive/content-source.ts";
import type { Folder } from "../tree/entry.ts";
import { getFile, publish, targetPath } from "./get.ts";
import { type Context, entryOf, type FileServices, OWNER, PATH_OR_ID } from "./place.commands.ts";

export function addGet(group: Command, context: Context): void {
  const define = createDefine(group, context);
  define("get", "download a file, or a folder as a ZIP file; repeat it after an interruption")
    .options(OWNER)
    .argument("<path>", PATH_OR_ID)
    .argument("[target]", "file or folder of this machine; -: standard output; default: its name, here")
    .option("--force", "overwrite the file")
    .result(async ({ force = false, json, ...owned }, path, target) => {
      if (json && target === "-") {
        throw appError("BadRequest", "--json and the content can't both go to standard output.");
      }
      const { entry } = await entryOf(context, path, owned);
      const { content, drive } = await context.services();
      if (entry.kind === "folder") return getFolder(drive.archives, { entry, target, force });
      if (target === "-") {
        const { body } = await content.blobs.open(entry.blobId);
        return writeResult("-", piecesOf(body));
      }
      const to = await targetPath(target, entry.name, force);
      const line = context.output.progress("Downloading");
      const onProgress = (done: number) => line.update(done, entry.size);
      await getFile(content.blobs, entry, { path: to, force, onProgress })
        .catch((error: unknown) => Promise.reject(unwritten(to, error)))
        .finally(line.finish);
      return savedResult(to, entry.size);
    });
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
