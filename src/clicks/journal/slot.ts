/**
 * Every process writes its clicks into a folder of its own, `journal/<n>`, held by a lock that the kernel gives
 * back when the process ends. A folder whose lock can be had belongs to nobody: what lies in it is left over from a
 * process that died, and whoever takes the lock may count it.
 */
import { mkdirSync, readdirSync, rmSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { appError } from "../../lib/errors.ts";
import { type FileLock, tryFileLock } from "../../lib/file-lock.ts";
import { listUnfinished } from "./segment.ts";

export type Slot = { dir: string; lock: FileLock };

const MAX_SLOTS = 1024;
const LOCK_NAME = "lock";
/** See books-snapshot.ts. */
export const BOOKS_SNAPSHOT_NAME = "books.json";

/** Takes the lowest free slot and makes its folder. */
export function takeSlot(journalDir: string): Slot {
  for (let number = 0; number < MAX_SLOTS; number++) {
    const slot = tryTakeSlot(join(journalDir, String(number)));
    if (slot) return slot;
  }
  throw appError(
    "InternalServerError",
    `more than ${MAX_SLOTS} processes use ${journalDir}; stop some of them`,
  );
}

/** The slot of this folder, or null when a process owns it. */
export function tryTakeSlot(dir: string): Slot | null {
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const lock = tryFileLock(join(dir, LOCK_NAME));
  return lock && { dir, lock };
}

/** The folders of all slots, owned or not. */
export function listSlots(journalDir: string): string[] {
  return readdirSync(journalDir, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && /^\d{1,4}$/.test(entry.name))
    .map((entry) => join(journalDir, entry.name));
}

/** Removes what is of no use to who takes over the slot of a process that died. */
export function tidySlot({ dir }: Slot): void {
  rmSync(join(dir, BOOKS_SNAPSHOT_NAME), { force: true });
  for (const path of listUnfinished(dir)) unlinkSync(path);
}
