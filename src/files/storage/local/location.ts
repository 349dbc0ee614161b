/** Where a local policy may keep its objects. */
import { readlink, realpath } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import type { UsedPath } from "../../../lib/data-folder.ts";
import { appError } from "../../../lib/errors.ts";

export type LocationRules = {
  /** Absolute. */
  dataDir: string;
  /** Absolute folders below which a new policy may be, besides the data folder. */
  roots: readonly string[];
  /** What the program keeps for itself, in the data folder or elsewhere. */
  used: readonly UsedPath[];
};

/** Nothing that is stored there stays; the shared memory below /dev is left to who wants it. */
const SYSTEM = ["/proc", "/sys", "/dev"];
const SHARED_MEMORY = "/dev/shm/";
const CONTROL = /\p{Cc}/u;
/** More links in one path than any system follows. */
const MOST_LINKS = 40;

/**
 * The absolute folder of a local base path, relative to the data folder unless absolute.
 * @throws BadRequest for a place that never makes sense
 */
export function resolveBasePath(basePath: string, { dataDir }: LocationRules): string {
  if (CONTROL.test(basePath)) throw refused("has control characters");
  const folder = resolve(dataDir, basePath);
  if (!isAbsolute(basePath) && !isInside(folder, dataDir)) throw refused("leaves the data folder");
  const reason = senseless(folder, dataDir);
  if (reason !== null) throw refused(reason);
  return folder;
}

/** Looks behind symbolic links. @throws BadRequest when a new policy can't be there */
export async function checkNewLocation(basePath: string, rules: LocationRules): Promise<void> {
  const named = resolveBasePath(basePath, rules);
  const real = await behindLinks(named);
  const [dataDir, ...roots] = await Promise.all(
    [rules.dataDir, ...rules.roots].map((path) => behindLinks(path)),
  );
  const used = await withRealPaths(rules.used);
  for (const folder of [named, real]) {
    const reason = senseless(folder, dataDir!) ?? overlap(folder, used);
    if (reason !== null) throw refused(reason);
  }
  const isAllowed =
    [rules.dataDir, ...rules.roots].some((root) => isInside(named, resolve(root))) &&
    [dataDir!, ...roots].some((root) => isInside(real, root));
  if (!isAllowed) throw refused(OUTSIDE);
}

const OUTSIDE =
  "lies outside of the data folder; to allow it, name a folder above it in the start-up setting storage.local_roots";

/**
 * Checks the path behind symbolic links each time a location is opened. One that was made where it can't be made any
 * more stays open: its files are there.
 * @throws BadRequest
 */
export async function checkRealLocation(named: string, real: string, rules: LocationRules): Promise<void> {
  const used = await withRealPaths(rules.used);
  const reason =
    senseless(real, await behindLinks(rules.dataDir)) ??
    (overlap(named, used) === null ? overlap(real, used) : null);
  if (reason !== null) throw refused(reason);
}

function senseless(folder: string, dataDir: string): string | null {
  if (folder === sep) return "is the root folder";
  if (folder === resolve(dataDir)) return "is the data folder itself; name a folder in it, like 'files'";
  const system = SYSTEM.find((path) => isInside(folder, path));
  return system === undefined || folder.startsWith(SHARED_MEMORY)
    ? null
    : `lies in ${system}, which belongs to the system`;
}

const refused = (reason: string) => appError("BadRequest", `base_path: the folder ${reason}.`);

/** Whether `path` is `folder` or below it; both are absolute. */
function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way !== ".." && !way.startsWith(`..${sep}`);
}

/** Why the folder and what the program uses get into each other's way, or null. */
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
    if (isSameWay) return `gets in the way of '${basename(path)}', which the program itself uses`;
  }
  return null;
}

/**
 * Equal for names that any file system takes for the same: there are those that ignore case, invisible characters,
 * forms of the same letter, or dots and blanks at the end.
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
        .replace(/[. ]+$/, ""),
    );

const withRealPaths = async (used: readonly UsedPath[]): Promise<UsedPath[]> => {
  const real = await Promise.all(used.map(async (one) => ({ ...one, path: await behindLinks(one.path) })));
  return [...used, ...real];
};

/**
 * The path behind symbolic links, as far as it is there; what is not there yet follows as it is named.
 * @throws BadRequest when that can't be found out
 */
export async function behindLinks(path: string, links = 0): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    const { code } = error as { code?: unknown };
    const mayComeLater = code === "ENOENT" || code === "ENOTDIR";
    if (!mayComeLater || path === dirname(path) || links === MOST_LINKS) {
      throw refused("can't be looked at by the server's account");
    }
  }
  const folder = await behindLinks(dirname(path), links);
  const target = await readlink(path).catch(() => null);
  return target === null ? join(folder, basename(path)) : behindLinks(resolve(folder, target), links + 1);
}
