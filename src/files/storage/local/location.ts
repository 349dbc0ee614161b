import { isAbsolute, relative, resolve, sep } from "node:path";
import { appError } from "../../../lib/errors.ts";

export type LocationRules = {
  /** Absolute. */
  dataDir: string;
  /** Absolute folders that hold something else. */
  reserved: readonly string[];
};

/** Nothing that is stored there stays; the shared memory below /dev is left to who wants it. */
const SYSTEM = ["/proc", "/sys", "/dev"];
const SHARED_MEMORY = "/dev/shm/";
const CONTROL = /\p{Cc}/u;

/**
 * The absolute folder of a local base path, relative to the data folder unless absolute.
 * @throws BadRequest for a place that makes no sense
 */
export function resolveBasePath(basePath: string, rules: LocationRules): string {
  if (CONTROL.test(basePath)) throw refused("has control characters");
  const folder = resolve(rules.dataDir, basePath);
  if (!isAbsolute(basePath) && !isInside(folder, rules.dataDir)) {
    throw refused("leaves the data folder; write the whole path instead");
  }
  checkFolder(folder, rules);
  return folder;
}

/** @throws BadRequest when objects can't be kept there; also to be asked about the path behind symbolic links */
export function checkFolder(folder: string, { dataDir, reserved }: LocationRules): void {
  if (folder === sep) throw refused("is the root folder");
  if (folder === resolve(dataDir))
    throw refused("is the data folder itself; name a folder in it, like 'files'");
  const taken = reserved.find((path) => isInside(folder, path));
  if (taken !== undefined) throw refused(`lies in ${taken}, which holds something else`);
  const system = SYSTEM.find((path) => isInside(folder, path));
  if (system !== undefined && !folder.startsWith(SHARED_MEMORY)) {
    throw refused(`lies in ${system}, which belongs to the system`);
  }
}

const refused = (reason: string) => appError("BadRequest", `base_path: the folder ${reason}.`);

/** Whether `path` is `folder` or below it; both are absolute. */
function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way !== ".." && !way.startsWith(`..${sep}`);
}
