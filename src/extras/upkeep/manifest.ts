import { createHash } from "node:crypto";
import { createReadStream, existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { z } from "zod";
import { dataPath } from "../../lib/data-folder.ts";
import { appError } from "../../lib/errors.ts";
import { readRefusal } from "../../lib/file-trouble.ts";

const MANIFEST = "manifest.json";
/** Marks an incomplete backup. Renaming it completes the backup. */
const UNFINISHED_MANIFEST = `${MANIFEST}.tmp`;
/** Beside the manifest. */
export const DATABASE_COPY = "waymark.db";

const COMPANION = /^(\.replaced|\.restoring)?(-wal|-shm|-journal|-reserve)?$/;

/** The database, or a file that it or a restore puts beside it. */
export function isDatabaseFile(path: string, database: string): boolean {
  const whole = resolve(path);
  return whole.startsWith(database) && COMPANION.test(whole.slice(database.length));
}

/** Database, journals, locks, restores and thumbnails. */
export const isExcluded = (path: string, dataDir: string): boolean =>
  isDatabaseFile(path, resolve(dataPath(dataDir, "database"))) ||
  (["journal", "processes", "restore", "thumbnails"] as const).some(
    (entry) => path === dataPath(dataDir, entry),
  );

const manifestSchema = z.object({
  format: z.literal(1),
  version: z.string(),
  instance: z.string(),
  created_at: z.string(),
  /** SHA-256 of the key that seals secrets in the database; null if none was used. */
  key_fingerprint: z.string().nullable().default(null),
  database: z.object({ name: z.string(), file: z.literal(DATABASE_COPY).nullable(), advice: z.string() }),
  /** Policies with files below `outside/`, and their folders. */
  outside: z.array(z.object({ policy_id: z.int(), base_path: z.string() })).default([]),
  /** Policies whose objects are in S3 and not in the backup. */
  elsewhere: z.array(z.object({ policy: z.string(), objects: z.int() })).default([]),
  files: z.array(z.object({ path: z.string(), size: z.int(), sha256: z.string() })),
});
export type Manifest = z.infer<typeof manifestSchema>;

export const manifestPath = (backup: string): string => join(backup, MANIFEST);
export const unfinishedManifestPath = (backup: string): string => join(backup, UNFINISHED_MANIFEST);

/** A backup, complete or not. */
export const isBackup = (folder: string): boolean =>
  existsSync(unfinishedManifestPath(folder)) ||
  (existsSync(manifestPath(folder)) && readManifest(folder) !== null);

export type ByteProgress = (done: number, total: number) => void;

/** `onRead` receives the size of each chunk. */
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

export function countBytes(total: number, onBytes: ByteProgress | undefined): (bytes: number) => void {
  let done = 0;
  return (bytes) => onBytes?.((done += bytes), total);
}

export const totalSize = (files: readonly { size: number }[]): number =>
  files.reduce((sum, { size }) => sum + size, 0);

/** The path in the data folder, or null for files elsewhere. */
export const dataFolderPath = (path: string): string | null =>
  path.startsWith("files/") ? path.slice("files/".length) : null;

/** `outside/POLICY/` and the key of an object or the marker. */
const OUTSIDE = /^outside\/(\d{1,16})\/((?:[0-9a-f]{2}\/){2}[0-9a-f][0-9a-f.-]*|\.waymark-[0-9a-f-]+)$/;

/** The policy's folder and the path in it; null when the file is not below `outside/`. */
export function outsidePath(
  path: string,
  { outside }: Pick<Manifest, "outside">,
): { basePath: string; key: string } | null {
  const [, id, key] = OUTSIDE.exec(path) ?? [];
  const policy = outside.find(({ policy_id }) => String(policy_id) === id);
  return policy === undefined ? null : { basePath: policy.base_path, key: key! };
}

/** @throws BadRequest naming what is wrong */
export async function verifyBackup(source: string, onBytes?: ByteProgress): Promise<Manifest> {
  const manifest = readManifest(source);
  if (manifest === null) {
    const reason = readRefusal(manifestPath(source)) ?? `Its ${MANIFEST} is missing or invalid.`;
    throw appError("BadRequest", `${source} is not a complete, readable backup. ${reason}`);
  }
  const count = countBytes(totalSize(manifest.files), onBytes);
  for (const file of manifest.files) {
    if (!isOfBackup(file.path, manifest)) {
      throw appError("BadRequest", `The manifest lists a file that no backup contains: ${file.path}`);
    }
    const found = await describeFile(source, file.path, count).catch(() => null);
    if (found?.sha256 === file.sha256) continue;
    const reason = found === null ? readRefusal(join(source, file.path)) : null;
    throw appError("BadRequest", reason ?? `The backup is damaged: ${file.path} differs from the manifest.`);
  }
  return manifest;
}

function isOfBackup(path: string, manifest: Manifest): boolean {
  const place = dataFolderPath(path);
  if (place === null) return path === manifest.database.file || outsidePath(path, manifest) !== null;
  const parts = place.split("/");
  return (
    !parts.some((part) => part === "" || part === "." || part === "..") &&
    !isExcluded(join("/", parts[0]!), "/")
  );
}

function readManifest(folder: string): Manifest | null {
  try {
    return manifestSchema.parse(JSON.parse(readFileSync(manifestPath(folder), "utf8")));
  } catch {
    return null;
  }
}
