/**
 * Which modules of the panel load together: what the sign-in page needs, what many pages need, and each page by itself.
 * The bundler alone makes a file of every set of modules with the same users: a page took over a hundred requests.
 */
import { dirname, join } from "node:path";
import { parseAst, type Rolldown } from "vite";

type Context = Rolldown.ChunkingContext;

const SOURCES = join(import.meta.dirname, "src");
const source = (path: string): string => join(SOURCES, path);

/** What somebody opens first, in `index-….js`; and what every other page needs, in `frame-….js`. */
const FIRST = ["app/main.tsx", "auth/sign-in-page.tsx"].map(source);
const FRAME = [source("app/shell.tsx")];
/** The page that most people open first: what it shares with others is in the frame. */
const LIST = [source("links/links-page.tsx")];
const ROUTER = source("app/router.tsx");
/** What so many pages need, or so many parts of pages, is loaded together. */
const COMMON = 6;
const MANY = 12;
/** Characters with its imports. What is shorter, and of a page and something else, costs more in a file of its own. */
const SHORT = 3000;

/** A package's index, of which a module needs only what it names. */
const isIndex = (id: string): boolean =>
  /\/node_modules\/@(?:mantine\/\w+\/esm\/index|tabler\/icons-react\/dist\/esm\/tabler-icons-react)\.mjs$/.test(
    id,
  );

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

/** What a module gives under other modules' names. */
const passedOn = (code: string): Import[] =>
  parseAst(code).body.flatMap((node) => {
    if (node.type !== "ExportNamedDeclaration" || node.source === null) return [];
    const names = node.specifiers.map(({ exported }) =>
      "name" in exported ? exported.name : exported.value,
    );
    return [{ from: node.source.value, names }];
  });

/** The module that an index has each name from. */
function namesOf(index: string, code: string): ReadonlyMap<string, string> {
  const found = [...importsIn(code), ...passedOn(code)].filter(({ from }) => from.startsWith("."));
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
  const list = needed(LIST);
  const loadedLater = (id: string): readonly string[] => [
    ...(context.getModuleInfo(id)?.dynamicallyImportedIds ?? []),
  ];
  const pages = loadedLater(ROUTER).map((id) => needed([id]));
  const roots = new Set([...FRAME, ...loadedLater(ROUTER)]);
  for (const root of roots)
    for (const id of needed([root])) for (const part of loadedLater(id)) roots.add(part);
  const parts = [...roots].map((id) => needed([id]));
  const users = (of: readonly ReadonlySet<string>[], id: string): number =>
    of.filter((part) => part.has(id)).length;
  const isCommon = (id: string): boolean => users(pages, id) >= COMMON || users(parts, id) >= MANY;
  const isShort = (id: string): boolean => {
    const own = [...needed([id])].filter((part) => !first.has(part) && !frame.has(part) && !isCommon(part));
    return own.reduce((sum, part) => sum + (context.getModuleInfo(part)?.code?.length ?? 0), 0) < SHORT;
  };
  return (id) => {
    if (first.has(id)) return "index";
    if (frame.has(id) || (list.has(id) && users(parts, id) > 1)) return "frame";
    return isCommon(id) || (users(pages, id) > 0 && users(parts, id) > 1 && isShort(id)) ? "common" : null;
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
export const CHUNKS = [group("index", 3), group("frame", 2), group("common", 1)];
