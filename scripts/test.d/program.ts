/** The one-file executable for tests of the whole program, which start it hundreds of times. */
import { existsSync } from "node:fs";
import { cp } from "node:fs/promises";
import { join } from "node:path";

/** Fewer such files run from the sources sooner than it is built. */
const ENOUGH = 6;

/** The path of a copy of its own below `folder`, or undefined: then tests run bin/waymark. */
export async function buildProgram(
  root: string,
  files: readonly string[],
  folder: string,
): Promise<string | undefined> {
  const build = join(root, "scripts/build-binary.sh");
  const wanted = files.filter((file) => file.startsWith("test/")).length >= ENOUGH;
  if (!wanted || !existsSync(build)) return undefined;
  const child = Bun.spawn([build], { cwd: root, stdio: ["ignore", "ignore", "inherit"] });
  if ((await child.exited) !== 0) throw new Error(`${build} failed; see its message above.`);
  const program = join(folder, "waymark");
  await cp(join(root, "dist/waymark"), program);
  return program;
}
