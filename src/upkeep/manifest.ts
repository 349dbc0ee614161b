/** What a backup says of itself, and holding it against what lies there. */
import { createHash } from "node:crypto";
import { createReadStream, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { appError } from "../lib/errors.ts";
import { readRefusal } from "../lib/file-trouble.ts";

const MANIFEST = "manifest.json";
/** Stands in a folder from the first moment of a backup; its renaming says that the backup is whole. */
const UNFINISHED_MANIFEST = `${MANIFEST}.tmp`;
/** The copy of the file database, beside the manifest. */
export const DATABASE_COPY = "waymark.db";

/** Of the data folder: the live database and its companions, journals, locks, unfinished uploads and restores. */
export const EXCLUDED =
  /^(waymark\.db(\.replaced)?(-wal|-shm|-journal)?|journal|processes|\.restore|(.*\/)?\.staging|.*\.(tmp|restoring))$/;

const manifestSchema = z.object({
  format: z.literal(1),
  version: z.string(),
  instance: z.string(),
  created_at: z.string(),
  database: z.object({ name: z.string(), file: z.literal(DATABASE_COPY).nullable(), advice: z.string() }),
  files: z.array(z.object({ path: z.string(), size: z.number().int(), sha256: z.string() })),
});
export type Manifest = z.infer<typeof manifestSchema>;

export const manifestPath = (backup: string): string => join(backup, MANIFEST);
export const unfinishedManifestPath = (backup: string): string => join(backup, UNFINISHED_MANIFEST);

/** Whether the folder is a backup, also one that is being made or was broken off. */
export const isBackup = (folder: string): boolean =>
  existsSync(unfinishedManifestPath(folder)) ||
  (existsSync(manifestPath(folder)) && readManifest(folder) !== null);

/** Bytes that are done, of how many. */
export type OnBytes = (done: number, total: number) => void;

/** `onRead` is told of each piece. */
export async function describeFile(
  root: string,
  path: string,
  onRead?: (bytes: number) => void,
): Promise<Manifest["files"][number]> {
  const hash = createHash("sha256");
  let size = 0;
  for await (const chunk of createReadStream(join(root, path)) as AsyncIterable<Buffer>) {
    hash.update(chunk);
    size += chunk.length;
    onRead?.(chunk.length);
  }
  return { path, size, sha256: hash.digest("hex") };
}

/** Adds up what is done. */
export function countBytes(total: number, onBytes: OnBytes | undefined): (bytes: number) => void {
  let done = 0;
  return (bytes) => onBytes?.((done += bytes), total);
}

export const totalSize = (files: readonly { size: number }[]): number =>
  files.reduce((sum, { size }) => sum + size, 0);

/** Where a file of the backup lies in the data folder, relative to both; null for the database's copy. */
export const dataFolderPath = (path: string): string | null =>
  path.startsWith("files/") ? path.slice("files/".length) : null;

/** Reads the manifest and checks every file against it. @throws BadRequest naming what is wrong */
export async function verifyBackup(source: string, onBytes?: OnBytes): Promise<Manifest> {
  const manifest = readManifest(source);
  if (manifest === null) {
    const reason = readRefusal(manifestPath(source)) ?? `Its ${MANIFEST} is not there, or is none.`;
    throw appError("BadRequest", `${source} holds no whole backup that can be read. ${reason}`);
  }
  const count = countBytes(totalSize(manifest.files), onBytes);
  for (const file of manifest.files) {
    if (!isOfBackup(file.path, manifest)) {
      throw appError("BadRequest", `The backup names a file that no backup holds: ${file.path}`);
    }
    const found = await describeFile(source, file.path, count).catch(() => null);
    if (found?.sha256 === file.sha256) continue;
    const reason = found === null ? readRefusal(join(source, file.path)) : null;
    throw appError("BadRequest", reason ?? `The backup is damaged: ${file.path} is not what was written.`);
  }
  return manifest;
}

function isOfBackup(path: string, { database }: Manifest): boolean {
  const place = dataFolderPath(path);
  if (place === null) return path === database.file;
  const parts = place.split("/");
  return !parts.some((part) => part === "" || part === "." || part === "..") && !EXCLUDED.test(parts[0]!);
}

function readManifest(folder: string): Manifest | null {
  try {
    return manifestSchema.parse(JSON.parse(readFileSync(manifestPath(folder), "utf8")));
  } catch {
    return null;
  }
}
