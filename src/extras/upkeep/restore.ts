/**
 * Restores a backup into a data folder, entry by entry and inside the folder only, because it may be the root of a
 * volume. Steps:
 *
 *   1. Verify the backup and copy it into `.restore` (restore-state.ts), synced. A crash up to here changes
 *      nothing; the next restore or start removes the copy.
 *   2. Write the plan. From now on servers and commands refuse the folder, and `restore` continues the plan.
 *      Every further step can be repeated.
 *   3. Rename the old database to `….replaced` and move its journals into `.restore`. Move each file into place,
 *      the database last.
 *   4. Sync everything, then remove what was replaced, then the plan.
 *
 * Stored files may lie on another file system; there a move copies beside the target and renames. Files that the backup
 * does not name are kept.
 */
import { chmodSync, existsSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { copyFile, mkdir, open, rename, rm } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { dataPath } from "../../lib/data-folder.ts";
import { appError, messageOf } from "../../lib/errors.ts";
import { fault } from "../../lib/fault.ts";
import { fileTrouble } from "../../lib/file-trouble.ts";
import { behindLinks, isInside } from "../../lib/real-path.ts";
import { syncFolder } from "../../lib/sync-folder.ts";
import {
  countBytes,
  DATABASE_COPY,
  describeFile,
  type Manifest,
  dataFolderPath,
  outsidePath,
  totalSize,
  verifyBackup,
} from "./manifest.ts";
import {
  clearStaging,
  lockStaging,
  type RestorePlan,
  planPath,
  readPlan,
  removeStaging,
  stagingPath,
} from "./restore-state.ts";

export type RestoreTarget = {
  dataDir: string;
  /** The path of the database, or null when a server keeps it. */
  databasePath: string | null;
  /** Absolute folders that may receive files, besides the data folder. */
  roots: readonly string[];
  /** Existing files and database are lost. */
  replace: boolean;
  isServed(): boolean;
  /** Reports progress in bytes; the step `place` in files. */
  onProgress?: (step: RestoreStep, done: number, total: number) => void;
};

export type RestoreStep = "check" | "compare" | "copy" | "place";

const COMPANIONS = ["", "-wal", "-shm", "-journal"];

/**
 * Restores the backup, or continues its interrupted restore.
 * @throws Conflict when it would replace something without `replace`, BadRequest when the backup is incomplete
 * or invalid
 */
export async function restoreBackup(source: string, target: RestoreTarget): Promise<Manifest> {
  const { dataDir, onProgress } = target;
  // First, because the folder is unusable until then, even if the backup is gone.
  const begun = existsSync(planPath(dataDir)) ? await holding(target, () => finishBegun(target)) : null;
  const manifest = await verifyBackup(source, (done, total) => onProgress?.("check", done, total));
  const isDone = begun?.instance === manifest.instance && begun.created_at === manifest.created_at;
  if (!isDone) await holding(target, () => restoreWhole(source, manifest, target));
  return manifest;
}

async function holding<T>(target: RestoreTarget, run: () => Promise<T>): Promise<T> {
  const { dataDir } = target;
  await mkdir(dataDir, { recursive: true, mode: 0o750 });
  const lock = lockStaging(dataDir);
  try {
    refuseServed(target);
    return await run();
  } finally {
    if (!existsSync(planPath(dataDir))) removeStaging(dataDir);
    lock.release();
  }
}

async function finishBegun(target: RestoreTarget): Promise<RestorePlan | null> {
  const plan = readPlan(target.dataDir);
  if (plan !== null) await finish(plan, target);
  return plan;
}

async function restoreWhole(source: string, manifest: Manifest, target: RestoreTarget): Promise<void> {
  const { dataDir } = target;
  const plan = await makePlan(source, manifest, target);
  clearStaging(dataDir);
  await copyAll(source, manifest, plan, target);
  refuseServed(target);
  fault("restore.before-plan");
  writeFileSync(`${planPath(dataDir)}.tmp`, JSON.stringify(plan), { mode: 0o600, flush: true });
  await rename(`${planPath(dataDir)}.tmp`, planPath(dataDir));
  await syncFolder(stagingPath(dataDir));
  await finish(plan, target);
}

async function copyAll(
  source: string,
  manifest: Manifest,
  plan: RestorePlan,
  { dataDir, onProgress }: RestoreTarget,
): Promise<void> {
  const planned = new Map(plan.files.map((place) => [`files/${place}`, stagingPath(dataDir, "new", place)]));
  for (const { path } of plan.outside) planned.set(path, stagingPath(dataDir, path));
  if (plan.database !== null) planned.set(DATABASE_COPY, stagingPath(dataDir, "waymark.db"));
  const restored = manifest.files.filter(({ path }) => planned.has(path));
  const count = countBytes(totalSize(restored), (done, total) => onProgress?.("copy", done, total));
  for (const { path, size } of restored) {
    await copySynced(join(source, path), planned.get(path)!);
    count(size);
  }
  if (plan.database === null) return;
  for (const aside of COMPANIONS) rmSync(`${plan.database}.replaced${aside}`, { force: true });
  chmodSync(stagingPath(dataDir, "waymark.db"), 0o600);
}

function refuseServed({ isServed }: RestoreTarget): void {
  if (isServed()) throw appError("Conflict", "A server is running on this data folder; stop it first.");
}

/** Leaves out files that exist with the same content. */
async function makePlan(source: string, manifest: Manifest, target: RestoreTarget): Promise<RestorePlan> {
  const { dataDir, databasePath, replace, onProgress } = target;
  const refuse = (path: string) => {
    const choice = "add --replace to replace it with the backup, or restore into another data.dir";
    if (!replace) throw appError("Conflict", `${path} exists; ${choice}.`);
  };
  const hasDatabase = manifest.database.file !== null;
  if (hasDatabase && databasePath === null) {
    const message = "The backup contains a file database; leave database.url empty to restore it.";
    throw appError("BadRequest", message);
  }
  if (hasDatabase && existsSync(databasePath!)) refuse(databasePath!);
  await refuseElsewhere(manifest, target);
  const files: string[] = [];
  const outside: RestorePlan["outside"] = [];
  const count = countBytes(totalSize(manifest.files), (done, total) => onProgress?.("compare", done, total));
  for (const { path, sha256 } of manifest.files) {
    const place = dataFolderPath(path);
    const away = outsidePath(path, manifest);
    if (place === null && away === null) continue;
    const to = away === null ? join(dataDir, place!) : join(resolve(dataDir, away.basePath), away.key);
    if (existsSync(to)) {
      if ((await describeFile(dirname(to), basename(to), count)).sha256 === sha256) continue;
      refuse(to);
    }
    if (away === null) files.push(place!);
    else outside.push({ path, to });
  }
  const { instance, created_at } = manifest;
  return { source, instance, created_at, database: hasDatabase ? databasePath : null, files, outside };
}

/** @throws BadRequest for a folder outside the data folder and `roots` */
async function refuseElsewhere({ outside }: Manifest, { dataDir, roots }: RestoreTarget): Promise<void> {
  const allowed = await Promise.all([dataDir, ...roots].map((path) => behindLinks(path).catch(() => path)));
  for (const { base_path } of outside) {
    const folder = await behindLinks(resolve(dataDir, base_path));
    if (allowed.some((root) => isInside(folder, root))) continue;
    throw appError(
      "BadRequest",
      `The backup contains files of ${base_path}, which is not below the data folder. ` +
        "Add a parent folder to the start-up setting storage.local_roots, then restore again.",
    );
  }
}

/** Steps 3 and 4, as far as they are not done. */
async function finish(plan: RestorePlan, { dataDir, onProgress }: RestoreTarget): Promise<void> {
  const { database } = plan;
  const staged = stagingPath(dataDir, "waymark.db");
  const folders = new Set([dataDir, stagingPath(dataDir)]);
  try {
    if (database !== null && existsSync(staged)) setAside(database, dataDir);
    const moves = [
      ...plan.files.map((place) => ({ from: stagingPath(dataDir, "new", place), to: join(dataDir, place) })),
      ...plan.outside.map(({ path, to }) => ({ from: stagingPath(dataDir, path), to })),
    ];
    for (const [at, { from, to }] of moves.entries()) {
      await moveIfThere(from, to);
      folders.add(dirname(to));
      onProgress?.("place", at + 1, moves.length);
    }
    if (database !== null) {
      await moveIfThere(staged, database);
      folders.add(dirname(database));
    }
    for (const folder of folders) await syncFolder(folder);
    fault("restore.in-place");
    if (database !== null)
      for (const aside of COMPANIONS) rmSync(`${database}.replaced${aside}`, { force: true });
    rmSync(stagingPath(dataDir, "journal"), { recursive: true, force: true });
    rmSync(planPath(dataDir));
  } catch (cause) {
    const reason = fileTrouble(cause) ?? messageOf(cause);
    const message = `The restore was interrupted. Fix this and run the same command again: ${reason}`;
    throw appError("BadRequest", message, { cause });
  }
}

/** Sets aside the old database and its journals, whose clicks belong to it. */
function setAside(database: string, dataDir: string): void {
  for (const companion of COMPANIONS) {
    if (existsSync(database + companion))
      renameSync(database + companion, `${database}.replaced${companion}`);
    fault("restore.set-aside");
  }
  const journals = dataPath(dataDir, "journal");
  if (!existsSync(journals) || !existsSync(`${database}.replaced`)) return;
  try {
    renameSync(journals, stagingPath(dataDir, "journal"));
  } catch {
    // The journal folder is a mount point, or this step is repeated.
    for (const slot of readdirSync(journals)) rmSync(join(journals, slot), { recursive: true });
  }
}

async function moveIfThere(from: string, to: string): Promise<void> {
  fault("restore.move");
  if (!existsSync(from)) return;
  await mkdir(dirname(to), { recursive: true, mode: 0o700 });
  try {
    await rename(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EXDEV") throw error;
    await copySynced(from, `${to}.restoring`);
    await rename(`${to}.restoring`, to);
    await rm(from);
  }
}

async function copySynced(from: string, to: string): Promise<void> {
  await mkdir(dirname(to), { recursive: true, mode: 0o700 });
  await copyFile(from, to);
  const file = await open(to, "r");
  await file.sync().finally(() => file.close());
}
