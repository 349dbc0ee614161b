/**
 * The folder `.restore` in the data folder, in which a backup waits to be put in place (restore.ts):
 *
 *     lock          held by the process that restores, until it ends, however it ends
 *     new/…         the backup's files for the data folder
 *     outside/…     those for folders elsewhere
 *     waymark.db    its database
 *     plan.json     what is to be moved where; present from the moment when everything has been copied until
 *                   everything is in place
 *     journal/      the replaced database's journals
 */
import { existsSync, mkdirSync, readFileSync, rmdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { dataPath } from "../lib/data-folder.ts";
import { appError } from "../lib/errors.ts";
import { type FileLock, tryFileLock } from "../lib/file-lock.ts";
import { programName } from "../lib/program-name.ts";

const planSchema = z.object({
  /** The folder of the backup, as it was named. */
  source: z.string(),
  instance: z.string(),
  created_at: z.string(),
  /** Where the database goes; null when the backup holds none. */
  database: z.string().nullable(),
  /** Relative to the data folder and to new/. */
  files: z.array(z.string()),
  /** Paths in the backup and in the staging folder, and where each goes. */
  outside: z.array(z.object({ path: z.string(), to: z.string() })).default([]),
});
export type RestorePlan = z.infer<typeof planSchema>;

export const stagingPath = (dataDir: string, ...parts: string[]): string =>
  join(dataPath(dataDir, "restore"), ...parts);
export const planPath = (dataDir: string): string => stagingPath(dataDir, "plan.json");

/** The restore that was broken off while it moved files into place. */
export const readPlan = (dataDir: string): RestorePlan | null =>
  existsSync(planPath(dataDir))
    ? planSchema.parse(JSON.parse(readFileSync(planPath(dataDir), "utf8")))
    : null;

/** How a restore that was broken off half way is finished; null without one. */
export function restoreAdvice(dataDir: string): string | null {
  const plan = readPlan(dataDir);
  return plan === null ? null : `Finish it: ${programName()} restore ${plan.source}`;
}

/** Makes the folder and takes its lock. @throws Conflict when another process restores */
export function lockStaging(dataDir: string): FileLock {
  mkdirSync(stagingPath(dataDir), { recursive: true, mode: 0o700 });
  const lock = tryFileLock(stagingPath(dataDir, "lock"));
  if (lock === null)
    throw appError("Conflict", `Another process restores into ${dataDir}; wait for its end.`);
  return lock;
}

/** What a restore makes in the folder, besides its lock. */
const MADE = ["new", "outside", "waymark.db", "plan.json", "plan.json.tmp", "journal"];

/** Removes what an earlier restore left. To be called by the lock's holder. */
export function clearStaging(dataDir: string): void {
  for (const name of MADE) rmSync(stagingPath(dataDir, name), { recursive: true, force: true });
}

/**
 * Removes the folder, unless it holds something else: before the name was refused, a storage policy could keep its
 * files there. To be called by the lock's holder.
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
 * For whoever is about to use the data folder: removes what a restore left that was broken off before it changed
 * anything. @throws Conflict while one runs, and after one that was broken off half way
 */
export function refuseDuringRestore(dataDir: string): void {
  if (!existsSync(stagingPath(dataDir))) return;
  const lock = lockStaging(dataDir);
  try {
    const advice = restoreAdvice(dataDir);
    if (advice === null) return removeStaging(dataDir);
    throw appError("Conflict", `A restore into ${dataDir} was broken off half way. ${advice}`);
  } finally {
    lock.release();
  }
}
