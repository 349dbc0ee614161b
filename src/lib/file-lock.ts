/**
 * An exclusive lock on a file, held until release or the end of the process. A pid file fails after kill -9, and the
 * runtime has no `flock`. An exclusive transaction on an empty database file takes a kernel record lock.
 *
 * Locks on one path exclude each other even inside one process. Nothing else may open the file: closing another
 * descriptor drops the lock. The file system needs record locks (local ones; NFS from version 4).
 */
import { Database } from "bun:sqlite";

export type FileLock = {
  readonly path: string;
  /** Idempotent. */
  release(): void;
};

/** Keeps the handles reachable: collecting one would release its lock. */
const held = new Set<Database>();

const isBusy = (error: unknown): boolean =>
  error instanceof Error && "code" in error && String(error.code).startsWith("SQLITE_BUSY");

/**
 * The lock, or null if another process, thread or caller has it. Creates the file; its folder must exist. Throws file
 * system errors.
 */
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
