/**
 * An exclusive lock on a file until release or the end of the process. The runtime has no `flock`, so this is the
 * record lock of a transaction on an empty database file.
 *
 * Locks on one path exclude each other even inside one process. Nothing else may open the file: closing another
 * descriptor drops the lock. NFS needs version 4.
 */
import { Database } from "bun:sqlite";

export type FileLock = {
  readonly path: string;
  /** Idempotent. */
  release(): void;
};

/** Collecting a handle would release its lock. */
const held = new Set<Database>();

const isBusy = (error: unknown): boolean =>
  error instanceof Error && "code" in error && String(error.code).startsWith("SQLITE_BUSY");

/** Returns null if the lock is taken. Creates the file. Throws file system errors. */
export function tryFileLock(path: string): FileLock | null {
  const handle = new Database(path, { create: true, readwrite: true });
  try {
    handle.run("PRAGMA busy_timeout = 0");
    handle.run("PRAGMA journal_mode = MEMORY");
    handle.run("BEGIN EXCLUSIVE");
  } catch (error) {
    handle.close();
    if (isBusy(error)) return null;
    throw error;
  }
  held.add(handle);
  const release = () => {
    if (held.delete(handle)) handle.close();
  };
  return { path, release };
}
