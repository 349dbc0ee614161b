import { readlink, realpath } from "node:fs/promises";
import { basename, dirname, join, relative, resolve, sep } from "node:path";

/** More than any system follows. */
const MOST_LINKS = 40;

/** `path` is `folder` or below it; both are absolute. */
export function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way !== ".." && !way.startsWith(`..${sep}`);
}

/** The absolute path behind symbolic links; missing parts stay as named. Rejects with file system errors. */
export async function behindLinks(path: string, links = 0): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    const { code } = error as { code?: unknown };
    const mayComeLater = code === "ENOENT" || code === "ENOTDIR";
    if (!mayComeLater || path === dirname(path) || links === MOST_LINKS) throw error;
  }
  const folder = await behindLinks(dirname(path), links);
  const target = await readlink(path).catch(() => null);
  return target === null ? join(folder, basename(path)) : behindLinks(resolve(folder, target), links + 1);
}
