/**
 * Puts a backup into a data folder. That may be the root of a volume with nothing writable around it, so all is
 * done inside (see restore-state.ts for the folder `.restore`), and entries are moved one by one:
 *
 *  1. The backup is verified and copied into `.restore`, on the disk for certain. Until here nothing has changed;
 *     what a crash leaves is removed by the next restore or start.
 *  2. The plan is written. From here on there is one way, forward: servers and commands refuse the folder, and
 *     `restore`, given again, goes on with what the plan says. Every step may be done twice.
 *  3. The old database, with its companions, becomes `….replaced`; its journals, which count for it, go into
 *     `.restore`. Each file is moved into place, over the one it replaces; the database comes last.
 *  4. When all that is on the disk for certain, what was set aside goes, then the plan.
 *
 * Stored files may lie on another file system (a volume of their own); there a move is a copy beside and a rename.
 * Files of the data folder that the backup doesn't name are left alone.
 */
import { chmodSync, existsSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { copyFile, mkdir, open, rename, rm } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { dataPath } from "../lib/data-folder.ts";
import { appError, messageOf } from "../lib/errors.ts";
import { fault } from "../lib/fault.ts";
import { fileTrouble } from "../lib/file-trouble.ts";
import { behindLinks, isInside } from "../lib/real-path.ts";
import { syncFolder } from "../lib/sync-folder.ts";
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
  /** Of the file database; null when a server keeps the database. */
  databasePath: string | null;
  /** Absolute folders below which files may be put, besides the data folder. */
  roots: readonly string[];
  /** Put the backup in the place of what is there, which is lost. */
  replace: boolean;
  /** Whether a server runs on the data folder. */
  isServed(): boolean;
  /** Bytes that are checked, compared with what is there, and copied; then files that are put in place. */
  onProgress?: (step: RestoreStep, done: number, total: number) => void;
};

export type RestoreStep = "check" | "compare" | "copy" | "place";

const COMPANIONS = ["", "-wal", "-shm", "-journal"];

/**
 * Restores the backup, or finishes the restore of it that was broken off.
 * @throws Conflict when there is something that it would replace and may not, BadRequest when it is no whole backup
 */
export async function restoreBackup(source: string, target: RestoreTarget): Promise<Manifest> {
  const { dataDir, onProgress } = target;
  // First of all: the folder is of no use before, even if the backup is gone meanwhile.
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

/** All that the plan names, into `.restore`. */
async function copyAll(
  source: string,
  manifest: Manifest,
  plan: RestorePlan,
  { dataDir, onProgress }: RestoreTarget,
): Promise<void> {
  const planned = new Map(plan.files.map((place) => [`files/${place}`, stagingPath(dataDir, "new", place)]));
  for (const { path } of plan.outside) planned.set(path, stagingPath(dataDir, path));
  if (plan.database !== null) planned.set(DATABASE_COPY, stagingPath(dataDir, "waymark.db"));
  const wanted = manifest.files.filter(({ path }) => planned.has(path));
  const count = countBytes(totalSize(wanted), (done, total) => onProgress?.("copy", done, total));
  for (const { path, size } of wanted) {
    await copySynced(join(source, path), planned.get(path)!);
    count(size);
  }
  if (plan.database === null) return;
  for (const aside of COMPANIONS) rmSync(`${plan.database}.replaced${aside}`, { force: true });
  chmodSync(stagingPath(dataDir, "waymark.db"), 0o600);
}

function refuseServed({ isServed }: RestoreTarget): void {
  if (isServed()) throw appError("Conflict", "A server runs on this data folder; stop it first.");
}

/** Files that are there already, the same, are not in the plan. */
async function makePlan(source: string, manifest: Manifest, target: RestoreTarget): Promise<RestorePlan> {
  const { dataDir, databasePath, replace, onProgress } = target;
  const refuse = (path: string) => {
    const choice = "add --replace to put the backup in its place, or restore into another data.dir";
    if (!replace) throw appError("Conflict", `${path} exists; ${choice}.`);
  };
  const hasDatabase = manifest.database.file !== null;
  if (hasDatabase && databasePath === null) {
    const message = "The backup holds a file database; leave database.url empty to restore it.";
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

/** Files are put in the data folder and where the settings allow them. @throws BadRequest */
async function refuseElsewhere({ outside }: Manifest, { dataDir, roots }: RestoreTarget): Promise<void> {
  const allowed = await Promise.all([dataDir, ...roots].map((path) => behindLinks(path).catch(() => path)));
  for (const { base_path } of outside) {
    const folder = await behindLinks(resolve(dataDir, base_path));
    if (allowed.some((root) => isInside(folder, root))) continue;
    throw appError(
      "BadRequest",
      `The backup holds files of ${base_path}, which is not below the data folder. ` +
        "Name a folder above it in the start-up setting storage.local_roots, then restore again.",
    );
  }
}

/** Step 3 and 4; does what is left to do. */
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
    const message = `The restore stopped half way; mend this and give the same command again: ${reason}`;
    throw appError("BadRequest", message, { cause });
  }
}

/** The old database and its journals; none of them is the new one's as long as that is not in place. */
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
    // A mount, or not the first try.
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
