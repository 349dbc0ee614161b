/**
 * A backup is a folder:
 *
 *     manifest.json      what it is: program version, installation, time, and every file with size and SHA-256
 *     waymark.db         the file database, copied in one moment; absent where a server keeps the database
 *     files/…            everything else of the data folder that matters: keys and stored blobs
 *
 * Blobs are never changed in place, and their rows are written after their bytes. So they are copied first, then the
 * database, then the blobs that came meanwhile: every row of the copy has its bytes. Clicks that wait in the journal
 * are not in it; they belong to the running installation and are counted there.
 */
import { createHash } from "node:crypto";
import {
  createReadStream,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { copyFile, mkdir, rename, stat } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { pipeline } from "node:stream/promises";
import { z } from "zod";
import type { Database } from "../db/database.ts";
import { appError } from "../lib/errors.ts";

const MANIFEST = "manifest.json";
const DATABASE = "waymark.db";
/** Of the data folder: the live database and its companions, journals with their locks, unfinished uploads. */
const LEFT_OUT = /^(waymark\.db(-wal|-shm|-journal)?|journal|(.*\/)?\.staging|.*\.tmp)$/;

const manifestSchema = z.object({
  format: z.literal(1),
  version: z.string(),
  instance: z.string(),
  created_at: z.string(),
  database: z.object({ name: z.string(), file: z.string().nullable(), advice: z.string() }),
  files: z.array(z.object({ path: z.string(), size: z.number().int(), sha256: z.string() })),
});
export type Manifest = z.infer<typeof manifestSchema>;

export type BackupSources = {
  dataDir: string;
  database: Database;
  instance: string;
  version: string;
  now(): number;
  onFile?: (done: number) => void;
};

/** Writes the backup and resolves with its manifest. @throws Conflict when the folder is not empty */
export async function makeBackup(target: string, sources: BackupSources): Promise<Manifest> {
  const { database, dataDir } = sources;
  if (existsSync(target) && readdirSync(target).length > 0) {
    throw appError("Conflict", `${target} is not empty; name a folder that is new.`);
  }
  mkdirSync(target, { recursive: true, mode: 0o700 });
  const files = join(target, "files");
  const copied = new Set<string>();
  await copyNew(dataDir, files, copied, sources.onFile);
  const { snapshot, dumpAdvice, name } = database.dialect;
  if (snapshot !== null) {
    await snapshot(database.slow, join(target, DATABASE));
    await copyNew(dataDir, files, copied, sources.onFile);
  }
  const listed = [
    ...(snapshot === null ? [] : [DATABASE]),
    ...[...copied].map((path) => join("files", path)),
  ];
  const manifest: Manifest = {
    format: 1,
    version: sources.version,
    instance: sources.instance,
    created_at: new Date(sources.now()).toISOString(),
    database: { name, file: snapshot === null ? null : DATABASE, advice: dumpAdvice },
    files: await Promise.all(listed.sort().map((path) => describe(target, path))),
  };
  // Its presence says that the backup is whole.
  writeFileSync(join(target, `${MANIFEST}.tmp`), `${JSON.stringify(manifest, null, 2)}\n`, { mode: 0o600 });
  await rename(join(target, `${MANIFEST}.tmp`), join(target, MANIFEST));
  return manifest;
}

/** Files of the data folder, relative to it; symlinks and what is left out are not among them. */
function listFiles(dir: string, base = dir): string[] {
  if (!existsSync(dir)) return [];
  return readdirSync(dir, { withFileTypes: true }).flatMap((entry) => {
    const path = join(dir, entry.name);
    if (LEFT_OUT.test(relative(base, path))) return [];
    if (entry.isDirectory()) return listFiles(path, base);
    return entry.isFile() ? [relative(base, path)] : [];
  });
}

async function copyNew(
  from: string,
  to: string,
  copied: Set<string>,
  onFile?: (done: number) => void,
): Promise<void> {
  for (const path of listFiles(from)) {
    if (copied.has(path)) continue;
    await mkdir(dirname(join(to, path)), { recursive: true, mode: 0o700 });
    const done = await copyIfThere(join(from, path), join(to, path));
    if (done) copied.add(path);
    onFile?.(copied.size);
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

async function describe(root: string, path: string): Promise<Manifest["files"][number]> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(join(root, path)), hash);
  return { path, size: (await stat(join(root, path))).size, sha256: hash.digest("hex") };
}

/** Reads the manifest and checks every file against it. @throws BadRequest naming what is wrong */
export async function verifyBackup(source: string): Promise<Manifest> {
  let manifest: Manifest;
  try {
    manifest = manifestSchema.parse(JSON.parse(readFileSync(join(source, MANIFEST), "utf8")));
  } catch (cause) {
    throw appError("BadRequest", `${source} holds no whole backup: its ${MANIFEST} can't be read.`, {
      cause,
    });
  }
  for (const file of manifest.files) {
    if (file.path.startsWith("/") || file.path.split("/").includes("..")) {
      throw appError("BadRequest", `The backup names a file outside of it: ${file.path}`);
    }
    const found = await describe(source, file.path).catch(() => null);
    if (found?.sha256 !== file.sha256)
      throw appError("BadRequest", `The backup is damaged: ${file.path} is not what was written.`);
  }
  return manifest;
}

/**
 * Puts a verified backup into a data folder without a database. Everything is copied beside first, so a failure
 * leaves the folder as it was. @throws Conflict when there is a database already
 */
export async function restoreBackup(
  source: string,
  { dataDir, databasePath }: { dataDir: string; databasePath: string | null },
): Promise<Manifest> {
  const manifest = await verifyBackup(source);
  if (manifest.database.file !== null) {
    if (databasePath === null) {
      throw appError(
        "BadRequest",
        "The backup holds a file database; leave database.url empty to restore it.",
      );
    }
    if (existsSync(databasePath)) {
      throw appError("Conflict", `${databasePath} exists; move it away, or restore into another data.dir.`);
    }
  }
  const beside = `${dataDir}.restoring`;
  rmSync(beside, { recursive: true, force: true });
  for (const { path } of manifest.files) {
    await mkdir(dirname(join(beside, path)), { recursive: true, mode: 0o750 });
    await copyFile(join(source, path), join(beside, path));
  }
  for (const { path } of manifest.files) {
    const isDatabase = path === manifest.database.file;
    const to = isDatabase ? databasePath! : join(dataDir, relative("files", path));
    await mkdir(dirname(to), { recursive: true, mode: 0o750 });
    await moveInto(join(beside, path), to);
  }
  rmSync(beside, { recursive: true, force: true });
  return manifest;
}

/** Moves, or copies where the database lies on another file system. */
async function moveInto(from: string, to: string): Promise<void> {
  try {
    await rename(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EXDEV") throw error;
    await copyFile(from, to);
  }
}
