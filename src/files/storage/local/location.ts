/** Where a local policy may store objects. */
import { lstat } from "node:fs/promises";
import { basename, isAbsolute, resolve, sep } from "node:path";
import type { UsedPath } from "../../../lib/data-folder.ts";
import { appError } from "../../../lib/errors.ts";
import { behindLinks, isInside } from "../../../lib/real-path.ts";

export type LocationRules = {
  /** Absolute. */
  dataDir: string;
  /** Absolute, besides the data folder, for new policies. */
  roots: readonly string[];
  /** Paths of the program's own files. */
  used: readonly UsedPath[];
};

/** Files here do not last. /dev/shm is allowed. */
const SYSTEM = ["/proc", "/sys", "/dev"];
const SHARED_MEMORY = "/dev/shm/";
const CONTROL = /\p{Cc}/u;

/** Absolute, from the data folder. @throws BadRequest for a place that is never allowed */
export function resolveBasePath(basePath: string, { dataDir }: LocationRules): string {
  if (CONTROL.test(basePath)) throw invalidFolder("has control characters");
  const folder = resolve(dataDir, basePath);
  if (!isAbsolute(basePath) && !isInside(folder, dataDir)) throw invalidFolder("leaves the data folder");
  const reason = senseless(folder, dataDir);
  if (reason !== null) throw invalidFolder(reason);
  return folder;
}

/** Resolves symbolic links. @throws BadRequest */
export async function checkNewLocation(basePath: string, rules: LocationRules): Promise<void> {
  const named = resolveBasePath(basePath, rules);
  const real = await realPath(named);
  const [dataDir, ...roots] = await Promise.all([rules.dataDir, ...rules.roots].map(knownPath));
  const used = await withRealPaths(rules.used);
  for (const folder of [named, real]) {
    const reason = senseless(folder, dataDir!) ?? overlap(folder, used);
    if (reason !== null) throw invalidFolder(reason);
  }
  const isAllowed =
    [rules.dataDir, ...rules.roots].some((root) => isInside(named, resolve(root))) &&
    [dataDir!, ...roots].some((root) => isInside(real, root));
  if (!isAllowed) throw invalidFolder(OUTSIDE);
}

/** A folder that is shown as it lies: below the allowed folders, there, and named without links. @throws BadRequest */
export async function checkLinkedLocation(basePath: string, rules: LocationRules): Promise<void> {
  const { dataDir, roots } = rules;
  if (CONTROL.test(basePath)) throw invalidFolder("has control characters");
  if (!isAbsolute(basePath) || resolve(basePath) !== basePath)
    throw invalidFolder("needs a whole path, such as /srv/photos");
  const real = await realPath(basePath);
  if (real !== basePath) throw invalidFolder(`is behind a link; name the folder itself: ${real}`);
  const [data, ...allowed] = await Promise.all([dataDir, ...roots].map(knownPath));
  const reason = senseless(real, data!) ?? overlap(real, await withRealPaths(rules.used));
  if (reason !== null) throw invalidFolder(reason);
  if (isInside(real, data!) || isInside(data!, real))
    throw invalidFolder("and the data folder of the program may not lie in one another");
  if (!allowed.some((root) => isInside(real, root))) throw invalidFolder(NOT_LINKED);
  const found = await lstat(real).catch(() => null);
  if (found?.isDirectory() !== true) throw invalidFolder("is not there");
}

const NOT_LINKED = "is not below a folder of the start-up setting storage.local_roots; add it there";

const OUTSIDE =
  "is outside the data folder; to allow it, add a folder above it to the start-up setting storage.local_roots";

/** Call it before use. A place that is forbidden for new policies stays open: it has files. @throws BadRequest */
export async function checkRealLocation(named: string, real: string, rules: LocationRules): Promise<void> {
  const used = await withRealPaths(rules.used);
  const reason =
    senseless(real, await knownPath(rules.dataDir)) ??
    (overlap(named, used) === null ? overlap(real, used) : null);
  if (reason !== null) throw invalidFolder(reason);
}

function senseless(folder: string, dataDir: string): string | null {
  if (folder === sep) return "is the root folder";
  if (folder === resolve(dataDir)) return "is the data folder itself; name a folder in it, like 'files'";
  const system = SYSTEM.find((path) => isInside(folder, path));
  return system === undefined || folder.startsWith(SHARED_MEMORY)
    ? null
    : `is in ${system}, which belongs to the system`;
}

const invalidFolder = (reason: string) => appError("BadRequest", `base_path: the folder ${reason}.`);

function overlap(folder: string, used: readonly UsedPath[]): string | null {
  const segments = foldedSegments(folder);
  for (const { path, isFile } of used) {
    const others = foldedSegments(path);
    const last = others.length - 1;
    const isSameWay = others.every((other, at) => {
      const segment = segments[at];
      if (segment === undefined) return true;
      return at === last && isFile ? segment.startsWith(other) : segment === other;
    });
    if (isSameWay) return `conflicts with '${basename(path)}', which the program uses`;
  }
  return null;
}

/**
 * Equal for names that any file system treats as the same: ignoring case, invisible characters, Unicode forms, or dots
 * and spaces at the end.
 */
const foldedSegments = (path: string): string[] =>
  path
    .split(sep)
    .filter(Boolean)
    .map((segment) =>
      segment
        .normalize("NFKC")
        .replaceAll(/\p{Default_Ignorable_Code_Point}/gu, "")
        .toUpperCase()
        .toLowerCase()
        .replace(/(?<![. ])[. ]+$/, ""),
    );

const withRealPaths = async (used: readonly UsedPath[]): Promise<UsedPath[]> => {
  const real = await Promise.all(used.map(async (one) => ({ ...one, path: await knownPath(one.path) })));
  return [...used, ...real];
};

async function realPath(path: string): Promise<string> {
  try {
    return await behindLinks(path);
  } catch (cause) {
    throw appError("BadRequest", "base_path: the folder is not accessible to the server's account.", {
      cause,
    });
  }
}

/** The path itself if it can't be resolved. */
const knownPath = (path: string): Promise<string> => behindLinks(path).catch(() => path);
