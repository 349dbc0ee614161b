/**
 * Folders of a local storage. Symbolic links inside it are refused: the real path of a folder must equal the expected
 * one, and files are opened with O_NOFOLLOW. (Whoever can replace a folder between check and use can also change the
 * files.) The location itself may be behind links, and is checked there. Parents are synced at first use, so a folder
 * is durable before its files.
 */
import { madeOnce } from "../../../lib/made-once.ts";
import { constants } from "node:fs";
import { lstat, mkdir, realpath } from "node:fs/promises";
import { dirname, join } from "node:path";
import { appError } from "../../../lib/errors.ts";
import { behindLinks } from "../../../lib/real-path.ts";
import { syncFolder } from "../../../lib/sync-folder.ts";
import { newObjectFolder, STAGING } from "../object-key.ts";

const FOLDER_MODE = 0o700;
const OBJECTS_A_FOLDER = 1_000;
/** Without O_NONBLOCK, opening a planted pipe waits for its writer. */
export const READ_FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

export type LocalFolders = ReturnType<typeof createLocalFolders>;

export function createLocalFolders(location: string, checkRealPath: (path: string) => Promise<void>) {
  let guard: string | undefined;
  let current: { name: string; left: number } | undefined;

  const root = madeOnce(async () => {
    // Check before creating anything.
    await checkRealPath(await behindLinks(location));
    await mkdir(location, { recursive: true, mode: FOLDER_MODE });
    const real = await realpath(location);
    await checkRealPath(real);
    await makeFolder(join(real, STAGING));
    await syncFolder(real);
    return real;
  });

  /** Durable. */
  async function makeObjectFolder(): Promise<string> {
    const top = await root();
    const name = newObjectFolder();
    const path = join(top, name);
    await makeFolder(dirname(path));
    await makeFolder(path);
    await expectReal(path);
    await syncFolder(dirname(path));
    await syncFolder(top);
    return name;
  }

  return {
    root,

    /** True if what was made at its opening is missing, as where a disk is not mounted. */
    isAway: async (): Promise<boolean> =>
      lstat(join(await root(), STAGING)).then(
        () => false,
        (error: unknown) => isMissing(error),
      ),

    /** The object may be missing. */
    async forReading(key: string): Promise<string> {
      const path = join(await root(), key);
      await expectReal(dirname(path));
      return path;
    },
    /**
     * The durable folder for the next objects, relative to the location. It takes a thousand, so that neighbours share
     * one sync. A removed or replaced folder is abandoned.
     */
    async forObjects(count: number): Promise<string> {
      if (current !== undefined && current.left > 0 && (await isReal(join(await root(), current.name)))) {
        current.left -= count;
        return current.name;
      }
      const name = await makeObjectFolder();
      current = { name, left: OBJECTS_A_FOLDER - count };
      return name;
    },
    /** All writes start here. */
    async forStagings(): Promise<string> {
      const top = await root();
      if (guard !== undefined) await expectGuard(join(top, guard));
      const folder = join(top, STAGING);
      await expectReal(folder);
      return folder;
    },
    /** Refuses writes while this file is missing: its disk may not be mounted. */
    guardBy(name: string): void {
      guard = name;
    },
  };
}

/** Accepts an existing folder, but nothing else in its place. */
async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: FOLDER_MODE });
  } catch (error) {
    if ((error as { code?: unknown }).code !== "EEXIST") throw error;
    if (!(await lstat(path)).isDirectory()) throw unexpectedFile(path);
  }
}

async function expectGuard(path: string): Promise<void> {
  await lstat(path).catch((cause: unknown) => {
    throw appError("StorageUnavailable", "The storage is missing; its disk may not be mounted.", { cause });
  });
}

async function expectReal(folder: string): Promise<void> {
  if ((await realpath(folder)) !== folder) throw unexpectedFile(folder);
}

const isReal = async (folder: string): Promise<boolean> =>
  (await realpath(folder).catch(() => null)) === folder;

const unexpectedFile = (path: string) =>
  appError("StorageUnavailable", "The storage contains an unexpected file or symbolic link.", {
    cause: new Error(`${path} is not the folder it should be, or a part of it is a symbolic link`),
  });

export const isMissing = (error: unknown): boolean => (error as { code?: unknown } | null)?.code === "ENOENT";

/** Converts a missing file to null, for `catch`. @throws other errors */
export function nullIfMissing(error: unknown): null {
  if (isMissing(error)) return null;
  throw error;
}
