/** Walks files of this machine for uploads. Names are kept as they are. What can't be uploaded is reported, and the rest follows. */
import { lstat, opendir, stat } from "node:fs/promises";
import { join } from "node:path";
import { readTrouble } from "../local-file.ts";

export type LocalFile = { path: string; name: string; size: number };

/** Some files of one folder, or none if it is empty. */
export type LocalPiece = {
  /** The names of the folders from the top folder to this one. */
  names: readonly string[];
  files: readonly LocalFile[];
};

export type WalkSettings = {
  /** Whether symbolic links are followed. Otherwise they are left out. */
  follow: boolean;
  /** Gets each path that is left out because of what it is. */
  onLeftOut(path: string, reason: string): void;
  /** Gets each path that can't be read. */
  onUnreadable(path: string, reason: string): void;
};

/** The most files of a piece. */
const PIECE = 256;

/** Yields the folder and those inside it, a folder before its content. Holds the names of one folder for each level. */
export async function* localPieces(top: string, settings: WalkSettings): AsyncGenerator<LocalPiece, void> {
  yield* piecesOf({ path: top, names: [], around: new Set() }, settings);
}

type Place = { path: string; names: readonly string[]; around: ReadonlySet<string> };

async function* piecesOf(
  { path, names, around }: Place,
  settings: WalkSettings,
): AsyncGenerator<LocalPiece, void> {
  const { follow, onLeftOut, onUnreadable } = settings;
  const look = follow ? stat : lstat;
  const folders: string[] = [];
  let files: LocalFile[] = [];
  let within: ReadonlySet<string>;
  let isYielded = false;
  try {
    const own = await stat(path);
    const key = `${own.dev}:${own.ino}`;
    if (around.has(key)) return onLeftOut(path, "leads back to a folder around it");
    within = new Set([...around, key]);
    for await (const { name } of await opendir(path)) {
      const one = join(path, name);
      const found = await look(one).catch((error: unknown) => void onUnreadable(one, readTrouble(error)));
      if (found === undefined) continue;
      if (found.isDirectory()) folders.push(name);
      else if (found.isFile()) files.push({ path: one, name, size: found.size });
      else if (found.isSymbolicLink()) onLeftOut(one, "is a symbolic link");
      else onLeftOut(one, "is neither a file nor a folder");
      if (files.length < PIECE) continue;
      isYielded = true;
      yield { names, files };
      files = [];
    }
  } catch (error) {
    return onUnreadable(path, readTrouble(error));
  }
  if (files.length > 0 || !isYielded) yield { names, files };
  for (const name of folders) {
    yield* piecesOf({ path: join(path, name), names: [...names, name], around: within }, settings);
  }
}
