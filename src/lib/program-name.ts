import { realpathSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";

/** The modules of the one-file executable are in the embedded file system. */
const PROGRAM = import.meta.dir.startsWith("/$bunfs/")
  ? process.execPath
  : join(import.meta.dir, "..", "..", "bin", "waymark");

/**
 * The command that runs this program: its name if PATH has it, else `bin/waymark`, `./waymark` or the whole path. Not
 * for API responses, which show no paths.
 */
export function programName(
  program: string = PROGRAM,
  { cwd = process.cwd(), which = Bun.which as (name: string) => string | null } = {},
): string {
  const found = which(basename(program));
  if (found !== null && startsBy(realOf(found), realOf(program))) return basename(program);
  const way = relative(cwd, program);
  if (way.startsWith("..")) return quoted(program);
  return quoted(way.includes("/") ? way : `./${way}`);
}

/** Itself, or as the script of the package for Debian. */
const startsBy = (found: string, program: string): boolean =>
  program === found || program === join(dirname(found), "../lib/waymark/waymark");

function realOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

const quoted = (path: string): string =>
  /^[\w./+-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
