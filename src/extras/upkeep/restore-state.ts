/**
 * The folder `.restore` in the data folder, which holds a backup during a restore (restore.ts):
 *
 *   lock          held by the restoring process until it ends
 *   new/…         files for the data folder
 *   outside/…     files for folders elsewhere
 *   waymark.db    the database of the backup
 *   plan.json     what moves where; present from the end of copying until everything is in place
 *   journal/      journals of the replaced database
 */
import { existsSync, mkdirSync, readFileSync, rmdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { dataPath } from "../../lib/data-folder.ts";
import { appError } from "../../lib/errors.ts";
import { type FileLock, tryFileLock } from "../../lib/file-lock.ts";
import { programName } from "../../lib/program-name.ts";

const planSchema = z.object({
  /** The backup folder as given. */
  source: z.string(),
  instance: z.string(),
  created_at: z.string(),
  /** The database in the backup, if it contains one. */
  database: z.string().nullable(),
  /** Relative to the data folder and to `new/`. */
  files: z.array(z.string()),
  /** `path`: in the backup and the staging folder. */
  outside: z.array(z.object({ path: z.string(), to: z.string() })).default([]),
});
export type RestorePlan = z.infer<typeof planSchema>;

export const stagingPath = (dataDir: string, ...parts: string[]): string =>
  join(dataPath(dataDir, "restore"), ...parts);
export const planPath = (dataDir: string): string => stagingPath(dataDir, "plan.json");

/** The plan of a restore that was interrupted while moving files. */
export const readPlan = (dataDir: string): RestorePlan | null =>
  existsSync(planPath(dataDir))
    ? planSchema.parse(JSON.parse(readFileSync(planPath(dataDir), "utf8")))
    : null;

/** How to finish an interrupted restore; null without one. */
export function restoreAdvice(dataDir: string): string | null {
  const plan = readPlan(dataDir);
  return plan === null ? null : `Finish it: ${programName()} restore ${plan.source}`;
}

/** @throws Conflict during another restore */
export function lockStaging(dataDir: string): FileLock {
  mkdirSync(stagingPath(dataDir), { recursive: true, mode: 0o700 });
  const lock = tryFileLock(stagingPath(dataDir, "lock"));
  if (lock === null)
    throw appError("Conflict", `Another process restores into ${dataDir}; wait until it ends.`);
  return lock;
}

/** The files that a restore makes, besides the lock. */
const MADE = ["new", "outside", "waymark.db", "plan.json", "plan.json.tmp", "journal"];

/** Removes the rest of an earlier restore. Call it with the lock held. */
export function clearStaging(dataDir: string): void {
  for (const name of MADE) rmSync(stagingPath(dataDir, name), { recursive: true, force: true });
}

/**
 * Keeps a folder with other files: storage policies could use the name in earlier versions. Call it with the lock held.
 */
export function removeStaging(dataDir: string): void {
  clearStaging(dataDir);
  rmSync(stagingPath(dataDir, "lock"), { force: true });
  try {
    rmdirSync(stagingPath(dataDir));
  } catch (error) {
    if (!["ENOTEMPTY", "EEXIST"].includes(String((error as { code?: unknown }).code))) throw error;
  }
}

/**
 * Call it before using the data folder. Removes the rest of a restore that had changed nothing.
 * @throws Conflict during a restore and after one that was interrupted while moving files
 */
export function refuseDuringRestore(dataDir: string): void {
  if (!existsSync(stagingPath(dataDir))) return;
  const lock = lockStaging(dataDir);
  try {
    const advice = restoreAdvice(dataDir);
    if (advice === null) return removeStaging(dataDir);
    throw appError("Conflict", `A restore into ${dataDir} was interrupted. ${advice}`);
  } finally {
    lock.release();
  }
}
