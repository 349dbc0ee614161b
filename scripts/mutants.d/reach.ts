/** Which tests may load a file: by their imports, or because they start the program. */
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";

const transpilers = { ts: new Bun.Transpiler({ loader: "ts" }), tsx: new Bun.Transpiler({ loader: "tsx" }) };
/** Threads, named by their paths below `src`. */
const THREAD = /workerUrl\(\s*"([^"]+)"/g;
const STARTS_PROGRAM = /^(?:test\/support\/waymark|src\/main)\.ts$/;

/** @returns whether the test may load the file; paths are from the root */
export function createReach(root: string): (test: string, file: string) => boolean {
  const direct = new Map<string, string[]>();
  const loaded = new Map<string, Set<string>>();

  function importsOf(file: string): string[] {
    const known = direct.get(file);
    if (known !== undefined) return known;
    const source = readFileSync(join(root, file), "utf8");
    const named = transpilers[file.endsWith("x") ? "tsx" : "ts"]
      .scanImports(source)
      .flatMap(({ path }) => (path.startsWith(".") ? relative(root, join(root, dirname(file), path)) : []));
    const threads = [...source.matchAll(THREAD)].map(([, path = ""]) => `src/${path}`);
    const found = [...named, ...threads].filter(
      (path) => /\.tsx?$/.test(path) && existsSync(join(root, path)),
    );
    direct.set(file, found);
    return found;
  }

  function loadedBy(test: string): Set<string> {
    const known = loaded.get(test);
    if (known !== undefined) return known;
    const all = new Set([test]);
    for (const file of all) for (const next of importsOf(file)) all.add(next);
    loaded.set(test, all);
    return all;
  }

  return (test, file) => {
    const all = loadedBy(test);
    return all.has(file) || [...all].some((path) => STARTS_PROGRAM.test(path));
  };
}
