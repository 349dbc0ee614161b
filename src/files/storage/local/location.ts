/** Where a local policy may keep its objects. */
import { basename, isAbsolute, resolve, sep } from "node:path";
import type { UsedPath } from "../../../lib/data-folder.ts";
import { appError } from "../../../lib/errors.ts";
import { behindLinks, isInside } from "../../../lib/real-path.ts";

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
  const real = await realPath(named);
  const [dataDir, ...roots] = await Promise.all([rules.dataDir, ...rules.roots].map(knownPath));
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
    senseless(real, await knownPath(rules.dataDir)) ??
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
  const real = await Promise.all(used.map(async (one) => ({ ...one, path: await knownPath(one.path) })));
  return [...used, ...real];
};

async function realPath(path: string): Promise<string> {
  try {
    return await behindLinks(path);
  } catch (cause) {
    throw appError("BadRequest", "base_path: the folder can't be looked at by the server's account.", {
      cause,
    });
  }
}

/** Of what the settings name: as it is named when it can't be looked at. */
const knownPath = (path: string): Promise<string> => behindLinks(path).catch(() => path);
