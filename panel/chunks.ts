/**
 * Which modules of the panel load together: what the sign-in page needs, what many pages need, and each page by itself.
 * The bundler alone makes a file of every set of modules with the same users: a page took over a hundred requests.
 */
import { dirname, join } from "node:path";
import { parseAst, type Rolldown } from "vite";

type Context = Rolldown.ChunkingContext;

const SOURCES = join(import.meta.dirname, "src");
const source = (path: string): string => join(SOURCES, path);

/** What somebody opens first, in `index-….js`; and what every other page needs. */
const FIRST = ["app/main.tsx", "auth/sign-in-page.tsx"].map(source);
const FRAME = [source("app/shell.tsx")];
const ROUTER = source("app/router.tsx");
/** What so many pages need is loaded with all of them. */
const COMMON = 6;

/** A package's index, of which a module needs only what it names. */
const isIndex = (id: string): boolean => /\/node_modules\/@mantine\/\w+\/esm\/index\.mjs$/.test(id);

type Import = { from: string; names: readonly string[] };

/** The names are those that the imported module gives. */
function importsIn(code: string): Import[] {
  return parseAst(code).body.flatMap((node) => {
    if (node.type !== "ImportDeclaration") return [];
    const names = node.specifiers.map((given) =>
      given.type === "ImportSpecifier" && given.imported.type === "Identifier" ? given.imported.name : "*",
    );
    return [{ from: node.source.value, names }];
  });
}

/** The module that an index has each name from. */
function namesOf(index: string, code: string): ReadonlyMap<string, string> {
  const found = importsIn(code).filter(({ from }) => from.startsWith("."));
  return new Map(
    found.flatMap(({ from, names }) => names.map((name) => [name, join(dirname(index), from)] as const)),
  );
}

/** What a module imports, without what it loads later. */
function createImports(context: Context): (id: string) => readonly string[] {
  const indexes = new Map<string, ReadonlyMap<string, string>>();
  const indexOf = (id: string) => {
    if (!indexes.has(id)) indexes.set(id, namesOf(id, context.getModuleInfo(id)!.code!));
    return indexes.get(id)!;
  };
  const throughIndex = (index: string, code: string): string[] =>
    importsIn(code)
      .filter(({ from }) => index.includes(`/node_modules/${from}/`))
      .flatMap(({ names }) => names.map((name) => indexOf(index).get(name) ?? index));
  return (id) => {
    if (isIndex(id)) return [];
    const { importedIds = [], code = null } = context.getModuleInfo(id) ?? {};
    // The context's next answer takes the place of this list.
    return [...importedIds].flatMap((imported) =>
      isIndex(imported) ? throughIndex(imported, code!) : [imported],
    );
  };
}

function chunksOf(context: Context): (id: string) => string | null {
  const importsOf = createImports(context);
  const needed = (roots: readonly string[]): ReadonlySet<string> => {
    const found = new Set(roots);
    for (const id of found) for (const imported of importsOf(id)) found.add(imported);
    return found;
  };
  const first = needed(FIRST);
  const frame = needed(FRAME);
  const pages = [...context.getModuleInfo(ROUTER)!.dynamicallyImportedIds].map((id) => needed([id]));
  const users = (id: string): number => pages.filter((page) => page.has(id)).length;
  return (id) => {
    if (first.has(id)) return "index";
    if (frame.has(id) || users(id) >= COMMON) return "frame";
    return null;
  };
}

let chunks: ((id: string) => string | null) | undefined;

/** The modules of one chunk. What they import comes with them, unless a group of higher priority has it. */
const group = (chunk: string, priority: number): Rolldown.CodeSplittingGroup => ({
  debugName: chunk,
  priority,
  name: (id, context) => ((chunks ??= chunksOf(context))(id) === chunk ? chunk : null),
});

/** For `codeSplitting.groups`. The bundler decides about all other modules. */
export const CHUNKS = [group("index", 2), group("frame", 1)];
