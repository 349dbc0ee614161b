/** File system errors as one sentence that explains what to do. */
import { accessSync, constants, existsSync, statSync } from "node:fs";
import { dirname } from "node:path";

type FileError = { code: string; path: string; dest?: string; syscall?: string };

/** Explains an error that an operator can fix; null for others. */
export function fileTrouble(error: unknown): string | null {
  if (!isFileError(error)) return null;
  const { code, path, syscall } = error;
  const written = error.dest ?? path;
  switch (code) {
    case "EACCES":
    case "EPERM":
      if (syscall === "mkdir") return refusal(path, { toMake: path });
      return refusal(path) ?? refusal(written) ?? `The system refuses ${path} (${code}).`;
    case "EROFS":
      return `${written} is on a read-only file system; mount it writable, or name another folder.`;
    case "ENOSPC":
    case "EDQUOT":
      return `There is no room left for ${written}; free some space and try again.`;
    case "EEXIST":
    case "ENOTDIR":
      if (code === "EEXIST" && syscall !== "mkdir") return null;
      return `${path} can't exist, because a part of its path is a file; name another folder.`;
    case "EIO":
      return `The disk fails at ${path}; check the system log.`;
    default:
      return null;
  }
}

/** The sentence for the first existing path that this process may not write, or null. */
export function writeRefusal(paths: readonly string[]): string | null {
  return paths
    .filter((path) => existsSync(path))
    .reduce<string | null>((found, path) => found ?? refusal(path), null);
}

/** Explains why the path can't be read; null if it can, or is missing. */
export const readRefusal = (path: string): string | null => refusal(path, { access: "read" });

function isFileError(error: unknown): error is FileError {
  if (!(error instanceof Error)) return false;
  const { code, path } = error as Partial<FileError>;
  return typeof code === "string" && typeof path === "string";
}

type Question = {
  access?: "read" | "write";
  /** A folder that mkdir refused. */
  toMake?: string;
};

/** Names the account, the path, its owner and the command. Null if the nearest existing path is writable. */
function refusal(path: string, { access = "write", toMake }: Question = {}): string | null {
  const place = nearest(path);
  const stats = statSync(place);
  const { uid, gid, mode } = stats;
  const isFolder = stats.isDirectory();
  try {
    const way = isFolder ? constants.X_OK : 0;
    accessSync(place, constants.R_OK | way | (access === "write" ? constants.W_OK : 0));
    return null;
  } catch (error) {
    if ((error as { code?: unknown }).code === "EROFS")
      return `${place} is on a read-only file system; mount it writable, or name another folder.`;
  }
  const [own, ownGroup] = [process.geteuid?.() ?? 0, process.getegid?.() ?? 0];
  const facts = `it belongs to user ${uid} and group ${gid}, with mode ${(mode & 0o7777).toString(8)}`;
  const may = `User ${own} may not ${access} ${place}: ${facts}.`;
  // The parent folder may belong to another program.
  if (toMake !== undefined)
    return `${may} Make the folder for it: install -d -o ${own} -g ${ownGroup} ${toMake}`;
  if (uid === own) return `${may} Allow it: chmod u+rw${isFolder ? "x" : ""} ${place}`;
  const otherwise = uid === 0 ? "Give" : `Run it as user ${uid}, or give`;
  return `${may} ${otherwise} it away: chown -R ${own}:${ownGroup} ${place}`;
}

function nearest(path: string): string {
  try {
    statSync(path);
    return path;
  } catch {
    return path === dirname(path) ? path : nearest(dirname(path));
  }
}
