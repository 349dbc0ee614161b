/**
 * An exclusive lock on a file, held until it is released or the process dies.
 *
 * A folder that one process owns (a journal slot) must come free by itself when that process is killed, and must
 * not look free while it lives. A pid file does neither, and the runtime offers no `flock`. An open exclusive
 * transaction on a tiny database file does both: SQLite takes the kernel's record lock for it, and the kernel drops
 * that lock when the process ends, however it ends. That is the only reason why `bun:sqlite` stands in this file;
 * nothing is ever stored through it, and the file stays empty.
 *
 * Two locks on one path exclude each other also inside one process and between its threads. Nothing else may open
 * the lock file: closing any other descriptor of it would drop the kernel's lock. The folder must be on a file
 * system with working record locks (every local one; NFS from version 4 on).
 */
import { Database } from "bun:sqlite";

export type FileLock = {
  readonly path: string;
  /** Gives the lock back; further calls do nothing. */
  release(): void;
};

/** Keeps the handles reachable: a collected handle would give its lock back unasked. */
const held = new Set<Database>();

const isBusy = (error: unknown): boolean =>
  error instanceof Error && "code" in error && String(error.code).startsWith("SQLITE_BUSY");

/**
 * Takes the lock at once or answers null when somebody else (another process, thread or caller) has it.
 * Makes the file when it is missing; its folder must exist. Throws what the file system says otherwise.
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
