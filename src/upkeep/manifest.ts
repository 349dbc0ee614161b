/** What a backup says of itself, and holding it against what lies there. */
import { createHash } from "node:crypto";
import { createReadStream, existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { z } from "zod";
import { dataPath } from "../lib/data-folder.ts";
import { appError } from "../lib/errors.ts";
import { readRefusal } from "../lib/file-trouble.ts";

const MANIFEST = "manifest.json";
/** Stands in a folder from the first moment of a backup; its renaming says that the backup is whole. */
const UNFINISHED_MANIFEST = `${MANIFEST}.tmp`;
/** The copy of the file database, beside the manifest. */
export const DATABASE_COPY = "waymark.db";

const COMPANION = /^(\.replaced|\.restoring)?(-wal|-shm|-journal)?$/;

/** Whether the path is the live database, or what it and a restore put beside it. */
export function isDatabaseFile(path: string, database: string): boolean {
  const whole = resolve(path);
  return whole.startsWith(database) && COMPANION.test(whole.slice(database.length));
}

/** Whether a path directly in the data folder is in no backup: the live database, journals, locks and restores. */
export const isExcluded = (path: string, dataDir: string): boolean =>
  isDatabaseFile(path, resolve(dataPath(dataDir, "database"))) ||
  (["journal", "processes", "restore"] as const).some((entry) => path === dataPath(dataDir, entry));

const manifestSchema = z.object({
  format: z.literal(1),
  version: z.string(),
  instance: z.string(),
  created_at: z.string(),
  database: z.object({ name: z.string(), file: z.literal(DATABASE_COPY).nullable(), advice: z.string() }),
  /** Policies whose files are below `outside/`, each with where it keeps them. */
  outside: z.array(z.object({ policy_id: z.number().int(), base_path: z.string() })).default([]),
  /** Policies whose objects are not in the backup, because they are in S3. */
  elsewhere: z.array(z.object({ policy: z.string(), objects: z.number().int() })).default([]),
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
export type ByteProgress = (done: number, total: number) => void;

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
export function countBytes(total: number, onBytes: ByteProgress | undefined): (bytes: number) => void {
  let done = 0;
  return (bytes) => onBytes?.((done += bytes), total);
}

export const totalSize = (files: readonly { size: number }[]): number =>
  files.reduce((sum, { size }) => sum + size, 0);

/** Where a file of the backup lies in the data folder, relative to both; null for what lies elsewhere. */
export const dataFolderPath = (path: string): string | null =>
  path.startsWith("files/") ? path.slice("files/".length) : null;

/** Below `outside/`: the policy, and an object's key or the marker. */
const OUTSIDE = /^outside\/(\d{1,16})\/((?:[0-9a-f]{2}\/){2}[0-9a-f][0-9a-f.-]*|\.waymark-[0-9a-f-]+)$/;

/** Of a file of a policy whose folder lies elsewhere: that folder as the policy names it, and the path there. */
export function outsidePath(
  path: string,
  { outside }: Pick<Manifest, "outside">,
): { basePath: string; key: string } | null {
  const [, id, key] = OUTSIDE.exec(path) ?? [];
  const policy = outside.find(({ policy_id }) => String(policy_id) === id);
  return policy === undefined ? null : { basePath: policy.base_path, key: key! };
}

/** Reads the manifest and checks every file against it. @throws BadRequest naming what is wrong */
export async function verifyBackup(source: string, onBytes?: ByteProgress): Promise<Manifest> {
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
