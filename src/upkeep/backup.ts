/**
 * A backup is a folder:
 *
 *     manifest.json      what it is: program version, installation, time, and every file with size and SHA-256
 *     waymark.db         the file database, copied in one moment; absent where a server keeps the database
 *     files/…            everything else of the data folder that matters: keys and stored blobs
 *
 * Blobs are never changed in place, and their rows are written after their bytes. So they are copied first, then the
 * database, then the blobs that came meanwhile: every row of the copy has its bytes. Clicks that wait in the journal
 * are not in it; they belong to the running installation and are counted there. A backup may lie in the data folder;
 * backups there, this one and others, are not in it either.
 */
import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { copyFile, mkdir, rename } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import type { Database } from "../db/database.ts";
import { appError } from "../lib/errors.ts";
import {
  DATABASE_COPY,
  describeFile,
  unfinishedManifestPath,
  isBackup,
  EXCLUDED,
  type Manifest,
  manifestPath,
} from "./manifest.ts";

export type BackupSources = {
  dataDir: string;
  /** Of the file database, null without one. */
  databasePath: string | null;
  database: Database;
  instance: string;
  version: string;
  now(): number;
  /** Files that are copied; then files that are read back, of how many. */
  onProgress?: (step: "copied" | "read", done: number, total?: number) => void;
};

/** Writes the backup and resolves with its manifest. @throws Conflict when the folder is not empty */
export async function makeBackup(target: string, sources: BackupSources): Promise<Manifest> {
  if (resolve(target) === resolve(sources.dataDir)) {
    throw appError(
      "BadRequest",
      `${target} is the data folder itself; name a new folder, in it or elsewhere.`,
    );
  }
  const isNew = !existsSync(target);
  if (!isNew && readdirSync(target).length > 0) {
    throw appError("Conflict", `${target} is not empty; name a folder that is new.`);
  }
  mkdirSync(target, { recursive: true, mode: 0o700 });
  try {
    return await fill(target, sources);
  } catch (error) {
    for (const name of readdirSync(target)) rmSync(join(target, name), { recursive: true, force: true });
    if (isNew) rmSync(target, { recursive: true, force: true });
    throw error;
  }
}

async function fill(target: string, sources: BackupSources): Promise<Manifest> {
  writeFileSync(unfinishedManifestPath(target), "", { mode: 0o600 });
  const copied = new Set<string>();
  await copyNew(target, copied, sources);
  const { snapshot, dumpAdvice, name } = sources.database.dialect;
  if (snapshot !== null) {
    await snapshot(sources.database.slow, join(target, DATABASE_COPY));
    chmodSync(join(target, DATABASE_COPY), 0o600);
    await copyNew(target, copied, sources);
  }
  const listed = [
    ...(snapshot === null ? [] : [DATABASE_COPY]),
    ...[...copied].map((path) => join("files", path)),
  ];
  const manifest: Manifest = {
    format: 1,
    version: sources.version,
    instance: sources.instance,
    created_at: new Date(sources.now()).toISOString(),
    database: { name, file: snapshot === null ? null : DATABASE_COPY, advice: dumpAdvice },
    files: await describeAll(target, listed.sort(), sources),
  };
  writeFileSync(unfinishedManifestPath(target), `${JSON.stringify(manifest, null, 2)}\n`);
  await rename(unfinishedManifestPath(target), manifestPath(target));
  return manifest;
}

/** One after the other: there may be more files than a process may open. */
async function describeAll(
  target: string,
  paths: readonly string[],
  { onProgress }: BackupSources,
): Promise<Manifest["files"]> {
  const files: Manifest["files"] = [];
  for (const path of paths) {
    files.push(await describeFile(target, path));
    onProgress?.("read", files.length, paths.length);
  }
  return files;
}

/** Files of the data folder, relative to it; symlinks, backups and what is left out are not among them. */
function listFiles(dir: string, databasePath: string | null, base = dir): string[] {
  if (!existsSync(dir) || (dir !== base && isBackup(dir))) return [];
  return readdirSync(dir, { withFileTypes: true }).flatMap((entry) => {
    const path = join(dir, entry.name);
    if (EXCLUDED.test(relative(base, path)) || isOfDatabase(path, databasePath)) return [];
    if (entry.isDirectory()) return listFiles(path, databasePath, base);
    return entry.isFile() ? [relative(base, path)] : [];
  });
}

/** The live database, also under a name of its own, and what lies beside it. */
const isOfDatabase = (path: string, databasePath: string | null): boolean =>
  databasePath !== null &&
  resolve(path).startsWith(databasePath) &&
  /^(\.replaced)?(-wal|-shm|-journal)?$/.test(resolve(path).slice(databasePath.length));

async function copyNew(
  target: string,
  copied: Set<string>,
  { dataDir, databasePath, onProgress }: BackupSources,
): Promise<void> {
  const to = join(target, "files");
  for (const path of listFiles(dataDir, databasePath)) {
    if (copied.has(path)) continue;
    await mkdir(dirname(join(to, path)), { recursive: true, mode: 0o700 });
    const done = await copyIfThere(join(dataDir, path), join(to, path));
    if (done) copied.add(path);
    onProgress?.("copied", copied.size);
  }
}

/** False when the file is gone meanwhile: its last reference was deleted. */
async function copyIfThere(from: string, to: string): Promise<boolean> {
  try {
    await copyFile(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return false;
    throw error;
  }
}
