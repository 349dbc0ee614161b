/**
 * The folders of a local storage location. Symbolic links inside the location are refused: the real path of a folder
 * must equal the expected one, and files are opened with O_NOFOLLOW. (A folder could be replaced between check and use,
 * but who can do that can also change the files.) The location itself may be behind links, and is checked there. A
 * folder and its parents are synced when this process first uses them, so they are durable before their files.
 */
import { constants } from "node:fs";
import { lstat, mkdir, realpath } from "node:fs/promises";
import { dirname, join } from "node:path";
import { appError } from "../../../lib/errors.ts";
import { syncFolder } from "../../../lib/sync-folder.ts";
import { STAGING } from "../object-key.ts";
import { behindLinks } from "../../../lib/real-path.ts";

const FOLDER_MODE = 0o700;
/** Without O_NONBLOCK, opening a planted pipe waits for its writer. */
export const READ_FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

export type LocalFolders = ReturnType<typeof createLocalFolders>;

export function createLocalFolders(location: string, checkRealPath: (path: string) => Promise<void>) {
  let opened: Promise<string> | undefined;
  let guard: string | undefined;
  const synced = new Set<string>();

  async function openRoot(): Promise<string> {
    // Check before creating anything.
    await checkRealPath(await behindLinks(location));
    await mkdir(location, { recursive: true, mode: FOLDER_MODE });
    const root = await realpath(location);
    await checkRealPath(root);
    await makeFolder(join(root, STAGING));
    await syncFolder(root);
    return root;
  }

  /** The real path of the location. Creates it if it is missing. */
  const root = (): Promise<string> => {
    opened ??= openRoot().catch((error: unknown) => {
      opened = undefined;
      throw error;
    });
    return opened;
  };

  async function makeObjectFolder(top: string, folder: string): Promise<void> {
    await makeFolder(dirname(folder));
    await makeFolder(folder);
    synced.delete(folder);
    if (top !== dirname(dirname(folder))) throw new Error(`${folder} is not a folder for objects`);
  }

  return {
    root,
    /** The object may be missing. */
    async forReading(key: string): Promise<string> {
      const path = join(await root(), key);
      await expectReal(dirname(path));
      return path;
    },
    /** Creates the object's folder and makes it durable. */
    async forWriting(key: string): Promise<string> {
      const top = await root();
      const path = join(top, key);
      const folder = dirname(path);
      try {
        await expectReal(folder);
      } catch (error) {
        if (!isMissing(error)) throw error;
        await makeObjectFolder(top, folder);
      }
      if (!synced.has(folder)) {
        await syncFolder(dirname(folder));
        await syncFolder(top);
        synced.add(folder);
      }
      return path;
    },
    /** All writes start here. */
    async forStaging(id: string): Promise<string> {
      const top = await root();
      if (guard !== undefined) await expectGuard(join(top, guard));
      const folder = join(top, STAGING);
      await expectReal(folder);
      return join(folder, id);
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
    if (!(await lstat(path)).isDirectory()) throw planted(path);
  }
}

async function expectGuard(path: string): Promise<void> {
  await lstat(path).catch((cause: unknown) => {
    throw appError("StorageUnavailable", "The storage is missing; its disk may not be mounted.", { cause });
  });
}

async function expectReal(folder: string): Promise<void> {
  if ((await realpath(folder)) !== folder) throw planted(folder);
}

const planted = (path: string) =>
  appError("StorageUnavailable", "The storage contains an unexpected file or symbolic link.", {
    cause: new Error(`${path} is not the folder it should be, or a part of it is a symbolic link`),
  });

export const isMissing = (error: unknown): boolean => (error as { code?: unknown } | null)?.code === "ENOENT";
