/** Files of this machine, for uploads. Names are kept as they are; what can't be uploaded is told, and the rest follows. */
import { constants } from "node:fs";
import { type FileHandle, lstat, open, opendir, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { giveAway } from "../../lib/disposable-bytes.ts";
import { fileTrouble } from "../../lib/file-trouble.ts";
import { appError, messageOf } from "../../lib/errors.ts";

export type LocalFile = { path: string; name: string; size: number };

/** Some files of one folder; none of an empty one. */
export type LocalPiece = {
  /** From the top folder to this one. */
  names: readonly string[];
  files: readonly LocalFile[];
};

export type WalkSettings = {
  /** Follow symbolic links. Else they are left out. */
  follow: boolean;
  /** What is left out because of what it is. */
  onLeftOut(path: string, reason: string): void;
  /** What can't be read. */
  onUnreadable(path: string, reason: string): void;
};

/** Files of a piece. */
const PIECE = 256;
const CHUNK_BYTES = 256 * 1024;

/** The sentence for a failed read. */
export const readTrouble = (error: unknown): string => fileTrouble(error) ?? messageOf(error);

/** The folder and those inside it, a folder before what it has. Holds the names of one folder for each level. */
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

export type OpenFile = {
  name: string;
  size: number;
  /** From the beginning. `tell` hears how many bytes came. */
  bytes(tell?: (count: number) => void): AsyncGenerator<Uint8Array, void>;
  close(): Promise<void>;
};

/** Waits for no pipe. @throws errors of the file system */
export async function openLocal(path: string, follow: boolean): Promise<OpenFile> {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  const file = await open(path, O_RDONLY | O_NONBLOCK | (follow ? 0 : O_NOFOLLOW));
  try {
    const found = await file.stat();
    if (!found.isFile()) throw appError("BadRequest", `${path} is not a file.`);
    return {
      name: basename(path),
      size: found.size,
      bytes: (tell) => bytesOf(file, found.size, tell),
      close: () => file.close(),
    };
  } catch (error) {
    await file.close();
    throw error;
  }
}

async function* bytesOf(
  file: FileHandle,
  size: number,
  tell: (count: number) => void = () => undefined,
): AsyncGenerator<Uint8Array, void> {
  for (let at = 0; ; ) {
    const chunk = new Uint8Array(Math.min(CHUNK_BYTES, Math.max(size - at, 0) + 1));
    const { bytesRead } = await file.read(chunk, 0, chunk.length, at);
    if (bytesRead === 0) return;
    at += bytesRead;
    tell(bytesRead);
    yield giveAway(bytesRead === chunk.length ? chunk : chunk.slice(0, bytesRead));
  }
}

/** Hex digits. */
export async function sha256Of(bytes: AsyncIterable<Uint8Array>): Promise<string> {
  const hasher = new Bun.CryptoHasher("sha256");
  for await (const chunk of bytes) hasher.update(chunk);
  return hasher.digest("hex");
}
