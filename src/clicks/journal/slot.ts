/**
 * Every process writes into its own folder `journal/<n>`, under a lock that the kernel releases with the process. The
 * process that takes a free lock may count the contents.
 */
import { mkdirSync, readdirSync, rmSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { appError } from "../../lib/errors.ts";
import { type FileLock, tryFileLock } from "../../lib/file-lock.ts";
import { listUnfinished } from "./segment.ts";

export type Slot = { dir: string; lock: FileLock };

const MAX_SLOTS = 1024;
const LOCK_NAME = "lock";
/** See clicks/books-snapshot.ts. */
export const BOOKS_SNAPSHOT_NAME = "books.json";

/** The lowest free slot. Makes its folder. */
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

/** Null if a process owns it. */
export function tryTakeSlot(dir: string): Slot | null {
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const lock = tryFileLock(join(dir, LOCK_NAME));
  return lock && { dir, lock };
}

/** Owned or not. */
export function listSlots(journalDir: string): string[] {
  return readdirSync(journalDir, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && /^\d{1,4}$/.test(entry.name))
    .map((entry) => join(journalDir, entry.name));
}

/** Removes what the successor of a dead process can't use. */
export function tidySlot({ dir }: Slot): void {
  rmSync(join(dir, BOOKS_SNAPSHOT_NAME), { force: true });
  for (const path of listUnfinished(dir)) unlinkSync(path);
}
