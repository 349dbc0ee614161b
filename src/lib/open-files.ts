/** The process's open files and sockets. Linux only. */
import { readdirSync, readFileSync, statSync } from "node:fs";

const FOLDER = "/proc/self/fd";

/** Since Linux 6.2 the folder's size is the number (5 µs); before, this lists the folder. */
export function countOpenFiles(): number {
  try {
    return statSync(FOLDER).size || readdirSync(FOLDER).length;
  } catch {
    // Listing needs one more.
    return Number.POSITIVE_INFINITY;
  }
}

/** RLIMIT_NOFILE; null on another system. See proc(5), /proc/self/limits. */
export function readOpenFilesLimit(): number | null {
  try {
    const soft = /^Max open files\s+(\d+|unlimited)/m.exec(readFileSync("/proc/self/limits", "utf8"))?.[1];
    if (soft === undefined) return null;
    return soft === "unlimited" ? Number.POSITIVE_INFINITY : Number(soft);
  } catch {
    return null;
  }
}
