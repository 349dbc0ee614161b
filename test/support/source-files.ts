/** The source files of the repository and their imports, for the rules in test/tidy*.test.ts. */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";

const ROOT = join(import.meta.dir, "..", "..");
const FOLDERS = ["src", "panel/src", "test", "bench", "scripts"];

export type SourceFile = { path: string; text: string; lines: number; isTest: boolean };
export type Import = {
  from: string;
  /** A path from the root, or the name of a package. */
  to: string;
  line: number;
  /** Whether the file needs it when it loads: not for types, nor on demand. */
  isValue: boolean;
};

export const files: readonly SourceFile[] = FOLDERS.flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => sourceFile(join(folder, name))),
);

/** The server's own files, without tests. */
export const product = files.filter(({ path, isTest }) => path.startsWith("src/") && !isTest);

function sourceFile(path: string): SourceFile {
  const text = readFileSync(join(ROOT, path), "utf8");
  return {
    path,
    text,
    lines: text.split("\n").length - 1,
    isTest: /\.(test|test-support)\.tsx?$/.test(path) || path.startsWith("test/"),
  };
}

const STATEMENT = /^(?:import\s*(?:[^;'"]*?\sfrom\s*)?|export\s[^;'"]*?\sfrom\s*)["']([^"']+)["']/gm;
const CALL = /\bimport\(\s*["']([^"']+)["']\s*\)/g;

/** Imports of values and types. */
export const importsOf = (file: SourceFile): Import[] =>
  [...file.text.matchAll(STATEMENT), ...file.text.matchAll(CALL)].map((match) => ({
    from: file.path,
    to: match[1]!.startsWith(".") ? normalize(join(dirname(file.path), match[1]!)) : match[1]!,
    line: file.text.slice(0, match.index).split("\n").length,
    isValue: /^import (?!type\b)/.test(match[0]),
  }));

/** The panel's own files. */
export const panel = files.filter(({ path, isTest }) => path.startsWith("panel/src/") && !isTest);

export const productImports: readonly Import[] = product.flatMap(importsOf);

/** The role in `noun.role.ts`, or in a bare `role.ts` of an inner room; empty when there is none. */
export const role = (path: string): string => /[./](\w+)\.tsx?$/.exec(path)?.[1] ?? "";

const EXPORT =
  /^export (?:declare )?(?:async )?(?:abstract )?(?:function\*?|const|let|class|type|interface|enum) (\w+)/gm;

/** Names that several of the files export, each with its places. */
export function doubledNames(
  among: readonly SourceFile[],
  isFine: (name: string, paths: readonly string[]) => boolean = () => false,
): string[] {
  const exported = among.flatMap(({ path, text }) =>
    [...text.matchAll(EXPORT)].map((match) => ({ name: match[1]!, path })),
  );
  return [...Map.groupBy(exported, ({ name }) => name)]
    .map(([name, places]) => ({ name, paths: places.map(({ path }) => path) }))
    .filter(({ name, paths }) => paths.length > 1 && !isFine(name, paths))
    .map(({ name, paths }) => `${name}: ${paths.join(", ")}`);
}

/** Each cycle once, as the nodes on it: `a → b → a`. */
export function circles(edges: Iterable<readonly [from: string, to: string]>): string[][] {
  const graph = new Map<string, Set<string>>();
  for (const [from, to] of edges) {
    if (from === to) continue;
    graph.set(from, (graph.get(from) ?? new Set()).add(to));
  }
  const done = new Set<string>();
  const found: string[][] = [];
  const walk = (node: string, path: string[]): void => {
    const at = path.indexOf(node);
    if (at !== -1) {
      found.push([...path.slice(at), node]);
      return;
    }
    if (done.has(node)) return;
    for (const next of graph.get(node) ?? []) walk(next, [...path, node]);
    done.add(node);
  };
  for (const node of graph.keys()) walk(node, []);
  return found;
}
