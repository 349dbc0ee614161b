import { realpathSync } from "node:fs";
import { basename, join, relative } from "node:path";

/** In the one-file executable modules lie in the embedded file system. */
const PROGRAM = import.meta.dir.startsWith("/$bunfs/")
  ? process.execPath
  : join(import.meta.dir, "..", "..", "bin", "waymark");

/**
 * What to type, here, to run this program: its bare name where the shell finds it, else `bin/waymark`, `./waymark` or
 * the whole path. For messages on the terminal and in the log; API answers name no paths of the server.
 */
export function programName(
  program: string = PROGRAM,
  { cwd = process.cwd(), which = Bun.which as (name: string) => string | null } = {},
): string {
  const found = which(basename(program));
  if (found !== null && realOf(found) === realOf(program)) return basename(program);
  const way = relative(cwd, program);
  if (way.startsWith("..")) return quoted(program);
  return quoted(way.includes("/") ? way : `./${way}`);
}

function realOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

const quoted = (path: string): string =>
  /^[\w./+-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
