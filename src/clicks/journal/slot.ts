/**
 * Every process writes into its own folder `journal/<n>`, under a lock that the kernel releases with the process. The
 * process that takes a free lock may count the contents.
 */
import { mkdirSync, readdirSync, rmSync, unlinkSync, existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { appError } from "../../lib/errors.ts";
import { type FileLock, tryFileLock } from "../../lib/file-lock.ts";
import { listUnfinished, listSegments, quarantineOf } from "./segment.ts";
import { FIRST_RECORD } from "./format.ts";
import { createBatch, openSegmentReader } from "./reader.ts";

export type Slot = { dir: string; lock: FileLock };

const MAX_SLOTS = 1024;
const LOCK_NAME = "lock";
/** See clicks/books.ts. */
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

/** Returns null if a process owns the slot. */
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

/** The size of the journals of all processes on this data folder. */
export function journalBytes(journalDir: string): number {
  if (!existsSync(journalDir)) return 0;
  let bytes = 0;
  for (const slot of listSlots(journalDir)) {
    // A segment may go meanwhile.
    for (const path of listSegments(slot)) bytes += statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  }
  return bytes;
}

/** Segments that were set aside. `unreadable` files are none, or of another version. */
type Quarantine = { dir: string; files: number; clicks: number; unreadable: number };

const BATCH = 65_536;

export function readQuarantine(journalDir: string): Quarantine {
  const dir = quarantineOf(journalDir);
  const found: Quarantine = { dir, files: 0, clicks: 0, unreadable: 0 };
  const batch = createBatch(BATCH);
  for (const name of existsSync(dir) ? readdirSync(dir) : []) {
    const reader = openSegmentReader(join(dir, name));
    found.files++;
    if (reader === null) {
      found.unreadable++;
      continue;
    }
    let position = FIRST_RECORD;
    do {
      ({ position } = reader.read(batch, position, true));
      found.clicks += batch.count;
    } while (batch.isFull);
    reader.close();
  }
  return found;
}
