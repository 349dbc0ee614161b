/** The house's rules on names, sizes and imports, as a test. Each failure says the rule and the way to mend it. */
import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join, normalize } from "node:path";

const root = join(import.meta.dir, "..");
const FOLDERS = ["src", "test", "bench", "scripts"];

type SourceFile = { path: string; text: string; isTest: boolean };
type Import = { from: string; to: string; line: number; typeOnly: boolean };

const files: SourceFile[] = FOLDERS.flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => /\.(ts|tsx)$/.test(name))
    .map((name) => join(folder, name))
    .map((path) => ({
      path,
      text: readFileSync(join(root, path), "utf8"),
      isTest:
        /\.(test|contract)\.tsx?$/.test(path) || path.startsWith("test/") || path.includes("test-support"),
    })),
);
const product = files.filter((file) => file.path.startsWith("src/") && !file.isTest);

const IMPORT = /^(?:import|export)\s+(type\s+)?([^;'"]*?)\s*(?:from\s*)?["']([^"']+)["']/gm;

const imports: Import[] = files.flatMap((file) =>
  [...file.text.matchAll(IMPORT)].map((match) => {
    const names =
      /\{([^}]*)\}/
        .exec(match[2] ?? "")?.[1]
        ?.split(",")
        .map((name) => name.trim()) ?? [];
    const allTypes =
      names.filter(Boolean).length > 0 && names.filter(Boolean).every((name) => name.startsWith("type "));
    return {
      from: file.path,
      to: match[3]!.startsWith(".") ? normalize(join(dirname(file.path), match[3]!)) : match[3]!,
      line: file.text.slice(0, match.index).split("\n").length,
      typeOnly: match[1] !== undefined || allTypes,
    };
  }),
);
const valueImports = imports.filter(
  (entry) =>
    !entry.typeOnly && product.some((file) => file.path === entry.from) && entry.to.startsWith("src/"),
);

/** The room of a file: its folder below src/, or `root` for the composition files beside the rooms. */
const room = (path: string): string => {
  const parts = path.split("/");
  return parts.length === 2 ? "root" : parts[1]!;
};

const role = (path: string): string => /[./](\w+)\.ts$/.exec(path)?.[1] ?? "";

/** Value imports that a room may make besides its own files and lib/. Types may be imported from anywhere. */
const MAY_IMPORT: Record<string, readonly string[]> = {
  lib: [],
  db: [],
  cluster: ["db"],
  jobs: ["cluster"],
  http: [],
  auth: ["db", "cluster"],
  config: ["db", "cluster"],
  links: ["db", "cluster"],
  clicks: ["db", "cluster", "links"],
  redirect: ["links", "clicks"],
  files: ["db", "cluster", "links"],
  health: ["db", "cluster"],
  cli: [],
  upkeep: [],
};
/** What a role adds: endpoints know HTTP. */
const ROLE_MAY_IMPORT: Record<string, readonly string[]> = {
  routes: ["http"],
  commands: ["cli"],
  guard: ["http"],
};
/** Composition files, which may be imported by nobody below them, and the settings, which commands may read. */
const SETTINGS_FILES = ["src/env.ts", "src/env-settings.ts"];

/** Composition files inside a room: commands that span rooms. */
const ASSEMBLY = [
  "src/upkeep/backup.commands.ts",
  "src/upkeep/doctor.commands.ts",
  "src/upkeep/status.commands.ts",
];

function expectNone(found: readonly string[], rule: string): void {
  expect(found.length === 0 ? [] : [rule, ...found]).toEqual([]);
}

test("files are short", () => {
  const tooLong = files
    .filter((file) => file.text.split("\n").length - 1 > (file.isTest ? 400 : 300))
    .map((file) => `${file.path}: ${file.text.split("\n").length - 1} lines`);
  expectNone(tooLong, "A file has at most 300 lines (a test 400): split it along what it is about.");
});

test("files have kebab-case names that say what is inside", () => {
  const wrong = files
    .map((file) => file.path)
    .filter((path) => {
      const name = basename(path).replace(/\.tsx?$/, "");
      return (
        !/^[a-z0-9]+(-[a-z0-9]+)*(\.[a-z0-9-]+)*$/.test(name) ||
        /\b(utils?|helpers?|common|manager|misc|index)\b/.test(name)
      );
    })
    // A registry's table of contents keeps the name that a newcomer looks for.
    .filter((path) => path !== "src/files/storage/index.ts");
  expectNone(
    wrong,
    "Name the file in kebab-case, noun.role.ts; no utils, helpers, common, manager, no barrels.",
  );
});

test("there are named exports only", () => {
  const wrong = files.filter((file) => /^export default\b/m.test(file.text)).map((file) => file.path);
  expectNone(wrong, "Export by name.");
});

test("rooms import in one direction", () => {
  const wrong = valueImports
    .filter((entry) => room(entry.from) !== "root" && !ASSEMBLY.includes(entry.from))
    .filter((entry) => {
      const [from, to] = [room(entry.from), room(entry.to)];
      if (from === to || to === "lib") return false;
      if (to === "root") return !(role(entry.from) === "commands" && SETTINGS_FILES.includes(entry.to));
      return (
        !(MAY_IMPORT[from] ?? []).includes(to) && !(ROLE_MAY_IMPORT[role(entry.from)] ?? []).includes(to)
      );
    })
    .map((entry) => `${entry.from}:${entry.line} imports ${entry.to}`);
  expectNone(
    wrong,
    "This room may not import that one: take what you need as an argument, or import its type only.",
  );
});

test("layers import downwards: routes → service → repository → db", () => {
  const order = ["routes", "service", "repository"];
  const wrong = valueImports
    .filter((entry) => {
      const [from, to] = [order.indexOf(role(entry.from)), order.indexOf(role(entry.to))];
      if (from === -1) return false;
      if (to !== -1 && to < from) return true;
      return role(entry.from) === "routes" && (role(entry.to) === "repository" || room(entry.to) === "db");
    })
    .map((entry) => `${entry.from}:${entry.line} imports ${entry.to}`);
  expectNone(
    wrong,
    "Routes know their service, services their repositories, only repositories the database.",
  );
});

test("only repositories and db/ speak to the query builder", () => {
  const wrong = imports
    .filter((entry) => product.some((file) => file.path === entry.from))
    .filter((entry) => /^(kysely|pg|mysql2)(\/|$)/.test(entry.to) || entry.to === "bun:sqlite")
    .filter((entry) => !["db", "cluster"].includes(room(entry.from)) && role(entry.from) !== "repository")
    .filter((entry) => entry.from !== "src/lib/file-lock.ts")
    .map((entry) => `${entry.from}:${entry.line} imports ${entry.to}`);
  expectNone(wrong, "Move the query into the room's *.repository.ts.");
});

test("the databases are named in db/ and the settings only", () => {
  const wrong = product
    .filter((file) => room(file.path) !== "db" && !SETTINGS_FILES.includes(file.path))
    // The lock is a lock file in that format, whatever the database is.
    .filter((file) => file.path !== "src/lib/file-lock.ts")
    .filter((file) => /sqlite|mysql|mariadb|postgres/i.test(file.text))
    .map((file) => file.path);
  expectNone(wrong, "Ask db/dialect.ts for a capability instead of naming a database.");
});

test("env.ts alone reads the environment", () => {
  const wrong = product
    .filter((file) => file.path !== "src/env.ts" && /process\.env\b|Bun\.env\b/.test(file.text))
    .map((file) => file.path);
  expectNone(wrong, "Take the setting from Env.");
});

test("nothing is left for later in a comment", () => {
  const mark = new RegExp(`\\b(${["TO", "DO"].join("")}|${["FIX", "ME"].join("")}|X{3})\\b`);
  expectNone(
    files.filter((file) => mark.test(file.text)).map((file) => file.path),
    "Do it, or open an issue.",
  );
});
