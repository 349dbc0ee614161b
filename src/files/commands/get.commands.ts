import { JSON_OPTION, type JsonOption, subcommand } from "../../platform/cli/command.ts";
import { rm } from "node:fs/promises";
import type { Command } from "commander";
import { writeResult } from "../../platform/cli/result-file.ts";
import { appError } from "../../lib/errors.ts";
import { fileTrouble } from "../../lib/file-trouble.ts";
import { quantityOfBytes } from "../../visitors/quantity-text.ts";
import { openSource } from "../archive/content-source.ts";
import type { Folder } from "../tree/entry.ts";
import { getFile, publish, targetPath } from "./get.ts";
import {
  addOwner,
  type Context,
  entryOf,
  type FileServices,
  type Owned,
  PATH_OR_ID,
} from "./place.commands.ts";

type GetOptions = JsonOption & Owned & { force?: true };

export function addGet(files: Command, context: Context): void {
  addOwner(
    subcommand(files, "get", "download a file, or a folder as a ZIP file; repeat it after an interruption"),
  )
    .argument("<path>", PATH_OR_ID)
    .argument("[target]", "file or folder of this machine; -: standard output; default: its name, here")
    .option("--force", "overwrite the file")
    .option(...JSON_OPTION)
    .action(async (path: string, target: string | undefined, options: GetOptions) => {
      if (options.json && target === "-") {
        throw appError("BadRequest", "--json and the content can't both go to standard output.");
      }
      const { entry } = await entryOf(context, path, options);
      const { content, drive } = await context.services();
      const { force = false, json } = options;
      if (entry.kind === "folder") return getFolder(context, drive.archives, { entry, target, force, json });
      if (target === "-") {
        const { body } = await content.blobs.open(entry.blobId);
        return writeResult("-", piecesOf(body));
      }
      const to = await targetPath(target, entry.name, force);
      const line = context.output.progress("Downloading");
      const tell = (done: number) => line.update(done, entry.size);
      await getFile(content.blobs, entry, { path: to, force, tell })
        .catch((error: unknown) => Promise.reject(unwritten(to, error)))
        .finally(line.finish);
      tellSaved(context, to, entry.size, json);
    });
}

function tellSaved({ output }: Context, path: string, bytes: number, json: true | undefined): void {
  if (json) output.json({ path, bytes });
  else output.note(`Saved ${JSON.stringify(path)} (${quantityOfBytes("en", bytes)}).`);
}

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

type FolderGet = { entry: Folder; target: string | undefined; force: boolean; json: true | undefined };

async function getFolder(
  context: Context,
  archives: FileServices["drive"]["archives"],
  { entry, target, force, json }: FolderGet,
): Promise<void> {
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
    tellSaved(context, path, archive.length, json);
  } finally {
    await archive.close();
  }
}

/** Pieces share their memory. */
async function* copied(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  for await (const piece of pieces) yield Buffer.from(piece);
}
